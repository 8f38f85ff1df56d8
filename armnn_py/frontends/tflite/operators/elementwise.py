# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arithmetic of each element, with one operand, two or more."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.descriptors import ElementwiseBinaryDescriptor, ElementwiseUnaryDescriptor
from armnn_py.frontends.common.emit.arithmetic import check_divisor
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    broadcast_shapes,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.tflite.node import OperatorView, same_type
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import BinaryOperation, ComparisonOperation, LayerType, UnaryOperation

_BINARY = {
    "ADD": BinaryOperation.ADD,
    "DIV": BinaryOperation.DIV,
    "MAXIMUM": BinaryOperation.MAXIMUM,
    "MINIMUM": BinaryOperation.MINIMUM,
    "MUL": BinaryOperation.MUL,
    "POW": BinaryOperation.POWER,
    "SQUARED_DIFFERENCE": BinaryOperation.SQ_DIFF,
    "SUB": BinaryOperation.SUB,
}
_UNARY = {
    "ABS": UnaryOperation.ABS,
    "CEIL": UnaryOperation.CEIL,
    "EXP": UnaryOperation.EXP,
    "FLOOR": UnaryOperation.FLOOR,
    "LOG": UnaryOperation.LOG,
    "NEG": UnaryOperation.NEG,
    "ROUND": UnaryOperation.ROUND,
    "RSQRT": UnaryOperation.RSQRT,
    "SIN": UnaryOperation.SIN,
    "SQRT": UnaryOperation.SQRT,
}
_FUSING = {"ADD", "DIV", "MUL", "SUB"}


def _combined(
    view: OperatorView, operation: BinaryOperation, x: Value, y: Value, name: str = ""
) -> Value:
    """Combine two operands; quantised ones by a layer whose output has the stated scale."""
    same_type(x, y)
    if quantization_of(x) is None and quantization_of(y) is None:
        return view.emit.binary(operation, x, y, name)
    descriptor = ElementwiseBinaryDescriptor(operation=operation)
    return view.layer(LayerType.ELEMENTWISE_BINARY, [x, y], descriptor, name=name)


@operator(*_BINARY)
def _binary(view: OperatorView) -> Value:
    operation = _BINARY[view.op.name]
    if view.op.name not in _FUSING:
        return _combined(view, operation, view.value(0), view.value(1))
    made = _combined(view, operation, view.value(0), view.value(1), view.part("sum"))
    return view.activated(made)


@operator("ADD_N")
def _add_n(view: OperatorView) -> Value:
    values = view.values()
    total = values[0]
    for index, value in enumerate(values[1:], start=1):
        name = "" if index == len(values) - 1 else f"part{index}"
        total = _combined(view, BinaryOperation.ADD, total, value, name)
    return total


@operator(*_UNARY)
def _unary(view: OperatorView) -> Value:
    x, operation = view.value(0), _UNARY[view.op.name]
    if quantization_of(x) is None:
        return view.emit.unary(operation, x)
    descriptor = ElementwiseUnaryDescriptor(operation=operation)
    return view.layer(LayerType.ELEMENTWISE_UNARY, [x], descriptor)


@operator("SQUARE")
def _square(view: OperatorView) -> Value:
    return _combined(view, BinaryOperation.MUL, view.value(0), view.value(0))


@operator("COS")
def _cos(view: OperatorView) -> Value:
    emit, x = view.emit, view.value(0)
    if isinstance(x, Known) and emit.foldable([x], shape_of(x)):
        return Known(np.cos(x.array))
    shifted = emit.add(x, emit.scalar(math.pi / 2, x), "shifted")
    return emit.unary(UnaryOperation.SIN, shifted)


@operator("SIGN")
def _sign(view: OperatorView) -> Value:
    return view.emit.sign(view.value(0))


@operator("FLOOR_DIV")
def _floor_div(view: OperatorView) -> Value:
    return _floored(view, *_alike(view))[0]


@operator("FLOOR_MOD")
def _floor_mod(view: OperatorView) -> Value:
    x, y = _alike(view)
    emit = view.emit
    if isinstance(x, Known) and isinstance(y, Known) and dtype_of(x).kind in "iu":
        check_divisor(x.array, y.array)
        if emit.foldable([x, y], broadcast_shapes(shape_of(x), shape_of(y))):
            return Known(np.mod(x.array, y.array))
    quotient, _ = _floored(view, x, y, "quotient")
    return emit.sub(x, emit.mul(quotient, y, "multiple"))


def _alike(view: OperatorView) -> tuple[Value, Value]:
    x, y = view.value(0), view.value(1)
    same_type(x, y)
    if quantization_of(x) is not None or quantization_of(y) is not None:
        raise Unsupported("quantised values")
    return x, y


def _floored(view: OperatorView, x: Value, y: Value, name: str = "") -> tuple[Value, Value]:
    """Return the quotient rounded down, and the one that a division gives.

    That of integers is rounded towards zero; it is one too large where a rest is left and the
    operands have different signs.
    """
    emit, dtype = view.emit, dtype_of(x)
    if dtype.kind == "f":
        exact = emit.div(x, y, "exact")
        return emit.unary(UnaryOperation.FLOOR, exact, name), exact
    truncated = emit.div(x, y, "truncated")
    rest = emit.sub(x, emit.mul(truncated, y, "product"), "rest")
    zero = emit.scalar(0, x)
    # With a rest, its sign is that of x; a negative product tells that y has the other.
    signs = emit.compare(
        ComparisonOperation.LESS,
        emit.mul(_sign_of(view, rest, zero, "rest"), _sign_of(view, y, zero, "divisor"), "signs"),
        zero,
        "differ",
    )
    return emit.sub(truncated, emit.cast(signs, dtype, "excess"), name), truncated


def _sign_of(view: OperatorView, x: Value, zero: Value, name: str) -> Value:
    emit, dtype = view.emit, dtype_of(x)
    above = emit.compare(ComparisonOperation.GREATER, x, zero, f"{name}_above")
    below = emit.compare(ComparisonOperation.LESS, x, zero, f"{name}_below")
    return emit.sub(
        emit.cast(above, dtype, f"{name}_positive"),
        emit.cast(below, dtype, f"{name}_negative"),
        f"{name}_sign",
    )


@operator("CAST")
def _cast(view: OperatorView) -> Value:
    if view.is_complex(0):
        return view.emit.cast(view.complex(0).real, view.output_dtype())
    x, dtype = view.value(0), view.output_dtype()
    stated = view.output_quantization()
    if quantization_of(x) is None and stated is None:
        return view.emit.cast(x, dtype)
    if dtype_of(x) == dtype and quantization_of(x) == stated:
        return x
    if dtype == np.bool_:
        raise Unsupported("booleans of quantised values")
    # The stored integers are what is converted, whatever they stand for.
    return view.emit.layer(LayerType.CAST, [x], output=view.info(shape_of(x)))
