# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Comparisons, logic, arithmetic of integers, casts: against numpy and the rules of C and ONNX."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .networks import values_of
from .one_layer import TYPES, numbers, run

NUMBERS = [np.float32, np.float64, np.int32, np.int64, np.uint16, np.uint32, np.uint64]
SIGNED = [np.int32, np.int64]
SHAPES = [((3, 4, 50), (3, 4, 50)), ((3, 1, 50), (4, 1)), ((1,), (2, 3)), ((2, 3, 4, 1), (5,))]
COMPARISONS = {
    ann.ComparisonOperation.EQUAL: operator.eq,
    ann.ComparisonOperation.GREATER: operator.gt,
    ann.ComparisonOperation.GREATER_OR_EQUAL: operator.ge,
    ann.ComparisonOperation.LESS: operator.lt,
    ann.ComparisonOperation.LESS_OR_EQUAL: operator.le,
    ann.ComparisonOperation.NOT_EQUAL: operator.ne,
}
B, U = ann.BinaryOperation, ann.UnaryOperation


@pytest.mark.parametrize("dtype", [*NUMBERS, np.bool_])
@pytest.mark.parametrize("operation", COMPARISONS, ids=lambda operation: operation.name)
def test_comparisons(runtime: ann.Runtime, operation: Any, dtype: Any) -> None:
    for left, right in SHAPES:
        x, y = numbers(0, left, dtype), numbers(1, right, dtype)
        out = run(runtime, [x, y], lambda n, a, b: n.add_comparison(a, b, operation))
        assert out.dtype == np.bool_
        np.testing.assert_array_equal(out, COMPARISONS[operation](x, y))


def test_comparisons_of_special_values(runtime: ann.Runtime) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0], np.float32)
    for operation, expected in COMPARISONS.items():
        out = run(
            runtime, [x[:, None], x[None]], lambda n, a, b, o=operation: n.add_comparison(a, b, o)
        )
        np.testing.assert_array_equal(out, expected(x[:, None], x[None]))


def test_what_a_convolution_makes_is_compared_and_selected(runtime: ann.Runtime) -> None:
    """Masks of images lie channels last, too, and feed Select, Cast and logic inside one part."""
    x, weights = values_of(3, 1, 3, 8, 8), values_of(4, 5, 3, 1, 1)

    def make(n: Any, s: Any) -> Any:
        y = n.add_convolution2d(s, weights, data_layout=ann.DataLayout.NCHW)
        above = n.add_comparison(y, np.float32(0.1), ann.ComparisonOperation.GREATER)
        below = n.add_comparison(y, np.float32(1.0), ann.ComparisonOperation.LESS)
        both = n.add_logical_binary(above, below, ann.LogicalBinaryOperation.AND)
        chosen = n.add_select(both, y, np.float32(-1))
        return n.add_multiplication(chosen, n.add_cast(above, ann.DataType.FLOAT32))

    y = np.einsum("oi,nihw->nohw", weights[:, :, 0, 0], x)
    expected = np.where((y > 0.1) & (y < 1), y, -1) * (y > 0.1)
    np.testing.assert_allclose(run(runtime, [x], make), expected, rtol=1e-5, atol=1e-5)


def test_logic(runtime: ann.Runtime) -> None:
    for left, right in SHAPES:
        x, y = numbers(2, left, np.int32) > 0, numbers(3, right, np.int32) > 0
        for operation, expected in (
            (ann.LogicalBinaryOperation.AND, x & y),
            (ann.LogicalBinaryOperation.OR, x | y),
        ):
            out = run(runtime, [x, y], lambda n, a, b, o=operation: n.add_logical_binary(a, b, o))
            np.testing.assert_array_equal(out, expected)
    out = run(runtime, [x], lambda n, a: n.add_elementwise_unary(a, U.LOGICAL_NOT))
    np.testing.assert_array_equal(out, ~x)


# ---- Arithmetic ----------------------------------------------------------------------------

ARITHMETIC = {
    B.ADD: np.add,
    B.SUB: np.subtract,
    B.MUL: np.multiply,
    B.MAXIMUM: np.maximum,
    B.MINIMUM: np.minimum,
    B.DIV: lambda x, y: np.trunc(x.astype(np.float64) / y).astype(x.dtype),
    B.MOD: np.mod,
    B.FMOD: np.fmod,
}


@pytest.mark.parametrize("dtype", SIGNED)
@pytest.mark.parametrize("operation", ARITHMETIC, ids=lambda operation: operation.name)
def test_arithmetic_of_integers(runtime: ann.Runtime, operation: Any, dtype: Any) -> None:
    for left, right in SHAPES:
        x, y = numbers(4, left, dtype), numbers(5, right, dtype)
        y[y == 0] = 3
        out = run(runtime, [x, y], lambda n, a, b: n.add_elementwise_binary(a, b, operation))
        assert out.dtype == dtype
        np.testing.assert_array_equal(out, ARITHMETIC[operation](x, y))


@pytest.mark.parametrize("dtype", SIGNED)
def test_integers_wrap_and_division_by_zero_is_zero(runtime: ann.Runtime, dtype: Any) -> None:
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    x, y = np.array([most, least, 7, -7], dtype), np.array([1, -1, 0, 2], dtype)
    expected = {B.ADD: [least, most, 7, -5], B.DIV: [most, least, 0, -3]}
    for operation, values in expected.items():
        out = run(runtime, [x, y], lambda n, a, b, o=operation: n.add_elementwise_binary(a, b, o))
        assert out.tolist() == values
    for unary, values in ((U.ABS, [most, least, 7, 7]), (U.NEG, [-most, least, -7, 7])):
        out = run(runtime, [x], lambda n, a, o=unary: n.add_elementwise_unary(a, o))
        assert out.tolist() == values


