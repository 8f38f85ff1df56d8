# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""TfIdfVectorizer: how often each sequence of numbers of a pool occurs."""

from __future__ import annotations

import itertools

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import counted
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.types import (
    BinaryOperation,
    ComparisonOperation,
    LogicalBinaryOperation,
    ReduceOperation,
)

_MOST_SKIPS = 1000


@operator("TfIdfVectorizer", since=9)
def _tf_idf_vectorizer(view: NodeView) -> Value:
    emit, x = view.emit, view.value(0)
    if view.texts("pool_strings"):  # `ml_strings` leaves none of the others
        raise ParseError("the node has both 'pool_strings' and 'pool_int64s', expected one")
    shape = view.shape(0)
    if len(shape) not in (1, 2):
        raise ParseError(f"the input has shape {shape}, expected one or two dimensions")
    rows, length = (1, shape[0]) if len(shape) == 1 else shape
    lines = emit.reshape(x, (rows, 1, length), "lines")
    columns = view.ints("ngram_indexes") or []
    counts: list[Value] = []
    used: list[int] = []
    for first, grams in _pool(view):
        found = _count(view, lines, length, grams)
        if found is not None:
            counts.append(found)
            used.extend(columns[first : first + len(grams)])
    width = counted(max(columns, default=-1) + 1)
    if not counts:
        return Known(np.zeros((width,) if len(shape) == 1 else (rows, width), np.float32))
    place = np.zeros((len(used), width), np.float32)
    place[np.arange(len(used)), used] = 1
    y = emit.matmul(emit.concat(counts, 1, "counts"), Known(place), name="frequencies")
    y = _weighted(view, y, columns, width)
    return emit.reshape(y, (width,) if len(shape) == 1 else (rows, width))


def _pool(view: NodeView) -> list[tuple[int, np.ndarray]]:
    """Return the n-grams of each length that is asked for, with the index of the first of them."""
    pool, starts = view.ints("pool_int64s") or [], view.ints("ngram_counts") or []
    low, high = view.integer("min_gram_length", 1), view.integer("max_gram_length", 1)
    if not 1 <= low <= high or high > len(starts):
        raise ParseError(
            f"lengths {low} to {high} are outside the pool, which has 1- to {len(starts)}-grams"
        )
    if view.integer("max_skip_count") < 0:
        raise ParseError(
            f"attribute 'max_skip_count' is {view.integer('max_skip_count')}, expected at least 0"
        )
    found, first = [], 0
    for size, (start, end) in enumerate(itertools.pairwise([*starts, len(pool)]), 1):
        if not 0 <= start <= end <= len(pool) or (end - start) % size:
            raise ParseError(
                f"{end - start} numbers do not make {size}-grams in a pool of {len(pool)}"
            )
        grams = np.array(pool[start:end], np.int64).reshape(-1, size)
        if len({tuple(gram) for gram in grams.tolist()}) != len(grams):
            raise ParseError("an n-gram is in the pool twice")
        if low <= size <= high and len(grams):
            found.append((first, grams))
        first += len(grams)
    if len(view.ints("ngram_indexes") or []) != first or min(view.ints("ngram_indexes") or [0]) < 0:
        raise ParseError(
            f"{len(view.ints('ngram_indexes') or [])} indices do not fit {first} n-grams"
        )
    return found


def _count(view: NodeView, lines: Value, length: int, grams: np.ndarray) -> Value | None:
    """Return how often each n-gram occurs, with every number of skips: [rows, n-grams]."""
    emit, (count, size) = view.emit, grams.shape
    total: Value | None = None
    skips = min(view.integer("max_skip_count"), length) if size > 1 else 0
    if skips > _MOST_SKIPS:
        raise Unsupported(f"{skips} skips (at most {_MOST_SKIPS} are supported)")
    for skip in range(skips + 1):
        places = length - (size - 1) * (skip + 1)
        if places < 1:
            break
        hit: Value | None = None
        for index in range(size):
            begin = [0, 0, index * (skip + 1)]
            seen = emit.slice(lines, begin, [*view.over([lines]).shape(0)[:2], places], "seen")
            column = grams[:, index].reshape(1, count, 1)
            wanted = Known(column.astype(dtype_of(lines)))
            equal = emit.compare(ComparisonOperation.EQUAL, seen, wanted, "equal")
            if hit is None:
                hit = equal
            else:
                hit = emit.logical(LogicalBinaryOperation.AND, hit, equal, "all")
        assert hit is not None
        number = emit.cast(hit, np.float32, "number")
        found = emit.reduce(ReduceOperation.SUM, number, (2,), False, "found")
        total = found if total is None else emit.add(total, found, "total")
    return total


def _weighted(view: NodeView, y: Value, columns: list[int], width: int) -> Value:
    """Apply the mode: frequencies, whether there is one, or frequencies times weights."""
    emit, mode = view.emit, view.text("mode", "")
    if mode not in ("TF", "IDF", "TFIDF"):
        raise ParseError(f"mode is {mode!r}, expected TF, IDF or TFIDF")
    if mode == "TF":
        return y
    if mode == "IDF":
        y = emit.binary(BinaryOperation.MINIMUM, y, emit.scalar(1, y), "occurs")
    weights = view.floats("weights")
    if not weights:
        return y
    if len(weights) != len(columns):
        raise ParseError(f"{len(weights)} weights are given for {len(columns)} n-grams")
    factors = np.zeros(width, np.float32)
    factors[columns] = weights
    return emit.mul(y, Known(factors), "weighted")
