# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layers that a backend compiled to one layer, kept so that they can be compiled again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native.layers.subgraph import ABSENT, BOUNDARY, CONSTANT
from armnn_py.network import Network
from armnn_py.optimizer.subgraphs.source_network import Border, SourceNetwork
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.layers.optimization_sink import SubstitutionData
    from armnn_py._native.layers.subgraph import LayerData, Slot, SubgraphData
    from armnn_py.network import Layer, OutputSlot


class CompiledSource:
    """Some layers of a sub-graph, and how one layer replaced them.

    Parameters
    ----------
    data
        The sub-graph that the backend saw.
    substitution
        Its answer; it replaces ``layers`` by one layer, which is not kept.
    """

    __slots__ = ("_data", "_inputs", "_layers", "_outputs", "_replacement_inputs")

    def __init__(self, data: SubgraphData, substitution: SubstitutionData) -> None:
        (layer,) = substitution.replacement
        self._data = data
        self._layers = substitution.layers
        self._inputs = substitution.inputs
        self._outputs = substitution.outputs
        self._replacement_inputs = layer.inputs

    def as_network(self, name: str) -> SourceNetwork:
        """The layers as a network called ``name``."""
        network = Network(name)
        data, guids = self._data, []
        slot_of: dict[Slot, OutputSlot] = {}
        constants: dict[int, Layer] = {}

        def add_input(source: Slot) -> None:
            if source in slot_of:
                return
            info = (
                data.input_infos[source[1]]
                if source[0] == BOUNDARY
                else data.layers[source[0]].output_infos[source[1]]
            )
            layer = network.append_unchecked(
                f"input {len(slot_of)}", LayerType.INPUT, None, (), [info]
            )
            guids.append(0)
            slot_of[source] = layer.outputs[0]

        own = set(self._layers)
        for source in self._inputs:
            add_input(source)
        for number in self._layers:  # what the compiled layer does without
            for source in data.layers[number].inputs:
                if source[0] not in (ABSENT, CONSTANT) and source[0] not in own:
                    add_input(source)
        numbers = {source: number for number, source in enumerate(slot_of)}
        for number in self._layers:
            item = data.layers[number]
            operands = [
                self._operand(network, item, index, slot_of, constants, guids)
                for index in range(len(item.inputs))
            ]
            layer = network.append_unchecked(
                item.name, item.type, item.descriptor, tuple(operands), item.output_infos
            )
            guids.append(item.guid)
            slot_of.update(((number, slot.index), slot) for slot in layer.outputs)
        for index, (before, _) in enumerate(self._outputs):
            network.append_unchecked(
                f"output {index}", LayerType.OUTPUT, None, (slot_of[before],), ()
            )
            guids.append(0)
        inputs = border_of_layer(self._replacement_inputs, [numbers[s] for s in self._inputs])
        border = Border(inputs, tuple(after[1] for _, after in self._outputs))
        return SourceNetwork(network, tuple(guids), border)

    @staticmethod
    def _operand(
        network: Network,
        item: LayerData,
        index: int,
        slot_of: dict[Slot, OutputSlot],
        constants: dict[int, Layer],
        guids: list[int],
    ) -> OutputSlot | None:
        source, value, info = item.inputs[index], item.constants[index], item.input_infos[index]
        if source[0] == ABSENT:
            return None
        if source[0] != CONSTANT:
            return slot_of[source]
        assert value is not None
        assert info is not None
        known = constants.get(id(value))
        if known is None or known.outputs[0].info != info:
            known = constants[id(value)] = network.append_unchecked(
                f"{item.name} operand {index}", LayerType.CONSTANT, None, (), [info], value=value
            )
            guids.append(0)
        return known.outputs[0]


def border_of_layer(inputs: Sequence[Slot], sources: Sequence[int]) -> tuple[int, ...]:
    """The inputs of a compiled layer as indices of inputs of its source; -1 for the others."""
    return tuple(sources[slot] if layer == BOUNDARY else -1 for layer, slot in inputs)
