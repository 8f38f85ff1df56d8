# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The networks of `networks` as TFLite files, images with channels last, as LiteRT wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import numpy_helper

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class NotConvertibleError(Exception):
    """A model has what a converter does not know."""


def _turn(shape: Sequence[int]) -> list[int]:
    """Return the shape with channels last."""
    if len(shape) != 4:
        return list(shape)
    batch, channels, height, width = shape
    return [batch, height, width, channels]


class _Writer:
    """Collects tensors and operators of the one sub-graph."""

    def __init__(self, schema: Any) -> None:
        self.s = schema
        self.graph = schema.SubGraphT()
        self.graph.name = "main"
        self.graph.tensors, self.graph.operators = [], []
        self.buffers = [schema.BufferT()]
        self.codes: dict[int, int] = {}

    def tensor(self, shape: Sequence[int], data: np.ndarray | None = None) -> int:
        """Add a tensor; returns its number."""
        tensor = self.s.TensorT()
        tensor.shape = [int(size) for size in shape]
        is_index = data is not None and data.dtype == np.int32
        tensor.type = self.s.TensorType.INT32 if is_index else self.s.TensorType.FLOAT32
        tensor.name = f"t{len(self.graph.tensors)}"
        tensor.buffer = 0
        if data is not None:
            buffer = self.s.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data).tobytes(), np.uint8)
            tensor.buffer = len(self.buffers)
            self.buffers.append(buffer)
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def operator(
        self, code: str, inputs: Sequence[int], output: int, options: str = "", **fields: Any
    ) -> None:
        """Add an operator; ``options`` is the name of its table, if it has one."""
        operator = self.s.OperatorT()
        builtin = getattr(self.s.BuiltinOperator, code)
        operator.opcodeIndex = self.codes.setdefault(builtin, len(self.codes))
        operator.inputs, operator.outputs = list(inputs), [output]
        if options:
            operator.builtinOptionsType = getattr(self.s.BuiltinOptions, options)
            operator.builtinOptions = getattr(self.s, f"{options}T")()
            for name, value in fields.items():
                setattr(operator.builtinOptions, name, value)
        self.graph.operators.append(operator)

    def save(self, path: Path, inputs: list[int], outputs: list[int]) -> None:
        """Write the file."""
        import flatbuffers

        self.graph.inputs, self.graph.outputs = inputs, outputs
        model = self.s.ModelT()
        model.version, model.subgraphs, model.buffers = 3, [self.graph], self.buffers
        model.operatorCodes = []
        for builtin in self.codes:
            code = self.s.OperatorCodeT()
            code.builtinCode, code.deprecatedBuiltinCode, code.version = (
                builtin,
                min(builtin, 127),
                1,
            )
            model.operatorCodes.append(code)
        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(model.Pack(builder), b"TFL3")
        path.write_bytes(builder.Output())


