# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A sub-graph of a network as the host shows it, as a network of its own for a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.network import Network
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py.network import OutputSlot
    from armnn_py.python_backend.part import Cut, Part, Slot


def network_of(part: Part, cut: Cut, name: str) -> Network:
    """Return the layers of a cut as a network.

    Its inputs and outputs are those of the cut, in order. The name of another layer begins with
    its number in the part and a blank, see `number_of`.
    """
    network = Network(name)
    slot_of: dict[Slot, OutputSlot] = {}
    for index, slot in enumerate(cut.inputs):
        layer = network.append_unchecked(
            f"input {index}", LayerType.INPUT, None, (), [part.info(slot)]
        )
        slot_of[slot] = layer.outputs[0]
    for number in cut.layers:
        shown = part.layers[number]
        operands: list[OutputSlot | None] = []
        for index, source in enumerate(part.sources[number]):
            value = shown.constants[index]
            if source is not None:
                operands.append(slot_of[source])
            elif value is None:
                operands.append(None)
            else:
                constant = network.append_unchecked(
                    f"{number} operand {index}", LayerType.CONSTANT, None, (),
                    [shown.inputs[index]], value=value,
                )  # fmt: skip
                operands.append(constant.outputs[0])
        layer = network.append_unchecked(
            f"{number} {shown.name}", shown.type, shown.descriptor, tuple(operands), shown.outputs
        )
        for index, output in enumerate(layer.outputs):
            slot_of[type(cut.outputs[0])(number, index)] = output
    for index, slot in enumerate(cut.outputs):
        network.append_unchecked(f"output {index}", LayerType.OUTPUT, None, (slot_of[slot],), ())
    return network


def number_of(name: str) -> int:
    """The number in the name of a layer of such a network."""
    return int(name.partition(" ")[0])


def network_of_layer(layer: ShownLayer, name: str) -> Network:
    """Return one layer as a network; its inputs are the operands without a value."""
    network = Network(name)
    operands: list[OutputSlot | None] = []
    for index, (info, value) in enumerate(zip(layer.inputs, layer.constants, strict=True)):
        if info is None:
            operands.append(None)
            continue
        kind = LayerType.INPUT if value is None else LayerType.CONSTANT
        made = network.append_unchecked(f"operand {index}", kind, None, (), [info], value=value)
        operands.append(made.outputs[0])
    made = network.append_unchecked(
        f"0 {layer.name}", layer.type, layer.descriptor, tuple(operands), layer.outputs
    )
    for index, slot in enumerate(made.outputs):
        network.append_unchecked(f"output {index}", LayerType.OUTPUT, None, (slot,), ())
    return network


def parts_without(part: Part, refused: Collection[int]) -> list[Iterable[int]]:
    """Split the other layers of a part into groups that can each be one layer.

    A path between two layers of a group must not leave it. A layer's group is how many refused
    layers lie before it at most, which never falls along a path and grows where one is passed.
    """
    passed: list[int] = []
    groups: dict[int, list[int]] = {}
    for number, sources in enumerate(part.sources):
        before = [slot.layer for slot in sources if slot is not None and slot.layer is not None]
        passed.append(max((passed[one] + (one in refused) for one in before), default=0))
        if number not in refused:
            groups.setdefault(passed[number], []).append(number)
    return list(groups.values())
