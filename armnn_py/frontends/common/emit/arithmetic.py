# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Building blocks that compute."""

from __future__ import annotations

from collections.abc import Sequence
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
from armnn_py.frontends.common.emit.formulas import takes_formulas
from armnn_py.frontends.common.emit.functions import (
    ACTIVATION,
    BINARY,
    COMPARISON,
    UNARY,
    cast,
    reduced,
)
from armnn_py.frontends.common.emit.movement import Movement
from armnn_py.frontends.common.emit.sizes import (
    binary_of_sizes,
    reduced_sizes,
    rounded_sizes,
    sizes_as_type,
)
from armnn_py.frontends.common.known import KnownSizes, as_formula, known_numbers
from armnn_py.frontends.common.values import (
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

#: They leave integers as they are.
_ROUNDING = (UnaryOperation.CEIL, UnaryOperation.FLOOR, UnaryOperation.ROUND)


def is_narrow(value: Value) -> bool:
    """Return whether a value has small integers without a scale.

    Layers take small integers as quantised numbers, which need a scale. Plain ones are computed in
    32 bits; the cast back drops the high bits, so that the result wraps around.
    """
    return dtype_of(value) in (np.int8, np.uint8, np.int16) and quantization_of(value) is None


class Arithmetic(Movement):
    """Elementwise functions, comparisons, reductions and matrix products."""

    def widened(self, value: Value, name: str) -> Value:
        """Return a value as 32-bit integers."""
        return self.cast(value, np.int32, name)

    def scalar(self, value: float, like: Value) -> Known:
        """Return a number, which may be a size, of the same type as ``like``."""
        return known_numbers(value, dtype_of(like))

    @takes_formulas
    def binary(self, operation: BinaryOperation, x: Value, y: Value, name: str = "") -> Value:
        """Combine two values of one type, broadcasting as numpy does."""
        if dtype_of(x) != dtype_of(y):
            raise ParseError(f"the operands are {dtype_of(x)} and {dtype_of(y)}, expected one type")
        shape = broadcast_shapes(shape_of(x), shape_of(y))
        if self.foldable([x, y], shape):
            if isinstance(x, KnownSizes) or isinstance(y, KnownSizes):
                found = binary_of_sizes(operation, x, y)
                return found or self.binary(operation, as_formula(x), as_formula(y), name)
            with np.errstate(all="ignore"):
                result = BINARY[operation](array_of(x), array_of(y))
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

    @takes_formulas
    def unary(self, operation: UnaryOperation, x: Value, name: str = "") -> Value:
        """Apply a function to each element."""
        if self.foldable([x], shape_of(x)):
            if isinstance(x, KnownSizes):
                found = rounded_sizes(x) if operation in _ROUNDING else None
                return found or self.unary(operation, as_formula(x), name)
            with np.errstate(all="ignore"):
                result = UNARY[operation](array_of(x))
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

    @takes_formulas
    def activation(
        self, function: ActivationFunction, x: Value, a: float = 0.0, b: float = 0.0, name: str = ""
    ) -> Value:
        """Apply an activation function."""
        numpy_function = ACTIVATION.get(function)
        if numpy_function is not None and self.foldable([x], shape_of(x)):
            if isinstance(x, KnownSizes):
                return self.activation(function, as_formula(x), a, b, name)
            with np.errstate(all="ignore"):
                result = numpy_function(array_of(x), a, b)
            return Known(np.asarray(result).astype(dtype_of(x), copy=False))
        descriptor = ActivationDescriptor(function=function, a=a, b=b)
        return self.layer(LayerType.ACTIVATION, [x], descriptor, name=name)

    @takes_formulas
    def compare(self, operation: ComparisonOperation, x: Value, y: Value, name: str = "") -> Value:
        """Compare two values of one type; the result is boolean."""
        if dtype_of(x) != dtype_of(y):
            raise ParseError(f"the operands are {dtype_of(x)} and {dtype_of(y)}, expected one type")
        if self.foldable([x, y], broadcast_shapes(shape_of(x), shape_of(y))):
            answers = COMPARISON[operation](elements_of(x), elements_of(y))
            return Known(np.asarray(answers).astype(np.bool_, copy=False))
        if is_narrow(x) or dtype_of(x) == np.bool_:
            x, y = self.widened(x, "x"), self.widened(y, "y")
        return self.layer(
            LayerType.COMPARISON, [x, y], ComparisonDescriptor(operation=operation), name=name
        )

    @takes_formulas
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

    @takes_formulas
    def cast(self, x: Value, dtype: Any, name: str = "") -> Value:
        """Convert to another type; a value that has it already is returned as it is."""
        target = np.dtype(dtype)
        if dtype_of(x) == target:
            return x
        if self.foldable([x], shape_of(x), target):
            with np.errstate(all="ignore"):
                if isinstance(x, KnownSizes) and (found := sizes_as_type(x, target)):
                    return found
                return Known(cast(array_of(x), target))
        if target == np.bool_:  # 0.5 is true, but a Cast would truncate it to 0
            return self.compare(ComparisonOperation.NOT_EQUAL, x, self.scalar(0, x), name)
        info = TensorInfo(shape_of(x), data_type_of(target))
        return self.layer(LayerType.CAST, [x], name=name, output=info)

    @takes_formulas
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
            if isinstance(x, KnownSizes):
                found = reduced_sizes(operation, x, tuple(axes), keep_dims)
                return found or self.reduce(operation, as_formula(x), axes, keep_dims, name)
            return Known(reduced(operation, array_of(x), tuple(axes), keep_dims))
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
