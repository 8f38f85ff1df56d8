# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Resizing of images, and space traded for channels or batches."""

from __future__ import annotations

from armnn_py.descriptors import (
    BatchToSpaceNdDescriptor,
    ResizeDescriptor,
    SpaceDepthDescriptor,
    SpaceToBatchNdDescriptor,
)
from armnn_py.errors import ParseError
from armnn_py.frontends.common.resampling import rounded_half_pixels
from armnn_py.frontends.common.values import Known, Value
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import DataLayout, LayerType, ResizeMethod

_RESIZE = {
    "RESIZE_BILINEAR": ResizeMethod.BILINEAR,
    "RESIZE_NEAREST_NEIGHBOR": ResizeMethod.NEAREST_NEIGHBOR,
}
_DEPTH = {"DEPTH_TO_SPACE": LayerType.DEPTH_TO_SPACE, "SPACE_TO_DEPTH": LayerType.SPACE_TO_DEPTH}


@operator(*_RESIZE)
def _resize(view: OperatorView) -> Value:
    size = view.integers(1, "size")
    if len(size) != 2 or min(size) < 1:
        raise ParseError(f"target size {size} is not two numbers of at least 1")
    sides = view.need_rank(4)[1:3]
    align = bool(view.option("align_corners", False))
    half_pixel = bool(view.option("half_pixel_centers", False))
    if align and half_pixel:
        if view.op.name == "RESIZE_BILINEAR":
            raise ParseError(
                "'align_corners' and 'half_pixel_centers' are both true, expected at most one"
            )
        rows, columns = (
            Known(rounded_half_pixels(*pair)) for pair in zip(sides, size, strict=True)
        )
        return view.emit.gather(view.emit.gather(view.value(0), rows, 1, "rows"), columns, 2)
    if list(sides) == size:
        return view.value(0)
    descriptor = ResizeDescriptor(
        target_height=size[0],
        target_width=size[1],
        method=_RESIZE[view.op.name],
        data_layout=DataLayout.NHWC,
        align_corners=align,
        half_pixel_centers=half_pixel,
    )
    return view.layer(LayerType.RESIZE, [view.value(0)], descriptor)


@operator(*_DEPTH)
def _space_depth(view: OperatorView) -> Value:
    descriptor = SpaceDepthDescriptor(
        block_size=int(view.option("block_size")), data_layout=DataLayout.NHWC
    )
    return view.layer(_DEPTH[view.op.name], [view.value(0)], descriptor)


def _blocks(view: OperatorView, what: str) -> tuple[list[int], list[int], list[int]]:
    block, pairs = view.integers(1, "block shape"), view.integers(2, what)
    if len(pairs) != 2 * len(block) or min(pairs, default=0) < 0:
        raise ParseError(
            f"block shape {block} and {what} {pairs} do not fit, expected two {what} a dimension"
        )
    return block, pairs[0::2], pairs[1::2]


@operator("SPACE_TO_BATCH_ND")
def _space_to_batch(view: OperatorView) -> Value:
    block, before, after = _blocks(view, "paddings")
    descriptor = SpaceToBatchNdDescriptor(
        block_shape=tuple(block),
        pad_before=tuple(before),
        pad_after=tuple(after),
        data_layout=DataLayout.NHWC,
    )
    return view.layer(LayerType.SPACE_TO_BATCH_ND, [view.value(0)], descriptor)


@operator("BATCH_TO_SPACE_ND")
def _batch_to_space(view: OperatorView) -> Value:
    block, before, after = _blocks(view, "crops")
    descriptor = BatchToSpaceNdDescriptor(
        block_shape=tuple(block),
        crop_before=tuple(before),
        crop_after=tuple(after),
        data_layout=DataLayout.NHWC,
    )
    return view.layer(LayerType.BATCH_TO_SPACE_ND, [view.value(0)], descriptor)
