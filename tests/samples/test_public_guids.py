# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A layer has one guid wherever a backend meets it: that of the user's layer it stands for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py._native.layers.subgraph import LayerData
from armnn_py.optimizer import edges
from armnn_py.optimizer.graph import Graph, Node, Origin
from armnn_py.optimizer.subgraphs import subgraph_work
from armnn_py.optimizer.subgraphs.subgraph_selection import SubgraphView

F = ann.ActivationFunction
BEYOND = 1 << 32


def network_of() -> ann.Network:
    """Layers that go, are inserted and become one: the optimised network counts otherwise."""
    network = ann.Network("counted")
    x = network.add_input("x", ann.TensorInfo((1, 8)))
    x = network.add_reshape(network.add_reshape(x, (8, 1)), (1, 8), name="same")
    x = network.add_activation(x, F.RELU, name="relu", backend="Sample_Zero")
    x = network.add_multiplication(x, np.full((1, 8), 2, np.float32), name="double")
    x = network.add_addition(x, np.ones((1, 8), np.float32), name="more")
    x = network.add_activation(x, F.TANH, 1.0, 1.0, name="tanh", backend="CpuRef")
    network.add_output(
        "y", network.add_activation(x, F.SIGMOID, 1.0, name="last", backend="Sample_Zero")
    )
    return network


@pytest.fixture
def zero(sample_backend: Callable[[str], Path]) -> ann.Runtime:
    return ann.Runtime(sample_backend("sample_zero").parent)


def test_everywhere(zero: ann.Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    in_parts: dict[str, int] = {}
    in_memory: dict[str, int] = {}
    of_node, of_view = edges._layer_data, subgraph_work.subgraph_data

    def layer_data(node: Node, guid: int) -> LayerData:
        in_memory[node.name] = guid
        return of_node(node, guid)

    def subgraph_data(graph: Graph, view: SubgraphView) -> object:
        data = of_view(graph, view)
        in_parts.update((layer.name, layer.guid) for layer in data.layers)
        return data

    monkeypatch.setattr(edges, "_layer_data", layer_data)
    monkeypatch.setattr(subgraph_work, "subgraph_data", subgraph_data)
    network = network_of()
    x = np.linspace(-2, 2, 8, dtype=np.float32).reshape(1, 8)
    with zero, ann.load(network, ["Sample_Zero", "CpuRef"], runtime=zero) as net:
        with net.profile() as profile:
            net.run(x)
        rows = {row.guid: row for row in net.assignment if row.guid is not None}
        at_load = {event.id: event for event in profile.events if event.phase == "begin"}
    of_name = {layer.name: layer.guid for layer in network.layers}
    assert {"relu", "last", "tanh"} <= in_memory.keys()
    for name, guid in (*in_parts.items(), *in_memory.items()):
        assert guid >= BEYOND or guid == of_name[rows[guid].layer if guid in rows else name]
        assert in_parts.get(name, guid) == in_memory.get(name, guid)
    assert {rows[guid].layer for guid in at_load} >= {"relu", "last"}
    for guid, event in at_load.items():
        assert event.layer == rows[guid].run_by


def test_a_number_of_its_own() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2,)))
    first = network.add_floor(x, name="first")
    network.add_output("y", network.add_floor(first, name="second"))
    graph = Graph.from_network(network)
    one, two = (node for node in graph if not node.is_host)
    assert graph.guids.of(one) == first.guid
    added = graph.add(one.type, [one.inputs[0]], one.descriptor, name="added", near=one)
    assert graph.guids.of(added) >= BEYOND
    # Two that stand for one layer, as the halves of a split do.
    twin = graph.add(
        one.type, [one.inputs[0]], one.descriptor, name="twin", near=one, origins=one.origins
    )
    assert graph.guids.of(twin) >= BEYOND
    assert len({graph.guids.of(node) for node in graph}) == len(graph)
    # What takes its place takes its number, too; what is known already stays.
    heir = graph.add(one.type, [one.inputs[0]], one.descriptor, name="heir", near=one)
    graph.substitute(one, heir)
    assert graph.guids.of(heir) == first.guid
    graph.adopt(two, heir)
    assert graph.guids.of(heir) == first.guid


def test_of_several_the_first_of_its_own_type() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2,)))
    network.add_output("y", network.add_floor(x, name="floor"))
    graph = Graph.from_network(network)
    (node,) = (node for node in graph if not node.is_host)
    node.origins = tuple(
        Origin(guid, name, kind)
        for guid, name, kind in (
            (3, "constant", ann.LayerType.CONSTANT),
            (4, "factor folded into it", ann.LayerType.ELEMENTWISE_BINARY),
            (7, "later", ann.LayerType.FLOOR),
            (5, "sooner", ann.LayerType.FLOOR),
        )
    )
    assert graph.guids.of(node) == 5


def test_of_several_of_other_types_the_first_that_a_backend_runs() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2,)))
    network.add_output("y", network.add_floor(x, name="floor"))
    graph = Graph.from_network(network)
    (node,) = (node for node in graph if not node.is_host)
    node.origins = (
        Origin(3, "constant", ann.LayerType.CONSTANT),
        Origin(9, "later", ann.LayerType.ELEMENTWISE_BINARY),
        Origin(8, "sooner", ann.LayerType.ACTIVATION),
    )
    assert graph.guids.of(node) == 8
