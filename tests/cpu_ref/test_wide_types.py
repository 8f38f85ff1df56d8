# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""float64 and unsigned integers: CpuRef against numpy, bit by bit where there is one answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import BinaryOperation as B
from armnn_py.types import ComparisonOperation as C
from armnn_py.types import DataType as T
from armnn_py.types import ReduceOperation as R
from armnn_py.types import UnaryOperation as U

UNSIGNED = [T.UNSIGNED16, T.UNSIGNED32, T.UNSIGNED64]
WIDE = [*UNSIGNED, T.FLOAT64]
DRAW = np.random.default_rng(64)


def numbers(data_type: T, *shape: int) -> np.ndarray:
    if data_type is T.FLOAT64:
        return DRAW.standard_normal(shape) * 1e3
    ends = np.iinfo(data_type.numpy)
    return DRAW.integers(0, ends.max, shape, data_type.numpy, endpoint=True)


def run(build: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
    """What CpuRef makes of a layer over these inputs."""
    network = ann.Network()
    slots = [
        network.add_input(f"x{n}", ann.TensorInfo(array.shape, T.from_numpy(array.dtype)))
        for n, array in enumerate(arrays)
    ]
    network.add_output("y", build(network, *slots))
    with ann.load(network, ["CpuRef"]) as loaded:
        return np.array(loaded.run({f"x{n}": array for n, array in enumerate(arrays)})["y"])


FUNCTIONS: dict[B, Callable[..., Any]] = {
    B.ADD: np.add, B.SUB: np.subtract, B.MUL: np.multiply, B.MAXIMUM: np.maximum,
    B.MINIMUM: np.minimum, B.SQ_DIFF: lambda x, y: (x - y) * (x - y), B.MOD: np.mod,
    B.FMOD: np.fmod, B.POWER: np.power,
}  # fmt: skip
OF_INTEGERS: dict[B, Callable[..., Any]] = {
    B.DIV: np.floor_divide, B.BITWISE_AND: np.bitwise_and, B.BITWISE_OR: np.bitwise_or,
    B.BITWISE_XOR: np.bitwise_xor,
}  # fmt: skip


@pytest.mark.parametrize("data_type", WIDE)
@pytest.mark.parametrize("operation", [*FUNCTIONS, B.DIV])
def test_binary(operation: B, data_type: T) -> None:
    x, y = numbers(data_type, 4, 1, 33), numbers(data_type, 5, 33)
    if operation is B.POWER and data_type is T.FLOAT64:
        x = np.abs(x)
        y = y / 1e3
    if data_type is not T.FLOAT64:
        y = np.maximum(y, 1).astype(y.dtype)
    function = FUNCTIONS.get(operation, np.divide if data_type is T.FLOAT64 else np.floor_divide)
    found = run(lambda n, a, b: n.add_elementwise_binary(a, b, operation), x, y)
    with np.errstate(all="ignore"):
        expected = function(x, y)
    assert found.dtype == data_type.numpy
    np.testing.assert_allclose(found, expected, rtol=1e-15 if data_type is T.FLOAT64 else 0)


@pytest.mark.parametrize("data_type", UNSIGNED)
@pytest.mark.parametrize("operation", OF_INTEGERS)
def test_bits(operation: B, data_type: T) -> None:
    x, y = numbers(data_type, 40), np.maximum(numbers(data_type, 40), 1)
    found = run(lambda n, a, b: n.add_elementwise_binary(a, b, operation), x, y)
    np.testing.assert_array_equal(found, OF_INTEGERS[operation](x, y))


@pytest.mark.parametrize("data_type", UNSIGNED)
def test_shifts_and_divisors_that_the_language_leaves_undefined(data_type: T) -> None:
    bits = data_type.size * 8
    x = numbers(data_type, bits + 2)
    by = np.arange(bits + 2).astype(x.dtype)
    inside = by < bits
    for operation, function in ((B.SHIFT_LEFT, np.left_shift), (B.SHIFT_RIGHT, np.right_shift)):
        found = run(lambda n, a, b, o=operation: n.add_elementwise_binary(a, b, o), x, by)
        np.testing.assert_array_equal(found[inside], function(x, by)[inside])
        assert not found[~inside].any()
    zeros = np.zeros_like(x)
    for operation in (B.DIV, B.MOD, B.FMOD):
        found = run(lambda n, a, b, o=operation: n.add_elementwise_binary(a, b, o), x, zeros)
        assert not found.any()


UNARY: dict[U, Callable[..., Any]] = {
    U.ABS: np.abs, U.EXP: np.exp, U.SQRT: np.sqrt, U.RSQRT: lambda x: 1 / np.sqrt(x),
    U.NEG: np.negative, U.LOG: np.log, U.SIN: np.sin, U.CEIL: np.ceil, U.FLOOR: np.floor,
    U.ROUND: np.rint, U.COS: np.cos, U.TAN: np.tan, U.ASIN: np.arcsin, U.ACOS: np.arccos,
    U.ATAN: np.arctan, U.SINH: np.sinh, U.COSH: np.cosh, U.ASINH: np.arcsinh, U.ATANH: np.arctanh,
}  # fmt: skip


@pytest.mark.parametrize("operation", UNARY)
def test_functions_in_double_precision(operation: U) -> None:
    x = np.linspace(0.01, 0.99, 77)
    found = run(lambda n, a: n.add_elementwise_unary(a, operation), x)
    np.testing.assert_allclose(found, UNARY[operation](x), rtol=4e-15)


@pytest.mark.parametrize("data_type", UNSIGNED)
def test_functions_of_unsigned_integers(data_type: T) -> None:
    x = numbers(data_type, 50)
    for operation, expected in (
        (U.NEG, np.negative(x)), (U.ABS, x), (U.ROUND, x), (U.BITWISE_NOT, np.invert(x)),
    ):  # fmt: skip
        found = run(lambda n, a, o=operation: n.add_elementwise_unary(a, o), x)
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ann.NoBackendForLayerError, match="Exp has no kernel for"):
        run(lambda n, a: n.add_elementwise_unary(a, U.EXP), x)


