# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Building blocks that compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armnn_py.descriptors import (
    ActivationDescriptor,
    ArgMinMaxDescriptor,
    BatchMatMulDescriptor,
    ComparisonDescriptor,
    ElementwiseBinaryDescriptor,
    ElementwiseUnaryDescriptor,
    LogicalBinaryDescriptor,
    MeanDescriptor,
    ReduceDescriptor,
)
from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit.movement import Movement
from armnn_py.frontends.common.known import KnownSizes, known_integers
from armnn_py.frontends.common.values import (
    Array,
    Known,
    Value,
    array_of,
    broadcast_shapes,
    data_type_of,
    dtype_of,
    elements_of,
    quantization_of,
    shape_of,
)
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    ActivationFunction,
    ArgMinMaxFunction,
    BinaryOperation,
    ComparisonOperation,
    DataType,
    LayerType,
    LogicalBinaryOperation,
    ReduceOperation,
    UnaryOperation,
)

__all__ = ["Arithmetic", "check_divisor", "is_narrow"]


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


def _cast(x: Array, target: np.dtype[Any]) -> Array:
    """Return an array of another type, as a Cast layer makes it (``cast_rows.h``).

    What is too large for integers is their nearest end, and NaN is 0.
    """
    if target.kind not in "iu" or not data_type_of(x.dtype).is_float:
        return x.astype(target)
    ends, whole = np.iinfo(target), np.trunc(x.astype(np.float64))
    beyond, below = whole >= float(ends.max) + 1, whole < float(ends.min)
    inside = np.where(beyond | below | np.isnan(whole), 0, whole).astype(target)
    return np.where(beyond, target.type(ends.max), np.where(below, target.type(ends.min), inside))


def _divide_sizes(x: int, y: int) -> int:
    """Return the quotient, rounded towards 0."""
    if x >= 0 and y > 0:
        return x // y
    x, y = int(x), int(y)
    check_divisor(np.array(x), np.array(y))
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _remainder(rest: Callable[[Array, Array], Any], x: Array, y: Array) -> Array:
    check_divisor(x, y)
    return np.asarray(rest(x, y))


def _shift_right(x: Array, y: Array) -> Array:
    """Shift zeros in, also of numbers with a sign."""
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    return np.asarray(np.right_shift(x.view(unsigned), y.view(unsigned))).view(x.dtype)


