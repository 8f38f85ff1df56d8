# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which tensors lie in memory of backends, and which are copied or imported on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py.network import NetworkStorage

__all__ = ["TensorMemory", "memory_records"]


@dataclass(frozen=True, slots=True)
class TensorMemory:
    """The memory of one tensor.

    Attributes
    ----------
    layer
        Name of the layer that makes it; for a copy or import, the layer that was inserted for it.
    output
        Index of the layer's output.
    type
        Arm NN's name of the layer's type: ``"MemCopy"`` and ``"MemImport"`` are the moves.
    factory
        Id of the tensor handle factory; empty for memory of the host.
    source
        For a copy or import, the factory that the tensor comes from, empty for the host; None for a
        tensor that is computed.
    """

    layer: str
    output: int
    type: str
    factory: str
    source: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The record as JSON-able values."""
        return {
            "layer": self.layer,
            "output": self.output,
            "type": self.type,
            "factory": self.factory,
            "source": self.source,
        }

    def __str__(self) -> str:
        place = self.factory or "host"
        if self.source is not None:
            return f"{self.type} '{self.layer}': {self.source or 'host'} -> {place}"
        return f"{self.type} '{self.layer}' ({self.output}): {place}"


def memory_records(
    network: NetworkStorage, memory: Mapping[tuple[int, int], str]
) -> tuple[TensorMemory, ...]:
    """All tensors that lie in memory of backends, and all that are moved, in the network's order.

    Parameters
    ----------
    network
        The network that is run.
    memory
        By (guid, index of the output): the factory of each tensor that is not in host memory.
    """
    records = []
    for layer in network.layers:
        source = None
        if FACTS[layer.type].moves_memory and layer.inputs[0] is not None:
            slot = layer.inputs[0]
            source = memory.get((slot.layer.guid, slot.index), "")
        for slot in layer.outputs:
            factory = memory.get((layer.guid, slot.index), "")
            if factory or source is not None:
                records.append(TensorMemory(layer.name, slot.index, layer.label, factory, source))
    return tuple(records)
