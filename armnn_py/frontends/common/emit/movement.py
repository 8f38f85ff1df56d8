# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Building blocks that move elements about and leave their values alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from armnn_py.descriptors import (
    BroadcastToDescriptor,
    ConcatDescriptor,
    GatherDescriptor,
    PadDescriptor,
    PermuteDescriptor,
    ReshapeDescriptor,
    SliceDescriptor,
    SplitterDescriptor,
    StridedSliceDescriptor,
    TileDescriptor,
    View,
)
from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit.base import EmitterBase, is_modest
from armnn_py.frontends.common.emit.formulas import takes_formulas
from armnn_py.frontends.common.known import KnownReals, KnownSizes, as_formula, known_numbers
from armnn_py.frontends.common.values import (
    Array,
    Known,
    Unsupported,
    Value,
    broadcast_shapes,
    dtype_of,
    elements_of,
    quantization_of,
    shape_of,
)
from armnn_py.symbolic import as_size, is_symbolic
from armnn_py.tensors import QuantizationInfo, TensorInfo, format_shape
from armnn_py.types import LayerType, PaddingMode


class Movement(EmitterBase):
    """Reshape, transpose, concatenate, split, slice, pad, gather, tile and broadcast."""

    @takes_formulas
    def reshape(self, value: Value, shape: Sequence[int], name: str = "") -> Value:
        """Give a value another shape of as many elements."""
        target = tuple(as_size(dim) for dim in shape)
        if target == shape_of(value):
            return value
        if math.prod(target) != math.prod(shape_of(value)):
            given, wanted = format_shape(shape_of(value)), format_shape(target)
            raise ParseError(f"a tensor of shape {given} cannot become {wanted}")
        if isinstance(value, Known):
            return _moved(
                value, value.elements.reshape(target), lambda a: _reshaped(value, a, target)
            )
        return self.layer(
            LayerType.RESHAPE, [value], ReshapeDescriptor(target_shape=target), name=name
        )

    @takes_formulas
    def transpose(self, value: Value, permutation: Sequence[int], name: str = "") -> Value:
        """Reorder dimensions: dimension d comes from ``permutation[d]``."""
        order = tuple(int(axis) for axis in permutation)
        if sorted(order) != list(range(len(shape_of(value)))):
            raise ParseError(f"{order} is not a permutation of {len(shape_of(value))} dimensions")
        if order == tuple(range(len(order))):
            return value
        if isinstance(value, Known):
            if isinstance(value, KnownReals):
                levels = value.levels
                turned = _moved(levels, levels.array.transpose(order), order.index)
                return value.transposed(turned, order)
            if (value, order) not in self._turned:
                turned = _moved(value, value.elements.transpose(order), order.index)
                self._turned[value, order] = turned
            return self._turned[value, order]
        return self.layer(
            LayerType.TRANSPOSE, [value], PermuteDescriptor(mappings=order), name=name
        )

    @takes_formulas
    def concat(self, values: Sequence[Value], axis: int, name: str = "") -> Value:
        """Join values along a dimension."""
        filled = [value for value in values if shape_of(value)[axis]] or [*values[:1]]
        if len(filled) == 1:
            return filled[0]
        sizes = [shape_of(value)[axis] for value in filled]
        shape = list(shape_of(filled[0]))
        shape[axis] = sum(sizes)
        first = filled[0]
        is_alike = all(quantization_of(value) == quantization_of(first) for value in filled)
        if isinstance(first, Known) and is_alike and self.movable(filled, shape):
            joined = np.concatenate([elements_of(value) for value in filled], axis)
            return _moved(first, joined, _except(axis))
        views = []
        start = 0
        for value in filled:
            origin = [0] * len(shape)
            origin[axis] = start
            views.append(View(origin=tuple(origin), size=shape_of(value)))
            start += shape_of(value)[axis]
        return self.layer(
            LayerType.CONCAT, filled, ConcatDescriptor(axis=axis, views=tuple(views)), name=name
        )

    def split(self, value: Value, sizes: Sequence[int], axis: int, name: str = "") -> list[Value]:
        """Cut a value into parts along a dimension."""
        shape = shape_of(value)
        if sum(sizes) != shape[axis] or min(sizes, default=0) < 0:
            raise ParseError(
                f"sizes {list(sizes)} do not add up to dimension {axis} of shape {shape}"
            )
        if isinstance(value, Known):
            arrays = np.split(value.elements, list(itertools.accumulate(sizes))[:-1], axis)
            return [_moved(value, array, _except(axis)) for array in arrays]
        if len(sizes) == 1:
            return [value]
        if not any(sizes):
            return [_empty(value, shape) for _ in sizes]
        parts: list[Value] = []
        views = []
        start = 0
        for size in sizes:
            box = (*shape[:axis], size, *shape[axis + 1 :])
            if size:
                origin = tuple(start if d == axis else 0 for d in range(len(shape)))
                views.append(View(origin=origin, size=box))
            start += size
        descriptor = SplitterDescriptor(axis=axis, views=tuple(views))
        slots = iter(self.layers(LayerType.SPLITTER, [value], descriptor, name=name).outputs)
        for size in sizes:
            box = (*shape[:axis], size, *shape[axis + 1 :])
            parts.append(next(slots) if size else _empty(value, box))
        return parts

    @takes_formulas
    def slice(
        self, value: Value, begin: Sequence[int], size: Sequence[int], name: str = ""
    ) -> Value:
        """Cut a box out of a value."""
        shape = shape_of(value)
        if tuple(size) == shape:
            return value
        # A box that other shapes of inputs change is cut when the network runs: one that is cut
        # here would fit these shapes alone.
        changes = any(is_symbolic(place) for place in (*begin, *size))
        if isinstance(value, Known) and (not changes or isinstance(value, KnownSizes)):
            box = tuple(slice(b, b + s) for b, s in zip(begin, size, strict=True))
            return _moved(value, value.elements[box])
        if not math.prod(size):
            return _empty(value, size)
        return self.layer(
            LayerType.SLICE,
            [value],
            SliceDescriptor(begin=tuple(begin), size=tuple(size)),
            name=name,
        )

    @takes_formulas
    def stride(
        self,
        value: Value,
        begin: Sequence[int],
        size: Sequence[int],
        step: Sequence[int],
        name: str = "",
    ) -> Value:
        """Take ``size[d]`` elements from ``begin[d]`` on, ``step[d]`` (may be negative) apart."""
        step = [1 if s <= 1 else k for k, s in zip(step, size, strict=True)]
        if all(s == 1 for s in step):
            return self.slice(value, begin, size, name)
        if isinstance(value, Known):
            cut = value.elements[tuple(map(_python_slice, begin, size, step))]
            return _moved(value, cut, lambda axis: axis if step[axis] == 1 else None)
        if not math.prod(size):
            return _empty(value, size)
        end, end_mask = [], 0
        for axis, (first, count, by) in enumerate(zip(begin, size, step, strict=True)):
            last = first + (count - 1) * by
            end.append(last + (1 if by > 0 else -1))
            if end[-1] < 0:  # would count from the back: the mask says "up to the first element"
                end[-1] = 0
                end_mask |= 1 << axis
        descriptor = StridedSliceDescriptor(
            begin=tuple(begin), end=tuple(end), stride=tuple(step), end_mask=end_mask
        )
        return self.layer(LayerType.STRIDED_SLICE, [value], descriptor, name=name)

    @takes_formulas
    def pad(
        self,
        value: Value,
        before: Sequence[int],
        after: Sequence[int],
        *,
        fill: float = 0.0,
        mode: PaddingMode = PaddingMode.CONSTANT,
        name: str = "",
    ) -> Value:
        """Put elements around a value.

        A constant fill is the stored number, also of quantised values, and must be exact as
        float32.
        """
        if not any(before) and not any(after):
            return value
        shape = [b + d + a for b, d, a in zip(before, shape_of(value), after, strict=True)]
        if isinstance(value, Known) and self.movable([value], shape):
            widths = list(zip(before, after, strict=True))
            if mode is PaddingMode.CONSTANT:
                number = np.array(fill).astype(value.array.dtype)
                return _moved(value, np.pad(value.array, widths, constant_values=number))
            numpy_mode = "reflect" if mode is PaddingMode.REFLECT else "symmetric"
            return _moved(value, np.pad(value.array, widths, mode=numpy_mode))  # type: ignore[call-overload]
        descriptor = PadDescriptor(
            padding_mode=mode, pad_before=tuple(before), pad_after=tuple(after), value=fill
        )
        return self.layer(LayerType.PAD, [value], descriptor, name=name)

    @takes_formulas
    def gather(self, value: Value, indices: Value, axis: int, name: str = "") -> Value:
        """Read elements along a dimension at integer positions; negative ones count back."""
        shape = shape_of(value)
        result = (*shape[:axis], *shape_of(indices), *shape[axis + 1 :])
        if isinstance(indices, KnownSizes):
            return self.gather(value, as_formula(indices), axis, name)
        if isinstance(indices, Known):
            limit, places = shape[axis], indices.array
            if places.size and (places.min() < -limit or places.max() >= limit):
                raise ParseError(f"an index lies outside dimension {axis} of {limit} elements")
            if isinstance(value, Known) and self.movable([value], result):
                taken = np.asarray(np.take(value.elements, places, axis), value.elements.dtype)
                return _moved(value, taken, _except(axis, behind=places.ndim - 1))
            indices = Known(np.where(places < 0, places + limit, places).astype(np.int32))
            if not math.prod(result):
                return _empty(value, result)
        return self.layer(
            LayerType.GATHER, [value, indices], GatherDescriptor(axis=axis), name=name
        )

    @takes_formulas
    def tile(self, value: Value, multiples: Sequence[int], name: str = "") -> Value:
        """Repeat a value along each dimension."""
        if all(m == 1 for m in multiples):
            return value
        shape = [d * m for d, m in zip(shape_of(value), multiples, strict=True)]
        if not math.prod(shape):
            return _empty(value, shape)
        if isinstance(value, Known) and self.movable([value], shape):
            return _moved(value, np.tile(value.array, tuple(multiples)))
        return self.layer(
            LayerType.TILE, [value], TileDescriptor(multiples=tuple(multiples)), name=name
        )

    @takes_formulas
    def broadcast_to(self, value: Value, shape: Sequence[int], name: str = "") -> Value:
        """Repeat a value to a shape that it broadcasts to."""
        target = tuple(shape)
        if target == shape_of(value):
            return value
        if broadcast_shapes(shape_of(value), target) != target:
            given, wanted = format_shape(shape_of(value)), format_shape(target)
            raise ParseError(f"shape {given} does not broadcast to {wanted}")
        changes = any(map(is_symbolic, target)) and not isinstance(value, KnownSizes)
        # A broadcast array takes no memory until a layer needs it dense.
        if isinstance(value, Known) and not changes and is_modest(target, value.dtype):
            shift = len(target) - len(value.shape)
            return _moved(value, np.broadcast_to(value.elements, target), lambda axis: axis + shift)
        return self.layer(
            LayerType.BROADCAST_TO,
            [value],
            BroadcastToDescriptor(target_shape=target),
            name=name,
        )


