# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The arithmetic of layers as functions of numpy, for values that are known at import."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Array, data_type_of
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    ComparisonOperation,
    ReduceOperation,
    UnaryOperation,
)


def check_divisor(x: Array, y: Array) -> None:
    """Raise if known integers are divided by 0, for which numpy gives 0."""
    if y.dtype.kind in "iu" and np.broadcast(x, y).size and not np.all(y):
        raise ParseError("an integer is divided by 0")


def _divide(x: Array, y: Array) -> Array:
    """Divide; integers round towards zero, as in C."""
    if x.dtype.kind == "f":
        return np.asarray(np.divide(x, y))
    check_divisor(x, y)
    quotient, rest = x // y, x % y
    return np.asarray(quotient + ((rest != 0) & ((x < 0) != (y < 0))))


def _power(x: Array, y: Array) -> Array:
    """Raise to a power; numpy takes square roots for one exponent of 0.5, also of -0 and -inf."""
    exponents = np.array(np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)))
    return np.asarray(np.power(x, exponents))


def cast(x: Array, target: np.dtype[Any]) -> Array:
    """Return an array of another type, as a Cast layer makes it (``cast_rows.h``).

    What is too large for integers is their nearest end, and NaN is 0.
    """
    if target.kind not in "iu" or not data_type_of(x.dtype).is_float:
        return x.astype(target)
    ends, whole = np.iinfo(target), np.trunc(x.astype(np.float64))
    beyond, below = whole >= float(ends.max) + 1, whole < float(ends.min)
    inside = np.where(beyond | below | np.isnan(whole), 0, whole).astype(target)
    return np.where(beyond, target.type(ends.max), np.where(below, target.type(ends.min), inside))


def remainder(rest: Callable[[Array, Array], Any], x: Array, y: Array) -> Array:
    """Return a remainder; numpy gives 0 for a divisor of 0."""
    check_divisor(x, y)
    return np.asarray(rest(x, y))


def _shift_right(x: Array, y: Array) -> Array:
    """Shift zeros in, also of numbers with a sign."""
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return np.asarray(np.right_shift(x.view(unsigned), y.view(unsigned))).view(x.dtype)


BINARY: dict[BinaryOperation, Callable[[Array, Array], Any]] = {
    BinaryOperation.ADD: np.add,
    BinaryOperation.SUB: np.subtract,
    BinaryOperation.MUL: np.multiply,
    BinaryOperation.DIV: _divide,
    BinaryOperation.MAXIMUM: np.maximum,
    BinaryOperation.MINIMUM: np.minimum,
    BinaryOperation.POWER: _power,
    BinaryOperation.SQ_DIFF: lambda x, y: np.square(x - y),
    BinaryOperation.MOD: lambda x, y: remainder(np.mod, x, y),
    BinaryOperation.FMOD: lambda x, y: remainder(np.fmod, x, y),
    BinaryOperation.BITWISE_AND: np.bitwise_and,
    BinaryOperation.BITWISE_OR: np.bitwise_or,
    BinaryOperation.BITWISE_XOR: np.bitwise_xor,
    BinaryOperation.SHIFT_LEFT: np.left_shift,
    BinaryOperation.SHIFT_RIGHT: _shift_right,
}
UNARY: dict[UnaryOperation, Callable[[Array], Any]] = {
    UnaryOperation.ABS: np.abs,
    UnaryOperation.EXP: np.exp,
    UnaryOperation.SQRT: np.sqrt,
    UnaryOperation.RSQRT: lambda x: 1 / np.sqrt(x),
    UnaryOperation.NEG: np.negative,
    UnaryOperation.LOGICAL_NOT: np.logical_not,
    UnaryOperation.LOG: np.log,
    UnaryOperation.SIN: np.sin,
    UnaryOperation.CEIL: np.ceil,
    UnaryOperation.FLOOR: np.floor,
    UnaryOperation.ERF: np.vectorize(math.erf, otypes=[np.float64]),
    UnaryOperation.ROUND: np.rint,
    UnaryOperation.COS: np.cos,
    UnaryOperation.TAN: np.tan,
    UnaryOperation.ASIN: np.arcsin,
    UnaryOperation.ACOS: np.arccos,
    UnaryOperation.ATAN: np.arctan,
    UnaryOperation.SINH: np.sinh,
    UnaryOperation.COSH: np.cosh,
    UnaryOperation.ASINH: np.arcsinh,
    UnaryOperation.ACOSH: np.arccosh,
    UnaryOperation.ATANH: np.arctanh,
    UnaryOperation.BITWISE_NOT: np.bitwise_not,
}
ACTIVATION: dict[ActivationFunction, Callable[[Array, float, float], Any]] = {
    ActivationFunction.SIGMOID: lambda x, a, b: 1 / (1 + np.exp(-x)),
    ActivationFunction.TANH: lambda x, a, b: a * np.tanh(b * x),
    ActivationFunction.LINEAR: lambda x, a, b: a * x + b,
    ActivationFunction.RELU: lambda x, a, b: np.where(x < 0, x.dtype.type(0), x),
    ActivationFunction.BOUNDED_RELU: lambda x, a, b: np.minimum(a, np.maximum(b, x)),
    ActivationFunction.LEAKY_RELU: lambda x, a, b: np.where(x < 0, a * x, x),
    ActivationFunction.ABS: lambda x, a, b: np.abs(x),
    ActivationFunction.SQRT: lambda x, a, b: np.sqrt(x),
    ActivationFunction.SQUARE: lambda x, a, b: np.square(x),
}
COMPARISON: dict[ComparisonOperation, Callable[[Array, Array], Any]] = {
    ComparisonOperation.EQUAL: np.equal,
    ComparisonOperation.GREATER: np.greater,
    ComparisonOperation.GREATER_OR_EQUAL: np.greater_equal,
    ComparisonOperation.LESS: np.less,
    ComparisonOperation.LESS_OR_EQUAL: np.less_equal,
    ComparisonOperation.NOT_EQUAL: np.not_equal,
}
_REDUCE: dict[ReduceOperation, Callable[..., Any]] = {
    ReduceOperation.SUM: np.sum,
    ReduceOperation.MEAN: np.mean,
    ReduceOperation.PROD: np.prod,
    ReduceOperation.MAX: np.max,
    ReduceOperation.MIN: np.min,
}


def reduced(operation: ReduceOperation, x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
    """Return an array reduced along dimensions, also one without elements."""
    options: dict[str, Any] = {}
    if operation is ReduceOperation.MEAN and not x.size:
        # numpy warns of the mean of an empty array, which a valid model may ask for.
        shape = np.sum(x, axis=axes, keepdims=keep_dims).shape
        return np.full(shape, np.nan if x.dtype.kind == "f" else 0, x.dtype)
    if operation in (ReduceOperation.MAX, ReduceOperation.MIN) and not x.size:
        is_max = operation is ReduceOperation.MAX
        if x.dtype.kind == "f":
            options["initial"] = -np.inf if is_max else np.inf
        elif x.dtype.kind == "b":
            options["initial"] = not is_max
        else:
            limits = np.iinfo(x.dtype)
            options["initial"] = limits.min if is_max else limits.max
    with np.errstate(all="ignore"):
        result = _REDUCE[operation](x, axis=axes, keepdims=keep_dims, **options)
    return np.asarray(result).astype(x.dtype, copy=False)
