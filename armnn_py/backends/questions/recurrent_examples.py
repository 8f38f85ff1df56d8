# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shapes and types of the operands of recurrent layers, for examples of them."""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import DataType

Shape = tuple[int, ...]


def lstm_shapes(
    size: int,
    cells: int,
    outputs: int | None = None,
    *,
    cifg: bool = False,
    peephole: bool = False,
    norm: bool = False,
    projection_bias: bool = True,
) -> list[Shape | None]:
    """Return the shapes of an LSTM's operands behind the states; None for those that are absent.

    Parameters
    ----------
    size, cells
        Of a step's input, and of the cell state.
    outputs
        Outputs of the projection; None without a projection.
    cifg
        Without the input gate.
    peephole, norm, projection_bias
        With these operands.
    """
    shown = cells if outputs is None else outputs
    vector, gate = (cells,), None if cifg else (cells,)
    found: list[Shape | None] = [
        *[None if cifg else (cells, size), *[(cells, size)] * 3],
        *[None if cifg else (cells, shown), *[(cells, shown)] * 3],
        *([gate, vector, vector] if peephole else [None] * 3),
        *[gate, vector, vector, vector],
        *([None, None] if outputs is None else [(outputs, cells), (outputs,)]),
        *([gate, vector, vector, vector] if norm else [None] * 4),
    ]
    if not projection_bias:
        found[16] = None
    return found


_IN_INTEGERS = {
    "input": (DataType.QASYMM_S8, QuantizationInfo((1 / 32,), (-3,))),
    "state": (DataType.QASYMM_S8, QuantizationInfo((1 / 128,), (4,))),
    "cell": (DataType.QSYMM_S16, QuantizationInfo((2.0**-11,))),
    "weights": (DataType.QSYMM_S8, QuantizationInfo((0.011,))),
    "vector": (DataType.QSYMM_S16, QuantizationInfo((2.0**-14,))),
    "bias": (DataType.SIGNED32, None),
    "u8": (DataType.QASYMM_U8, QuantizationInfo((1 / 128,), (128,))),
    "u8_weights": (DataType.QASYMM_U8, QuantizationInfo((0.006,), (117,))),
}


def lstm_types_in_integers(
    input_shape: Shape, outputs: int, cells: int, shapes: Sequence[Shape | None]
) -> tuple[list[TensorInfo | None], list[TensorInfo]]:
    """Return operands and the outputs of an LSTM of 8 bits with a cell state of 16.

    Parameters
    ----------
    input_shape
        Of one step, or of a sequence whose batch is its first dimension.
    outputs, cells
        Sizes of the states.
    shapes
        What `lstm_shapes` returned; layer normalisation is at the same places.
    """
    batch = input_shape[0]
    state = _typed("state", (batch, outputs))
    cell = _typed("cell", (batch, cells))
    kinds = ["weights"] * 8 + ["vector"] * 3 + ["bias"] * 4 + ["weights", "bias"] + ["vector"] * 4
    behind = [
        None if shape is None else _typed(kind, shape)
        for kind, shape in zip(kinds, shapes, strict=False)
    ]
    found = _typed("state", (*input_shape[:-1], outputs))
    return [_typed("input", input_shape), state, cell, *behind], [state, cell, found]


def _typed(kind: str, shape: Shape) -> TensorInfo:
    data_type, quantization = _IN_INTEGERS[kind]
    return TensorInfo(shape, data_type, quantization)


def quantized_lstm_types(batch: int, size: int, cells: int) -> list[TensorInfo]:
    """Return the operands of a QuantizedLstm; its outputs are as operands 1 and 2."""
    return [
        _typed("u8", (batch, size)),
        _typed("cell", (batch, cells)),
        _typed("u8", (batch, cells)),
        *[_typed("u8_weights", (cells, size))] * 4,
        *[_typed("u8_weights", (cells, cells))] * 4,
        *[_typed("bias", (cells,))] * 4,
    ]
