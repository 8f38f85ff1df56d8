# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reductions, and where the extreme element is."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axes
from armnn_py.frontends.common.values import Known, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.types import (
    ArgMinMaxFunction,
    BinaryOperation,
    ComparisonOperation,
    DataType,
    ReduceOperation,
    UnaryOperation,
)

_PLAIN = {
    "ReduceSum": ReduceOperation.SUM,
    "ReduceMean": ReduceOperation.MEAN,
    "ReduceMax": ReduceOperation.MAX,
    "ReduceMin": ReduceOperation.MIN,
    "ReduceProd": ReduceOperation.PROD,
}
_COMPOSED = ("ReduceL1", "ReduceL2", "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp")


def _axes(view: NodeView) -> tuple[int, ...]:
    """Return the axes: an attribute in old versions, an operand in new ones; none means all."""
    rank = view.rank(0)
    axes = view.ints("axes")
    if axes is None and view.has(1):
        axes = view.integers(1, "axes")
    if not axes:
        return () if view.integer("noop_with_empty_axes") else tuple(range(rank))
    return normal_axes(axes, rank)


@operator(*_PLAIN)
def _reduce(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    keep_dims = bool(view.integer("keepdims", 1))
    operation = _PLAIN[view.node.op_type]
    if view.dtype(0) == np.bool_ and not isinstance(x, Known):
        # Only the extremes are defined of booleans.
        wide = emit.cast(x, np.int32, "wide")
        return emit.cast(emit.reduce(operation, wide, _axes(view), keep_dims, "reduced"), np.bool_)
    return emit.reduce(operation, x, _axes(view), keep_dims)


@operator(*_COMPOSED)
def _composed(view: NodeView) -> Value:
    emit, x, axes = view.emit, view.value(0), _axes(view)
    keep_dims = bool(view.integer("keepdims", 1))

    def total(value: Value, name: str = "") -> Value:
        return emit.reduce(ReduceOperation.SUM, value, axes, keep_dims, name)

    def real(function: UnaryOperation, value: Value) -> Value:
        if dtype.kind == "f":
            return emit.unary(function, value)
        wide = emit.cast(value, np.float32, "wide")
        return emit.cast(emit.unary(function, wide, "real"), dtype)

    kind, dtype = view.node.op_type, view.dtype(0)
    if kind == "ReduceL1":
        return total(emit.unary(UnaryOperation.ABS, x, "abs"))
    if kind == "ReduceSumSquare":
        return total(emit.mul(x, x, "square"))
    if kind == "ReduceL2":
        return real(UnaryOperation.SQRT, total(emit.mul(x, x, "square"), "sum"))
    if kind == "ReduceLogSum":
        return real(UnaryOperation.LOG, total(x, "sum"))
    if not axes:
        return x
    if dtype.kind != "f":
        x = emit.cast(x, np.float32, "wide")
    if not all(shape_of(x)):
        return emit.cast(
            emit.unary(UnaryOperation.LOG, total(emit.unary(UnaryOperation.EXP, x, "exp"), "sum")),
            dtype,
        )
    # The largest element comes out first, so that no exponential overflows; not an infinite one,
    # from which nothing can be subtracted.
    top = emit.reduce(ReduceOperation.MAX, x, axes, True, "max")
    most = float(np.finfo(dtype_of(x)).max)
    top = emit.binary(BinaryOperation.MINIMUM, top, emit.scalar(most, x), "max_below")
    top = emit.binary(BinaryOperation.MAXIMUM, top, emit.scalar(-most, x), "finite_max")
    exp = emit.unary(UnaryOperation.EXP, emit.sub(x, top, "shifted"), "exp")
    log = emit.unary(UnaryOperation.LOG, total(exp, "sum"), "log")
    name = "" if dtype.kind == "f" else "sum_of_logs"
    return emit.cast(emit.add(log, emit.reshape(top, shape_of(log), "max_shape"), name), dtype)


@operator("ArgMax", "ArgMin")
def _arg(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    rank = view.rank(0)
    axis = view.axis("axis", 0, rank)
    is_max = view.node.op_type == "ArgMax"
    function = ArgMinMaxFunction.MAX if is_max else ArgMinMaxFunction.MIN
    shape = list(view.shape(0))
    count = shape[axis]
    if not count:
        raise ParseError(f"dimension {axis} is empty and has neither maximum nor minimum")
    keep_dims = bool(view.integer("keepdims", 1))
    if not view.integer("select_last_index"):
        found = emit.arg(function, x, axis, DataType.SIGNED64, "arg" if keep_dims else "")
    else:
        # Ties go to the first: look from the other end.
        begin = [count - 1 if d == axis else 0 for d in range(rank)]
        step = [-1 if d == axis else 1 for d in range(rank)]
        turned = emit.stride(x, begin, shape, step, "reversed")
        found = emit.arg(function, turned, axis, DataType.SIGNED32, "arg")
        found = emit.sub(Known(np.array(count - 1, np.int32)), found, "from_front")
        found = emit.cast(found, np.int64, "wide" if keep_dims else "")
    shape[axis] = 1
    return emit.reshape(found, shape) if keep_dims else found


@operator("Hardmax", since=13)
def _hardmax(view: NodeView) -> Value:
    return _largest(view, view.value(0), view.axis("axis", -1, view.rank(0)))


@operator("Hardmax")
def _hardmax_flattened(view: NodeView) -> Value:
    # Before version 13 all dimensions from the axis on count as one.
    shape = view.shape(0)
    rows = math.prod(shape[: view.axis("axis", 1, len(shape))])
    flat = view.emit.reshape(view.value(0), (rows, math.prod(shape) // max(rows, 1)), "rows")
    return view.emit.reshape(_largest(view, flat, 1), shape)


def _largest(view: NodeView, x: Value, axis: int) -> Value:
    """Return 1 where the first largest element along an axis is, 0 elsewhere."""
    emit, shape = view.emit, list(shape_of(x))
    if not shape[axis]:
        raise ParseError(f"dimension {axis} is empty and has neither maximum nor minimum")
    numbers = emit.count_up(shape[axis], np.dtype(np.int32), name="numbers")
    wide = [size if d == axis else 1 for d, size in enumerate(shape)]
    places = emit.reshape(numbers, wide, "places")
    found = emit.arg(ArgMinMaxFunction.MAX, x, axis, DataType.SIGNED32, "arg")
    shape[axis] = 1
    hit = emit.compare(ComparisonOperation.EQUAL, emit.reshape(found, shape), places, "hit")
    return emit.cast(hit, dtype_of(x))


@operator("CumSum", since=11)
def _cum_sum(view: NodeView) -> Value:
    axes = view.integers(1, "axis")
    if len(axes) != 1:
        raise ParseError(f"{len(axes)} axes are given, expected 1")
    return view.emit.cum_sum(
        view.value(0),
        *normal_axes(axes, view.rank(0)),
        exclusive=bool(view.integer("exclusive")),
        reverse=bool(view.integer("reverse")),
    )


@operator("CumProd", since=26)
def _cum_prod(view: NodeView) -> Value:
    """Multiply along a dimension, one element after the other, as numpy.cumprod does."""
    axes = view.integers(1, "axis")
    if len(axes) != 1:
        raise ParseError(f"{len(axes)} axes are given, expected 1")
    (axis,) = normal_axes(axes, view.rank(0))
    x = view.constant(0, "factors")
    if view.flag("reverse"):
        x = np.flip(x, axis)
    if view.flag("exclusive") and x.shape[axis]:
        ones = np.ones_like(x.take([0], axis))
        x = np.concatenate([ones, x.take(range(x.shape[axis] - 1), axis)], axis)
    with np.errstate(all="ignore"):
        products = np.cumprod(x, axis, x.dtype)
    return Known(np.flip(products, axis) if view.flag("reverse") else products)


def _best(view: NodeView, k: int) -> list[Value]:
    if not view.rank(0):
        raise ParseError("a scalar has no dimension to search")
    axis = view.axis("axis", -1, view.rank(0))
    return [
        *view.emit.top_k(
            view.value(0),
            k,
            axis,
            largest=bool(view.integer("largest", 1)),
            in_order=bool(view.integer("sorted", 1)),
            data_type=DataType.SIGNED64,
        )
    ]


@operator("TopK")
def _top_k_of_attribute(view: NodeView) -> list[Value]:
    if "k" not in view.node.attributes:
        raise ParseError("attribute 'k' is missing")
    return _best(view, view.integer("k"))


@operator("TopK", since=10)
def _top_k(view: NodeView) -> list[Value]:
    counts = view.integers(1, "k")
    if len(counts) != 1:
        raise ParseError(f"{len(counts)} values of k are given, expected 1")
    return _best(view, counts[0])
