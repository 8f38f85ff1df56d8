# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Repeated edges of an image become the padding of the max pooling that reads it.

A Gather whose indices are 0, .., 0, 1, 2, .., n, .., n pads an image with its edge. A maximum over
windows that hold an element of the edge next to copies of it does not see the copies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import structs

from armnn_py.descriptors import GatherDescriptor, Pooling2dDescriptor
from armnn_py.optimizer.passes.base import PassLog
from armnn_py.optimizer.passes.folding.fold_pad import fold_into_readers, same_output, sees_input
from armnn_py.types import LayerType, PoolingAlgorithm

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node

__all__ = ["run"]


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in reversed(graph.nodes):  # of one Gather behind another the last goes first
        if node.type is LayerType.GATHER and node in graph:
            _fold_one(graph, node, log)


def _fold_one(graph: Graph, gather: Node, log: PassLog) -> None:
    source, edges = gather.inputs[0], _edges(gather)
    if (
        edges is None
        or source is None
        or source.info.quantization != gather.output.info.quantization
    ):
        return

    def widened(reader: Node) -> Pooling2dDescriptor | None:
        return _wider(gather, reader, *edges)

    fold_into_readers(graph, gather, widened, f"edges that '{gather.name}' repeats", log)


def _edges(gather: Node) -> tuple[int, int, int] | None:
    """Axis, copies before and copies after, of a Gather that repeats edges."""
    d, source, indices = gather.descriptor, gather.inputs[0], gather.constants[1]
    if not isinstance(d, GatherDescriptor) or source is None or source.info.rank != 4:
        return None
    axis = d.axis % 4
    size = source.info.static_shape[axis]
    if indices is None or indices.ndim != 1 or indices.size < size or size == 0:
        return None
    before = int(np.argmax(indices != 0)) - 1 if indices.any() else indices.size - 1
    after = indices.size - size - before
    if before < 0 or after < 0:
        return None
    repeated = np.pad(np.arange(size), (before, after), mode="edge")
    return (axis, before, after) if np.array_equal(indices, repeated) else None


def _wider(
    gather: Node, reader: Node, axis: int, before: int, after: int
) -> Pooling2dDescriptor | None:
    d, source = reader.descriptor, gather.inputs[0]
    assert source is not None
    if not isinstance(d, Pooling2dDescriptor) or d.pool_type is not PoolingAlgorithm.MAX:
        return None
    y, x = d.data_layout.spatial_axes
    # With a dilation, a window may step over the edge and see only copies of it.
    if axis == y and d.dilation_y == 1:
        wider = structs.replace(d, pad_top=d.pad_top + before, pad_bottom=d.pad_bottom + after)
    elif axis == x and d.dilation_x == 1:
        wider = structs.replace(d, pad_left=d.pad_left + before, pad_right=d.pad_right + after)
    else:
        return None
    fits = same_output(reader, wider, source.info) and sees_input(wider, source.info, reader)
    return wider if fits else None
