# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of ai.onnx.ml that prepare features, and the linear regression."""

from __future__ import annotations

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING, operator
from armnn_py.types import (
    ComparisonOperation,
    ReduceOperation,
    UnaryOperation,
)


@operator("Binarizer", domain=MACHINE_LEARNING)
def _binarizer(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    real = x if dtype_of(x).kind == "f" else emit.cast(x, np.float32, "real")
    threshold = emit.scalar(view.number("threshold"), real)
    above = emit.compare(ComparisonOperation.GREATER, real, threshold, "above")
    return emit.cast(above, dtype_of(x))


@operator("ArrayFeatureExtractor", domain=MACHINE_LEARNING)
def _array_feature_extractor(view: NodeView) -> Value:
    emit, shape, count = view.emit, view.shape(0), int(np.prod(view.shape(1)))
    if not shape or not count:
        raise ParseError(f"{count} indices do not fit an input of shape {shape}")
    if view.dtype(1).kind not in "iu":
        raise ParseError(f"the indices are {view.dtype(1)}, expected int64")
    columns = emit.from_start(emit.reshape(view.value(1), (count,), "columns"))
    taken = emit.gather(view.value(0), columns, len(shape) - 1, "taken")
    return emit.reshape(taken, (*(shape[:-1] or (1,)), count))


@operator("Scaler", domain=MACHINE_LEARNING)
def _scaler(view: NodeView) -> Value:
    emit = view.emit
    offset, scale = _features(view, "offset", 0), _features(view, "scale", 1)
    if dtype_of(view.value(0)) == np.float64:  # rounded behind the difference
        offset = Known(offset.array.astype(np.float64))
    x = emit.cast(view.value(0), dtype_of(offset), "real")
    centred = emit.cast(emit.sub(x, offset, "centred"), np.float32, "rounded")
    return emit.mul(centred, scale)


def _features(view: NodeView, name: str, default: float) -> Known:
    """Return a number for each feature, or one for all."""
    numbers = view.floats(name) or [default]
    if len(numbers) not in (1, *view.shape(0)[-1:]):
        raise ParseError(
            f"attribute {name!r} has {len(numbers)} numbers, expected 1 or one a column of "
            f"{view.shape(0)}"
        )
    return Known(np.array(numbers, np.float32))


@operator("Normalizer", domain=MACHINE_LEARNING)
def _normalizer(view: NodeView) -> Value:
    emit, norm = view.emit, view.text("norm", "MAX")
    if view.rank(0) not in (1, 2):
        raise ParseError(f"the input has shape {view.shape(0)}, expected one or two dimensions")
    x, axes = emit.cast(view.value(0), np.float32, "real"), (view.rank(0) - 1,)
    if norm == "MAX":
        size = emit.reduce(ReduceOperation.MAX, x, axes, True, "largest")
    elif norm == "L1":
        size = emit.reduce(
            ReduceOperation.SUM, emit.unary(UnaryOperation.ABS, x, "abs"), axes, True, "sum"
        )
    elif norm == "L2":
        squares = emit.reduce(ReduceOperation.SUM, emit.mul(x, x, "squares"), axes, True, "sum")
        size = emit.unary(UnaryOperation.SQRT, squares, "length")
    else:
        raise ParseError(f"attribute 'norm' is {norm!r}, expected MAX, L1 or L2")
    # Rows of size 0 stay as they are.
    nothing = emit.compare(ComparisonOperation.EQUAL, size, emit.scalar(0, size), "nothing")
    return emit.div(x, emit.where(nothing, emit.scalar(1, size), size, "divisor"))


@operator("Imputer", domain=MACHINE_LEARNING)
def _imputer(view: NodeView) -> Value:
    """A number that stands for what is missing, NaN as well, gets that of its feature."""
    emit, x = view.emit, view.value(0)
    is_real = dtype_of(x).kind == "f"
    given = view.floats("imputed_value_floats") if is_real else view.ints("imputed_value_int64s")
    count = view.shape(0)[-1] if view.rank(0) else 1
    if not given or len(given) not in (1, count):
        raise ParseError(
            f"{len(given or ())} imputed values do not fit an input of shape {view.shape(0)}"
        )
    missing = (
        view.number("replaced_value_float") if is_real else view.integer("replaced_value_int64")
    )
    if missing != missing:
        replaced = emit.compare(ComparisonOperation.NOT_EQUAL, x, x, "missing")
    else:
        replaced = emit.compare(ComparisonOperation.EQUAL, x, emit.scalar(missing, x), "missing")
    return emit.where(replaced, Known(np.array(given, dtype_of(x))), x)


@operator("LinearRegressor", domain=MACHINE_LEARNING)
def _linear_regressor(view: NodeView) -> Value:
    emit, targets = view.emit, view.integer("targets", 1)
    if view.text("post_transform", "NONE") != "NONE":
        raise Unsupported(f"post_transform {view.text('post_transform')!r}")
    factors = np.array(view.floats("coefficients") or [], np.float32)
    if view.rank(0) != 2 or targets < 1 or factors.size != targets * view.shape(0)[1]:
        raise ParseError(
            f"{factors.size} coefficients of {targets} targets do not fit an input of shape "
            f"{view.shape(0)}"
        )
    x = emit.cast(view.value(0), np.float32, "real")
    table = np.ascontiguousarray(factors.reshape(targets, -1).T)
    added = view.floats("intercepts")
    if not added:
        return emit.matmul(x, Known(table))
    if len(added) not in (1, targets):
        raise ParseError(f"the node has {len(added)} intercepts, expected {targets} (one a target)")
    product = emit.matmul(x, Known(table), name="product")
    return emit.add(product, Known(np.array(added, np.float32)))
