# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parameters of convolution, pooling and resize layers, and of what else moves over an image."""

from __future__ import annotations

from typing import ClassVar

from armnn_py.descriptors.base import Count, Counts, Descriptor, Positive, Positives, fail, record
from armnn_py.types import (
    DataLayout,
    LayerType,
    OutputShapeRounding,
    PaddingMethod,
    PoolingAlgorithm,
    ResizeMethod,
)

__all__ = [
    "BatchToSpaceNdDescriptor",
    "Convolution2dDescriptor",
    "Convolution3dDescriptor",
    "DepthwiseConvolution2dDescriptor",
    "Pooling2dDescriptor",
    "Pooling3dDescriptor",
    "ResizeDescriptor",
    "SpaceDepthDescriptor",
    "SpaceToBatchNdDescriptor",
    "TransposeConvolution2dDescriptor",
]


def _check_layout(descriptor: Descriptor, layout: DataLayout, rank: int) -> None:
    if layout.rank != rank:
        expected = " or ".join(member.name for member in DataLayout if member.rank == rank)
        fail(descriptor, f"data_layout {layout.name} given, {expected} expected")


@record
class Convolution2dDescriptor(Descriptor):
    """Convolution2d: weights are NCHW [O, I / groups, H, W] or NHWC [O, H, W, I / groups]."""

    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    stride_x: Positive = 1
    stride_y: Positive = 1
    dilation_x: Positive = 1
    dilation_y: Positive = 1
    bias_enabled: bool = False
    data_layout: DataLayout = DataLayout.NCHW
    groups: Positive = 1

    layer_types: ClassVar = (LayerType.CONVOLUTION2D,)

    def _check(self) -> None:
        _check_layout(self, self.data_layout, 4)


@record
class DepthwiseConvolution2dDescriptor(Descriptor):
    """DepthwiseConvolution2d: weights are [1, H, W, I * M] in both layouts."""

    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    stride_x: Positive = 1
    stride_y: Positive = 1
    dilation_x: Positive = 1
    dilation_y: Positive = 1
    bias_enabled: bool = False
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.DEPTHWISE_CONVOLUTION2D,)

    def _check(self) -> None:
        _check_layout(self, self.data_layout, 4)


@record
class Convolution3dDescriptor(Descriptor):
    """Convolution3d: weights are [D, H, W, I, O]."""

    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    pad_front: Count = 0
    pad_back: Count = 0
    stride_x: Positive = 1
    stride_y: Positive = 1
    stride_z: Positive = 1
    dilation_x: Positive = 1
    dilation_y: Positive = 1
    dilation_z: Positive = 1
    bias_enabled: bool = False
    data_layout: DataLayout = DataLayout.NDHWC

    layer_types: ClassVar = (LayerType.CONVOLUTION3D,)

    def _check(self) -> None:
        _check_layout(self, self.data_layout, 5)


@record
class TransposeConvolution2dDescriptor(Descriptor):
    """TransposeConvolution2d: weights are NCHW [O, I / groups, H, W] or NHWC [O, H, W, I / groups].

    An input element at (y, x) adds to output (y * stride + ky * dilation - pad). With
    ``output_shape_enabled`` the output's info rules over the formula.
    """

    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    stride_x: Positive = 1
    stride_y: Positive = 1
    bias_enabled: bool = False
    data_layout: DataLayout = DataLayout.NCHW
    output_shape_enabled: bool = False
    dilation_x: Positive = 1
    dilation_y: Positive = 1
    groups: Positive = 1

    layer_types: ClassVar = (LayerType.TRANSPOSE_CONVOLUTION2D,)

    def _check(self) -> None:
        _check_layout(self, self.data_layout, 4)


