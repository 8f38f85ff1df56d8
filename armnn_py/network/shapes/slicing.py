# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Slice and StridedSlice.

Definitions: Arm NN's Slice; StridedSlice as in TensorFlow, whose ellipsis and new-axis masks
`add_strided_slice` resolves before a layer is made.
"""

from __future__ import annotations

from collections.abc import Callable

from armnn_py.descriptors import SliceDescriptor, StridedSliceDescriptor
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo
from armnn_py.types import LayerType


def _slice(site: Site) -> list[TensorInfo]:
    d = site.parameters(SliceDescriptor)
    shape = site.need_rank(len(d.begin), hint="one begin and one size for each dimension")
    for axis, (dim, begin, size) in enumerate(zip(shape, d.begin, d.size, strict=True)):
        if begin + size > dim:
            site.fail(f"dimension {axis} is cut from {begin} to {begin + size}, but has {dim}")
    return site.moved(d.size)


def _extent(site: Site, d: StridedSliceDescriptor, axis: int, dim: int) -> int | None:
    """Return how many elements a dimension keeps, ``None`` when it vanishes."""
    bit, begin, end, stride = 1 << axis, d.begin[axis], d.end[axis], d.stride[axis]
    if d.shrink_axis_mask & bit:
        if not -dim <= begin < dim:
            site.fail(f"index {begin} given, but dimension {axis} has {dim}")
        if stride < 0:
            site.fail(f"dimension {axis} shrinks to one element, a positive stride expected")
        return None
    low, high = (0, dim) if stride > 0 else (-1, dim - 1)
    begin = min(max(begin + dim if begin < 0 else begin, low), high)
    end = min(max(end + dim if end < 0 else end, low), high)
    if d.begin_mask & bit:
        begin = low if stride > 0 else high
    if d.end_mask & bit:
        end = high if stride > 0 else low
    return max(0, -((begin - end) // stride) if stride > 0 else -((end - begin) // -stride))


def _strided_slice(site: Site) -> list[TensorInfo]:
    d = site.parameters(StridedSliceDescriptor)
    if d.ellipsis_mask or d.new_axis_mask:
        site.fail("ellipsis and new-axis masks given", hint="add_strided_slice() resolves them")
    shape = site.need_rank(len(d.begin), hint="add_strided_slice() completes missing dimensions")
    kept = [_extent(site, d, axis, dim) for axis, dim in enumerate(shape)]
    return site.moved([extent for extent in kept if extent is not None])


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.SLICE: _slice,
    LayerType.STRIDED_SLICE: _strided_slice,
}
