# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The check that quantised tensors of layers that calculate have a scale.

Layers that move or choose values, or take them as plain integers, need none; the layer table says
which layers calculate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from armnn_py.errors import GraphValidationError
from armnn_py.text import counted
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Value


def check_quantization(graph: Graph) -> None:
    """Check that the quantised tensors of every layer that calculates have a scale.

    Raises
    ------
    GraphValidationError
        Outputs or constants have no scale; ``problems`` has all of them. (Arm NN looks at 8-bit
        asymmetric outputs only, and takes a scale of 0 for a missing one.)
    """
    problems = list(dict.fromkeys(_problems(graph)))
    if problems:
        outputs = sum(problem.startswith("output") for problem in problems)
        what = "quantised output" if outputs == len(problems) else "quantised tensor"
        raise GraphValidationError(
            f"{counted(len(problems), what)} of network '{graph.name}' "
            f"{'has' if len(problems) == 1 else 'have'} no scale",
            problems=problems,
            hints=["TensorInfo(shape, data_type, QuantizationInfo(scale, zero_point))"],
        )


def _problems(graph: Graph) -> Iterator[str]:
    for node in graph.nodes:
        if FACTS[node.type].quantization != "calculates":
            continue
        layer = f"layer '{node.name}' ({node.shown_type.label})"
        for value in node.inputs:
            if value is not None and value.constant is not None and _lacks_scale(value):
                yield (
                    f"constant '{value.node.name}', which {layer} calculates with, is of type "
                    f"{value.info.data_type.described}, but has no scale"
                )
        for value in node.outputs:
            if _lacks_scale(value):
                yield (
                    f"output {value.index} of {layer} is of type {value.info.data_type.described}, "
                    "but has no scale"
                )


def _lacks_scale(value: Value) -> bool:
    return value.info.data_type.is_quantized and value.info.quantization is None
