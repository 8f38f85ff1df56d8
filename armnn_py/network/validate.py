# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Checks of a whole network, all findings at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator

from armnn_py.errors import LayerValidationError
from armnn_py.network import shapes
from armnn_py.network.layer import (
    AssignLayer,
    ConstantLayer,
    Layer,
    OutputSlot,
    VariableLayer,
)
from armnn_py.network.storage import NetworkStorage
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS


def find_problems(network: NetworkStorage, *, anew: bool = True) -> list[str]:
    """Return the faults that keep a network from running; ``anew``: infer every layer once more."""
    problems = []
    if not network.outputs:
        problems.append("it has no outputs: add_output() makes a result visible")
    for layer_type, what in ((LayerType.INPUT, "input"), (LayerType.OUTPUT, "output")):
        names = Counter(
            layer.name
            for layer in network.layers
            if layer.type is layer_type and not isinstance(layer, (VariableLayer, AssignLayer))
        )
        problems += [f"{n} {what}s are called '{name}'" for name, n in names.items() if n > 1]
    readers = {
        (slot, *reader)
        for layer in network.layers
        for slot in layer.outputs
        for reader in slot._consumers
    }
    for place, layer in enumerate(network.layers):
        problems += _connection_problems(network, layer, place, readers)
        if anew:
            problems += _inference_problems(layer)
    return problems


def _connection_problems(
    network: NetworkStorage,
    layer: Layer,
    place: int,
    readers: Collection[tuple[OutputSlot, Layer, int]],
) -> Iterator[str]:
    what = f"layer '{layer.name}' ({layer.label})"
    if layer.guid != place or layer.network is not network:
        yield f"{what} is at place {place}, but says it is number {layer.guid}"
    for index, slot in enumerate(layer.inputs):
        if slot is None:
            continue
        if slot.layer.network is not network:
            yield f"{what} reads from another network"
        elif slot.layer.guid >= place:
            yield f"{what} reads from '{slot.layer.name}', which comes behind it"
        elif (slot, layer, index) not in readers:
            yield f"{what} is not known to '{slot.layer.name}', from which it reads"


def _inference_problems(layer: Layer) -> Iterator[str]:
    if isinstance(layer, ConstantLayer):
        info = layer.outputs[0].info
        if (layer.value.shape, layer.value.dtype) != (info.array_shape, info.array_dtype):
            yield f"layer '{layer.name}' (Constant): its values do not fit {info!r}"
    if isinstance(layer, AssignLayer) and layer.inputs[0] is not None:
        given, expected = layer.inputs[0].info, layer.variable.outputs[0].info
        if given != expected:
            yield f"variable '{layer.variable.name}': {given!r} assigned, {expected!r} expected"
    if FACTS[layer.type].host:
        return
    constants = [
        slot.layer.value if slot is not None and isinstance(slot.layer, ConstantLayer) else None
        for slot in layer.inputs
    ]
    try:
        shapes.infer(
            layer.type,
            layer.descriptor,
            [None if slot is None else slot.info for slot in layer.inputs],
            constants,
            outputs=[slot.info for slot in layer.outputs],
            layer=layer.name,
        )
    except LayerValidationError as error:
        yield error.message


def find_notes(network: NetworkStorage) -> list[str]:
    """Return notes on unused results: allowed, but odd."""
    words = {LayerType.INPUT: "input", LayerType.CONSTANT: "constant"}
    notes = (
        []
        if network.inputs or network.variables
        else ["the network has no inputs: its outputs never change"]
    )
    notes += [
        f"variable '{layer.name}' is never assigned: only the user changes it"
        for layer in network.variable_layers
        if layer.name not in network.assign_layers
    ]
    return notes + [
        f"{words.get(layer.type, 'layer')} '{layer.name}' ({layer.label}) is unused"
        for layer in network.layers
        if layer.outputs and not any(slot._consumers for slot in layer.outputs)
    ]
