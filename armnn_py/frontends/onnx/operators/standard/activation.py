# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Activation functions: one Activation layer where Arm NN has it, else a short composition."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, array_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    ComparisonOperation,
    UnaryOperation,
)

_SELU_ALPHA = 1.67326319217681884765625
_SELU_GAMMA = 1.05070102214813232421875


@operator("Relu")
def _relu(view: NodeView) -> Value:
    if view.dtype(0).kind != "f" or view.dtype(0) == np.float64:
        return view.emit.binary(
            BinaryOperation.MAXIMUM, view.value(0), view.emit.scalar(0, view.value(0))
        )
    return view.emit.activation(ActivationFunction.RELU, view.value(0))


@operator("Sigmoid")
def _sigmoid(view: NodeView) -> Value:
    return view.emit.activation(ActivationFunction.SIGMOID, view.value(0))


@operator("Tanh")
def _tanh(view: NodeView) -> Value:
    return view.emit.activation(ActivationFunction.TANH, view.value(0), 1.0, 1.0)


@operator("LeakyRelu")
def _leaky_relu(view: NodeView) -> Value:
    alpha = view.number("alpha", 0.01)
    return view.emit.activation(ActivationFunction.LEAKY_RELU, view.value(0), alpha)


@operator("Elu")
def _elu(view: NodeView) -> Value:
    return view.emit.activation(ActivationFunction.ELU, view.value(0), view.number("alpha", 1.0))


@operator("Softplus")
def _softplus(view: NodeView) -> Value:
    return view.emit.activation(ActivationFunction.SOFT_RELU, view.value(0))


@operator("HardSwish")
def _hard_swish(view: NodeView) -> Value:
    return view.emit.activation(ActivationFunction.HARD_SWISH, view.value(0))


@operator("HardSigmoid")
def _hard_sigmoid(view: NodeView) -> Value:
    alpha, beta = view.number("alpha", 0.2), view.number("beta", 0.5)
    return hard_sigmoid(view, view.value(0), alpha, beta)


def hard_sigmoid(view: NodeView, x: Value, alpha: float, beta: float) -> Value:
    """Return ``alpha * x + beta`` within 0 and 1."""
    emit = view.emit
    line = emit.activation(ActivationFunction.LINEAR, x, alpha, beta, "linear")
    return emit.activation(ActivationFunction.BOUNDED_RELU, line, 1.0, 0.0)


@operator("Gelu")
def _gelu(view: NodeView) -> Value:
    how = view.text("approximate", "none")
    if how not in ("none", "tanh"):
        raise ParseError(f"attribute 'approximate' is '{how[:20]}', expected none or tanh")
    if how == "none":
        return view.emit.activation(ActivationFunction.GELU, view.value(0))
    return tanh_gelu(view, view.value(0))


def tanh_gelu(view: NodeView, x: Value) -> Value:
    """Return ``x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))``, which is near GELU."""
    emit = view.emit
    cube = emit.mul(emit.mul(x, x, "square"), x, "cube")
    inner = emit.add(x, emit.scale(cube, 0.044715, "cubic"), "sum")
    tanh = emit.activation(ActivationFunction.TANH, inner, 1.0, math.sqrt(2 / math.pi), "tanh")
    half = emit.activation(ActivationFunction.LINEAR, tanh, 0.5, 0.5, "half")
    return emit.mul(x, half)


@operator("Clip")
def _clip_attributes(view: NodeView) -> Value:
    attributes = view.node.attributes
    low = np.float32(view.number("min")) if "min" in attributes else None
    high = np.float32(view.number("max")) if "max" in attributes else None
    like = view.dtype(0)
    return clip(
        view,
        None if low is None else Known(np.asarray(low).astype(like)),
        None if high is None else Known(np.asarray(high).astype(like)),
    )


@operator("Clip", since=11)
def _clip(view: NodeView) -> Value:
    low = view.value(1) if view.has(1) else None
    high = view.value(2) if view.has(2) else None
    return clip(view, low, high)


