# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""GroupQueryAttention: several heads of queries share one of keys and values.

Letters in comments: B batch, S new positions, P those of the past, T those of the present, N heads
of queries, K of keys and values, H size of a head.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import SoftmaxDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.operators.standard.attention import (
    attend,
    in_rows,
    rotate,
    split_heads,
)
from armnn_py.types import ActivationFunction, ComparisonOperation, LayerType

_LENGTHS, _TOTAL, _COS, _SIN, _SINKS = 5, 6, 7, 8, 11
_HIDDEN = -1e30


@operator("GroupQueryAttention", domain=MICROSOFT)
def _group_query_attention(view: NodeView) -> Sequence[Value]:
    """Inputs: query, key, value, past key and value, lengths less 1, total length, cos, sin."""
    heads, shared = view.integer("num_heads"), view.integer("kv_num_heads")
    if heads < 1 or shared < 1 or heads % shared:
        raise ParseError(f"{heads} query heads do not divide into groups for {shared} key heads")
    if any(view.has(index) for index in range(_SIN + 1, view.count) if index != _SINKS):
        raise Unsupported("positions or a bias of scores as operands")
    if view.has(_SINKS) and view.shape(_SINKS) != (heads,):
        raise ParseError(f"the sinks have shape {view.shape(_SINKS)}, expected {(heads,)}")
    query, key, value = _three(view, heads, shared)
    places = _Places(view, shape_of(query))
    if view.integer("do_rotary"):
        cos, sin = places.angles(_COS), places.angles(_SIN)
        interleaved = bool(view.integer("rotary_interleaved"))
        with view.emit.below("query"):
            query = rotate(view, query, cos, sin, interleaved=interleaved)
        with view.emit.below("key"):
            key = rotate(view, key, cos, sin, interleaved=interleaved)
    key, value = (
        places.present(view.value(index) if view.has(index) else None, new, name)
        for index, new, name in ((3, key, "key"), (4, value, "value"))
    )
    sees_all_before = view.integer("local_window_size", -1) <= 0 and places.ends_present
    mask = None if sees_all_before else places.hidden()
    if view.has(_SINKS) or view.integer("smooth_softmax") > 0:
        y = _attend_with_sink(view, query, key, value, places.hidden())
    else:
        softcap = view.number("softcap")
        y = attend(view, query, key, value, mask, softcap=softcap, causal=sees_all_before)
    return [in_rows(view, y), key, value]


def _three(view: NodeView, heads: int, shared: int) -> tuple[Value, Value, Value]:
    """Query, key and value in heads; they may lie in one tensor, one behind the other."""
    query, key, value = (view.value(n) if view.has(n) else None for n in range(3))
    assert query is not None
    if key is None or value is None:
        size = shape_of(query)[2] // (heads + 2 * shared)
        sizes = [heads * size, shared * size, shared * size]
        query, key, value = view.emit.split(query, sizes, 2, "part")
    return (
        split_heads(view, query, heads, "query"),
        split_heads(view, key, shared, "key"),
        split_heads(view, value, shared, "value"),
    )


