# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Einsum: sums of products by the equation of their labels, as numpy.einsum reads it.

Operands are joined one after the other: common dimensions without later use are summed
by a matrix product, the others multiply element by element.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.common.values import Known, Value, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.types import ReduceOperation

_TERM = re.compile(r"[A-Za-z]*(\.\.\.[A-Za-z]*)?")


class _Term:
    """A value, and the label of each of its dimensions."""

    def __init__(self, value: Value, labels: Sequence[str]) -> None:
        self.value, self.labels = value, list(labels)

    def size(self, label: str) -> int:
        return shape_of(self.value)[self.labels.index(label)]


@operator("Einsum", since=12)
def _einsum(view: NodeView) -> Value:
    terms, result = _read(view)
    joined: _Term | None = None
    for number, term in enumerate(terms):
        later = set(result).union(*(rest.labels for rest in terms[number + 1 :]))
        needed = later if joined is None else later | set(joined.labels)
        term = _summed(view, _diagonal(view, term, str(number)), needed, str(number))
        joined = term if joined is None else _join(view, joined, term, later, str(number))
    assert joined is not None
    order = [joined.labels.index(label) for label in result]
    return view.emit.transpose(joined.value, order)


def _read(view: NodeView) -> tuple[list[_Term], list[str]]:
    """Labels of the operands and of the result; those of ``...`` are numbers from the last on."""
    equation = view.text("equation").replace(" ", "")
    left, arrow, right = equation.partition("->")
    parts = left.split(",")
    if len(parts) != view.count or not all(map(_TERM.fullmatch, [*parts, right])):
        raise ParseError(f"equation {quoted(equation)} does not fit {view.count} operands")
    terms = []
    for index, part in enumerate(parts):
        before, dots, after = part.partition("...")
        rest = view.rank(index) - len(before) - len(after)
        if rest < 0 or (rest and not dots):
            raise ParseError(
                f"{quoted(part)} of equation {quoted(equation)} does not fit {view.rank(index)} "
                "dimensions"
            )
        labels = [*before, *(str(n) for n in reversed(range(rest))), *after]
        terms.append(_Term(view.value(index), labels))
    counts = Counter(label for term in terms for label in term.labels)
    dotted = sorted((label for label in counts if label.isdigit()), key=int, reverse=True)
    if arrow:
        before, dots, after = right.partition("...")
        result = [*before, *(dotted if dots else []), *after]
    else:
        result = dotted + sorted(
            label for label in counts if counts[label] == 1 and label.isalpha()
        )
    if len(set(result)) < len(result) or not set(result) <= set(counts):
        raise ParseError(f"equation {quoted(equation)} has no result")
    return terms, result


def _diagonal(view: NodeView, term: _Term, name: str) -> _Term:
    """Keep the elements at equal places along the dimensions of a label that comes twice."""
    emit = view.emit
    for label in [label for label, count in Counter(term.labels).items() if count > 1]:
        while term.labels.count(label) > 1:
            first = term.labels.index(label)
            second = term.labels.index(label, first + 1)
            shape = shape_of(term.value)
            if shape[first] != shape[second]:
                raise ParseError(
                    f"label '{label}' has both size {shape[first]} and size {shape[second]}"
                )
            size = int(shape[first])
            others = [axis for axis in range(len(shape)) if axis not in (first, second)]
            turned = emit.transpose(term.value, [*others, first, second], f"turned_{name}")
            kept = [shape[axis] for axis in others]
            flat = emit.reshape(turned, (*kept, size * size), f"flat_{name}")
            places = Known((positions_of(size) * (size + 1)).astype(np.int32))
            value = emit.gather(flat, places, len(kept), f"diagonal_{name}")
            term = _Term(value, [*(term.labels[axis] for axis in others), label])
    return term


def _summed(view: NodeView, term: _Term, needed: set[str], name: str) -> _Term:
    """Sum along dimensions that no other operand has."""
    axes = [axis for axis, label in enumerate(term.labels) if label not in needed]
    value = view.emit.reduce(ReduceOperation.SUM, term.value, axes, False, f"sum_{name}")
    return _Term(value, [label for label in term.labels if label in needed])


def _join(view: NodeView, x: _Term, y: _Term, later: set[str], name: str) -> _Term:
    """Multiply two terms, and sum along their common dimensions without later use."""
    emit = view.emit
    both = [label for label in x.labels if label in y.labels]
    summed = [label for label in both if label not in later]
    batch = [label for label in both if label in later]
    left = [label for label in x.labels if label not in both]
    right = [label for label in y.labels if label not in both]
    for label in summed:
        if 1 in (x.size(label), y.size(label)):  # one repeats, so that the other is summed first
            x = _shortened(view, x, label, f"repeated_{name}")
            y = _shortened(view, y, label, f"repeating_{name}")
        if x.size(label) != y.size(label):
            raise ParseError(
                f"label '{label}' has both size {x.size(label)} and size {y.size(label)}"
            )
    a = _ordered(view, x, [*batch, *left, *summed], f"left_{name}")
    b_order = [*batch, *summed, *right] if summed else [*batch, *right]
    b = _ordered(view, y, b_order, f"right_{name}")
    wide = [shape_of(a)[: len(batch)], shape_of(b)[: len(batch)]]
    rows, columns = [x.size(label) for label in left], [y.size(label) for label in right]
    if summed:
        depth = math.prod(x.size(label) for label in summed)
        a = emit.reshape(a, (*wide[0], math.prod(rows), depth), f"rows_{name}")
        b = emit.reshape(b, (*wide[1], depth, math.prod(columns)), f"columns_{name}")
        product = emit.matmul(a, b, name=f"product_{name}")
    else:
        a = emit.reshape(a, (*wide[0], *rows, *[1] * len(columns)), f"rows_{name}")
        b = emit.reshape(b, (*wide[1], *[1] * len(rows), *columns), f"columns_{name}")
        product = emit.mul(a, b, f"product_{name}")
    shape = (*shape_of(product)[: len(batch)], *rows, *columns)
    return _Term(emit.reshape(product, shape, f"joined_{name}"), [*batch, *left, *right])


def _shortened(view: NodeView, term: _Term, label: str, name: str) -> _Term:
    """Sum along the dimension of a label, which stays with size 1."""
    if term.size(label) == 1:
        return term
    axis = term.labels.index(label)
    value = view.emit.reduce(ReduceOperation.SUM, term.value, [axis], True, name)
    return _Term(value, term.labels)


def _ordered(view: NodeView, term: _Term, labels: Sequence[str], name: str) -> Value:
    return view.emit.transpose(term.value, [term.labels.index(label) for label in labels], name)
