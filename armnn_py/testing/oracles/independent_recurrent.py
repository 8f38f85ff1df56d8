# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Recurrent layers, attention and rotary embedding by their definition in numpy.

A step of a recurrent layer is a function of whole matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.testing.oracles.independent_activations import ACTIVATIONS
from armnn_py.testing.oracles.independent_lstm_int8 import (
    is_in_integers,
    lstm_in_integers,
    quantized_lstm,
)
from armnn_py.types import LayerType, RecurrentDirection, RowRounding
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature

Array = Any


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


_FUNCTIONS: dict[int, Callable[[Array], Array]] = {
    0: lambda x: x,
    1: lambda x: np.maximum(x, 0),
    3: lambda x: np.clip(x, 0, 6),
    4: np.tanh,
    6: _sigmoid,
}


def _clipped(x: Array, bound: float) -> Array:
    return np.clip(x, -bound, bound) if bound > 0 else x


def _normalised(x: Array) -> Array:
    """Bring each row to mean 0 and variance 1; equal values to 0."""
    away = x - x.mean(axis=1, keepdims=True)
    deviation = np.sqrt((away**2).mean(axis=1, keepdims=True))
    return away / np.where(deviation == 0, 1, deviation)


def _rounded(x: Array, rounding: RowRounding) -> Array:
    """Round each row to the 8-bit levels of its own range, halves away from 0."""
    if rounding is RowRounding.NONE or not x.shape[-1]:
        return x
    if rounding is RowRounding.SYMMETRIC:
        size = np.abs(x).max(axis=-1, keepdims=True)
        scale = np.where(size == 0, 1, size) / 127
        return _whole(x / scale) * scale
    least = np.minimum(x.min(axis=-1, keepdims=True), 0)
    most = np.maximum(x.max(axis=-1, keepdims=True), 0)
    scale = np.where(most == least, 255, most - least) / 255
    point = np.where(-least + scale < most, -128 - least / scale, 127 - most / scale)
    point = _whole(point)
    return (np.clip(_whole(point + x / scale), -128, 127) - point) * scale


def _whole(x: Array) -> Array:
    return np.trunc(x + np.copysign(0.5, x))


class _Lstm:
    """One cell: its operands by name, decoded."""

    def __init__(self, s: LayerSignature, v: Sequence[Any]) -> None:
        names = [name.rstrip("?") for name in FACTS[s.type].operands]
        self.operands = dict(zip(names, v, strict=False))
        self.d: Any = s.descriptor

    def gate(self, name: str, x: Array, h: Array, c: Array | None) -> Array:
        """Return what enters the function of a gate."""
        get = self.operands.get
        x, h = (_rounded(rows, self.d.row_rounding) for rows in (x, h))
        total = x @ self.operands[f"input_to_{name}_weights"].T
        total = total + h @ self.operands[f"recurrent_to_{name}_weights"].T
        peephole = get(f"cell_to_{name}_weights")
        if peephole is not None and c is not None:
            total = total + c * peephole
        norm = get(f"{name}_layer_norm_weights")
        if norm is not None:
            total = _normalised(total) * norm
        return total + self.operands["cell_bias" if name == "cell" else f"{name}_gate_bias"]

    def step(self, x: Array, h: Array, c: Array) -> tuple[Array, Array, list[Array]]:
        """Return the new h and c, and the gates: input (not with CIFG), forget, cell, output."""
        function = _FUNCTIONS[self.d.activation_function]
        forget = _sigmoid(self.gate("forget", x, h, c))
        new = function(self.gate("cell", x, h, None))
        if self.d.cifg_enabled:
            chosen, gates = 1 - forget, []
        else:
            chosen = _sigmoid(self.gate("input", x, h, c))
            gates = [chosen]
        c = _clipped(forget * c + chosen * new, self.d.clipping_threshold_cell)
        shown = _sigmoid(self.gate("output", x, h, c))
        h = shown * function(c)
        if self.d.projection_enabled:
            h = _rounded(h, self.d.row_rounding) @ self.operands["projection_weights"].T
            if self.operands.get("projection_bias") is not None:
                h = h + self.operands["projection_bias"]
            h = _clipped(h, self.d.clipping_threshold_projection)
        return h, c, [*gates, forget, new, shown]