COMPARISONS: dict[C, Callable[..., Any]] = {
    C.EQUAL: np.equal, C.GREATER: np.greater, C.GREATER_OR_EQUAL: np.greater_equal,
    C.LESS: np.less, C.LESS_OR_EQUAL: np.less_equal, C.NOT_EQUAL: np.not_equal,
}  # fmt: skip


@pytest.mark.parametrize("data_type", WIDE)
@pytest.mark.parametrize("operation", COMPARISONS)
def test_comparison(operation: C, data_type: T) -> None:
    """Numbers that a float32, or a signed type, would tell apart wrongly."""
    x = numbers(data_type, 60)
    y = np.where(np.arange(60) % 3, x, np.roll(x, 1))
    if data_type is T.FLOAT64:
        y[::5] = np.nextafter(x[::5], np.inf)
        y[7] = np.nan
    found = run(lambda n, a, b: n.add_comparison(a, b, operation), x, y)
    np.testing.assert_array_equal(found, COMPARISONS[operation](x, y))


@pytest.mark.parametrize("data_type", WIDE)
@pytest.mark.parametrize("axes", [(0,), (2,), (0, 2), (0, 1, 2)])
def test_reduce(data_type: T, axes: tuple[int, ...]) -> None:
    x = numbers(data_type, 3, 4, 19)
    if data_type is T.FLOAT64:
        x /= 1e3
    for operation, function in (
        (R.SUM, np.sum), (R.MAX, np.max), (R.MIN, np.min), (R.PROD, np.prod), (R.MEAN, np.mean),
    ):  # fmt: skip
        found = run(lambda n, a, o=operation: n.add_reduce(a, o, axes), x)
        if data_type is T.FLOAT64:
            np.testing.assert_allclose(found, function(x, axes), rtol=1e-13)
        elif operation is R.MEAN:
            if data_type is not T.UNSIGNED64:  # whose sum wraps around
                exact = np.sum(x, axes, np.uint64) // np.uint64(x.size // found.size)
                np.testing.assert_array_equal(found, exact)
        elif operation in (R.SUM, R.PROD):
            np.testing.assert_array_equal(found, function(x, axes, np.uint64).astype(x.dtype))
        else:
            np.testing.assert_array_equal(found, function(x, axes))


@pytest.mark.parametrize("data_type", WIDE)
def test_places_of_extremes(data_type: T) -> None:
    x = numbers(data_type, 4, 30)
    x[:, 20] = x[:, 10]
    for function, expected in (
        (ann.ArgMinMaxFunction.MAX, np.argmax), (ann.ArgMinMaxFunction.MIN, np.argmin),
    ):  # fmt: skip
        found = run(lambda n, a, f=function: n.add_arg_min_max(a, f, axis=1), x)
        np.testing.assert_array_equal(found, expected(x, 1))


