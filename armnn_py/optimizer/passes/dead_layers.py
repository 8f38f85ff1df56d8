# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that no output depends on are not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.passes.base import Pass, PassLog
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph

__all__ = ["REMOVE_DEAD_LAYERS"]


def _run(graph: Graph, log: PassLog) -> None:
    for node in reversed(graph.remove_dead()):
        what = "constant" if node.type is LayerType.CONSTANT else "layer"
        log.changed(f"{what} '{node.name}' is read by nobody, and is gone")


REMOVE_DEAD_LAYERS = Pass("remove-dead-layers", "layers that no output depends on", _run)
