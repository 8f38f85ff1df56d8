# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised sums of products, bit for bit as LiteRT's reference kernels have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers, Tensor, descriptor
from .tflite_models import tflite_node

NHWC = abi.ARMNN_DATA_LAYOUT_NHWC
NCHW = abi.ARMNN_DATA_LAYOUT_NCHW
W8 = abi.ARMNN_DATA_TYPE_QSYMM_S8

#: Scale of the output relative to what random sums would fill: much saturates, nothing does, and
#: factors above 1.
SPREADS = {"saturates": 0.2, "fits": 1.0, "coarse": 50.0, "factor above 1": 1e-4}


def _random(dtype: Any, shape: tuple[int, ...], seed: int) -> np.ndarray:
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype, endpoint=True)


def _operands(
    dtype: Any, shape: tuple[int, ...], kernel: tuple[int, ...], axis: int, per_channel: bool
) -> tuple[Tensor, Tensor, int]:
    """Input, weights and the channels of the output."""
    outputs = kernel[axis]
    zero = 0 if dtype == np.int16 else 3
    x = Tensor(_random(dtype, shape, 1), [0.047], [zero])
    scales = [0.011 * (1 + i) / outputs for i in range(outputs)] if per_channel else [0.013]
    weights = np.clip(_random(np.int8, kernel, 2), -127, 127)
    return x, Tensor(weights, scales, [0] * len(scales), axis, W8, True), outputs


def _bias(dtype: Any, x: Tensor, weights: Tensor, outputs: int) -> Tensor:
    wide = np.int64 if dtype == np.int16 else np.int32
    values = np.random.default_rng(3).integers(-20000, 20000, outputs).astype(wide)
    scales = [x.scales[0] * s for s in weights.scales]
    return Tensor(values, scales, [0] * len(scales), 0, None, True)


def _output(dtype: Any, shape: tuple[int, ...], depth: int, spread: str) -> Tensor:
    reach = 0.047 * np.iinfo(dtype).max * 0.01 * 64 * np.sqrt(depth)
    scale = float(np.float32(SPREADS[spread] * reach / np.iinfo(dtype).max))
    return Tensor(np.zeros(shape, dtype), [scale], [0 if dtype == np.int16 else -7])


def _layout(tensor: Tensor, layout: int) -> Tensor:
    """The same image, whose scales may run along its batch."""
    if layout == NHWC:
        return tensor
    return Tensor(
        np.ascontiguousarray(tensor.array.transpose(0, 3, 1, 2)),
        tensor.scales,
        tensor.zero_points,
        tensor.axis,
        tensor.data_type,
    )


DTYPES = {"s8": np.int8, "s16": np.int16}


@pytest.mark.parametrize("layout", [NHWC, NCHW])
@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize(
    ("size", "channels", "outputs", "window", "stride", "dilation"),
    [((7, 9), 3, 5, (3, 2), (2, 1), (1, 1)), ((9, 9), 67, 66, (3, 3), (1, 1), (2, 2))],
)
def test_convolution2d(
    cpu_ref: Layers,
    size: tuple[int, int],
    channels: int,
    outputs: int,
    window: tuple[int, int],
    stride: tuple[int, int],
    dilation: tuple[int, int],
    dtype: Any,
    per_channel: bool,
    spread: str,
    layout: int,
) -> None:
    x, weights, _ = _operands(
        dtype, (2, *size, channels), (outputs, *window, channels), 0, per_channel
    )
    bias = _bias(dtype, x, weights, outputs)
    spatial = [
        (s - (w - 1) * d - 1) // t + 1
        for s, w, t, d in zip(size, window, stride, dilation, strict=True)
    ]
    y = _output(dtype, (2, *spatial, outputs), channels * window[0] * window[1], spread)
    options = {
        "table": "Conv2DOptions",
        "padding": 1,
        "strideH": stride[0],
        "strideW": stride[1],
        "dilationHFactor": dilation[0],
        "dilationWFactor": dilation[1],
    }
    expected = tflite_node("CONV_2D", [x, weights, bias], y, options)
    layer = descriptor(
        abi.armnn_convolution2d_descriptor_t,
        abi.ARMNN_LAYER_CONVOLUTION2D,
        stride_y=stride[0],
        stride_x=stride[1],
        dilation_y=dilation[0],
        dilation_x=dilation[1],
        groups=1,
        bias_enabled=1,
        data_layout=layout,
    )
    (found,) = cpu_ref.run(
        abi.ARMNN_LAYER_CONVOLUTION2D,
        layer,
        [_layout(x, layout), _layout(weights, layout), bias],
        [_layout(y, layout)],
    )
    if layout == NCHW:
        found = found.transpose(0, 2, 3, 1)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("layout", [NHWC, NCHW])
