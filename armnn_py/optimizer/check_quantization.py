# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A computed value of a quantised type needs a scale: without one it means nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.errors import GraphValidationError
from armnn_py.text import counted
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph

__all__ = ["check_quantization"]

#: Layers that calculate with the numbers that quantised values stand for. All others move values,
#: choose among them, or take them as plain integers, and do so without a scale.
_CALCULATING = frozenset(
    {
        LayerType.ACTIVATION,
        LayerType.ADDITION,
        LayerType.BATCH_MAT_MUL,
        LayerType.BATCH_NORMALIZATION,
        LayerType.CONVOLUTION2D,
        LayerType.CONVOLUTION3D,
        LayerType.DEPTHWISE_CONVOLUTION2D,
        LayerType.DIVISION,
        LayerType.FULLY_CONNECTED,
        LayerType.INSTANCE_NORMALIZATION,
        LayerType.L2_NORMALIZATION,
        LayerType.LOG_SOFTMAX,
        LayerType.MULTIPLICATION,
        LayerType.NORMALIZATION,
        LayerType.PRELU,
        LayerType.QUANTIZE,
        LayerType.SOFTMAX,
        LayerType.SUBTRACTION,
        LayerType.TRANSPOSE_CONVOLUTION2D,
    }
)


def check_quantization(graph: Graph) -> None:
    """Check that every layer that calculates says what its quantised outputs mean.

    Raises
    ------
    GraphValidationError
        Some do not; ``problems`` has all of them. (Arm NN looks at 8-bit asymmetric outputs only,
        and takes a scale of 0 for a missing one.)
    """
    problems = [
        f"output {value.index} of layer '{node.name}' ({node.type.label}) is of type "
        f"{value.info.data_type.label}, but has no scale"
        for node in graph.nodes
        if node.type in _CALCULATING
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
