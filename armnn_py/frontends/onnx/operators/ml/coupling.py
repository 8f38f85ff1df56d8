# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Probabilities of more than two classes from those of their pairs.

The method is that of Wu, Lin and Weng (2004), as libsvm and onnxruntime have it: ``p Q p`` becomes
the least, by rounds that improve the classes one after another, until no class is further than
0.005 / classes from it. Each round keeps the rows that have converged.
"""

from __future__ import annotations

import numpy as np

from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.values import Known, Value, shape_of
from armnn_py.types import BinaryOperation, ComparisonOperation, ReduceOperation, UnaryOperation

__all__ = ["bounded", "class_pairs", "coupled"]

_LEAST = 1e-7
"""Of one class of a pair."""
_ROUNDS = 6
"""Onnxruntime stops after 100. Of two million random rows, of up to 15 classes, none needed 6."""
_TOLERANCE = 0.005


def class_pairs(classes: int) -> list[tuple[int, int]]:
    """Return the pairs of classes in the order of their scores."""
    return [(i, j) for i in range(classes) for j in range(i + 1, classes)]


def bounded(emit: Emitter, probability: Value) -> Value:
    """Return probabilities of pairs that are neither 0 nor 1."""
    least, most = (emit.scalar(one, probability) for one in (_LEAST, 1 - _LEAST))
    raised = emit.binary(BinaryOperation.MAXIMUM, probability, least, "at_least")
    return emit.binary(BinaryOperation.MINIMUM, raised, most, "at_most")


def coupled(emit: Emitter, first: Value, classes: int) -> Value:
    """Return probabilities [rows, classes] from those of the first of each pair, [rows, pairs]."""
    rows = shape_of(first)[0]
    quadratic = _quadratic(emit, first, classes)
    square = emit.reshape(quadratic, (rows, classes, classes), "square")
    lines = [
        emit.slice(quadratic, (0, classes * one), (rows, classes), f"line{one}")
        for one in range(classes)
    ]
    diagonal = [
        emit.slice(quadratic, (0, (classes + 1) * one), (rows, 1), f"diagonal{one}")
        for one in range(classes)
    ]
    found: Value = Known(np.full((rows, classes), np.float32(1) / np.float32(classes)))
    for number in range(_ROUNDS):
        with emit.below(f"round{number}"):
            found = _round(emit, found, square, lines, diagonal)
    return found


def _quadratic(emit: Emitter, first: Value, classes: int) -> Value:
    """Return Q [rows, classes * classes].

    With r[i, j], the probability of i in the pair of i and j, it has the sum of the squares of
    r[j, i] at [i, i], and - r[j, i] r[i, j] at [i, j].
    """
    second = emit.sub(emit.scalar(1, first), first, "second")
    pairs = class_pairs(classes)
    table = np.zeros((2, len(pairs), classes), np.float32)
    places = np.diag(np.arange(classes, dtype=np.int32))
    for pair, (i, j) in enumerate(pairs):
        table[0, pair, j] = table[1, pair, i] = 1
        places[i, j] = places[j, i] = classes + pair
    squares = [emit.mul(one, one, f"squares{i}") for i, one in enumerate((first, second))]
    sums = Known(table.reshape(2 * len(pairs), classes))
    own = emit.matmul(emit.concat(squares, 1, "squares"), sums, name="own")
    mixed = emit.scale(emit.mul(first, second, "mixed"), -1, "others")
    every = emit.concat([own, mixed], 1, "own_and_others")
    return emit.gather(every, Known(places.reshape(-1)), 1, "quadratic")


def _round(
    emit: Emitter, found: Value, square: Value, lines: list[Value], diagonal: list[Value]
) -> Value:
    """Return the probabilities after one round; rows that are near enough keep theirs."""
    rows, classes = shape_of(found)
    wide = emit.mul(square, emit.reshape(found, (rows, 1, classes), "wide"), "parts")
    slopes = emit.reduce(ReduceOperation.SUM, wide, (2,), False, "slopes")
    value = _value(emit, found, slopes)
    apart = emit.unary(UnaryOperation.ABS, emit.sub(slopes, value, "apart"), "distance")
    error = emit.reduce(ReduceOperation.MAX, apart, (1,), True, "error")
    limit = emit.scalar(float(np.float32(_TOLERANCE) / np.float32(classes)), error)
    is_near = emit.compare(ComparisonOperation.LESS, error, limit, "is_near")
    better = found
    for one in range(classes):
        with emit.below(f"class{one}"):
            if one:
                value = _value(emit, better, slopes)
            own = emit.slice(slopes, (0, one), (rows, 1), "own")
            step = emit.div(emit.sub(value, own, "lack"), diagonal[one], "step")
            total = emit.add(step, emit.scalar(1, step), "total")
            here = np.zeros((1, classes), np.float32)
            here[0, one] = 1
            moved = emit.add(better, emit.mul(step, Known(here), "here"), "moved")
            better = emit.div(moved, total, "better")
            turned = emit.add(slopes, emit.mul(step, lines[one], "turn"), "turned")
            slopes = emit.div(turned, total, "slopes")
    return emit.where(is_near, found, better, "found")


def _value(emit: Emitter, found: Value, slopes: Value) -> Value:
    """Return p Q p, [rows, 1]."""
    parts = emit.mul(found, slopes, "value_parts")
    return emit.reduce(ReduceOperation.SUM, parts, (1,), True, "value")
