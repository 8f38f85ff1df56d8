# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A computed value of a quantised type needs a scale: without one it means nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.errors import GraphValidationError
from armnn_py.text import counted
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph

__all__ = ["check_quantization"]


def check_quantization(graph: Graph) -> None:
    """Check that every layer that calculates says what its quantised outputs mean.

    Raises
    ------
    GraphValidationError
        Some do not; ``problems`` has all of them. (Arm NN looks at 8-bit asymmetric outputs only,
        and takes a scale of 0 for a missing one.)
    """
    problems = [
        f"output {value.index} of layer '{node.name}' ({node.shown_type.label}) is of type "
        f"{value.info.data_type.label}, but has no scale"
        for node in graph.nodes
        if FACTS[node.type].quantization == "calculates"
        for value in node.outputs
        if value.info.data_type.is_quantized and value.info.quantization is None
    ]
    if problems:
        raise GraphValidationError(
            f"{counted(len(problems), 'quantised output')} of network '{graph.name}' "
            f"{'has' if len(problems) == 1 else 'have'} no scale",
            problems=problems,
            hints=["TensorInfo(shape, data_type, QuantizationInfo(scale, zero_point))"],
        )
