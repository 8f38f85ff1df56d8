# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Elements that values choose: how many there are says a constant, or an input that is known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import NonMaxSuppressionDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.counting import counted
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.sequences import reverse_sequences
from armnn_py.frontends.common.values import Known, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.file.element_types import is_string
from armnn_py.network.choices import places_of, unique
from armnn_py.types import ComparisonOperation, LayerType, ScatterNdFunction


@operator("NonZero", since=9)
def _non_zero(view: NodeView) -> Value:
    return Known(places_of(view.constant(0, "elements"))[1])


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
        raise ParseError(
            f"a condition of {condition.size} elements does not fit a dimension of {size}"
        )
    return emit.gather(x, Known(np.flatnonzero(condition)), axis)


@operator("Unique", since=11)
def _unique(view: NodeView) -> list[Value]:
    x = view.constant(0, "values")
    axis = None
    if "axis" in view.node.attributes:
        axis = view.axis("axis", 0, x.ndim)
    # Along an axis numpy compares no strings: numbers in their order stand for them.
    texts, numbers = np.unique(x, return_inverse=True) if is_string(x.dtype) else (None, x)
    is_sorted = bool(view.integer("sorted", 1))
    found, *places = unique(numbers.reshape(x.shape), axis, is_sorted, np.int64)
    return [Known(found if texts is None else texts.take(found)), *map(Known, places)]


# ---- Boxes ---------------------------------------------------------------------------------------


@operator("NonMaxSuppression", since=10)
def _non_max_suppression(view: NodeView) -> Sequence[Value]:
    """Return a row for each box that could be kept, and which rows have one.

    `cut_by_counts` puts a Compress behind, which leaves these.
    """

    def number(index: int) -> float:
        return float(view.constant(index, "a threshold").reshape(())) if view.has(index) else 0.0

    emit = view.emit
    most = view.integers(2, "a number of boxes")[0] if view.has(2) else 0
    least = number(4)
    descriptor = NonMaxSuppressionDescriptor(
        max_output_boxes=min(max(most, 0), np.iinfo(np.uint32).max),
        iou_threshold=number(3),
        score_threshold=math.inf if math.isnan(least) else least,  # no score is greater than NaN
        has_score_threshold=view.has(4),
        center_point_box=view.flag("center_point_box"),
    )
    operands = [view.value(0), view.value(1)]
    indices, _, count = emit.layers(LayerType.NON_MAX_SUPPRESSION, operands, descriptor).outputs
    rows = emit.count_up(shape_of(indices)[0], np.dtype(np.int32), name="positions")
    return [
        emit.cast(indices, np.int64, "rows"),
        emit.compare(ComparisonOperation.LESS, rows, count, "valid"),
    ]


# ---- Sequences -----------------------------------------------------------------------------------


@operator("ReverseSequence", since=10)
def _reverse_sequence(view: NodeView) -> Value:
    time, batch = (view.integer("time_axis", 0), view.integer("batch_axis", 1))
    if view.rank(0) < 2 or {time, batch} != {0, 1}:
        raise ParseError(
            f"time_axis {time} and batch_axis {batch} are not the first two of {view.rank(0)} "
            "dimensions"
        )
    lengths = view.known(1)
    if lengths is not None and (lengths < 0).any():
        raise ParseError(f"'sequence_lens' holds {lengths.min()}, expected at least 0")
    return reverse_sequences(view.emit, view.value(0), view.value(1), batch=batch)


@operator("TensorScatter", since=24)
def _tensor_scatter(view: NodeView) -> Value:
    """Write each sequence of an update into a cache, from its own place on."""
    emit, shape, new = view.emit, view.shape(0), view.shape(1)
    axis = normal_axis(view.integer("axis", -2), len(shape))
    mode = view.text("mode", "linear")
    if axis == 0 or len(new) != len(shape) or new[axis] > shape[axis]:
        raise ParseError(f"an update of shape {new} does not fit along dimension {axis} of {shape}")
    if mode not in ("linear", "circular"):
        raise ParseError(f"attribute 'mode' is '{mode}', which is unknown")
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
