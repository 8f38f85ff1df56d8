# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of com.microsoft on quantised numbers.

Each is the float operator between DequantizeLinear and QuantizeLinear: an optimiser pass makes a
quantised layer of the three where a backend has it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armnn_py.descriptors import SoftmaxDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Unsupported, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MICROSOFT, operator
from armnn_py.frontends.onnx.operators.standard.integer_products import (
    dynamic_levels,
    multiply_levels,
)
from armnn_py.frontends.onnx.operators.standard.matrix import gemm
from armnn_py.frontends.onnx.operators.standard.quantization import (
    dequantize,
    quantize,
    real_operand,
)
from armnn_py.frontends.onnx.operators.windows.pooling import average_pool
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    LayerType,
    ReduceOperation,
)

_operator = functools.partial(operator, domain=MICROSOFT)


@_operator("DequantizeLinear")
def _dequantize_linear(view: NodeView) -> Value:
    return dequantize(view)


@_operator("QuantizeLinear")
def _quantize_linear(view: NodeView) -> Value:
    return quantize(view)


def _optional(view: NodeView, index: int) -> Value | None:
    return view.value(index) if view.has(index) else None


def _quantized(view: NodeView, real: Value, scale: int, point: int, like: np.dtype[Any]) -> Value:
    """Quantise a result; without a zero point it has the type of the first operand."""
    return quantize(view.over([real, view.value(scale), _optional(view, point)]), default=like)


def _unary(view: NodeView, function: Callable[[Value], Value]) -> Value:
    """X, its scale and zero point, then scale and zero point of Y."""
    with view.emit.below("float"):
        y = function(real_operand(view, 0, 1, 2))
    return _quantized(view, y, 3, 4, view.dtype(0))


def _binary(view: NodeView, operation: BinaryOperation) -> Value:
    with view.emit.below("float"):
        y = view.emit.binary(operation, real_operand(view, 0, 1, 2), real_operand(view, 3, 4, 5))
    return _quantized(view, y, 6, 7, view.dtype(0))


@_operator("QLinearAdd")
def _add(view: NodeView) -> Value:
    return _binary(view, BinaryOperation.ADD)


@_operator("QLinearMul")
def _mul(view: NodeView) -> Value:
    return _binary(view, BinaryOperation.MUL)


@_operator("QLinearSigmoid")
def _sigmoid(view: NodeView) -> Value:
    return _unary(view, lambda x: view.emit.activation(ActivationFunction.SIGMOID, x))


@_operator("QLinearLeakyRelu")
def _leaky_relu(view: NodeView) -> Value:
    alpha = view.number("alpha", 0.01)
    return _unary(view, lambda x: view.emit.activation(ActivationFunction.LEAKY_RELU, x, alpha))


@_operator("QLinearSoftmax")
def _softmax(view: NodeView) -> Value:
    axis = view.axis("axis", -1, view.rank(0))
    if view.integer("opset", 13) < 13 and axis != view.rank(0) - 1:
        raise Unsupported("the flattening Softmax of operator sets before 13")
    descriptor = SoftmaxDescriptor(axis=axis)
    return _unary(view, lambda x: view.emit.layer(LayerType.SOFTMAX, [x], descriptor))


@_operator("QLinearAveragePool")
def _average_pool(view: NodeView) -> Value:
    return _unary(view, lambda x: _channels_first(view, x, average_pool))


@_operator("QLinearGlobalAveragePool")
def _global_average_pool(view: NodeView) -> Value:
    def mean(over: NodeView) -> Value:
        axes = range(2, over.rank(0))
        return over.emit.reduce(ReduceOperation.MEAN, over.value(0), axes, True)

    return _unary(view, lambda x: _channels_first(view, x, mean))


