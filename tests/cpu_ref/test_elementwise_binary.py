# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ELEMENTWISE_BINARY, also of the older layer types that become it, and PRELU, against numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from armnn_py._native import abi
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .host_check import shown_form
from .tensors import NUMBERS, examples, values

if TYPE_CHECKING:
    from collections.abc import Callable

FLOAT_FORMULAS: dict[int, Callable[[Any, Any], Any]] = {
    abi.ARMNN_BINARY_ADD: np.add,
    abi.ARMNN_BINARY_DIV: np.divide,
    abi.ARMNN_BINARY_MAXIMUM: np.maximum,
    abi.ARMNN_BINARY_MINIMUM: np.minimum,
    abi.ARMNN_BINARY_MUL: np.multiply,
    abi.ARMNN_BINARY_SUB: np.subtract,
    abi.ARMNN_BINARY_SQ_DIFF: lambda x, y: np.square(x - y),
    abi.ARMNN_BINARY_POWER: np.power,
    abi.ARMNN_BINARY_MOD: np.mod,
    abi.ARMNN_BINARY_FMOD: np.fmod,
}
OF_BITS = {
    abi.ARMNN_BINARY_BITWISE_AND: lambda x, y: x & y,
    abi.ARMNN_BINARY_BITWISE_OR: lambda x, y: x | y,
    abi.ARMNN_BINARY_BITWISE_XOR: lambda x, y: x ^ y,
}
SHIFTS = (abi.ARMNN_BINARY_SHIFT_LEFT, abi.ARMNN_BINARY_SHIFT_RIGHT)
OLD_TYPES = {
    LayerType.ADDITION: np.add,
    LayerType.DIVISION: np.divide,
    LayerType.MAXIMUM: np.maximum,
    LayerType.MINIMUM: np.minimum,
    LayerType.MULTIPLICATION: np.multiply,
    LayerType.SUBTRACTION: np.subtract,
}


