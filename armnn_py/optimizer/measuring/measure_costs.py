# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From times of a few layers to costs: of layers, of neighbours and of shared copies.

The time of a layer alone includes the copies from the host and back. The time that two neighbours
save or lose of that is the cost of the pair. Two costs are those of a group, a value's maker and
its readers: a tensor with several readers is copied to the host once, and only if one of them is
there; and it is copied to another memory once, for all its readers there.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.optimizer.graph import Graph, Node, Value
    from armnn_py.optimizer.measuring.measure_clock import Clock

__all__ = ["Times", "hopeful", "picoseconds", "time_nodes", "time_pairs", "time_shared_copies"]

Times: TypeAlias = "Mapping[Node, Mapping[str, float]]"
"""Seconds of each node by backend."""

_IMPOSSIBLE = 10**15
"""Picoseconds, more than all else: for two backends between which a tensor cannot move."""
_HANDING_OVER, _SLOWEST_COPY = 0.5e-3, 250e6
"""Seconds to start a sub-graph on a device, bytes a second: no useful device is slower."""
_LARGEST_GROUP = 256
"""Combinations of backends; in larger groups, copies count as if each reader had its own."""


def time_nodes(choices: Mapping[Node, Sequence[str]], clock: Clock) -> dict[Node, dict[str, float]]:
    """Seconds of each node by backend, in order of preference; those that fail are left out.

    A node that has no choice is not timed: its seconds are the same in every assignment.
    """
    times: dict[Node, dict[str, float]] = {}
    for node, ids in choices.items():
        if len(ids) == 1:
            times[node] = {ids[0]: 0.0}
            continue
        taken = {name: clock.seconds([node], [name]) for name in ids}
        measured = {name: seconds for name, seconds in taken.items() if seconds is not None}
        # The node does not run alone even on its current backend: it stays there, at no cost.
        times[node] = measured if taken[ids[0]] is not None else {ids[0]: 0.0}
    return times


def hopeful(times: Times, clock: Clock) -> dict[Node, dict[str, float]]:
    """Leave out backends that are slower by more than saved copies could ever make up for."""
    kept = {}
    for node, own in times.items():
        least = min(own.values())
        moved = sum(value.info.byte_size for value in (*node.inputs, *node.outputs)
                    if value is not None and value.constant is None)  # fmt: skip
        most = 2 * (_HANDING_OVER + moved / _SLOWEST_COPY)
        if not any(clock.memory.values()):
            most = 2 * _HANDING_OVER
        kept[node] = {name: seconds for name, seconds in own.items() if seconds <= least + most}
    return kept


def time_pairs(
    graph: Graph, times: Times, clock: Clock
) -> dict[tuple[Node, Node], list[list[int]]]:
    """Extra (or saved) time of running two neighbours together, by the backends of both."""
    pairs: dict[tuple[Node, Node], list[list[int]]] = {}
    order = {node: number for number, node in enumerate(graph.nodes)}
    for node, own in times.items():
        readers = {user for value in node.outputs for user in value.user_nodes if user in times}
        for reader in sorted(readers, key=order.__getitem__):
            if len(own) == 1 and len(times[reader]) == 1:
                continue
            both = own.keys() & times[reader].keys()
            has_memory = any(clock.memory.get(name) for name in (*own, *times[reader]))
            if not has_memory and not both & clock.compiles:
                continue  # the same for all combinations
            # Without copies all are timed: a pair saves a little in any case, its inner border.
            table = [
                [
                    0 if has_memory and _is_a_sum(clock, a, b) else _pair(clock, node, a, reader, b)
                    for b in times[reader]
                ]
                for a in own
            ]
            if any(any(row) for row in table):
                pairs[node, reader] = table
    return pairs


def _is_a_sum(clock: Clock, a: str, b: str) -> bool:
    """Whether two layers take as long together as one after the other, copies included.

    Then any measured difference is noise. Between the memory of a backend and the host the
    copy is the same as if the other layer were not there.
    """
    home, there = clock.memory.get(a), clock.memory.get(b)
    if home or there:
        return not (home and there)
    return a != b or a not in clock.compiles


