# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attention of com.microsoft: the layer, and what stands before it.

Letters in comments: B batch, S positions of the query, T of key and value with the past, N heads,
H size of a head.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Unsupported, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.operators.standard.attention import (
    appended,
    attend,
    in_rows,
    split_heads,
)
from armnn_py.frontends.onnx.operators.standard.matrix import multiply
from armnn_py.types import ActivationFunction, ComparisonOperation

_operator = functools.partial(operator, domain=MICROSOFT)


@_operator("Attention")
def attention(view: NodeView) -> Sequence[Value | None]:
    """Inputs: x, weights of query, key and value, their bias, mask, past, bias of scores."""
    emit, heads = view.emit, _heads(view)
    if view.integer("do_rotary"):
        raise Unsupported("rotary embedding inside of it")
    if view.integer("past_present_share_buffer") or view.has(6):
        raise Unsupported("one buffer of past and present")
    sizes = view.ints("qkv_hidden_sizes") or [view.shape(1)[1] // 3] * 3
    if len(sizes) != 3 or sum(sizes) != view.shape(1)[1]:
        raise ParseError(
            f"sizes {sizes} of query, key and value do not fit weights of shape {view.shape(1)}"
        )
    with emit.below("projection"):
        x = multiply(view.over([view.value(0), view.value(1)]))
    if view.has(2):
        x = emit.add(x, view.value(2), "biased")
    query, key, value = (
        split_heads(view, part, heads, name)
        for part, name in zip(
            emit.split(x, sizes, 2, "part"), ("query", "key", "value"), strict=True
        )
    )
    if view.has(4):
        past = emit.split(view.value(4), [1, 1], 0, "past")
        key, value = (
            appended(view, emit.reshape(old, shape_of(old)[1:], f"past_{name}"), new, name)
            for old, new, name in zip(past, (key, value), ("key", "value"), strict=True)
        )
    mask = view.value(3) if view.has(3) else None
    bias = view.value(5) if view.has(5) else None
    before = view.shape(4)[3] if view.has(4) else 0
    y = _attend(view, query, key, value, mask, bias, before)
    return [y, _stacked(view, key, value) if view.wants(1) else None]


@_operator("MultiHeadAttention")
def _multi_head_attention(view: NodeView) -> Sequence[Value]:
    """Inputs: query, key, value, their bias, a mask, a bias of scores, past key and value."""
    emit, heads = view.emit, _heads(view)
    query, key, value = _three(view)
    if view.has(3):
        sizes = [shape_of(part)[-1] for part in (query, key, value)]
        if len(shape_of(key)) == 4:
            raise Unsupported("a bias beside keys in heads")
        biases = emit.split(view.value(3), sizes, 0, "bias")
        query, key, value = (
            emit.add(part, bias, f"biased_{name}")
            for part, bias, name in zip(
                (query, key, value), biases, ("query", "key", "value"), strict=True
            )
        )
    query = split_heads(view, query, heads, "query")
    # Those of cross attention may be in heads already.
    if len(shape_of(key)) == 3:
        key = split_heads(view, key, heads, "key")
        value = split_heads(view, value, heads, "value")
    if view.has(6):
        key = appended(view, view.value(6), key, "key")
        value = appended(view, view.value(7), value, "value")
    mask = view.value(4) if view.has(4) else None
    bias = view.value(5) if view.has(5) else None
    before = view.shape(6)[2] if view.has(6) else 0
    return [_attend(view, query, key, value, mask, bias, before), key, value]


def _three(view: NodeView) -> tuple[Value, Value, Value]:
    """Query, key and value, which may lie in one tensor ``(B, S, N, 3, H)`` or two."""
    if view.rank(0) == 5:
        query, key, value = _unpacked(view, view.value(0), 3)
    elif view.has(1) and view.rank(1) == 5:
        query = view.value(0)
        key, value = _unpacked(view, view.value(1), 2)
    else:
        query, key = view.value(0), view.value(1)
        value = view.value(2) if view.has(2) else key
    return query, key, value


def _unpacked(view: NodeView, packed: Value, count: int) -> list[Value]:
    emit, (batch, length, heads, parts, size) = view.emit, shape_of(packed)
    if parts != count:
        raise ParseError(
            f"a tensor of shape {shape_of(packed)} packs {parts} tensors, expected {count}"
        )
    return [
        emit.reshape(part, (batch, length, heads * size), f"part_{index}")
        for index, part in enumerate(emit.split(packed, [1] * count, 3, "part"))
    ]


def _heads(view: NodeView) -> int:
    heads = view.integer("num_heads")
    if heads < 1:
        raise ParseError(f"attribute 'num_heads' is {heads}, expected at least 1")
    return heads


def _stacked(view: NodeView, key: Value, value: Value) -> Value:
    emit = view.emit
    parts = [
        emit.reshape(part, (1, *shape_of(part)), f"present_{name}_row")
        for part, name in ((key, "key"), (value, "value"))
    ]
    return emit.concat(parts, 0, "present")


def _attend(
    view: NodeView,
    query: Value,
    key: Value,
    value: Value,
    mask: Value | None,
    bias: Value | None,
    before: int,
) -> Value:
    """Softmax of scaled scores times values, ``(B, S, N * H)``; ``before`` positions are past."""
    (batch, _, length, _), total = shape_of(query), shape_of(key)[2]
    causal = bool(view.integer("unidirectional"))
    if causal and total != before + length:  # which of them come later is not defined
        raise Unsupported(f"causality of {length} positions and {total - before} keys")
    added = None if mask is None else _mask(view, mask, batch, total)
    if bias is not None:
        added = bias if added is None else view.emit.add(added, bias, "biased_mask")
    return in_rows(view, attend(view, query, key, value, added, causal=causal))


def _filter(view: NodeView) -> float:
    return view.number("mask_filter_value", -10000.0)


def _mask(view: NodeView, mask: Value, batch: int, total: int) -> Value:
    """What is added to scores ``(B, N, S, T)``: 0, or a number far below where the mask is 0.

    Masks are lengths ``(B)``, or one number for each ``(B, T)``, or ``(B, S, T)``.
    """
    emit, shape = view.emit, shape_of(mask)
    if len(shape) == 1:
        if shape != (batch,):
            raise Unsupported(f"a mask of shape {shape}")
        steps = emit.count_up(total, np.dtype(np.int32), name="steps")
        places = emit.reshape(steps, (1, total), "places")
        lengths = emit.reshape(mask, (batch, 1), "lengths")
        seen = emit.compare(ComparisonOperation.LESS, places, lengths, "seen")
        wide: tuple[int, ...] = (batch, 1, 1, total)
    elif len(shape) in (2, 3):
        seen = emit.compare(ComparisonOperation.GREATER, mask, emit.scalar(0, mask), "seen")
        wide = (shape[0], 1, *([1] if len(shape) == 2 else []), *shape[1:])
    else:
        raise Unsupported(f"a mask of shape {shape}")
    ones = emit.cast(emit.reshape(seen, wide, "wide_mask"), np.float32, "mask")
    far = _filter(view)
    return emit.activation(ActivationFunction.LINEAR, ones, -far, far, "mask_bias")
