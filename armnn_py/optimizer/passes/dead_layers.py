# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that no output depends on are not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.passes.base import PassLog
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in reversed(graph.remove_dead()):
        what = "constant" if node.type is LayerType.CONSTANT else "layer"
        log.changed(f"{what} '{node.name}' is unused and was removed")
