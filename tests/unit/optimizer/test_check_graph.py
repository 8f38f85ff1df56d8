# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The checker finds every way to break a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import ReshapeDescriptor
from armnn_py.optimizer.check_graph import find_graph_problems
from armnn_py.optimizer.graph import Graph, Node
from armnn_py.testing.random_networks import random_network

if TYPE_CHECKING:
    from collections.abc import Callable


def make() -> Graph:
    network = ann.Network("five")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    a = network.add_reshape(x, (6,), name="a")
    k = network.add_constant(np.ones(6, np.float32), name="k")
    b = network.add_addition(a, k, name="b")
    network.add_output("y", b)
    return Graph.from_network(network)


def forget_user(graph: Graph, nodes: dict[str, Node]) -> None:
    del nodes["k"].output.users[nodes["b"], 1]


def invent_user(graph: Graph, nodes: dict[str, Node]) -> None:
    nodes["x"].output.users[nodes["y"], 0] = None
    nodes["a"].output.users.clear()


def cycle(graph: Graph, nodes: dict[str, Node]) -> None:
    graph.set_input(nodes["a"], 0, nodes["b"].output)


def wrong_info(graph: Graph, nodes: dict[str, Node]) -> None:
    nodes["b"].output.info = ann.TensorInfo((6,), ann.DataType.FLOAT16)


def wrong_descriptor(graph: Graph, nodes: dict[str, Node]) -> None:
    nodes["a"].descriptor = ReshapeDescriptor((3, 2))


def wrong_values(graph: Graph, nodes: dict[str, Node]) -> None:
    nodes["k"].value = np.ones(5, np.float32)


def open_values(graph: Graph, nodes: dict[str, Node]) -> None:
    nodes["k"].value = np.ones(6, np.float32)


def no_values(graph: Graph, nodes: dict[str, Node]) -> None:
    nodes["k"].value = None


def no_output(graph: Graph, nodes: dict[str, Node]) -> None:
    graph.remove(nodes["y"])


def no_name(graph: Graph, nodes: dict[str, Node]) -> None:
    nodes["a"].name = ""


def two_of_a_name(graph: Graph, nodes: dict[str, Node]) -> None:
    graph.add(ann.LayerType.OUTPUT, [nodes["a"].output], name="y", near=nodes["y"], infos=[])


def missing_operand(graph: Graph, nodes: dict[str, Node]) -> None:
    graph.set_input(nodes["b"], 1, None)


def stranger(graph: Graph, nodes: dict[str, Node]) -> None:
    other = {node.name: node for node in make()}
    graph.set_input(nodes["b"], 1, other["k"].output)


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (forget_user, "is not known to 'k'"),
        (invent_user, "is said to be read by 'y', which does not"),
        (cycle, "a cycle through"),
        (wrong_info, "output 0 stated as float16"),
        (wrong_descriptor, "output 0 stated as 6, but it is 3x2"),
        (wrong_values, "do not fit"),
        (open_values, "not dense and read-only"),
        (no_values, "has no values"),
        (no_output, "has no outputs"),
        (no_name, "a Reshape has no name"),
        (two_of_a_name, "2 outputs are called 'y'"),
        (missing_operand, "operand 'y' is missing"),
        (stranger, "cycle|not in the graph"),
    ],
)
def test_each_breach_is_found(
    break_it: Callable[[Graph, dict[str, Node]], None], words: str
) -> None:
    graph = make()
    nodes = {node.name: node for node in graph}
    assert find_graph_problems(graph) == []
    break_it(graph, nodes)
    problems = "\n".join(find_graph_problems(graph))
    assert any(word in problems for word in words.split("|")), problems


def test_backends_are_asked_for_only_when_they_are_due() -> None:
    graph = make()
    assert find_graph_problems(graph, backends=True) == [
        "layer 'a' (Reshape) has no backend",
        "layer 'b' (Addition) has no backend",
    ]
    for node in graph:
        node.backend = None if node.is_host else "CpuRef"
    assert find_graph_problems(graph, backends=True) == []


def test_networks_as_they_come_are_well_formed() -> None:
    for seed in range(20):
        assert find_graph_problems(Graph.from_network(random_network(seed))) == []
