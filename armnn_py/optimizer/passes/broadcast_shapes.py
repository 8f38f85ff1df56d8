# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operands of unequal rank get leading dimensions of 1, so that backends need not broadcast ranks.

Definition: numpy's broadcasting. A constant is given the longer shape, anything else a Reshape.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from armnn_py.descriptors import ReshapeDescriptor
from armnn_py.optimizer.passes.base import PassLog
from armnn_py.tensors import TensorInfo, format_shape
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node, Value


def _lengthened(info: TensorInfo, rank: int) -> TensorInfo:
    missing = rank - len(info.shape)
    quantization = info.quantization
    if quantization is not None and quantization.axis is not None:
        quantization = dataclasses.replace(quantization, axis=quantization.axis + missing)
    return TensorInfo((1,) * missing + info.static_shape, info.data_type, quantization)


def _lengthen(graph: Graph, value: Value, rank: int, reader: Node) -> Value:
    """Add the value with more dimensions, beside the original."""
    info = _lengthened(value.info, rank)
    if value.constant is not None:
        array = value.constant.reshape(info.array_shape)
        return graph.add_constant(array, info, name=value.node.name, near=value.node)
    return graph.add(
        LayerType.RESHAPE,
        [value],
        ReshapeDescriptor(info.static_shape),
        name=f"{reader.name}: {value.node.name} as {format_shape(info.shape)}",
        near=reader,
        infos=[info],
    ).output


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    longer: dict[tuple[Value, int], Value] = {}
    for node in graph.nodes:
        if FACTS[node.type].shape != "broadcast":
            continue
        rank = max(value.info.rank for value in node.inputs if value is not None)
        for index, value in enumerate(list(node.inputs)):
            if value is None or value.info.rank == rank:
                continue
            made = longer.get((value, rank))
            if made is None:
                made = longer[value, rank] = _lengthen(graph, value, rank, node)
            graph.set_input(node, index, made)
            log.changed(
                f"operand '{value.node.name}' of '{node.name}' reshaped from "
                f"{format_shape(value.info.shape)} to {format_shape(made.info.shape)}"
            )
    for (value, _), made in longer.items():
        if value.constant is not None and not value.users and value.node in graph:
            graph.adopt(made.node, value.node)
            graph.remove(value.node)