@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize(
    ("channels", "multiplier", "window"), [(5, 1, 3), (3, 4, 2), (70, 1, 3), (2, 1, 17)]
)
def test_depthwise_convolution2d(
    cpu_ref: Layers,
    channels: int,
    multiplier: int,
    window: int,
    dtype: Any,
    spread: str,
    layout: int,
) -> None:
    outputs = channels * multiplier
    x, weights, _ = _operands(
        dtype, (2, 19, 18, channels), (1, window, window, outputs), 3, per_channel=True
    )
    bias = _bias(dtype, x, weights, outputs)
    y = _output(dtype, (2, 20 - window, 19 - window, outputs), window * window, spread)
    options = {
        "table": "DepthwiseConv2DOptions",
        "padding": 1,
        "strideH": 1,
        "strideW": 1,
        "depthMultiplier": multiplier,
    }
    expected = tflite_node("DEPTHWISE_CONV_2D", [x, weights, bias], y, options)
    layer = descriptor(
        abi.armnn_depthwise_convolution2d_descriptor_t,
        abi.ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D,
        stride_y=1,
        stride_x=1,
        dilation_y=1,
        dilation_x=1,
        bias_enabled=1,
        data_layout=layout,
    )
    (found,) = cpu_ref.run(
        abi.ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D,
        layer,
        [_layout(x, layout), weights, bias],
        [_layout(y, layout)],
    )
    if layout == NCHW:
        found = found.transpose(0, 2, 3, 1)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize(("rows", "inputs", "outputs"), [(1, 700, 10), (9, 70, 66)])
def test_fully_connected(
    cpu_ref: Layers,
    rows: int,
    inputs: int,
    outputs: int,
    per_channel: bool,
    dtype: Any,
    has_bias: bool,
    spread: str,
) -> None:
    x, weights, _ = _operands(dtype, (rows, inputs), (outputs, inputs), 0, per_channel)
    bias = [_bias(dtype, x, weights, outputs)] if has_bias else []
    y = _output(dtype, (rows, outputs), inputs, spread)
    expected = tflite_node(
        "FULLY_CONNECTED", [x, weights, *bias], y, {"table": "FullyConnectedOptions"}
    )
    layer = descriptor(
        abi.armnn_fully_connected_descriptor_t,
        abi.ARMNN_LAYER_FULLY_CONNECTED,
        bias_enabled=int(has_bias),
        transpose_weight_matrix=1,
    )
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_FULLY_CONNECTED, layer, [x, weights, *bias], [y])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize(("adjoint_x", "adjoint_y"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_batch_mat_mul(
    cpu_ref: Layers, dtype: Any, adjoint_x: int, adjoint_y: int, spread: str
) -> None:
    zero = 0 if dtype == np.int16 else 5
    shape_x = (2, 130, 7) if adjoint_x else (2, 7, 130)
    shape_y = (2, 9, 130) if adjoint_y else (2, 130, 9)
    x = Tensor(_random(dtype, shape_x, 1), [0.003], [zero])
    y = Tensor(_random(dtype, shape_y, 2), [0.02], [-zero])
    reach = 0.003 * 0.02 * (np.iinfo(dtype).max / 2) ** 2 * 11
    scale = float(np.float32(SPREADS[spread] * reach / np.iinfo(dtype).max))
    out = Tensor(np.zeros((2, 7, 9), dtype), [scale], [zero])
    expected = tflite_node(
        "BATCH_MATMUL",
        [x, y],
        out,
        {"table": "BatchMatMulOptions", "adjX": bool(adjoint_x), "adjY": bool(adjoint_y)},
    )
    layer = descriptor(
        abi.armnn_batch_mat_mul_descriptor_t,
        abi.ARMNN_LAYER_BATCH_MAT_MUL,
        transpose_x=adjoint_x,
        transpose_y=adjoint_y,
        data_layout_x=NCHW,
        data_layout_y=NCHW,
    )
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_BATCH_MAT_MUL, layer, [x, y], [out])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_transpose_convolution2d(cpu_ref: Layers, stride: int, dtype: Any, spread: str) -> None:
    x, weights, outputs = _operands(dtype, (1, 5, 6, 70), (4, 3, 2, 70), 0, per_channel=True)
    bias = _bias(dtype, x, weights, outputs)
    size = (4 * stride + 3, 5 * stride + 2) if stride <= 2 else (4 * stride + 3, 5 * stride + 3)
    y = _output(dtype, (1, *size, outputs), 70 * 2, spread)
    wanted = Tensor(np.array(y.array.shape, np.int32), constant=True)
    expected = tflite_node(
        "TRANSPOSE_CONV",
        [wanted, weights, x, bias],
        y,
        {"table": "TransposeConvOptions", "padding": 1, "strideH": stride, "strideW": stride},
        version=3,
    )
    layer = descriptor(
        abi.armnn_transpose_convolution2d_descriptor_t,
        abi.ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D,
        stride_y=stride,
        stride_x=stride,
        dilation_y=1,
        dilation_x=1,
        groups=1,
        bias_enabled=1,
        output_shape_enabled=1,
        data_layout=NHWC,
    )
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D, layer, [x, weights, bias], [y])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("weights_type", [np.uint8, np.int8])
def test_asymmetric_weights_and_unsigned_inputs(cpu_ref: Layers, weights_type: Any) -> None:
    """No specification has these in integers: within a step of the sum of real products."""
    x = Tensor(_random(np.uint8, (6, 300), 1), [0.02], [131])
    weights = Tensor(_random(weights_type, (300, 5), 2), [0.03], [17])
    bias = Tensor(np.array([0, 5000, -5000, 1, 2], np.int32))
    real = x.real @ weights.real + bias.array * np.float64(np.float32(0.02)) * np.float32(0.03)
    y = Tensor(np.zeros((6, 5), np.uint8), [float(np.abs(real).max() / 100)], [120])
    expected = np.clip(np.rint(real / np.float32(y.scales[0])) + 120, 0, 255)
    layer = descriptor(
        abi.armnn_fully_connected_descriptor_t, abi.ARMNN_LAYER_FULLY_CONNECTED, bias_enabled=1
    )
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_FULLY_CONNECTED, layer, [x, weights, bias], [y])
    assert np.abs(found.astype(int) - expected).max() <= 1
