# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""RotaryEmbedding of com.microsoft, and what turns the heads of attention.

Letters in comments: B batch, S positions, N heads, H size of a head.
"""

from __future__ import annotations

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.values import Known, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.operators.microsoft.attention import split_heads


@operator("RotaryEmbedding", domain=MICROSOFT)
def _rotary_embedding(view: NodeView) -> Value:
    """Inputs: x ``(B, S, N * H)`` or ``(B, N, S, H)``, positions ``(1)``, ``(B, S)``, cos, sin."""
    emit, x, shape = view.emit, view.value(0), view.shape(0)
    half = view.shape(2)[1]
    if view.integer("rotary_embedding_dim") and not view.integer("num_heads"):
        raise ParseError("attribute 'rotary_embedding_dim' without 'num_heads'")
    is_flat = len(shape) == 3
    if is_flat:
        heads = view.integer("num_heads") or shape[2] // (2 * half)
        x = split_heads(view, x, heads, "x")
    batch, heads, length, width = shape_of(x)
    if 2 * half > width:
        raise ParseError(f"{half} angles for heads of {width}")
    cos, sin = (_angles(view, index, batch, length, half) for index in (2, 3))
    y = rotate_heads(view, x, cos, sin, bool(view.integer("interleaved")))
    if not is_flat:
        return y
    turned = emit.transpose(y, (0, 2, 1, 3), "positions")
    return emit.reshape(turned, shape)


def _angles(view: NodeView, index: int, batch: int, length: int, half: int) -> Value:
    """Rows of a table, for each position: ``(B or 1, 1, S, half)``."""
    emit, table, name = view.emit, view.value(index), f"angles_{index}"
    positions = view.shape(1)
    if positions == (batch, length) and len(positions) == 2:
        rows = emit.gather(table, view.value(1), 0, name)
        return emit.reshape(rows, (batch, 1, length, half), f"{name}_wide")
    steps = Known(positions_of(length, view.dtype(1)))
    rows = emit.gather(table, emit.add(steps, view.value(1), f"{name}_rows"), 0, name)
    return emit.reshape(rows, (1, 1, length, half), f"{name}_wide")


def rotate_heads(view: NodeView, x: Value, cos: Value, sin: Value, interleaved: bool) -> Value:
    """Turn the first numbers of each head ``(B, N, S, H)``, two for each angle."""
    emit, width, turned = view.emit, shape_of(x)[3], 2 * shape_of(cos)[-1]
    if turned == width:
        return _rotate(view, x, cos, sin, interleaved)
    rotated, rest = emit.split(x, [turned, width - turned], 3, "rotated")
    return emit.concat([_rotate(view, rotated, cos, sin, interleaved), rest], 3, "whole")


def _rotate(view: NodeView, x: Value, cos: Value, sin: Value, interleaved: bool) -> Value:
    """Turn pairs of numbers, which are neighbours (interleaved) or half the size apart."""
    emit, shape, half = view.emit, shape_of(x), shape_of(cos)[-1]
    if interleaved:
        pairs = emit.reshape(x, (*shape[:3], half, 2), "pairs")
        parts = emit.split(pairs, [1, 1], 4, "pair")
        first, second = (
            emit.reshape(part, (*shape[:3], half), f"half_{n}") for n, part in enumerate(parts)
        )
    else:
        first, second = emit.split(x, [half, half], 3, "half")
    left = emit.sub(emit.mul(first, cos, "cos_0"), emit.mul(second, sin, "sin_0"), "left")
    right = emit.add(emit.mul(second, cos, "cos_1"), emit.mul(first, sin, "sin_1"), "right")
    if not interleaved:
        return emit.concat([left, right], 3, "turned")
    columns = [
        emit.reshape(part, (*shape[:3], half, 1), f"column_{n}")
        for n, part in enumerate((left, right))
    ]
    return emit.reshape(emit.concat(columns, 4, "turned_pairs"), shape, "turned")
