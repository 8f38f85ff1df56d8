# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Convolutions and fully connected layers.

Definitions: Arm NN's layers of these names, with groups and dilation as ONNX's Conv and
ConvTranspose have them; weight layouts as in ``armnn/descriptors.h``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from armnn_py.descriptors import (
    Convolution2dDescriptor,
    Convolution3dDescriptor,
    DepthwiseConvolution2dDescriptor,
    Descriptor,
    FullyConnectedDescriptor,
    TransposeConvolution2dDescriptor,
)
from armnn_py.network.shapes.common import window_count
from armnn_py.network.shapes.site import Site
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.types import DataLayout, DataType, LayerType


def output_dimension(descriptor: Descriptor | None) -> int:
    """Return the dimension of the weights that has the output channels."""
    if isinstance(descriptor, FullyConnectedDescriptor):
        return 0 if descriptor.transpose_weight_matrix else 1
    if isinstance(descriptor, DepthwiseConvolution2dDescriptor):
        return 3
    return 4 if isinstance(descriptor, Convolution3dDescriptor) else 0


def _check_weighted(site: Site, bias_enabled: bool, channels: int) -> None:
    """Check types and scales of input, weights and bias, and the shape of the bias."""
    data_type = site.need_number()
    if data_type.is_quantized:
        site.need_type(1, DataType.QSYMM_S8, DataType.QASYMM_S8, DataType.QASYMM_U8)
        site.need_scales(0)
        site.need_scales(1, output_dimension(site.descriptor))
    else:
        site.need_same_type(0, 1)
    bias = site.optional(2)
    if bias_enabled != (bias is not None):
        site.fail(f"bias_enabled is {bias_enabled}, but a bias is {'not ' * bias_enabled}given")
    if bias is None:
        return
    if data_type.is_quantized:
        wide = (DataType.SIGNED64,) if data_type is DataType.QSYMM_S16 else ()
        site.need_type(2, DataType.SIGNED32, *wide)
    else:
        site.need_same_type(0, 2)
    site.need_shape((channels,), 2, why="a value for each output channel")


def _check_channels(site: Site, given: int, per_group: int, outputs: int, groups: int) -> None:
    layout = "[O, I / groups, H, W] in NCHW, [O, H, W, I / groups] in NHWC"
    if given != per_group * groups:
        grouped = f" in {groups} groups" if groups > 1 else ""
        site.fail(
            f"input has {given} channels, {per_group * groups} expected by the weights{grouped}",
            hint=f"weights are laid out {layout}",
        )
    if outputs % groups:
        site.fail(f"{outputs} output channels do not divide into {groups} groups")


def _weights(site: Site, layout: DataLayout) -> tuple[int, int, int, int]:
    """Return output channels, input channels of a group, height and width of 2d weights."""
    shape = site.need_rank(4, 1, hint="weights have four dimensions, see armnn/descriptors.h")
    if layout is DataLayout.NCHW:
        outputs, inputs, height, width = shape
    else:
        outputs, height, width, inputs = shape
    return outputs, inputs, height, width


def _image(layout: DataLayout, batch: int, channels: int, *spatial: int) -> tuple[int, ...]:
    if layout.channel_axis == 1:
        return (batch, channels, *spatial)
    return (batch, *spatial, channels)


def _convolution2d(site: Site) -> list[TensorInfo]:
    d = site.parameters(Convolution2dDescriptor)
    shape = site.need_rank(4)
    outputs, inputs, kernel_y, kernel_x = _weights(site, d.data_layout)
    _check_weighted(site, d.bias_enabled, outputs)
    _check_channels(site, shape[d.data_layout.channel_axis], inputs, outputs, d.groups)
    size_y, size_x = (shape[axis] for axis in d.data_layout.spatial_axes)
    return site.computed(
        _image(
            d.data_layout, shape[0], outputs, *_windows(site, d, size_y, size_x, kernel_y, kernel_x)
        )
    )


def _windows(
    site: Site,
    d: Convolution2dDescriptor | DepthwiseConvolution2dDescriptor,
    size_y: int,
    size_x: int,
    kernel_y: int,
    kernel_x: int,
) -> tuple[int, int]:
    return (
        window_count(
            site,
            "height",
            size_y,
            window=kernel_y,
            stride=d.stride_y,
            dilation=d.dilation_y,
            before=d.pad_top,
            after=d.pad_bottom,
        ),
        window_count(
            site,
            "width",
            size_x,
            window=kernel_x,
            stride=d.stride_x,
            dilation=d.dilation_x,
            before=d.pad_left,
            after=d.pad_right,
        ),
    )


