# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Batch normalisation as part of the weights and the bias of the convolution before it.

Arm NN's FuseBatchNormIntoConvolution2d and FuseBatchNormIntoDepthwiseConvolution2d, for float32 and
float16. With ``s = gamma / sqrt(variance + eps)``, computed in double precision::

    s * (w * x + b - mean) + beta  =  (s * w) * x + (s * (b - mean) + beta)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.descriptors import (
    BatchNormalizationDescriptor,
    Convolution2dDescriptor,
    DepthwiseConvolution2dDescriptor,
)
from armnn_py.optimizer.passes.base import Pass, PassLog
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.optimizer.graph import Graph, Node

__all__ = [
    "FUSE_BATCH_NORM_INTO_CONVOLUTION2D",
    "FUSE_BATCH_NORM_INTO_DEPTHWISE_CONVOLUTION2D",
]

# Where output channels are in the weights, in both data layouts.
_CHANNELS_FIRST, _CHANNELS_LAST = (-1, 1, 1, 1), (1, 1, 1, -1)


def _fuse(layer_type: LayerType) -> Callable[[Graph, PassLog], None]:
    def run(graph: Graph, log: PassLog) -> None:
        for node in graph.nodes:
            if node.type is not LayerType.BATCH_NORMALIZATION:
                continue
            value = node.inputs[0]
            if value is not None and value.node.type is layer_type and len(value.users) == 1:
                _fuse_one(graph, value.node, node, log)

    return run


def _fuse_one(graph: Graph, conv: Node, norm: Node, log: PassLog) -> None:
    d, n = conv.descriptor, norm.descriptor
    assert isinstance(d, (Convolution2dDescriptor, DepthwiseConvolution2dDescriptor))
    assert isinstance(n, BatchNormalizationDescriptor)
    data_type = conv.output.info.data_type
    if data_type not in (DataType.FLOAT32, DataType.FLOAT16) or n.data_layout != d.data_layout:
        return
    if norm.backend_hint not in (None, conv.backend_hint):
        return  # the layer asked for a place of its own
    fused = _weights_and_bias(conv, norm, n.eps, data_type)
    if fused is None:
        return
    weights, bias = fused
    source = conv.inputs[0]
    operands = [
        source,
        graph.add_constant(
            weights,
            TensorInfo(weights.shape, data_type),
            name=f"{conv.name}/weights with {norm.name}",
            near=conv,
        ),
        graph.add_constant(
            bias,
            TensorInfo(bias.shape, data_type),
            name=f"{conv.name}/bias with {norm.name}",
            near=conv,
        ),
    ]
    joined = graph.add(
        conv.type,
        operands,
        dataclasses.replace(d, bias_enabled=True),
        name=conv.name,
        near=conv,
        infos=[norm.output.info],
    )
    graph.adopt(joined, conv)
    graph.substitute(norm, joined)
    graph.remove(conv)
    log.changed(f"batch normalisation '{norm.name}' fused into '{conv.name}'")


def _weights_and_bias(
    conv: Node, norm: Node, eps: float, data_type: DataType
) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """The new constants; None if an old one is not known, or a new one is not finite."""
    weights, bias = conv.constants[1], (conv.constants[2:] or [None])[0]
    has_bias = len(conv.inputs) > 2 and conv.inputs[2] is not None
    if weights is None or (has_bias and bias is None):
        return None
    parameters = [
        None if array is None else np.asarray(array, np.float64).reshape(-1)
        for array in norm.constants[1:]
    ]
    mean, variance, beta, gamma = parameters
    if mean is None or variance is None or beta is None or gamma is None:
        return None
    before = 0.0 if bias is None else np.asarray(bias, np.float64)
    form = _CHANNELS_FIRST if conv.type is LayerType.CONVOLUTION2D else _CHANNELS_LAST
    with np.errstate(all="ignore"):
        scale = gamma / np.sqrt(variance + eps)
        new_weights = (weights * scale.reshape(form)).astype(data_type.numpy)
        new_bias = ((before - mean) * scale + beta).astype(data_type.numpy)
    if not (np.isfinite(new_weights).all() and np.isfinite(new_bias).all()):
        return None
    return new_weights, new_bias


FUSE_BATCH_NORM_INTO_CONVOLUTION2D = Pass(
    "fuse-batch-norm-into-convolution2d",
    "batch normalisation becomes part of the constant weights of the convolution before it",
    _fuse(LayerType.CONVOLUTION2D),
)

FUSE_BATCH_NORM_INTO_DEPTHWISE_CONVOLUTION2D = Pass(
    "fuse-batch-norm-into-depthwise-convolution2d",
    "batch normalisation becomes part of the constant weights of the depthwise convolution "
    "before it",
    _fuse(LayerType.DEPTHWISE_CONVOLUTION2D),
)
