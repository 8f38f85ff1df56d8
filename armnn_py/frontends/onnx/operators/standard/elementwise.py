# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Elementwise arithmetic, comparisons and logic, and choosing by a condition."""

from __future__ import annotations

from typing import Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    data_type_of,
    dtype_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.file.element_types import (
    STRING_NUMBER,
    dtype_of_number,
    element_type_name,
    is_small,
    is_string,
)
from armnn_py.frontends.onnx.file.small_types import convert
from armnn_py.frontends.onnx.text.string_arrays import as_numbers, as_strings
from armnn_py.types import (
    BinaryOperation,
    ComparisonOperation,
    LogicalBinaryOperation,
    UnaryOperation,
)

_BINARY = {
    "Add": BinaryOperation.ADD,
    "Sub": BinaryOperation.SUB,
    "Mul": BinaryOperation.MUL,
    "Div": BinaryOperation.DIV,
    "BitwiseAnd": BinaryOperation.BITWISE_AND,
    "BitwiseOr": BinaryOperation.BITWISE_OR,
    "BitwiseXor": BinaryOperation.BITWISE_XOR,
}
_UNARY = {
    "Abs": UnaryOperation.ABS,
    "Exp": UnaryOperation.EXP,
    "Sqrt": UnaryOperation.SQRT,
    "Neg": UnaryOperation.NEG,
    "Log": UnaryOperation.LOG,
    "Sin": UnaryOperation.SIN,
    "Ceil": UnaryOperation.CEIL,
    "Floor": UnaryOperation.FLOOR,
    "Erf": UnaryOperation.ERF,
    "Round": UnaryOperation.ROUND,
    "Cos": UnaryOperation.COS,
    "Tan": UnaryOperation.TAN,
    "Sinh": UnaryOperation.SINH,
    "Cosh": UnaryOperation.COSH,
    "Asin": UnaryOperation.ASIN,
    "Acos": UnaryOperation.ACOS,
    "Atan": UnaryOperation.ATAN,
    "Asinh": UnaryOperation.ASINH,
    "Acosh": UnaryOperation.ACOSH,
    "Atanh": UnaryOperation.ATANH,
    "BitwiseNot": UnaryOperation.BITWISE_NOT,
}
_VARIADIC = {
    "Sum": BinaryOperation.ADD,
    "Mean": BinaryOperation.ADD,
    "Max": BinaryOperation.MAXIMUM,
    "Min": BinaryOperation.MINIMUM,
}


def operands(view: NodeView) -> tuple[Value, Value]:
    """Return the two operands of a broadcasting operator, in its old form too.

    Before operator set 7 the second operand broadcasts only if ``broadcast`` says so, and lies
    along ``axis`` of the first instead of at its end.
    """
    x, y = view.value(0), view.value(1)
    if view.version >= 7 or not view.integer("broadcast"):
        return x, y
    rank, own = view.rank(0), view.rank(1)
    axis = normal_axis(view.integer("axis", rank - own), rank) if own else rank
    if axis + own > rank:
        raise ParseError(f"an operand of {own} dimensions does not fit at axis {axis} of {rank}")
    return x, view.emit.reshape(y, (*view.shape(1), *[1] * (rank - own - axis)), "aligned")


def _check_bits(view: NodeView) -> None:
    if view.node.op_type.startswith("Bitwise") and view.dtype(0).kind not in "iu":
        raise ParseError(f"the operands are {view.dtype(0)}, expected integers")


@operator(*_BINARY)
def _binary(view: NodeView) -> Value:
    _check_bits(view)
    return view.emit.binary(_BINARY[view.node.op_type], *operands(view))


