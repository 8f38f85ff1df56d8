# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attention and rotary embedding by their definition in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature

__all__ = ["ATTENTIONS"]

Array = Any


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
