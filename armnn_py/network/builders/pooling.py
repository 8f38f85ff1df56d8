# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of pooling and resizing."""

from __future__ import annotations

from armnn_py.descriptors import Pooling2dDescriptor, Pooling3dDescriptor, ResizeDescriptor
from armnn_py.network.builders.arguments import (
    Padding,
    Window,
    Window3,
    check_layout,
    pads,
    pads3,
    spatial_sizes,
    window,
    window3,
)
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    DataLayout,
    LayerType,
    OutputShapeRounding,
    PaddingMethod,
    PoolingAlgorithm,
    ResizeMethod,
)


class PoolingBuilders(NetworkCore):
    """Layers that read an image window by window; ``name=``, ``backend=`` and ``output_info=`` as
    everywhere.
    """

    __slots__ = ()

    def add_pooling2d(
        self,
        x: Source,
        pool_type: PoolingAlgorithm,
        pool_size: Window,
        *,
        stride: Window | None = None,
        padding: Padding = "valid",
        dilation: Window = 1,
        rounding: OutputShapeRounding = OutputShapeRounding.FLOOR,
        padding_method: PaddingMethod = PaddingMethod.EXCLUDE,
        data_layout: DataLayout = DataLayout.NHWC,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add pooling: Arm NN's Pooling2d, with dilation as in ONNX's MaxPool.

        Parameters
        ----------
        x
            Images: [N, H, W, C] in NHWC, [N, C, H, W] in NCHW.
        pool_type
            Maximum, average or L2 norm.
        pool_size
            A number, or (height, width); global pooling is the input's own height and width.
        stride
            A number, or (height, width); the pool size without.
        padding
            ``"valid"``, ``"same"``, a number, or (top, bottom, left, right).
        dilation
            A number, or (height, width).
        rounding
            Whether windows that do not fit wholly are dropped or kept; one that would start
            behind the input and its leading padding is always dropped.
        padding_method
            Whether padding counts in the divisor of an average.
        data_layout
            NHWC or NCHW.

        Returns
        -------
        Layer
            One output with the input's channels.

        Raises
        ------
        LayerValidationError
            The window does not fit.
        InvalidArgumentError
            A parameter has no valid value.
        """
        check_layout(data_layout, 4)
        image = self._resolve(x)
        size = window(pool_size, "pool_size")
        strides = size if stride is None else window(stride, "stride")
        dilations = window(dilation, "dilation")
        sizes = spatial_sizes(image.info, data_layout.spatial_axes)
        top, bottom, left, right = pads(padding, sizes, size, strides, dilations)
        descriptor = Pooling2dDescriptor(
            pool_type=pool_type,
            pad_left=left,
            pad_right=right,
            pad_top=top,
            pad_bottom=bottom,
            pool_width=size[1],
            pool_height=size[0],
            stride_x=strides[1],
            stride_y=strides[0],
            output_shape_rounding=rounding,
            padding_method=padding_method,
            data_layout=data_layout,
            dilation_x=dilations[1],
            dilation_y=dilations[0],
        )
        return self._add(LayerType.POOLING2D, [image], descriptor, output_info, name, backend)

    def add_pooling3d(
        self,
        x: Source,
        pool_type: PoolingAlgorithm,
        pool_size: Window3,
        *,
        stride: Window3 | None = None,
        padding: Padding = "valid",
        rounding: OutputShapeRounding = OutputShapeRounding.FLOOR,
        padding_method: PaddingMethod = PaddingMethod.EXCLUDE,
        data_layout: DataLayout = DataLayout.NDHWC,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add pooling of volumes: Arm NN's Pooling3d.

        Parameters
        ----------
        x
            Volumes: [N, D, H, W, C] in NDHWC, [N, C, D, H, W] in NCDHW.
        pool_type, rounding, padding_method
            As in `add_pooling2d`.
        pool_size, stride
            A number, or (depth, height, width).
        padding
            ``"valid"``, ``"same"``, a number, or (front, back, top, bottom, left, right).
        data_layout
            NDHWC or NCDHW.

        Returns
        -------
        Layer
            One output with the input's channels.

        Raises
        ------
        LayerValidationError
            The window does not fit.
        InvalidArgumentError
            A parameter has no valid value.
        """
        check_layout(data_layout, 5)
        image = self._resolve(x)
        size = window3(pool_size, "pool_size")
        strides = size if stride is None else window3(stride, "stride")
        sizes = spatial_sizes(image.info, data_layout.spatial_axes)
        front, back, top, bottom, left, right = pads3(padding, sizes, size, strides, (1, 1, 1))
        descriptor = Pooling3dDescriptor(
            pool_type=pool_type,
            pad_left=left,
            pad_right=right,
            pad_top=top,
            pad_bottom=bottom,
            pad_front=front,
            pad_back=back,
            pool_width=size[2],
            pool_height=size[1],
            pool_depth=size[0],
            stride_x=strides[2],
            stride_y=strides[1],
            stride_z=strides[0],
            output_shape_rounding=rounding,
            padding_method=padding_method,
            data_layout=data_layout,
        )
        return self._add(LayerType.POOLING3D, [image], descriptor, output_info, name, backend)

    def add_resize(
        self,
        x: Source,
        size: tuple[int, int],
        method: ResizeMethod = ResizeMethod.NEAREST_NEIGHBOR,
        *,
        align_corners: bool = False,
        half_pixel_centers: bool = False,
        data_layout: DataLayout = DataLayout.NHWC,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a resize: Arm NN's Resize, positions as defined in ``armnn/descriptors.h``.

        Parameters
        ----------
        x
            Images: [N, H, W, C] in NHWC, [N, C, H, W] in NCHW.
        size
            (height, width) of the output.
        method
            Bilinear or nearest neighbour.
        align_corners, half_pixel_centers
            How positions map.
        data_layout
            NHWC or NCHW.

        Returns
        -------
        Layer
            One output with the input's batch and channels.

        Raises
        ------
        LayerValidationError
            The input does not have four dimensions.
        InvalidArgumentError
            A parameter has no valid value.
        """
        height, width = window(size, "size")
        descriptor = ResizeDescriptor(
            target_width=width,
            target_height=height,
            method=method,
            data_layout=data_layout,
            align_corners=align_corners,
            half_pixel_centers=half_pixel_centers,
        )
        return self._add(LayerType.RESIZE, [x], descriptor, None, name, backend)