def clip(view: NodeView, low: Value | None, high: Value | None) -> Value:
    """Limit the node's first operand; a bound may be absent, known, or computed at run time."""
    emit, x = view.emit, view.value(0)
    is_known = all(bound is None or isinstance(bound, Known) for bound in (low, high))
    if is_known and view.dtype(0).kind == "f" and view.dtype(0) != np.float64:
        bottom = None if low is None else float(array_of(low).reshape(-1)[0])
        top = None if high is None else float(array_of(high).reshape(-1)[0])
        if bottom == 0 and top in (None, math.inf):
            return emit.activation(ActivationFunction.RELU, x)
        if bottom is not None and top is not None:
            return emit.activation(ActivationFunction.BOUNDED_RELU, x, top, bottom)
    if low is not None:
        x = emit.binary(
            BinaryOperation.MAXIMUM,
            x,
            emit.reshape(low, (), "min"),
            "low" if high is not None else "",
        )
    if high is not None:
        x = emit.binary(BinaryOperation.MINIMUM, x, emit.reshape(high, (), "max"))
    return x


@operator("PRelu", since=7)
def _prelu(view: NodeView) -> Value:
    return _sloped(view, view.value(1))


@operator("PRelu")
def _prelu_per_channel(view: NodeView) -> Value:
    # Before version 7 the slope has one value per channel and does not broadcast.
    slope, channels = view.value(1), math.prod(view.shape(1))
    if view.rank(0) > 2 and view.rank(1) == 1 and channels > 1:
        slope = view.emit.reshape(slope, (channels, *[1] * (view.rank(0) - 2)), "channels")
    return _sloped(view, slope)


def _sloped(view: NodeView, slope: Value) -> Value:
    """Return the product with the slope where x is negative; one slope is a LeakyRelu's."""
    emit, x = view.emit, view.value(0)
    is_single = math.prod(shape_of(slope)) == 1 and len(shape_of(slope)) <= view.rank(0)
    if isinstance(slope, Known) and is_single and view.dtype(0).kind == "f":
        alpha = float(slope.array.reshape(-1)[0])
        if math.isfinite(alpha):  # as fields of descriptors are
            return emit.activation(ActivationFunction.LEAKY_RELU, x, alpha)
    return emit.prelu(x, slope)


@operator("Selu")
def _selu(view: NodeView) -> Value:
    alpha, gamma = view.number("alpha", _SELU_ALPHA), view.number("gamma", _SELU_GAMMA)
    elu = view.emit.activation(ActivationFunction.ELU, view.value(0), alpha, name="elu")
    return view.emit.scale(elu, gamma)


@operator("Celu")
def _celu(view: NodeView) -> Value:
    emit, alpha = view.emit, view.number("alpha", 1.0)
    if alpha == 0:
        raise Unsupported("alpha of 0")
    inner = emit.scale(view.value(0), 1 / alpha, "inner")
    return emit.scale(emit.activation(ActivationFunction.ELU, inner, 1.0, name="elu"), alpha)


@operator("ThresholdedRelu")
def _thresholded_relu(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    alpha = emit.scalar(view.number("alpha", 1.0), x)
    above = emit.compare(ComparisonOperation.GREATER, x, alpha, "above")
    return emit.where(above, x, emit.scalar(0, x))


@operator("Softsign")
def _softsign(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    size = emit.unary(UnaryOperation.ABS, x, "abs")
    return emit.div(x, emit.add(size, emit.scalar(1, x), "sum"))


@operator("Mish")
def _mish(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    soft = emit.activation(ActivationFunction.SOFT_RELU, x, name="softplus")
    return emit.mul(x, emit.activation(ActivationFunction.TANH, soft, 1.0, 1.0, "tanh"))


@operator("Swish")
def _swish(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    inner = emit.scale(x, view.number("alpha", 1.0), "inner")
    return emit.mul(x, emit.activation(ActivationFunction.SIGMOID, inner, name="sigmoid"))


@operator("Shrink")
def _shrink(view: NodeView) -> Value:
    emit, x, dtype = view.emit, view.value(0), view.dtype(0)
    if dtype.kind != "f":  # the attributes are floats
        x = emit.cast(x, np.float32, "float")
    bias, edge = emit.scalar(view.number("bias"), x), view.number("lambd", 0.5)
    above = emit.compare(ComparisonOperation.GREATER, x, emit.scalar(edge, x), "above")
    below = emit.compare(ComparisonOperation.LESS, x, emit.scalar(-edge, x), "below")
    rest = emit.where(above, emit.sub(x, bias, "lowered"), emit.scalar(0, x), "high")
    name = "" if dtype.kind == "f" else "shrunk"
    return emit.cast(emit.where(below, emit.add(x, bias, "raised"), rest, name), dtype)
