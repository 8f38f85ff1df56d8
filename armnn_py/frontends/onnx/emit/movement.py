# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Building blocks that move elements about and leave their values alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
from armnn_py.frontends.onnx.emit.base import EmitterBase, Value, dtype_of, is_modest, shape_of
from armnn_py.types import LayerType, PaddingMode

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Movement"]


class Movement(EmitterBase):
    """Reshape, transpose, concatenate, split, slice, pad, gather, tile and broadcast."""

    def reshape(self, value: Value, shape: Sequence[int], name: str = "") -> Value:
        """Give a value another shape of as many elements."""
        target = tuple(int(dim) for dim in shape)
        if target == shape_of(value):
            return value
        if math.prod(target) != math.prod(shape_of(value)):
            raise ParseError(
                f"a tensor of shape {_text(shape_of(value))} cannot become {_text(target)}"
            )
        if isinstance(value, np.ndarray):
            return value.reshape(target)
        return self.layer(
            LayerType.RESHAPE, [value], ReshapeDescriptor(target_shape=target), name=name
        )

    def transpose(self, value: Value, permutation: Sequence[int], name: str = "") -> Value:
        """Reorder dimensions: dimension d comes from ``permutation[d]``."""
        order = tuple(int(axis) for axis in permutation)
        if sorted(order) != list(range(len(shape_of(value)))):
            raise ParseError(f"{order} is no permutation of {len(shape_of(value))} dimensions")
        if order == tuple(range(len(order))):
            return value
        if isinstance(value, np.ndarray):
            return value.transpose(order)
        return self.layer(
            LayerType.TRANSPOSE, [value], PermuteDescriptor(mappings=order), name=name
        )

    def concat(self, values: Sequence[Value], axis: int, name: str = "") -> Value:
        """Join values along a dimension."""
        filled = [value for value in values if shape_of(value)[axis]] or [*values[:1]]
        if len(filled) == 1:
            return filled[0]
        sizes = [shape_of(value)[axis] for value in filled]
        shape = list(shape_of(filled[0]))
        shape[axis] = sum(sizes)
        if self.foldable(filled, shape):
            return np.concatenate([self.known(value) for value in filled], axis)
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
            raise ParseError(f"parts of {list(sizes)} do not make up dimension {axis}: {shape}")
        if isinstance(value, np.ndarray):
            return list(np.split(value, list(itertools.accumulate(sizes))[:-1], axis))
        if len(sizes) == 1:
            return [value]
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
            empty = np.zeros((*shape[:axis], size, *shape[axis + 1 :]), dtype_of(value))
            parts.append(next(slots) if size else empty)
        return parts

    def slice(
        self, value: Value, begin: Sequence[int], size: Sequence[int], name: str = ""
    ) -> Value:
        """Cut a box out of a value."""
        shape = shape_of(value)
        if tuple(size) == shape:
            return value
        if isinstance(value, np.ndarray):
            return value[tuple(slice(b, b + s) for b, s in zip(begin, size, strict=True))]
        if not math.prod(size):
            return np.zeros(tuple(size), dtype_of(value))
        return self.layer(
            LayerType.SLICE,
            [value],
            SliceDescriptor(begin=tuple(begin), size=tuple(size)),
            name=name,
        )

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
        if isinstance(value, np.ndarray):
            return value[tuple(map(_python_slice, begin, size, step))]
        if not math.prod(size):
            return np.zeros(tuple(size), dtype_of(value))
        end, end_mask = [], 0
        for axis, (first, count, by) in enumerate(zip(begin, size, step, strict=True)):
            last = first + (count - 1) * by
            end.append(last + (1 if by > 0 else -1))
            if end[-1] < 0:  # would count from the end: say "to the very beginning" instead
                end[-1] = 0
                end_mask |= 1 << axis
        descriptor = StridedSliceDescriptor(
            begin=tuple(begin), end=tuple(end), stride=tuple(step), end_mask=end_mask
        )
        return self.layer(LayerType.STRIDED_SLICE, [value], descriptor, name=name)

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
        """Put elements around a value; a constant fill must be exact as float32."""
        if not any(before) and not any(after):
            return value
        shape = [b + d + a for b, d, a in zip(before, shape_of(value), after, strict=True)]
        if self.foldable([value], shape):
            widths = list(zip(before, after, strict=True))
            array = self.known(value)
            if mode is PaddingMode.CONSTANT:
                return np.pad(array, widths, constant_values=np.array(fill).astype(array.dtype))
            numpy_mode = "reflect" if mode is PaddingMode.REFLECT else "symmetric"
            return np.pad(array, widths, mode=numpy_mode)  # type: ignore[call-overload,no-any-return]
        descriptor = PadDescriptor(
            padding_mode=mode, pad_before=tuple(before), pad_after=tuple(after), value=fill
        )
        return self.layer(LayerType.PAD, [value], descriptor, name=name)

    def gather(self, value: Value, indices: Value, axis: int, name: str = "") -> Value:
        """Read elements along a dimension at integer positions; negative ones count back."""
        shape = shape_of(value)
        result = (*shape[:axis], *shape_of(indices), *shape[axis + 1 :])
        if isinstance(indices, np.ndarray):
            limit = shape[axis]
            if indices.size and (indices.min() < -limit or indices.max() >= limit):
                raise ParseError(f"an index lies outside dimension {axis} of {limit} elements")
            if self.foldable([value], result):
                return np.asarray(np.take(self.known(value), indices, axis))
            indices = np.where(indices < 0, indices + limit, indices).astype(np.int32)
            if not math.prod(result):
                return np.zeros(result, dtype_of(value))
        return self.layer(
            LayerType.GATHER, [value, indices], GatherDescriptor(axis=axis), name=name
        )

    def tile(self, value: Value, multiples: Sequence[int], name: str = "") -> Value:
        """Repeat a value along each dimension."""
        if all(m == 1 for m in multiples):
            return value
        shape = [d * m for d, m in zip(shape_of(value), multiples, strict=True)]
        if not math.prod(shape):
            return np.zeros(tuple(shape), dtype_of(value))
        if self.foldable([value], shape):
            return np.tile(self.known(value), tuple(multiples))
        return self.layer(
            LayerType.TILE, [value], TileDescriptor(multiples=tuple(multiples)), name=name
        )

    def broadcast_to(self, value: Value, shape: Sequence[int], name: str = "") -> Value:
        """Repeat a value to a shape that it broadcasts to."""
        target = tuple(shape)
        if target == shape_of(value):
            return value
        if np.broadcast_shapes(shape_of(value), target) != target:
            raise ParseError(
                f"shape {_text(shape_of(value))} does not broadcast to {_text(target)}"
            )
        # Broadcasting an array costs nothing before somebody needs it dense.
        if isinstance(value, np.ndarray) and is_modest(target, value.dtype):
            return np.broadcast_to(self.known(value), target)
        return self.layer(
            LayerType.BROADCAST_TO,
            [value],
            BroadcastToDescriptor(target_shape=target),
            name=name,
        )

    @staticmethod
    def known(value: Value) -> NDArray[Any]:
        """Return a value that is known."""
        assert isinstance(value, np.ndarray)
        return value


def _python_slice(begin: int, size: int, step: int) -> slice:
    end = begin + size * step
    return slice(begin, None if end < 0 else end, step)


def _text(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "scalar"
