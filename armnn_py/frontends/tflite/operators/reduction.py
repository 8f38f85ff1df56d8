# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reductions, the place of an extreme, and running sums."""

from __future__ import annotations

import numpy as np

from armnn_py.descriptors import MeanDescriptor, ReduceDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.values import Unsupported, Value
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import ArgMinMaxFunction, DataType, LayerType, ReduceOperation

_REDUCE = {
    "MEAN": ReduceOperation.MEAN,
    "REDUCE_MAX": ReduceOperation.MAX,
    "REDUCE_MIN": ReduceOperation.MIN,
    "REDUCE_PROD": ReduceOperation.PROD,
    "SUM": ReduceOperation.SUM,
}
_OF_BOOLEANS = {"REDUCE_ALL": ReduceOperation.MIN, "REDUCE_ANY": ReduceOperation.MAX}
_ARG = {"ARG_MAX": ArgMinMaxFunction.MAX, "ARG_MIN": ArgMinMaxFunction.MIN}


def _axes(view: OperatorView) -> tuple[int, ...]:
    """Return the reduced dimensions in order; one that is named twice counts once."""
    rank = view.rank(0)
    return tuple(sorted({normal_axis(axis, rank) for axis in view.integers(1, "axes")}))


@operator(*_REDUCE)
def _reduce(view: OperatorView) -> Value:
    operation, axes = _REDUCE[view.op.name], _axes(view)
    keep = bool(view.option("keep_dims", False))
    if not view.is_quantized(0):
        return view.emit.reduce(operation, view.value(0), axes, keep)
    if not axes:
        return view.layer(LayerType.QUANTIZE, [view.value(0)])
    if operation is ReduceOperation.MEAN:
        mean = MeanDescriptor(axes=axes, keep_dims=keep)
        return view.layer(LayerType.MEAN, [view.value(0)], mean)
    descriptor = ReduceDescriptor(operation=operation, axes=axes, keep_dims=keep)
    return view.layer(LayerType.REDUCE, [view.value(0)], descriptor)


@operator(*_OF_BOOLEANS)
def _reduce_booleans(view: OperatorView) -> Value:
    emit = view.emit
    numbers = emit.cast(view.value(0), np.int32, "numbers")
    keep = bool(view.option("keep_dims", False))
    found = emit.reduce(_OF_BOOLEANS[view.op.name], numbers, _axes(view), keep, "extreme")
    return emit.cast(found, np.bool_)


@operator(*_ARG)
def _arg(view: OperatorView) -> Value:
    axis = normal_axis(view.integer(1, "axis"), view.rank(0))
    if not view.shape(0)[axis]:
        raise ParseError(f"dimension {axis} is empty and has neither maximum nor minimum")
    is_wide = view.output_dtype() == np.int64
    kind = DataType.SIGNED64 if is_wide else DataType.SIGNED32
    return view.emit.arg(_ARG[view.op.name], view.value(0), axis, kind)


@operator("CUMSUM")
def _cumsum(view: OperatorView) -> Value:
    x = view.value(0)
    axis = normal_axis(view.integer(1, "axis"), view.rank(0))
    exclusive, reverse = bool(view.option("exclusive", False)), bool(view.option("reverse", False))
    if view.is_quantized(0):
        raise Unsupported("quantised values")
    return view.emit.cum_sum(x, axis, exclusive=exclusive, reverse=reverse)
