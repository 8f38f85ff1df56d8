# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The rules of a graph, all breaches at once: a check that a pass left it well formed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from armnn_py.errors import LayerValidationError
from armnn_py.network import shapes
from armnn_py.text import with_article
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from armnn_py.optimizer.graph import Graph, Node


def find_graph_problems(graph: Graph, *, backends: bool = False) -> list[str]:
    """Return the faults of a graph, a sentence for each.

    Parameters
    ----------
    backends
        Demand that every node but Inputs, Outputs and Constants has a backend.
    """
    try:
        nodes = graph.nodes
    except AssertionError as error:  # a cycle, or lists of users that do not agree
        return [str(error)]
    problems = _network_problems(nodes)
    place = {node: index for index, node in enumerate(nodes)}
    for node in nodes:
        problems += _connection_problems(place, node)
        problems += _value_problems(node)
        if backends and node.backend is None and not node.is_host:
            problems.append(f"{_named(node)} has no backend")
    return problems


def _named(node: Node) -> str:
    return f"layer '{node.name}' ({node.shown_type.label})"


def _network_problems(nodes: list[Node]) -> list[str]:
    problems = []
    if not any(node.type is LayerType.OUTPUT for node in nodes):
        problems.append("the graph has no outputs")
    for layer_type, what in ((LayerType.INPUT, "input"), (LayerType.OUTPUT, "output")):
        names = Counter(
            node.name for node in nodes if node.type is layer_type and node.variable is None
        )
        problems += [f"{n} {what}s are called '{name}'" for name, n in names.items() if n > 1]
    problems += [
        f"{with_article(node.shown_type.label)} has no name" for node in nodes if not node.name
    ]
    return problems


def _connection_problems(place: dict[Node, int], node: Node) -> Iterator[str]:
    what = _named(node)
    for index, value in enumerate(node.inputs):
        if value is None:
            continue
        if value.node not in place:
            yield f"{what} reads from '{value.node.name}', which is not in the graph"
        elif place[value.node] >= place[node]:
            yield f"{what} reads from '{value.node.name}', which comes behind it"
        if not any(value is output for output in value.node.outputs):
            yield f"{what} reads a value that is not an output of '{value.node.name}'"
        if (node, index) not in value.users:
            yield f"{what} is not known to '{value.node.name}', from which it reads"
    for number, value in enumerate(node.outputs):
        if value.node is not node or value.index != number:
            yield f"{what}: output {number} says it is output {value.index} of '{value.node.name}'"
        for user, index in value.users:
            if user not in place:
                yield f"{what} is said to be read by '{user.name}', which is not in the graph"
            elif index >= len(user.inputs) or user.inputs[index] is not value:
                yield f"{what} is said to be read by '{user.name}', which does not"


def _value_problems(node: Node) -> Iterator[str]:
    what = _named(node)
    if node.type is LayerType.CONSTANT:
        info, array = node.output.info, node.value
        if array is None:
            yield f"{what} has no values"
        elif (array.shape, array.dtype) != (info.array_shape, info.array_dtype):
            yield f"{what}: values of {array.dtype} {array.shape} do not fit {info!r}"
        elif array.flags.writeable or not array.flags.c_contiguous:
            yield f"{what}: its values are not dense and read-only"
        return
    if node.value is not None:
        yield f"{what} has values, as only a Constant has"
    if node.type is LayerType.INPUT:
        return
    if node.type is LayerType.OUTPUT:
        if len(node.inputs) != 1 or node.inputs[0] is None:
            yield f"{what} reads {len(node.inputs)} values, one expected"
        elif node.is_assign and node.variable is not None:
            initial = node.variable.initial
            info = node.inputs[0].info
            if info.shape != initial.shape or info.dtype != initial.dtype:
                yield f"{what}: {info!r} does not fit variable '{node.variable.name}'"
        return
    stated = [value.info for value in node.outputs]
    try:
        found = shapes.infer(
            node.type,
            node.descriptor,
            [None if value is None else value.info for value in node.inputs],
            node.constants,
            outputs=stated,
            layer=node.name,
        )
    except LayerValidationError as error:
        yield error.message
        return
    for index, (ours, theirs) in enumerate(zip(found, stated, strict=True)):
        if ours != theirs:
            yield f"{what}: output {index} is {theirs!r}, but {ours!r} was inferred"
