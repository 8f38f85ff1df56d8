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
import logging
from typing import TYPE_CHECKING

from msgspec import structs

from armnn_py.optimizer.assignment.asking import Asking, node_signature
from armnn_py.optimizer.lowering.layouts import wish_of
from armnn_py.optimizer.measuring.least_time import least_time
from armnn_py.optimizer.measuring.measure_clock import Clock
from armnn_py.optimizer.measuring.measure_costs import (
    Times,
    hopeful,
    picoseconds,
    time_nodes,
    time_pairs,
    time_shared_copies,
)
from armnn_py.optimizer.placing.placement import Placement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.options.model_options import ModelOptions
    from armnn_py.optimizer.assignment.assignment_draft import AssignmentDraft
    from armnn_py.optimizer.graph import Graph, Node
    from armnn_py.optimizer.measuring.measure_clock import Measure
    from armnn_py.optimizer.options import OptimizerOptions

__all__ = ["assign_by_time"]

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
                    asking.ask(name, key) or wish_of(asking, name, key).layout is not None
                ):
                    own.append(name)
        draft.wishing |= asking.wishing
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
