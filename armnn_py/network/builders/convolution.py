# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of convolutions and fully connected layers."""

from __future__ import annotations

from msgspec.structs import replace

from armnn_py.descriptors import (
    Convolution2dDescriptor,
    Convolution3dDescriptor,
    DepthwiseConvolution2dDescriptor,
    FullyConnectedDescriptor,
)
from armnn_py.network.builders.arguments import (
    Padding,
    Window,
    Window3,
    check_descriptor,
    check_layout,
    is_default,
    pads,
    pads3,
    spatial_sizes,
    window,
    window3,
)
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataLayout, LayerType


class ConvolutionBuilders(NetworkCore):
    """Layers that multiply with weights.

    Each takes ``name=`` (one is made up without), ``backend=`` (a hint: the id of the backend that
    should run it) and ``output_info=`` (needed only for quantised outputs, whose scale cannot be
    inferred), and returns the new `Layer`.
    """

    __slots__ = ()

    def add_convolution2d(
        self,
        x: Source,
        weights: Source,
        bias: Source | None = None,
        *,
        stride: Window = 1,
        padding: Padding = "valid",
        dilation: Window = 1,
        groups: int = 1,
        data_layout: DataLayout = DataLayout.NHWC,
        descriptor: Convolution2dDescriptor | None = None,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a 2d convolution: Arm NN's Convolution2d, with groups as in ONNX's Conv.

        Parameters
        ----------
        x
            Images: [N, H, W, I] in NHWC, [N, I, H, W] in NCHW.
        weights
            [O, H, W, I / groups] in NHWC, [O, I / groups, H, W] in NCHW.
        bias
            [O].
        stride, dilation
            A number, or (height, width).
        padding
            ``"valid"`` (none), ``"same"`` (output of ``ceil(size / stride)``, an odd element goes
            to the bottom and right), a number, or (top, bottom, left, right).
        groups
            Groups of channels that do not see each other.
        data_layout
            NHWC or NCHW.
        descriptor
            All of these instead of the keywords.

        Returns
        -------
        Layer
            One output of ``(size + pads - dilation * (kernel - 1) - 1) // stride + 1`` along each
            spatial dimension, and O channels.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        InvalidArgumentError
            A parameter has no valid value.
        """
        image, kernel = self._resolve(x), self._resolve(weights)
        if descriptor is not None:
            check_descriptor("add_convolution2d()", descriptor, Convolution2dDescriptor)
            is_default(
                "add_convolution2d()",
                stride=(stride, 1),
                padding=(padding, "valid"),
                dilation=(dilation, 1),
                groups=(groups, 1),
                data_layout=(data_layout, DataLayout.NHWC),
            )
            descriptor = replace(descriptor, bias_enabled=bias is not None)
        else:
            check_layout(data_layout, 4)
            axes = data_layout.spatial_axes
            strides, dilations = window(stride, "stride"), window(dilation, "dilation")
            top, bottom, left, right = pads(
                padding,
                spatial_sizes(image.info, axes),
                spatial_sizes(kernel.info, axes),
                strides,
                dilations,
            )
            descriptor = Convolution2dDescriptor(
                pad_left=left,
                pad_right=right,
                pad_top=top,
                pad_bottom=bottom,
                stride_x=strides[1],
                stride_y=strides[0],
                dilation_x=dilations[1],
                dilation_y=dilations[0],
                bias_enabled=bias is not None,
                data_layout=data_layout,
                groups=groups,
            )
        return self._add(
            LayerType.CONVOLUTION2D, [image, kernel, bias], descriptor, output_info, name, backend
        )

    def add_depthwise_convolution2d(
        self,
        x: Source,
        weights: Source,
        bias: Source | None = None,
        *,
        stride: Window = 1,
        padding: Padding = "valid",
        dilation: Window = 1,
        data_layout: DataLayout = DataLayout.NHWC,
        descriptor: DepthwiseConvolution2dDescriptor | None = None,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a depthwise convolution: Arm NN's DepthwiseConvolution2d.

        Parameters
        ----------
        x
            Images: [N, H, W, I] in NHWC, [N, I, H, W] in NCHW.
        weights
            [1, H, W, I * M] in both layouts; output channel c reads input channel c // M.
        bias
            [I * M].
        stride, padding, dilation, data_layout, descriptor
            As in `add_convolution2d`.

        Returns
        -------
        Layer
            One output with I * M channels.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        InvalidArgumentError
            A parameter has no valid value.
        """
        image, kernel = self._resolve(x), self._resolve(weights)
        if descriptor is not None:
            check_descriptor(
                "add_depthwise_convolution2d()", descriptor, DepthwiseConvolution2dDescriptor
            )
            is_default(
                "add_depthwise_convolution2d()",
                stride=(stride, 1),
                padding=(padding, "valid"),
                dilation=(dilation, 1),
                data_layout=(data_layout, DataLayout.NHWC),
            )
            descriptor = replace(descriptor, bias_enabled=bias is not None)
        else:
            check_layout(data_layout, 4)
            strides, dilations = window(stride, "stride"), window(dilation, "dilation")
            top, bottom, left, right = pads(
                padding,
                spatial_sizes(image.info, data_layout.spatial_axes),
                spatial_sizes(kernel.info, (1, 2)),
                strides,
                dilations,
            )
            descriptor = DepthwiseConvolution2dDescriptor(
                pad_left=left,
                pad_right=right,
                pad_top=top,
                pad_bottom=bottom,
                stride_x=strides[1],
                stride_y=strides[0],
                dilation_x=dilations[1],
                dilation_y=dilations[0],
                bias_enabled=bias is not None,
                data_layout=data_layout,
            )
        return self._add(
            LayerType.DEPTHWISE_CONVOLUTION2D,
            [image, kernel, bias],
            descriptor,
            output_info,
            name,
            backend,
        )

    def add_convolution3d(
        self,
        x: Source,
        weights: Source,
        bias: Source | None = None,
        *,
        stride: Window3 = 1,
        padding: Padding = "valid",
        dilation: Window3 = 1,
        data_layout: DataLayout = DataLayout.NDHWC,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a 3d convolution: Arm NN's Convolution3d.

        Parameters
        ----------
        x
            Volumes: [N, D, H, W, I] in NDHWC, [N, I, D, H, W] in NCDHW.
        weights
            [D, H, W, I, O] in both layouts.
        bias
            [O].
        stride, dilation
            A number, or (depth, height, width).
        padding
            ``"valid"``, ``"same"``, a number, or (front, back, top, bottom, left, right).
        data_layout
            NDHWC or NCDHW.

        Returns
        -------
        Layer
            One output with O channels.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        InvalidArgumentError
            A parameter has no valid value.
        """
        check_layout(data_layout, 5)
        image, kernel = self._resolve(x), self._resolve(weights)
        strides, dilations = window3(stride, "stride"), window3(dilation, "dilation")
        front, back, top, bottom, left, right = pads3(
            padding,
            spatial_sizes(image.info, data_layout.spatial_axes),
            spatial_sizes(kernel.info, (0, 1, 2)),
            strides,
            dilations,
        )
        descriptor = Convolution3dDescriptor(
            pad_left=left,
            pad_right=right,
            pad_top=top,
            pad_bottom=bottom,
            pad_front=front,
            pad_back=back,
            stride_x=strides[2],
            stride_y=strides[1],
            stride_z=strides[0],
            dilation_x=dilations[2],
            dilation_y=dilations[1],
            dilation_z=dilations[0],
            bias_enabled=bias is not None,
            data_layout=data_layout,
        )
        return self._add(
            LayerType.CONVOLUTION3D, [image, kernel, bias], descriptor, output_info, name, backend
        )

    def add_fully_connected(
        self,
        x: Source,
        weights: Source,
        bias: Source | None = None,
        *,
        transpose_weight_matrix: bool = False,
        output_info: TensorInfo | None = None,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a fully connected layer: Arm NN's FullyConnected.

        Parameters
        ----------
        x
            [..., I]; an input whose last dimension is not I is flattened behind its first.
        weights
            [I, O], or [O, I] with ``transpose_weight_matrix``.
        bias
            [O].
        transpose_weight_matrix
            Whether the weights are [O, I].

        Returns
        -------
        Layer
            One output of [..., O], or [N, O] of a flattened input.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        InvalidArgumentError
            A parameter has no valid value.
        """
        image, kernel = self._resolve(x), self._resolve(weights)
        descriptor = FullyConnectedDescriptor(
            bias_enabled=bias is not None,
            transpose_weight_matrix=transpose_weight_matrix,
        )
        return self._add(
            LayerType.FULLY_CONNECTED, [image, kernel, bias], descriptor, output_info, name, backend
        )