_BINARY: dict[BinaryOperation, Callable[[Array, Array], Any]] = {
    BinaryOperation.ADD: np.add,
    BinaryOperation.SUB: np.subtract,
    BinaryOperation.MUL: np.multiply,
    BinaryOperation.DIV: _divide,
    BinaryOperation.MAXIMUM: np.maximum,
    BinaryOperation.MINIMUM: np.minimum,
    BinaryOperation.POWER: _power,
    BinaryOperation.SQ_DIFF: lambda x, y: np.square(x - y),
    BinaryOperation.MOD: lambda x, y: _remainder(np.mod, x, y),
    BinaryOperation.FMOD: lambda x, y: _remainder(np.fmod, x, y),
    BinaryOperation.BITWISE_AND: np.bitwise_and,
    BinaryOperation.BITWISE_OR: np.bitwise_or,
    BinaryOperation.BITWISE_XOR: np.bitwise_xor,
    BinaryOperation.SHIFT_LEFT: np.left_shift,
    BinaryOperation.SHIFT_RIGHT: _shift_right,
}
#: Of sizes, which are objects; a quotient is rounded down as that of numbers that are not negative.
_SIZES: dict[BinaryOperation, Callable[[Array, Array], Any]] = {
    BinaryOperation.ADD: np.add,
    BinaryOperation.SUB: np.subtract,
    BinaryOperation.MUL: np.multiply,
    BinaryOperation.DIV: np.vectorize(_divide_sizes, otypes=[object]),
}
_UNARY: dict[UnaryOperation, Callable[[Array], Any]] = {
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
    UnaryOperation.ERF: np.vectorize(math.erf),
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
_ACTIVATION: dict[ActivationFunction, Callable[[Array, float, float], Any]] = {
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
_COMPARISON: dict[ComparisonOperation, Callable[[Array, Array], Any]] = {
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


def is_narrow(value: Value) -> bool:
    """Return whether a value has small integers without a scale.

    Layers take small integers as quantised numbers, which need a scale. Plain ones are computed in
    32 bits; the cast back drops the high bits, so that the result wraps around.
    """
    return dtype_of(value) in (np.int8, np.uint8, np.int16) and quantization_of(value) is None


def _reduced(operation: ReduceOperation, x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
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


class Arithmetic(Movement):
    """Elementwise functions, comparisons, reductions and matrix products."""

    def widened(self, value: Value, name: str) -> Value:
        """Return a value as 32-bit integers."""
        return self.cast(value, np.int32, name)

    def scalar(self, value: float, like: Value) -> Known:
        """Return a number of the same type as ``like``."""
        return Known(np.array(value).astype(dtype_of(like)))

    def binary(self, operation: BinaryOperation, x: Value, y: Value, name: str = "") -> Value:
        """Combine two values of one type, broadcasting as numpy does."""
        if dtype_of(x) != dtype_of(y):
            raise ParseError(f"the operands are {dtype_of(x)} and {dtype_of(y)}, expected one type")
        shape = broadcast_shapes(shape_of(x), shape_of(y))
        if self.foldable([x, y], shape):
            if isinstance(x, KnownSizes) or isinstance(y, KnownSizes):
                exact = _SIZES.get(operation)
                if exact is not None and dtype_of(x).kind == "i":
                    return known_integers(exact(elements_of(x), elements_of(y)), dtype_of(x))
            with np.errstate(all="ignore"):
                result = _BINARY[operation](array_of(x), array_of(y))
            return Known(np.asarray(result).astype(dtype_of(x), copy=False))
        if is_narrow(x):
            wide = self.binary(operation, self.widened(x, "x"), self.widened(y, "y"), "wide")
            return self.cast(wide, dtype_of(x), name)
        return self.layer(
            LayerType.ELEMENTWISE_BINARY,
            [x, y],
            ElementwiseBinaryDescriptor(operation=operation),
            name=name,
        )

    def add(self, x: Value, y: Value, name: str = "") -> Value:
        """Add."""
        return self.binary(BinaryOperation.ADD, x, y, name)

    def sub(self, x: Value, y: Value, name: str = "") -> Value:
        """Subtract."""
        return self.binary(BinaryOperation.SUB, x, y, name)

    def mul(self, x: Value, y: Value, name: str = "") -> Value:
        """Multiply."""
        return self.binary(BinaryOperation.MUL, x, y, name)

    def div(self, x: Value, y: Value, name: str = "") -> Value:
        """Divide."""
        return self.binary(BinaryOperation.DIV, x, y, name)

    def scale(self, x: Value, factor: float, name: str = "") -> Value:
        """Multiply by a number; 1 costs nothing."""
        return x if factor == 1 else self.mul(x, self.scalar(factor, x), name)

    def unary(self, operation: UnaryOperation, x: Value, name: str = "") -> Value:
        """Apply a function to each element."""
        if self.foldable([x], shape_of(x)):
            with np.errstate(all="ignore"):
                result = _UNARY[operation](array_of(x))
            return Known(np.asarray(result).astype(dtype_of(x), copy=False))
        if is_narrow(x):
            wide = self.unary(operation, self.widened(x, "x"), "wide")
            return self.cast(wide, dtype_of(x), name)
        return self.layer(
            LayerType.ELEMENTWISE_UNARY,
            [x],
            ElementwiseUnaryDescriptor(operation=operation),
            name=name,
        )

    def activation(
        self, function: ActivationFunction, x: Value, a: float = 0.0, b: float = 0.0, name: str = ""
    ) -> Value:
        """Apply an activation function."""
        numpy_function = _ACTIVATION.get(function)
        if numpy_function is not None and self.foldable([x], shape_of(x)):
            with np.errstate(all="ignore"):
                result = numpy_function(array_of(x), a, b)
            return Known(np.asarray(result).astype(dtype_of(x), copy=False))
        descriptor = ActivationDescriptor(function=function, a=a, b=b)
        return self.layer(LayerType.ACTIVATION, [x], descriptor, name=name)

    def compare(self, operation: ComparisonOperation, x: Value, y: Value, name: str = "") -> Value:
        """Compare two values of one type; the result is boolean."""
        if dtype_of(x) != dtype_of(y):
            raise ParseError(f"the operands are {dtype_of(x)} and {dtype_of(y)}, expected one type")
        if self.foldable([x, y], broadcast_shapes(shape_of(x), shape_of(y))):
            answers = _COMPARISON[operation](elements_of(x), elements_of(y))
            return Known(np.asarray(answers).astype(np.bool_, copy=False))
        if is_narrow(x) or dtype_of(x) == np.bool_:
            x, y = self.widened(x, "x"), self.widened(y, "y")
        return self.layer(
            LayerType.COMPARISON, [x, y], ComparisonDescriptor(operation=operation), name=name
        )

    def logical(
        self, operation: LogicalBinaryOperation, x: Value, y: Value, name: str = ""
    ) -> Value:
        """Combine two booleans."""
        if self.foldable([x, y], broadcast_shapes(shape_of(x), shape_of(y))):
            combine = np.logical_and if operation is LogicalBinaryOperation.AND else np.logical_or
            return Known(np.asarray(combine(array_of(x), array_of(y))))
        return self.layer(
            LayerType.LOGICAL_BINARY,
            [x, y],
            LogicalBinaryDescriptor(operation=operation),
            name=name,
        )

    def cast(self, x: Value, dtype: Any, name: str = "") -> Value:
        """Convert to another type; a value that has it already is returned as it is."""
        target = np.dtype(dtype)
        if dtype_of(x) == target:
            return x
        if self.foldable([x], shape_of(x), target):
            with np.errstate(all="ignore"):
                if isinstance(x, KnownSizes) and target in (np.int32, np.int64):
                    return KnownSizes(x.elements, target)
                return Known(_cast(array_of(x), target))
        if target == np.bool_:  # 0.5 is true, but a Cast would truncate it to 0
            return self.compare(ComparisonOperation.NOT_EQUAL, x, self.scalar(0, x), name)
        info = TensorInfo(shape_of(x), data_type_of(target))
        return self.layer(LayerType.CAST, [x], name=name, output=info)

    def reduce(
        self,
        operation: ReduceOperation,
        x: Value,
        axes: Sequence[int],
        keep_dims: bool,
        name: str = "",
    ) -> Value:
        """Reduce along dimensions; none given means none reduced."""
        if not axes:
            return x
        shape = tuple(
            1 if axis in axes else dim
            for axis, dim in enumerate(shape_of(x))
            if keep_dims or axis not in axes
        )
        if self.foldable([x], shape):
            return Known(_reduced(operation, array_of(x), tuple(axes), keep_dims))
        if is_narrow(x):
            wide = self.reduce(operation, self.widened(x, "x"), axes, keep_dims, "wide")
            return self.cast(wide, dtype_of(x), name)
        if operation is ReduceOperation.MEAN and dtype_of(x).kind == "f":
            return self.layer(
                LayerType.MEAN,
                [x],
                MeanDescriptor(axes=tuple(axes), keep_dims=keep_dims),
                name=name,
            )
        descriptor = ReduceDescriptor(operation=operation, axes=tuple(axes), keep_dims=keep_dims)
        return self.layer(LayerType.REDUCE, [x], descriptor, name=name)

    def arg(
        self, function: ArgMinMaxFunction, x: Value, axis: int, data_type: DataType, name: str = ""
    ) -> Value:
        """Return where the largest or smallest element of a dimension is; the dimension goes."""
        shape = tuple(dim for d, dim in enumerate(shape_of(x)) if d != axis)
        if shape_of(x)[axis] and self.foldable([x], shape):
            find = np.argmax if function is ArgMinMaxFunction.MAX else np.argmin
            return Known(np.asarray(find(array_of(x), axis)).astype(data_type.numpy))
        x = self.widened(x, "x") if is_narrow(x) else x
        descriptor = ArgMinMaxDescriptor(function=function, axis=axis, output_type=data_type)
        return self.layer(LayerType.ARG_MIN_MAX, [x], descriptor, name=name)

    def matmul(
        self,
        x: Value,
        y: Value,
        *,
        transpose_x: bool = False,
        transpose_y: bool = False,
        name: str = "",
    ) -> Value:
        """Multiply matrices in the last two dimensions; the others broadcast."""
        descriptor = BatchMatMulDescriptor(transpose_x=transpose_x, transpose_y=transpose_y)
        return self.layer(LayerType.BATCH_MAT_MUL, [x, y], descriptor, name=name)
