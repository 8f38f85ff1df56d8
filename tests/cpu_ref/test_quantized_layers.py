# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised pooling, means and functions of elements, as LiteRT's reference kernels have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers, descriptor
from .quantized import Tensor
from .test_quantized_elementwise import DTYPES, tensor
from .tflite_models import tflite_node

ACTIVATIONS: dict[str, tuple[int, float, float, dict[str, Any] | None]] = {
    "RELU": (abi.ARMNN_ACTIVATION_RELU, 0, 0, None),
    "RELU6": (abi.ARMNN_ACTIVATION_BOUNDED_RELU, 6, 0, None),
    "RELU_N1_TO_1": (abi.ARMNN_ACTIVATION_BOUNDED_RELU, 1, -1, None),
    "LEAKY_RELU": (
        abi.ARMNN_ACTIVATION_LEAKY_RELU,
        0.17,
        0,
        {"table": "LeakyReluOptions", "alpha": 0.17},
    ),
}


#: Of the operator, as LiteRT counts them: the one that has all types.
VERSIONS = {"RELU": 3, "RELU6": 2, "LEAKY_RELU": 2}


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("window", [(2, 2), (3, 5), (7, 7)])
@pytest.mark.parametrize("operator", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_pooling2d(
    cpu_ref: Layers, dtype: Any, operator: str, window: tuple[int, int], padding: int
) -> None:
    x = tensor(dtype, (2, 9, 8, 5), 0.05, 0 if dtype == np.int16 else 9, 1)
    size = (9, 8) if padding == 0 else (10 - window[0], 9 - window[1])
    y = Tensor(np.zeros((2, *size, 5), dtype), x.scales, x.zero_points)
    options = {
        "table": "Pool2DOptions",
        "padding": padding,
        "strideH": 1,
        "strideW": 1,
        "filterHeight": window[0],
        "filterWidth": window[1],
    }
    expected = tflite_node(operator, [x], y, options, version=2)
    pads = [0 if padding else w - 1 for w in window]
    layer = descriptor(
        abi.armnn_pooling2d_descriptor_t,
        abi.ARMNN_LAYER_POOLING2D,
        pool_type=abi.ARMNN_POOLING_MAX if operator[0] == "M" else abi.ARMNN_POOLING_AVERAGE,
        padding_method=abi.ARMNN_PADDING_EXCLUDE,
        pool_height=window[0],
        pool_width=window[1],
        stride_y=1,
        stride_x=1,
        pad_top=pads[0] // 2,
        pad_bottom=pads[0] - pads[0] // 2,
        pad_left=pads[1] // 2,
        pad_right=pads[1] - pads[1] // 2,
        data_layout=abi.ARMNN_DATA_LAYOUT_NHWC,
    )
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_POOLING2D, layer, [x], [y])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("scale", [0.05, 0.021, 0.4])
@pytest.mark.parametrize("axes", [[1, 2], [0], [3], [0, 1, 2, 3]])
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_mean(cpu_ref: Layers, dtype: Any, axes: list[int], scale: float) -> None:
    zeros = (0, 0) if dtype == np.int16 else (3, -9)
    x = tensor(dtype, (7, 6, 5, 8), 0.05, zeros[0], 1)
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.array.shape))
    y = tensor(dtype, shape, scale, zeros[1], 2)
    operands = [x, Tensor(np.array(axes, np.int32), constant=True)]
    options = {"table": "ReducerOptions", "keepDims": True}
    expected = tflite_node("MEAN", operands, y, options, version=2)
    layer = descriptor(
        abi.armnn_reduce_descriptor_t,
        abi.ARMNN_LAYER_REDUCE,
        operation=abi.ARMNN_REDUCE_MEAN,
        axes=axes,
        axis_count=len(axes),
        keep_dims=1,
    )
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_REDUCE, layer, [x], [y])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("scales", [(0.05, 0.05), (0.05, 0.013), (0.02, 0.3)])
@pytest.mark.parametrize("function", ACTIVATIONS)
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
def test_activations(
    cpu_ref: Layers, dtype: Any, function: str, scales: tuple[float, float]
) -> None:
    number, a, b, options = ACTIVATIONS[function]
    zeros = (0, 0) if dtype == np.int16 else (11, -30)
    x = tensor(dtype, (3000,), scales[0], zeros[0], 1)
    y = tensor(dtype, (3000,), scales[1], zeros[1], 2)
    try:
        expected = tflite_node(function, [x], y, options, version=VERSIONS.get(function, 1))
    except (RuntimeError, ValueError) as error:
        pytest.skip(str(error).splitlines()[0])
    layer = descriptor(
        abi.armnn_activation_descriptor_t, abi.ARMNN_LAYER_ACTIVATION, function=number, a=a, b=b
    )
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_ACTIVATION, layer, [x], [y])
    np.testing.assert_array_equal(found, expected)


