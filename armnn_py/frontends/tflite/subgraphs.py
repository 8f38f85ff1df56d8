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
from armnn_py.frontends.tflite.problems import TfliteProblems

__all__ = ["Calls", "NotedError", "call"]

_MOST_OPERATORS = 50_000
"""That are written out, turns of loops each counted."""
_DEEPEST = 32


class NotedError(Exception):
    """A sub-graph cannot be converted; its operators are noted already."""


class Calls:
    """How many operators may still be written out, and how deep the present call is."""

    def __init__(self) -> None:
        self.left = _MOST_OPERATORS
        self.depth = 0


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
        raise ParseError(f"sub-graph {index} of {len(outer.model.graphs)} is called")
    graph, calls = outer.model.graphs[index], outer.calls
    if len(graph.inputs) != len(given):
        raise ParseError(
            f"sub-graph {index} has {len(graph.inputs)} inputs, but is called with {len(given)}"
        )
    if any(tensor.is_variable for tensor in graph.tensors):
        raise Unsupported(f"state of an operator inside of sub-graph {index}")
    calls.left -= 1 + len(graph.operators)
    if calls.left < 0 or calls.depth >= _DEEPEST:
        raise Unsupported("sub-graphs that call each other, or are called, too often")
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
