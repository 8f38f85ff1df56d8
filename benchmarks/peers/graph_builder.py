# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Writes ONNX graphs of networks with random weights, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17

#: Gain of He's initialisation: half of what goes into these functions is lost.
_GAIN = {"relu": 2.0, "relu6": 2.0, "hswish": 2.0, "silu": 2.0}


@dataclass(frozen=True)
class Value:
    """A tensor of the graph under construction."""

    name: str
    shape: tuple[int, ...]


@dataclass
class GraphBuilder:
    """A graph under construction; batch normalisation counts as folded already.

    Weights are drawn so that activations neither grow nor vanish; the same name gives the same
    weights.
    """

    name: str
    input_shape: tuple[int, ...]
    seed: int = 7
    multiply_adds: int = 0
    _nodes: list[onnx.NodeProto] = field(default_factory=list)
    _constants: list[onnx.TensorProto] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        self.input = Value("input", self.input_shape)

    # ---- Building blocks ----

    def constant(self, array: np.ndarray) -> str:
        """Add a constant; returns its name."""
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(
        self, kind: str, inputs: list[str], shape: tuple[int, ...], **attributes: object
    ) -> Value:
        """Add an operator with one output of the given shape."""
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [f"{name}:0"], name=name, **attributes))
        return Value(f"{name}:0", shape)

    def conv(
        self,
        x: Value,
        channels: int,
        kernel: int,
        stride: int = 1,
        activation: str | None = None,
        *,
        groups: int = 1,
        pad: int | None = None,
    ) -> Value:
        """Add a square convolution with bias, padded by half its kernel unless told otherwise."""
        batch, inputs, height, width = x.shape
        pad = kernel // 2 if pad is None else pad
        shape = (
            batch,
            channels,
            (height + 2 * pad - kernel) // stride + 1,
            (width + 2 * pad - kernel) // stride + 1,
        )
        depth = inputs // groups * kernel * kernel
        scale = np.sqrt(_GAIN.get(activation or "", 1.0) / depth)
        weights = self._random.normal(0, scale, (channels, inputs // groups, kernel, kernel))
        bias = self._random.normal(0, 0.05, channels)
        self.multiply_adds += int(np.prod(shape)) * depth
        y = self.node(
            "Conv",
            [x.name, self.constant(np.float32(weights)), self.constant(np.float32(bias))],
            shape,
            kernel_shape=[kernel, kernel],
            strides=[stride, stride],
            pads=[pad] * 4,
            group=groups,
        )
        return self.activate(y, activation)

    def activate(self, x: Value, kind: str | None) -> Value:
        """Add an activation function by name, as exporters write it."""
        if kind is None:
            return x
        if kind == "relu6":
            bounds = [self.constant(np.float32(0)), self.constant(np.float32(6))]
            return self.node("Clip", [x.name, *bounds], x.shape)
        if kind == "silu":
            gate = self.node("Sigmoid", [x.name], x.shape)
            return self.node("Mul", [x.name, gate.name], x.shape)
        if kind == "hsigmoid":
            return self.node("HardSigmoid", [x.name], x.shape, alpha=1 / 6, beta=0.5)
        return self.node({"relu": "Relu", "hswish": "HardSwish"}[kind], [x.name], x.shape)

    def add(self, a: Value, b: Value) -> Value:
        """Add two tensors of one shape."""
        return self.node("Add", [a.name, b.name], a.shape)

    def scale(self, x: Value, gate: Value) -> Value:
        """Multiply channels by a gate [n, c, 1, 1]."""
        return self.node("Mul", [x.name, gate.name], x.shape)

    def max_pool(self, x: Value, kernel: int, stride: int, pad: int = 0) -> Value:
        """Add a square maximum pooling."""
        batch, channels, *sizes = x.shape
        height, width = ((size + 2 * pad - kernel) // stride + 1 for size in sizes)
        return self.node(
            "MaxPool",
            [x.name],
            (batch, channels, height, width),
            kernel_shape=[kernel, kernel],
            strides=[stride, stride],
            pads=[pad] * 4,
        )

    def global_pool(self, x: Value) -> Value:
        """Average every channel over the image."""
        return self.node("GlobalAveragePool", [x.name], (*x.shape[:2], 1, 1))

    def flatten(self, x: Value) -> Value:
        """Make one row per image."""
        return self.node("Flatten", [x.name], (x.shape[0], int(np.prod(x.shape[1:]))), axis=1)

    def dense(self, x: Value, channels: int, activation: str | None = None) -> Value:
        """Add a fully connected layer."""
        batch, inputs = x.shape
        scale = np.sqrt(_GAIN.get(activation or "", 1.0) / inputs)
        weights = np.float32(self._random.normal(0, scale, (channels, inputs)))
        bias = np.float32(self._random.normal(0, 0.05, channels))
        self.multiply_adds += batch * inputs * channels
        names = [x.name, self.constant(weights), self.constant(bias)]
        return self.activate(self.node("Gemm", names, (batch, channels), transB=1), activation)

    def project(self, x: Value, channels: int) -> Value:
        """Multiply the last dimension with weights, and add a bias."""
        inputs, shape = x.shape[-1], (*x.shape[:-1], channels)
        weights = np.float32(self._random.normal(0, 1 / np.sqrt(inputs), (inputs, channels)))
        bias = np.float32(self._random.normal(0, 0.05, channels))
        self.multiply_adds += int(np.prod(x.shape)) * channels
        y = self.node("MatMul", [x.name, self.constant(weights)], shape)
        return self.node("Add", [y.name, self.constant(bias)], shape)

    def multiply(self, a: Value, b: Value) -> Value:
        """Multiply matrices of equal batches."""
        self.multiply_adds += int(np.prod(a.shape)) * b.shape[-1]
        return self.node("MatMul", [a.name, b.name], (*a.shape[:-1], b.shape[-1]))

    def concat(self, parts: list[Value]) -> Value:
        """Join channels."""
        batch, _, height, width = parts[0].shape
        channels = sum(part.shape[1] for part in parts)
        names = [part.name for part in parts]
        return self.node("Concat", names, (batch, channels, height, width), axis=1)

    def upsample(self, x: Value) -> Value:
        """Double an image by repeating pixels."""
        batch, channels, height, width = x.shape
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        return self.node(
            "Resize",
            [x.name, "", scales],
            (batch, channels, 2 * height, 2 * width),
            mode="nearest",
            coordinate_transformation_mode="asymmetric",
            nearest_mode="floor",
        )

    # ---- The whole ----

    def model(self, outputs: list[Value]) -> onnx.ModelProto:
        """Return the checked model."""

        def info(value: Value) -> onnx.ValueInfoProto:
            return helper.make_tensor_value_info(value.name, TensorProto.FLOAT, value.shape)

        graph = helper.make_graph(
            self._nodes,
            self.name,
            [info(self.input)],
            [info(value) for value in outputs],
            self._constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        return onnx.shape_inference.infer_shapes(model)