class _Converter:
    def __init__(self, model: onnx.ModelProto) -> None:
        from ai_edge_litert import schema_py_generated as schema

        self.s = schema
        self.writer = _Writer(schema)
        graph = model.graph
        self.graph = graph
        self.constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        self.shapes = {
            v.name: [d.dim_value for d in v.type.tensor_type.shape.dim]
            for v in (*graph.value_info, *graph.input, *graph.output)
        }
        self.numbers: dict[str, int] = {}
        self.users: dict[str, list[onnx.NodeProto]] = {}
        for node in graph.node:
            for name in node.input:
                self.users.setdefault(name, []).append(node)
        self.fused: set[str] = set()

    def run(self, path: Path) -> None:
        """Convert node by node."""
        inputs = [v.name for v in self.graph.input if v.name not in self.constants]
        for name in inputs:
            self.numbers[name] = self.writer.tensor(_turn(self.shapes[name]))
        for node in self.graph.node:
            if node.name in self.fused:
                continue
            convert = getattr(self, f"_{node.op_type.lower()}", None)
            if convert is None:
                raise NotConvertibleError(f"operator {node.op_type}")
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            convert(node, attributes)
        outputs = [self.numbers[v.name] for v in self.graph.output]
        self.writer.save(path, [self.numbers[name] for name in inputs], outputs)

    def _result(self, node: onnx.NodeProto, *, fuse: bool = False) -> tuple[int, int]:
        """Return the number of a node's result, and the activation fused into the node."""
        name, activation = node.output[0], self.s.ActivationFunctionType.NONE
        users = self.users.get(name, [])
        if fuse and len(users) == 1 and users[0].op_type in ("Relu", "Clip"):
            is_relu = users[0].op_type == "Relu"
            activation = getattr(self.s.ActivationFunctionType, "RELU" if is_relu else "RELU6")
            self.fused.add(users[0].name)
            name = users[0].output[0]
        self.numbers[name] = self.writer.tensor(_turn(self.shapes[name]))
        return self.numbers[name], activation

    def _padded(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> tuple[int, int]:
        """Return the input with its padding around it, and the padding that is left to do."""
        source = self.numbers[node.input[0]]
        pads = attributes.get("pads", [0, 0, 0, 0])
        if not any(pads):
            return source, self.s.Padding.VALID
        batch, channels, height, width = self.shapes[node.input[0]]
        same = []
        for size, kernel, stride, before, after in zip(
            (height, width),
            attributes["kernel_shape"],
            attributes["strides"],
            pads[:2],
            pads[2:],
            strict=True,
        ):
            total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
            same.append((total // 2, total - total // 2) == (before, after))
        if all(same):
            return source, self.s.Padding.SAME
        target = self.writer.tensor(
            [batch, height + pads[0] + pads[2], width + pads[1] + pads[3], channels]
        )
        amounts = np.array([[0, 0], pads[::2], pads[1::2], [0, 0]], np.int32)
        numbers = [source, self.writer.tensor(amounts.shape, amounts)]
        if node.op_type == "MaxPool":
            lowest = np.array([np.finfo(np.float32).min], np.float32)
            numbers.append(self.writer.tensor([1], lowest))
            self.writer.operator("PADV2", numbers, target, "PadV2Options")
        else:
            self.writer.operator("PAD", numbers, target, "PadOptions")
        return target, self.s.Padding.VALID

    def _conv(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> None:
        source, padding = self._padded(node, attributes)
        target, activation = self._result(node, fuse=True)
        weights, bias = (self.constants[name] for name in node.input[1:3])
        depthwise = attributes.get("group", 1) > 1
        weights = weights.transpose((1, 2, 3, 0) if depthwise else (0, 2, 3, 1))
        stride_y, stride_x = attributes["strides"]
        fields = {
            "padding": padding,
            "strideH": stride_y,
            "strideW": stride_x,
            "dilationHFactor": 1,
            "dilationWFactor": 1,
            "fusedActivationFunction": activation,
        }
        numbers = [
            source,
            self.writer.tensor(weights.shape, weights),
            self.writer.tensor(bias.shape, bias),
        ]
        if depthwise:
            self.writer.operator(
                "DEPTHWISE_CONV_2D",
                numbers,
                target,
                "DepthwiseConv2DOptions",
                depthMultiplier=1,
                **fields,
            )
        else:
            self.writer.operator("CONV_2D", numbers, target, "Conv2DOptions", **fields)

    def _gemm(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> None:
        if not attributes.get("transB"):
            raise NotConvertibleError("Gemm without transB")
        target, activation = self._result(node, fuse=True)
        constants = [self.constants[name] for name in node.input[1:3]]
        numbers = [self.writer.tensor(c.shape, c) for c in constants]
        self.writer.operator(
            "FULLY_CONNECTED",
            [self.numbers[node.input[0]], *numbers],
            target,
            "FullyConnectedOptions",
            fusedActivationFunction=activation,
        )

    def _binary(self, node: onnx.NodeProto, code: str, options: str) -> None:
        target, activation = self._result(node, fuse=True)
        numbers = [self.numbers[name] for name in node.input]
        self.writer.operator(code, numbers, target, options, fusedActivationFunction=activation)

    def _add(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        self._binary(node, "ADD", "AddOptions")

    def _mul(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        self._binary(node, "MUL", "MulOptions")

    def _unary(self, node: onnx.NodeProto, code: str, options: str = "") -> None:
        source = self.numbers[node.input[0]]
        self.writer.operator(code, [source], self._result(node)[0], options)

    def _relu(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        self._unary(node, "RELU")

    def _clip(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        self._unary(node, "RELU6")

    def _sigmoid(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        self._unary(node, "LOGISTIC")

    def _hardswish(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        self._unary(node, "HARD_SWISH", "HardSwishOptions")

    def _hardsigmoid(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        """Write relu6(x + 3) / 6, which is what TFLite has for it."""
        shape = _turn(self.shapes[node.output[0]])
        lifted = self.writer.tensor(shape)
        three = self.writer.tensor([1], np.array([3], np.float32))
        sixth = self.writer.tensor([1], np.array([1 / 6], np.float32))
        relu6 = self.s.ActivationFunctionType.RELU6
        source = self.numbers[node.input[0]]
        self.writer.operator(
            "ADD", [source, three], lifted, "AddOptions", fusedActivationFunction=relu6
        )
        self.writer.operator("MUL", [lifted, sixth], self._result(node)[0], "MulOptions")

    def _maxpool(self, node: onnx.NodeProto, attributes: dict[str, Any]) -> None:
        source, padding = self._padded(node, attributes)
        height, width = attributes["kernel_shape"]
        stride_y, stride_x = attributes["strides"]
        self.writer.operator(
            "MAX_POOL_2D",
            [source],
            self._result(node)[0],
            "Pool2DOptions",
            padding=padding,
            strideH=stride_y,
            strideW=stride_x,
            filterHeight=height,
            filterWidth=width,
        )

    def _globalaveragepool(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        axes = self.writer.tensor([2], np.array([1, 2], np.int32))
        numbers = [self.numbers[node.input[0]], axes]
        self.writer.operator(
            "MEAN", numbers, self._result(node)[0], "ReducerOptions", keepDims=True
        )

    def _flatten(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        shape = np.array(self.shapes[node.output[0]], np.int32)
        if np.prod(self.shapes[node.input[0]][2:]) != 1:
            raise NotConvertibleError("Flatten of an image")
        numbers = [self.numbers[node.input[0]], self.writer.tensor(shape.shape, shape)]
        self.writer.operator(
            "RESHAPE",
            numbers,
            self._result(node)[0],
            "ReshapeOptions",
            newShape=[int(n) for n in shape],
        )

    def _concat(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        numbers = [self.numbers[name] for name in node.input]
        self.writer.operator(
            "CONCATENATION", numbers, self._result(node)[0], "ConcatenationOptions", axis=3
        )

    def _resize(self, node: onnx.NodeProto, _: dict[str, Any]) -> None:
        size = np.array(self.shapes[node.output[0]][2:], np.int32)
        numbers = [self.numbers[node.input[0]], self.writer.tensor([2], size)]
        self.writer.operator(
            "RESIZE_NEAREST_NEIGHBOR",
            numbers,
            self._result(node)[0],
            "ResizeNearestNeighborOptions",
            alignCorners=False,
            halfPixelCenters=False,
        )


def write_tflite(model: Path, target: Path) -> None:
    """Convert one of the networks of `networks`.

    Raises
    ------
    NotConvertibleError
        The model has an operator that those networks do not have.
    """
    _Converter(onnx.load(model)).run(target)
