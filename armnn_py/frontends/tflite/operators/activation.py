# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Activation functions and softmax."""

from __future__ import annotations

import math

from armnn_py.descriptors import SoftmaxDescriptor
from armnn_py.frontends.common.values import Value, dtype_of
from armnn_py.frontends.tflite.node import OperatorView, same_type
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import ActivationFunction, LayerType

_SIMPLE: dict[str, tuple[ActivationFunction, float, float]] = {
    "ELU": (ActivationFunction.ELU, 1.0, 0.0),
    "HARD_SWISH": (ActivationFunction.HARD_SWISH, 0.0, 0.0),
    "LOGISTIC": (ActivationFunction.SIGMOID, 0.0, 0.0),
    "RELU": (ActivationFunction.RELU, 0.0, 0.0),
    "RELU6": (ActivationFunction.BOUNDED_RELU, 6.0, 0.0),
    "RELU_0_TO_1": (ActivationFunction.BOUNDED_RELU, 1.0, 0.0),
    "RELU_N1_TO_1": (ActivationFunction.BOUNDED_RELU, 1.0, -1.0),
    "TANH": (ActivationFunction.TANH, 1.0, 1.0),
}


@operator(*_SIMPLE)
def _activation(view: OperatorView) -> Value:
    function, a, b = _SIMPLE[view.op.name]
    return view.activation(function, view.value(0), a, b)


@operator("LEAKY_RELU")
def _leaky_relu(view: OperatorView) -> Value:
    slope = float(view.option("alpha", 0.0))
    return view.activation(ActivationFunction.LEAKY_RELU, view.value(0), slope, 0.0)


@operator("GELU")
def _gelu(view: OperatorView) -> Value:
    if not view.option("approximate", False):
        return view.activation(ActivationFunction.GELU, view.value(0), 0.0, 0.0)
    # x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2
    emit, x = view.emit, view.real(0, "real")
    square = emit.mul(x, x, "square")
    scaled = emit.mul(square, emit.scalar(0.044715, x), "scaled")
    inner = emit.mul(emit.add(scaled, emit.scalar(1, x), "plus_one"), x, "inner")
    factor = math.sqrt(2 / math.pi)
    curve = emit.activation(ActivationFunction.TANH, inner, 1.0, factor, "tanh")
    half = emit.mul(x, emit.scalar(0.5, x), "half")
    name = "gelu" if view.is_quantized(0) else ""
    product = emit.mul(half, emit.add(curve, emit.scalar(1, x), "curve"), name)
    return view.stored(product)


@operator("PRELU")
def _prelu(view: OperatorView) -> Value:
    x, alpha = view.value(0), view.value(1)
    if view.is_quantized(0) != view.is_quantized(1):
        alpha = view.real(1, "alpha")
    same_type(x, alpha)
    return view.layer(LayerType.PRELU, [x, alpha])


@operator("SOFTMAX")
def _softmax(view: OperatorView) -> Value:
    descriptor = SoftmaxDescriptor(beta=float(view.option("beta", 1.0)), axis=-1)
    return _along_last_axis(view, LayerType.SOFTMAX, descriptor)


@operator("LOG_SOFTMAX")
def _log_softmax(view: OperatorView) -> Value:
    return _along_last_axis(view, LayerType.LOG_SOFTMAX, SoftmaxDescriptor(beta=1.0, axis=-1))


def _along_last_axis(view: OperatorView, kind: LayerType, descriptor: SoftmaxDescriptor) -> Value:
    x = view.value(0)
    # int8 in and int16 out is allowed for softmax: such a layer is computed in real numbers.
    if view.is_quantized(0) and dtype_of(x) != view.output_dtype():
        real = view.emit.layer(kind, [view.real(0, "real")], descriptor, name="softmax")
        return view.stored(real)
    return view.layer(kind, [x], descriptor)
