# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names of the tensors inside of a network, and the errors that they may have."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from armnn_py.comparing.tolerances import Tolerance, tolerance_of
from armnn_py.network import ConstantLayer, VariableLayer
from armnn_py.network.layer import working_layers
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from armnn_py.network import Layer, NetworkStorage, OutputSlot

Place = tuple[int, int]
"""A tensor of a network: guid of its layer, index of the output."""


class Tensors:
    """The tensors of a network by name and by place.

    Attributes
    ----------
    place_of
        Places by name: names of the model file, of outputs, and of layers.
    """

    def __init__(self, network: NetworkStorage) -> None:
        self._network = network
        self.place_of: dict[str, Place] = {}
        for layer in working_layers(network.layers):
            for slot in layer.outputs:
                name = layer.name if slot.index == 0 else f"{layer.name}:{slot.index}"
                self.place_of.setdefault(name, (layer.guid, slot.index))
        for layer in network.output_layers:
            (source,) = layer.inputs
            assert source is not None
            self.place_of[layer.name] = place_of(source)
        for name, place in network._tensor_names.items():
            if isinstance(place, tuple):
                self.place_of[name] = place
        self._names: dict[Place, str] = {}
        preferred = {*network._tensor_names, *network.outputs}
        for name, found in self.place_of.items():
            if name in preferred or found not in self._names:
                self._names[found] = name

    def name(self, slot: OutputSlot) -> str:
        """Return the name of a tensor: that of the model file if it has one."""
        known = self._names.get(place_of(slot))
        if known is not None:
            return known
        return slot.layer.name if slot.index == 0 else f"{slot.layer.name}:{slot.index}"

    def accumulated(self, slots: Collection[OutputSlot]) -> dict[Place, Tolerance]:
        """Return the error that each tensor may have gathered on its way through the network.

        The largest tolerance of the layers before it, times the square root of their number on the
        longest path: roundings of layers are independent of each other.
        """
        gathered: dict[Place, tuple[int, Tolerance]] = {}
        for layer in self._network.layers:
            for slot in layer.outputs:
                gathered[place_of(slot)] = _gathered(layer, slot, gathered)
        found = {}
        for slot in slots:
            depth, largest = gathered[place_of(slot)]
            found[place_of(slot)] = scaled_by(largest, math.sqrt(max(depth, 1)))
        return found


def place_of(slot: OutputSlot) -> Place:
    """Return the place of a tensor."""
    return slot.layer.guid, slot.index


def is_known(layer: Layer) -> bool:
    """Whether the values of a layer are known before a run without computing it."""
    return isinstance(layer, ConstantLayer | VariableLayer) or layer.type is LayerType.INPUT


def _gathered(
    layer: Layer, slot: OutputSlot, before: dict[Place, tuple[int, Tolerance]]
) -> tuple[int, Tolerance]:
    if is_known(layer):
        return 0, Tolerance(0.0, 0.0)
    read = [before[place_of(one)] for one in layer.inputs if one is not None]
    own = tolerance_of(layer.type.label, slot.info.data_type.label)
    largest = _for_reals(_largest([own, *(allowed for _, allowed in read)]), slot)
    return 1 + max((depth for depth, _ in read), default=0), largest


def _for_reals(allowed: Tolerance, slot: OutputSlot) -> Tolerance:
    """Return the tolerance of a tensor behind quantised ones.

    A step of 8 bits is a part of 255 of the range of a tensor.
    """
    if slot.info.data_type.is_float and allowed.steps:
        return Tolerance(allowed.relative, max(allowed.scaled, allowed.steps / 255), 0)
    return allowed


def _largest(several: Sequence[Tolerance]) -> Tolerance:
    return Tolerance(
        max(one.relative for one in several),
        max(one.scaled for one in several),
        max(one.steps for one in several),
    )


def sum_of_tolerances(layers: Sequence[Layer], slot: OutputSlot) -> Tolerance:
    """Return the error that layers which run as one kernel may have in one of their outputs.

    The largest of their tolerances, times the square root of their number.
    """
    kind = slot.info.data_type
    largest = _largest(
        [
            tolerance_of(
                one.type.label, (one.outputs[0].info.data_type if one.outputs else kind).label
            )
            for one in layers
        ]
    )
    return scaled_by(_for_reals(largest, slot), math.sqrt(len(layers)))


def scaled_by(allowed: Tolerance, factor: float) -> Tolerance:
    """Return a tolerance that is wider or narrower."""
    steps = math.floor(allowed.steps * factor)
    return Tolerance(allowed.relative * factor, allowed.scaled * factor, steps)