@pytest.mark.parametrize(
    "data_type", [T.FLOAT64, T.SIGNED32, T.SIGNED64, T.UNSIGNED32, T.UNSIGNED64]
)
@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True)])
def test_products_of_matrices(data_type: T, turned: tuple[bool, bool]) -> None:
    if data_type in (T.SIGNED32, T.SIGNED64):
        ends = np.iinfo(data_type.numpy)
        draw = lambda *s: DRAW.integers(ends.min, ends.max, s, data_type.numpy)  # noqa: E731
    else:
        draw = lambda *s: numbers(data_type, *s)  # noqa: E731
    x = draw(3, 1, 9, 5) if turned[0] else draw(3, 1, 5, 9)
    y = draw(4, 7, 9) if turned[1] else draw(4, 9, 7)
    found = run(
        lambda n, a, b: n.add_batch_mat_mul(a, b, transpose_x=turned[0], transpose_y=turned[1]),
        x, y,
    )  # fmt: skip
    left = np.swapaxes(x, -1, -2) if turned[0] else x
    right = np.swapaxes(y, -1, -2) if turned[1] else y
    with np.errstate(over="ignore"):
        expected = left @ right
    tolerance = 1e-12 if data_type is T.FLOAT64 else 0
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * 1e6)


@pytest.mark.parametrize("data_type", WIDE)
@pytest.mark.parametrize("largest", [True, False])
def test_the_first_of_an_order(data_type: T, largest: bool) -> None:
    x = numbers(data_type, 3, 40)
    order = np.argsort(x, 1)[:, ::-1] if largest else np.argsort(x, 1)

    def build(network: ann.Network, slot: Any) -> Any:
        return network.add_top_k(slot, 7, largest=largest).outputs[0]

    np.testing.assert_array_equal(run(build, x), np.take_along_axis(x, order[:, :7], 1))


@pytest.mark.parametrize("data_type", [T.UNSIGNED32, T.UNSIGNED64, T.FLOAT64])
def test_cumulative_sums(data_type: T) -> None:
    x = numbers(data_type, 3, 40)
    found = run(lambda n, a: n.add_cum_sum(a, axis=1), x)
    expected = np.cumsum(x, 1, data_type.numpy)
    tolerance = 1e-12 if data_type is T.FLOAT64 else 0
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance * 1e6)


# Floating point of 8 bits and what is packed have no type of numpy's: tests of their own cast them.
PLAIN = [
    t
    for t in T
    if not (t.is_quantized or t.is_packed or t is T.BFLOAT16 or (t.is_float and t.bits == 8))
]


@pytest.mark.parametrize("target", PLAIN)
@pytest.mark.parametrize("source", WIDE)
def test_cast(source: T, target: T) -> None:
    x = numbers(source, 300)
    if source is T.FLOAT64:
        x[:6] = [0.1, -0.5, 2.5, 1 + 2**-11 + 2**-40, 1 + 3 * 2**-11 - 2**-40, 1e-5]
        if target.numpy.kind == "u":
            x = np.abs(x)
        x = x % 30000 if target.numpy.itemsize == 2 else x
    found = run(lambda n, a: n.add_cast(a, target), x)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(found, x.astype(target.numpy))


@pytest.mark.parametrize("target", [*UNSIGNED, T.SIGNED32, T.SIGNED64])
def test_what_no_integer_is_goes_to_the_nearest(target: T) -> None:
    ends = np.iinfo(target.numpy)
    x = np.array([np.nan, np.inf, -np.inf, 1e300, -1e300, -0.9, 0.9])
    found = run(lambda n, a: n.add_cast(a, target), x)
    assert found.tolist() == [0, ends.max, ends.min, ends.max, ends.min, 0, 0]


@pytest.mark.parametrize("data_type", WIDE)
def test_movement(data_type: T) -> None:
    x = numbers(data_type, 2, 3, 4)
    moved = run(lambda n, a: n.add_transpose(n.add_concat([a, a], axis=1), (2, 0, 1)), x)
    np.testing.assert_array_equal(moved, np.concatenate([x, x], 1).transpose(2, 0, 1))
