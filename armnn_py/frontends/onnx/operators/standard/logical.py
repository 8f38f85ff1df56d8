# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Comparisons, logic, and choosing by a condition."""

from __future__ import annotations

from armnn_py.frontends.common.values import Value, dtype_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.standard.elementwise import operands
from armnn_py.types import ComparisonOperation, LogicalBinaryOperation, UnaryOperation

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
