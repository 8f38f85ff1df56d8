# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Saved networks whose layers are all compiled: they are checked without a graph.

Most files are such, as CpuAcc compiles whatever it takes. What they do without, graphs, rules of
shapes and all other parameters, takes longer to import than the rest of a load.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from armnn_py.network import AssignLayer, VariableLayer
from armnn_py.optimizer.saved.values import DamageError, number
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.network import Layer, NetworkStorage

__all__ = ["COMPILED_TYPES", "check_descriptor", "find_compiled_problem"]

#: The types of layers of such networks.
COMPILED_TYPES = frozenset(
    (LayerType.INPUT, LayerType.CONSTANT, LayerType.OUTPUT, LayerType.PRE_COMPILED)
)


def check_descriptor(kind: LayerType, given: Any, inputs: int, outputs: int) -> None:
    """Check the descriptor of a layer of one of these types, which says how many tensors it has.

    `Layer.descriptor` makes it of these numbers.
    """
    if (given is None) != (kind is not LayerType.PRE_COMPILED):
        raise DamageError(f"layer type {kind.label}: its descriptor is missing or too much")
    if given is None:
        return
    if not isinstance(given, dict) or not given.keys() <= {"input_count", "output_count"}:
        raise DamageError(f"the descriptor of a layer of type {kind.label} is another one")
    for found, name in ((inputs, "input_count"), (outputs, "output_count")):
        if number(given.get(name, 0)) != found:
            raise DamageError(f"a layer of type {kind.label} has another {name} than {found}")


def find_compiled_problem(network: NetworkStorage) -> str:
    """What is wrong with a network of these types alone, which was read; empty if nothing is.

    The reader has looked at names, at the numbers of what the host's layers read and make, at
    values, and that layers read what comes before them.
    """
    if not network.output_layers and not network.assign_layers:
        return "the graph has no outputs"
    for kind, what in ((LayerType.INPUT, "input"), (LayerType.OUTPUT, "output")):
        names = Counter(
            layer.name
            for layer in network.layers
            if layer.type is kind and not isinstance(layer, VariableLayer | AssignLayer)
        )
        for name, count in names.items():
            if count > 1:
                return f"{count} {what}s are called '{name}'"
    for layer in network.layers:
        problem = _problem_of(layer)
        if problem:
            return f"layer '{layer.name}' ({layer.type.label}) {problem}"
    return ""


def _problem_of(layer: Layer) -> str:
    if None in layer.inputs:
        return f"has no input {layer.inputs.index(None)}"
    if isinstance(layer, AssignLayer) and layer.inputs[0] is not None:
        info, initial = layer.inputs[0].info, layer.variable.initial
        if info.shape != initial.shape or info.dtype != initial.dtype:
            return f"does not fit variable '{layer.variable.name}'"
    return ""