def _channels_first(view: NodeView, x: Value, convert: Callable[[NodeView], Value]) -> Value:
    if not view.integer("channels_last"):
        return convert(view.over([x]))
    rank = len(shape_of(x))
    x = view.emit.transpose(x, (0, rank - 1, *range(1, rank - 1)), "channels_first")
    with view.emit.below("pool"):
        y = convert(view.over([x]))
    return view.emit.transpose(y, (0, *range(2, rank), 1))


@_operator("QLinearConcat")
def _concat(view: NodeView) -> Value:
    count, rest = divmod(view.count - 2, 3)
    if rest or count < 1:
        raise ParseError(f"the operator has {view.count} inputs, expected 2 and 3 for each tensor")
    first = 2
    with view.emit.below("float"):
        values = [
            real_operand(view, first + 3 * n, first + 3 * n + 1, first + 3 * n + 2)
            for n in range(count)
        ]
        y = view.emit.concat(values, view.axis("axis", None, view.rank(first)))
    return _quantized(view, y, 0, 1, view.dtype(first))


@_operator("QLinearWhere")
def _where(view: NodeView) -> Value:
    with view.emit.below("float"):
        x, y = real_operand(view, 1, 2, 3), real_operand(view, 4, 5, 6)
        chosen = view.emit.where(view.value(0), x, y)
    return _quantized(view, chosen, 7, 8, view.dtype(1))


# ---- Matrix products -----------------------------------------------------------------------------


@_operator("QGemm")
def _q_gemm(view: NodeView) -> Value:
    """A, B and the int32 C in steps of both scales; a float result without an output scale."""
    emit = view.emit
    b_axis = 0 if view.integer("transB") else 1

    def product() -> Value:
        with emit.below("operands"):
            operands: list[Value | None] = [
                real_operand(view, 0, 1, 2),
                real_operand(view, 3, 4, 5, b_axis),
            ]
            if view.has(6):
                scales = emit.mul(view.value(1), view.value(4), "bias_scale")
                whole = emit.cast(view.value(6), np.float32, "bias_float")
                alpha = view.number("alpha", 1.0)
                bias = emit.mul(whole, emit.scale(scales, alpha, "bias_step"), "bias")
                operands.append(bias)
        return gemm(view.over(operands))

    if not view.has(7):
        return product()
    with emit.below("float"):
        y = product()
    return _quantized(view, y, 7, 8, view.dtype(0))


@_operator("MatMulIntegerToFloat")
def _mat_mul_integer_to_float(view: NodeView) -> Value:
    """A, B, their scales, their zero points, a bias."""
    operands = [view.value(0), view.value(1)]
    return _real_product(view, operands, (4, 5), [view.value(2), view.value(3)], 6)


@_operator("DynamicQuantizeMatMul")
def _dynamic_quantize_mat_mul(view: NodeView) -> Value:
    """A, the levels of B with scale and zero point, a bias; A is quantised by its own range."""
    levels, scale, point = dynamic_levels(view, view.value(0), "quantized")
    over = view.over([levels, view.value(1), point, _optional(view, 3)])
    return _real_product(view, [levels, view.value(1)], (2, 3), [scale, view.value(2)], 4, over)


def _real_product(
    view: NodeView,
    operands: Sequence[Value],
    points: tuple[int, int],
    scales: Sequence[Value],
    bias: int,
    over: NodeView | None = None,
) -> Value:
    """Multiply levels; ``points`` are operands of ``over``, or else of the node."""
    emit = view.emit
    sums = multiply_levels(over or view, operands, points, "sums")
    x_scale, y_scale = scales
    if len(shape_of(x_scale)) == 1 and shape_of(x_scale) != (1,):  # one for each row
        x_scale = emit.reshape(x_scale, (*shape_of(x_scale), 1), "row_scale")
    factor = emit.mul(x_scale, y_scale, "scale")
    real = emit.cast(sums, np.float32, "sums_float")
    y = emit.mul(real, factor, "product" if view.has(bias) else "")
    return emit.add(y, view.value(bias)) if view.has(bias) else y