def _depthwise_convolution2d(site: Site) -> list[TensorInfo]:
    d = site.parameters(DepthwiseConvolution2dDescriptor)
    shape = site.need_rank(4)
    hint = "depthwise weights are laid out [1, H, W, I * M] in both data layouts"
    one, kernel_y, kernel_x, outputs = site.need_rank(4, 1, hint=hint)
    channels = shape[d.data_layout.channel_axis]
    if one != 1 or channels < 1 or outputs % channels:
        site.fail(
            f"weights {format_shape(site.shape(1))} do not fit {channels} input channels", hint=hint
        )
    _check_weighted(site, d.bias_enabled, outputs)
    size_y, size_x = (shape[axis] for axis in d.data_layout.spatial_axes)
    return site.computed(
        _image(
            d.data_layout, shape[0], outputs, *_windows(site, d, size_y, size_x, kernel_y, kernel_x)
        )
    )


def _convolution3d(site: Site) -> list[TensorInfo]:
    d = site.parameters(Convolution3dDescriptor)
    shape = site.need_rank(5)
    *kernel, inputs, outputs = site.need_rank(5, 1, hint="3d weights are laid out [D, H, W, I, O]")
    _check_weighted(site, d.bias_enabled, outputs)
    channels = shape[d.data_layout.channel_axis]
    if channels != inputs:
        site.fail(
            f"input has {channels} channels, {inputs} expected by the weights",
            hint="3d weights are laid out [D, H, W, I, O]",
        )
    spatial = [
        window_count(
            site,
            what,
            shape[axis],
            window=window,
            stride=stride,
            dilation=dilation,
            before=before,
            after=after,
        )
        for what, axis, window, stride, dilation, before, after in zip(
            ("depth", "height", "width"),
            d.data_layout.spatial_axes,
            kernel,
            (d.stride_z, d.stride_y, d.stride_x),
            (d.dilation_z, d.dilation_y, d.dilation_x),
            (d.pad_front, d.pad_top, d.pad_left),
            (d.pad_back, d.pad_bottom, d.pad_right),
            strict=True,
        )
    ]
    return site.computed(_image(d.data_layout, shape[0], outputs, *spatial))


def _transpose_convolution2d(site: Site) -> list[TensorInfo]:
    d = site.parameters(TransposeConvolution2dDescriptor)
    shape = site.need_rank(4)
    outputs, inputs, kernel_y, kernel_x = _weights(site, d.data_layout)
    _check_weighted(site, d.bias_enabled, outputs)
    _check_channels(site, shape[d.data_layout.channel_axis], inputs, outputs, d.groups)
    if d.output_shape_enabled:
        return site.computed(_stated_image(site, d.data_layout, shape[0], outputs))
    size_y, size_x = (shape[axis] for axis in d.data_layout.spatial_axes)
    spatial = (
        (size_y - 1) * d.stride_y + d.dilation_y * (kernel_y - 1) + 1 - d.pad_top - d.pad_bottom,
        (size_x - 1) * d.stride_x + d.dilation_x * (kernel_x - 1) + 1 - d.pad_left - d.pad_right,
    )
    if min(*spatial, size_y, size_x, kernel_y, kernel_x) < 1:
        site.fail(f"the output would be {spatial[0]} high and {spatial[1]} wide", hint="pad less")
    return site.computed(_image(d.data_layout, shape[0], outputs, *spatial))


def _stated_image(site: Site, layout: DataLayout, batch: int, channels: int) -> tuple[int, ...]:
    """Return the output of a transposed convolution with ``output_shape_enabled``."""
    if not site.outputs:
        site.fail("output_shape_enabled, but no output shape is given")
    stated = site.outputs[0].static_shape
    if len(stated) == 4:
        spatial = tuple(stated[axis] for axis in layout.spatial_axes)
        if min(spatial) >= 1 and stated == _image(layout, batch, channels, *spatial):
            return stated
    rule = format_shape(_image(layout, batch, channels, 1, 1))
    site.fail(
        f"output shape {format_shape(stated)} given, {batch} images of {channels} channels "
        f"expected, as in {rule}"
    )


def _fully_connected(site: Site) -> list[TensorInfo]:
    d = site.parameters(FullyConnectedDescriptor)
    shape = site.need_least_rank(1)
    weights = site.need_rank(2, 1)
    inputs, outputs = reversed(weights) if d.transpose_weight_matrix else weights
    _check_weighted(site, d.bias_enabled, outputs)
    if shape[-1] == inputs:
        return site.computed((*shape[:-1], outputs))
    flat = math.prod(shape[1:])
    if len(shape) < 2 or flat != inputs:
        order = "[O, I]" if d.transpose_weight_matrix else "[I, O]"
        site.fail(
            f"input has {flat if len(shape) > 1 else shape[0]} values per row, {inputs} expected "
            "by the weights",
            hint=f"weights are laid out {order} with this transpose_weight_matrix",
        )
    return site.computed((shape[0], outputs))


RULES: dict[LayerType, Callable[[Site], list[TensorInfo]]] = {
    LayerType.CONVOLUTION2D: _convolution2d,
    LayerType.CONVOLUTION3D: _convolution3d,
    LayerType.DEPTHWISE_CONVOLUTION2D: _depthwise_convolution2d,
    LayerType.FULLY_CONNECTED: _fully_connected,
    LayerType.TRANSPOSE_CONVOLUTION2D: _transpose_convolution2d,
}
