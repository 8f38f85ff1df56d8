# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shapes: changing them, telling them, and constants made from them."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axes, normal_axis
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    broadcast_shapes,
    dtype_of,
    quantization_of,
)
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator


@operator("RESHAPE")
def _reshape(view: OperatorView) -> Value:
    target = view.integers(1, "shape") if view.has(1) else list(view.option("new_shape", ()))
    # Old converters wrote [0] for a scalar.
    if target == [0] and math.prod(view.shape(0)) == 1:
        target = []
    count = math.prod(view.shape(0))
    if target.count(-1) == 1:
        rest = math.prod(dim for dim in target if dim != -1)
        target[target.index(-1)] = count // rest if rest else 0
    if min(target, default=0) < 0:
        raise ParseError(f"target shape {target} has a negative size")
    return view.emit.reshape(view.value(0), target)


@operator("SQUEEZE")
def _squeeze(view: OperatorView) -> Value:
    shape = view.shape(0)
    named = view.option("squeeze_dims", ())
    axes = normal_axes(named, len(shape)) or [a for a, dim in enumerate(shape) if dim == 1]
    if any(shape[axis] != 1 for axis in axes):
        raise ParseError(f"dimensions {list(axes)} of shape {shape} do not all have size 1")
    return view.emit.reshape(view.value(0), [d for a, d in enumerate(shape) if a not in axes])


@operator("EXPAND_DIMS")
def _expand_dims(view: OperatorView) -> Value:
    shape = view.shape(0)
    axis = normal_axis(view.integer(1, "axis"), len(shape) + 1)
    return view.emit.reshape(view.value(0), (*shape[:axis], 1, *shape[axis:]))


@operator("TRANSPOSE")
def _transpose(view: OperatorView) -> Value:
    rank = view.rank(0)
    order = [normal_axis(axis, rank) for axis in view.integers(1, "permutation")]
    return view.emit.transpose(view.value(0), order)


@operator("SHAPE")
def _shape(view: OperatorView) -> Value:
    return Known(np.array(view.shape(0), view.output_dtype()))


@operator("RANK")
def _rank(view: OperatorView) -> Value:
    return Known(np.array(view.rank(0), np.int32))


@operator("FILL")
def _fill(view: OperatorView) -> Value:
    dims, value = view.integers(0, "shape"), view.value(1)
    if min(dims, default=0) < 0 or len(dims) > 8:
        raise ParseError(f"target shape {dims} has a negative size, or more than 8 dimensions")
    return view.emit.broadcast_to(view.emit.reshape(value, (), "value"), dims)


@operator("ZEROS_LIKE")
def _zeros_like(view: OperatorView) -> Value:
    x = view.value(0)
    if quantization_of(x) is not None:
        raise Unsupported("quantised values")
    return view.emit.broadcast_to(Known(np.zeros((), dtype_of(x))), view.shape(0))


@operator("RANGE")
def _range(view: OperatorView) -> Value:
    start, limit, step = (
        view.constant(index, what).reshape(-1)
        for index, what in enumerate(("start", "limit", "step"))
    )
    if not start.size == limit.size == step.size == 1 or not step[0]:
        raise ParseError("start, limit and step of the range must be one number each")
    count = max(0, math.ceil((limit[0].item() - start[0].item()) / step[0].item()))
    if not view.emit.movable([], (count,), start.dtype):
        raise Unsupported(f"a range of {count} numbers")
    # As the sum of products, as LiteRT does: the last bit of floats follows from it.
    return Known((start[0] + np.arange(count).astype(start.dtype) * step[0]).astype(start.dtype))


@operator("DENSIFY")
def _densify(view: OperatorView) -> Value:
    """A sparse constant: its elements are known, zeros too, when the file is read."""
    value = view.value(0)
    if not isinstance(value, Known):
        raise Unsupported("sparse values computed at run time")
    return value


@operator("BROADCAST_ARGS")
def _broadcast_args(view: OperatorView) -> Value:
    """The shape that two shapes broadcast to."""
    shapes = [tuple(view.integers(index, "shape")) for index in range(2)]
    return Known(np.array(broadcast_shapes(*shapes), view.output_dtype()))
