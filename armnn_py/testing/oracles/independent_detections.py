# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Detections, suppression and decision trees by their definition in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature

__all__ = ["DETECTIONS"]

Array = Any


def _corners(d: Any, boxes: Array, anchors: Array) -> Array:
    """Top, left, bottom and right of boxes of (y, x, height, width) relative to their anchors."""
    center = boxes[:, :2] / (d.scale_y, d.scale_x) * anchors[:, 2:] + anchors[:, :2]
    half = np.exp(boxes[:, 2:] / (d.scale_h, d.scale_w)) * anchors[:, 2:] / 2
    return np.concatenate([center - half, center + half], 1)


def _overlaps(corners: Array) -> Array:
    """Intersection over union of each box with each other one; 0 with boxes of no area."""
    sides = np.maximum(
        np.minimum(corners[:, None, 2:], corners[None, :, 2:])
        - np.maximum(corners[:, None, :2], corners[None, :, :2]),
        0,
    )
    both = sides.prod(axis=-1)
    area = (corners[:, 2:] - corners[:, :2]).prod(axis=-1)
    covers = (area[:, None] > 0) & (area[None, :] > 0)
    union = np.where(covers, area[:, None] + area[None, :] - both, 1)
    return np.where(covers, both / union, 0)


def _suppressed(d: Any, scores: Array, overlaps: Array, most: int) -> list[int]:
    """Boxes in the order of their scores that no better one overlaps too much."""
    order = np.argsort(-scores, kind="stable")
    left = [int(box) for box in order if scores[box] >= d.nms_score_threshold]
    kept: list[int] = []
    while left and len(kept) < most:
        best, *rest = left
        kept.append(best)
        left = [box for box in rest if overlaps[best, box] <= d.nms_iou_threshold]
    return kept


def _detect(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    corners = _corners(d, v[0][0], v[2])
    overlaps = _overlaps(corners)
    scores = v[1][0][:, v[1].shape[2] - d.num_classes :]
    found: list[tuple[int, int, int]] = []  # place, box, class
    if d.use_regular_nms:
        most = min(d.detections_per_class, d.max_detections)
        pairs = [
            (box, one)
            for one in range(d.num_classes)
            for box in _suppressed(d, scores[:, one], overlaps, most)
        ]
        pairs.sort(key=lambda pair: (-scores[pair], pair[1], pair[0]))
        found = [(place, *pair) for place, pair in enumerate(pairs[: d.max_detections])]
        count = len(found)
    else:
        kept = _suppressed(d, scores.max(axis=1), overlaps, d.max_detections)
        for place, box in enumerate(kept):
            best = np.argsort(-scores[box], kind="stable")[: d.max_classes_per_detection]
            first = place * d.max_classes_per_detection
            found += [(first + k, box, int(one)) for k, one in enumerate(best)]
        count = len(kept)
    outputs = [np.zeros(info.static_shape) for info in s.outputs]
    for place, box, one in found:
        outputs[0][0, place] = corners[box]
        outputs[1][0, place] = one
        outputs[2][0, place] = scores[box, one]
    outputs[3][0] = count
    return outputs


def _box_corners(d: Any, boxes: Array) -> Array:
    if d.center_point_box:
        return np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], 1)
    return np.concatenate([f(boxes[:, :2], boxes[:, 2:]) for f in (np.minimum, np.maximum)], 1)


def _softly(d: Any, scores: Array, overlaps: Array, most: int) -> list[tuple[int, float]]:
    """Boxes that are kept, with their scores; the best that is left counts, after softening."""
    least = d.score_threshold if d.has_score_threshold else -np.inf
    now = {box: score for box, score in enumerate(scores) if score > least}
    kept: list[tuple[int, float]] = []
    while now and len(kept) < most:
        best = max(now, key=lambda box: (now[box], -box))
        kept.append((best, now.pop(best)))
        for box in list(now):
            share = overlaps[best, box]
            if d.soft_nms_sigma > 0:
                now[box] *= np.exp(-0.5 / d.soft_nms_sigma * share**2)
            if share > d.iou_threshold or now[box] <= least:
                del now[box]
    return kept


def _suppress(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    indices, best, count = (np.zeros(info.static_shape) for info in s.outputs)
    rows: list[tuple[tuple[int, int, int], float]] = []
    for batch, boxes in enumerate(v[0]):
        overlaps = _overlaps(_box_corners(d, boxes))
        for one, scores in enumerate(v[1][batch]):
            kept = _softly(d, scores, overlaps, d.max_output_boxes)
            rows += [((batch, one, box), score) for box, score in kept]
    for place, (row, score) in enumerate(rows):
        indices[place], best[place] = row, score
    count[0] = len(rows)
    return [indices, best, count]


_ASKED = (np.less_equal, np.less, np.greater_equal, np.greater, np.equal, np.not_equal)


def _leaves(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    x, splits = v[:2]
    nodes, roots = (np.asarray(one, np.int64) for one in v[2:])
    found = np.zeros(s.outputs[0].static_shape, np.int32)
    for row, tree in np.ndindex(*found.shape):
        place = roots[tree]
        while place >= 0:
            feature, question, *ends = nodes[place].tolist()
            value = x[row, feature]
            is_hit = _ASKED[question % 8](value, splits[place])
            place = ends[0 if is_hit or (question >= 8 and np.isnan(value)) else 1]
        found[row, tree] = -1 - place
    return [found]


DETECTIONS: dict[LayerType, Callable[[Any, Sequence[Any]], list[Array] | None]] = {
    LayerType.DETECTION_POST_PROCESS: _detect,
    LayerType.NON_MAX_SUPPRESSION: _suppress,
    LayerType.TREE_LEAVES: _leaves,
}
