# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arithmetic of each element, with one operand, two or more."""

from __future__ import annotations

import numpy as np

from armnn_py.descriptors import (
    ActivationDescriptor,
    ElementwiseBinaryDescriptor,
    ElementwiseUnaryDescriptor,
)
from armnn_py.frontends.common.values import (
    Unsupported,
    Value,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.tflite.node import OperatorView, same_type
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    ComparisonOperation,
    LayerType,
    UnaryOperation,
)

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
    "COS": UnaryOperation.COS,
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
    if operation is UnaryOperation.LOG:
        # LiteRT gives numbers below 0 the lowest level, as 0; NaN would be the zero point.
        relu = ActivationDescriptor(function=ActivationFunction.RELU)
        x = view.emit.layer(LayerType.ACTIVATION, [x], relu, output=x.info, name="not_below_0")
    descriptor = ElementwiseUnaryDescriptor(operation=operation)
    return view.layer(LayerType.ELEMENTWISE_UNARY, [x], descriptor)


@operator("SQUARE")
def _square(view: OperatorView) -> Value:
    return _combined(view, BinaryOperation.MUL, view.value(0), view.value(0))


@operator("SIGN")
def _sign(view: OperatorView) -> Value:
    return view.emit.sign(view.value(0))


@operator("FLOOR_DIV")
def _floor_div(view: OperatorView) -> Value:
    """Round the quotient down.

    That of integers is rounded towards zero; it is one too large where the remainders of both
    kinds of division differ.
    """
    x, y = _alike(view)
    emit, dtype = view.emit, dtype_of(x)
    if dtype.kind == "f":
        # A quotient rounded to float32 may be a whole number that the exact one lies below.
        wide = [emit.cast(value, np.float64, name) for value, name in ((x, "x"), (y, "y"))]
        floor = emit.unary(UnaryOperation.FLOOR, emit.div(wide[0], wide[1], "exact"), "floor")
        return emit.cast(floor, dtype)
    down = emit.binary(BinaryOperation.MOD, x, y, "rest_of_down")
    towards_zero = emit.binary(BinaryOperation.FMOD, x, y, "rest_of_truncated")
    differ = emit.compare(ComparisonOperation.NOT_EQUAL, down, towards_zero, "differ")
    return emit.sub(emit.div(x, y, "truncated"), emit.cast(differ, dtype, "excess"))


@operator("FLOOR_MOD")
def _floor_mod(view: OperatorView) -> Value:
    return view.emit.binary(BinaryOperation.MOD, *_alike(view))


def _alike(view: OperatorView) -> tuple[Value, Value]:
    x, y = view.value(0), view.value(1)
    same_type(x, y)
    if quantization_of(x) is not None or quantization_of(y) is not None:
        raise Unsupported("quantised values")
    return x, y


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