def _pair(clock: Clock, first: Node, a: str, second: Node, b: str) -> int:
    one, other = clock.seconds([first], [a]), clock.seconds([second], [b])
    if one is None or other is None:
        return 0  # nothing is known
    both = clock.seconds([first, second], [a, b])
    if both is None:
        return _IMPOSSIBLE
    if not clock.memory.get(a) and not clock.memory.get(b):
        # No copy falls away, so less time than that of the longer one alone is noise.
        both = max(both, one, other)
    return picoseconds(both) - picoseconds(one) - picoseconds(other)


def time_shared_copies(
    graph: Graph, times: Times, clock: Clock
) -> dict[tuple[Node, ...], dict[tuple[int, ...], int]]:
    """Time that readers of one value save together, by the backends of its maker and readers."""
    groups: dict[tuple[Node, ...], dict[tuple[int, ...], int]] = {}
    values = [value for node in graph.nodes for value in node.outputs if value.constant is None]
    for value in values:
        readers = [user for user in value.user_nodes if user in times]
        makers = [value.node] if value.node in times else []
        members = (*makers, *readers)
        size = math.prod(len(times[member]) for member in members)
        if len(readers) < 2 or not 1 < size <= _LARGEST_GROUP:
            continue
        ids = dict.fromkeys(name for member in members for name in times[member])
        arriving = {name: _arriving(clock, value, readers, name, times) for name in ids}
        leaving = dict.fromkeys(ids, 0)
        if makers and len(readers) == len(value.user_nodes):
            leaving = {name: _leaving(clock, value, readers, name, times) for name in ids}
        table = {}
        for choice in itertools.product(*(range(len(times[member])) for member in members)):
            places = [list(times[member])[n] for member, n in zip(members, choice, strict=True)]
            saved = _saved(places, bool(makers), clock, arriving, leaving)
            if saved:
                table[choice] = -saved
        if table:
            known = groups.setdefault(members, {})
            for choice, cost in table.items():  # a node may make several values for one group
                known[choice] = known.get(choice, 0) + cost
    return groups


def _saved(
    places: Sequence[str],
    has_maker: bool,
    clock: Clock,
    arriving: Mapping[str, int],
    leaving: Mapping[str, int],
) -> int:
    """Picoseconds that the sum of nodes and pairs has too many; ``places``: the maker's first."""
    kind = clock.memory
    home = kind.get(places[0], "") if has_maker else ""
    readers = places[1:] if has_maker else places
    saved = 0
    if home and all(kind.get(place) for place in readers):
        saved += leaving[places[0]]
    met = {home, ""}
    for place in readers:
        memory = kind.get(place, "")
        if memory in met and memory not in ("", home):
            saved += arriving[place]
        met.add(memory)
    return saved


def _arriving(clock: Clock, value: Value, readers: Sequence[Node], place: str, times: Times) -> int:
    """Cost of copying a value to a backend's memory: the time two readers save by sharing one."""
    if not clock.memory.get(place):
        return 0
    able = [reader for reader in readers if place in times[reader]]
    if len(able) < 2:
        return 0
    apart = clock.seconds(able[:2], [place, place])
    together = clock.seconds(able[:2], [place, place], shared=[value])
    if apart is None or together is None:
        return 0
    return max(0, picoseconds(apart) - picoseconds(together))


def _leaving(clock: Clock, value: Value, readers: Sequence[Node], place: str, times: Times) -> int:
    """Cost of copying a value from the memory of a backend to the host."""
    if not clock.memory.get(place) or place not in times[value.node]:
        return 0
    for reader in readers:
        if place not in times[reader]:
            continue
        nodes, places = [value.node, reader], [place, place]
        with_copy = clock.seconds(nodes, places)
        without = clock.seconds(nodes, places, keep_inner=True)
        if with_copy is not None and without is not None:
            return max(0, picoseconds(with_copy) - picoseconds(without))
    return 0


def picoseconds(seconds: float) -> int:
    """Seconds as a whole number, so that equal sums are equal."""
    return round(seconds * 1e12)
