# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Convolutions over images and volumes, plain, depthwise and transposed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import (
    Convolution2dDescriptor,
    Convolution3dDescriptor,
    DepthwiseConvolution2dDescriptor,
    TransposeConvolution2dDescriptor,
)
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.common.windows import MOST_TAPS, Window, patches, same_pads
from armnn_py.frontends.tflite.hybrid import (
    MOST_EXACT_PRODUCTS,
    hybrid_levels,
    hybrid_numbers,
    hybrid_sums,
    is_hybrid,
)
from armnn_py.frontends.tflite.node import OperatorView, real
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import DataLayout, LayerType

_INT32 = np.iinfo(np.int32)


def window_of(
    view: OperatorView, size: Sequence[int], kernel: Sequence[int], dilation: Sequence[int]
) -> Window:
    """Return the window of an image operator; sizes are height and width."""
    stride = (int(view.option("stride_h")), int(view.option("stride_w")))
    if min(*stride, *dilation) < 1 or min(kernel) < 1:
        raise ParseError(
            f"kernel {list(kernel)}, strides {stride} and dilations {tuple(dilation)} must be at "
            "least 1"
        )
    return _window(view, size, kernel, stride, dilation)


def _window(
    view: OperatorView,
    size: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
) -> Window:
    count = len(size)
    pads = [0] * (2 * count)
    if view.choice("padding", "Padding") == "SAME":
        pads = same_pads(size, kernel, stride, dilation, is_upper=True)
    return Window(
        tuple(size), tuple(kernel), tuple(stride), tuple(dilation), tuple(pads[:count]),
        tuple(pads[count:]),
    )  # fmt: skip


def weights_of(view: OperatorView, index: int, x: Value) -> Value:
    """Return the weights for an input: those of 8 bits beside floats as float32."""
    value = view.value(index)
    if quantization_of(x) is not None or dtype_of(value) == dtype_of(x):
        return value
    return view.real(index, "weights")


def bias_of(view: OperatorView, index: int, channels: int, x: Value) -> Value | None:
    """Return the bias of a weighted operator, if it has one.

    That of quantised numbers counts in steps that follow from input and weights, whatever scale the
    file states. Beside int16 inputs it has 64 bits, which decide how sums are rounded; others are
    made 32.
    """
    if not view.has(index):
        return None
    bias = view.value(index)
    if shape_of(bias) != (channels,):
        bias = view.emit.reshape(bias, (channels,), "bias")
    if quantization_of(x) is None:
        return real(view.emit, bias, "bias")
    if dtype_of(bias) != np.int64 or dtype_of(x) == np.int16:
        return bias
    if not isinstance(bias, Known):
        raise Unsupported("a bias of 64 bits computed at run time")
    numbers = bias.array
    if numbers.size and (numbers.min() < _INT32.min or numbers.max() > _INT32.max):
        raise Unsupported("a bias beyond 32 bits")
    return Known(numbers.astype(np.int32))


def _dilation(view: OperatorView) -> tuple[int, int]:
    return int(view.option("dilation_h_factor", 1)), int(view.option("dilation_w_factor", 1))