@operator("Pow")
def _pow(view: NodeView) -> Value:
    x, y = operands(view)
    emit, dtype = view.emit, dtype_of(x)
    if isinstance(y, Known) and y.array.size == 1 and y.array.ndim <= len(view.shape(0)):
        exponent = float(y.array.reshape(-1)[0])
        if exponent == 1:
            return x
        if exponent == 2:
            return emit.mul(x, x)
    if dtype_of(y) == dtype:
        return emit.binary(BinaryOperation.POWER, x, y)
    # The result has the type of the base, whatever that of the exponent.
    if dtype.kind == "f" or dtype_of(y).kind != "f":
        return emit.binary(BinaryOperation.POWER, x, emit.cast(y, dtype, "exponent"))
    operands_64 = emit.cast(x, np.float64, "base"), emit.cast(y, np.float64, "exponent")
    return emit.cast(emit.binary(BinaryOperation.POWER, *operands_64, "power"), dtype)


@operator(*_VARIADIC)
def _variadic(view: NodeView) -> Value:
    emit, values, kind = view.emit, view.values(), view.node.op_type
    is_mean = kind == "Mean" and len(values) > 1
    last = len(values) - 1
    total = values[0]
    for index, value in enumerate(values[1:], start=1):
        name = "" if index == last and not is_mean else f"part{index}"
        total = emit.binary(_VARIADIC[kind], total, value, name)
    return emit.scale(total, 1 / len(values)) if is_mean else total


@operator(*_UNARY)
def _unary(view: NodeView) -> Value:
    _check_bits(view)
    return view.emit.unary(_UNARY[view.node.op_type], view.value(0))


@operator("Reciprocal")
def _reciprocal(view: NodeView) -> Value:
    return view.emit.div(view.emit.scalar(1, view.value(0)), view.value(0))


@operator("Sign")
def _sign(view: NodeView) -> Value:
    return view.emit.sign(view.value(0))


def _target(view: NodeView) -> np.dtype[Any]:
    number = view.integer("to")
    dtype = dtype_of_number(number)
    if dtype is None:
        raise Unsupported(f"a cast to {element_type_name(number)}")
    return dtype


def _to_known(view: NodeView) -> None:
    _target(view)


def _to_any_known(view: NodeView) -> None:
    if view.integer("to") != STRING_NUMBER:
        _target(view)


@operator("Cast", check=_to_any_known)
def _cast(view: NodeView) -> Value:
    if view.integer("to") == STRING_NUMBER:
        return as_strings(view.constant(0, "elements"))
    return _converted(view, _target(view))


@operator("BitCast", check=_to_known, since=26)
def _bit_cast(view: NodeView) -> Value:
    """Take the bits of elements for those of another type of as many bits."""
    target = _target(view)
    if view.dtype(0) == target:
        return view.value(0)
    given, wanted = data_type_of(view.dtype(0)), data_type_of(target)
    if given.is_packed or wanted.is_packed:
        raise Unsupported(f"a BitCast from {given.described} to {wanted.described}")
    if view.dtype(0).itemsize != target.itemsize:
        raise ParseError(f"{given.described} and {wanted.described} have different numbers of bits")
    bits = view.constant(0, "bits")
    return Known(bits.view(np.uint8) != 0 if target == np.bool_ else bits.view(target))


@operator("CastLike")
def _cast_like(view: NodeView) -> Value:
    return _converted(view, dtype_of(view.value(1)))


def _converted(view: NodeView, target: np.dtype[Any]) -> Value:
    x = view.value(0)
    if isinstance(x, Known) and is_string(x.dtype):
        if is_string(target):
            return x
        if not is_small(target):
            return as_numbers(x.array, target)
        x = as_numbers(x.array, np.dtype(np.float32))
    if is_string(target):
        return as_strings(view.constant(0, "elements"))
    saturate = bool(view.integer("saturate", 1))
    rounding = view.text("round_mode", "up")
    if rounding not in ("up", "down", "nearest"):
        raise ParseError(f"round_mode is {rounding!r}, expected up, down or nearest")
    return convert(view.emit, x, target, saturate, rounding)


