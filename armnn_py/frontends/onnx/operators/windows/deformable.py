# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DeformConv: a convolution that reads each tap at a place of its own.

"Deformable Convolutional Networks" (Dai et al., 2017) and its second version, which weighs taps by
a mask (Zhu et al., 2018). The taps' samples become columns, which are multiplied by the weights.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import counted
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.windows.sampling import Sampler, Tap
from armnn_py.frontends.onnx.operators.windows.windows import window_list
from armnn_py.types import UnaryOperation


@operator("DeformConv", since=19)
def _deform_conv(view: NodeView) -> Value:
    emit = view.emit
    if view.rank(0) != 4 or view.rank(1) != 4:
        raise Unsupported(f"{view.rank(0) - 2} spatial dimensions (2 are supported)")
    batch, channels, *_ = view.shape(0)
    count, depth, *kernel = view.shape(1)
    groups = view.integer("group", 1)
    if min(groups, 1) < 1 or channels != depth * groups or count % groups:
        raise ParseError(
            f"weights of shape {view.shape(1)} in {groups} groups do not fit {channels} channels"
        )
    stated = view.ints("kernel_shape")
    if stated is not None and stated != kernel:
        raise ParseError(f"attribute 'kernel_shape' is {stated}, but the weights have {kernel}")
    rows = _columns(view, kernel)
    size = [*view.shape(2)[2:]]
    outputs = []
    taps = kernel[0] * kernel[1]
    parts = emit.split(rows, [depth] * groups, 4, "groups")
    weights = emit.split(view.value(1), [count // groups] * groups, 0, "group_weights")
    for part, weight in zip(parts, weights, strict=True):
        lines = emit.transpose(part, (0, 2, 3, 1, 4), "lines")
        flat = emit.reshape(lines, (batch * size[0] * size[1], taps * depth), "columns")
        last = emit.transpose(weight, (2, 3, 1, 0), "taps_first")
        square = emit.reshape(last, (taps * depth, count // groups), "weights")
        outputs.append(emit.matmul(flat, square, name="product"))
    y = emit.concat(outputs, 1, "channels")
    if view.has(3):
        y = emit.add(y, view.value(3), "biased")
    return emit.transpose(emit.reshape(y, (batch, *size, count), "pixels"), (0, 3, 1, 2))


def _columns(view: NodeView, kernel: Sequence[int]) -> Value:
    """Return what the taps read: [N, taps, rows, columns, C]."""
    emit = view.emit
    batch, channels, *image = view.shape(0)
    parts, taps = view.integer("offset_group", 1), kernel[0] * kernel[1]
    size = _size(view, kernel, image)
    if parts < 1 or channels % parts or view.shape(2) != (batch, parts * taps * 2, *size):
        raise ParseError(
            f"offsets of shape {view.shape(2)} do not fit {taps} taps at {size} positions"
        )
    places = (batch, parts, taps, 2, *size)
    offsets = emit.split(emit.reshape(view.value(2), places, "offsets"), [1] * parts, 1, "parts")
    images = emit.split(view.value(0), [channels // parts] * parts, 1, "images")
    masks: list[Value | None] = [None] * parts
    if view.has(4):
        wide = emit.reshape(view.value(4), (batch, parts, taps, *size), "masks")
        masks = [*emit.split(wide, [1] * parts, 1, "mask")]
    starts = _starts(view, kernel, size)
    read = []
    for source, offset, mask in zip(images, offsets, masks, strict=True):
        sampler = Sampler(view.over([source, offset]))
        pair = emit.split(sampler.like, [1, 1], 3, "directions")
        both = []
        for axis, step in enumerate(pair):
            flat = emit.reshape(step, (batch, taps, *size), "step")
            start = Known(starts[axis].astype(dtype_of(sampler.like)))
            both.append(_taps(sampler, emit.add(flat, start, "at"), image[axis]))
        first = Known(positions_of(batch, np.int32).reshape(-1, 1, 1, 1))
        rows = sampler.rows()
        total: Value | None = None
        for combination in itertools.product(*both):
            pixels = sampler.read(rows, first, combination)
            total = pixels if total is None else emit.add(total, pixels, "sum")
        assert total is not None
        if mask is not None:
            total = emit.mul(total, emit.reshape(mask, (batch, taps, *size, 1), "weight"), "masked")
        read.append(total)
    return emit.concat(read, 4, "read")


def _taps(sampler: Sampler, x: Value, size: int) -> list[Tap]:
    """Return the pixels before and behind a coordinate; outside of the image they count nothing."""
    emit = sampler.emit
    floor = emit.unary(UnaryOperation.FLOOR, x, "floor")
    distance = emit.sub(x, floor, "distance")
    behind = emit.add(floor, sampler.number(1), "next")
    rest = emit.sub(sampler.number(1), distance, "rest")
    return [
        (
            sampler.clipped(index, 0, size - 1),
            emit.mul(weight, sampler.within(index, 0, size - 1), "inside"),
        )
        for index, weight in ((floor, rest), (behind, distance))
    ]


def _window(view: NodeView) -> tuple[list[int], list[int], list[int]]:
    strides, dilations = (window_list(view, name, 2, 1) for name in ("strides", "dilations"))
    pads = view.ints("pads") or [0] * 4
    if len(pads) != 4:
        raise ParseError(f"attribute 'pads' has {len(pads)} numbers, expected 4")
    return list(strides), list(dilations), list(pads)


def _size(view: NodeView, kernel: Sequence[int], image: Sequence[int]) -> tuple[int, int]:
    strides, dilations, pads = _window(view)
    rows, columns = (
        (image[d] + pads[d] + pads[2 + d] - dilations[d] * (kernel[d] - 1) - 1) // strides[d] + 1
        for d in range(2)
    )
    return rows, columns


def _starts(view: NodeView, kernel: Sequence[int], size: Sequence[int]) -> list[np.ndarray]:
    """Return where each tap reads without offsets, by dimension: [taps, rows, columns]."""
    strides, dilations, pads = _window(view)
    shape = (*kernel, *size)
    found = []
    for d in range(2):
        tap = positions_of(kernel[d]) * dilations[d] - pads[d]
        place = positions_of(size[d]) * strides[d]
        line = tap[:, np.newaxis] + place
        sides = {d: kernel[d], d + 2: size[d]}
        wide = line.reshape([sides.get(axis, 1) for axis in range(4)])
        counted(math.prod(shape))
        found.append(np.broadcast_to(wide, shape).reshape(-1, *size))
    return found
