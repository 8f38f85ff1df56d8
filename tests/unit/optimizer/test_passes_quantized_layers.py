# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers between Dequantize and Quantize, from ONNX models in QDQ form, against onnxruntime."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann
from armnn_py.python_backend import KernelCall, PythonBackend, ShownLayer, kernel
from armnn_py.types import LayerType, Rescaling

STEP = np.float32(0.05)


class Qdq:
    """A model in QDQ form, put together node by node."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = np.dtype(dtype)
        self.point = np.array(120 if self.dtype == np.uint8 else -9, dtype)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, array: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def node(self, op: str, inputs: list[str], name: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(op, inputs, [name], name, **attributes))
        return name

    def step(self, x: str, scale: float = STEP) -> str:
        """QuantizeLinear and DequantizeLinear."""
        stated = [
            self.constant(f"{x}_scale", np.float32(scale)),
            self.constant(f"{x}_zero_point", self.point),
        ]
        levels = self.node("QuantizeLinear", [x, *stated], f"{x}_q")
        return self.node("DequantizeLinear", [levels, *stated], f"{x}_dq")

    def weights(self, name: str, array: Any, scale: Any, **attributes: Any) -> str:
        """DequantizeLinear of stored numbers without zero point."""
        stated = [self.constant(f"{name}_q", array), self.constant(f"{name}_scale", scale)]
        return self.node("DequantizeLinear", stated, name, **attributes)

    def model(self, output: str, shape: tuple[int, ...]) -> Any:
        graph = helper.make_graph(
            self.nodes,
            "graph",
            [helper.make_tensor_value_info("x", 1, shape)],
            [onnx.ValueInfoProto(name=output)],
            self.constants,
        )
        opsets = [helper.make_opsetid("", 17)]
        return onnx.shape_inference.infer_shapes(
            helper.make_model(graph, opset_imports=opsets, ir_version=8)
        )


def by_onnxruntime(model: Any, x: Any, name: str = "x") -> Any:
    """Without its optimiser, whose 8-bit sums saturate on machines without VNNI."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(None, {name: x})[0]


def quantized_layers(model: Any, shapes: Any = None) -> list[LayerType]:
    """The layers but Quantize whose output is quantised, as a backend gets them."""
    network = ann.import_model(model, shapes=shapes)
    with ann.Runtime() as runtime:
        optimized = ann.optimize(network, ["CpuRef"], runtime=runtime)
    return of_quantized_numbers(optimized)


def of_quantized_numbers(optimized: ann.OptimizedNetwork) -> list[LayerType]:
    return [
        layer.type
        for layer in optimized.network.layers
        if layer.type not in (LayerType.CONSTANT, LayerType.QUANTIZE)
        and any(slot.info.quantization is not None for slot in layer.outputs)
    ]


