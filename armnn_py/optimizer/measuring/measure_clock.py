# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Seconds of a few layers alone: from the cache, or by running them."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
from typing import TYPE_CHECKING, TypeAlias

from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py.network import Network
from armnn_py.optimizer.host import UnsteadySeconds
from armnn_py.optimizer.measuring.measure_cache import MeasureCache, backend_identity, digest
from armnn_py.optimizer.options import OptimizerOptions
from armnn_py.optimizer.placing.placement import Placement, PlacementRule
from armnn_py.tensors import TensorInfo
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.options.model_options import ModelOptions
    from armnn_py.network import OutputSlot
    from armnn_py.optimizer.graph import Node, Value

Measure: TypeAlias = "Callable[[Network, Sequence[str], OptimizerOptions], float | None]"

_SMALL = 1024
"""Bytes: the values of smaller constants, as axes and indices, may decide the amount of work."""
_LEAST = 1e-9
"""Seconds: no time is stored as less; a 0 in a file is damage."""


class Clock:
    """Times groups of nodes, each kind of group once.

    Attributes
    ----------
    memory
        The kind of memory that each backend works in; empty for the host's.
    compiles
        Backends that may make one layer of several.
    """

    def __init__(
        self,
        backends: dict[str, Backend],
        options: OptimizerOptions,
        model_options: ModelOptions | None,
        measure: Measure,
    ) -> None:
        self.cache = MeasureCache(options.measure_cache)
        self._measure = measure
        self._floor: float | None = None
        self._options = dataclasses.replace(
            options, simplify=False, debug=False, reduce_fp32_to_fp16=False, strategy="preference"
        )
        self._identities = {name: backend_identity(b) for name, b in backends.items()}
        self._model_options = {}
        if model_options is not None:
            for name, backend in backends.items():
                self._model_options[name] = tuple(sorted(model_options.values_of(backend).items()))
        self._failed: set[str] = set()
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
            self.memory = {name: (*registry.preferences(name), "")[0] for name in backends}

    def seconds(
        self,
        nodes: Sequence[Node],
        places: Sequence[str],
        *,
        shared: Collection[Value] = (),
        keep_inner: bool = False,
        again: bool = False,
    ) -> float | None:
        """Seconds of nodes that run one after the other, or None if they do not run there.

        A value that several nodes read comes from the host for each of them, a ``shared`` one once.
        With ``keep_inner``, a value that one of them reads is not copied to the host for other
        readers. ``again``: measure a time once more that is not saved yet, and keep the lesser.
        """
        if not all(place in self._identities for place in places):
            return None
        groups = {place: f"at{number}" for number, place in enumerate(dict.fromkeys(places))}
        names = [f"{groups[place]}_{number}" for number, place in enumerate(places)]
        network, signature = _network_of(nodes, names, shared, keep_inner)
        given = sorted((place, self._model_options.get(place, ())) for place in set(places))
        where = [self._identities[place] for place in places]
        options = self._options
        key = digest((signature, where, given, options.compile_parts, options.import_memory))
        known = self.cache.get(key)
        if key in self._failed or (known is not None and not (again and self.cache.is_new(key))):
            return known
        rules = tuple(PlacementRule(place, name=f"{at}_*") for place, at in groups.items())
        options = dataclasses.replace(self._options, placement=Placement(rules, strict=True))
        taken = self._measure(network, list(groups), options)
        if taken is None:
            self._failed.add(key)
            return None
        is_steady = not isinstance(taken, UnsteadySeconds)
        taken = max(_LEAST, taken - self._cost_of_a_run())
        if known is not None:
            taken = min(taken, known)
        self.cache.put(key, taken, is_steady=is_steady)
        return taken

    def _cost_of_a_run(self) -> float:
        """Seconds of an empty run, which do not count as a layer's time."""
        if self._floor is None:
            network = Network("nothing")
            network.add_output("y", network.add_input("x", TensorInfo((1,))))
            options = dataclasses.replace(self._options, placement=None)
            self._floor = self._measure(network, [*self._identities], options) or 0.0
        return self._floor


def _network_of(
    nodes: Sequence[Node], names: Sequence[str], shared: Collection[Value], keep_inner: bool
) -> tuple[Network, str]:
    """Nodes in topological order as a network of their own, and a digest of its work."""
    network = Network("measured")
    slots: dict[tuple[Value, Node | None], OutputSlot] = {}
    words: list[object] = []
    numbers: dict[tuple[Value, Node | None], int] = {}
    inside = set(nodes)

    def key_of(value: Value, reader: Node) -> tuple[Value, Node | None]:
        is_own = value.node not in inside and value.constant is None and value not in shared
        return value, reader if is_own else None

    for number, node in enumerate(nodes):
        for value in node.inputs:
            if value is None or key_of(value, node) in slots:
                continue
            key = key_of(value, node)
            numbers[key] = len(numbers)
            array = value.constant
            if array is None:
                slots[key] = network.add_input(f"x{len(slots)}", value.info).outputs[0]
                words.append(("input", value.info))
                continue
            constant = network.append_unchecked(
                f"c{len(slots)}", LayerType.CONSTANT, None, (), [value.info], value=array
            )
            slots[key] = constant.output
            small = array.nbytes <= _SMALL
            content = hashlib.sha256(array.tobytes()).hexdigest() if small else ""
            words.append(("constant", value.info, content))
        layer = network.append_unchecked(
            names[number],
            node.type,
            node.descriptor,
            tuple(None if value is None else slots[key_of(value, node)] for value in node.inputs),
            [value.info for value in node.outputs],
        )
        operands = [
            None if value is None else numbers[key_of(value, node)] for value in node.inputs
        ]
        read = [[user not in inside for user, _ in value.users] for value in node.outputs]
        border = [all(own) or (any(own) and not keep_inner) for own in read]
        infos = [value.info for value in node.outputs]
        words.append((node.shown_type.label, node.descriptor, operands, infos, border))
        for value, slot, is_read in zip(node.outputs, layer.outputs, border, strict=True):
            numbers[value, None] = len(numbers)
            slots[value, None] = slot
            if is_read:
                network.add_output(f"y{number}_{value.index}", slot)
    return network, digest(words)
