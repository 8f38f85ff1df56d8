# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Convolutions over images and volumes, plain, depthwise and transposed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armnn_py.descriptors import (
    Convolution2dDescriptor,
    Convolution3dDescriptor,
    DepthwiseConvolution2dDescriptor,
    TransposeConvolution2dDescriptor,
)
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.common.windows import Window, same_pads
from armnn_py.frontends.tflite.node import OperatorView, real
from armnn_py.frontends.tflite.table import operator
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataLayout, LayerType

__all__ = ["bias_of", "transposed", "weights_of", "window_of"]

_INT32 = np.iinfo(np.int32)


def window_of(
    view: OperatorView, size: Sequence[int], kernel: Sequence[int], dilation: Sequence[int]
) -> Window:
    """Return the window of an image operator; sizes are height and width."""
    stride = (int(view.option("stride_h")), int(view.option("stride_w")))
    if min(*stride, *dilation) < 1 or min(kernel) < 1:
        raise ParseError(f"kernel {list(kernel)}, strides {stride}, dilations {tuple(dilation)}")
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


def weights_of(view: OperatorView, index: int) -> Value:
    """Return weights: those of 8 bits beside float activations as float32."""
    value = view.value(index)
    if view.is_quantized(0) or dtype_of(value) == dtype_of(view.value(0)):
        return value
    return view.real(index, "weights")


def bias_of(view: OperatorView, index: int, channels: int) -> Value | None:
    """Return the bias of a weighted operator; 64-bit ones of int16 layers as 32 bits."""
    if not view.has(index):
        return None
    bias = view.value(index)
    if shape_of(bias) != (channels,):
        bias = view.emit.reshape(bias, (channels,), "bias")
    if not view.is_quantized(0):
        return real(view.emit, bias, "bias")
    if dtype_of(bias) == np.int64:
        if not isinstance(bias, Known):
            raise Unsupported("a bias of 64 bits computed at run time")
        numbers = bias.array
        if numbers.size and (numbers.min() < _INT32.min or numbers.max() > _INT32.max):
            raise Unsupported("a bias beyond 32 bits")
        return Known(numbers.astype(np.int32))
    return bias


def _dilation(view: OperatorView) -> tuple[int, int]:
    return int(view.option("dilation_h_factor", 1)), int(view.option("dilation_w_factor", 1))


@operator("CONV_2D")
def _conv_2d(view: OperatorView) -> Value:
    channels = view.need_rank(4)[3]
    outputs, height, width, inputs = view.need_rank(4, 1)
    if not inputs or channels % inputs or outputs % max(channels // inputs, 1):
        raise ParseError(f"weights of shape {view.shape(1)} do not fit {channels} channels")
    window = window_of(view, view.shape(0)[1:3], (height, width), _dilation(view))
    bias = bias_of(view, 2, outputs)
    descriptor = Convolution2dDescriptor(
        **window.descriptor_fields(),
        bias_enabled=bias is not None,
        data_layout=DataLayout.NHWC,
        groups=channels // inputs,
    )
    operands = [view.value(0), weights_of(view, 1), bias]
    made = view.layer(LayerType.CONVOLUTION2D, operands, descriptor, name=view.part("conv"))
    return view.activated(made)


@operator("DEPTHWISE_CONV_2D")
def _depthwise_conv_2d(view: OperatorView) -> Value:
    view.need_rank(4)
    _, height, width, outputs = view.need_rank(4, 1)
    window = window_of(view, view.shape(0)[1:3], (height, width), _dilation(view))
    bias = bias_of(view, 2, outputs)
    descriptor = DepthwiseConvolution2dDescriptor(
        **window.descriptor_fields(), bias_enabled=bias is not None, data_layout=DataLayout.NHWC
    )
    operands = [view.value(0), weights_of(view, 1), bias]
    kind = LayerType.DEPTHWISE_CONVOLUTION2D
    return view.activated(view.layer(kind, operands, descriptor, name=view.part("conv")))


@operator("CONV_3D")
def _conv_3d(view: OperatorView) -> Value:
    size = view.need_rank(5)[1:4]
    *kernel, _, outputs = view.need_rank(5, 1)
    stride = [int(view.option(f"stride_{axis}")) for axis in "dhw"]
    dilation = [int(view.option(f"dilation_{axis}_factor", 1)) for axis in "dhw"]
    if min(*stride, *dilation, *kernel) < 1:
        raise ParseError(f"kernel {kernel}, strides {stride}, dilations {dilation}")
    window = _window(view, size, kernel, stride, dilation)
    bias = bias_of(view, 2, outputs)
    fields: dict[str, Any] = {}
    for place, (pad, axis) in enumerate(
        (("front back", "z"), ("top bottom", "y"), ("left right", "x"))
    ):
        before, after = pad.split()
        fields[f"pad_{before}"], fields[f"pad_{after}"] = window.before[place], window.after[place]
        fields[f"stride_{axis}"], fields[f"dilation_{axis}"] = stride[place], dilation[place]
    descriptor = Convolution3dDescriptor(
        **fields, bias_enabled=bias is not None, data_layout=DataLayout.NDHWC
    )
    operands = [view.value(0), weights_of(view, 1), bias]
    made = view.layer(LayerType.CONVOLUTION3D, operands, descriptor, name=view.part("conv"))
    return view.activated(made)


@operator("TRANSPOSE_CONV")
def _transpose_conv(view: OperatorView) -> Value:
    stated = view.integers(0, "output shape")
    size = view.need_rank(4, 2)
    outputs, height, width, _ = view.need_rank(4, 1)
    if len(stated) != 4 or stated[0] != size[0] or stated[3] != outputs or min(stated) < 1:
        raise ParseError(f"output shape {stated} for an input of {size} and {outputs} channels")
    stride = (int(view.option("stride_h")), int(view.option("stride_w")))
    if min(*stride, height, width) < 1:
        raise ParseError(f"kernel {[height, width]}, strides {stride}")
    before = [0, 0]
    if view.choice("padding", "Padding") == "SAME":
        before = same_pads(stated[1:3], (height, width), stride, (1, 1), is_upper=True)[:2]
    x, weights = view.value(2), view.value(1)
    if not is_quantized(x) and dtype_of(weights) != dtype_of(x):
        weights = view.real(1, "weights")
    bias = None
    if view.has(3):
        bias = _transposed_bias(view, x, outputs)
    made = transposed(
        view, x, weights, bias, stride=stride, before=before, output=tuple(stated),
        name=view.part("conv"),
    )  # fmt: skip
    return view.activated(made)


def is_quantized(value: Value) -> bool:
    """Return whether a value has quantised numbers."""
    return dtype_of(value).kind in "iu"


def _transposed_bias(view: OperatorView, x: Value, channels: int) -> Value | None:
    bias = view.value(3)
    if not is_quantized(x):
        return view.real(3, "bias")
    if isinstance(bias, Known) and dtype_of(bias) == np.int64:
        return Known(bias.array.astype(np.int32).reshape(channels))
    return bias


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
    info = view.info(output) if min(after) < 0 or view.output_quantization() else None
    if info is not None and view.output_quantization() is None:
        info = TensorInfo(output, info.data_type)
    return view.emit.layer(
        LayerType.TRANSPOSE_CONVOLUTION2D, [x, weights, bias], descriptor, name=name, output=info
    )
