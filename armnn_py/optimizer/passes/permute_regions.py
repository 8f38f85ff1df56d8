# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whole regions of layers compute in another order of dimensions if that takes fewer Transposes.

A region is a set of connected layers that may as well work on permuted operands, such as residual
blocks, which their sums connect. An exporter that keeps images in one order around convolutions
that want the other leaves a Permute at each border of such a region. If the whole region computes
in the order of the convolutions, only the Permutes at its outer borders are left.

The layers to permute are found by descent: first all of a region; then layers leave or come back as
long as that makes Permutes fewer or smaller. Without a gain, layers stay as they are. Permutes and
Transposes are the same here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.descriptors import PermuteDescriptor
from armnn_py.optimizer.passes.base import Pass, PassLog
from armnn_py.optimizer.passes.movement import (
    inverse,
    keeps_values,
    only_input,
    permuted_constant,
    permuted_info,
    sources_of,
)
from armnn_py.optimizer.passes.permutable import (
    absorbs,
    is_permutable,
    is_permuted_operand,
    permuted_operands,
    with_permuted_operands,
)
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from armnn_py.optimizer.graph import Graph, Node, Value

__all__ = ["PERMUTE_REGIONS"]

#: One Transpose weighs more than the elements of any number of them,
_EACH = 1 << 64
#: and one that only moves dimensions of 1, which becomes a Reshape, less than others.
_RESHAPE = _EACH // 4
#: How often the layers of a region are visited.
_SWEEPS = 16


def _moves(node: Node) -> tuple[int, ...] | None:
    """The source of each dimension, if the layer is a Transpose that keeps types and scales."""
    sources = sources_of(node)
    return sources if sources is not None and keeps_values(node) else None


class _Region:
    """Some connected layers, one permutation, and which of the layers are to be permuted."""

    def __init__(self, nodes: Sequence[Node], sources: tuple[int, ...]) -> None:
        self.nodes = nodes
        self.members = frozenset(nodes)
        self.sources = sources
        self.undone = inverse(sources)
        self.chosen = set(nodes)

    # ---- What it costs -------------------------------------------------------------------------

    def _weight(self, value: Value, count: int = 1) -> int:
        """Weight of Permutes of a value."""
        shape = value.info.static_shape
        long = [source for source in self.sources if shape[source] != 1]
        if long == sorted(long):
            return _RESHAPE * count
        return (_EACH + value.info.element_count) * count

    def brings_undone(self, value: Value) -> bool:
        """Whether a value from outside is the inverse Permute of another from outside."""
        node = value.node
        return _moves(node) == self.undone and only_input(node).node not in self.members

    def _cost(self, value: Value) -> int:
        """Weight of the Permutes that a value needs, with the current choice of layers."""
        if value.constant is not None:
            return 0
        permuting = permuted = others = 0
        for node, index in value.users:
            if node in self.chosen and is_permuted_operand(node, index):
                permuted += 1
            elif _moves(node) == self.sources:
                permuting += 1
            elif not absorbs(node, self.sources):
                others += 1
        if value.node in self.chosen:
            return self._weight(value) if others else 0
        if value.node not in self.members and self.brings_undone(value):
            # Both orders are there; the Permute stays if the other one is read.
            absorbed = permuted + permuting + others < len(value.users)
            there = self._weight(value, 1 if others or permuting or absorbed else 0)
            return there + self._weight(value, permuting)
        return self._weight(value, permuting or min(permuted, 1))

    def _touched(self, node: Node) -> dict[Value, None]:
        return dict.fromkeys((*node.outputs, *permuted_operands(node)))

    def _total(self) -> int:
        values = {value: None for node in self.nodes for value in self._touched(node)}
        return sum(map(self._cost, values))

    def gain(self) -> int:
        """Weight that the chosen layers save."""
        chosen = self.chosen
        after = self._total()
        self.chosen = set()
        before = self._total()
        self.chosen = chosen
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
        leaves = node in self.chosen
        (self.chosen.discard if leaves else self.chosen.add)(node)
        after = sum(map(self._cost, touched))
        if after < before or (leaves and after == before):
            return True
        (self.chosen.add if leaves else self.chosen.discard)(node)
        return False


