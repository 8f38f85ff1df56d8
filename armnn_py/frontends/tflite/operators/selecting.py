# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that choose elements: data decide how many. Their operands must be known.

If layers compute these, the operators run between stages, on the arrays of each run.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit.base import check_size
from armnn_py.frontends.common.values import Array, Known, Value
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator


@operator("WHERE")
def _where(view: OperatorView) -> Value:
    """The places of what is true or not 0; how many there are must be known."""
    return Known(np.argwhere(view.constant(0, "a condition that decides a shape")).astype(np.int64))


@operator("UNIQUE")
def _unique(view: OperatorView) -> list[Value]:
    """Different numbers in the order in which they first appear, and the place of each."""
    array = view.constant(0, "numbers whose repetitions decide a shape")
    if array.ndim != 1:
        raise ParseError(f"the input has {array.ndim} dimensions, expected 1")
    found, first, places = np.unique(array, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return [Known(found[order]), Known(rank[places.reshape(-1)].astype(view.output_dtype(1)))]


@operator("NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5")
def _non_max_suppression(view: OperatorView) -> list[Value]:
    """Indices of the best boxes, in V5 their scores, and how many there are; the rest is 0.

    A box that a better one overlaps by the threshold goes. In V5 a sigma above 0 lowers the score
    of a box by ``exp(-overlap^2 / (2 sigma))`` for each better one.
    """
    boxes, scores = view.constant(0, "boxes"), view.constant(1, "scores")
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise ParseError(
            f"boxes of shape {boxes.shape} and scores of shape {scores.shape} are not [boxes, 4] "
            "and [boxes]"
        )
    most = view.integer(2, "a number of boxes")
    if most < 0:
        raise ParseError(f"the number of boxes is {most}, expected at least 0")
    check_size((most,), np.dtype(np.float32))
    is_soft = view.op.name.endswith("V5")
    overlap, least, sigma = (
        float(view.constant(index, "a threshold").reshape(-1)[0]) if index < 5 or is_soft else 0.0
        for index in (3, 4, 5)
    )
    kept = _kept(boxes, scores, most, overlap, least, sigma)
    indices, best = np.zeros(most, np.int32), np.zeros(most, np.float32)
    for place, (index, score) in enumerate(kept):
        indices[place], best[place] = index, score
    count = Known(np.array(len(kept), np.int32))
    return [Known(indices), *([Known(best)] if is_soft else []), count]


def _kept(
    boxes: Array, scores: Array, most: int, overlap: float, least: float, sigma: float
) -> list[tuple[int, np.float32]]:
    """Return the boxes that stay, best first, with their scores."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    areas = np.prod(high - low, axis=1)
    kept: list[tuple[int, np.float32]] = []
    # Each candidate: the score, the box, and how many kept ones it was compared with.
    queue = [(-scores[index], index, 0) for index in np.flatnonzero(scores > least).tolist()]
    heapq.heapify(queue)
    while queue and len(kept) < most:
        negative, index, seen = heapq.heappop(queue)
        score = first = -negative
        is_covered = False
        for other, _ in kept[: seen - 1 if seen else None : -1]:
            shared = np.minimum(high[index], high[other]) - np.maximum(low[index], low[other])
            both = np.prod(np.maximum(shared, 0))
            union = areas[index] + areas[other] - both
            part = both / union if areas[index] > 0 and areas[other] > 0 else np.float32(0)
            is_covered = bool(part >= overlap)
            if is_covered:
                break
            if sigma > 0:
                score = np.float32(score * math.exp(-0.5 / sigma * part * part))
                if score <= least:
                    break
        if is_covered:
            continue
        if score == first:
            kept.append((index, score))
        elif score > least:
            heapq.heappush(queue, (-score, index, len(kept)))
    return kept
