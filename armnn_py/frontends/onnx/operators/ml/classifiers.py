# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""LinearClassifier and support vector machines, of ai.onnx.ml.

Probabilities of more than two classes come from those of their pairs. The method is that of Wu, Lin
and Weng (2004), as libsvm and onnxruntime have it: ``p Q p`` becomes the least, by rounds that
improve the classes one after another, until no class is further than 0.005 / classes from it. Each
round keeps the rows that have converged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Array, Known, Unsupported, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING, operator
from armnn_py.frontends.onnx.operators.ml.labels import (
    above,
    labels_of,
    picked,
    rows_of,
    top,
    transform_of,
    transformed,
    two,
)
from armnn_py.frontends.onnx.operators.ml.list_attributes import as_float32, integer_list
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    ComparisonOperation,
    ReduceOperation,
    UnaryOperation,
)


@operator("LinearClassifier", domain=MACHINE_LEARNING)
def _linear_classifier(view: NodeView) -> Sequence[Value]:
    how = transform_of(view)
    labels, x = labels_of(view, "classlabels_ints"), rows_of(view)
    rows, features = shape_of(x)
    factors, added = _numbers(view, "coefficients"), _numbers(view, "intercepts")
    count = len(added) or len(labels)
    if factors.size != count * features or count not in (1, len(labels)):
        raise ParseError(
            f"{factors.size} coefficients and {len(added)} intercepts do not fit {len(labels)} "
            "classes "
            f"and {features} features"
        )
    scores = _product(view, x, factors.reshape(count, features), added)
    if count > 1:
        return picked(view, labels, top(view, scores)), transformed(view, scores, how)
    if len(labels) != 2:
        raise Unsupported("a single class")
    place = above(view, scores, 0, rows)
    return picked(view, labels, place), two(view, scores, how, is_centred=False)


@operator("SVMRegressor", domain=MACHINE_LEARNING)
def _svm_regressor(view: NodeView) -> Value:
    emit, x = view.emit, rows_of(view)
    if view.text("post_transform", "NONE") != "NONE":
        raise Unsupported(f"post_transform {quoted(view.text('post_transform'))}")
    count, factors = view.integer("n_supports"), _numbers(view, "coefficients")
    if count:
        vectors = _vectors(view, count, shape_of(x)[1])
        x = _kernel(view, x, vectors)
    if factors.size != shape_of(x)[1]:
        raise ParseError(f"the node has {factors.size} coefficients, expected {shape_of(x)[1]}")
    y = _product(view, x, factors.reshape(1, -1), _rho(view, 1))
    if not view.integer("one_class"):
        return y
    inside = emit.compare(ComparisonOperation.GREATER, y, emit.scalar(0, y), "inside")
    return emit.where(inside, emit.scalar(1, y), emit.scalar(-1, y), "side")


@operator("SVMClassifier", domain=MACHINE_LEARNING)
def _svm_classifier(view: NodeView) -> Sequence[Value]:
    how, labels, x = transform_of(view), labels_of(view, "classlabels_ints"), rows_of(view)
    sizes, classes = integer_list(view, "vectors_per_class"), len(labels)
    if classes < 2:
        raise Unsupported("a single class")
    if not sum(sizes):
        return _linear_machine(view, x, labels, how)
    if len(sizes) != classes or min(sizes) < 0:
        raise ParseError(
            f"'vectors_per_class' is {sizes}, expected a number for each of {classes} classes"
        )
    vectors = _vectors(view, sum(sizes), shape_of(x)[1])
    table = _pairs(_numbers(view, "coefficients"), sizes)
    pairs = table.shape[0]
    scores = _product(view, _kernel(view, x, vectors), table, _rho(view, pairs))
    place = top(view, _votes(view, scores, classes))
    found = picked(view, labels, place)
    a, b = _numbers(view, "prob_a"), _numbers(view, "prob_b")
    if len(a) or len(b):
        if len(a) != pairs or len(b) != pairs:
            raise ParseError(
                f"'prob_a' and 'prob_b' have {len(a)} and {len(b)} numbers, expected {pairs} (one "
                "a pair of classes)"
            )
        return found, transformed(view, _probabilities(view, scores, a, b, classes), how)
    if classes > 2:
        return found, transformed(view, scores, how)
    return found, two(view, scores, how, is_centred=how == "NONE")


def _linear_machine(view: NodeView, x: Value, labels: Array, how: str) -> Sequence[Value]:
    """Return labels and scores of a machine that has factors of features, not vectors."""
    if len(labels) == 2:
        raise Unsupported("two classes without support vectors")
    factors, features = _numbers(view, "coefficients"), shape_of(x)[1]
    if factors.size != len(labels) * features:
        raise ParseError(
            f"{factors.size} coefficients do not fit {len(labels)} classes and {features} features"
        )
    shift = np.repeat(_rho(view, 1), len(labels))
    scores = _product(view, x, factors.reshape(len(labels), features), shift)
    return picked(view, labels, top(view, scores)), transformed(view, scores, how)


def _numbers(view: NodeView, name: str) -> Array:
    return as_float32(view.floats(name) or [])