def _lstm(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    h, c, gates = _Lstm(s, v).step(*v[:3])
    return [np.concatenate(gates, axis=1), h, c, h]


def _sequence_lstm(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    if is_in_integers(s):
        return lstm_in_integers(s, v)
    cell = _Lstm(s, v)
    x, h, c = v[:3]
    steps = x if d.time_major else x.swapaxes(0, 1)
    found = np.zeros((*steps.shape[:2], h.shape[1]))
    for index, step in enumerate(steps):
        h, c, _ = cell.step(step, h, c)
        found[index] = h
    return [h, c, found if d.time_major else found.swapaxes(0, 1)]


def _gru(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor

    def step(x: Array, h: Array, w: Array, r: Array, b: Array, c: Array) -> Array:
        one = w @ x + b
        update = _sigmoid(_clipped(one[0] + r[0] @ h + c[0], d.clip))
        reset = _sigmoid(_clipped(one[1] + r[1] @ h + c[1], d.clip))
        old = r[2] @ (reset * h) + c[2]
        if d.linear_before_reset:
            old = reset * (r[2] @ h + c[2])
        return (1 - update) * np.tanh(_clipped(one[2] + old, d.clip)) + update * h

    return _by_rows(s, v, 3, step)


def _rnn(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    function = ACTIVATIONS[d.function]

    def step(x: Array, h: Array, w: Array, r: Array, b: Array, c: Array) -> Array:
        x, h = (_rounded(row, d.row_rounding) for row in (x, h))
        return function(_clipped(w[0] @ x + b[0] + r[0] @ h + c[0], d.clip), d.a, d.b)

    return _by_rows(s, v, 1, step)


def _by_rows(
    s: LayerSignature, v: Sequence[Any], gates: int, step: Callable[..., Array]
) -> list[Array]:
    """Run row by row: each has its own length. ``step`` takes x, h, and a direction's operands."""
    d: Any = s.descriptor
    x, weights, recurrent = v[:3]
    input_bias, state_bias, before, lengths = ([*v[3:], None, None, None, None])[:4]
    steps, batch, _ = x.shape
    directions, _, hidden = recurrent.shape
    outputs = np.zeros((steps, directions, batch, hidden))
    last = np.zeros((directions, batch, hidden)) if before is None else before.copy()
    for k in range(directions):
        w, r = weights[k].reshape(gates, hidden, -1), recurrent[k].reshape(gates, hidden, hidden)
        zeros = np.zeros((gates, hidden))
        b = zeros if input_bias is None else input_bias[k].reshape(gates, hidden)
        c = zeros if state_bias is None else state_bias[k].reshape(gates, hidden)
        for n in range(batch):
            length = steps if lengths is None else int(np.clip(lengths[n], 0, steps))
            h = last[k, n]
            is_reverse = k == 1 or d.direction is RecurrentDirection.REVERSE
            for t in reversed(range(length)) if is_reverse else range(length):
                h = step(x[t, n], h, w, r, b, c)
                outputs[t, k, n] = h
            last[k, n] = h
    return [outputs, last]


def _is_of_8_bits(s: LayerSignature) -> bool:
    return all(info is not None and info.dtype.kind in "iu" for info in s.inputs)


RECURRENT: dict[LayerType, Callable[[Any, Sequence[Any]], list[Array] | None]] = {
    LayerType.GRU: _gru,
    LayerType.RNN: _rnn,
    LayerType.LSTM: _lstm,
    LayerType.QLSTM: lambda s, v: lstm_in_integers(s, v) if is_in_integers(s) else None,
    LayerType.QUANTIZED_LSTM: lambda s, v: quantized_lstm(s, v) if _is_of_8_bits(s) else None,
    LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM: _sequence_lstm,
}
"""Of numbers: real ones come in float64."""


def _rotary_embedding(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x, cos, sin = v
    count = 2 * cos.shape[-1]
    pairs = np.arange(count).reshape((-1, 2) if d.interleaved else (2, -1))
    first, second = pairs.T if d.interleaved else pairs
    y = x.copy()
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., second] * cos + x[..., first] * sin
    return [y]


def _attention(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    query, key, value = v[:3]
    group = query.shape[1] // key.shape[1]
    key, value = np.repeat(key, group, 1), np.repeat(value, group, 1)
    scores = d.scale * (query @ key.swapaxes(2, 3))
    if d.softcap:
        scores = d.softcap * np.tanh(scores / d.softcap)
    queries, keys = scores.shape[2:]
    if len(v) > 3 and v[3] is not None:
        scores = np.where(v[3], scores, -np.inf) if v[3].dtype.kind == "b" else scores + v[3]
    if d.causal:
        scores = np.where(np.tri(queries, keys, keys - queries, bool), scores, -np.inf)
    top = scores.max(axis=3, keepdims=True, initial=-np.inf)
    powers = np.where(np.isneginf(scores), 0, np.exp(scores - top))
    total = powers.sum(axis=3, keepdims=True)
    return [powers / np.where(total == 0, 1, total) @ value]


ATTENTIONS: dict[LayerType, Callable[[LayerSignature, Sequence[Any]], list[Array]]] = {
    LayerType.ATTENTION: _attention,
    LayerType.ROTARY_EMBEDDING: _rotary_embedding,
}
