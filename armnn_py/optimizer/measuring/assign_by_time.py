# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Assigns layers by measured time instead of by the order of the list.

Each layer is timed alone on each listed backend that takes it, its tensors coming from and going to
the host. Two neighbours are timed together wherever that can differ from the sum of both: if one
works in memory of its own, so that copies fall away or change, or if their backend may make one
layer of them. The differences are the costs of pairs; copies that several readers share are costs
of groups. `least_time` finds the assignment with the least sum. Fusions of more than two layers
count as those of the pairs in them.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import math
from typing import TYPE_CHECKING, TypeAlias

from msgspec import structs

from armnn_py.optimizer.assignment.asking import Asking, node_signature
from armnn_py.optimizer.lowering.layouts import preference_of
from armnn_py.optimizer.measuring.least_time import least_time
from armnn_py.optimizer.measuring.measured_times import Clock
from armnn_py.optimizer.placing.placement import Placement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.options.model_options import ModelOptions
    from armnn_py.optimizer.assignment.assignment_draft import AssignmentDraft
    from armnn_py.optimizer.graph import Graph, Node, Value
    from armnn_py.optimizer.measuring.measured_times import Measure
    from armnn_py.optimizer.options import OptimizerOptions

_ROUNDS = 3
_log = logging.getLogger("armnn_py.optimizer")
_BY_SUM = "by the least sum of times"


def assign_by_time(
    graph: Graph,
    backends: Sequence[Backend],
    draft: AssignmentDraft,
    options: OptimizerOptions,
    model_options: ModelOptions | None = None,
    *,
    measure: Measure,
) -> list[str]:
    """Choose, for nodes that several backends take, the backends with the least total time.

    The sum of times is an estimate. So finally the whole network is timed with the assignment by
    that sum, by preference, and with each backend wherever it helps; the fastest is taken.

    Parameters
    ----------
    graph
        Every node has its backend by preference. Nodes that a rule or a hint decided, or that run
        between conversions, keep it; so do nodes whose backends are equally fast.
    backends
        The listed ones, best first; no others are tried.
    draft
        The reasons of the assignment so far; gets the times as notes.
    options
        Options of the whole network.
    model_options
        Options of this model for the backends' support queries.
    measure
        Called with a network, the ids of the backends in use and options: returns the seconds of a
        run, or None if it does not run. A network without layers gives the cost of any run.

    Returns
    -------
    list of str
        A sentence for each assignment with which the whole network was timed; before them one that
        says so if the least sum may be missed.
    """
    by_id = {backend.id: backend for backend in backends}
    choices = _choices(graph, backends, draft, options, model_options)
    if not any(len(own) > 1 for own in choices.values()):
        return []
    used = {name: by_id[name] for own in choices.values() for name in own if name in by_id}
    # Pairs also count for fixed nodes: copies to and from them take time.
    clock = Clock(used, options, model_options, measure)
    try:
        all_times = time_nodes(choices, clock)
        times = hopeful(all_times, clock)
        nodes = list(times)
        index = {node: number for number, node in enumerate(nodes)}
        pairs = time_pairs(graph, times, clock)
        groups = time_shared_copies(graph, times, clock)
        found = least_time(
            [[picoseconds(seconds) for seconds in times[node].values()] for node in nodes],
            {(index[a], index[b]): table for (a, b), table in pairs.items()},
            [list(times[node]) for node in nodes],
            groups={tuple(index[node] for node in group): t for group, t in groups.items()},
        )
        preferred = [ids[0] for ids in choices.values()]
        ways = _ways(times, found.choices, preferred)
        whole = _time_whole(ways, clock, nodes)
    finally:
        clock.cache.save()
    best = min(whole, key=whole.__getitem__, default=_BY_SUM)
    for node, backend in zip(nodes, ways[best], strict=True):
        _settle(node, backend, all_times[node], draft)
    sentences = [f"the whole network, {way}: {_in_words(taken)}" for way, taken in whole.items()]
    if clock.cache.unsteady_count:
        _log.warning(
            "%d of the measured times are unsteady and not kept: measure again while nothing else "
            "runs",
            clock.cache.unsteady_count,
        )
        sentences.append(f"unsteady times, which are not kept: {clock.cache.unsteady_count}")
    if not found.is_exact:
        sentences.insert(0, "too densely linked to try all choices: the least sum may be missed")
    return sentences


def _ways(times: Times, choices: Sequence[int], preferred: list[str]) -> dict[str, list[str]]:
    """Assignments to compare, by description: the backends of all nodes; equal ones once."""
    ids = dict.fromkeys(name for own in times.values() for name in own)
    ways = {
        "by preference": preferred,
        _BY_SUM: [list(own)[choice] for own, choice in zip(times.values(), choices, strict=True)],
    }
    for name in ids:
        ways[f"on {name} where it is of use"] = [
            name if name in own else min(own, key=own.__getitem__) for own in times.values()
        ]
    different: dict[tuple[str, ...], str] = {}
    for way in (_BY_SUM, *ways):
        different.setdefault(tuple(ways[way]), way)
    return {way: list(ids) for ids, way in different.items()}


def _time_whole(
    ways: Mapping[str, Sequence[str]], clock: Clock, nodes: Sequence[Node]
) -> dict[str, float]:
    """Seconds of the whole network by assignment, where it runs; a single one is not timed."""
    if len(ways) < 2:
        return {}
    read = {value for node in nodes for value in node.inputs if value is not None}
    for _ in range(_ROUNDS):  # in turn, so that other load on the machine slows all of them
        taken = {
            way: clock.seconds(nodes, ids, shared=read, again=True) for way, ids in ways.items()
        }
    return {way: seconds for way, seconds in taken.items() if seconds is not None}


def _choices(
    graph: Graph,
    backends: Sequence[Backend],
    draft: AssignmentDraft,
    options: OptimizerOptions,
    model_options: ModelOptions | None,
) -> dict[Node, list[str]]:
    """Ids of the backends that may have each node: its current one, then by preference."""
    nodes = [node for node in graph.nodes if not node.is_host]
    free = [node for node in nodes if not _is_decided(node, draft, options)]
    choices = {node: [node.backend or ""] for node in nodes}
    with contextlib.ExitStack() as stack:
        loaded = {backend.id: backend for backend in backends}
        asking = Asking(backends, loaded, model_options, stack, free)
        for node in free:
            key, own = node_signature(node), choices[node]
            for name in loaded:
                if name not in own and (
                    asking.ask(name, key) or preference_of(asking, name, key).layout is not None
                ):
                    own.append(name)
        draft.with_preferences |= asking.with_preferences
    return choices


def _is_decided(node: Node, draft: AssignmentDraft, options: OptimizerOptions) -> bool:
    """Whether a rule, a hint or a conversion decided the node's backend."""
    placed = draft.nodes.get(node)
    if placed is None or placed.rule is not None or placed.note or node.backend == placed.hint:
        return True
    rules = options.placement or Placement()
    numbers = (rules.number_for(origin.name, origin.type) for origin in node.origins)
    return any(number is not None and rules.is_strict(number) for number in numbers)


def _settle(node: Node, choice: str, times: Mapping[str, float], draft: AssignmentDraft) -> None:
    """Assign a node its backend, with the times as note, if there was a choice."""
    if len(times) == 1:
        return
    others = [f"{_in_words(taken)} on {name}" for name, taken in times.items() if name != choice]
    note = ", ".join([f"measured: {_in_words(times[choice])} here", *others])
    node.backend = choice
    draft.put(node, structs.replace(draft.nodes[node], backend=choice, note=note))


def _in_words(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s"


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
