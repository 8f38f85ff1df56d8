# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attention and rotary embedding of the standard, and what operators of com.microsoft share.

Letters in comments: B batch, S positions of the query, T of key and value with the past, N heads
of queries, K of keys and values, H size of a head.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import AttentionDescriptor, RotaryEmbeddingDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.types import LayerType


def split_heads(view: NodeView, x: Value, heads: int, name: str) -> Value:
    """``(B, S, N * H)`` as ``(B, N, S, H)``."""
    return view.emit.transpose(_apart(view, x, heads, name), (0, 2, 1, 3), f"{name}_heads")


def _apart(view: NodeView, x: Value, heads: int, name: str) -> Value:
    """``(B, S, N * H)`` as ``(B, S, N, H)``."""
    batch, length, size = shape_of(x)
    if heads < 1 or size % heads:
        raise ParseError(f"{size} channels do not divide into {heads} heads")
    return view.emit.reshape(x, (batch, length, heads, size // heads), f"{name}_split")


def in_rows(view: NodeView, x: Value) -> Value:
    """``(B, N, S, H)`` as ``(B, S, N * H)``."""
    batch, heads, length, size = shape_of(x)
    turned = view.emit.transpose(x, (0, 2, 1, 3), "positions")
    return view.emit.reshape(turned, (batch, length, heads * size))


def appended(view: NodeView, past: Value, new: Value, name: str) -> Value:
    """Return the past, if there is any, with new positions behind it."""
    return view.emit.concat([past, new], 2, f"present_{name}") if shape_of(past)[2] else new


def attend(
    view: NodeView,
    query: Value,
    key: Value,
    value: Value,
    mask: Value | None,
    *,
    softcap: float = 0.0,
    causal: bool = False,
) -> Value:
    """Return ``(B, N, S, H)``; the scale is an attribute, or the root of the size of a head."""
    scale = view.number("scale") or 1 / math.sqrt(shape_of(query)[3])
    descriptor = AttentionDescriptor(scale, softcap, causal)
    if mask is not None and dtype_of(mask) not in (np.bool_, dtype_of(query)):
        mask = view.emit.cast(mask, dtype_of(query), "mask_cast")
    return view.emit.layer(
        LayerType.ATTENTION, [query, key, value, mask], descriptor, name="attention"
    )


def rotate(
    view: NodeView, x: Value, cos: Value, sin: Value, *, interleaved: bool, name: str = "turned"
) -> Value:
    """Turn the first numbers of each row, two for each angle."""
    descriptor = RotaryEmbeddingDescriptor(interleaved)
    return view.emit.layer(LayerType.ROTARY_EMBEDDING, [x, cos, sin], descriptor, name=name)


# ---- The standard's operators --------------------------------------------------------------------


@operator("RotaryEmbedding", since=23)
def _rotary_embedding(view: NodeView) -> Value:
    """Inputs: x ``(B, S, N * H)`` or ``(B, N, S, H)``, cos, sin, positions ``(B, S)``."""
    emit, x, shape = view.emit, view.value(0), view.shape(0)
    is_flat = len(shape) == 3
    if is_flat:
        x = _apart(view, x, view.integer("num_heads"), "x")
    size = shape_of(x)[3]
    turned = view.integer("rotary_embedding_dim") or size
    rows = []
    for index, name in ((1, "cos"), (2, "sin")):
        angles = view.value(index)
        if view.has(3):
            angles = emit.gather(angles, view.value(3), 0, f"{name}_rows")
        batch, length, half = shape_of(angles)
        if 2 * half != turned or turned > size:
            raise ParseError(f"{half} angles for {turned} numbers of heads of {size}")
        wide = (batch, length, 1, half) if is_flat else (batch, 1, length, half)
        rows.append(emit.reshape(angles, wide, f"{name}_wide"))
    y = rotate(view, x, *rows, interleaved=view.flag("interleaved"), name="turned" * is_flat)
    return emit.reshape(y, shape) if is_flat else y


def _is_written_out(view: NodeView) -> bool:
    """Whether Attention has what the layer lacks: lengths of keys, scores as an output, ..."""
    windows = [view.integer(f"{side}_window_size", -1) for side in ("left", "right")]
    if view.wants(3) or view.has(6) or max(windows) >= 0:
        return True
    dtypes = {dtype_of(view.value(index)) for index in range(3)}
    if len(dtypes) > 1 or np.dtype(np.float64) in dtypes:
        return True
    # The first query sees no new keys but the first one; in the layer, the last one sees all.
    return view.flag("is_causal") and view.shape(0)[-2] != view.shape(1)[-2]


@operator("Attention", since=23, by_definition=_is_written_out)
def _attention(view: NodeView) -> Sequence[Value]:
    """Inputs: query, key, value in heads or rows, a mask, past key and value."""
    is_flat = view.rank(0) == 3
    query, key, value = (view.value(index) for index in range(3))
    if is_flat:
        heads, shared = view.integer("q_num_heads"), view.integer("kv_num_heads")
        query = split_heads(view, query, heads, "query")
        key = split_heads(view, key, shared, "key")
        value = split_heads(view, value, shared, "value")
    if view.has(4):
        key = appended(view, view.value(4), key, "key")
        value = appended(view, view.value(5), value, "value")
    mask = _padded(view, shape_of(key)[2]) if view.has(3) else None
    y = attend(
        view, query, key, value, mask,
        softcap=view.number("softcap"), causal=view.flag("is_causal"),
    )  # fmt: skip
    return [in_rows(view, y) if is_flat else y, key, value]


def _padded(view: NodeView, keys: int) -> Value:
    """Return the mask; keys behind its end are hidden."""
    mask, shape = view.value(3), view.shape(3)
    is_choice = dtype_of(mask) == np.bool_
    before, after = (0,) * len(shape), (*(0,) * (len(shape) - 1), keys - shape[-1])
    return view.emit.pad(mask, before, after, fill=0.0 if is_choice else -np.inf, name="mask")