@operator("Mod", since=10)
def _mod(view: NodeView) -> Value:
    operation = BinaryOperation.FMOD if view.flag("fmod") else BinaryOperation.MOD
    return view.emit.binary(operation, *operands(view))


@operator("BitShift", since=11)
def _bit_shift(view: NodeView) -> Value:
    directions = {"LEFT": BinaryOperation.SHIFT_LEFT, "RIGHT": BinaryOperation.SHIFT_RIGHT}
    direction = view.text("direction")
    if direction not in directions:
        raise ParseError(f"direction is '{direction}', expected LEFT or RIGHT")
    emit, (x, y) = view.emit, operands(view)
    if direction == "LEFT" or dtype_of(x).kind != "i":
        return emit.binary(directions[direction], x, y)
    # The layer has zeros come in; of negative numbers ones do, as operator set 28 has it: the
    # others' bits are shifted. All that is shifted out leaves the sign.
    negative = emit.compare(ComparisonOperation.LESS, x, emit.scalar(0, x), "negative")
    signs = emit.sub(emit.scalar(0, x), emit.cast(negative, dtype_of(x), "ones"), "signs")
    size = emit.binary(BinaryOperation.BITWISE_XOR, x, signs, "size")
    shifted = emit.binary(BinaryOperation.SHIFT_RIGHT, size, y, "shifted")
    return emit.binary(BinaryOperation.BITWISE_XOR, shifted, signs)


@operator("IsInf", since=10)
def _is_inf(view: NodeView) -> Value:
    """Compare with the infinities that are asked for."""
    emit, x = view.emit, view.value(0)
    positive = bool(view.integer("detect_positive", 1))
    negative = bool(view.integer("detect_negative", 1))
    equal = ComparisonOperation.EQUAL
    if positive and negative:
        x = emit.unary(UnaryOperation.ABS, x, "magnitude")
    elif negative:
        x = emit.unary(UnaryOperation.NEG, x, "opposite")
    if not positive and not negative:
        return Known(np.zeros(shape_of(x), np.bool_))
    return emit.compare(equal, x, emit.scalar(np.inf, x))


_COMPARISONS = {
    "Equal": ComparisonOperation.EQUAL,
    "Greater": ComparisonOperation.GREATER,
    "GreaterOrEqual": ComparisonOperation.GREATER_OR_EQUAL,
    "Less": ComparisonOperation.LESS,
    "LessOrEqual": ComparisonOperation.LESS_OR_EQUAL,
}


@operator(*_COMPARISONS)
def _comparison(view: NodeView) -> Value:
    return view.emit.compare(_COMPARISONS[view.node.op_type], *operands(view))


@operator("And")
def _and(view: NodeView) -> Value:
    return view.emit.logical(LogicalBinaryOperation.AND, *operands(view))


@operator("Or")
def _or(view: NodeView) -> Value:
    return view.emit.logical(LogicalBinaryOperation.OR, *operands(view))


@operator("Xor")
def _xor(view: NodeView) -> Value:
    emit = view.emit
    x, y = operands(view)
    either = emit.logical(LogicalBinaryOperation.OR, x, y, "either")
    both = emit.logical(LogicalBinaryOperation.AND, x, y, "both")
    return emit.logical(
        LogicalBinaryOperation.AND, either, emit.unary(UnaryOperation.LOGICAL_NOT, both, "not_both")
    )


@operator("Not")
def _not(view: NodeView) -> Value:
    return view.emit.unary(UnaryOperation.LOGICAL_NOT, view.value(0))


@operator("IsNaN")
def _is_nan(view: NodeView) -> Value:
    # Only a NaN differs from itself.
    x = view.value(0)
    return view.emit.compare(ComparisonOperation.NOT_EQUAL, x, x)


@operator("Where", since=9)
def _where(view: NodeView) -> Value:
    x, y = view.value(1), view.value(2)
    return view.emit.where(view.value(0), x, view.emit.cast(y, dtype_of(x), "y"))
