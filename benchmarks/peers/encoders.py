# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Transformer encoders with random weights, in the operators that exporters write.

ViT-tiny at 224 x 224 (Touvron et al. 2021) without its class token, and a BERT-like encoder of 4
layers, 256 wide, over 128 embedded tokens (Devlin et al. 2018, normalised before each block).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from graph_builder import GraphBuilder, Value


def _number(g: GraphBuilder, value: float) -> str:
    return g.constant(np.float32(value))


def _reshape(g: GraphBuilder, x: Value, shape: tuple[int, ...]) -> Value:
    return g.node("Reshape", [x.name, g.constant(np.array(shape, np.int64))], shape)


def _transpose(g: GraphBuilder, x: Value, order: tuple[int, ...]) -> Value:
    shape = tuple(x.shape[axis] for axis in order)
    return g.node("Transpose", [x.name], shape, perm=order)


def _normalize(g: GraphBuilder, x: Value) -> Value:
    width = x.shape[-1]
    parameters = [g.constant(np.ones(width, np.float32)), g.constant(np.zeros(width, np.float32))]
    return g.node("LayerNormalization", [x.name, *parameters], x.shape, axis=-1, epsilon=1e-5)


def _gelu(g: GraphBuilder, x: Value) -> Value:
    scaled = g.node("Div", [x.name, _number(g, math.sqrt(2))], x.shape)
    erf = g.node("Erf", [scaled.name], x.shape)
    gate = g.node("Add", [erf.name, _number(g, 1)], x.shape)
    product = g.node("Mul", [x.name, gate.name], x.shape)
    return g.node("Mul", [product.name, _number(g, 0.5)], x.shape)


def _attention(g: GraphBuilder, x: Value, heads: int) -> Value:
    batch, tokens, width = x.shape
    split = (batch, tokens, heads, width // heads)
    query, key, value = (_reshape(g, g.project(x, width), split) for _ in range(3))
    query, value = (_transpose(g, part, (0, 2, 1, 3)) for part in (query, value))
    key = _transpose(g, key, (0, 2, 3, 1))
    scores = g.multiply(query, key)
    scale = _number(g, (width // heads) ** -0.5)
    scores = g.node("Mul", [scores.name, scale], scores.shape)
    weights = g.node("Softmax", [scores.name], scores.shape, axis=-1)
    mixed = _transpose(g, g.multiply(weights, value), (0, 2, 1, 3))
    return g.project(_reshape(g, mixed, x.shape), width)


def _encode(g: GraphBuilder, x: Value, depth: int, heads: int) -> Value:
    width = x.shape[-1]
    for _ in range(depth):
        x = g.add(x, _attention(g, _normalize(g, x), heads))
        hidden = _gelu(g, g.project(_normalize(g, x), 4 * width))
        x = g.add(x, g.project(hidden, width))
    return _normalize(g, x)


def vit_tiny(g: GraphBuilder) -> list[Value]:
    """ViT-tiny with patches of 16 x 16 and the mean of all tokens (1.2 G multiply-adds)."""
    x = g.conv(g.input, 192, 16, 16, pad=0)
    x = _transpose(g, _reshape(g, x, (1, 192, 196)), (0, 2, 1))
    x = _encode(g, x, 12, 3)
    mean = g.node("ReduceMean", [x.name], (1, 192), axes=[1], keepdims=0)
    return [g.dense(mean, 1000)]


def bert_tiny(g: GraphBuilder) -> list[Value]:
    """Four layers over 128 tokens (0.4 G multiply-adds)."""
    return [_encode(g, g.input, 4, 4)]