@record
class Pooling2dDescriptor(Descriptor):
    """Pooling2d."""

    pool_type: PoolingAlgorithm = PoolingAlgorithm.MAX
    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    pool_width: Positive = 1
    pool_height: Positive = 1
    stride_x: Positive = 1
    stride_y: Positive = 1
    output_shape_rounding: OutputShapeRounding = OutputShapeRounding.FLOOR
    padding_method: PaddingMethod = PaddingMethod.EXCLUDE
    data_layout: DataLayout = DataLayout.NCHW
    dilation_x: Positive = 1
    dilation_y: Positive = 1

    layer_types: ClassVar = (LayerType.POOLING2D,)

    def _check(self) -> None:
        _check_layout(self, self.data_layout, 4)


@record
class Pooling3dDescriptor(Descriptor):
    """Pooling3d."""

    pool_type: PoolingAlgorithm = PoolingAlgorithm.MAX
    pad_left: Count = 0
    pad_right: Count = 0
    pad_top: Count = 0
    pad_bottom: Count = 0
    pad_front: Count = 0
    pad_back: Count = 0
    pool_width: Positive = 1
    pool_height: Positive = 1
    pool_depth: Positive = 1
    stride_x: Positive = 1
    stride_y: Positive = 1
    stride_z: Positive = 1
    output_shape_rounding: OutputShapeRounding = OutputShapeRounding.FLOOR
    padding_method: PaddingMethod = PaddingMethod.EXCLUDE
    data_layout: DataLayout = DataLayout.NCDHW

    layer_types: ClassVar = (LayerType.POOLING3D,)

    def _check(self) -> None:
        _check_layout(self, self.data_layout, 5)


@record
class ResizeDescriptor(Descriptor):
    """Resize: which position is read for which is defined in ``armnn/descriptors.h``."""

    target_width: Positive = 1
    target_height: Positive = 1
    method: ResizeMethod = ResizeMethod.NEAREST_NEIGHBOR
    data_layout: DataLayout = DataLayout.NCHW
    align_corners: bool = False
    half_pixel_centers: bool = False

    layer_types: ClassVar = (LayerType.RESIZE,)

    def _check(self) -> None:
        _check_layout(self, self.data_layout, 4)
        if self.align_corners and self.half_pixel_centers:
            fail(self, "align_corners and half_pixel_centers exclude each other")


@record
class SpaceDepthDescriptor(Descriptor):
    """SpaceToDepth and DepthToSpace (TensorFlow's definition)."""

    block_size: Positive = 1
    data_layout: DataLayout = DataLayout.NHWC

    layer_types: ClassVar = (LayerType.DEPTH_TO_SPACE, LayerType.SPACE_TO_DEPTH)

    def _check(self) -> None:
        _check_layout(self, self.data_layout, 4)


def _check_blocks(
    descriptor: Descriptor, block: tuple[int, ...], before: tuple[int, ...], after: tuple[int, ...]
) -> None:
    if not len(block) == len(before) == len(after):
        fail(
            descriptor,
            f"block_shape has {len(block)} values, before {len(before)}, after {len(after)}: "
            "equally many expected",
        )


@record
class BatchToSpaceNdDescriptor(Descriptor):
    """BatchToSpaceNd (TensorFlow's definition)."""

    block_shape: Positives = (1, 1)
    crop_before: Counts = (0, 0)
    crop_after: Counts = (0, 0)
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.BATCH_TO_SPACE_ND,)

    def _check(self) -> None:
        _check_blocks(self, self.block_shape, self.crop_before, self.crop_after)


@record
class SpaceToBatchNdDescriptor(Descriptor):
    """SpaceToBatchNd (TensorFlow's definition)."""

    block_shape: Positives = (1, 1)
    pad_before: Counts = (0, 0)
    pad_after: Counts = (0, 0)
    data_layout: DataLayout = DataLayout.NCHW

    layer_types: ClassVar = (LayerType.SPACE_TO_BATCH_ND,)

    def _check(self) -> None:
        _check_blocks(self, self.block_shape, self.pad_before, self.pad_after)
