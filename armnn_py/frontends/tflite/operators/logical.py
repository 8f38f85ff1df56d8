# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Comparisons, logic, and the choice between two values."""

from __future__ import annotations

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Value, dtype_of, quantization_of, shape_of
from armnn_py.frontends.tflite.node import OperatorView, real, same_type
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import ComparisonOperation, LayerType, LogicalBinaryOperation, UnaryOperation

_COMPARISON = {
    "EQUAL": ComparisonOperation.EQUAL,
    "GREATER": ComparisonOperation.GREATER,
    "GREATER_EQUAL": ComparisonOperation.GREATER_OR_EQUAL,
    "LESS": ComparisonOperation.LESS,
    "LESS_EQUAL": ComparisonOperation.LESS_OR_EQUAL,
    "NOT_EQUAL": ComparisonOperation.NOT_EQUAL,
}
_LOGICAL = {
    "LOGICAL_AND": LogicalBinaryOperation.AND,
    "LOGICAL_OR": LogicalBinaryOperation.OR,
}


@operator(*_COMPARISON)
def _compare(view: OperatorView) -> Value:
    x, y = view.value(0), view.value(1)
    same_type(x, y)
    # Numbers of different scales compare as what they stand for.
    if quantization_of(x) != quantization_of(y):
        x, y = real(view.emit, x, "real_x"), real(view.emit, y, "real_y")
    return view.emit.compare(_COMPARISON[view.op.name], x, y)


@operator(*_LOGICAL)
def _logical(view: OperatorView) -> Value:
    x, y = view.value(0), view.value(1)
    if dtype_of(x) != np.bool_ or dtype_of(y) != np.bool_:
        raise ParseError(f"the operands are {dtype_of(x)} and {dtype_of(y)}, expected booleans")
    return view.emit.logical(_LOGICAL[view.op.name], x, y)


@operator("LOGICAL_NOT")
def _not(view: OperatorView) -> Value:
    return view.emit.unary(UnaryOperation.LOGICAL_NOT, view.value(0))


@operator("SELECT", "SELECT_V2")
def _select(view: OperatorView) -> Value:
    condition, x, y = view.value(0), view.value(1), view.value(2)
    same_type(x, y)
    rank = len(shape_of(x))
    if view.op.name == "SELECT" and len(shape_of(condition)) == 1 and rank > 1:
        # The old form chooses rows: one condition for each index of the first dimension.
        rows = (*shape_of(condition), *[1] * (rank - 1))
        condition = view.emit.reshape(condition, rows, "rows")
    if quantization_of(x) is None and quantization_of(y) is None:
        return view.emit.where(condition, x, y)
    return view.layer(LayerType.SELECT, [condition, x, y])