def _rho(view: NodeView, count: int) -> Array:
    shift = _numbers(view, "rho")
    if len(shift) < count:
        raise ParseError(f"attribute 'rho' has {len(shift)} numbers, expected {count}")
    return shift[:count]


def _product(view: NodeView, x: Value, factors: Array, added: Array) -> Value:
    """Return the products of rows with rows of factors, and what is added to them."""
    table = Known(np.ascontiguousarray(factors.T))
    product = view.emit.matmul(x, table, name="products")
    return view.emit.add(product, Known(added), "sums") if len(added) else product


def _vectors(view: NodeView, count: int, features: int) -> Array:
    vectors = _numbers(view, "support_vectors")
    if count < 0 or vectors.size != count * features:
        raise ParseError(
            f"{vectors.size} numbers do not make {count} support vectors of {features} features"
        )
    return vectors.reshape(count, features)


def _kernel(view: NodeView, x: Value, vectors: Array) -> Value:
    """Return what a kernel makes of each row and each vector."""
    emit, kind = view.emit, view.text("kernel_type", "LINEAR")
    given = _numbers(view, "kernel_params")
    if len(given) not in (0, 3):
        raise ParseError(f"attribute 'kernel_params' has {len(given)} numbers, expected 3")
    gamma, shift, degree = [float(one) for one in given] if len(given) else [0.0] * 3
    if kind == "RBF":
        rows, features = shape_of(x)
        wide = emit.reshape(x, (rows, 1, features), "wide")
        apart = emit.sub(wide, Known(vectors[np.newaxis]), "apart")
        distance = emit.reduce(
            ReduceOperation.SUM, emit.mul(apart, apart, "squares"), (2,), False, "distance"
        )
        return emit.unary(UnaryOperation.EXP, emit.scale(distance, -gamma, "scaled"), "kernel")
    product = _product(view, x, vectors, as_float32([]))
    if kind == "LINEAR":
        return product
    if kind not in ("POLY", "SIGMOID"):
        raise ParseError(f"attribute 'kernel_type' is {quoted(kind)}, which is unknown")
    scaled = emit.scale(product, gamma, "scaled")
    inner = emit.add(scaled, emit.scalar(shift, scaled), "inner")
    if kind == "POLY":
        return emit.binary(BinaryOperation.POWER, inner, emit.scalar(degree, inner), "kernel")
    return emit.activation(ActivationFunction.TANH, inner, 1.0, 1.0, name="kernel")


def _pairs(factors: Array, sizes: list[int]) -> Array:
    """Return the factors of vectors in the score of each pair of classes.

    Row ``j - 1`` has those of the vectors of earlier classes against class ``j``, row ``i`` those
    of later classes against class ``i``.
    """
    classes, count = len(sizes), sum(sizes)
    if factors.size != (classes - 1) * count:
        raise ParseError(f"{factors.size} coefficients do not fit {count} support vectors")
    rows, starts = factors.reshape(classes - 1, count), np.cumsum([0, *sizes])
    pairs = class_pairs(classes)
    table = np.zeros((len(pairs), count), np.float32)
    for pair, (i, j) in enumerate(pairs):
        first, second = slice(starts[i], starts[i + 1]), slice(starts[j], starts[j + 1])
        table[pair, first], table[pair, second] = rows[j - 1, first], rows[i, second]
    return table


def _votes(view: NodeView, scores: Value, classes: int) -> Value:
    """Return how many pairs each class wins: the first of a pair those above 0."""
    emit = view.emit
    pairs = class_pairs(classes)
    turn = np.zeros((classes, len(pairs)), np.float32)
    lost = np.zeros(classes, np.float32)
    for pair, (i, j) in enumerate(pairs):
        turn[i, pair], turn[j, pair] = 1, -1
        lost[j] += 1
    wins = emit.compare(ComparisonOperation.GREATER, scores, emit.scalar(0, scores), "wins")
    with emit.below("votes"):
        return _product(view, emit.cast(wins, np.float32, "won"), turn, lost)


def _probabilities(view: NodeView, scores: Value, a: Array, b: Array, classes: int) -> Value:
    """Return the probabilities of the classes; a curve of each pair's score says that of its first.

    Of two classes that is all: onnxruntime approaches it in rounds.
    """
    emit = view.emit
    line = emit.add(emit.mul(scores, Known(a), "steep"), Known(b), "line")
    minus = emit.scale(line, -1, "minus")
    first = bounded(emit, emit.activation(ActivationFunction.SIGMOID, minus, name="first"))
    if classes > 2:
        with emit.below("coupled"):
            return coupled(emit, first, classes)
    return emit.concat([first, emit.sub(emit.scalar(1, first), first, "second")], 1, "probability")


@operator("ZipMap", domain=MACHINE_LEARNING)
def _zip_map(view: NodeView) -> Value:
    """Hand scores on as they are: the classes, keys of the maps, are in the model's metadata."""
    labels = view.texts("classlabels_strings") or view.ints("classlabels_int64s") or []
    x, shape = view.value(0), view.shape(0)
    if len(shape) not in (1, 2) or shape[-1] != len(labels):
        raise ParseError(
            f"the node has {len(labels)} labels, but {shape[-1] if shape else 1} columns of scores"
        )
    return x if len(shape) == 2 else view.emit.reshape(x, (1, *shape), "row")


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
