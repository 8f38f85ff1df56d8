# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shapes of convolutions and pooling are those that onnx infers."""

from __future__ import annotations

import itertools

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

from armnn_py.types import DataLayout, OutputShapeRounding, PoolingAlgorithm


def onnx_shape(operator, inputs, weights=None, **attributes):
    """Return the output shape of one NCHW operator."""
    infos = [helper.make_tensor_value_info("x", TensorProto.FLOAT, inputs)]
    names = ["x"]
    if weights is not None:
        infos.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, weights))
        names.append("w")
    node = helper.make_node(operator, names, ["y"], **attributes)
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "g", infos, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    return tuple(d.dim_value for d in inferred.graph.output[0].type.tensor_type.shape.dim)


def computed_shape(operator, shape, **attributes):
    """Return the shape that onnxruntime computes: onnx keeps windows that start behind the input.

    Its inference of ceil_mode was mended in operator set 22 only.
    """
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    node = helper.make_node(operator, ["x"], ["y"], **attributes)
    graph = helper.make_graph([node], "g", [x], [y])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"x": np.zeros(shape, np.float32)})[0].shape


def onnx_pads(padding):
    top, bottom, left, right = padding
    return [top, left, bottom, right]


def to_nhwc(shape):
    n, c, h, w = shape
    return n, h, w, c


