# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend that takes images and volumes in one layout only; CpuRef computes what it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import armnn_py as ann
from armnn_py.optimizer import AS_IT_IS
from armnn_py.python_backend import KernelCall, PythonBackend, ShownLayer, kernel
from armnn_py.types.facts import FACTS

_TYPES = [
    layer_type
    for layer_type, facts in FACTS.items()
    if facts.canonical is None
    and not (facts.host or facts.moves_memory or facts.opaque)
    and layer_type is not ann.LayerType.PRE_COMPILED
]


class Picky(PythonBackend):
    """Refuses every layer with a ``data_layout`` that is not one of ``layouts``."""

    id = "Picky"

    def __init__(self, *layouts: ann.DataLayout, preferences: bool = True) -> None:
        self.layouts = layouts
        self.preferences = preferences
        self.refused: set[ann.LayerType] = set()
        self.guids: dict[str, int] = {}  # of the layers that it runs, by name

    def open(self) -> None:
        self.runtime = ann.Runtime(enable_dynamic_backends=False)

    def close(self) -> None:
        self.runtime.close()

    def supports(self, layer: ShownLayer) -> bool | str:
        if layer.type in self.refused:
            return "not of this type"
        if any(info.data_type is ann.DataType.FLOAT16 for info in layer.outputs):
            return "no float16"
        if not FACTS[layer.type].laid_out_operands or layer.descriptor.data_layout in self.layouts:
            return True
        return f"not in {layer.descriptor.data_layout.name}"

    def preferred_layout(self, layer: ShownLayer) -> ann.DataLayout | None:
        rank = layer.descriptor.data_layout.rank
        fitting = [layout for layout in self.layouts if layout.rank == rank]
        return fitting[0] if fitting and self.preferences else None

    def prepare(self, layer: ShownLayer) -> ann.LoadedNetwork:
        self.guids[layer.name] = layer.guid
        network = ann.Network()
        operands: list[Any] = []
        for index, info in enumerate(layer.inputs):
            known = layer.constants[index]
            if info is None:
                operands.append(None)
            elif known is None:
                operands.append(network.add_input(str(index), info))
            else:
                operands.append(network.add_constant(known, info=info))
        made = network.add_layer(layer.type, operands, layer.descriptor, output_infos=layer.outputs)
        for index, slot in enumerate(made.outputs):
            network.add_output(str(index), slot)
        optimized = ann.optimize(network, ["CpuRef"], runtime=self.runtime, options=AS_IT_IS)
        return self.runtime.load_network(optimized)

    def compute(self, call: KernelCall) -> Any:
        inputs = {
            str(index): array
            for index, array in enumerate(call.inputs)
            if array is not None and call.layer.constants[index] is None
        }
        return tuple(call.prepared.run(inputs).values())

    for _type in _TYPES:
        compute = kernel(_type, prepare=prepare)(compute)


def transposes(network: Any) -> list[str]:
    """Names of the Transposes of an optimised network, in order."""
    return [row.layer for row in network.assignment if row.type == "Transpose" and row.backend]


def with_runtime(*backends: PythonBackend) -> Iterator[ann.Runtime]:
    with ann.Runtime(enable_dynamic_backends=False, python_backends=backends) as runtime:
        yield runtime
