# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The kernels of an optimised network, as groups of layers of the given network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py.comparing.tensors import Place, place_of
from armnn_py.network import ConstantLayer
from armnn_py.network.layer import working_layers

if TYPE_CHECKING:
    from armnn_py.network import Layer, Network, OutputSlot
    from armnn_py.optimizer import OptimizedNetwork

_MOST_LAYERS = 4


class Group(Struct, frozen=True):
    """Layers that one kernel computes, and the tensors at their border.

    Attributes
    ----------
    layers
        In topological order.
    inputs
        The tensors that they read from outside; constants are not among them.
    outputs
        The tensors of theirs that others read.
    backend
        Id of the backend that runs them.
    """

    layers: tuple[Layer, ...]
    inputs: tuple[OutputSlot, ...]
    outputs: tuple[OutputSlot, ...]
    backend: str = ""

    @property
    def name(self) -> str:
        """The name of the only layer, or those of the first and the last one."""
        first, last = self.layers[0].name, self.layers[-1].name
        return first if len(self.layers) == 1 else f"{first} ... {last}"

    @property
    def type(self) -> str:
        """The types of the layers, each once: ``Convolution2d + Activation``."""
        counts = Counter(layer.shown_type.label for layer in self.layers)
        shown = [f"{n} {name}" if n > 1 else name for name, n in counts.items()]
        return " + ".join(shown[:3]) + (f" + {len(shown) - 3} other types" if shown[3:] else "")


def constant_layers(network: Network) -> set[int]:
    """Return guids of the layers whose outputs depend on constants alone."""
    found: set[int] = set()
    for layer in network.layers:
        read = [slot for slot in layer.inputs if slot is not None]
        if isinstance(layer, ConstantLayer) or (
            read and layer.outputs and all(slot.layer.guid in found for slot in read)
        ):
            found.add(layer.guid)
    return found


def group_of(layers: Iterable[Layer], constants: Collection[int], backend: str = "") -> Group:
    """Return layers of one network with their border."""
    ordered = tuple(sorted(layers, key=lambda layer: layer.guid))
    own = {layer.guid for layer in ordered}
    inputs = dict.fromkeys(
        slot
        for layer in ordered
        for slot in layer.inputs
        if slot is not None and slot.layer.guid not in own and slot.layer.guid not in constants
    )
    outputs = tuple(
        slot
        for layer in ordered
        for slot in layer.outputs
        if any(reader.guid not in own for reader, _ in slot.consumers)
    )
    return Group(ordered, tuple(inputs), outputs, backend)


def groups_of(
    network: Network, optimized: OptimizedNetwork, available: Collection[Place] | None = None
) -> list[Group]:
    """Return the groups of an optimised network, in the order in which their last layers run.

    The layers of a kernel of many layers come one by one as well: the tolerance of so many would
    hide the error of one.

    Parameters
    ----------
    network
        The network that was optimised.
    optimized
        The result. Layers that a pass or a backend has fused are one group; a layer that was taken
        out belongs to its reader.
    available
        The tensors that can be given to a group; None: all. Groups with another one between them
        are one group.
    """
    constants = constant_layers(network)
    working = [one for one in working_layers(network.layers) if one.guid not in constants]
    sets = _Sets(layer.guid for layer in working)
    placed = optimized.placed
    backend_of: dict[int, str] = {}
    for guid, origins in placed.origins.items():
        backend = placed.layer_backends[guid]
        own = [origin for origin in origins if origin in sets]
        if backend is None or placed.network.layers[guid].name.startswith("debug "):
            continue
        for origin in own:
            backend_of.setdefault(origin, backend)
            sets.join(own[0], origin)
    for layer in reversed(working):
        if layer.guid not in backend_of:
            _join_taken_out(layer, sets)
    for layer in working:
        for slot in layer.outputs:
            if available is not None and place_of(slot) not in available:
                for reader, _ in slot.consumers:
                    if reader.guid in sets:
                        sets.join(layer.guid, reader.guid)
    found = []
    for members in sets.members().values():
        backend = next((backend_of[one] for one in members if one in backend_of), "")
        found.append(group_of((network.layers[one] for one in members), constants, backend))
    found = [one for one in found if one.outputs]
    large = [one for one in found if len(one.layers) > _MOST_LAYERS]
    inside = [part for one in large for part in split(one, constants, available)]
    return sorted([*found, *(one for one in inside if one not in found)], key=_order)


def split(
    group: Group, constants: Collection[int], available: Collection[Place] | None
) -> list[Group]:
    """Return the layers of a group one by one; together where a tensor between is not available."""
    sets = _Sets(layer.guid for layer in group.layers)
    for layer in group.layers:
        for slot in layer.outputs:
            if available is not None and place_of(slot) not in available:
                for reader, _ in slot.consumers:
                    if reader.guid in sets:
                        sets.join(layer.guid, reader.guid)
    layer_of = {layer.guid: layer for layer in group.layers}
    parts = [
        group_of((layer_of[one] for one in members), constants, group.backend)
        for members in sets.members().values()
    ]
    return sorted((one for one in parts if one.outputs), key=_order)


def _order(group: Group) -> tuple[int, int]:
    return group.layers[-1].guid, len(group.layers)


def _join_taken_out(layer: Layer, sets: _Sets) -> None:
    """Join a layer that was taken out with a reader, or else with its source."""
    readers = [reader.guid for slot in layer.outputs for reader, _ in slot.consumers]
    sources = [slot.layer.guid for slot in layer.inputs if slot is not None]
    for other in (*readers, *sources):
        if other in sets:
            sets.join(layer.guid, other)
            return


class _Sets:
    """Disjoint sets of guids."""

    def __init__(self, guids: Iterable[int]) -> None:
        self._parents = {guid: guid for guid in guids}

    def __contains__(self, guid: int) -> bool:
        return guid in self._parents

    def root(self, guid: int) -> int:
        while self._parents[guid] != guid:
            self._parents[guid] = self._parents[self._parents[guid]]
            guid = self._parents[guid]
        return guid

    def join(self, one: int, other: int) -> None:
        self._parents[self.root(other)] = self.root(one)

    def members(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for guid in self._parents:
            found.setdefault(self.root(guid), []).append(guid)
        return found
