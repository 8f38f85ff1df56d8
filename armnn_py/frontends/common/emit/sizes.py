# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sizes of free dimensions in arithmetic, and as numbers that layers read.

A Constant layer would have the number of one set of shapes. The number of elements of a tensor,
which is repeated to that size and summed up, is right for all.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.descriptors import (
    BroadcastToDescriptor,
    ConcatDescriptor,
    ReduceDescriptor,
    ReshapeDescriptor,
    View,
)
from armnn_py.frontends.common.emit.functions import check_divisor
from armnn_py.frontends.common.known import KnownSizes, known_numbers
from armnn_py.frontends.common.values import Known, dtype_of, elements_of
from armnn_py.symbolic import is_symbolic
from armnn_py.tensors import TensorInfo
from armnn_py.types import BinaryOperation, DataType, LayerType, ReduceOperation

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.frontends.common.values import Array, Value
    from armnn_py.network import OutputSlot

#: Larger numbers would take longer to count than a conversion for other shapes is worth.
_MOST = 1 << 16
_COUNTING = (np.dtype(np.int32), np.dtype(np.int64))
_REAL = (np.dtype(np.float32), np.dtype(np.float64))


def counted(add: Callable[..., OutputSlot], value: KnownSizes) -> OutputSlot | None:
    """Return layers that count, or None where a constant of these shapes must do.

    ``add`` adds a layer, as `EmitterBase.layer` does.
    """
    elements = value.elements.reshape(-1)
    if value.dtype not in (*_COUNTING, *_REAL) or not elements.size:
        return None
    if not all(1 <= item <= _MOST for item in elements if is_symbolic(item)):
        return None
    parts = [_one(add, item, value.dtype) for item in elements]
    joined: Value = parts[0]
    if len(parts) > 1:
        views = tuple(View(origin=(place,), size=(1,)) for place in range(len(parts)))
        joined = add(LayerType.CONCAT, parts, ConcatDescriptor(axis=0, views=views), name="sizes")
    return add(
        LayerType.RESHAPE, [joined], ReshapeDescriptor(target_shape=value.shape), name="numbers"
    )


def format_size(item: Any) -> str:
    """Return a text that equals for equal formulas of sizes, and for equal numbers."""
    return f"size {item.index}" if is_symbolic(item) else repr(item)


def _one(add: Callable[..., OutputSlot], item: Any, dtype: np.dtype[Any]) -> Value:
    """Return one number as a tensor of one element."""
    if not is_symbolic(item):
        return Known(np.array([item], dtype))
    if dtype in _REAL:
        info = TensorInfo((1,), DataType.from_numpy(dtype))
        return add(LayerType.CAST, [_one(add, item, np.dtype(np.int32))], name="real", output=info)
    ones = add(
        LayerType.BROADCAST_TO,
        [Known(np.ones(1, dtype))],
        BroadcastToDescriptor(target_shape=(item,)),
        name="ones",
    )
    descriptor = ReduceDescriptor(operation=ReduceOperation.SUM, keep_dims=True, axes=(0,))
    return add(LayerType.REDUCE, [ones], descriptor, name="size")


# ---- Arithmetic ----------------------------------------------------------------------------------


def _divide(x: int, y: int) -> int:
    """Return the quotient, rounded towards 0."""
    if x >= 0 and y > 0:
        return x // y
    x, y = int(x), int(y)
    check_divisor(np.array(x), np.array(y))
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


#: Of integers and sizes, which are objects.
_EXACT: dict[BinaryOperation, Callable[[Array, Array], Any]] = {
    BinaryOperation.ADD: np.add,
    BinaryOperation.SUB: np.subtract,
    BinaryOperation.MUL: np.multiply,
    BinaryOperation.MAXIMUM: np.maximum,
    BinaryOperation.MINIMUM: np.minimum,
}
_OF_INTEGERS: dict[BinaryOperation, Callable[[Array, Array], Any]] = _EXACT | {
    BinaryOperation.DIV: np.vectorize(_divide, otypes=[object]),
    BinaryOperation.MOD: np.mod,
}
_REDUCED: dict[ReduceOperation, Callable[..., Any]] = {
    ReduceOperation.SUM: np.sum,
    ReduceOperation.PROD: np.prod,
    ReduceOperation.MAX: np.max,
    ReduceOperation.MIN: np.min,
}
#: Each size of an array becomes layers of its own, if a layer reads it.
_MOST_SIZES = 64
#: Larger integers are not exact as float32.
_MOST_REAL = 2**24


def binary_of_sizes(operation: BinaryOperation, x: Value, y: Value) -> Known | None:
    """Combine numbers some of which are sizes; None if they are no integers, or many."""
    dtype = dtype_of(x)
    if max(elements_of(x).size, elements_of(y).size) > _MOST_SIZES:
        return None
    exact = (_OF_INTEGERS if dtype.kind == "i" else _EXACT).get(operation)
    left, right = _integers(elements_of(x)), _integers(elements_of(y))
    if exact is None or left is None or right is None:
        return None
    found = np.asarray(exact(left, right), object)
    return known_numbers(found, dtype) if _is_exact(found, dtype) else None


def reduced_sizes(
    operation: ReduceOperation, x: KnownSizes, axes: tuple[int, ...], keep_dims: bool
) -> Known | None:
    """Reduce sizes along dimensions; None where that takes more than integers."""
    reduce, elements = _REDUCED.get(operation), _integers(x.elements)
    if reduce is None or elements is None or x.dtype.kind != "i":
        return None
    return known_numbers(np.asarray(reduce(elements, axis=axes, keepdims=keep_dims)), x.dtype)


def rounded_sizes(x: KnownSizes) -> Known | None:
    """Return numbers some of which are sizes, rounded: themselves, if all are integers."""
    return None if _integers(x.elements) is None else x


def sizes_as_type(x: KnownSizes, target: np.dtype[Any]) -> Known | None:
    """Return sizes as numbers of another type; None unless that has all of them exactly."""
    elements = _integers(x.elements)
    if elements is None or target not in (*_COUNTING, *_REAL) or not _is_exact(elements, target):
        return None
    return KnownSizes(elements, target)


def _integers(elements: Array) -> Array | None:
    """Return numbers as objects that are integers or sizes; None if some have fractions."""
    whole = [item if is_symbolic(item) else int(item) for item in elements.reshape(-1)]
    if not all(map(operator.eq, whole, elements.reshape(-1))):
        return None
    made = np.empty(len(whole), object)
    made[:] = whole
    return made.reshape(elements.shape)


def _is_exact(numbers: Array, dtype: np.dtype[Any]) -> bool:
    """Return whether a type has integers exactly."""
    return dtype.kind == "i" or all(-_MOST_REAL < item < _MOST_REAL for item in numbers.reshape(-1))
