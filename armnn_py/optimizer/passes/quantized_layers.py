# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A layer between Dequantize and Quantize layers becomes one of quantised numbers.

Quantised ONNX models are written so (QDQ form). The new layer rounds as the float layer and the
Quantize layer do: once, halves to even (`Rescaling.REAL`). A layer stays as it is where its result
is also read as a float, where quantised types cannot express it, or where quantised it would get a
backend that is listed after that of the float layer.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.descriptors import (
    ActivationDescriptor,
    ElementwiseBinaryDescriptor,
    Pooling2dDescriptor,
    ReduceDescriptor,
)
from armnn_py.descriptors.base import with_rescaling
from armnn_py.errors import LayerValidationError
from armnn_py.network.shapes.convolution import output_dimension
from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.tensors.memory import aligned_zeros
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    DataType,
    LayerType,
    PoolingAlgorithm,
    ReduceOperation,
    Rescaling,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from armnn_py.optimizer.graph import Graph, Node, Value

_WEIGHTED = (
    LayerType.CONVOLUTION2D,
    LayerType.DEPTHWISE_CONVOLUTION2D,
    LayerType.TRANSPOSE_CONVOLUTION2D,
    LayerType.FULLY_CONNECTED,
)
#: They move or choose elements: the output has the scale of the input.
_MOVING = (LayerType.RESHAPE, LayerType.TRANSPOSE, LayerType.CONCAT)
_CALCULATING = (
    LayerType.ACTIVATION,
    LayerType.BATCH_MAT_MUL,
    LayerType.ELEMENTWISE_BINARY,
    LayerType.POOLING2D,
    LayerType.REDUCE,
    LayerType.RESIZE,
    LayerType.SOFTMAX,
)
_BINARY = (BinaryOperation.ADD, BinaryOperation.SUB, BinaryOperation.MUL)
_CLIPS = (ActivationFunction.RELU, ActivationFunction.BOUNDED_RELU)
#: How far a bias may be from whole steps, in steps and relative to it: it was rounded to float32.
_NEAR_STEP = 1e-2
_NEAR = 1e-6


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for quantize in graph.nodes:
        if quantize.type is LayerType.QUANTIZE and quantize in graph:
            _try(graph, quantize, log)


def _try(graph: Graph, quantize: Node, log: PassLog) -> None:
    """Replace the layer before a Quantize layer, and a clip between them, if that can be."""
    float_layers = _layers_before(quantize)
    if not float_layers or not all(may_merge(quantize, node) for node in float_layers):
        return
    layer, clip = float_layers[0], float_layers[1] if len(float_layers) > 1 else None
    inputs = _quantized_inputs(graph, layer, quantize.output.info)
    if inputs is None:
        return
    made: list[Node] = []
    try:
        made.append(_add(graph, layer, inputs, quantize))
        if clip is not None and not _keeps_all(clip, quantize.output.info):
            made.append(_add(graph, clip, [made[0].output], quantize))
    except LayerValidationError:
        _drop(graph, made, inputs)
        return
    if not _runs_as_well(graph, log, made, layer):
        _drop(graph, made, inputs)
        return
    graph.substitute(quantize, made[-1])
    for node in reversed(float_layers):
        graph.adopt(made[-1] if node is clip else made[0], node)
        graph.remove(node)
    for node in float_layers:
        log.changed(f"'{node.name}' ({node.shown_type.label}) computes quantised numbers")


def _runs_as_well(graph: Graph, log: PassLog, made: Sequence[Node], layer: Node) -> bool:
    """Whether quantised layers get backends as good as those of the float layer.

    Constant operands of the float layer are still being dequantised: it is asked for as it would be
    once they are folded.
    """
    if log.rank_of is None:
        return True
    if any(log.rank_of(node) is None for node in made):
        return False
    zeros = {
        value: graph.add_constant(
            aligned_zeros(value.info.static_shape, np.dtype(np.float32)),
            value.info,
            name=value.node.name,
            near=layer,
        )
        for value, source in ((value, _source(value)) for value in layer.inputs)
        if value is not None and source is not None and source.constant is not None
    }
    if not zeros:
        return log.runs_as_well(made, [layer])
    inputs = [None if value is None else zeros.get(value, value) for value in layer.inputs]
    folded = graph.add(
        layer.type, inputs, layer.descriptor, name=layer.name, near=layer, infos=[layer.output.info]
    )
    try:
        return log.runs_as_well(made, [folded])
    finally:
        graph.remove(folded)
        for value in zeros.values():
            graph.remove(value.node)


def _add(graph: Graph, layer: Node, inputs: Sequence[Value | None], quantize: Node) -> Node:
    return graph.add(
        layer.type,
        inputs,
        with_rescaling(layer.descriptor, Rescaling.REAL),  # as the float layer, rounded once
        name=layer.name,
        near=layer,
        infos=[quantize.output.info],
    )