def integer_value(operation: int, x: int, y: int, bits: int) -> int:
    """One result in Python's unlimited integers, then wrapped to the type."""
    if operation == abi.ARMNN_BINARY_DIV:
        result = 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    elif operation == abi.ARMNN_BINARY_POWER:
        result = pow(x, y, 1 << bits) if y >= 0 else {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)
    elif operation == abi.ARMNN_BINARY_MOD:
        result = x % y if y else 0
    elif operation == abi.ARMNN_BINARY_FMOD:
        result = abs(x) % abs(y) * (1 if x >= 0 else -1) if y else 0
    elif operation in OF_BITS:
        result = OF_BITS[operation](x, y)
    elif operation in SHIFTS:
        unsigned = x % (1 << bits)
        left = operation == abi.ARMNN_BINARY_SHIFT_LEFT
        result = 0 if not 0 <= y < bits else unsigned << y if left else unsigned >> y
    else:
        result = int(
            {
                abi.ARMNN_BINARY_ADD: x + y,
                abi.ARMNN_BINARY_MAXIMUM: max(x, y),
                abi.ARMNN_BINARY_MINIMUM: min(x, y),
                abi.ARMNN_BINARY_MUL: x * y,
                abi.ARMNN_BINARY_SUB: x - y,
                abi.ARMNN_BINARY_SQ_DIFF: (x - y) ** 2,
            }[operation]
        )
    return (result + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def run(cpu_ref: Layers, operation: int, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The result of the layer on two arrays."""
    form = descriptor(
        abi.armnn_elementwise_binary_descriptor_t,
        abi.ARMNN_LAYER_ELEMENTWISE_BINARY,
        operation=operation,
    )
    shape = np.broadcast_shapes(x.shape, y.shape)
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_ELEMENTWISE_BINARY, form, [x, y], [(shape, x.dtype)])
    return out


def test_every_operation_has_a_formula() -> None:
    assert sorted([*FLOAT_FORMULAS, *OF_BITS, *SHIFTS]) == list(range(abi.ARMNN_BINARY_COUNT))


@examples
@given(
    shapes=mutually_broadcastable_shapes(num_shapes=2, max_dims=8, min_side=0, max_side=4),
    operation=st.sampled_from(sorted(FLOAT_FORMULAS)),
    seed=st.integers(0, 99),
)
def test_float32_broadcasts_as_numpy(
    cpu_ref: Layers, shapes: Any, operation: int, seed: int
) -> None:
    x, y = (values(shape, np.float32, seed + i) for i, shape in enumerate(shapes.input_shapes))
    with np.errstate(all="ignore"):
        expected = np.asarray(FLOAT_FORMULAS[operation](x, y), np.float32)
    out = run(cpu_ref, operation, x, y)
    assert out.shape == shapes.result_shape
    np.testing.assert_allclose(out, expected, rtol=3e-7)


@pytest.mark.parametrize("operation", sorted([*FLOAT_FORMULAS, *OF_BITS, *SHIFTS]))
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_wrap_and_never_trap(cpu_ref: Layers, operation: int, dtype: Any) -> None:
    limits = np.iinfo(dtype)
    edges = [limits.min, limits.min + 1, -7, -2, -1, 0, 1, 2, 3, 7, 31, 65537, limits.max]
    edges += np.random.default_rng(operation).integers(limits.min, limits.max, 20).tolist()
    x = np.array(edges, dtype)[:, None]
    y = np.array(edges, dtype)[None, :]
    expected = np.array(
        [[integer_value(operation, a, b, limits.bits) for b in edges] for a in edges], dtype
    )
    np.testing.assert_array_equal(run(cpu_ref, operation, x, y), expected)


@pytest.mark.parametrize("dtype", NUMBERS.values(), ids=NUMBERS)
@pytest.mark.parametrize(
    ("x_shape", "y_shape"),
    [
        ((40, 50, 30), (40, 50, 30)),
        ((40, 50, 30), ()),
        ((), (40, 50, 30)),
        ((8, 20, 9, 41), (20, 1, 1)),
        ((8, 9, 41, 20), (20,)),
        ((300, 1), (1, 257)),
    ],
    ids=["equal", "scalar", "scalar first", "channel", "last", "outer"],
)
def test_large_tensors_in_parallel(
    cpu_ref: Layers, dtype: Any, x_shape: tuple[int, ...], y_shape: tuple[int, ...]
) -> None:
    x, y = values(x_shape, dtype), values(y_shape, dtype, 1)
    with np.errstate(all="ignore"):
        expected = np.subtract(x, y)
    np.testing.assert_array_equal(run(cpu_ref, abi.ARMNN_BINARY_SUB, x, y), expected)


@pytest.mark.parametrize("operation", [abi.ARMNN_BINARY_MAXIMUM, abi.ARMNN_BINARY_MINIMUM])
def test_nan_on_either_side_stays(cpu_ref: Layers, operation: int) -> None:
    x = np.array([np.nan, 1, np.nan, -np.inf, np.inf, 2], np.float32)
    y = np.array([1, np.nan, np.nan, np.inf, -np.inf, 3], np.float32)
    expected = FLOAT_FORMULAS[operation](x, y)
    np.testing.assert_array_equal(run(cpu_ref, operation, x, y), expected)


def test_float_division_by_zero_is_ieee(cpu_ref: Layers) -> None:
    x = np.array([1, -1, 0, np.inf], np.float32)
    out = run(cpu_ref, abi.ARMNN_BINARY_DIV, x, np.zeros(1, np.float32))
    np.testing.assert_array_equal(out, [np.inf, -np.inf, np.nan, np.inf])


@pytest.mark.parametrize("operation", [abi.ARMNN_BINARY_MOD, abi.ARMNN_BINARY_FMOD])
def test_remainders_at_the_edges(cpu_ref: Layers, operation: int) -> None:
    edges = np.array([0.0, -0.0, 1.5, -1.5, 4.0, -4.0, np.inf, -np.inf, np.nan], np.float32)
    x, y = edges[:, None], edges[None, :]
    with np.errstate(all="ignore"):
        expected = np.asarray(FLOAT_FORMULAS[operation](x, y), np.float32)
    out = run(cpu_ref, operation, x, y)
    np.testing.assert_array_equal(out, expected)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(out[zero]), np.signbit(expected[zero]))


@pytest.mark.parametrize("layer_type", sorted(OLD_TYPES))
def test_older_layer_types(cpu_ref: Layers, layer_type: LayerType) -> None:
    x, y = values((3, 4, 5), np.float32), values((4, 1), np.float32, 1)
    (out,) = cpu_ref.run(*shown_form(layer_type), [x, y], [((3, 4, 5), np.float32)])
    np.testing.assert_array_equal(out, OLD_TYPES[layer_type](x, y))


def test_prelu(cpu_ref: Layers) -> None:
    x, slopes = values((2, 5, 4, 3), np.float32), values((5, 1, 1), np.float32, 1)
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_PRELU, None, [x, slopes], [(x.shape, np.float32)])
    np.testing.assert_array_equal(out, np.where(x < 0, x * slopes, x))


@pytest.mark.parametrize(
    ("inputs", "output", "words"),
    [
        (
            [((2, 3), np.float32), ((2, 4), np.float32)],
            ((2, 3), np.float32),
            "shapes 2x3 and 2x4 do not broadcast: 3 against 4",
        ),
        (
            [((2, 3), np.float32), ((2, 3), np.int32)],
            ((2, 3), np.float32),
            "x is float32 but y is int32, one type expected",
        ),
        (
            [((2, 3), np.float32), ((3,), np.float32)],
            ((2, 3), np.int32),
            "output 0 stated as int32, but it is float32",
        ),
        (
            [((2, 3), np.float32), ((3,), np.float32)],
            ((2, 4), np.float32),
            "output 0 stated as 2x4, but it is 2x3",
        ),
        ([((2, 3), np.float32)], ((2, 3), np.float32), "operand 'y' is missing"),
        ([((2, 3), np.float32), None], ((2, 3), np.float32), "operand 'y' is missing"),
    ],
)
def test_reasons(cpu_ref: Layers, inputs: Any, output: Any, words: str) -> None:
    form = descriptor(abi.armnn_elementwise_binary_descriptor_t, abi.ARMNN_LAYER_ELEMENTWISE_BINARY)
    reason = cpu_ref.refusal(abi.ARMNN_LAYER_ELEMENTWISE_BINARY, form, inputs, [output])
    assert reason is not None
    assert words in reason


@pytest.mark.parametrize("operation", [-1, abi.ARMNN_BINARY_COUNT, 2**31 - 1])
def test_unknown_operation(cpu_ref: Layers, operation: int) -> None:
    form = descriptor(
        abi.armnn_elementwise_binary_descriptor_t,
        abi.ARMNN_LAYER_ELEMENTWISE_BINARY,
        operation=operation,
    )
    pair = ((2,), np.float32)
    reason = cpu_ref.refusal(abi.ARMNN_LAYER_ELEMENTWISE_BINARY, form, [pair, pair], [pair])
    assert reason is not None
    assert str(operation) in reason


def test_missing_descriptor(cpu_ref: Layers) -> None:
    pair = ((2,), np.float32)
    reason = cpu_ref.refusal(abi.ARMNN_LAYER_ELEMENTWISE_BINARY, None, [pair, pair], [pair])
    assert reason is not None
    assert "the descriptor: 1 at 0x0 cannot be read" in reason
