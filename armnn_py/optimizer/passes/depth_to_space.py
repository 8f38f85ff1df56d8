# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Permute and BatchToSpaceNd as one DepthToSpace.

Arm NN's PermuteAndBatchToSpaceAsDepthToSpace and its twin for Transpose: a batch of one image whose
channels are moved to the batch dimension and then spread over space. The result is that of
DepthToSpace if one channel is left; with more, the last of them would be batches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from armnn_py.descriptors import BatchToSpaceNdDescriptor, PermuteDescriptor, SpaceDepthDescriptor
from armnn_py.optimizer.passes.base import Pass, PassLog, may_merge
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node

__all__ = [
    "PERMUTE_AND_BATCH_TO_SPACE_AS_DEPTH_TO_SPACE",
    "TRANSPOSE_AND_BATCH_TO_SPACE_AS_DEPTH_TO_SPACE",
]

# Batch and channels change places; that is its own inverse, so it reads alike in Permute and
# Transpose.
_SWAPS = {DataLayout.NHWC: (3, 1, 2, 0), DataLayout.NCHW: (1, 0, 2, 3)}


def _join(layer_type: LayerType) -> Callable[[Graph, PassLog], None]:
    def run(graph: Graph, log: PassLog) -> None:
        for node in graph.nodes:
            if node.type is not LayerType.BATCH_TO_SPACE_ND:
                continue
            value = node.inputs[0]
            if value is not None and value.node.type is layer_type and len(value.users) == 1:
                _join_one(graph, value.node, node, log)

    return run


def _join_one(graph: Graph, permute: Node, spread: Node, log: PassLog) -> None:
    p, d, source = permute.descriptor, spread.descriptor, permute.inputs[0]
    assert isinstance(p, PermuteDescriptor)
    assert isinstance(d, BatchToSpaceNdDescriptor)
    assert source is not None
    if p.mappings != _SWAPS.get(d.data_layout) or len(d.block_shape) != 2:
        return
    block = d.block_shape[0]
    if d.block_shape[1] != block or any((*d.crop_before, *d.crop_after)):
        return
    shape = source.info.static_shape
    if shape[0] != 1 or shape[d.data_layout.channel_axis] != block * block:
        return
    if not may_merge(permute, spread):
        return
    if source.info.quantization != spread.output.info.quantization:
        return
    joined = graph.add(
        LayerType.DEPTH_TO_SPACE,
        [source],
        SpaceDepthDescriptor(block, d.data_layout),
        name=spread.name,
        near=spread,
        infos=[spread.output.info],
    )
    graph.adopt(joined, permute)
    graph.substitute(spread, joined)
    graph.remove(permute)
    log.changed(f"'{permute.name}' and '{spread.name}' joined as a DepthToSpace")


PERMUTE_AND_BATCH_TO_SPACE_AS_DEPTH_TO_SPACE = Pass(
    "permute-and-batch-to-space-as-depth-to-space",
    "a Permute and the BatchToSpaceNd behind it become one DepthToSpace",
    _join(LayerType.PERMUTE),
)

TRANSPOSE_AND_BATCH_TO_SPACE_AS_DEPTH_TO_SPACE = Pass(
    "transpose-and-batch-to-space-as-depth-to-space",
    "a Transpose and the BatchToSpaceNd behind it become one DepthToSpace",
    _join(LayerType.TRANSPOSE),
)