#: Scale and zero point of an output from 0 to 1, and of one from -1 to 1.
_UNIT = {np.int8: (1 / 256, -128), np.uint8: (1 / 256, 0)}
_SIGNED = {np.int8: (1 / 128, 0), np.uint8: (1 / 128, 128)}


@pytest.mark.parametrize("scale", [0.2, 0.05, 0.01])
@pytest.mark.parametrize("operator", ["SOFTMAX", "LOG_SOFTMAX", "LOGISTIC", "TANH"])
@pytest.mark.parametrize("dtype", _UNIT)
def test_functions_of_8_bits(cpu_ref: Layers, dtype: Any, operator: str, scale: float) -> None:
    x = tensor(dtype, (50, 30), scale, 11, 1)
    top = np.iinfo(dtype).max
    output = {"TANH": _SIGNED[dtype], "LOG_SOFTMAX": (16 / 256, top)}.get(operator, _UNIT[dtype])
    y = Tensor(np.zeros((50, 30), dtype), [output[0]], [output[1]])
    options = {
        "SOFTMAX": {"table": "SoftmaxOptions", "beta": 1.0},
        "LOG_SOFTMAX": {"table": "LogSoftmaxOptions"},
    }.get(operator)
    expected = tflite_node(operator, [x], y, options, version=2)
    layers = {
        "SOFTMAX": (abi.ARMNN_LAYER_SOFTMAX, {"beta": 1.0, "axis": -1}),
        "LOG_SOFTMAX": (abi.ARMNN_LAYER_LOG_SOFTMAX, {"beta": 1.0, "axis": -1}),
        "LOGISTIC": (abi.ARMNN_LAYER_ACTIVATION, {"function": abi.ARMNN_ACTIVATION_SIGMOID}),
        "TANH": (
            abi.ARMNN_LAYER_ACTIVATION,
            {"function": abi.ARMNN_ACTIVATION_TANH, "a": 1.0, "b": 1.0},
        ),
    }
    layer_type, values = layers[operator]
    kinds = {abi.ARMNN_LAYER_ACTIVATION: abi.armnn_activation_descriptor_t}
    kind = kinds.get(layer_type, abi.armnn_softmax_descriptor_t)
    (found,) = cpu_ref.run(layer_type, descriptor(kind, layer_type, **values), [x], [y])
    np.testing.assert_array_equal(found, expected)


def test_l2_normalization(cpu_ref: Layers) -> None:
    x = tensor(np.int8, (2, 5, 6, 16), 0.03, 11, 1)
    y = Tensor(np.zeros(x.array.shape, np.int8), [1 / 128], [0])
    expected = tflite_node("L2_NORMALIZATION", [x], y, {"table": "L2NormOptions"}, version=2)
    layer = descriptor(
        abi.armnn_l2_normalization_descriptor_t,
        abi.ARMNN_LAYER_L2_NORMALIZATION,
        eps=1e-12,
        data_layout=abi.ARMNN_DATA_LAYOUT_NHWC,
    )
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_L2_NORMALIZATION, layer, [x], [y])
    np.testing.assert_array_equal(found, expected)
