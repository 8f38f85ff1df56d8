# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of com.microsoft that stand for several of the standard, taken apart again.

ONNX Runtime's optimiser writes them into models that are saved after it. Their definitions are in
ContribOperators.md of that project; passes of this one fuse again what a backend has in one layer.
Attention stays a layer, with others before it. Letters in its comments: B batch, S positions of the
query, T of key and value with the past, N heads, H size of a head.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.operators.standard.activation import hard_sigmoid, tanh_gelu
from armnn_py.frontends.onnx.operators.standard.attention import (
    appended,
    attend,
    in_rows,
    split_heads,
)
from armnn_py.frontends.onnx.operators.standard.matrix import gemm, multiply
from armnn_py.frontends.onnx.operators.standard.normalization import rms_normalize, standardize
from armnn_py.frontends.onnx.operators.windows.convolution import convolve
from armnn_py.types import ActivationFunction, ComparisonOperation, ReduceOperation

_operator = functools.partial(operator, domain=MICROSOFT)

_GELU = ActivationFunction.GELU
_SIGMOID = ActivationFunction.SIGMOID


@_operator("Gelu")
def _gelu(view: NodeView) -> Value:
    return view.emit.activation(_GELU, view.value(0))


@_operator("BiasGelu")
def _bias_gelu(view: NodeView) -> Value:
    emit = view.emit
    return emit.activation(_GELU, emit.add(view.value(0), view.value(1), "biased"))


