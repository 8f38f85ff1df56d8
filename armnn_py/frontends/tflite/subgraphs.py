# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Calls of sub-graphs: their operators become layers of the same network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Unsupported, Value
from armnn_py.frontends.tflite.complex_values import ComplexValue
from armnn_py.frontends.tflite.model import Graph, Operator, TfliteModel
from armnn_py.frontends.tflite.node import RunsApart
from armnn_py.frontends.tflite.problems import TfliteProblems

_MOST_OPERATORS = 50_000
"""That are written out, turns of loops each counted."""
_DEEPEST = 32


class NotedError(Exception):
    """A sub-graph cannot be converted; its operators are noted already."""


class Calls:
    """How many operators may still be written out, and how deep the present call is.

    Parameters
    ----------
    nesting
        How many sub-graphs that run apart this is inside of. Each has two at most, so that all on
        one level write out half as many operators as those on the level above.
    """

    def __init__(self, nesting: int) -> None:
        self.most = self.left = _MOST_OPERATORS >> 2 * nesting
        self.depth = 0

    def start_again(self, number: int) -> None:
        """Forget what was written out of an operator that runs apart, the ``number``th of them."""
        self.left = max(self.left, self.most >> number)


class Conversion(Protocol):
    """The conversion of a graph, as far as calls need it."""

    model: TfliteModel
    calls: Calls
    values: dict[int, Value | ComplexValue]
    poisoned: set[int]
    problems: TfliteProblems

    def inside(self, graph: Graph, prefix: str) -> Conversion:
        """Return the conversion of a sub-graph into the same network."""

    def operator(self, op: Operator) -> None:
        """Convert an operator."""

    def value(self, place: int) -> Value | ComplexValue | None:
        """Return the value of a tensor."""


def call(outer: Conversion, index: int, given: Sequence[Value], name: str) -> Sequence[Value]:
    """Convert a sub-graph for operands; ``name`` begins the names of its layers.

    Raises
    ------
    NotedError
        It has operators without a counterpart, which ``outer`` lists now.
    """
    if not 0 <= index < len(outer.model.graphs):
        raise ParseError(
            f"sub-graph {index} is called, but the model has {len(outer.model.graphs)}"
        )
    graph, calls = outer.model.graphs[index], outer.calls
    if len(graph.inputs) != len(given):
        raise ParseError(
            f"sub-graph {index} has {len(graph.inputs)} inputs, but is called with {len(given)}"
        )
    if any(tensor.is_variable for tensor in graph.tensors):
        raise Unsupported(f"state of an operator inside of sub-graph {index}")
    calls.left -= 1 + len(graph.operators)
    reason = "sub-graphs that call each other, or are called, too often"
    if calls.depth >= _DEEPEST:
        raise Unsupported(reason)
    if calls.left < 0:
        raise RunsApart(reason)
    inner = outer.inside(graph, f"{name}/" if name else "")
    inner.values.update(zip(graph.inputs, given, strict=True))
    calls.depth += 1
    try:
        for op in graph.operators:
            inner.operator(op)
    finally:
        calls.depth -= 1
    for (label, reason), nodes in inner.problems.found.items():
        for node in nodes:
            outer.problems.add(label, reason, node)
    if not inner.poisoned.isdisjoint(graph.outputs):
        raise NotedError
    results = []
    for place in graph.outputs:
        value = inner.value(place)
        if value is None or isinstance(value, ComplexValue):
            raise Unsupported("complex64 values out of a sub-graph")
        results.append(value)
    return results