CONVOLUTIONS = [
    # input, kernel, stride, padding (t, b, l, r), dilation, groups, outputs
    ((1, 3, 8, 8), (3, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1, 4),
    ((2, 3, 9, 7), (3, 3), (2, 2), (1, 1, 1, 1), (1, 1), 1, 4),
    ((1, 4, 13, 11), (5, 3), (2, 3), (2, 1, 0, 3), (1, 1), 2, 6),
    ((1, 1, 32, 32), (3, 3), (1, 1), (0, 0, 0, 0), (4, 3), 1, 1),
    ((1, 6, 5, 5), (1, 1), (3, 2), (0, 0, 0, 0), (1, 1), 3, 9),
    ((3, 2, 1, 10), (1, 4), (1, 4), (0, 0, 2, 2), (1, 2), 1, 5),
    ((0, 2, 6, 6), (3, 3), (1, 1), (1, 1, 1, 1), (1, 1), 1, 5),
]


@pytest.mark.parametrize("layout", [DataLayout.NCHW, DataLayout.NHWC])
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolution2d(network, tensor, layout, case):
    shape, kernel, stride, padding, dilation, groups, outputs = case
    weights = (outputs, shape[1] // groups, *kernel)
    expected = onnx_shape(
        "Conv",
        shape,
        weights,
        kernel_shape=kernel,
        strides=stride,
        pads=onnx_pads(padding),
        dilations=dilation,
        group=groups,
    )
    if layout is DataLayout.NHWC:
        shape, weights, expected = to_nhwc(shape), to_nhwc(weights), to_nhwc(expected)
    layer = network.add_convolution2d(
        tensor(*shape),
        np.zeros(weights, np.float32),
        np.zeros(outputs, np.float32),
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
        data_layout=layout,
    )
    assert layer.output.info.shape == expected


@pytest.mark.parametrize("layout", [DataLayout.NCHW, DataLayout.NHWC])
@pytest.mark.parametrize("multiplier", [1, 3])
@pytest.mark.parametrize("stride", [1, 2])
def test_depthwise_convolution2d(network, tensor, layout, multiplier, stride):
    channels = 4
    expected = onnx_shape(
        "Conv",
        (2, channels, 10, 7),
        (channels * multiplier, 1, 3, 5),
        strides=(stride, stride),
        pads=[1, 2, 1, 2],
        group=channels,
    )
    shape = (2, 10, 7, channels) if layout is DataLayout.NHWC else (2, channels, 10, 7)
    layer = network.add_depthwise_convolution2d(
        tensor(*shape),
        np.zeros((1, 3, 5, channels * multiplier), np.float32),
        stride=stride,
        padding=(1, 1, 2, 2),
        data_layout=layout,
    )
    wanted = to_nhwc(expected) if layout is DataLayout.NHWC else expected
    assert layer.output.info.shape == wanted


@pytest.mark.parametrize("layout", [DataLayout.NCHW, DataLayout.NHWC])
@pytest.mark.parametrize(
    ("size", "kernel", "stride", "dilation"),
    [
        ((8, 8), (3, 3), (1, 1), (1, 1)),
        ((8, 9), (3, 4), (2, 2), (1, 1)),
        ((7, 7), (2, 5), (3, 2), (1, 1)),
        ((16, 15), (3, 3), (1, 1), (2, 3)),
        ((5, 6), (1, 1), (2, 3), (1, 1)),
    ],
)
def test_same_padding_is_onnx_same_upper(network, tensor, layout, size, kernel, stride, dilation):
    weights = (4, 3, *kernel)
    expected = onnx_shape(
        "Conv",
        (1, 3, *size),
        weights,
        strides=stride,
        dilations=dilation,
        auto_pad="SAME_UPPER",
    )
    shape = (1, 3, *size)
    if layout is DataLayout.NHWC:
        shape, weights, expected = to_nhwc(shape), to_nhwc(weights), to_nhwc(expected)
    layer = network.add_convolution2d(
        tensor(*shape),
        np.zeros(weights, np.float32),
        stride=stride,
        padding="same",
        dilation=dilation,
        data_layout=layout,
    )
    assert layer.output.info.shape == expected
    d = layer.descriptor
    assert 0 <= d.pad_bottom - d.pad_top <= 1
    assert 0 <= d.pad_right - d.pad_left <= 1


@pytest.mark.parametrize("ceiling", [False, True])
@pytest.mark.parametrize(
    ("size", "kernel", "stride", "padding", "dilation"),
    [
        ((8, 8), (2, 2), (2, 2), (0, 0, 0, 0), (1, 1)),
        ((9, 7), (3, 3), (2, 2), (1, 1, 1, 1), (1, 1)),
        ((10, 10), (3, 2), (3, 3), (0, 1, 1, 0), (1, 1)),
        ((5, 5), (2, 2), (2, 2), (1, 1, 1, 1), (1, 1)),
        ((12, 11), (3, 3), (2, 1), (0, 0, 0, 0), (2, 3)),
        ((1, 1), (1, 1), (2, 2), (0, 0, 0, 0), (1, 1)),
        ((2, 2), (1, 1), (3, 3), (0, 0, 0, 0), (1, 1)),
    ],
)
def test_pooling2d(network, tensor, size, kernel, stride, padding, dilation, ceiling):
    expected = computed_shape(
        "MaxPool",
        (1, 3, *size),
        kernel_shape=kernel,
        strides=stride,
        pads=onnx_pads(padding),
        dilations=dilation,
        ceil_mode=int(ceiling),
    )
    layer = network.add_pooling2d(
        tensor(1, 3, *size),
        PoolingAlgorithm.MAX,
        kernel,
        stride=stride,
        padding=padding,
        dilation=dilation,
        rounding=OutputShapeRounding.CEILING if ceiling else OutputShapeRounding.FLOOR,
        data_layout=DataLayout.NCHW,
    )
    assert layer.output.info.shape == expected


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "padding", "dilation", "groups"),
    [
        ((4, 5), (3, 3), (1, 1), (0, 0, 0, 0), (1, 1), 1),
        ((4, 5), (3, 2), (2, 3), (1, 0, 1, 1), (1, 1), 2),
        ((6, 3), (4, 4), (2, 2), (1, 1, 1, 1), (1, 1), 1),
        ((3, 3), (2, 3), (1, 2), (0, 0, 0, 0), (3, 2), 1),
    ],
)
@pytest.mark.parametrize("layout", [DataLayout.NCHW, DataLayout.NHWC])
def test_transpose_convolution2d(
    network, tensor, size, kernel, stride, padding, dilation, groups, layout
):
    outputs, inputs = 4, 2
    expected = onnx_shape(
        "ConvTranspose",
        (1, inputs, *size),
        (inputs, outputs // groups, *kernel),
        strides=stride,
        pads=onnx_pads(padding),
        dilations=dilation,
        group=groups,
    )
    shape, weights = (1, inputs, *size), (outputs, inputs // groups, *kernel)
    if layout is DataLayout.NHWC:
        shape, weights, expected = to_nhwc(shape), to_nhwc(weights), to_nhwc(expected)
    layer = network.add_transpose_convolution2d(
        tensor(*shape),
        np.zeros(weights, np.float32),
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
        data_layout=layout,
    )
    assert layer.output.info.shape == expected


@pytest.mark.parametrize(("kernel", "stride"), list(itertools.product([1, 2, 3, 4], [1, 2, 3])))
def test_transpose_convolution2d_same_makes_size_times_stride(network, tensor, kernel, stride):
    layer = network.add_transpose_convolution2d(
        tensor(1, 5, 7, 2),
        np.zeros((3, kernel, kernel, 2), np.float32),
        stride=stride,
        padding="same",
    )
    assert layer.output.info.shape == (1, 5 * stride, 7 * stride, 3)


def test_transpose_convolution2d_takes_a_stated_output(network, tensor):
    x, weights = tensor(2, 5, 7, 2), np.zeros((3, 3, 3, 2), np.float32)
    layer = network.add_transpose_convolution2d(x, weights, stride=2, output_shape=(12, 15))
    assert layer.output.info.shape == (2, 12, 15, 3)
    assert layer.descriptor.output_shape_enabled
    again = network.add_transpose_convolution2d(x, weights, stride=2, output_shape=(2, 12, 15, 3))
    assert again.output.info.shape == (2, 12, 15, 3)


def test_convolution3d_and_pooling3d(network, tensor):
    expected = onnx_shape(
        "Conv",
        (1, 2, 9, 8, 7),
        (5, 2, 3, 2, 1),
        strides=(2, 1, 3),
        pads=[1, 0, 0, 0, 1, 2],
        dilations=(2, 3, 1),
    )
    layer = network.add_convolution3d(
        tensor(1, 9, 8, 7, 2),
        np.zeros((3, 2, 1, 2, 5), np.float32),
        stride=(2, 1, 3),
        padding=(1, 0, 0, 1, 0, 2),
        dilation=(2, 3, 1),
    )
    n, c, *spatial = expected
    assert layer.output.info.shape == (n, *spatial, c)

    expected = computed_shape(
        "MaxPool",
        (1, 2, 9, 8, 7),
        kernel_shape=(3, 2, 4),
        strides=(2, 2, 3),
        pads=[1, 0, 1, 1, 0, 2],
        ceil_mode=1,
    )
    layer = network.add_pooling3d(
        tensor(1, 2, 9, 8, 7),
        PoolingAlgorithm.MAX,
        (3, 2, 4),
        stride=(2, 2, 3),
        padding=(1, 1, 0, 0, 1, 2),
        rounding=OutputShapeRounding.CEILING,
        data_layout=DataLayout.NCDHW,
    )
    assert layer.output.info.shape == expected


def test_ceiling_drops_a_window_that_starts_behind_the_input(network, tensor):
    # 3 of 1 every 3: windows start at 0 and 3; 3 is behind an input of 3 elements (ONNX, Arm NN).
    layer = network.add_pooling2d(
        tensor(1, 3, 3, 1),
        PoolingAlgorithm.MAX,
        1,
        stride=3,
        padding=(0, 1, 0, 1),
        rounding=OutputShapeRounding.CEILING,
    )
    assert layer.output.info.shape == (1, 1, 1, 1)
