# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Products of matrices whose last dimension is of channels, as Transpose layers around plain ones.

Arm NN's BatchMatMul with the layout NHWC or NDHWC multiplies the two dimensions before the last.
Backends see the last two dimensions multiply, whatever the layout.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from armnn_py.descriptors import BatchMatMulDescriptor, PermuteDescriptor
from armnn_py.network.shapes.reduction import channels_behind, channels_first
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.optimizer.graph import Graph, Node, Value

__all__ = ["lower_matrices"]

_LAST = (DataLayout.NHWC, DataLayout.NDHWC)


def lower_matrices(graph: Graph) -> None:
    """Write out every BatchMatMul of a graph with channels in the last dimension, in place."""
    for node in graph.nodes:
        d = node.descriptor
        if isinstance(d, BatchMatMulDescriptor) and (
            d.data_layout_x in _LAST or d.data_layout_y in _LAST
        ):
            graph.stage = "lower-matrices"
            _lower(graph, node, d)


def _lower(graph: Graph, node: Node, d: BatchMatMulDescriptor) -> None:
    values = []
    for name, value, layout in zip(
        "xy", node.inputs, (d.data_layout_x, d.data_layout_y), strict=True
    ):
        assert value is not None
        if layout in _LAST:
            value = _transposed(graph, node, value, f"turned_{name}", channels_first)
        values.append(value)
    plain = dataclasses.replace(d, data_layout_x=DataLayout.NCHW, data_layout_y=DataLayout.NCHW)
    ranks = [len(value.info.shape) for value in values]
    is_last = (d.data_layout_y if ranks[1] > ranks[0] else d.data_layout_x) in _LAST
    shape = node.output.info.shape
    product = graph.add(
        node.type,
        values,
        plain,
        name=node.name,
        near=node,
        infos=[node.output.info.with_shape(channels_first(shape) if is_last else shape)],
    )
    made = product.output
    if is_last:
        made = _transposed(graph, node, made, "turned_back", channels_behind)
    graph.replace(node.output, made)
    graph.adopt(product, node)
    graph.remove(node)


def _transposed(
    graph: Graph,
    node: Node,
    value: Value,
    name: str,
    order: Callable[[tuple[int, ...]], tuple[int, ...]],
) -> Value:
    descriptor = PermuteDescriptor(order(tuple(range(len(value.info.shape)))))
    title = f"{node.name}/{name}"
    return graph.add(LayerType.TRANSPOSE, [value], descriptor, name=title, near=node).output
