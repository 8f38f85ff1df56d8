# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that move, sort, sum up, scatter and choose elements by their definition in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.testing.oracles.independent_quantized import cut_off, stepped
from armnn_py.types import DataType, LayerType, PaddingMode, ScatterNdFunction

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature

Array = Any
_Rules = dict[LayerType, Callable[[Any, Sequence[Any]], list[Array]]]
_SomeRules = dict[LayerType, Callable[[Any, Sequence[Any]], list[Array] | None]]


def _top_k(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    keys = v[0] if not d.largest else (-v[0] if v[0].dtype.kind == "f" else ~v[0])
    places = np.argsort(keys, axis=d.axis, kind="stable").take(np.arange(d.k), d.axis)
    return [np.take_along_axis(v[0], places, d.axis), places]


def _cum_sum(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    lines = np.moveaxis(v[0], d.axis, 0)
    order = range(len(lines))
    total, sums = np.zeros_like(lines[:1].sum(0, dtype=lines.dtype)), np.empty_like(lines)
    for index in reversed(order) if d.reverse else order:
        sums[index] = total if d.exclusive else total + lines[index]
        total = total + lines[index]
    return [np.moveaxis(sums, 0, d.axis)]


def _scatter_nd(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    """Join updates one after the other; each leaves an element of the tensor's type."""
    d: Any = s.descriptor
    if v[2].dtype == np.bool_ and d.function is not ScatterNdFunction.UPDATE:
        return None  # booleans have no arithmetic
    info = s.outputs[0]
    y = np.zeros(info.static_shape, v[2].dtype)
    if d.input_enabled:
        y[...] = v[0]
    depth = v[1].shape[-1]
    slices = v[2].reshape(-1, *y.shape[depth:])
    for vector, update in zip(v[1].reshape(-1, depth), slices, strict=True):
        place = tuple(vector)
        joined = _JOINS[d.function](y[place], update)
        if info.data_type.is_quantized:
            y[place] = stepped(info, joined)
        else:
            y[place] = joined.astype(info.dtype)
    # Reals come back as values: which zero of two is the greater is not defined.
    return [
        y.astype(info.dtype)
        if d.function is ScatterNdFunction.UPDATE and info.data_type.is_float
        else y
    ]


_JOINS: dict[ScatterNdFunction, Callable[[Array, Array], Array]] = {
    ScatterNdFunction.UPDATE: lambda old, new: new,
    ScatterNdFunction.ADD: np.add,
    ScatterNdFunction.SUB: np.subtract,
    ScatterNdFunction.MAX: np.maximum,
    ScatterNdFunction.MIN: np.minimum,
    ScatterNdFunction.MUL: np.multiply,
}


def _one_hot(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    places = np.arange(d.depth)
    wide = v[0][..., np.newaxis]
    hit = (wide == places) | (wide == places - d.depth)
    return [np.moveaxis(np.where(hit, v[1].reshape(()), v[2].reshape(())), -1, d.axis)]


def _channel_shuffle(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    shape = v[0].shape
    each = shape[d.axis] // d.group_count
    groups = (*shape[: d.axis], d.group_count, each, *shape[d.axis + 1 :])
    return [v[0].reshape(groups).swapaxes(d.axis, d.axis + 1).reshape(shape)]


def _views(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    found = []
    for view in d.views:
        box = tuple(slice(o, o + n) for o, n in zip(view.origin, view.size, strict=True))
        found.append(v[0][box])
    return found


def _slice(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    return [v[0][tuple(slice(b, b + n) for b, n in zip(d.begin, d.size, strict=True))]]


def _strided_slice(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    cuts: list[Any] = []
    for place, (begin, end, stride) in enumerate(zip(d.begin, d.end, d.stride, strict=True)):
        bit = 1 << place
        ends = None if d.begin_mask & bit else begin, None if d.end_mask & bit else end
        cuts.append(begin if d.shrink_axis_mask & bit else slice(*ends, stride))
    return [np.asarray(v[0][tuple(cuts)])]


def _pad(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    widths = list(zip(d.pad_before, d.pad_after, strict=True))
    if not widths:
        return [v[0]]
    if d.padding_mode is PaddingMode.CONSTANT:
        value, dtype = np.array(float(np.float32(d.value))), v[0].dtype
        value = cut_off(value, dtype) if dtype.kind in "iu" else value.astype(dtype)
        if s.inputs[0].data_type is DataType.BFLOAT16:  # type: ignore[union-attr]
            bits = int(np.float32(d.value).view(np.uint32))  # ties go to even ones
            value = np.array((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
        return [np.pad(v[0], widths, constant_values=value)]
    mode = "reflect" if d.padding_mode is PaddingMode.REFLECT else "symmetric"
    return [np.pad(v[0], widths, mode)]  # type: ignore[call-overload]


ORDERS: _SomeRules = {
    LayerType.CUM_SUM: _cum_sum,
    LayerType.SCATTER_ND: _scatter_nd,
    LayerType.TOP_K: _top_k,
}
"""Of numbers: real ones come in float64."""

MOVED_ORDERS: _Rules = {
    LayerType.BROADCAST_TO: lambda s, v: [np.broadcast_to(v[0], s.outputs[0].static_shape)],
    LayerType.CONCAT: lambda s, v: [np.concatenate(v, s.descriptor.axis)],
    LayerType.DEBUG: lambda s, v: [v[0]],
    LayerType.GATHER_ND: lambda s, v: [v[0][tuple(np.moveaxis(v[1], -1, 0))]],
    LayerType.GATHER: lambda s, v: [np.take(v[0], v[1], s.descriptor.axis)],
    LayerType.PAD: _pad,
    LayerType.RANK: lambda s, v: [np.array(v[0].ndim, np.int32)],
    LayerType.RESHAPE: lambda s, v: [v[0].reshape(s.outputs[0].static_shape)],
    LayerType.SHAPE: lambda s, v: [np.array(v[0].shape, np.int32)],
    LayerType.SLICE: _slice,
    LayerType.SPLITTER: _views,
    LayerType.STACK: lambda s, v: [np.stack(v, s.descriptor.axis)],
    LayerType.STRIDED_SLICE: _strided_slice,
    LayerType.TILE: lambda s, v: [np.tile(v[0], s.descriptor.multiples)],
    LayerType.TRANSPOSE: lambda s, v: [v[0].transpose(s.descriptor.mappings)],
    LayerType.CHANNEL_SHUFFLE: _channel_shuffle,
    LayerType.ONE_HOT: _one_hot,
    LayerType.REVERSE_V2: lambda s, v: [np.flip(v[0], tuple(v[1].tolist()))],
}
"""Of elements of any type, whatever their bits stand for."""


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
