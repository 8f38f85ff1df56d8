# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers whose output provably equals their input.

Layers that only nearly do nothing stay: ``x + 0`` makes 0 of -0, and a Debug layer logs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from armnn_py.descriptors import (
    BatchToSpaceNdDescriptor,
    ChannelShuffleDescriptor,
    ElementwiseBinaryDescriptor,
    PadDescriptor,
    Pooling2dDescriptor,
    ReduceDescriptor,
    ResizeDescriptor,
    SpaceDepthDescriptor,
    SpaceToBatchNdDescriptor,
    StridedSliceDescriptor,
)
from armnn_py.optimizer.passes.base import PassLog
from armnn_py.optimizer.passes.permutes.movement import only_input, sources_of
from armnn_py.types import BinaryOperation, LayerType, PoolingAlgorithm, ResizeMethod

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node, Value


def _always(_: Node) -> bool:
    """True: such a layer does nothing whenever its output has the info of its input."""
    return True


def _permute(node: Node) -> bool:
    sources = sources_of(node)
    return sources is not None and sources == tuple(range(len(sources)))


def _pad(node: Node) -> bool:
    d = node.descriptor
    return isinstance(d, PadDescriptor) and not any((*d.pad_before, *d.pad_after))


def _strided_slice(node: Node) -> bool:
    # A stride of 1 that keeps every element begins with the first one.
    d = node.descriptor
    return isinstance(d, StridedSliceDescriptor) and all(stride == 1 for stride in d.stride)


def _channel_shuffle(node: Node) -> bool:
    d = node.descriptor
    if not isinstance(d, ChannelShuffleDescriptor):
        return False
    return d.group_count in (1, only_input(node).info.shape[d.axis])


def _space_depth(node: Node) -> bool:
    d = node.descriptor
    return isinstance(d, SpaceDepthDescriptor) and d.block_size == 1


def _batch_to_space(node: Node) -> bool:
    d = node.descriptor
    return (
        isinstance(d, BatchToSpaceNdDescriptor)
        and set(d.block_shape) <= {1}
        and not any((*d.crop_before, *d.crop_after))
    )


def _space_to_batch(node: Node) -> bool:
    d = node.descriptor
    return (
        isinstance(d, SpaceToBatchNdDescriptor)
        and set(d.block_shape) <= {1}
        and not any((*d.pad_before, *d.pad_after))
    )


def _resize(node: Node) -> bool:
    d = node.descriptor
    return isinstance(d, ResizeDescriptor) and d.method is ResizeMethod.NEAREST_NEIGHBOR


def _pooling(node: Node) -> bool:
    d = node.descriptor
    return (
        isinstance(d, Pooling2dDescriptor)
        and d.pool_type is not PoolingAlgorithm.L2
        and d.pool_width == d.pool_height == d.stride_x == d.stride_y == 1
        and not (d.pad_left or d.pad_right or d.pad_top or d.pad_bottom)
    )


def _reduce(node: Node) -> bool:
    d, shape = node.descriptor, only_input(node).info.shape
    if not isinstance(d, ReduceDescriptor) or not d.keep_dims:
        return False
    return all(shape[axis] == 1 for axis in d.axes or range(len(shape)))


def _by_one(node: Node) -> bool:
    """Whether it is ``x * 1`` or ``x / 1``; not if quantised, where a stored 1 does not mean 1."""
    d, value = node.descriptor, node.constants[1]
    operations = (BinaryOperation.MUL, BinaryOperation.DIV)
    if isinstance(d, ElementwiseBinaryDescriptor) and d.operation not in operations:
        return False
    if value is None or value.size == 0 or node.output.info.data_type.is_quantized:
        return False
    return bool(value.flat[0] == 1 and np.all(value == 1)) and value.dtype != np.uint16


_RULES: dict[LayerType, Callable[[Node], bool]] = {
    LayerType.BATCH_TO_SPACE_ND: _batch_to_space,
    LayerType.BROADCAST_TO: _always,
    LayerType.CAST: _always,
    LayerType.CHANNEL_SHUFFLE: _channel_shuffle,
    LayerType.CONCAT: _always,
    LayerType.DEPTH_TO_SPACE: _space_depth,
    LayerType.ELEMENTWISE_BINARY: _by_one,
    LayerType.PAD: _pad,
    LayerType.POOLING2D: _pooling,
    LayerType.REDUCE: _reduce,
    LayerType.RESHAPE: _always,
    LayerType.RESIZE: _resize,
    LayerType.SLICE: _always,
    LayerType.SPACE_TO_BATCH_ND: _space_to_batch,
    LayerType.SPACE_TO_DEPTH: _space_depth,
    LayerType.SPLITTER: _always,
    LayerType.STRIDED_SLICE: _strided_slice,
    LayerType.TILE: _always,
    LayerType.TRANSPOSE: _permute,
}


def _handed_on(node: Node) -> Value | None:
    """Return the operand that equals the only output of a node, or None."""
    rule = _RULES.get(node.type)
    if rule is None or len(node.outputs) != 1:
        return None
    value = only_input(node)
    if node.type is LayerType.CONCAT and len(node.inputs) != 1:
        return None
    # The infos last: most layers fail by their rule, whatever their sizes are.
    return value if rule(node) and node.output.info == value.info else None


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in graph.nodes:
        value = _handed_on(node)
        if value is not None:
            log.changed(
                f"'{node.name}' ({node.shown_type.label}) hands on what it reads, and is gone"
            )
            graph.bypass(node, value)
