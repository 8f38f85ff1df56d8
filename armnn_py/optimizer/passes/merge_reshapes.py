# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Of Reshapes in a row only the last matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.optimizer.passes.permutes.movement import keeps_values, only_input
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in graph.nodes:
        if node.type is not LayerType.RESHAPE:
            continue
        before = only_input(node).node
        if before.type is not LayerType.RESHAPE or not (
            keeps_values(before) and keeps_values(node) and may_merge(before, node)
        ):
            continue
        graph.set_input(node, 0, only_input(before))
        if before.output.users:
            log.changed(f"'{node.name}' reads what '{before.name}' reads")
            continue
        log.changed(f"'{before.name}' merged into '{node.name}'")
        graph.adopt(node, before)
        graph.remove(before)
