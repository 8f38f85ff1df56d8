# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network as plain values, for copies and pickles.

Layers point at each other both ways, so that following them would recurse as deep as the network
is long; a flat list does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from armnn_py.descriptors import Descriptor
from armnn_py.network.layer import ConstantLayer
from armnn_py.network.storage import NetworkStorage
from armnn_py.tensors import TensorInfo
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FlatLayer", "flatten", "restore"]


class FlatLayer(NamedTuple):
    """One layer; its operands are (place of the layer, index of the output)."""

    name: str
    type: LayerType
    descriptor: Descriptor | None
    inputs: tuple[tuple[int, int] | None, ...]
    output_infos: tuple[TensorInfo, ...]
    backend_hint: str | None
    value: NDArray[Any] | None


def flatten(network: NetworkStorage) -> list[FlatLayer]:
    """Return the layers of a network in order."""
    return [
        FlatLayer(
            layer.name,
            layer.type,
            layer.descriptor,
            tuple(None if slot is None else (slot.layer.guid, slot.index) for slot in layer.inputs),
            tuple(slot.info for slot in layer.outputs),
            layer.backend_hint,
            layer.value if isinstance(layer, ConstantLayer) else None,
        )
        for layer in network.layers
    ]


def restore(network: NetworkStorage, layers: list[FlatLayer]) -> None:
    """Add layers to an empty network. They were valid once and are not inferred again."""
    for flat in layers:
        if flat.value is not None:
            flat.value.flags.writeable = False  # a pickle does not keep this
            network._append_constant(flat.name, flat.value, flat.output_infos[0])
            continue
        slots = tuple(
            None if place is None else network._layers[place[0]].outputs[place[1]]
            for place in flat.inputs
        )
        layer = network._append(
            flat.name,
            flat.type,
            flat.descriptor,
            slots,
            list(flat.output_infos),
            flat.backend_hint,
        )
        if flat.type is LayerType.INPUT:
            network._inputs[flat.name] = layer
        elif flat.type is LayerType.OUTPUT:
            network._outputs[flat.name] = layer
