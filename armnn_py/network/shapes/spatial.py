# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Pooling, resizing, and layers that trade space for channels or batches.

Definitions: Arm NN's layers of these names; SpaceToDepth, DepthToSpace, SpaceToBatchNd and
BatchToSpaceNd as in TensorFlow.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from armnn_py.descriptors import (
    BatchToSpaceNdDescriptor,
    Pooling2dDescriptor,
    Pooling3dDescriptor,
    ResizeDescriptor,
    SpaceDepthDescriptor,
    SpaceToBatchNdDescriptor,
)
from armnn_py.network.shapes.common import window_count
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo
from armnn_py.types import LayerType, OutputShapeRounding


def _pooling2d(site: Site) -> list[TensorInfo]:
    d = site.parameters(Pooling2dDescriptor)
    shape = list(site.need_rank(4))
    site.need_number()
    ceiling = d.output_shape_rounding is OutputShapeRounding.CEILING
    y, x = d.data_layout.spatial_axes
    shape[y] = window_count(
        site,
        "height",
        shape[y],
        window=d.pool_height,
        stride=d.stride_y,
        dilation=d.dilation_y,
        before=d.pad_top,
        after=d.pad_bottom,
        ceiling=ceiling,
    )
    shape[x] = window_count(
        site,
        "width",
        shape[x],
        window=d.pool_width,
        stride=d.stride_x,
        dilation=d.dilation_x,
        before=d.pad_left,
        after=d.pad_right,
        ceiling=ceiling,
    )
    return site.moved(shape)


def _pooling3d(site: Site) -> list[TensorInfo]:
    d = site.parameters(Pooling3dDescriptor)
    shape = list(site.need_rank(5))
    site.need_number()
    for what, axis, window, stride, before, after in zip(
        ("depth", "height", "width"),
        d.data_layout.spatial_axes,
        (d.pool_depth, d.pool_height, d.pool_width),
        (d.stride_z, d.stride_y, d.stride_x),
        (d.pad_front, d.pad_top, d.pad_left),
        (d.pad_back, d.pad_bottom, d.pad_right),
        strict=True,
    ):
        shape[axis] = window_count(
            site,
            what,
            shape[axis],
            window=window,
            stride=stride,
            dilation=1,
            before=before,
            after=after,
            ceiling=d.output_shape_rounding is OutputShapeRounding.CEILING,
        )
    return site.moved(shape)


def _resize(site: Site) -> list[TensorInfo]:
    d = site.parameters(ResizeDescriptor)
    shape = list(site.need_rank(4))
    site.need_number()
    y, x = d.data_layout.spatial_axes
    if shape[y] < 1 or shape[x] < 1:
        site.fail("the input has no pixels to resize")
    shape[y], shape[x] = d.target_height, d.target_width
    return site.moved(shape)


def _space_to_depth(site: Site) -> list[TensorInfo]:
    d = site.parameters(SpaceDepthDescriptor)
    shape = list(site.need_rank(4))
    for axis in d.data_layout.spatial_axes:
        if shape[axis] % d.block_size:
            site.fail(f"dimension {axis} is {shape[axis]}, a multiple of {d.block_size} expected")
        shape[axis] //= d.block_size
    shape[d.data_layout.channel_axis] *= d.block_size**2
    return site.moved(shape)


def _depth_to_space(site: Site) -> list[TensorInfo]:
    d = site.parameters(SpaceDepthDescriptor)
    shape = list(site.need_rank(4))
    channels = d.data_layout.channel_axis
    if shape[channels] % d.block_size**2:
        site.fail(f"{shape[channels]} channels given, a multiple of {d.block_size**2} expected")
    shape[channels] //= d.block_size**2
    for axis in d.data_layout.spatial_axes:
        shape[axis] *= d.block_size
    return site.moved(shape)


def _blocks(
    site: Site, d: BatchToSpaceNdDescriptor | SpaceToBatchNdDescriptor
) -> tuple[list[int], range]:
    """Return the input's shape and the dimensions that the blocks cut."""
    count = len(d.block_shape)
    first = 2 if d.data_layout.channel_axis == 1 else 1
    return list(site.need_rank(count + 2)), range(first, first + count)


def _batch_to_space_nd(site: Site) -> list[TensorInfo]:
    d = site.parameters(BatchToSpaceNdDescriptor)
    shape, axes = _blocks(site, d)
    blocks = math.prod(d.block_shape)
    if shape[0] % blocks:
        site.fail(f"batch of {shape[0]} given, a multiple of {blocks} expected")
    shape[0] //= blocks
    for axis, block, before, after in zip(
        axes, d.block_shape, d.crop_before, d.crop_after, strict=True
    ):
        if before + after > shape[axis] * block:
            site.fail(f"{before + after} are cropped of the {shape[axis] * block} along {axis}")
        shape[axis] = shape[axis] * block - before - after
    return site.moved(shape)


def _space_to_batch_nd(site: Site) -> list[TensorInfo]:
    d = site.parameters(SpaceToBatchNdDescriptor)
    shape, axes = _blocks(site, d)
    shape[0] *= math.prod(d.block_shape)
    for axis, block, before, after in zip(
        axes, d.block_shape, d.pad_before, d.pad_after, strict=True
    ):
        padded = shape[axis] + before + after
        if padded % block:
            site.fail(f"dimension {axis} is {padded} with padding, a multiple of {block} expected")
        shape[axis] = padded // block
    return site.moved(shape)


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.BATCH_TO_SPACE_ND: _batch_to_space_nd,
    LayerType.DEPTH_TO_SPACE: _depth_to_space,
    LayerType.POOLING2D: _pooling2d,
    LayerType.POOLING3D: _pooling3d,
    LayerType.RESIZE: _resize,
    LayerType.SPACE_TO_BATCH_ND: _space_to_batch_nd,
    LayerType.SPACE_TO_DEPTH: _space_to_depth,
}
