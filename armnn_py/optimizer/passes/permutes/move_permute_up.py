# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A Transpose moves up through elementwise layers to where it disappears.

Above them it meets its inverse, so that both are removed, or a constant, whose values are permuted
once. Arm NN moves it wherever it can; here it moves only if fewer Transposes are left: otherwise it
would separate a convolution from its activation, or become one for each operand of a sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.descriptors import PermuteDescriptor
from armnn_py.optimizer.passes.base import PassLog
from armnn_py.optimizer.passes.permutes.movement import (
    has_one_meaning,
    inverse,
    keeps_values,
    only_input,
    permuted_constant,
    permuted_info,
    sources_of,
)
from armnn_py.text import counted
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node, Value


def _can_be_passed(node: Node, rank: int) -> bool:
    """Whether the layer may as well work on permuted operands, for its only reader."""
    if not FACTS[node.type].pointwise or len(node.output.user_nodes) != 1:
        return False
    if node.output.info.rank != rank or not has_one_meaning(node.output.info):
        return False
    for value in node.inputs:
        if value is None or not has_one_meaning(value.info):
            return False
        if value.info.rank != rank and value.constant is None:
            return False
    return True


class _Move:
    """One Transpose to move up: the layers that it passes, and how many Transposes are left.

    Every layer passed has one reader, so that the layers form a tree, and the trees of different
    Transposes have no layer in common: all together take linear time.
    """

    def __init__(self, root: Node, sources: tuple[int, ...]) -> None:
        self.root = root
        self.sources = sources
        self.undone = inverse(sources)
        self._layers: list[Node] = []  # each before those that it reads
        self._left: dict[Node, int] = {}  # Transposes needed above a layer, less those cancelled
        self._explore()

    def _explore(self) -> None:
        rank = len(self.sources)
        waiting = [only_input(self.root).node]
        seen = set()
        while waiting:
            node = waiting.pop()
            if node in seen or not _can_be_passed(node, rank):
                continue
            seen.add(node)
            self._layers.append(node)
            waiting += [value.node for value in node.inputs if value is not None]
        for node in reversed(self._layers):
            values = dict.fromkeys(value for value in node.inputs if value is not None)
            self._left[node] = sum(map(self._cost, values))

    def cancels(self, value: Value) -> bool:
        """Whether the value comes from the inverse Transpose."""
        return sources_of(value.node) == self.undone and keeps_values(value.node)

    def _cost(self, value: Value) -> int:
        if value.constant is not None:
            return 0
        if self.cancels(value):
            return -1 if len(value.users) == 1 else 0
        return min(1, self._left.get(value.node, 1))

    @property
    def pays(self) -> bool:
        """Whether fewer Transposes are left after the move than before."""
        return self._left.get(only_input(self.root).node, 1) < 1

    def passed(self) -> list[Node]:
        """The layers to pass: it stops where going further up saves nothing."""
        top = only_input(self.root).node
        chosen = {top}
        for node in self._layers:
            if node in chosen:
                chosen.update(
                    value.node
                    for value in node.inputs
                    if value is not None and self._left.get(value.node, 1) < 1
                )
        return [node for node in self._layers if node in chosen]


def _apply(graph: Graph, move: _Move) -> int:
    """Move the Transpose; return how many were added further up."""
    root, passed = move.root, move.passed()
    inside = set(passed)
    moved: dict[Value, Value] = {}  # by value from above the layers: its permuted form
    added = 0
    for node in passed:
        for index, value in enumerate(list(node.inputs)):
            if value is None or value.node in inside:
                continue
            if value not in moved:
                if value.constant is not None:
                    moved[value] = permuted_constant(graph, value, move.sources)
                elif move.cancels(value):
                    moved[value] = only_input(value.node)
                else:
                    transpose = graph.add(
                        root.type,
                        [value],
                        PermuteDescriptor(move.sources),
                        name=root.name if not added else f"{root.name} {added}",
                        near=node,
                    )
                    transpose.pin = root.pin
                    graph.adopt(transpose, root)
                    added += 1
                    moved[value] = transpose.output
            graph.set_input(node, index, moved[value])
    for node in passed:
        node.output.info = permuted_info(node.output.info, move.sources)
    graph.bypass(root, only_input(root))
    for value, instead in moved.items():
        if not value.users and value.node in graph:
            if value.constant is not None:
                graph.adopt(instead.node, value.node)
            graph.remove(value.node)
    return added


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    for node in reversed(graph.nodes):
        sources = sources_of(node)
        if sources is None or node not in graph or not keeps_values(node):
            continue
        move = _Move(node, sources)
        if not move.pays:
            continue
        count = len(move.passed())
        left = _apply(graph, move)
        log.changed(
            f"'{node.name}' moved up through {counted(count, 'layer')}, "
            + ("where it is needed no more" if not left else f"{left} needed there")
        )