@operator("CONV_2D")
def _conv_2d(view: OperatorView) -> Value:
    x = view.value(0)
    channels = view.need_rank(4)[3]
    outputs, height, width, inputs = view.need_rank(4, 1)
    if not inputs or channels % inputs or outputs % max(channels // inputs, 1):
        raise ParseError(f"weights of shape {view.shape(1)} do not fit {channels} channels")
    window = window_of(view, view.shape(0)[1:3], (height, width), _dilation(view))
    bias = bias_of(view, 2, outputs, x)
    weights = view.value(1)
    fits = inputs == channels and height * width <= MOST_TAPS and window.fits
    if is_hybrid(weights, x) and fits:
        return view.activated(_hybrid_convolution(view, x, weights, bias, window))
    descriptor = Convolution2dDescriptor(
        **window.descriptor_fields(),
        bias_enabled=bias is not None,
        data_layout=DataLayout.NHWC,
        groups=channels // inputs,
    )
    operands = [x, weights_of(view, 1, x), bias]
    made = view.layer(LayerType.CONVOLUTION2D, operands, descriptor, name=view.part("conv"))
    return view.activated(made)


def _hybrid_convolution(
    view: OperatorView, x: Value, weights: Known, bias: Value | None, window: Window
) -> Value:
    """Convolve in whole numbers: each image has a scale that follows from its range.

    The range is symmetric where all weights share one scale, which is LiteRT's rule.
    """
    emit, (batch, height, width, channels) = view.emit, shape_of(x)
    outputs, quantization = weights.shape[0], weights.quantization
    assert quantization is not None
    rows = emit.reshape(x, (batch, height * width * channels), "images")
    symmetric = len(quantization.scales) == 1
    levels, scale, point = hybrid_levels(view, rows, symmetric=symmetric)
    with emit.below("hybrid"):
        image = emit.reshape(levels, (batch, height, width, channels), "image")
        fill = Known(np.zeros((), np.int8)) if point is None else point
        seen = patches(emit, image, window, fill)
        if point is not None:
            point = emit.reshape(point, (batch, 1, 1), "zero_point")
            if batch > 1:
                point = emit.broadcast_to(point, (*shape_of(seen)[:2], 1), "zero_points")
        scale = emit.reshape(scale, (batch, 1, 1), "scales")
    matrix = Known(np.ascontiguousarray(weights.array.reshape(outputs, -1).T))
    made = hybrid_sums(view, seen, point, scale, weights, matrix, bias, "product")
    return emit.reshape(made, (batch, *window.output_size(ceil=False), outputs), view.part("conv"))


@operator("DEPTHWISE_CONV_2D")
def _depthwise_conv_2d(view: OperatorView) -> Value:
    x = view.value(0)
    view.need_rank(4)
    _, height, width, outputs = view.need_rank(4, 1)
    window = window_of(view, view.shape(0)[1:3], (height, width), _dilation(view))
    bias = bias_of(view, 2, outputs, x)
    weights = view.value(1)
    fits = window.fits and height * width <= MOST_EXACT_PRODUCTS
    if fits and is_hybrid(weights, x, 3) and _has_all_scales(weights, outputs):
        return view.activated(_hybrid_depthwise(view, x, weights, bias, window))
    descriptor = DepthwiseConvolution2dDescriptor(
        **window.descriptor_fields(), bias_enabled=bias is not None, data_layout=DataLayout.NHWC
    )
    operands = [x, weights_of(view, 1, x), bias]
    kind = LayerType.DEPTHWISE_CONVOLUTION2D
    return view.activated(view.layer(kind, operands, descriptor, name=view.part("conv")))


def _has_all_scales(weights: Known, outputs: int) -> bool:
    """Whether each output has a scale: LiteRT has no kernel for one scale of several outputs."""
    quantization = weights.quantization
    return quantization is not None and len(quantization.scales) == outputs


def _hybrid_depthwise(
    view: OperatorView, x: Value, weights: Known, bias: Value | None, window: Window
) -> Value:
    """Convolve whole numbers of each image, whose scale and zero point follow from its range."""
    emit, (batch, height, width, channels) = view.emit, shape_of(x)
    quantization = weights.quantization
    assert quantization is not None
    numbers, scale = hybrid_numbers(
        view, emit.reshape(x, (batch, height * width * channels), "images")
    )
    descriptor = DepthwiseConvolution2dDescriptor(
        **window.descriptor_fields(), data_layout=DataLayout.NHWC
    )
    with emit.below("hybrid"):
        image = emit.reshape(numbers, (batch, height, width, channels), "image")
        steps = Known(weights.array.astype(np.float32))
        kind = LayerType.DEPTHWISE_CONVOLUTION2D
        sums = emit.layer(kind, [image, steps], descriptor, name="sums")
        scale = emit.reshape(scale, (batch, 1, 1, 1), "scales")
        of_weights = Known(np.array(quantization.scales, np.float32))
        factors = emit.mul(scale, of_weights, "factors")
    if bias is None:
        return emit.mul(sums, factors, view.part("conv"))
    return emit.add(emit.mul(sums, factors, "hybrid/real"), bias, view.part("conv"))


@operator("CONV_3D")
def _conv_3d(view: OperatorView) -> Value:
    x = view.value(0)
    size = view.need_rank(5)[1:4]
    *kernel, _, outputs = view.need_rank(5, 1)
    stride = [int(view.option(f"stride_{axis}")) for axis in "dhw"]
    dilation = [int(view.option(f"dilation_{axis}_factor", 1)) for axis in "dhw"]
    if min(*stride, *dilation, *kernel) < 1:
        raise ParseError(
            f"kernel {kernel}, strides {stride} and dilations {dilation} must be at least 1"
        )
    window = _window(view, size, kernel, stride, dilation)
    bias = bias_of(view, 2, outputs, x)
    descriptor = Convolution3dDescriptor(
        **window.descriptor_fields(),
        bias_enabled=bias is not None,
        data_layout=DataLayout.NDHWC,
    )
    operands = [x, weights_of(view, 1, x), bias]
    made = view.layer(LayerType.CONVOLUTION3D, operands, descriptor, name=view.part("conv"))
    return view.activated(made)


@operator("TRANSPOSE_CONV")
def _transpose_conv(view: OperatorView) -> Value:
    stated = view.integers(0, "output shape")
    size = view.need_rank(4, 2)
    outputs, height, width, _ = view.need_rank(4, 1)
    if len(stated) != 4 or stated[0] != size[0] or stated[3] != outputs or min(stated) < 1:
        raise ParseError(
            f"output shape {stated} does not fit an input of {size} and {outputs} output channels"
        )
    stride = (int(view.option("stride_h")), int(view.option("stride_w")))
    if min(*stride, height, width) < 1:
        raise ParseError(f"kernel {[height, width]} and strides {stride} must be at least 1")
    before = [0, 0]
    if view.choice("padding", "Padding") == "SAME":
        before = same_pads(stated[1:3], (height, width), stride, (1, 1), is_upper=True)[:2]
    x = view.value(2)
    made = transposed(
        view, x, weights_of(view, 1, x), bias_of(view, 3, outputs, x), stride=stride,
        before=before, output=tuple(stated), name=view.part("conv"),
    )  # fmt: skip
    return view.activated(made)


def transposed(
    view: OperatorView,
    x: Value,
    weights: Value,
    bias: Value | None,
    *,
    stride: Sequence[int],
    before: Sequence[int],
    output: tuple[int, ...],
    name: str = "",
) -> Value:
    """Add a transposed convolution whose output has a stated shape, NHWC."""
    kernel, size = shape_of(weights)[1:3], shape_of(x)[1:3]
    full = [(n - 1) * s + k for n, s, k in zip(size, stride, kernel, strict=True)]
    after = [f - b - o for f, b, o in zip(full, before, output[1:3], strict=True)]
    descriptor = TransposeConvolution2dDescriptor(
        pad_top=before[0],
        pad_left=before[1],
        pad_bottom=max(after[0], 0),
        pad_right=max(after[1], 0),
        stride_y=stride[0],
        stride_x=stride[1],
        bias_enabled=bias is not None,
        data_layout=DataLayout.NHWC,
        output_shape_enabled=min(after) < 0,
    )
    return view.emit.layer(
        LayerType.TRANSPOSE_CONVOLUTION2D,
        [x, weights, bias],
        descriptor,
        name=name,
        output=view.info(output),
    )
