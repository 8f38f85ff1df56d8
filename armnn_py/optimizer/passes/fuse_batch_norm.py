# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Batch normalisation is fused into the weights and the bias of the convolution before it.

Arm NN's FuseBatchNormIntoConvolution2d and FuseBatchNormIntoDepthwiseConvolution2d, for float32 and
float16. With ``s = gamma / sqrt(variance + eps)``, computed in double precision::

    s * (w * x + b - mean) + beta  =  (s * w) * x + (s * (b - mean) + beta)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.passes.affine import affine_of
from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.optimizer.passes.fuse_affine import take_into_weights
from armnn_py.optimizer.passes.weights import weights_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node

__all__ = ["run"]


def run(graph: Graph, log: PassLog, layer_type: LayerType) -> None:
    """Run the pass for convolutions of one type."""
    for node in graph.nodes:
        if node.type is not LayerType.BATCH_NORMALIZATION:
            continue
        value = node.inputs[0]
        if value is not None and value.node.type is layer_type and len(value.users) == 1:
            _fuse_one(graph, value.node, node, log)


def _fuse_one(graph: Graph, conv: Node, norm: Node, log: PassLog) -> None:
    if not may_merge(norm, conv):
        return
    weights, step = weights_of(conv), affine_of(norm)
    if weights is None or step is None or not step.varies_only_along(weights.output_axis):
        return
    if take_into_weights(graph, weights, [norm], step):
        log.changed(f"batch normalisation '{norm.name}' fused into '{conv.name}'")
