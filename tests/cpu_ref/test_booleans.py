# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Booleans in layers of numbers: what numpy computes of them, and what it refuses.

Each is run on CpuRef and, where CpuAcc takes it, on that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import BinaryOperation as B
from armnn_py import ReduceOperation as R
from armnn_py.types import ArgMinMaxFunction, DataType, UnaryOperation

BACKENDS = [["CpuRef"], ["CpuAcc", "CpuRef"]]
_RNG = np.random.default_rng(17)
X = _RNG.random((3, 5, 37)) < 0.3
Y = _RNG.random((3, 1, 37)) < 0.5

Build = Callable[[ann.Network, Any, Any], Any]


def run(backends: list[str], build: Build, x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """The outputs of one layer of two inputs; skipped where a backend is not here."""
    network = ann.Network()
    a, b = (
        network.add_input(name, ann.TensorInfo(array.shape, DataType.BOOLEAN))
        for name, array in (("a", x), ("b", y))
    )
    layer = build(network, a, b)
    for index, slot in enumerate(layer.outputs):
        network.add_output(f"out{index}", slot)
    with ann.Runtime() as runtime:
        if not set(backends) <= set(runtime.backends):
            pytest.skip("CpuAcc is not here")
    with ann.load(network, backends) as loaded:
        return list(loaded.run({"a": x, "b": y}).values())


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
@pytest.mark.parametrize(
    ("operation", "function"),
    [
        (B.ADD, np.add), (B.MUL, np.multiply), (B.MAXIMUM, np.maximum), (B.MINIMUM, np.minimum),
        (B.BITWISE_AND, np.bitwise_and), (B.BITWISE_OR, np.bitwise_or),
        (B.BITWISE_XOR, np.bitwise_xor),
    ],
    ids=lambda value: getattr(value, "name", ""),
)  # fmt: skip
def test_pairs(backends: list[str], operation: B, function: Any) -> None:
    (found,) = run(backends, lambda n, a, b: n.add_elementwise_binary(a, b, operation), X, Y)
    expected = function(X, Y)
    assert found.dtype == expected.dtype == np.bool_
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
@pytest.mark.parametrize(
    ("operation", "function"),
    [(R.SUM, np.sum), (R.PROD, np.prod), (R.MAX, np.max), (R.MIN, np.min)],
    ids=lambda value: getattr(value, "name", ""),
)
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 2), (1, 2), ()])
@pytest.mark.parametrize("least", [False, True])
def test_reductions(
    backends: list[str], operation: R, function: Any, axes: tuple[int, ...], least: bool
) -> None:
    x = ~X if least else X
    (found,) = run(backends, lambda n, a, b: n.add_reduce(a, operation, axes), x, Y)
    more = {"dtype": np.bool_} if operation in (R.SUM, R.PROD) else {}
    expected = np.asarray(function(x, axis=axes or None, **more))
    assert expected.dtype == found.dtype == np.bool_
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("operation", [R.SUM, R.PROD])
def test_reductions_of_nothing(operation: R) -> None:
    x = np.zeros((2, 0, 3), np.bool_)
    (found,) = run(["CpuRef"], lambda n, a, b: n.add_reduce(a, operation, (1,)), x, Y)
    np.testing.assert_array_equal(found, np.full((2, 3), operation is R.PROD))


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("function", list(ArgMinMaxFunction), ids=lambda value: value.name)
def test_places_of_extremes(backends: list[str], axis: int, function: ArgMinMaxFunction) -> None:
    (found,) = run(backends, lambda n, a, b: n.add_arg_min_max(a, function, axis), X, Y)
    numpys = np.argmax if function is ArgMinMaxFunction.MAX else np.argmin
    np.testing.assert_array_equal(found, numpys(X, axis))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("largest", [False, True])