class _Change:
    """Permutes the chosen layers of a region."""

    def __init__(self, graph: Graph, region: _Region) -> None:
        self.graph = graph
        self.region = region
        self.added = 0
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
                if other not in seen and _moves(other) in (region.sources, region.undone):
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
            if _moves(user) == self.region.sources:
                return user.output
        return self._add(value, self.region.sources)

    def _let_others_read(self, value: Value) -> None:
        """Put Transposes before the other readers of a permuted value."""
        region = self.region
        back: Value | None = None
        for user, index in list(value.users):
            if user in region.chosen and is_permuted_operand(user, index):
                continue
            if _moves(user) == region.sources:
                self.graph.bypass(user, value)
            elif absorbs(user, region.sources):
                user.descriptor = with_permuted_operands(
                    user.descriptor, region.sources, len(region.sources)
                )
            else:
                if back is None:
                    back = self._add(value, region.undone)
                self.graph.set_input(user, index, back)

    def _add(self, value: Value, sources: tuple[int, ...]) -> Value:
        like = self.old[min(self.added, len(self.old) - 1)]
        node = self.graph.add(
            LayerType.TRANSPOSE,
            [value],
            PermuteDescriptor(sources),
            name=like.name,
            near=value.node,
            infos=[permuted_info(value.info, sources)],
        )
        node.pin = like.pin
        if self.added < len(self.old) and like in self.graph:
            self.graph.adopt(node, like)
        self.added += 1
        return node.output


# ---- Regions -----------------------------------------------------------------------------------


def _regions(graph: Graph) -> Iterator[list[Node]]:
    """Each set of connected permutable layers, in order."""
    seen: set[Node] = set()
    order = graph.nodes
    place = {node: index for index, node in enumerate(order)}
    for start in order:
        if start in seen or not is_permutable(start):
            continue
        seen.add(start)
        found, waiting = [], [start]
        while waiting:
            node = waiting.pop()
            found.append(node)
            for other in _neighbours(node):
                if other not in seen and is_permutable(other):
                    seen.add(other)
                    waiting.append(other)
        yield sorted(found, key=place.__getitem__)


def _neighbours(node: Node) -> Iterator[Node]:
    for value in permuted_operands(node):
        if value.info.rank == node.outputs[0].info.rank:
            yield value.node
    for value in node.outputs:
        for user, index in value.users:
            if is_permuted_operand(user, index):
                yield user


def _permutations(nodes: Sequence[Node]) -> list[tuple[int, ...]]:
    """The permutations at the borders of a region, as they would apply to its values."""
    found: dict[tuple[int, ...], int] = {}
    for node in nodes:
        for value in permuted_operands(node):
            sources = _moves(value.node)
            if sources is not None:
                found[inverse(sources)] = found.get(inverse(sources), 0) + 1
        for value in node.outputs:
            for user in value.user_nodes:
                sources = _moves(user)
                if sources is not None:
                    found[sources] = found.get(sources, 0) + 1
    return sorted(found, key=lambda one: (-found[one], one))


def _run(graph: Graph, log: PassLog) -> None:
    for nodes in list(_regions(graph)):
        for sources in _permutations(nodes):
            if list(sources) == sorted(sources):
                continue
            region = _Region(nodes, sources)
            region.choose()
            if not region.chosen or region.gain() <= 0:
                continue
            change = _Change(graph, region)
            change.apply()
            left = change.added + sum(node in graph for node in change.old)
            log.changed(
                f"{len(region.chosen)} layers from '{nodes[0].name}' on compute in the order "
                f"{sources} of dimensions: {len(change.old)} permutations at their borders, now "
                f"{left}"
            )


PERMUTE_REGIONS = Pass(
    "permute-regions",
    "layers compute in another order of dimensions if that takes fewer Transposes",
    _run,
)
