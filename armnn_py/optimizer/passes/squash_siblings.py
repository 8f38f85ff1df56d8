# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Of equal Transposes or Reshapes that read one tensor, one is enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.passes.base import PassLog
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Hashable

    from armnn_py.optimizer.graph import Graph, Node


def run(graph: Graph, log: PassLog, layer_type: LayerType) -> None:
    """Run the pass for layers of one type."""
    # In topological order: where two are made one, their readers become siblings in turn.
    for node in graph.nodes:
        if node not in graph:
            continue
        for value in node.outputs:
            if len(value.users) < 2:
                continue
            # Sizes may be symbolic: they compare, but are no keys.
            first: dict[Hashable, list[Node]] = {}
            for user in value.user_nodes:
                if user.type is not layer_type:
                    continue
                info = user.output.info
                alike = first.setdefault((info.rank, info.data_type, user.pin), [])
                for kept in alike:
                    if kept.descriptor == user.descriptor and kept.output.info == info:
                        break
                else:
                    alike.append(user)
                    continue
                log.changed(f"'{user.name}' does what '{kept.name}' does, and is gone")
                graph.substitute(user, kept)
