# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A Permute or Transpose that takes back the one before it vanishes together with that one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.passes.base import Pass, PassLog
from armnn_py.optimizer.passes.movement import inverse, keeps_values, only_input, sources_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph

__all__ = ["CANCEL_INVERSE_PERMUTES", "CANCEL_INVERSE_TRANSPOSES"]


def _cancel(graph: Graph, log: PassLog, layer_type: LayerType) -> None:
    # In topological order: of a nested pair the inner one is gone when the outer one is met.
    for node in graph.nodes:
        if node not in graph or node.type is not layer_type:
            continue
        sources, before = sources_of(node), only_input(node).node
        taken_back = sources_of(before)
        if sources is None or taken_back is None or sources != inverse(taken_back):
            continue
        if not (keeps_values(node) and keeps_values(before)):
            continue
        log.changed(f"'{node.name}' takes back '{before.name}'")
        graph.bypass(node, only_input(before))
        if not before.output.users:
            graph.remove(before)


def _cancel_permutes(graph: Graph, log: PassLog) -> None:
    _cancel(graph, log, LayerType.PERMUTE)


def _cancel_transposes(graph: Graph, log: PassLog) -> None:
    _cancel(graph, log, LayerType.TRANSPOSE)


CANCEL_INVERSE_PERMUTES = Pass(
    "cancel-inverse-permutes",
    "a Permute that takes back the Permute or Transpose before it",
    _cancel_permutes,
)
CANCEL_INVERSE_TRANSPOSES = Pass(
    "cancel-inverse-transposes",
    "a Transpose that takes back the Permute or Transpose before it",
    _cancel_transposes,
)
