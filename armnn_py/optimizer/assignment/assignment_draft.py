# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which backend each node got and why, while it may still change."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct, field

from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Node, Origin
    from armnn_py.types import DataLayout

#: A logger of its own: a program that shows the assignment can switch these records off.
_log = logging.getLogger("armnn_py.optimizer.fallbacks")


class NodeAssignment(Struct, frozen=True):
    """The backend of one node, and the reasons for it.

    Attributes
    ----------
    backend
        Id of the backend that took it.
    type
        Arm NN's name of the node's type.
    refusals
        Pairs (backend id, reason) of the backends that refused it before.
    hint
        The backend that the layer asked for, or None.
    rule
        The placement rule that decided, in words, or None.
    note
        A remark, e.g. measured times; may be empty.
    """

    backend: str
    type: str
    refusals: tuple[tuple[str, str], ...] = ()
    hint: str | None = None
    rule: str | None = None
    note: str = ""


class AssignmentDraft(Struct, eq=False):
    """Assignments by node, and by layer of the user's network, which stay when nodes go.

    ``layouts`` has the converted nodes, with the layouts that they had before;
    ``with_preferences`` the backends that may want layers in another layout.
    """

    nodes: dict[Node, NodeAssignment] = field(default_factory=dict)
    origins: dict[Origin, NodeAssignment] = field(default_factory=dict)
    layouts: dict[Node, DataLayout] = field(default_factory=dict)
    with_preferences: set[str] = field(default_factory=set)

    def put(self, node: Node, assigned: NodeAssignment) -> None:
        """Remember an assignment; a later one replaces it."""
        self.nodes[node] = assigned
        for origin in node.origins:
            self.origins[origin] = assigned

    @property
    def fallbacks(self) -> dict[tuple[str, str, str], int]:
        """The number of layers refused, by (backend, layer type, reason)."""
        return Counter(
            (backend, assigned.type, reason)
            for assigned in self.nodes.values()
            for backend, reason in assigned.refusals
        )

    def report_fallbacks(self, level: int = logging.WARNING) -> None:
        """Log all refusals as one record; call it once, at the end of optimisation."""
        if not self.fallbacks or not _log.isEnabledFor(level):
            return
        layers = sum(1 for assigned in self.nodes.values() if assigned.refusals)
        lines = [f"{counted(layers, 'layer')} refused by an earlier choice of backend:"]
        lines += [
            f"  {printable(backend)}: {count}x {kind}: {printable(reason)}"
            for (backend, kind, reason), count in self.fallbacks.items()
        ]
        _log.log(level, "%s", "\n".join(lines))
