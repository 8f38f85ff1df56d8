# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layers that a backend compiled to one layer, kept so that they can be compiled again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native.subgraph import ABSENT, BOUNDARY, CONSTANT
from armnn_py.errors import BackendError
from armnn_py.network import Network
from armnn_py.optimizer.source_network import Border, SourceNetwork
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.blob import NativeBlob
    from armnn_py._native.optimization_sink import OptimizationAnswer, SubstitutionData
    from armnn_py._native.subgraph import LayerData, Slot, SubgraphData
    from armnn_py.network import Layer, OutputSlot

__all__ = [
    "CompiledSource",
    "border_of_layer",
    "compiled_blob",
]


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


def compiled_blob(
    answer: OptimizationAnswer,
    data: SubgraphData,
    border: Border,
    layer: Layer,
    backend_id: str,
) -> NativeBlob:
    """The blob of an answer that compiles all of ``data`` to just such a layer as before.

    Parameters
    ----------
    answer
        Checked by `find_fault`.
    data
        The source of the layer.
    border
        That of the layer as it was saved.
    layer
        The compiled layer.
    backend_id
        For messages.

    Raises
    ------
    BackendError
        The answer is another one.
    """
    reasons = [reason for _, reason in (*answer.failed, *answer.untouched) if reason]
    reason = reasons[0] if reasons else ""
    if len(answer.substitutions) == 1:
        (substitution,) = answer.substitutions
        if len(substitution.layers) == len(data.layers) and len(substitution.replacement) == 1:
            (made,) = substitution.replacement
            reason = _difference(substitution, made, data, border, layer)
            if made.blob is not None and not reason:
                return made.blob
    raise BackendError(
        f"backend '{backend_id}' compiles the sub-graph of layer '{layer.name}' to something else "
        "than when the network was saved",
        details=[reason] if reason else [],
        hints=["optimize() the model anew and save it again"],
    )


def _difference(
    substitution: SubstitutionData,
    made: LayerData,
    data: SubgraphData,
    border: Border,
    layer: Layer,
) -> str:
    """What of a new compiled layer differs from the saved one; empty if nothing does."""
    if made.type is not LayerType.PRE_COMPILED:
        return f"it is a layer of type {made.type.label}"
    if len(made.output_infos) != len(layer.outputs) or len(made.inputs) != len(layer.inputs):
        return (
            f"it has {len(made.inputs)} inputs and {len(made.output_infos)} outputs, "
            f"{len(layer.inputs)} and {len(layer.outputs)} were saved"
        )
    if any(source[0] != BOUNDARY for source in substitution.inputs):
        return "an input comes from one of its own layers"
    if border_of_layer(made.inputs, [slot for _, slot in substitution.inputs]) != border.inputs:
        return "its inputs come in another order"
    after_of = {before: after[1] for before, after in substitution.outputs}
    if tuple(after_of.get(slot, -1) for slot in data.outputs) != border.outputs:
        return "its outputs come in another order"
    for slot, info in zip(layer.outputs, made.output_infos, strict=True):
        if (slot.info.shape, slot.info.data_type) != (info.shape, info.data_type):
            return f"an output is {info!r}, {slot.info!r} was saved"
    for index, (operand, value) in enumerate(zip(layer.inputs, made.constants, strict=True)):
        saved = None if operand is None else getattr(operand.layer, "value", None)
        if (saved is None) != (value is None) or (
            saved is not None and value is not None and saved.tobytes() != value.tobytes()
        ):
            return f"constant input {index} has other values"
    return ""
