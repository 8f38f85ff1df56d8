# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Places layers by measured time instead of by the order of the list.

Each layer is timed alone on each listed backend that takes it, its tensors coming from and going to
the host. Two neighbours are timed together wherever that can differ from the sum of both: if one
works in memory of its own, so that copies fall away or change, or if their backend may make one
layer of them. The differences are the costs of pairs, and `least_time` finds the assignment with
the least sum. Fusions of more than two layers count as those of the pairs in them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from typing import TYPE_CHECKING, TypeAlias

from armnn_py._native.handle_registry import HandleRegistry
from armnn_py.backends.support import LayerSupport
from armnn_py.network import Network
from armnn_py.optimizer.least_time import least_time
from armnn_py.optimizer.measure_cache import MeasureCache, backend_identity, digest
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.optimizer.place import node_signature
from armnn_py.optimizer.placement import Placement, PlacementRule
from armnn_py.tensors import TensorInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.model_options import ModelOptions
    from armnn_py.network import OutputSlot
    from armnn_py.optimizer.graph import Graph, Node, Value
    from armnn_py.optimizer.place import AssignmentDraft

__all__ = ["place_by_time"]

Measure: TypeAlias = "Callable[[Network, Sequence[str], OptimizerOptions], float | None]"

_IMPOSSIBLE = 10**15
"""In picoseconds: pairs of places between which tensors cannot get cost more than all else."""
_SMALL = 1024
"""Constants of up to so many bytes, as axes and indices, may decide how much there is to do."""


def place_by_time(
    graph: Graph,
    backends: Sequence[Backend],
    draft: AssignmentDraft,
    options: OptimizerOptions,
    model_options: ModelOptions | None = None,
    *,
    measure: Measure,
) -> None:
    """Give nodes that may go to several backends those with the least total time.

    Parameters
    ----------
    graph
        Every node has its backend by preference. What a rule or a hint decided, and layers around
        which there are conversions, stay; of equally fast backends the preferred one stays, too.
    backends
        The listed ones, best first; no others are tried.
    draft
        Why nodes are where they are; gets the times as notes.
    options
        Of the whole network.
    model_options
        What backends are told when they are asked.
    measure
        Called with a network, the ids of the backends in use and options: returns the seconds of a
        run, or None if it does not run. A network without layers gives the cost of any run.
    """
    by_id = {backend.id: backend for backend in backends}
    choices = _choices(graph, backends, draft, options, model_options)
    if not any(len(own) > 1 for own in choices.values()):
        return
    used = {name: by_id[name] for own in choices.values() for name in own if name in by_id}
    # Pairs count for what is fixed as well: copies to and from there are to be paid.
    clock = _Clock(used, options, measure)
    try:
        times = _time_nodes(choices, clock)
        pairs = _time_pairs(graph, times, clock)
    finally:
        clock.cache.save()
    nodes = list(times)
    index = {node: number for number, node in enumerate(nodes)}
    found = least_time(
        [[_picoseconds(seconds) for seconds in times[node].values()] for node in nodes],
        {(index[a], index[b]): table for (a, b), table in pairs.items()},
        [list(times[node]) for node in nodes],
    )
    for node, choice in zip(nodes, found.choices, strict=True):
        _settle(node, list(times[node])[choice], times[node], draft)


def _choices(
    graph: Graph,
    backends: Sequence[Backend],
    draft: AssignmentDraft,
    options: OptimizerOptions,
    model_options: ModelOptions | None,
) -> dict[Node, list[str]]:
    """Ids of the backends that may have each node: its present one, then by preference."""
    nodes = [node for node in graph.nodes if not node.is_host]
    free = [node for node in nodes if not _is_decided(node, draft, options)]
    choices = {node: [node.backend or ""] for node in nodes}
    for backend in backends:
        told = None if model_options is None else model_options.of(backend)
        with LayerSupport(backend, told) as support:
            for node, answer in zip(
                free, support.ask_signatures([node_signature(node) for node in free]), strict=True
            ):
                if answer and backend.id not in choices[node]:
                    choices[node].append(backend.id)
    return choices


