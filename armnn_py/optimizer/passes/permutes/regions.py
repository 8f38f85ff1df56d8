# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Regions of connected layers that may as well work on permuted operands, and what that costs.

The layers to permute are found by descent: first all of a region; then layers leave or come back as
long as that makes Transposes fewer or smaller. Without a gain, layers stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.descriptors import PermuteDescriptor
from armnn_py.optimizer.passes.permutes.movement import (
    inverse,
    keeps_values,
    moves_nothing,
    only_input,
    permuted_constant,
    permuted_info,
    sources_of,
)
from armnn_py.optimizer.passes.permutes.permutable import (
    absorbs,
    is_permutable,
    is_permuted_operand,
    permuted_operands,
    with_permuted_operands,
)
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from armnn_py.optimizer.graph import Graph, Node, Value

#: One Transpose weighs more than the elements of any number of them,
_EACH = 1 << 64
#: and one that only moves dimensions of 1, which becomes a Reshape, less than others.
_RESHAPE = _EACH // 4
#: How often the layers of a region are visited.
_SWEEPS = 16


def moves(node: Node) -> tuple[int, ...] | None:
    """Return the source of each dimension of a Transpose that keeps types and scales."""
    sources = sources_of(node)
    return sources if sources is not None and keeps_values(node) else None


class _Reads:
    """How often a value is read: by layers of the region, permuted ones among them, and others."""

    __slots__ = ("others", "own", "permuted", "permuting")

    def __init__(self) -> None:
        self.own = self.permuted = self.permuting = self.others = 0


class Region:
    """Some connected layers, one permutation, and which of the layers are to be permuted.

    Attributes
    ----------
    nodes
        The layers that may be permuted, in order.
    sources
        The permutation.
    chosen
        The layers to permute.
    joins_on_tie
        Whether a layer is permuted if it costs the same in both orders.
    """

    joins_on_tie = False

    def __init__(self, nodes: Sequence[Node], sources: tuple[int, ...]) -> None:
        self.nodes = nodes
        self.members = frozenset(nodes)
        self.sources = sources
        self.undone = inverse(sources)
        self.chosen = set(nodes)
        self._reads: dict[Value, _Reads] = {}

    # ---- What it costs -------------------------------------------------------------------------

    def weigh(self, value: Value) -> int:
        """Weight of one Transpose of a value."""
        if moves_nothing(value.info, self.sources):
            return _RESHAPE
        return _EACH + value.info.element_count

    def absorbs(self, node: Node) -> bool:
        """Whether a reader, not permuted itself, takes a permuted operand as well."""
        return absorbs(node, self.sources)

    def _weight(self, value: Value, count: int = 1) -> int:
        return self.weigh(value) * count if count else 0

    def brings_undone(self, value: Value) -> bool:
        """Whether a value from outside is the inverse Permute of another from outside."""
        node = value.node
        return moves(node) == self.undone and only_input(node).node not in self.members

    def _cost(self, value: Value) -> int:
        """Weight of the Permutes that a value needs, with the current choice of layers."""
        if value.constant is not None:
            return 0
        reads = self._reads_of(value)
        permuting, permuted = reads.permuting, reads.permuted
        others = reads.others + reads.own - permuted
        if value.node in self.chosen:
            return self._weight(value) if others else 0
        if value.node not in self.members and self.brings_undone(value):
            # Both orders are there; the Permute stays if the other one is read.
            absorbed = permuted + permuting + others < len(value.users)
            there = self._weight(value, 1 if others or permuting or absorbed else 0)
            return there + self._weight(value, permuting)
        return self._weight(value, permuting or min(permuted, 1))

    def _reads_of(self, value: Value) -> _Reads:
        """The readers of a value, counted once: a fork of many takes no longer than a chain."""
        reads = self._reads.get(value)
        if reads is None:
            reads = self._reads[value] = _Reads()
            for node, index in value.users:
                if node in self.members and is_permuted_operand(node, index):
                    reads.own += 1
                    reads.permuted += node in self.chosen
                elif moves(node) == self.sources:
                    reads.permuting += 1
                elif not self.absorbs(node):
                    reads.others += 1
        return reads

    def _switch(self, node: Node) -> bool:
        """Let a layer leave, or come back; whether it left."""
        leaves = node in self.chosen
        read = [value for value in permuted_operands(node) if value.constant is None]
        for reads in map(self._reads_of, read):
            reads.permuted += -1 if leaves else 1
        (self.chosen.discard if leaves else self.chosen.add)(node)
        return leaves

    def _touched(self, node: Node) -> dict[Value, None]:
        return dict.fromkeys((*node.outputs, *permuted_operands(node)))

    def _total(self) -> int:
        values = {value: None for node in self.nodes for value in self._touched(node)}
        return sum(map(self._cost, values))

    def gain(self) -> int:
        """Weight that the chosen layers save."""
        chosen, after = self.chosen, self._total()
        self.chosen, self._reads = set(), {}
        before = self._total()
        self.chosen, self._reads = chosen, {}
        return before - after

    # ---- Which layers --------------------------------------------------------------------------

    def choose(self) -> None:
        """Let layers leave, or come back, until nothing improves."""
        order = list(self.nodes)
        for _ in range(_SWEEPS):
            changes = sum(map(self._toggle, order))
            if not changes:
                break
            order.reverse()

    def _toggle(self, node: Node) -> bool:
        touched = self._touched(node)
        before = sum(map(self._cost, touched))
        leaves = self._switch(node)
        after = sum(map(self._cost, touched))
        if after < before or (after == before and leaves is not self.joins_on_tie):
            return True
        self._switch(node)
        return False


