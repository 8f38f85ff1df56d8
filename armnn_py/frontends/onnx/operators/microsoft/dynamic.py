# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LSTM, Attention and embeddings of com.microsoft with weights of 8 bits.

The quantisers of ONNX Runtime write them. Each is the float operator over dequantised weights.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Array, Value
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.operators.microsoft.fused import attention, embed_layer_normalization
from armnn_py.frontends.onnx.operators.recurrent.recurrent import lstm
from armnn_py.frontends.onnx.operators.standard.integer_products import dynamic_levels
from armnn_py.frontends.onnx.operators.standard.quantization import real_operand

_operator = functools.partial(operator, domain=MICROSOFT)


@_operator("DynamicQuantizeLSTM")
def _dynamic_quantize_lstm(view: NodeView) -> list[Value]:
    """Inputs: those of LSTM, scale and zero point of the weights W, those of R.

    The input is rounded to the levels of its range, as by ONNX Runtime. States, which ONNX Runtime
    rounds in each step, keep their digits.
    """
    weights = [_weights(view, 1, 8, 9), _weights(view, 2, 10, 11)]
    others = [view.value(index) if view.has(index) else None for index in range(3, 8)]
    return lstm(view.over([_rounded(view, view.value(0)), *weights, *others]))


def _rounded(view: NodeView, x: Value) -> Value:
    """Round real numbers to the 8-bit levels of their range."""
    emit = view.emit
    with emit.below("input"):
        levels, scale, point = dynamic_levels(view, x, "levels")
        wide = emit.cast(levels, np.float32, "wide_levels")
        centred = emit.sub(wide, emit.cast(point, np.float32, "wide_point"), "centred")
        return emit.mul(centred, scale, "rounded")


def _weights(view: NodeView, index: int, scale: int, point: int) -> Value:
    """Return weights [directions, inputs, gates * hidden] as real numbers, as LSTM has them."""
    levels = view.constant(index, "weights")
    scales = view.constant(scale, "scales of weights")
    points = view.constant(point, "zero points of weights") if view.has(point) else None
    if levels.ndim != 3 or levels.dtype.name not in ("int8", "uint8"):
        raise ParseError(
            f"weights have shape {levels.shape} and type {levels.dtype}, "
            "expected 3 dimensions of int8 or uint8"
        )
    wide = [(levels.shape[0],), (levels.shape[0], levels.shape[2])]
    for what, array in (("scales", scales), ("zero points", points)):
        if array is not None and array.shape not in wide:
            raise ParseError(f"{what} have shape {array.shape}, expected {wide[0]} or {wide[1]}")

    def spread(array: Array) -> Array:
        return array.reshape(levels.shape[0], 1, -1)

    def dequantized(levels: Array) -> Array:
        real = levels.astype(np.float32)
        if points is not None:
            real -= spread(points).astype(np.float32)
        real *= spread(scales)
        return real.transpose(0, 2, 1)

    return view.derived(index, "float", dequantized)


@_operator("QAttention")
def _q_attention(view: NodeView) -> Sequence[Value | None]:
    """Inputs: x, weights, bias, their scales, mask, their zero points, past."""
    operands = [real_operand(view, 0, 3, 6), real_operand(view, 1, 4, 7, 1)]
    others = [view.value(index) if view.has(index) else None for index in (2, 5, 8)]
    return attention(view.over([*operands, *others]))


@_operator("QEmbedLayerNormalization")
def _q_embed_layer_normalization(view: NodeView) -> Sequence[Value | None]:
    """Inputs: ids, segment ids, five weights, mask, scales of weights, their zero points."""
    ids = [view.value(index) if view.has(index) else None for index in (0, 1)]
    weights = [
        real_operand(view, index, index + 6, index + 11) if view.has(index) else None
        for index in range(2, 7)
    ]
    mask = view.value(7) if view.has(7) else None
    return embed_layer_normalization(view.over([*ids, *weights, mask]))[:2]