@pytest.mark.parametrize("dtype", SIGNED)
def test_constants_of_integers(runtime: ann.Runtime, dtype: Any) -> None:
    """One element and one row: what a float32 function would be made of."""
    x, row = numbers(6, (4, 9), dtype), numbers(7, (9,), dtype)
    out = run(runtime, [x], lambda n, a: n.add_addition(n.add_multiplication(a, dtype(3)), row))
    np.testing.assert_array_equal(out, x * dtype(3) + row)


def test_operations_that_a_type_lacks_are_refused(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,), ann.DataType.UNSIGNED32))
    network.add_output("u", network.add_elementwise_unary(x, U.SQRT))
    with pytest.raises(ann.ArmnnError, match="no kernel for Sqrt of uint32"):
        ann.optimize(network, ["CpuAcc"], runtime=runtime)


# ---- Casts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("target", TYPES, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("source", TYPES, ids=lambda dtype: dtype.name)
def test_casts_of_values_that_fit(runtime: ann.Runtime, source: Any, target: Any) -> None:
    x = (np.arange(1200).reshape(2, 600) % 120).astype(source)
    if source.kind == "f":
        x += source.type(0.25)
    out = run(runtime, [x], lambda n, a: n.add_cast(a, TYPES[target]))
    assert out.dtype == target
    np.testing.assert_array_equal(out, x.astype(target))


@pytest.mark.parametrize("dtype", SIGNED)
def test_casts_to_integers_saturate(runtime: ann.Runtime, dtype: Any) -> None:
    limits = np.iinfo(dtype)
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 1.99, -0.99, 100.5], np.float32)
    out = run(runtime, [x], lambda n, a: n.add_cast(a, TYPES[np.dtype(dtype)]))
    assert out.tolist() == [0, limits.max, limits.min, limits.max, limits.min, 1, 0, 100]


def test_casts_to_narrower_integers_drop_bits_and_round_floats(runtime: ann.Runtime) -> None:
    wide = np.array([2**32 + 5, -(2**31) - 1, 2**62], np.int64)
    out = run(runtime, [wide], lambda n, a: n.add_cast(a, ann.DataType.SIGNED32))
    np.testing.assert_array_equal(out, wide.astype(np.int32))
    x = np.concatenate([values_of(9, 1000), np.float32([65519, 65504, 6e-8, -2e-8, np.inf])])
    out = run(runtime, [x], lambda n, a: n.add_cast(a, ann.DataType.FLOAT16))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out, x.astype(np.float16))
    back = run(runtime, [out], lambda n, a: n.add_cast(a, ann.DataType.FLOAT32))
    np.testing.assert_array_equal(back, out.astype(np.float32))


def test_casts_to_the_same_type_keep_every_bit(runtime: ann.Runtime) -> None:
    """Of NaN as well, whose bits a way through float32 changes."""
    codes = np.arange(2**16, dtype=np.uint16)
    out = run(runtime, [codes.view(np.float16)], lambda n, a: n.add_cast(a, ann.DataType.FLOAT16))
    np.testing.assert_array_equal(out.view(np.uint16), codes)


@pytest.mark.parametrize("dtype", SIGNED)
def test_casts_of_large_integers_round_once(runtime: ann.Runtime, dtype: Any) -> None:
    limits = np.iinfo(dtype)
    x = np.random.default_rng(13).integers(limits.min, limits.max, 5000, dtype, endpoint=True)
    x[:4] = limits.min, limits.max, 2**24 + 1, -(2**24) - 3
    out = run(runtime, [x], lambda n, a: n.add_cast(a, ann.DataType.FLOAT32))
    np.testing.assert_array_equal(out, x.astype(np.float32))


# ---- Places ---------------------------------------------------------------------------------


@pytest.mark.parametrize("output", [ann.DataType.SIGNED32, ann.DataType.SIGNED64])
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("function", ann.ArgMinMaxFunction, ids=lambda function: function.name)
def test_places_of_extremes(runtime: ann.Runtime, function: Any, dtype: Any, output: Any) -> None:
    find = np.argmin if function == ann.ArgMinMaxFunction.MIN else np.argmax
    for shape, axis in (((3, 40, 7), 1), ((2, 5, 9), -1), ((6, 700), 0), ((5,), 0)):
        x = numbers(10, shape, dtype)  # many ties, which the lower index wins
        out = run(runtime, [x], lambda n, a, i=axis: n.add_arg_min_max(a, function, i, output))
        assert out.dtype == output.numpy
        np.testing.assert_array_equal(out, find(x, axis))


def test_places_in_images_and_of_nan(runtime: ann.Runtime) -> None:
    """The classes of an image's pixels; a NaN is both the least and the greatest, as in numpy."""
    x, weights = values_of(11, 2, 3, 6, 5), values_of(12, 21, 3, 1, 1)
    layout = {"data_layout": ann.DataLayout.NCHW}

    def make(n: Any, s: Any) -> Any:
        y = n.add_convolution2d(s, weights, **layout)
        return n.add_arg_min_max(y, ann.ArgMinMaxFunction.MAX, 1)

    y = np.einsum("oi,nihw->nohw", weights[:, :, 0, 0].astype(np.float64), x)
    np.testing.assert_array_equal(run(runtime, [x], make), y.argmax(1))
    x[0, 1, 2, 3] = x[1, 2, 0, 0] = np.nan
    for function, find in (
        (ann.ArgMinMaxFunction.MIN, np.argmin),
        (ann.ArgMinMaxFunction.MAX, np.argmax),
    ):
        out = run(runtime, [x], lambda n, a, f=function: n.add_arg_min_max(a, f, 1))
        np.testing.assert_array_equal(out, find(x, 1))