def _drop(graph: Graph, made: Sequence[Node], inputs: Sequence[Value | None]) -> None:
    for node in reversed(made):
        graph.remove(node)
    for value in inputs:  # a bias of whole numbers that was made for it
        if value is not None and not value.users and value.node in graph:
            graph.remove(value.node)


def _layers_before(quantize: Node) -> list[Node]:
    """Return the layer whose result alone is quantised, and a clip behind it; else nothing."""
    found: list[Node] = []
    value = quantize.inputs[0]
    while value is not None and len(value.users) == 1 and value.node.inputs:
        node = value.node
        if len(node.outputs) != 1 or node.output.info.data_type is not DataType.FLOAT32:
            return []
        found.insert(0, node)
        before = node.inputs[0]
        if len(found) > 1 or not _is_clip(node) or before is None:
            return found
        if before.node.type not in _WEIGHTED and not _is_sum(before.node):
            return found
        value = before
    return []


def _is_clip(node: Node) -> bool:
    d = node.descriptor
    return isinstance(d, ActivationDescriptor) and d.function in _CLIPS


def _is_sum(node: Node) -> bool:
    d = node.descriptor
    return isinstance(d, ElementwiseBinaryDescriptor) and d.operation in _BINARY


def _keeps_all(clip: Node, info: TensorInfo) -> bool:
    """Whether a clip leaves every number that the quantised type expresses."""
    d, ends = clip.descriptor, np.iinfo(info.dtype)
    assert isinstance(d, ActivationDescriptor)
    assert info.quantization is not None
    scale, point = info.quantization.scale, info.quantization.zero_point
    low, high = (ends.min - point) * scale, (ends.max - point) * scale
    if d.function is ActivationFunction.RELU:
        return low >= 0
    return low >= d.b and high <= d.a


def _quantized_inputs(graph: Graph, layer: Node, out: TensorInfo) -> list[Value | None] | None:
    """Return the operands of the quantised layer, or None if it cannot be made."""
    if out.quantization is None or out.quantization.axis is not None:
        return None
    bias = layer.inputs[2] if layer.type in _WEIGHTED and len(layer.inputs) > 2 else None
    operands = layer.inputs[:2] if layer.type in _WEIGHTED else layer.inputs
    sources = [_source(value) for value in operands]
    known = [source for source in sources if source is not None]
    if not known or len(known) != len(sources):
        return None
    if layer.type in _WEIGHTED:
        if known[1].constant is None or known[0].info.data_type is not out.data_type:
            return None
        scales = known[1].info.quantization
        if scales is None or scales.axis not in (None, output_dimension(layer.descriptor)):
            return None
        if bias is None:
            return list(known)
        whole = _whole_bias(graph, layer, bias, known[0].info, known[1].info)
        return None if whole is None else [*known, whole]
    if not _is_expressible(layer, [value.info for value in known], out):
        return None
    return list(known)


def _source(value: Value | None) -> Value | None:
    """Return what a value is dequantised from."""
    if value is None or value.node.type is not LayerType.DEQUANTIZE:
        return None
    return value.node.inputs[0]


def _is_expressible(layer: Node, infos: Sequence[TensorInfo], out: TensorInfo) -> bool:
    d = layer.descriptor
    if any(info.data_type is not out.data_type for info in infos):
        return False
    if any(info.quantization is None or info.quantization.axis is not None for info in infos):
        return False
    is_alike = all(info.quantization == out.quantization for info in infos)
    if layer.type in _MOVING:
        return is_alike
    if isinstance(d, ElementwiseBinaryDescriptor):
        return d.operation in _BINARY
    if isinstance(d, Pooling2dDescriptor):
        return is_alike if d.pool_type is PoolingAlgorithm.MAX else True
    if isinstance(d, ReduceDescriptor):
        return d.operation is ReduceOperation.MEAN
    return layer.type in _CALCULATING


def _whole_bias(
    graph: Graph, layer: Node, bias: Value, x: TensorInfo, weights: TensorInfo
) -> Value | None:
    """Return the bias in steps of scale of input times scale of weights; None if it is not so."""
    if bias.constant is None or x.quantization is None or weights.quantization is None:
        return None
    steps = _steps(bias.constant, x.quantization, weights.quantization)
    if steps is None:
        return None
    data_type = DataType.SIGNED32
    info = TensorInfo(steps.shape, data_type)
    products = np.array(weights.quantization.scales) * x.quantization.scale
    axis = 0 if len(products) > 1 else None
    stated = dataclasses.replace(info, quantization=QuantizationInfo(tuple(products), (), axis))
    return graph.add_constant(steps, stated, name=bias.node.name, near=layer)


def _steps(
    bias: NDArray[Any], x: QuantizationInfo, weights: QuantizationInfo
) -> NDArray[np.int32] | None:
    exact = bias.astype(np.float64) / (np.array(weights.scales) * x.scale)
    whole = np.rint(exact)
    if not np.all(np.abs(exact - whole) <= _NEAR_STEP + _NEAR * np.abs(exact)):
        return None
    return whole.astype(np.int32) if np.all(np.abs(whole) < 2**31) else None
