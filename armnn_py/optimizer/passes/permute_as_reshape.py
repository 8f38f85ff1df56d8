# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A Permute or Transpose that moves only dimensions of 1 moves no element: it is a Reshape."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from armnn_py.descriptors import ReshapeDescriptor
from armnn_py.optimizer.passes.base import Pass, PassLog
from armnn_py.optimizer.passes.movement import keeps_values, only_input, sources_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node

__all__ = ["PERMUTE_AS_RESHAPE", "TRANSPOSE_AS_RESHAPE"]


def _moves_nothing(node: Node) -> bool:
    shape, sources = only_input(node).info.static_shape, sources_of(node)
    if sources is None or not keeps_values(node):
        return False
    moved = [source for source in sources if shape[source] != 1]
    return all(a < b for a, b in itertools.pairwise(moved))


def _reshape(graph: Graph, log: PassLog, layer_type: LayerType) -> None:
    for node in graph.nodes:
        if node.type is not layer_type or not _moves_nothing(node):
            continue
        reshape = graph.add(
            LayerType.RESHAPE,
            node.inputs,
            ReshapeDescriptor(node.output.info.static_shape),
            name=node.name,
            near=node,
            infos=[node.output.info],
        )
        log.changed(f"'{node.name}' moves no element: a Reshape does")
        graph.substitute(node, reshape)


def _permutes(graph: Graph, log: PassLog) -> None:
    _reshape(graph, log, LayerType.PERMUTE)


def _transposes(graph: Graph, log: PassLog) -> None:
    _reshape(graph, log, LayerType.TRANSPOSE)


PERMUTE_AS_RESHAPE = Pass(
    "permute-as-reshape", "a Permute that moves only dimensions of 1 becomes a Reshape", _permutes
)
TRANSPOSE_AS_RESHAPE = Pass(
    "transpose-as-reshape",
    "a Transpose that moves only dimensions of 1 becomes a Reshape",
    _transposes,
)