def test_top_k(axis: int, largest: bool) -> None:
    values, places = run(["CpuRef"], lambda n, a, b: n.add_top_k(a, 3, axis, largest=largest), X, Y)
    order = np.argsort(~X if largest else X, axis=axis, kind="stable").take([0, 1, 2], axis)
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(values, np.take_along_axis(X, order, axis))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("reverse", [False, True])
def test_cum_sum(axis: int, reverse: bool) -> None:
    (found,) = run(["CpuRef"], lambda n, a, b: n.add_cum_sum(a, axis, reverse=reverse), X, Y)
    turned = np.flip(X, axis) if reverse else X
    expected = np.cumsum(turned, axis, dtype=np.bool_)
    np.testing.assert_array_equal(found, np.flip(expected, axis) if reverse else expected)


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
def test_products_of_matrices(backends: list[str]) -> None:
    x, y = X & (_RNG.random(X.shape) < 0.2), np.tile(Y, (1, 4, 1)) & (_RNG.random((3, 4, 37)) < 0.7)
    (found,) = run(backends, lambda n, a, b: n.add_batch_mat_mul(a, b, transpose_y=True), x, y)
    expected = np.matmul(x, y.swapaxes(-1, -2))
    assert expected.dtype == found.dtype == np.bool_
    np.testing.assert_array_equal(found, expected)
    assert found.any()
    assert not found.all()


def test_bitwise_not() -> None:
    (found,) = run(
        ["CpuRef"],
        lambda n, a, b: n.add_elementwise_unary(a, UnaryOperation.BITWISE_NOT),
        X,
        Y,
    )
    np.testing.assert_array_equal(found, np.bitwise_not(X))


@pytest.mark.parametrize(
    "build",
    [
        lambda n, a, b: n.add_reduce(a, R.MEAN),
        lambda n, a, b: n.add_mean(a),
        *(
            lambda n, a, b, operation=operation: n.add_elementwise_binary(a, b, operation)
            for operation in (
                B.SUB, B.DIV, B.SQ_DIFF, B.POWER, B.MOD, B.FMOD, B.SHIFT_LEFT, B.SHIFT_RIGHT,
            )
        ),
    ],
)  # fmt: skip
def test_arithmetic_on_booleans_is_refused(build: Build) -> None:
    with pytest.raises(ann.LayerValidationError, match="is bool, numbers expected"):
        run(["CpuRef"], build, X, Y)


_PAIRS: dict[B, Callable[[Any, Any], Any]] = {
    B.ADD: np.add, B.MUL: np.multiply, B.MAXIMUM: np.maximum, B.MINIMUM: np.minimum,
    B.BITWISE_AND: np.bitwise_and, B.BITWISE_OR: np.bitwise_or, B.BITWISE_XOR: np.bitwise_xor,
}  # fmt: skip
_FOLDS: dict[R, Callable[..., Any]] = {
    R.SUM: np.any, R.MAX: np.any, R.PROD: np.all, R.MIN: np.all,
}  # fmt: skip


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
def test_passes_know_what_booleans_are(backends: list[str]) -> None:
    """Chains with constants, some of them neutral, are simplified to what numpy computes."""
    random = np.random.default_rng(3)
    with ann.Runtime() as runtime:
        if not set(backends) <= set(runtime.backends):
            pytest.skip("CpuAcc is not here")
        for _ in range(120):
            network, expected = ann.Network(), X
            layer: Any = network.add_input("x", ann.TensorInfo(X.shape, DataType.BOOLEAN))
            for _ in range(random.integers(1, 6)):
                if random.random() < 0.2 and expected.ndim:
                    fold = list(_FOLDS)[random.integers(len(_FOLDS))]
                    axis = int(random.integers(expected.ndim))
                    layer = network.add_reduce(layer, fold, (axis,))
                    expected = np.asarray(_FOLDS[fold](expected, axis=axis))
                    continue
                pair = list(_PAIRS)[random.integers(len(_PAIRS))]
                if random.random() < 0.7:
                    neutral = np.full((1,) * expected.ndim, random.random() < 0.5)
                    value = (
                        neutral if random.random() < 0.6 else random.random(expected.shape) < 0.5
                    )
                    other: Any = network.add_constant(np.asarray(value))
                else:
                    value, other = expected, layer
                layer = network.add_elementwise_binary(layer, other, pair)
                expected = _PAIRS[pair](expected, value)
            network.add_output("y", layer)
            with ann.load(network, backends, runtime=runtime) as loaded:
                np.testing.assert_array_equal(loaded.run({"x": X})["y"], expected)
