# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A sub-graph of a network as the host shows it, as a network of its own for a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.network import Network
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from armnn_py._native.layers.shown_layers import ShownLayer
    from armnn_py.network import OutputSlot
    from armnn_py.python_backend.part import Cut, Part, Slot
    from armnn_py.tensors import TensorInfo


def network_of(part: Part, cut: Cut, name: str) -> Network:
    """Return the layers of a cut as a network.

    Its inputs and outputs are those of the cut, in order. The name of another layer begins with
    its number in the part and a blank, see `number_of`.
    """
    network = Network(name)
    slot_of: dict[Slot, OutputSlot] = {
        slot: _add_input(network, index, part.info(slot)) for index, slot in enumerate(cut.inputs)
    }
    for number in cut.layers:
        operands = [None if one is None else slot_of[one] for one in part.sources[number]]
        for index, output in enumerate(_add(network, number, part.layers[number], operands)):
            slot_of[type(cut.outputs[0])(number, index)] = output
    _add_outputs(network, [slot_of[slot] for slot in cut.outputs])
    return network


def network_of_layer(layer: ShownLayer, name: str) -> Network:
    """Return one layer as a network; its inputs are the operands without a value."""
    network = Network(name)
    operands = [
        _add_input(network, index, info) if info is not None and value is None else None
        for index, (info, value) in enumerate(zip(layer.inputs, layer.constants, strict=True))
    ]
    _add_outputs(network, _add(network, 0, layer, operands))
    return network


def _add_input(network: Network, index: int, info: TensorInfo) -> OutputSlot:
    layer = network.append_unchecked(f"input {index}", LayerType.INPUT, None, (), [info])
    return layer.outputs[0]


def _add(
    network: Network, number: int, shown: ShownLayer, operands: list[OutputSlot | None]
) -> Sequence[OutputSlot]:
    """Add a layer, and the constants among its operands; returns its outputs."""
    for index, value in enumerate(shown.constants):
        if operands[index] is None and value is not None:
            constant = network.append_unchecked(
                f"{number} operand {index}", LayerType.CONSTANT, None, (), [shown.inputs[index]],
                value=value,
            )  # fmt: skip
            operands[index] = constant.outputs[0]
    layer = network.append_unchecked(
        f"{number} {shown.name}", shown.type, shown.descriptor, tuple(operands), shown.outputs
    )
    return layer.outputs


def _add_outputs(network: Network, slots: Iterable[OutputSlot]) -> None:
    for index, slot in enumerate(slots):
        network.append_unchecked(f"output {index}", LayerType.OUTPUT, None, (slot,), ())


def number_of(name: str) -> int:
    """The number in the name of a layer of such a network."""
    return int(name.partition(" ")[0])


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
