# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Labels and score transforms, shared by the classifiers of ai.onnx.ml.

The standard does not define a single score for two classes: this follows onnxruntime.
"""

from __future__ import annotations

import math

import numpy as np

from armnn_py.descriptors import SoftmaxDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array, Known, Unsupported, Value
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.types import (
    ActivationFunction,
    ArgMinMaxFunction,
    ComparisonOperation,
    DataType,
    LayerType,
    ReduceOperation,
    UnaryOperation,
)

_TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""In the order of their numbers in TreeEnsemble."""
_WINITZKI = 0.147
_NEAR_ZERO = 1e-7
"""Scores below this magnitude count as 0 in SOFTMAX_ZERO."""


def labels_of(view: NodeView, name: str) -> Array:
    """Return the labels of the classes, which are integers; of strings, they are their places."""
    if view.texts("classlabels_strings"):  # `ml_strings` leaves none of the others
        raise ParseError("the node has both string and integer labels, expected one kind")
    labels = view.ints(name)
    if not labels:
        raise ParseError(f"attribute {quoted(name)} is missing")
    return np.array(labels, np.int64)


def rows_of(view: NodeView) -> Value:
    """Return the input as float32 in two dimensions; one dimension is one row."""
    shape = view.shape(0)
    if len(shape) not in (1, 2):
        raise ParseError(f"the input has shape {shape}, expected one or two dimensions")
    x = view.emit.cast(view.value(0), np.float32, "real")
    return x if len(shape) == 2 else view.emit.reshape(x, (1, *shape), "row")


def transform_of(view: NodeView) -> str:
    """Return the name of the transform of scores."""
    how = view.text("post_transform", "NONE")
    if how not in _TRANSFORMS:
        raise ParseError(f"attribute 'post_transform' is {quoted(how)}, which is unknown")
    return how


def numbered_transform_of(view: NodeView) -> str:
    """Return the name of the transform that TreeEnsemble has by its number."""
    number = view.integer("post_transform")
    if not 0 <= number < len(_TRANSFORMS):
        raise ParseError(f"attribute 'post_transform' is {number}, which is unknown")
    return _TRANSFORMS[number]


def picked(view: NodeView, labels: Array, place: Value) -> Value:
    """Return the labels at these places."""
    return view.emit.gather(Known(labels), place, 0, "labels")


def top(view: NodeView, scores: Value) -> Value:
    """Return the place of the highest score of each row, the first of equal ones."""
    return view.emit.arg(ArgMinMaxFunction.MAX, scores, 1, DataType.SIGNED32, "top")


def above(view: NodeView, score: Value, limit: float, rows: int) -> Value:
    """Return 1 for each score [rows, 1] above a limit, else 0: [rows]."""
    emit = view.emit
    over = emit.compare(ComparisonOperation.GREATER, score, emit.scalar(limit, score), "above")
    return emit.reshape(emit.cast(over, np.int32, "second"), (rows,), "place")


def transformed(view: NodeView, scores: Value, how: str) -> Value:
    """Transform scores of several classes, [rows, classes]."""
    emit = view.emit
    if how == "LOGISTIC":
        return emit.activation(ActivationFunction.SIGMOID, scores, name="logistic")
    if how == "SOFTMAX":
        descriptor = SoftmaxDescriptor(axis=1)
        return emit.layer(LayerType.SOFTMAX, [scores], descriptor, name="softmax")
    if how == "SOFTMAX_ZERO":
        return _softmax_of_others(view, scores)
    if how == "PROBIT":
        return _probit(view, scores)
    return scores


def _probit(view: NodeView, scores: Value) -> Value:
    """Quantiles of the normal distribution, by the approximation that ONNX's reference has.

    sqrt(2) times the inverse of erf at ``2 p - 1``: with ``log = ln(4 p (1 - p))`` and
    ``v = 2 / (pi a) + log / 2``, that is ``sqrt(sqrt(v ** 2 - log / a) - v)`` and the sign.
    """
    emit = view.emit
    one = emit.scalar(1, scores)
    x = emit.sub(emit.scale(scores, 2, "twice"), one, "centred")
    rest = emit.mul(emit.sub(one, x, "below"), emit.add(one, x, "above"), "rest")
    log = emit.unary(UnaryOperation.LOG, rest, "log")
    v = emit.add(emit.scale(log, 0.5, "half"), emit.scalar(2 / (math.pi * _WINITZKI), log), "v")
    inner = emit.sub(emit.mul(v, v, "square"), emit.scale(log, 1 / _WINITZKI, "part"), "inner")
    root = emit.unary(UnaryOperation.SQRT, inner, "root")
    size = emit.unary(UnaryOperation.SQRT, emit.sub(root, v, "difference"), "size")
    is_below = emit.compare(ComparisonOperation.LESS, x, emit.scalar(0, x), "is_below")
    found = emit.where(is_below, emit.scale(size, -1, "negative"), size, "signed")
    return emit.scale(found, math.sqrt(2), "probit")


def _softmax_of_others(view: NodeView, scores: Value) -> Value:
    """Softmax of the scores that are not 0; what is near 0 keeps its value, divided like these."""
    emit = view.emit
    highest = emit.reduce(ReduceOperation.MAX, scores, (1,), True, "highest")
    size = emit.unary(UnaryOperation.ABS, scores, "size")
    counts = emit.compare(
        ComparisonOperation.GREATER, size, emit.scalar(_NEAR_ZERO, scores), "counts"
    )
    power = emit.unary(UnaryOperation.EXP, emit.sub(scores, highest, "centred"), "power")
    total = emit.reduce(
        ReduceOperation.SUM,
        emit.where(counts, power, emit.scalar(0, scores), "counted"),
        (1,),
        True,
        "total",
    )
    factor = emit.unary(UnaryOperation.EXP, emit.scale(highest, -1, "minus_highest"), "factor")
    least = emit.mul(scores, factor, "least")
    return emit.div(emit.where(counts, power, least, "kept"), total, "softmax")


def two(view: NodeView, score: Value, how: str, *, is_centred: bool) -> Value:
    """Make scores of two classes of that of the second one, [rows, 1].

    The first one's is the rest to 1, or the opposite of scores around 0.
    """
    if how == "PROBIT":
        raise Unsupported("post_transform PROBIT of two classes with one score")
    emit = view.emit
    opposite = emit.scale(score, -1, "opposite")
    if how == "LOGISTIC":
        both = emit.concat([opposite, score], 1, "both")
        return emit.activation(ActivationFunction.SIGMOID, both, name="logistic")
    first = opposite if is_centred else emit.add(opposite, emit.scalar(1, score), "rest")
    return emit.concat([first, score], 1, "both")
