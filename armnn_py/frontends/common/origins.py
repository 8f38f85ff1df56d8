# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The inputs of a network that a value is computed from."""

from __future__ import annotations

from armnn_py.frontends.common.values import Value
from armnn_py.network import Layer, OutputSlot, VariableLayer
from armnn_py.types import LayerType

#: An input with more bytes is data: one that decides shapes has axes, sizes or bounds.
MOST_BYTES = 1 << 16


def origins(value: Value | None) -> set[str] | None:
    """Return the names of the inputs that a value is computed from.

    None if one of them is too large to be read before the layers are made, or if the value is
    computed from none, or from a variable.
    """
    if not isinstance(value, OutputSlot):
        return None
    found: set[str] = set()
    seen: set[Layer] = {value.layer}
    waiting = [value.layer]
    while waiting:
        layer = waiting.pop()
        if isinstance(layer, VariableLayer):
            return None
        if layer.type is LayerType.INPUT:
            if layer.outputs[0].info.byte_size > MOST_BYTES:
                return None
            found.add(layer.name)
        for slot in layer.inputs:
            if slot is not None and slot.layer not in seen:
                seen.add(slot.layer)
                waiting.append(slot.layer)
    return found or None
