# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Concat, Split, Slice, Pad, Tile and Expand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axes, normal_axis
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.values import Known, Unsupported, Value, broadcast_shapes, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.symbolic import is_symbolic
from armnn_py.types import PaddingMode


@operator("Concat")
def _concat(view: NodeView) -> Value:
    values = view.values()
    # Before version 4 the axis is optional, 1 by default.
    axis = view.axis("axis", 1 if view.version < 4 else None, view.rank(0))
    first = view.shape(0)
    for index, value in enumerate(values):
        shape = shape_of(value)
        if len(shape) != len(first) or any(
            a != b for d, (a, b) in enumerate(zip(shape, first, strict=True)) if d != axis
        ):
            raise ParseError(
                f"input {index} of shape {shape} does not join one of shape {first} at axis {axis}"
            )
    return view.emit.concat(values, axis)


@operator("Split")
def _split(view: NodeView) -> Sequence[Value]:
    axis = view.axis("axis", 0, view.rank(0))
    size, count = view.shape(0)[axis], len(view.node.outputs)
    sizes = view.ints("split")
    if sizes is None and view.has(1):
        sizes = view.integers(1, "sizes")
    states_count = "num_outputs" in view.node.attributes
    if view.version >= 18 and states_count == (sizes is not None):
        which = "both sizes and" if states_count else "neither sizes nor"
        raise ParseError(f"{which} the attribute 'num_outputs' are given")
    if sizes is not None and len(sizes) != count:
        raise ParseError(f"{len(sizes)} sizes are given for {count} outputs")
    if sizes is None:
        wanted = view.integer("num_outputs", count)
        if wanted != count or count < 1:
            raise ParseError(f"attribute 'num_outputs' is {wanted}, but the node has {count}")
        if view.version < 18 and size % count:
            raise ParseError(f"{size} elements do not divide into {count} equal parts")
        each = -(-size // count)  # the last one may be smaller
        sizes = [max(min(each, size - index * each), 0) for index in range(count)]
    return view.emit.split(view.value(0), sizes, axis)


@operator("Slice")
def _slice_attributes(view: NodeView) -> Value:
    starts, ends, axes = view.ints("starts"), view.ints("ends"), view.ints("axes")
    if starts is None or ends is None:
        raise ParseError("attribute 'starts' or 'ends' is missing")
    return _slice(view, starts, ends, axes, None)


@operator("Slice", since=10)
def _slice_operands(view: NodeView) -> Value:
    axes = view.integers(3, "axes") if view.has(3) else None
    steps = view.integers(4, "steps") if view.has(4) else None
    return _slice(view, view.integers(1, "starts"), view.integers(2, "ends"), axes, steps)


def _slice(
    view: NodeView,
    starts: list[int],
    ends: list[int],
    axes: list[int] | None,
    steps: list[int] | None,
) -> Value:
    shape, rank = view.shape(0), view.rank(0)
    axes = list(range(len(starts))) if axes is None else axes
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise ParseError("starts, ends, axes and steps differ in length")
    normal_axes(axes, rank)
    begin, size, step = [0] * rank, list(shape), [1] * rank
    for start, end, axis, by in zip(starts, ends, axes, steps, strict=True):
        axis = normal_axis(axis, rank)
        if by == 0:
            raise ParseError("a step is 0")
        begin[axis], size[axis] = _positions(start, end, by, shape[axis])
        step[axis] = by
    return view.emit.stride(view.value(0), begin, size, step)


def _positions(start: int, end: int, by: int, size: int) -> tuple[int, int]:
    """Return the first position of a slice, 0 for an empty one, and how many it has."""
    if by < 0:
        # Unlike Python's slices, a start before the first element is moved to it.
        start = max(start, -size)
    if by != 1 or not any(map(is_symbolic, (start, end, size))):
        positions = range(*slice(start, end, by).indices(size))
        return (positions.start, len(positions)) if positions else (0, 0)
    first = max(start + size, 0) if start < 0 else min(start, size)
    last = max(end + size, 0) if end < 0 else min(end, size)
    return (first, last - first) if first < last else (0, 0)


@operator("Pad")
def _pad_attributes(view: NodeView) -> Value:
    pads = view.ints("pads") or view.ints("paddings")
    if pads is None:
        raise ParseError("attribute 'pads' is missing")
    return _pad(view, pads, view.number("value"), list(range(view.rank(0))))


@operator("Pad", since=11)
def _pad_operands(view: NodeView) -> Value:
    pads = view.integers(1, "pads")
    rank = view.rank(0)
    axes = view.integers(3, "axes") if view.has(3) else list(range(rank))
    fill = 0.0
    if view.has(2) and view.text("mode", "constant") == "constant":
        value = view.constant(2, "value").reshape(-1)[:1]
        fill = value[0].item() if value.size else 0.0
    return _pad(view, pads, fill, [normal_axis(axis, rank) for axis in axes])


def _pad(view: NodeView, pads: list[int], fill: float, axes: list[int]) -> Value:
    rank = view.rank(0)
    if len(pads) != 2 * len(axes):
        raise ParseError(
            f"{len(pads)} pads are given for {len(axes)} dimensions, expected two for each"
        )
    before, after = [0] * rank, [0] * rank
    for index, axis in enumerate(axes):
        before[axis], after[axis] = pads[index], pads[len(axes) + index]
    mode = view.text("mode", "constant")
    if mode == "constant":
        return _pad_constant(view, before, after, fill)
    if mode not in ("reflect", "edge", "wrap"):
        raise ParseError(f"attribute 'mode' is '{mode}', which is unknown")
    limits = [dim - 1 for dim in view.shape(0)]
    fits = all(0 <= p <= limit for p, limit in zip(before + after, limits * 2, strict=True))
    if mode == "reflect" and fits:
        return view.emit.pad(view.value(0), before, after, mode=PaddingMode.REFLECT)
    # Other modes repeat elements of the input: a Gather per dimension, at positions from numpy.
    value = view.value(0)
    padded = [axis for axis in range(rank) if before[axis] or after[axis]]
    for axis in padded:
        widths = (max(before[axis], 0), max(after[axis], 0))
        size = view.shape(0)[axis]
        if not view.emit.foldable([], (size + sum(widths),), np.dtype(np.int64)):
            raise Unsupported(f"{size} elements padded by {widths} of mode {mode}")
        positions = positions_of(size, np.int32)
        cut = positions[max(-before[axis], 0) : len(positions) + min(after[axis], 0)]
        if not cut.size:
            raise ParseError(f"dimension {axis} has no elements to pad with")
        indices = Known(np.pad(cut, widths, mode=mode))  # type: ignore[call-overload]
        name = "" if axis == padded[-1] else f"axis{axis}"
        value = view.emit.gather(value, indices, axis, name)
    return value


def _pad_constant(view: NodeView, before: list[int], after: list[int], fill: float) -> Value:
    value = view.value(0)
    if isinstance(fill, int) and float(np.float32(fill)) != fill and not view.known(0) is not None:
        raise Unsupported(f"a fill of {fill}, which float32 cannot hold")
    if min(itertools.chain(before, after), default=0) < 0:  # negative pads cut off
        begin = [max(-b, 0) for b in before]
        size = [
            dim + min(b, 0) + min(a, 0)
            for dim, b, a in zip(view.shape(0), before, after, strict=True)
        ]
        if min(size) < 0:
            raise ParseError("negative pads cut off more elements than the input has")
        is_last = max(itertools.chain(before, after)) <= 0
        value = view.emit.slice(value, begin, size, "" if is_last else "crop")
    before, after = [max(b, 0) for b in before], [max(a, 0) for a in after]
    return view.emit.pad(value, before, after, fill=fill)


@operator("Tile", since=6)
def _tile(view: NodeView) -> Value:
    repeats = view.integers(1, "repeats")
    if len(repeats) != view.rank(0) or min(repeats, default=1) < 0:
        raise ParseError(f"repeats {repeats} do not fit {view.rank(0)} dimensions")
    return view.emit.tile(view.value(0), repeats)


@operator("Expand", since=8)
def _expand(view: NodeView) -> Value:
    shape = broadcast_shapes(view.shape(0), tuple(view.integers(1, "shape")))
    return view.emit.broadcast_to(view.value(0), shape)
