# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A Transpose and the inverse Transpose right before it are both removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.passes.base import PassLog
from armnn_py.optimizer.passes.permutes.movement import (
    inverse,
    keeps_values,
    only_input,
    sources_of,
)

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    # In topological order: of a nested pair the inner one is gone when the outer one is met.
    for node in graph.nodes:
        sources = sources_of(node)
        if node not in graph or sources is None:
            continue
        before = only_input(node).node
        taken_back = sources_of(before)
        if taken_back is None or sources != inverse(taken_back):
            continue
        if not (keeps_values(node) and keeps_values(before)):
            continue
        log.changed(f"'{node.name}' takes back '{before.name}'")
        graph.bypass(node, only_input(before))
        if not before.output.users:
            graph.remove(before)
