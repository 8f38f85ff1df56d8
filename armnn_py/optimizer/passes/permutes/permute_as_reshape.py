# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A Transpose that moves only dimensions of 1 moves no element: it is a Reshape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.descriptors import ReshapeDescriptor
from armnn_py.optimizer.passes.base import PassLog
from armnn_py.optimizer.passes.permutes.movement import (
    keeps_values,
    moves_nothing,
    only_input,
    sources_of,
)
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node


def _moves_nothing(node: Node) -> bool:
    sources = sources_of(node)
    return (
        sources is not None and keeps_values(node) and moves_nothing(only_input(node).info, sources)
    )


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in graph.nodes:
        if not _moves_nothing(node):
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
