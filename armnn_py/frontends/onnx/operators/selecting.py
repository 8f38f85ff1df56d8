# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Elements that values choose: how many there are says a constant, or an input that is known."""

from __future__ import annotations

import itertools
import math

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.counting import counted
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.sequences import reverse_sequences
from armnn_py.frontends.common.values import Array, Known, Value
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.frontends.onnx.table import operator
from armnn_py.types import ComparisonOperation, ScatterNdFunction


@operator("NonZero", since=9)
def _non_zero(view: NodeView) -> Value:
    elements = view.constant(0, "elements")
    return Known(np.argwhere(elements).astype(np.int64).T)


@operator("Compress", since=9)
def _compress(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    condition = view.constant(1, "a condition").reshape(-1)
    if "axis" not in view.node.attributes:
        x, axis = emit.reshape(x, (math.prod(view.shape(0)),), "flat"), 0
        size = math.prod(view.shape(0))
    else:
        axis = view.axis("axis", 0, view.rank(0))
        size = view.shape(0)[axis]
    if condition.size > size:
        raise ParseError(f"a condition of {condition.size} elements for a dimension of {size}")
    return emit.gather(x, Known(np.flatnonzero(condition)), axis)


@operator("Unique", since=11)
def _unique(view: NodeView) -> list[Value]:
    x = view.constant(0, "values")
    axis = None
    if "axis" in view.node.attributes:
        axis = view.axis("axis", 0, x.ndim)
    found, first, inverse, counts = np.unique(
        x, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    inverse = inverse.reshape(-1)
    if not view.integer("sorted", 1):  # in the order in which they come
        order = np.argsort(first)
        found = found.take(order, 0 if axis is None else axis)
        inverse = np.argsort(order)[inverse]
        first, counts = first[order], counts[order]
    places = (first, inverse, counts)
    return [Known(found), *(Known(array.astype(np.int64)) for array in places)]


# ---- Boxes ---------------------------------------------------------------------------------------

#: Boxes of one class that are compared at once: two tables of this size stay in a cache, and a row
#: of truths is one number.
_GROUP = 64


def _corners(boxes: Array, by_center: bool) -> Array:
    """Return boxes as least y, least x, greatest y, greatest x: [batches, boxes, 4]."""
    wide = boxes.astype(np.float64)
    if by_center:  # x, y, width, height
        center, half = wide[..., 1::-1], wide[..., :1:-1] / 2
        return np.concatenate([center - half, center + half], -1)
    first, last = wide[..., :2], wide[..., 2:]
    return np.concatenate([np.minimum(first, last), np.maximum(first, last)], -1)


def _kept(boxes: Array, scores: Array, most: int, overlap: float, least: float) -> list[int]:
    """Return the boxes of one class that are kept, the best first.

    Candidates come in groups: each group is compared with the boxes that are kept already, and what
    is left of it with itself.
    """
    if least > -math.inf:  # few are left of many
        found = np.flatnonzero(scores > least)
        order = found[np.argsort(-scores[found], kind="stable")]
    else:
        order = np.argsort(-scores, kind="stable")
    kept: list[int] = []
    for begin in range(0, len(order), _GROUP):
        group = order[begin : begin + _GROUP]
        if kept:
            group = group[~_overlaps(boxes[group], boxes[kept], overlap).any(axis=1)]
        covers = _bits(_overlaps(boxes[group], boxes[group], overlap))
        covered = 0
        for place, index in enumerate(group.tolist()):
            if not covered >> place & 1:
                if len(kept) >= most:
                    return kept
                kept.append(index)
                covered |= covers[place]
    return kept


def _bits(table: Array) -> list[int]:
    """Return each row of at most `_GROUP` truths as a number: the first one is its lowest bit."""
    packed = np.packbits(table, axis=1, bitorder="little")
    rows = np.zeros((len(packed), _GROUP // 8), np.uint8)
    rows[:, : packed.shape[1]] = packed
    numbers: list[int] = rows.view("<u8")[:, 0].tolist()
    return numbers


def _overlaps(boxes: Array, others: Array, most: float) -> Array:
    """Return whether boxes share more than a part of their union with others: [boxes, others]."""
    sides = []
    for low, high in ((0, 2), (1, 3)):
        least = np.maximum(boxes[:, None, low], others[:, low])
        sides.append(np.maximum(np.minimum(boxes[:, None, high], others[:, high]) - least, 0))
    shared = sides[0] * sides[1]
    union = _areas(boxes)[:, None] + _areas(others) - shared
    found: Array = shared > most * np.maximum(union, np.finfo(np.float64).tiny)
    return found


def _areas(boxes: Array) -> Array:
    areas: Array = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return areas


@operator("NonMaxSuppression", since=10)
def _non_max_suppression(view: NodeView) -> Value:
    boxes, scores = view.constant(0, "boxes"), view.constant(1, "scores")
    if boxes.ndim != 3 or boxes.shape[2] != 4 or scores.ndim != 3:
        raise ParseError(f"boxes of shape {boxes.shape}, scores of shape {scores.shape}")
    if boxes.shape[:2] != (scores.shape[0], scores.shape[2]):
        raise ParseError(f"scores of shape {scores.shape} for boxes of {boxes.shape}")

    def number(index: int, what: str, default: float) -> float:
        return float(view.constant(index, what).reshape(())) if view.has(index) else default

    most = view.integers(2, "a number of boxes")[0] if view.has(2) else 0
    overlap, least = number(3, "a threshold", 0.0), number(4, "a threshold", -math.inf)
    with np.errstate(all="ignore"):  # boxes may have no end
        corners = _corners(boxes, bool(view.integer("center_point_box")))
        found = [np.zeros((0, 3), np.int64)]
        for batch, kind in itertools.product(*map(range, scores.shape[:2])):
            kept = _kept(corners[batch], scores[batch, kind], most, overlap, least)
            found.append(np.array([(batch, kind, box) for box in kept], np.int64).reshape(-1, 3))
    return Known(np.concatenate(found))


# ---- Sequences -----------------------------------------------------------------------------------


@operator("ReverseSequence", since=10)
def _reverse_sequence(view: NodeView) -> Value:
    time, batch = (view.integer("time_axis", 0), view.integer("batch_axis", 1))
    if view.rank(0) < 2 or {time, batch} != {0, 1}:
        raise ParseError(f"time_axis {time} and batch_axis {batch} of {view.rank(0)} dimensions")
    return reverse_sequences(view.emit, view.value(0), view.value(1), batch=batch)


@operator("TensorScatter", since=24)
def _tensor_scatter(view: NodeView) -> Value:
    """Write each sequence of an update into a cache, from its own place on."""
    emit, shape, new = view.emit, view.shape(0), view.shape(1)
    axis = normal_axis(view.integer("axis", -2), len(shape))
    mode = view.text("mode", "linear")
    if axis == 0 or len(new) != len(shape) or new[axis] > shape[axis]:
        raise ParseError(f"an update of shape {new} along dimension {axis} of {shape}")
    if mode not in ("linear", "circular"):
        raise ParseError(f"attribute 'mode' is '{mode}'")
    # The batch and the sequence come first, so that each place is one slice.
    order = [0, axis, *(d for d in range(1, len(shape)) if d != axis)]
    batches, steps, size = shape[0], new[axis], shape[axis]
    step: Value = Known(positions_of(steps, np.int32).reshape(1, steps))
    if view.has(2):
        start = emit.reshape(emit.cast(view.value(2), np.int32, "int32"), (batches, 1), "start")
        step = emit.add(start, step, "step")
    else:
        step = emit.broadcast_to(step, (batches, steps), "step")
    if mode == "circular":  # at most once around
        over = emit.compare(
            ComparisonOperation.GREATER_OR_EQUAL, step, Known(np.array(size, np.int32)), "over"
        )
        turn = emit.mul(
            emit.cast(over, np.int32, "turn"), Known(np.array(size, np.int32)), "offset"
        )
        step = emit.sub(step, turn, "around")
    lanes = np.repeat(positions_of(batches, np.int32), counted(steps)).reshape(batches, steps, 1)
    vectors = [Known(lanes), emit.reshape(step, (batches, steps, 1), "places")]
    y = emit.scatter_nd(
        emit.transpose(view.value(0), order, "cache"),
        emit.concat(vectors, 2, "vectors"),
        emit.transpose(view.value(1), order, "update"),
        ScatterNdFunction.UPDATE,
        "written",
    )
    return emit.transpose(y, [order.index(d) for d in range(len(shape))])