def _is_decided(node: Node, draft: AssignmentDraft, options: OptimizerOptions) -> bool:
    """Whether a rule, a hint or a conversion put the node where it is."""
    placed = draft.nodes.get(node)
    if placed is None or placed.rule is not None or placed.note or node.backend == placed.hint:
        return True
    rules = options.placement or Placement()
    numbers = (rules.number_for(origin.name, origin.type) for origin in node.origins)
    return any(number is not None and rules.is_strict(number) for number in numbers)


class _Clock:
    """Times groups of nodes, each group once."""

    def __init__(
        self, backends: dict[str, Backend], options: OptimizerOptions, measure: Measure
    ) -> None:
        self.cache = MeasureCache(options.measure_cache)
        self._measure = measure
        self._floor: float | None = None
        self._options = dataclasses.replace(
            options, simplify=False, debug=False, reduce_fp32_to_fp16=False, strategy="preference"
        )
        self._identities = {name: backend_identity(b) for name, b in backends.items()}
        self._failed: set[str] = set()
        self.has_memory: set[str] = set()
        self.compiles: set[str] = set()
        for backend in backends.values():
            if options.compile_parts and backend.api.optimize_subgraph_view:
                self.compiles.add(backend.id)
        with contextlib.ExitStack() as stack:
            for backend in backends.values():
                backend.retain()
                stack.callback(backend.release)
            registry = HandleRegistry(backends.values())
            stack.callback(registry.close)
            self.has_memory = {name for name in backends if registry.preferences(name)}

    def seconds(self, nodes: Sequence[Node], places: Sequence[str]) -> float | None:
        """Seconds of nodes that run one after the other, or None if they do not run there."""
        if not all(place in self._identities for place in places):
            return None
        network, signature = _network_of(nodes)
        given = sorted(
            (place, sorted(self._options.model_options.get(place, {}).items()))
            for place in set(places)
        )
        where = [self._identities[place] for place in places]
        options = self._options
        key = digest((signature, where, given, options.compile_parts, options.import_memory))
        known = self.cache.get(key)
        if known is not None or key in self._failed:
            return known
        rules = tuple(
            PlacementRule(place, name=f"layer_{number}") for number, place in enumerate(places)
        )
        options = dataclasses.replace(self._options, placement=Placement(rules, strict=True))
        taken = self._measure(network, list(dict.fromkeys(places)), options)
        if taken is None:
            self._failed.add(key)
            return None
        taken = max(0.0, taken - self._cost_of_a_run(places[0]))
        self.cache.put(key, taken)
        return taken

    def _cost_of_a_run(self, backend_id: str) -> float:
        """What any run costs, however little there is to do: no part of a layer's time."""
        if self._floor is None:
            network = Network("nothing")
            network.add_output("y", network.add_input("x", TensorInfo((1,))))
            options = dataclasses.replace(self._options, placement=None)
            self._floor = self._measure(network, [backend_id], options) or 0.0
        return self._floor


