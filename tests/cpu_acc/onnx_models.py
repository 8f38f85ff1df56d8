# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks of images as ONNX models, so that onnxruntime says what comes out."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import armnn_py as ann

from .networks import NHWC, F

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from armnn_py.network.layer import ConstantLayer, Layer

BINARY = {"ADD": "Add", "SUB": "Sub", "MUL": "Mul", "DIV": "Div"}
FUNCTIONS = {F.RELU: "Relu", F.SIGMOID: "Sigmoid", F.ABS: "Abs", F.LEAKY_RELU: "LeakyRelu"}
TO_NCHW, TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)


class OnnxModel:
    """An ONNX model with a node, or some, for each layer of a network."""

    def __init__(self, network: ann.Network) -> None:
        self.network = network
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.names: dict[Any, str] = {}
        self.outputs: list[str] = []
        self._numbers = itertools.count()
        for layer in network.layers:
            getattr(self, "_" + layer.type.name.lower())(layer)

    def run(self, inputs: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Return what onnxruntime computes, without its own optimisations."""
        graph = helper.make_graph(
            self.nodes,
            "network",
            [
                helper.make_tensor_value_info(
                    name, onnx.TensorProto.FLOAT, self.network.inputs[name].static_shape
                )
                for name in inputs
            ],
            [onnx.ValueInfoProto(name=name) for name in self.outputs],
            self.constants,
        )
        opsets = [helper.make_opsetid("", 19)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return dict(zip(self.outputs, session.run(self.outputs, inputs), strict=True))

    def _add(self, operator: str, inputs: Sequence[str], outputs: int = 1, **options: Any) -> Any:
        names = [f"t{next(self._numbers)}" for _ in range(outputs)]
        self.nodes.append(helper.make_node(operator, inputs, names, **options))
        return names[0] if outputs == 1 else names

    def _known(self, values: Any, dtype: Any = np.float32) -> str:
        name = f"k{next(self._numbers)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def _turned(self, name: str, order: Sequence[int]) -> str:
        return str(self._add("Transpose", [name], perm=order))

    def _inputs(self, layer: Layer) -> list[str]:
        return [self.names[slot] for slot in layer.inputs if slot is not None]

    def _keep(self, layer: Layer, name: str) -> None:
        self.names[layer.outputs[0]] = name

    def _image(self, layer: Layer, operator: str, others: list[str], **options: Any) -> None:
        """Add an operator of ONNX, whose images are NCHW."""
        last = layer.descriptor.data_layout == NHWC
        x = self._inputs(layer)[0]
        y = self._add(operator, [self._turned(x, TO_NCHW) if last else x, *others], **options)
        self._keep(layer, self._turned(y, TO_NHWC) if last else y)

    def _input(self, layer: Layer) -> None:
        self._keep(layer, layer.name)

    def _output(self, layer: Layer) -> None:
        self.nodes.append(helper.make_node("Identity", self._inputs(layer), [layer.name]))
        self.outputs.append(layer.name)

    def _constant(self, layer: ConstantLayer) -> None:
        self._keep(layer, self._known(layer.value))

    def _elementwise_binary(self, layer: Layer) -> None:
        operator = BINARY[layer.descriptor.operation.name]
        self._keep(layer, self._add(operator, self._inputs(layer)))

    def _activation(self, layer: Layer) -> None:
        d, x = layer.descriptor, self._inputs(layer)
        if d.function == F.BOUNDED_RELU:
            y = self._add("Clip", [*x, self._known(d.b), self._known(d.a)])
        elif d.function == F.LINEAR:
            y = self._add("Add", [self._add("Mul", [*x, self._known(d.a)]), self._known(d.b)])
        else:
            alpha = {"alpha": d.a} if d.function == F.LEAKY_RELU else {}
            y = self._add(FUNCTIONS[d.function], x, **alpha)
        self._keep(layer, y)

    def _splitter(self, layer: Layer) -> None:
        d = layer.descriptor
        sizes = self._known([view.size[d.axis] for view in d.views], np.int64)
        outputs = self._add("Split", [*self._inputs(layer), sizes], len(d.views), axis=d.axis)
        self.names.update(zip(layer.outputs, outputs, strict=True))

    def _concat(self, layer: Layer) -> None:
        self._keep(layer, self._add("Concat", self._inputs(layer), axis=layer.descriptor.axis))

    def _reshape(self, layer: Layer) -> None:
        shape = self._known(layer.descriptor.target_shape, np.int64)
        self._keep(layer, self._add("Reshape", [*self._inputs(layer), shape]))

    def _transpose(self, layer: Layer) -> None:
        (x,) = self._inputs(layer)
        self._keep(layer, self._turned(x, layer.descriptor.mappings))

    def _reduce(self, layer: Layer) -> None:
        d = layer.descriptor
        assert d.operation == ann.ReduceOperation.MEAN
        axes = self._known(d.axes, np.int64)
        mean = self._add("ReduceMean", [*self._inputs(layer), axes], keepdims=int(d.keep_dims))
        self._keep(layer, mean)

    def _batch_normalization(self, layer: Layer) -> None:
        _, mean, variance, beta, gamma = self._inputs(layer)
        others = [gamma, beta, mean, variance]
        self._image(layer, "BatchNormalization", others, epsilon=layer.descriptor.eps)

    def _pooling2d(self, layer: Layer) -> None:
        d = layer.descriptor
        options = {**_window(d), "kernel_shape": [d.pool_height, d.pool_width]}
        operator = "MaxPool"
        if d.pool_type == ann.PoolingAlgorithm.AVERAGE:
            operator = "AveragePool"
            options["count_include_pad"] = int(d.padding_method != ann.PaddingMethod.EXCLUDE)
        self._image(layer, operator, [], **options)

    def _convolution2d(self, layer: Layer) -> None:
        _, weights, *bias = self._inputs(layer)
        if layer.descriptor.data_layout == NHWC:  # OHWI, in ONNX OIHW
            weights = self._turned(weights, (0, 3, 1, 2))
        self._image(layer, "Conv", [weights, *bias], **_window(layer.descriptor))

    def _depthwise_convolution2d(self, layer: Layer) -> None:
        _, weights, *bias = self._inputs(layer)
        weights = self._turned(weights, (3, 0, 1, 2))  # 1HWC, in ONNX C1HW
        groups = layer.inputs[1].info.static_shape[3]
        self._image(layer, "Conv", [weights, *bias], group=groups, **_window(layer.descriptor))


def _window(d: Any) -> dict[str, Any]:
    return {
        "strides": [d.stride_y, d.stride_x],
        "pads": [d.pad_top, d.pad_left, d.pad_bottom, d.pad_right],
        "dilations": [d.dilation_y or 1, d.dilation_x or 1],
    }
