# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parts of a network as networks of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from armnn_py.comparing.tensors import Place, place_of
from armnn_py.network import ConstantLayer, Network
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.comparing.groups import Group
    from armnn_py.network import Layer, OutputSlot


class Piece:
    """A network that has some groups of another one, each fed by inputs of its own.

    Attributes
    ----------
    network
        The network.
    inputs, outputs
        By name: the tensor of the whole network that each is.
    """

    def __init__(self, name: str) -> None:
        self.network = Network(name)
        self.inputs: dict[str, OutputSlot] = {}
        self.outputs: dict[str, OutputSlot] = {}
        self._slots: dict[Place, OutputSlot] = {}
        self._constants: dict[Place, OutputSlot] = {}
        self._names: set[str] = set()

    def _free(self, name: str) -> str:
        found, number = name, 2
        while found in self._names:
            found, number = f"{name}_{number}", number + 1
        self._names.add(found)
        return found

    def add(self, group: Group, name_of: Callable[[OutputSlot], str]) -> None:
        """Add a group: its layers do not read those of other groups."""
        own: dict[Place, OutputSlot] = {}
        for slot in group.inputs:
            if place_of(slot) not in self._slots:
                name = self._free(name_of(slot))
                made = self.network.append_unchecked(name, LayerType.INPUT, None, (), [slot.info])
                self.inputs[name] = slot
                self._slots[place_of(slot)] = made.outputs[0]
            own[place_of(slot)] = self._slots[place_of(slot)]
        for layer in group.layers:
            self._copy(layer, own)
        for slot in group.outputs:
            name = self._free(name_of(slot))
            self.network.append_unchecked(name, LayerType.OUTPUT, None, (own[place_of(slot)],), ())
            self.outputs[name] = slot

    def _copy(self, layer: Layer, own: dict[Place, OutputSlot]) -> None:
        """Copy a layer, after the constants and the layers on constants that it reads."""
        waiting = [layer]
        while waiting:
            one = waiting[-1]
            missing = [
                slot.layer
                for slot in one.inputs
                if slot is not None
                and place_of(slot) not in own
                and place_of(slot) not in self._constants
            ]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if (one.guid, 0) in own or (one.guid, 0) in self._constants:
                continue
            made = self.network.append_unchecked(
                one.name,
                one.type,
                one.descriptor,
                tuple(
                    None
                    if slot is None
                    else own.get(place_of(slot)) or self._constants[place_of(slot)]
                    for slot in one.inputs
                ),
                tuple(slot.info for slot in one.outputs),
                backend=one.backend_hint,
                value=one.value if isinstance(one, ConstantLayer) else None,
            )
            target = self._constants if isinstance(one, ConstantLayer) else own
            pairs = zip(one.outputs, made.outputs, strict=True)
            target.update((place_of(old), new) for old, new in pairs)


def piece_of(name: str, groups: Sequence[Group], name_of: Callable[[OutputSlot], str]) -> Piece:
    """Return a network of some groups that do not read each other's results.

    Parameters
    ----------
    name
        Of the network.
    groups
        Groups of one network whose shapes are known.
    name_of
        Returns the name of an input or output for the tensor that it is.
    """
    piece = Piece(name)
    for group in groups:
        piece.add(group, name_of)
    return piece
