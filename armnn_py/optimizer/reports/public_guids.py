# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Numbers by which backends and profiles know the nodes of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Container

    from armnn_py.optimizer.node import Node

BEYOND_GUIDS = 1 << 32
"""A network counts its layers from 0, and has fewer than so many."""


class PublicGuids:
    """Gives each node of a graph a number of its own, when it is asked for.

    Parameters
    ----------
    nodes
        The nodes that are in the graph at the time.
    """

    __slots__ = ("_guids", "_holders", "_nodes")

    def __init__(self, nodes: Container[Node]) -> None:
        self._nodes = nodes
        self._guids: dict[Node, int] = {}
        self._holders: dict[int, Node] = {}

    def of(self, node: Node) -> int:
        """Return the number of a node for backends and profiles.

        That is the guid of the layer of the user's network that it stands for; of several layers,
        the smallest of those with the node's own type, as the convolution of a fusion. A node that
        stands for none, or whose number another node has, gets one beyond all guids. The number
        stays the same from the first call on.
        """
        known = self._guids.get(node)
        if known is None:
            known = BEYOND_GUIDS + node.rank[1]
            if node.origins:
                first = min(
                    node.origins,
                    key=lambda o: (FACTS[o.type].host, o.type is not node.shown_type, o.guid),
                )
                if self._holders.get(first.guid) not in self._nodes:
                    self._holders[first.guid] = node
                    known = first.guid
            self._guids[node] = known
        return known

    def restore(self, node: Node, guid: int) -> None:
        """Give a node the number that it had in another graph."""
        self._guids[node] = guid
        self._holders[guid] = node

    def forget(self, node: Node) -> None:
        """Take the number from a node that is taken out."""
        guid = self._guids.pop(node, None)
        if guid is not None:
            self._holders.pop(guid, None)
