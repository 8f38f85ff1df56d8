# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network as plain values, for copies and pickles.

Layers point at each other both ways, so that following them would recurse as deep as the network
is long; a flat list does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from armnn_py.descriptors import Descriptor
from armnn_py.network.layer import AssignLayer, ConstantLayer, Layer, VariableLayer
from armnn_py.network.storage import NetworkStorage
from armnn_py.tensors import TensorInfo
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FlatLayer", "flatten", "restore"]


class FlatLayer(NamedTuple):
    """One layer; its operands are (guid of the layer, index of the output)."""

    name: str
    type: LayerType
    descriptor: Descriptor | None
    inputs: tuple[tuple[int, int] | None, ...]
    output_infos: tuple[TensorInfo, ...]
    backend_hint: str | None
    value: NDArray[Any] | None
    variable: int | None = None
    """Of a layer that assigns a variable: the guid of that one."""


def _value(layer: Layer) -> NDArray[Any] | None:
    if isinstance(layer, ConstantLayer):
        return layer.value
    return layer.initial if isinstance(layer, VariableLayer) else None


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
            _value(layer),
            layer.variable.guid if isinstance(layer, AssignLayer) else None,
        )
        for layer in network.layers
    ]


def restore(network: NetworkStorage, layers: list[FlatLayer]) -> None:
    """Add layers to an empty network. They were valid once and are not inferred again."""
    made: list[Layer] = []
    for flat in layers:
        if flat.value is not None:
            flat.value.flags.writeable = False  # a pickle does not keep this
        variable = None if flat.variable is None else made[flat.variable]
        assert variable is None or isinstance(variable, VariableLayer)
        layer = network.append_unchecked(
            flat.name,
            flat.type,
            flat.descriptor,
            tuple(None if read is None else made[read[0]].outputs[read[1]] for read in flat.inputs),
            flat.output_infos,
            backend=flat.backend_hint,
            value=flat.value,
            variable=variable,
        )
        made.append(layer)
