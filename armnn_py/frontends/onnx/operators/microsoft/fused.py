# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of com.microsoft that stand for several of the standard, taken apart again.

ONNX Runtime's optimiser writes them into models that are saved after it. Their definitions are in
ContribOperators.md of that project; passes of this one fuse again what a backend has in one layer.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np

from armnn_py.frontends.common.values import Known, Unsupported, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.operators.standard.activation import hard_sigmoid, tanh_gelu
from armnn_py.frontends.onnx.operators.standard.matrix import gemm, multiply
from armnn_py.frontends.onnx.operators.standard.normalization import rms_normalize, standardize
from armnn_py.frontends.onnx.operators.windows.convolution import convolve
from armnn_py.types import ActivationFunction, ReduceOperation

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
