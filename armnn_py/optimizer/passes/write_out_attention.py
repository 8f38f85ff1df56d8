# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attention and rotary embedding written out, for backends that take the parts and not the layer.

Only of float32 and float16, and only where backends come first that take all parts.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from armnn_py.descriptors import (
    ActivationDescriptor,
    AttentionDescriptor,
    BatchMatMulDescriptor,
    ComparisonDescriptor,
    ReduceDescriptor,
    RotaryEmbeddingDescriptor,
    SoftmaxDescriptor,
)
from armnn_py.optimizer.passes.base import PassLog
from armnn_py.optimizer.passes.written_out import WrittenOut, has_earlier_backend
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    ComparisonOperation,
    DataType,
    LayerType,
    ReduceOperation,
)

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Value

_TYPES = (DataType.FLOAT32, DataType.FLOAT16)
_MOST_DIMENSIONS = 8


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    if log.rank_of is None:
        return
    for node in graph.nodes:
        kind = _KINDS.get(node.type)
        if kind is None or node.output.info.data_type not in _TYPES:
            continue
        if not has_earlier_backend(node, log):
            continue
        shapes = [value.info.static_shape for value in node.inputs if value is not None]
        if not all(map(all, shapes)) or len(shapes[0]) == _MOST_DIMENSIONS:
            continue
        if kind(graph, node).replace(log):
            log.changed(f"'{node.name}' written out")


class _Rotary(WrittenOut):
    """Pairs taken apart, turned and joined."""

    def write_out(self) -> tuple[Value]:
        d, x, cos, sin = self.node.descriptor, *map(self.input, range(3))
        assert isinstance(d, RotaryEmbeddingDescriptor)
        *rows, width = x.info.static_shape
        half = cos.info.static_shape[-1]
        start = (0,) * len(rows)
        pairs = self.slice("pairs", x, (*start, 0), (*rows, 2 * half))
        if d.interleaved:
            pairs = self.reshape("apart", pairs, (*rows, half, 2))
            first, second = (
                self.reshape(f"half_{n}", self._column(pairs, n), (*rows, half)) for n in (0, 1)
            )
        else:
            first, second = (
                self.slice(f"half_{n}", pairs, (*start, n * half), (*rows, half)) for n in (0, 1)
            )
        products = [
            self.binary(f"product_{n}", BinaryOperation.MUL, a, b)
            for n, (a, b) in enumerate(((first, cos), (second, sin), (second, cos), (first, sin)))
        ]
        turned = [
            self.binary("left", BinaryOperation.SUB, *products[:2]),
            self.binary("right", BinaryOperation.ADD, *products[2:]),
        ]
        if d.interleaved:
            columns = [
                self.reshape(f"column_{n}", part, (*rows, half, 1)) for n, part in enumerate(turned)
            ]
            joined = self.join("columns", columns, len(rows) + 1)
            turned = [self.reshape("turned", joined, (*rows, 2 * half))]
        rest = (*rows, width - 2 * half)
        if rest[-1]:
            turned.append(self.slice("rest", x, (*start, 2 * half), rest))
        return (self.join("whole", turned, len(rows)),)

    def _column(self, pairs: Value, place: int) -> Value:
        shape = pairs.info.static_shape
        return self.slice(
            f"pick_{place}", pairs, (*(0,) * (len(shape) - 1), place), (*shape[:-1], 1)
        )


class _Attention(WrittenOut):
    """Products, a mask, Softmax. Heads that share a key are rows of one matrix."""

    def write_out(self) -> tuple[Value]:
        d, query, key, value = self.node.descriptor, *map(self.input, range(3))
        assert isinstance(d, AttentionDescriptor)
        batch, heads, queries, size = query.info.static_shape
        shared, keys = key.info.static_shape[1:3]
        grouped = (batch, shared, heads // shared * queries)
        rows = self.reshape("rows", query, (*grouped, size))
        scores = self._product("products", rows, key, transpose_y=True)
        scores = self.reshape("heads", scores, (batch, heads, queries, keys))
        scores = self._masked(self._scaled(scores, d), d)
        shares = self.add(LayerType.SOFTMAX, "shares", [scores], SoftmaxDescriptor(axis=3))
        if self._may_see_nothing(d):
            shares = self._without_empty(scores, shares)
        shares = self.reshape("grouped", shares, (*grouped, keys))
        summed = self._product("weighted", shares, value)
        return (
            self.reshape("output", summed, (batch, heads, queries, value.info.static_shape[3])),
        )

    def _product(self, title: str, x: Value, y: Value, *, transpose_y: bool = False) -> Value:
        descriptor = BatchMatMulDescriptor(transpose_y=transpose_y)
        return self.add(LayerType.BATCH_MAT_MUL, title, [x, y], descriptor)

    def _scaled(self, scores: Value, d: AttentionDescriptor) -> Value:
        if d.softcap:
            bend = ActivationDescriptor(ActivationFunction.TANH, d.softcap, d.scale / d.softcap)
            return self.add(LayerType.ACTIVATION, "capped", [scores], bend)
        if d.scale == 1:
            return scores
        factor = self.known("scale", lambda: np.full((1, 1, 1, 1), d.scale))
        return self.binary("scaled", BinaryOperation.MUL, scores, factor)

    def _masked(self, scores: Value, d: AttentionDescriptor) -> Value:
        if len(self.node.inputs) > 3:
            mask = self.input(3)
            shape = mask.info.static_shape
            mask = self.reshape("wide_mask", mask, ((1,) * (4 - len(shape)) + shape))
            if mask.info.data_type is DataType.BOOLEAN:
                scores = self._shown("masked", mask, scores)
            else:
                scores = self.binary("masked", BinaryOperation.ADD, scores, mask)
        queries, keys = map(operator.index, scores.info.static_shape[2:])
        if d.causal and queries > 1:
            seen = self.known(
                "seen", lambda: np.tri(queries, keys, keys - queries, bool)[None, None]
            )
            scores = self._shown("causal", seen, scores)
        return scores

    def _shown(self, title: str, condition: Value, scores: Value) -> Value:
        return self.add(LayerType.SELECT, title, [condition, scores, self._hidden()], None)

    def _hidden(self) -> Value:
        return self.known("hidden", lambda: np.full((1, 1, 1, 1), -np.inf))

    def _may_see_nothing(self, d: AttentionDescriptor) -> bool:
        """Whether a query may have no key but hidden ones."""
        queries, keys = self.input(0).info.static_shape[2], self.input(1).info.static_shape[2]
        if d.causal and queries > keys:
            return True
        if len(self.node.inputs) <= 3:
            return False
        mask = self.input(3).constant
        if mask is None or d.causal:
            return True
        is_choice = self.input(3).info.data_type is DataType.BOOLEAN
        hidden = mask == 0 if is_choice else np.isneginf(mask)
        return bool(hidden.all(axis=-1).any())

    def _without_empty(self, scores: Value, shares: Value) -> Value:
        top = self.add(
            LayerType.REDUCE, "top", [scores], ReduceDescriptor(ReduceOperation.MAX, True, (3,))
        )
        greater = ComparisonDescriptor(ComparisonOperation.GREATER)
        seen = self.add(LayerType.COMPARISON, "sees_any", [top, self._hidden()], greater)
        nothing = self.known("nothing", lambda: np.zeros((1, 1, 1, 1)))
        return self.add(LayerType.SELECT, "shares_or_0", [seen, shares, nothing], None)


_KINDS = {LayerType.ATTENTION: _Attention, LayerType.ROTARY_EMBEDDING: _Rotary}
