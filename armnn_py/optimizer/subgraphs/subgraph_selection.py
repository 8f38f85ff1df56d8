# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Maximal groups of one backend's layers that it can get as one sub-graph.

Arm NN's rules (SubgraphViewSelector): a layer joins the groups of its inputs unless that makes a
cycle between groups, so that each group could become one layer. Unlike in Arm NN, layers of other
backends are not grouped, which would only forbid more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from armnn_py.optimizer.graph import Graph, Node, Value


class SubgraphView(Struct, frozen=True):
    """A sub-graph: its nodes, and the tensors at its border.

    Attributes
    ----------
    nodes
        In topological order.
    inputs
        Values that come from outside, constants excepted; each once, in the order of their
        producers in the network, then of their slots.
    outputs
        Values of its nodes that are read outside, in the order of the nodes.
    """

    nodes: tuple[Node, ...]
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]


def view_of(nodes: Sequence[Node]) -> SubgraphView:
    """The view of some nodes, which are given in topological order."""
    inside = set(nodes)
    inputs: dict[Value, None] = {}
    outputs = []
    for node in nodes:
        for value in node.inputs:
            if value is None or value.node in inside or value.node.type is LayerType.CONSTANT:
                continue
            inputs[value] = None
        outputs += [
            value for value in node.outputs if any(user not in inside for user, _ in value.users)
        ]
    boundary = sorted(inputs, key=lambda value: (value.node.rank, value.index))
    return SubgraphView(tuple(nodes), tuple(boundary), tuple(outputs))


def select_subgraphs(graph: Graph, selector: Callable[[Node], bool]) -> list[SubgraphView]:
    """Group the selected nodes into maximal connected sub-graphs.

    Parameters
    ----------
    graph
        Stays as it is.
    selector
        Which nodes are selected; never asked about the host's own layers.

    Returns
    -------
    list of SubgraphView
        In the order of their first nodes. Contracting each sub-graph to one node leaves a graph
        without cycles, and no two connected ones could be joined without making a cycle.
    """
    order = graph.nodes
    groups = _Groups(len(order))
    index_of = {node: index for index, node in enumerate(order)}
    selected = [not node.is_host and selector(node) for node in order]
    for index, node in enumerate(order):
        sources = dict.fromkeys(
            index_of[value.node]
            for value in node.inputs
            if value is not None and value.node.type is not LayerType.CONSTANT
        )
        if selected[index]:
            groups.add_selected(index, sources, selected)
        elif node.type is not LayerType.CONSTANT:
            groups.add_foreign(index, sources, selected)
    members: dict[int, list[Node]] = {}
    for index, node in enumerate(order):
        if selected[index]:
            members.setdefault(groups.find(index), []).append(node)
    return [view_of(nodes) for nodes in members.values()]


class _Groups:
    """Union-find over node numbers; sets of groups are integers.

    A group has a bit once a node that is not selected reads it; joined, groups have the bits of
    all. A chain of one backend needs none. ``blockers`` of a group: the bits of the groups with a
    path to it through a node that is not selected. Such a path stays whatever is joined later, so
    that a group can never join one of its blockers. Connected groups without such a path are
    joined, so the blockers suffice to avoid cycles.
    """

    __slots__ = ("_bits", "_blockers", "_members", "_parent", "_readers")

    def __init__(self, count: int) -> None:
        self._parent = list(range(count))
        self._blockers = [0] * count
        self._members = [0] * count
        self._readers: list[list[int]] = [[] for _ in range(count)]
        self._bits = 0  # given out so far

    def find(self, index: int) -> int:
        parent = self._parent
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    def _hear(self, index: int, sources: dict[int, None]) -> list[int]:
        """Register a node with its sources, and return their groups, each once."""
        roots = list(dict.fromkeys(self.find(source) for source in sources))
        for root in roots:
            self._readers[root].append(index)
        return roots

    def add_foreign(self, index: int, sources: dict[int, None], selected: Sequence[bool]) -> None:
        for root in self._hear(index, sources):
            if selected[root] and not self._members[root]:
                self._members[root] = 1 << self._bits
                self._bits += 1
            self._blockers[index] |= self._blockers[root] | self._members[root]

    def add_selected(self, index: int, sources: dict[int, None], selected: Sequence[bool]) -> None:
        roots = self._hear(index, sources)
        for root in roots:
            self._blockers[index] |= self._blockers[root]
        for root in roots:
            if selected[root]:
                self._join(root, index)

    def _join(self, first: int, second: int) -> None:
        a, b = self.find(first), self.find(second)
        if a == b or self._blockers[a] & self._members[b] or self._blockers[b] & self._members[a]:
            return
        if len(self._readers[a]) < len(self._readers[b]):
            a, b = b, a
        self._parent[b] = a
        self._members[a] |= self._members[b]
        blockers = self._blockers[a] | self._blockers[b]
        waiting = [root for root in (a, b) if self._blockers[root] != blockers]
        self._blockers[a] = self._blockers[b] = blockers
        self._members[b] = 0
        for root in waiting:
            self._tell(root)
        self._readers[a] += self._readers[b]
        self._readers[b] = []

    def _tell(self, root: int) -> None:
        """Pass the blockers of a group on to the groups that depend on it."""
        waiting = [root]
        while waiting:
            group = waiting.pop()
            news = self._blockers[group]
            others = [self.find(reader) for reader in self._readers[group]]
            own = self.find(group)
            self._readers[group] = [other for other in dict.fromkeys(others) if other != own]
            for other in self._readers[group]:
                if news & ~self._blockers[other]:
                    self._blockers[other] |= news
                    waiting.append(other)
