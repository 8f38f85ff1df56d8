# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names of the operands of each layer type, in the order of ``armnn/descriptors.h``.

A closing ``?`` marks an operand that may be absent.
"""

from __future__ import annotations

from typing import Final

from armnn_py.types import LayerType

__all__ = ["VARIADIC", "operand_name", "operand_names"]

_WEIGHTED = ("input", "weights", "bias?")
_BINARY = ("x", "y")
_RECURRENT = (
    "input",
    "output_state",
    "cell_state",
    "input_to_input_weights?",
    "input_to_forget_weights",
    "input_to_cell_weights",
    "input_to_output_weights",
    "recurrent_to_input_weights?",
    "recurrent_to_forget_weights",
    "recurrent_to_cell_weights",
    "recurrent_to_output_weights",
    "cell_to_input_weights?",
    "cell_to_forget_weights?",
    "cell_to_output_weights?",
    "input_gate_bias?",
    "forget_gate_bias",
    "cell_bias",
    "output_gate_bias",
    "projection_weights?",
    "projection_bias?",
    "input_layer_norm_weights?",
    "forget_layer_norm_weights?",
    "cell_layer_norm_weights?",
    "output_layer_norm_weights?",
)

_OPERANDS: Final[dict[LayerType, tuple[str, ...]]] = {
    LayerType.ADDITION: _BINARY,
    LayerType.BATCH_MAT_MUL: _BINARY,
    LayerType.BATCH_NORMALIZATION: ("input", "mean", "variance", "beta", "gamma"),
    LayerType.COMPARISON: _BINARY,
    LayerType.CONSTANT: (),
    LayerType.CONVOLUTION2D: _WEIGHTED,
    LayerType.CONVOLUTION3D: _WEIGHTED,
    LayerType.DEPTHWISE_CONVOLUTION2D: _WEIGHTED,
    LayerType.DETECTION_POST_PROCESS: ("boxes", "scores", "anchors"),
    LayerType.DIVISION: _BINARY,
    LayerType.ELEMENTWISE_BINARY: _BINARY,
    LayerType.FILL: ("shape",),
    LayerType.FULLY_CONNECTED: _WEIGHTED,
    LayerType.GATHER: ("params", "indices"),
    LayerType.GATHER_ND: ("params", "indices"),
    LayerType.INPUT: (),
    LayerType.LOGICAL_BINARY: _BINARY,
    LayerType.LSTM: _RECURRENT,
    LayerType.MAXIMUM: _BINARY,
    LayerType.MERGE: _BINARY,
    LayerType.MINIMUM: _BINARY,
    LayerType.MULTIPLICATION: _BINARY,
    LayerType.PRELU: ("input", "alpha"),
    LayerType.QLSTM: _RECURRENT,
    LayerType.QUANTIZED_LSTM: (
        "input",
        "cell_state",
        "output_state",
        *(f"input_to_{gate}_weights" for gate in ("input", "forget", "cell", "output")),
        *(f"recurrent_to_{gate}_weights" for gate in ("input", "forget", "cell", "output")),
        *(f"{gate}_bias" for gate in ("input_gate", "forget_gate", "cell", "output_gate")),
    ),
    LayerType.REVERSE_V2: ("input", "axes"),
    LayerType.SCATTER_ND: ("input", "indices", "updates"),
    LayerType.SUBTRACTION: _BINARY,
    LayerType.SWITCH: _BINARY,
    LayerType.TRANSPOSE_CONVOLUTION2D: _WEIGHTED,
    LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM: _RECURRENT,
}
_INPUT = ("input",)

VARIADIC: Final = frozenset(
    {
        LayerType.CONCAT,
        LayerType.FUSED,
        LayerType.PRE_COMPILED,
        LayerType.STACK,
        LayerType.STAND_IN,
    }
)
"""Layer types that take any number of operands."""


def operand_names(layer_type: LayerType) -> tuple[str, ...]:
    """Return the operands of a layer type; of a variadic one, none."""
    return () if layer_type in VARIADIC else _OPERANDS.get(layer_type, _INPUT)


def operand_name(layer_type: LayerType, index: int) -> str:
    """Return the name of one operand, as messages say it: ``weights``, or ``input 3``."""
    names = operand_names(layer_type)
    return names[index].removesuffix("?") if index < len(names) else f"input {index}"
