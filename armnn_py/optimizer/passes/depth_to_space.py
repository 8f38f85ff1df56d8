# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Transpose and BatchToSpaceNd as one DepthToSpace.

Arm NN's TransposeAndBatchToSpaceAsDepthToSpace: a batch of one image whose
channels are moved to the batch dimension and then spread over space. The result is that of
DepthToSpace if one channel is left; with more, the last of them would be batches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.descriptors import BatchToSpaceNdDescriptor, PermuteDescriptor, SpaceDepthDescriptor
from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node

# Swaps batch and channels; that is its own inverse, so it reads alike in Permute and Transpose.
_SWAPS = {DataLayout.NHWC: (3, 1, 2, 0), DataLayout.NCHW: (1, 0, 2, 3)}


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in graph.nodes:
        if node.type is not LayerType.BATCH_TO_SPACE_ND:
            continue
        value = node.inputs[0]
        if value is not None and value.node.type is LayerType.TRANSPOSE and len(value.users) == 1:
            _join_one(graph, value.node, node, log)


def _join_one(graph: Graph, transpose: Node, spread: Node, log: PassLog) -> None:
    p, d, source = transpose.descriptor, spread.descriptor, transpose.inputs[0]
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
    if not may_merge(transpose, spread):
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
    graph.adopt(joined, transpose)
    graph.substitute(spread, joined)
    graph.remove(transpose)
    log.changed(f"'{transpose.name}' and '{spread.name}' joined as a DepthToSpace")