class _Places:
    """The range of the new positions among those of the present."""

    def __init__(self, view: NodeView, query: tuple[int, ...]) -> None:
        self.view = view
        self.batch, _, self.length, _ = query
        self.past = view.shape(3)[2] if view.has(3) else 0
        given = view.integers(_TOTAL, "the total length")
        if len(given) != 1:
            raise ParseError(f"{len(given)} total lengths are given, expected one")
        (given_total,) = given
        self.total = max(given_total, self.past)
        # The first new position, where all of the batch have the same one.
        self.first: int | None = given_total - self.length
        if self.batch > 1 and self.past:
            if self.length != 1:
                raise Unsupported("several new positions behind pasts of several lengths")
            self.first = None
        elif self.first < 0 or self.first > self.past or (not self.past and self.first):
            raise ParseError(
                f"{self.length} new positions do not fit a total length of {given_total} with "
                f"{self.past} past ones"
            )

    @property
    def ends_present(self) -> bool:
        """Whether the new positions are the last ones of the present, for all of the batch."""
        return self.first is not None and self.first + self.length == self.total

    def _lengths(self, *shape: int) -> Value:
        """The place of the one new position of each of the batch."""
        return self.view.emit.reshape(self.view.value(_LENGTHS), shape, "places")

    def _own(self) -> Value:
        """The new positions, ``(S)``, where all of the batch have the same ones."""
        assert self.first is not None
        emit = self.view.emit
        return emit.count_up(self.length, np.dtype(np.int32), start=self.first, name="own")

    def _present(self, *shape: int) -> Value:
        """The positions of the present."""
        steps = self.view.emit.count_up(self.total, np.dtype(np.int32), name="steps")
        return self.view.emit.reshape(steps, shape, "present_steps")

    def angles(self, index: int) -> Value:
        """Rows of a table of angles, ``(B or 1, 1, S, A)``."""
        emit, table, name = self.view.emit, self.view.value(index), f"angles_{index}"
        rows = self._lengths(self.batch) if self.first is None else self._own()
        found = emit.gather(table, rows, 0, name)
        wide = (self.batch if self.first is None else 1, 1, self.length, shape_of(table)[1])
        return emit.reshape(found, wide, f"{name}_wide")

    def present(self, past: Value | None, new: Value, name: str) -> Value:
        """The past with the new positions in their place."""
        emit = self.view.emit
        if past is None or not self.past:
            return new
        batch, heads, _, size = shape_of(past)
        if self.first is not None:
            before = emit.slice(past, (0,) * 4, (batch, heads, self.first, size), f"past_{name}")
            parts = [before, new] if self.first else [new]
            end = self.first + self.length
            if end < self.total:
                rest = (batch, heads, self.total - end, size)
                parts.append(emit.slice(past, (0, 0, end, 0), rest, f"rest_{name}"))
            return emit.concat(parts, 2, f"present_{name}") if len(parts) > 1 else new
        if self.total > self.past:
            past = emit.concat([past, new], 2, f"longer_{name}")
        steps = self._present(1, 1, self.total, 1)
        here = emit.compare(ComparisonOperation.EQUAL, steps, self._lengths(batch, 1, 1, 1), "here")
        return emit.where(here, new, past, f"present_{name}")

    def hidden(self) -> Value:
        """What is added to scores ``(B or 1, 1, S, T)``: later positions are not seen."""
        emit = self.view.emit
        window = self.view.integer("local_window_size", -1)
        if self.first is None:
            places = self._lengths(self.batch, 1, 1, 1)
        else:
            places = emit.reshape(self._own(), (1, 1, self.length, 1), "places")
        wide = self._present(1, 1, 1, self.total)
        unseen = emit.compare(ComparisonOperation.GREATER, wide, places, "later")
        mask = emit.scale(emit.cast(unseen, np.float32, "later_float"), _HIDDEN, "hidden")
        if window <= 0:
            return mask
        last = emit.sub(places, Known(np.full((1, 1, 1, 1), window, np.int32)), "last")
        early = emit.compare(ComparisonOperation.LESS_OR_EQUAL, wide, last, "early")
        further = emit.scale(emit.cast(early, np.float32, "early_float"), _HIDDEN, "far")
        return emit.add(mask, further, "hidden_both")


def _attend_with_sink(
    view: NodeView, query: Value, key: Value, value: Value, hidden: Value
) -> Value:
    """Return ``(B, N, S, H)``; the layer of attention has no sink."""
    emit = view.emit
    batch, heads, length, size = shape_of(query)
    key, value = _repeated(view, key, heads, "key"), _repeated(view, value, heads, "value")
    scores = emit.matmul(query, key, transpose_y=True, name="scores")
    scores = emit.scale(scores, view.number("scale") or 1 / math.sqrt(size), "scaled")
    cap = view.number("softcap")
    if cap:
        bent = emit.activation(
            ActivationFunction.TANH, emit.scale(scores, 1 / cap, "steps"), 1.0, 1.0
        )
        scores = emit.scale(bent, cap, "capped")
    scores = emit.add(scores, emit.cast(hidden, dtype_of(scores), "hidden_cast"), "masked")
    scores = emit.concat([scores, _sink(view, scores)], 3, "with_sink")
    shares: Value = emit.layer(
        LayerType.SOFTMAX, [scores], SoftmaxDescriptor(axis=3), name="shares"
    )
    shares = emit.slice(shares, (0,) * 4, (batch, heads, length, shape_of(key)[2]), "seen")
    return emit.matmul(shares, value, name="weighted")


def _sink(view: NodeView, scores: Value) -> Value:
    """Return the score of the attention sink: of each head, or 0.

    With 0 the softmax is smooth: its sum of exponentials is greater by 1.
    """
    emit, (batch, heads, length, _) = view.emit, shape_of(scores)
    if view.has(_SINKS):
        wide = emit.reshape(view.value(_SINKS), (1, heads, 1, 1), "sinks")
        sink = emit.cast(wide, dtype_of(scores), "sinks_cast")
    else:
        sink = emit.scalar(0, scores)
    return emit.broadcast_to(sink, (batch, heads, length, 1), "sink")


def _repeated(view: NodeView, x: Value, heads: int, name: str) -> Value:
    """``(B, K, T, H)`` as ``(B, N, T, H)``: each head for all that share it."""
    emit, (batch, shared, total, size) = view.emit, shape_of(x)
    if shared == heads:
        return x
    apart = emit.reshape(x, (batch, shared, 1, total, size), f"{name}_apart")
    wide = emit.broadcast_to(apart, (batch, shared, heads // shared, total, size), f"{name}_wide")
    return emit.reshape(wide, (batch, heads, total, size), f"{name}_repeated")