def weighted(net: Qdq, op: str, groups: int) -> str:
    rng = np.random.default_rng(3)
    x = net.step("x")
    shape = (6, 4) if op == "Gemm" else (8, 4 // groups, 3, 3)
    levels = rng.integers(-127, 128, shape).astype(np.int8)
    scales = rng.uniform(0.001, 0.01, shape[0]).astype(np.float32)
    w = net.weights("w", levels, scales, axis=0)
    bias = rng.integers(-3000, 3000, shape[0]).astype(np.int32)
    b = net.weights("b", bias, scales * STEP, axis=0)
    if op == "Gemm":
        return net.node("Gemm", [x, w, b], "y", transB=1)
    return net.node("Conv", [x, w, b], "y", group=groups, pads=[1, 1, 1, 1])


def one_operator(net: Qdq, op: str, **attributes: Any) -> str:
    x = net.step("x")
    operands = [x, x] if op in ("Add", "Mul") else [x]
    return net.node(op, operands, "y", **attributes)


CASES: dict[str, Any] = {
    "conv": (lambda n: weighted(n, "Conv", 1), (2, 4, 9, 9), LayerType.CONVOLUTION2D),
    "conv in groups": (lambda n: weighted(n, "Conv", 2), (2, 4, 9, 9), LayerType.CONVOLUTION2D),
    "depthwise": (
        lambda n: weighted(n, "Conv", 4), (2, 4, 9, 9), LayerType.DEPTHWISE_CONVOLUTION2D),
    "gemm": (lambda n: weighted(n, "Gemm", 1), (5, 4), LayerType.FULLY_CONNECTED),
    "add": (lambda n: one_operator(n, "Add"), (3, 40), LayerType.ELEMENTWISE_BINARY),
    "mul": (lambda n: one_operator(n, "Mul"), (3, 40), LayerType.ELEMENTWISE_BINARY),
    "max pool": (
        lambda n: one_operator(n, "MaxPool", kernel_shape=[2, 2]), (1, 3, 8, 8),
        LayerType.POOLING2D),
    "average pool": (
        lambda n: one_operator(n, "AveragePool", kernel_shape=[3, 3]), (1, 3, 9, 9),
        LayerType.POOLING2D),
    "mean": (
        lambda n: one_operator(n, "ReduceMean", axes=[2, 3], keepdims=1), (2, 3, 5, 5),
        LayerType.REDUCE),
    "transpose": (
        lambda n: one_operator(n, "Transpose", perm=[1, 0]), (3, 40), LayerType.TRANSPOSE),
    "sigmoid": (lambda n: one_operator(n, "Sigmoid"), (3, 40), LayerType.ACTIVATION),
    "softmax": (lambda n: one_operator(n, "Softmax"), (3, 40), LayerType.SOFTMAX),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("case", CASES)
def test_a_layer_between_them_computes_quantised_numbers(case: str, dtype: Any) -> None:
    make, shape, layer_type = CASES[case]
    net = Qdq(dtype)
    model = net.model(net.step(make(net)), shape)
    x = np.random.default_rng(1).uniform(-4, 4, shape).astype(np.float32)
    assert layer_type in quantized_layers(model)
    with ann.load(model, ["CpuRef"]) as network:
        (found,) = network.run({"x": x}).values()
    difference = np.abs(np.rint((found - by_onnxruntime(model, x)) / STEP))
    assert difference.max() <= 1
    assert np.mean(difference > 0) <= 0.0005  # what onnxruntime's float32 sums round otherwise


def test_layers_follow_onnx() -> None:
    net = Qdq(np.int8)
    network = ann.import_model(net.model(net.step(weighted(net, "Conv", 1)), (1, 4, 6, 6)))
    with ann.Runtime() as runtime:
        layers = ann.optimize(network, ["CpuRef"], runtime=runtime).network.layers
        (one,) = [layer for layer in layers if layer.type is LayerType.CONVOLUTION2D]
    assert one.descriptor.rescaling is Rescaling.REAL


def test_halves_of_an_average_go_to_even() -> None:
    net = Qdq(np.int8)
    model = net.model(net.step(one_operator(net, "AveragePool", kernel_shape=[2, 2])), (1, 3, 9, 9))
    x = np.random.default_rng(1).uniform(-4, 4, (1, 3, 9, 9)).astype(np.float32)
    with ann.load(model, ["CpuRef"]) as network:
        (found,) = network.run({"x": x}).values()
    levels = np.clip(np.rint(x / STEP) - 9, -128, 127)
    windows = np.lib.stride_tricks.sliding_window_view(levels, (2, 2), (2, 3))
    means = windows.mean((-1, -2))
    is_half = means % 1 == 0.5  # of float32, onnxruntime's means of halves go either way
    assert np.any(is_half)
    np.testing.assert_array_equal(np.rint(found / STEP), np.rint(means + 9))
    difference = np.rint((found - by_onnxruntime(model, x)) / STEP)
    assert not np.any(difference[~is_half])


def test_a_clip_behind_a_convolution_goes_where_the_type_ends_there() -> None:
    net = Qdq(np.uint8)
    conv = weighted(net, "Conv", 1)
    net.point = np.array(0, np.uint8)
    model = net.model(net.step(net.node("Relu", [conv], "relu")), (1, 4, 9, 9))
    assert quantized_layers(model) == [LayerType.CONVOLUTION2D]


def test_a_layer_whose_float_result_is_read_stays() -> None:
    net = Qdq(np.int8)
    y = weighted(net, "Conv", 1)
    model = net.model(net.node("Sub", [net.step(y), y], "rest"), (1, 4, 9, 9))
    assert LayerType.CONVOLUTION2D not in quantized_layers(model)


class Convolutions(PythonBackend):
    """Takes convolutions with constant weights, of float32 and perhaps of quantised numbers."""

    id = "Convolutions"

    def __init__(self, *, quantized: bool) -> None:
        super().__init__()
        self.types = [ann.DataType.FLOAT32] + [ann.DataType.QASYMM_S8] * quantized

    @kernel(LayerType.CONVOLUTION2D, ann.DataType.FLOAT32, ann.DataType.QASYMM_S8)
    def convolution(self, call: KernelCall) -> Any:
        raise NotImplementedError  # layers are assigned, not run

    def supports(self, layer: ShownLayer) -> bool | str:
        if not layer.is_constant[1]:
            return "weights are not constant"
        return layer.inputs[0].data_type in self.types or "not this type"


@pytest.mark.parametrize("quantized", [True, False])
def test_no_backend_loses_a_layer_to_one_listed_after_it(quantized: bool) -> None:
    net = Qdq(np.int8)
    model = net.model(net.step(weighted(net, "Conv", 1)), (1, 4, 9, 9))
    with ann.Runtime(python_backends=[Convolutions(quantized=quantized)]) as runtime:
        network = ann.import_model(model)
        optimized = ann.optimize(network, ["Convolutions", "CpuRef"], runtime=runtime)
    assert of_quantized_numbers(optimized) == [LayerType.CONVOLUTION2D] * quantized
    (row,) = [row for row in optimized.assignment.layers if str(row.type) == "Convolution2d"]
    assert row.backend == "Convolutions"


def test_levels_that_another_operator_reads_are_integers() -> None:
    net = Qdq(np.int8)
    net.step("x")
    model = net.model(net.node("Cast", ["x_q"], "whole", to=6), (3, 40))
    x = np.random.default_rng(1).uniform(-4, 4, (3, 40)).astype(np.float32)
    with ann.load(model, ["CpuRef"]) as network:
        (found,) = network.run({"x": x}).values()
    np.testing.assert_array_equal(found, by_onnxruntime(model, x))


OTHER_DIMENSIONS: dict[str, Any] = {
    # operator, attributes, shapes of x and of the weights, size of a bias, place of the outputs
    "MatMul": ("MatMul", {}, (3, 5), (5, 4), 0, 1),
    "MatMul, as many inputs as outputs": ("MatMul", {}, (3, 5), (5, 5), 0, 1),
    "MatMul of a batch": ("MatMul", {}, (2, 3, 5), (2, 5, 4), 0, 2),
    "Gemm": ("Gemm", {"transB": 1}, (3, 5), (7, 5), 0, 0),
    "Gemm with a bias": ("Gemm", {"transB": 1}, (3, 5), (7, 5), 7, 0),
    "Conv": ("Conv", {}, (1, 4, 8, 8), (6, 4, 3, 2), 0, 0),
    "Conv in groups with a bias": ("Conv", {"group": 2}, (1, 4, 8, 8), (4, 2, 3, 3), 4, 0),
    "depthwise": ("Conv", {"group": 4}, (1, 4, 8, 8), (4, 1, 3, 3), 0, 0),
    "ConvTranspose": ("ConvTranspose", {"strides": [2, 2]}, (1, 4, 5, 5), (4, 4, 3, 2), 0, 1),
}


@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]], ids=str)
@pytest.mark.parametrize("case", OTHER_DIMENSIONS)
def test_scales_along_any_dimension_of_the_weights(case: str, backends: list[str]) -> None:
    """Only scales along the outputs give a quantised layer; others give a layer of floats."""
    op, attributes, shape, kernel, bias, outputs = OTHER_DIMENSIONS[case]
    rng = np.random.default_rng(5)
    x = rng.normal(0, 1.5, shape).astype(np.float32)
    for axis, size in enumerate(kernel):
        net = Qdq(np.int8)
        scales = np.linspace(0.01, 0.1, size, dtype=np.float32)
        operands = [
            net.step("x"),
            net.weights("w", rng.integers(-64, 64, kernel).astype(np.int8), scales, axis=axis),
        ]
        if bias:
            operands.append(net.constant("b", rng.normal(size=bias).astype(np.float32)))
        net.node(op, operands, "y", **attributes)
        model = net.model(net.step("y", 0.3), shape)
        if axis != outputs and size > 1:
            weighted_layers = {LayerType.CONVOLUTION2D, LayerType.DEPTHWISE_CONVOLUTION2D}
            weighted_layers |= {LayerType.FULLY_CONNECTED, LayerType.TRANSPOSE_CONVOLUTION2D}
            assert not weighted_layers & set(quantized_layers(model))
        with ann.load(model, backends) as network:
            (found,) = network.run({"x": x}).values()
        difference = np.abs(np.rint((found - by_onnxruntime(model, x)) / 0.3))
        assert difference.max() <= 1, f"axis {axis}"
        assert np.mean(difference > 0) <= 0.02


@pytest.mark.models
def test_a_real_model(models_folder: pathlib.Path) -> None:
    """Every convolution of ResNet-50 computes in 8 bits, and its answer is onnxruntime's."""
    path = models_folder / "open" / "resnet50_thin_int8_qdq.onnx"
    if not path.exists():
        pytest.skip("derived network not there")
    model = onnx.load(path)
    shape = (1, 224, 224, 3)
    layers = quantized_layers(model, {"input_0": shape})
    assert layers.count(LayerType.CONVOLUTION2D) == 53
    x = np.random.default_rng(1).uniform(-100, 130, shape).astype(np.float32)
    with ann.load(model, ["CpuRef"]) as network:
        (found,) = network.run({"input_0": x}).values()
    expected = by_onnxruntime(model, x, "input_0")
    assert np.argmax(found) == np.argmax(expected)
    np.testing.assert_allclose(found, expected, atol=0.01)
