# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""RotaryEmbedding of com.microsoft.

Letters in comments: B batch, S positions, N heads, H size of a head.
"""

from __future__ import annotations

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.operators.standard.attention import rotate


@operator("RotaryEmbedding", domain=MICROSOFT)
def _rotary_embedding(view: NodeView) -> Value:
    """Inputs: x ``(B, S, N * H)`` or ``(B, N, S, H)``, positions ``(1)``, ``(B, S)``, cos, sin."""
    emit, x, shape = view.emit, view.value(0), view.shape(0)
    half = view.shape(2)[1]
    if view.integer("rotary_embedding_dim") and not view.integer("num_heads"):
        raise ParseError("attribute 'rotary_embedding_dim' needs attribute 'num_heads'")
    is_flat = len(shape) == 3
    if is_flat:
        heads = view.integer("num_heads") or shape[2] // (2 * half)
        if heads < 1 or shape[2] % heads:
            raise ParseError(f"{shape[2]} channels do not divide into {heads} heads")
        x = emit.reshape(x, (*shape[:2], heads, shape[2] // heads), "x_split")
    if 2 * half > shape_of(x)[3]:
        raise ParseError(f"{half} angles do not fit heads of {shape_of(x)[3]} channels")
    batch, length = shape_of(x)[0], shape[1 if is_flat else 2]
    cos, sin = (_angles(view, index, batch, length, is_flat=is_flat) for index in (2, 3))
    interleaved = bool(view.integer("interleaved"))
    y = rotate(view, x, cos, sin, interleaved=interleaved, name="turned" * is_flat)
    return emit.reshape(y, shape) if is_flat else y


def _angles(view: NodeView, index: int, batch: int, length: int, *, is_flat: bool) -> Value:
    """Rows of a table, for each position: ``(B or 1, S, 1, half)``, or ``(B or 1, 1, S, half)``."""
    emit, table, name = view.emit, view.value(index), f"angles_{index}"
    positions, half = view.shape(1), view.shape(index)[1]
    if positions == (batch, length) and len(positions) == 2:
        rows, count = emit.gather(table, view.value(1), 0, name), batch
    else:
        steps = emit.count_up(length, view.dtype(1), name=f"{name}_steps")
        places = emit.add(steps, view.value(1), f"{name}_rows")
        rows, count = emit.gather(table, places, 0, name), 1
    wide = (count, length, 1, half) if is_flat else (count, 1, length, half)
    return emit.reshape(rows, wide, f"{name}_wide")
