# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that choose elements: data decide how many.

Operands of WHERE and UNIQUE must be known: if layers compute these, the functions run between
stages, on the arrays of each run. Suppression is a layer.
"""

from __future__ import annotations

import numpy as np

from armnn_py.descriptors import NonMaxSuppressionDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.frontends.common.values import Known, Value, shape_of
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.network.choices import places_of, unique
from armnn_py.types import LayerType


@operator("WHERE")
def _where(view: OperatorView) -> Value:
    """The places of what is true or not 0; how many there are must be known."""
    return Known(places_of(view.constant(0, "a condition that decides a shape"))[0])


@operator("UNIQUE")
def _unique(view: OperatorView) -> list[Value]:
    """Different numbers in the order in which they first appear, and the place of each."""
    if view.rank(0) != 1:
        raise ParseError(f"the input has {view.rank(0)} dimensions, expected 1")
    array = view.constant(0, "numbers whose repetitions decide a shape")
    found, _, places, _ = unique(array, None, False, view.output_dtype(1))
    return [Known(found), Known(places)]


@operator("NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5")
def _non_max_suppression(view: OperatorView) -> list[Value]:
    """Indices of the best boxes, in V5 their scores, and how many there are; the rest is 0.

    A box that a better one overlaps by the threshold goes. In V5 a sigma above 0 lowers the score
    of a box by ``exp(-overlap^2 / (2 sigma))`` for each better one.
    """
    emit, boxes, scores = view.emit, view.value(0), view.value(1)
    if len(shape_of(boxes)) != 2 or shape_of(scores) != shape_of(boxes)[:1]:
        raise ParseError(
            f"boxes of shape {shape_of(boxes)} and scores of shape {shape_of(scores)} are not "
            "[boxes, 4] and [boxes]"
        )
    most = view.integer(2, "a number of boxes")
    if most < 0:
        raise ParseError(f"the number of boxes is {most}, expected at least 0")
    check_size((most,), np.dtype(np.float32))
    is_soft = view.op.name.endswith("V5")
    overlap, least, *sigma = (  # V4 has no sigma
        np.float32(view.constant(index, "a threshold").reshape(-1)[0])
        for index in range(3, 6 if is_soft else 5)
    )
    descriptor = NonMaxSuppressionDescriptor(
        max_output_boxes=most if overlap > 0 else min(most, 1),  # all boxes share 0 with the best
        iou_threshold=min(max(float(np.nextafter(overlap, np.float32(-1))), 0.0), 1.0),
        score_threshold=float(least),
        has_score_threshold=True,
        soft_nms_sigma=float(sum(sigma)),
    )
    operands = [emit.reshape(boxes, (1, *shape_of(boxes)), "boxes"),
                emit.reshape(scores, (1, 1, *shape_of(scores)), "scores")]  # fmt: skip
    found = emit.layers(LayerType.NON_MAX_SUPPRESSION, operands, descriptor, name="rows")
    rows, best, count = found.outputs
    size = shape_of(best)[0]
    places = emit.reshape(emit.slice(rows, (0, 2), (size, 1), "column"), (size,), "places")
    padded = [emit.pad(x, (0,), (most - size,)) for x in (places, best)[: 1 + is_soft]]
    return [*padded, emit.reshape(count, (), "count")]