class RegionChange:
    """Permutes the chosen layers of a region.

    Attributes
    ----------
    added
        The new Transposes.
    old
        Those that were at the borders.
    """

    def __init__(self, graph: Graph, region: Region) -> None:
        self.graph = graph
        self.region = region
        self.added: list[Node] = []
        # The present Permutes: the new ones take over their names and origins.
        self.old = list(self._borders())

    def _borders(self) -> Iterator[Node]:
        region, seen = self.region, set()
        for node in region.nodes:
            if node not in region.chosen:
                continue
            around = [value.node for value in permuted_operands(node)]
            around += [user for value in node.outputs for user in value.user_nodes]
            for other in around:
                if other not in seen and moves(other) in (region.sources, region.undone):
                    seen.add(other)
                    yield other

    def apply(self) -> None:
        """Change the graph."""
        region = self.region
        chosen = [node for node in region.nodes if node in region.chosen]
        made: dict[Value, Value] = {}
        for node in chosen:
            for index, value in enumerate(list(node.inputs)):
                if value is None or value.node in region.chosen:
                    continue
                if is_permuted_operand(node, index):
                    if value not in made:
                        made[value] = self._permuted(value)
                    self.graph.set_input(node, index, made[value])
        for node in chosen:
            node.descriptor = with_permuted_operands(
                node.descriptor, region.sources, len(region.sources)
            )
            for value in node.outputs:
                value.info = permuted_info(value.info, region.sources)
        for node in chosen:
            for value in node.outputs:
                self._let_others_read(value)
        for value, instead in made.items():
            if not value.users and value.node in self.graph:
                if value.constant is not None:
                    self.graph.adopt(instead.node, value.node)
                self.graph.remove(value.node)

    def _permuted(self, value: Value) -> Value:
        """The permuted form of a value from outside."""
        if value.constant is not None:
            return permuted_constant(self.graph, value, self.region.sources)
        if self.region.brings_undone(value):
            return only_input(value.node)
        for user in value.user_nodes:
            if moves(user) == self.region.sources:
                return user.output
        return self._add(value, self.region.sources)

    def _let_others_read(self, value: Value) -> None:
        """Put Transposes before the other readers of a permuted value."""
        region = self.region
        back: Value | None = None
        for user, index in list(value.users):
            if user in region.chosen and is_permuted_operand(user, index):
                continue
            if moves(user) == region.sources:
                self.graph.bypass(user, value)
            elif region.absorbs(user):
                user.descriptor = with_permuted_operands(
                    user.descriptor, region.sources, len(region.sources)
                )
            else:
                if back is None:
                    back = self._add(value, region.undone)
                self.graph.set_input(user, index, back)

    def name_of(self, value: Value, sources: tuple[int, ...], like: Node) -> str:
        """Name of a new Transpose; ``like`` is one that it replaces."""
        return like.name

    def _add(self, value: Value, sources: tuple[int, ...]) -> Value:
        like = self.old[min(len(self.added), len(self.old) - 1)]
        node = self.graph.add(
            LayerType.TRANSPOSE,
            [value],
            PermuteDescriptor(sources),
            name=self.name_of(value, sources, like),
            near=value.node,
            infos=[permuted_info(value.info, sources)],
        )
        node.pin = like.pin
        if len(self.added) < len(self.old) and like in self.graph:
            self.graph.adopt(node, like)
        self.added.append(node)
        return node.output


# ---- Regions -----------------------------------------------------------------------------------


def regions_of(graph: Graph, takes: Callable[[Node], bool] = is_permutable) -> Iterator[list[Node]]:
    """Each set of permutable layers that read each other or one value, in order.

    ``takes`` says which layers count.
    """
    seen: set[Node] = set()
    known: set[Value] = set()  # whose readers were looked at, once for all of them
    order = graph.nodes
    place = {node: index for index, node in enumerate(order)}
    for start in order:
        if start in seen or not takes(start):
            continue
        seen.add(start)
        found, waiting = [], [start]
        while waiting:
            node = waiting.pop()
            found.append(node)
            rank = node.outputs[0].info.rank
            for value in (*permuted_operands(node), *node.outputs):
                if value in known or value.constant is not None or value.info.rank != rank:
                    continue
                known.add(value)
                readers = [user for user, index in value.users if is_permuted_operand(user, index)]
                for other in (value.node, *readers):
                    if other not in seen and takes(other):
                        seen.add(other)
                        waiting.append(other)
        yield sorted(found, key=place.__getitem__)


def permutations_of(nodes: Sequence[Node]) -> list[tuple[int, ...]]:
    """The permutations at the borders of a region, as they would apply to its values."""
    found: dict[tuple[int, ...], int] = {}
    for node in nodes:
        for value in permuted_operands(node):
            sources = moves(value.node)
            if sources is not None:
                found[inverse(sources)] = found.get(inverse(sources), 0) + 1
        for value in node.outputs:
            for user in value.user_nodes:
                sources = moves(user)
                if sources is not None:
                    found[sources] = found.get(sources, 0) + 1
    return sorted(found, key=lambda one: (-found[one], one))