@_operator("FastGelu")
def _fast_gelu(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    if view.has(1):
        x = emit.add(x, view.value(1), "biased")
    return tanh_gelu(view, x)


@_operator("QuickGelu")
def _quick_gelu(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    inner = emit.scale(x, view.number("alpha", 1.702), "steep")
    return emit.mul(x, emit.activation(_SIGMOID, inner, name="gate"))


@_operator("FusedMatMul", "TransposeMatMul")
def _fused_mat_mul(view: NodeView) -> Value:
    emit = view.emit
    if view.integer("transBatchA") or view.integer("transBatchB"):
        raise Unsupported("transposed batch dimensions")
    operands = [
        _turned(view, index, bool(view.integer(name)))
        for index, name in enumerate(("transA", "transB"))
    ]
    alpha = view.number("alpha", 1.0)
    if alpha == 1:
        return multiply(view.over(operands))
    with emit.below("product"):
        product = multiply(view.over(operands))
    return emit.scale(product, alpha)


def _turned(view: NodeView, index: int, is_turned: bool) -> Value:
    x, rank = view.value(index), view.rank(index)
    if not is_turned or rank < 2:
        return x
    order = (*range(rank - 2), rank - 1, rank - 2)
    return view.emit.transpose(x, order, f"transposed_{index}")


#: Of fused operators, by the name of the standard operator; parameters and their defaults.
_ACTIVATIONS: dict[str, tuple[ActivationFunction, tuple[float, ...]]] = {
    "Relu": (ActivationFunction.RELU, ()),
    "Sigmoid": (ActivationFunction.SIGMOID, ()),
    "Tanh": (ActivationFunction.TANH, ()),
    "LeakyRelu": (ActivationFunction.LEAKY_RELU, (0.01,)),
    "Clip": (ActivationFunction.BOUNDED_RELU, (-math.inf, math.inf)),
    "HardSigmoid": (ActivationFunction.LINEAR, (0.2, 0.5)),
    "Elu": (ActivationFunction.ELU, (1.0,)),
}


def _activated(view: NodeView, x: Value, name: str, parameters: Sequence[float]) -> Value:
    """Apply the activation of a fused operator."""
    emit = view.emit
    if name not in _ACTIVATIONS:
        raise Unsupported(f"activation {name}")
    function, defaults = _ACTIVATIONS[name]
    given = [*parameters, *defaults[len(parameters) :]]
    if name == "Tanh":
        return emit.activation(function, x, 1.0, 1.0)
    if name == "Clip":
        low, high = given[:2]
        return emit.activation(function, x, high, low)
    if name == "HardSigmoid":
        alpha, beta = given[:2]
        return hard_sigmoid(view, x, alpha, beta)
    return emit.activation(function, x, given[0] if given else 0.0)


def _then_activated(
    view: NodeView, convert: Callable[[], Value], parameters: Sequence[float]
) -> Value:
    name = view.text("activation")
    if not name:
        return convert()
    with view.emit.below("linear"):
        x = convert()
    return _activated(view, x, name, parameters)


@_operator("FusedConv")
def _fused_conv(view: NodeView) -> Value:
    def convert() -> Value:
        operands = view.over([view.value(i) if view.has(i) else None for i in range(3)])
        if not view.has(3):
            return convolve(operands)
        with view.emit.below("conv"):
            y = convolve(operands)
        return view.emit.add(y, view.value(3))

    return _then_activated(view, convert, view.floats("activation_params") or ())


@_operator("FusedGemm")
def _fused_gemm(view: NodeView) -> Value:
    names = ("activation_alpha", "activation_beta")
    given = [view.number(name) for name in names if name in view.node.attributes]
    return _then_activated(view, lambda: gemm(view), given)


# ---- Normalisations ------------------------------------------------------------------------------


@_operator("SkipLayerNormalization")
def _skip_layer_normalization(view: NodeView) -> Sequence[Value]:
    emit = view.emit
    total = _skipped(view, 4)
    y, mean, inverse = standardize(
        view, total, [view.rank(0) - 1], view.number("epsilon", 1e-12), "standard"
    )
    y = emit.mul(y, view.value(2), "scaled" if view.has(3) else "")
    if view.has(3):
        y = emit.add(y, view.value(3))
    return [y, mean, inverse, total]


@_operator("SkipSimplifiedLayerNormalization")
def _skip_simplified_layer_normalization(view: NodeView) -> Sequence[Value | None]:
    total = _skipped(view, 3)
    axes = [view.rank(0) - 1]
    epsilon = view.number("epsilon", 1e-12)
    y = rms_normalize(view, total, view.value(2), axes, epsilon)
    return [y, None, None, total]


def _skipped(view: NodeView, bias: int) -> Value:
    """The sum of input, skipped input and bias, which is the last output."""
    total = view.emit.add(view.value(0), view.value(1), "sum")
    return view.emit.add(total, view.value(bias), "biased") if view.has(bias) else total


@_operator("EmbedLayerNormalization")
def embed_layer_normalization(view: NodeView) -> Sequence[Value | None]:
    """Inputs: ids, segment ids, three embeddings, gamma, beta, mask, position ids."""
    emit, epsilon = view.emit, view.number("epsilon", 1e-12)
    batch, length = view.shape(0)
    if view.has(8):
        places = emit.gather(view.value(3), view.value(8), 0, "position")
    else:
        first = emit.slice(view.value(3), (0, 0), (length, view.shape(3)[1]), "position")
        places = emit.reshape(first, (1, *shape_of(first)), "positions")
    total = emit.add(emit.gather(view.value(2), view.value(0), 0, "word"), places, "word_position")
    if view.has(1):
        total = emit.add(total, emit.gather(view.value(4), view.value(1), 0, "segment"), "sum")
    y, _, _ = standardize(view, total, [2], epsilon, "standard")
    y = emit.add(emit.mul(y, view.value(5), "scaled"), view.value(6))
    return [y, _mask_index(view, batch) if view.wants(1) else None, total]


def _mask_index(view: NodeView, batch: int) -> Value:
    """How many positions of each row are not masked."""
    if not view.has(7) or view.integer("mask_index_type", 1) == 0:
        return Known(np.zeros(batch, np.int32))
    return view.emit.reduce(ReduceOperation.SUM, view.value(7), [1], False, "mask_index")


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