def _network_of(nodes: Sequence[Node]) -> tuple[Network, str]:
    """Nodes in topological order as a network of their own, and what it does, as a digest."""
    network = Network("measured")
    slot_of: dict[Value, OutputSlot] = {}
    words: list[object] = []
    number_of: dict[Value, int] = {}
    inside = set(nodes)
    for number, node in enumerate(nodes):
        for value in node.inputs:
            if value is None or value in slot_of:
                continue
            number_of[value] = len(number_of)
            array = value.constant
            if array is None:
                slot_of[value] = network.add_input(f"x{len(slot_of)}", value.info).outputs[0]
                words.append(("input", value.info))
                continue
            constant = network._append_constant(f"c{len(slot_of)}", array, value.info)
            slot_of[value] = constant.outputs[0]
            small = array.nbytes <= _SMALL
            content = hashlib.sha256(array.tobytes()).hexdigest() if small else ""
            words.append(("constant", value.info, content))
        layer = network._append(
            f"layer_{number}",
            node.type,
            node.descriptor,
            tuple(None if value is None else slot_of[value] for value in node.inputs),
            [value.info for value in node.outputs],
            None,
        )
        operands = [None if value is None else number_of[value] for value in node.inputs]
        read = [[user not in inside for user, _ in value.users] for value in node.outputs]
        border = [not own or any(own) for own in read]
        infos = [value.info for value in node.outputs]
        words.append((node.type.label, node.descriptor, operands, infos, border))
        for value, slot, is_read in zip(node.outputs, layer.outputs, border, strict=True):
            number_of[value] = len(number_of)
            slot_of[value] = slot
            if is_read:
                network.add_output(f"y{number}_{value.index}", slot)
    return network, digest(words)


def _time_nodes(choices: dict[Node, list[str]], clock: _Clock) -> dict[Node, dict[str, float]]:
    """Seconds of each node by backend, in order of preference; what fails is no choice.

    A node that has no choice is not timed: its seconds are the same in every assignment.
    """
    times: dict[Node, dict[str, float]] = {}
    for node, ids in choices.items():
        if len(ids) == 1:
            times[node] = {ids[0]: 0.0}
            continue
        taken = {name: clock.seconds([node], [name]) for name in ids}
        measured = {name: seconds for name, seconds in taken.items() if seconds is not None}
        # Not even the present one runs by itself: that is no reason to leave it or to prefer it.
        times[node] = measured if taken[ids[0]] is not None else {ids[0]: 0.0}
    return times


def _time_pairs(
    graph: Graph, times: dict[Node, dict[str, float]], clock: _Clock
) -> dict[tuple[Node, Node], list[list[int]]]:
    """What it costs more (or less) to run two neighbours together, by the places of both."""
    pairs: dict[tuple[Node, Node], list[list[int]]] = {}
    order = {node: number for number, node in enumerate(graph.nodes)}
    for node, own in times.items():
        readers = {user for value in node.outputs for user in value.user_nodes if user in times}
        for reader in sorted(readers, key=order.__getitem__):
            if len(own) == 1 and len(times[reader]) == 1:
                continue
            both = own.keys() & times[reader].keys()
            if not (
                (own.keys() | times[reader].keys()) & clock.has_memory or both & clock.compiles
            ):
                continue  # the same for all combinations
            # Then all of them are timed: a pair saves a little in any case, its inner border.
            table = [[_pair(clock, node, a, reader, b) for b in times[reader]] for a in own]
            if any(any(row) for row in table):
                pairs[node, reader] = table
    return pairs


def _pair(clock: _Clock, first: Node, a: str, second: Node, b: str) -> int:
    one, other = clock.seconds([first], [a]), clock.seconds([second], [b])
    if one is None or other is None:
        return 0  # nothing is known
    both = clock.seconds([first, second], [a, b])
    if both is None:
        return _IMPOSSIBLE
    # Two layers take no less time than the longer one alone; what says otherwise is noise.
    together = max(both, one, other)
    return _picoseconds(together) - _picoseconds(one) - _picoseconds(other)


def _picoseconds(seconds: float) -> int:
    return round(seconds * 1e12)


def _settle(node: Node, choice: str, times: dict[str, float], draft: AssignmentDraft) -> None:
    """Write down where a node goes, with the times if there was a choice."""
    if len(times) == 1:
        return
    others = [f"{_in_words(taken)} on {name}" for name, taken in times.items() if name != choice]
    note = ", ".join([f"measured: {_in_words(times[choice])} here", *others])
    node.backend = choice
    draft.put(node, dataclasses.replace(draft.nodes[node], backend=choice, note=note))


def _in_words(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.1f} us"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s"