def _moved(
    value: Known, array: Array, axis_of: Callable[[int], int | None] = lambda axis: axis
) -> Known:
    """Return ``array``, moved elements of a known value, with the quantisation of the value.

    ``axis_of`` gives the dimension of the array that has the indices of a dimension of the value,
    or ``None`` if none has. It is called with the dimension along which scales differ.
    """
    if value.stated is None:
        return known_numbers(array, value.dtype) if array.dtype == object else Known(array)
    quantization = value.quantization
    if quantization is not None and (axis := quantization.axis) is not None:
        target = axis_of(axis)
        if target is None or array.shape[target] != len(quantization.scales):
            raise Unsupported(f"elements moved along dimension {axis}, in which scales differ")
        quantization = QuantizationInfo(quantization.scales, quantization.zero_points, target)
    return Known(array, TensorInfo(array.shape, value.stated.data_type, quantization))


def _except(moved: int, *, behind: int = 0) -> Callable[[int], int | None]:
    """Return an ``axis_of``: dimension ``moved`` is lost, ``behind`` new ones are behind it."""
    return lambda axis: None if axis == moved else axis + (behind if axis > moved else 0)


def _reshaped(value: Known, axis: int, target: Sequence[int]) -> int | None:
    """Return which dimension of a shape has the indices that ``axis`` of the value has."""
    shape = value.array.shape
    before = math.prod(shape[:axis])
    for index, size in enumerate(target):
        if size == shape[axis] and math.prod(target[:index]) == before:
            return index
    return None


def _empty(value: Value, shape: Sequence[int]) -> Known:
    """Return a tensor of no elements, of the type and scale of a value."""
    array = np.zeros(tuple(shape), dtype_of(value))
    if isinstance(value, Known) and value.stated is None:
        return Known(array)
    quantization = quantization_of(value)
    if quantization is not None and quantization.axis is not None:
        quantization = None
    return Known(array, TensorInfo(array.shape, value.info.data_type, quantization))


def _python_slice(begin: int, size: int, step: int) -> slice:
    end = begin + size * step
    return slice(begin, None if end < 0 else end, step)
