# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Groups of selected layers: Arm NN's shapes, and random graphs against brute force."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from armnn_py import Network, TensorInfo, UnaryOperation
from armnn_py.network import Layer, OutputSlot
from armnn_py.optimizer.graph import Graph, Node
from armnn_py.optimizer.subgraphs.subgraph_selection import SubgraphView, select_subgraphs


def build(wiring: Mapping[str, Sequence[str]]) -> Graph:
    """A graph from "name: names of what it reads" in topological order.

    A name with "m" is selected by the tests, one with "x" is not; "i" is an Input. What nobody
    reads goes to an Output. Nodes may read one or two others.
    """
    network = Network("shape")
    slots: dict[str, Layer | OutputSlot] = {}
    read: set[str] = set()
    for name, sources in wiring.items():
        read.update(sources)
        operands = [slots[source] for source in sources]
        if not operands:
            slots[name] = network.add_input(name, TensorInfo((2,)))
        elif len(operands) == 1:
            slots[name] = network.add_elementwise_unary(operands[0], UnaryOperation.NEG, name=name)
        else:
            slots[name] = operands[0]
            for position, operand in enumerate(operands[1:], 2):
                label = name if position == len(operands) else f"{name}'{position}"
                slots[name] = network.add_addition(slots[name], operand, name=label)
    for name in wiring:
        if name not in read:
            network.add_output(f"out {name}", slots[name])
    return Graph.from_network(network)


def chosen(node: Node) -> bool:
    return node.name.startswith("m")


def select(wiring: Mapping[str, Sequence[str]]) -> list[list[str]]:
    return [[node.name for node in view.nodes] for view in select_subgraphs(build(wiring), chosen)]


def test_empty_graph() -> None:
    assert select_subgraphs(Graph("empty"), lambda node: True) == []


def test_no_match() -> None:
    assert select({"i": [], "x0": ["i"], "x1": ["x0"]}) == []


def test_host_layers_belong_to_no_group() -> None:
    graph = build({"i": [], "m0": ["i"]})
    (view,) = select_subgraphs(graph, lambda node: True)
    assert [node.name for node in view.nodes] == ["m0"]


def test_single_match() -> None:
    assert select({"i": [], "x0": ["i"], "m": ["x0"], "x1": ["m"]}) == [["m"]]


def test_chain_is_one_group() -> None:
    assert select({"i": [], "m0": ["i"], "m1": ["m0"], "m2": ["m1"]}) == [["m0", "m1", "m2"]]


def test_two_disjoint_parts() -> None:
    assert select({"i": [], "m0": ["i"], "j": [], "m1": ["j"]}) == [["m0"], ["m1"]]


def test_parts_apart_in_a_chain() -> None:
    wiring = {"i": [], "m0": ["i"], "x": ["m0"], "m1": ["x"], "m2": ["m1"]}
    assert select(wiring) == [["m0"], ["m1", "m2"]]


def test_island_between_two_branches() -> None:
    wiring = {
        "i": [], "m0": ["i"], "m1": ["m0"], "m2": ["m1"], "m3": ["m2"],
        "m4": ["m0"], "x1": ["m4"], "m5": ["x1"], "m6": ["m3", "m5"],
    }  # fmt: skip
    assert select(wiring) == [["m0", "m1", "m2", "m3", "m4"], ["m5", "m6"]]


def test_two_islands_one_behind_the_other() -> None:
    wiring = {
        "i": [], "m0": ["i"], "x1": ["m0"], "m1": ["m0"], "m2": ["m1", "x1"],
        "x2": ["m2"], "m3": ["m2"], "m4": ["m3", "x2"],
    }  # fmt: skip
    assert select(wiring) == [["m0", "m1"], ["m2", "m3"], ["m4"]]


def test_a_merge_takes_the_one_that_it_can() -> None:
    wiring = {
        "i": [], "x1": ["i"], "m1": ["x1"], "x2": ["m1"], "m2": ["m1"],
        "j": [], "m0": ["j"], "m3'": ["m2", "x2"], "m3": ["m3'", "m0"],
    }  # fmt: skip
    assert select(wiring) == [["m1", "m2"], ["m0", "m3'", "m3"]]


def test_a_late_join_reaches_those_who_depend_on_the_group() -> None:
    # m1 brings the group of m0 behind xa only when xb is there already: m2 must not join it.
    wiring = {
        "i": [], "j": [], "m9": ["j"], "xa": ["m9"], "m0": ["i"], "xb": ["m0"],
        "m1": ["m0", "xa"], "m2": ["xb", "m9"],
    }  # fmt: skip
    assert select(wiring) == [["m9"], ["m0", "m1"], ["m2"]]


def test_borders_are_sorted_and_each_once() -> None:
    network = Network("borders")
    second = network.add_input("b", TensorInfo((2,)))
    first = network.add_input("a", TensorInfo((2,)))
    one = network.add_constant([1.0, 2.0], name="one")
    total = network.add_addition(first, second, name="m total")
    again = network.add_addition(total, first, name="m again")
    shifted = network.add_addition(again, one, name="m shifted")
    network.add_output("y", network.add_addition(total, shifted, name="x join"))
    network.add_output("z", total)
    (view,) = select_subgraphs(Graph.from_network(network), chosen)
    assert [node.name for node in view.nodes] == ["m total", "m again", "m shifted"]
    assert [value.node.name for value in view.inputs] == ["b", "a"]
    assert [value.node.name for value in view.outputs] == ["m total", "m shifted"]


# ---- Random graphs -------------------------------------------------------------------------------


def random_wiring(rng: random.Random, count: int) -> dict[str, list[str]]:
    wiring: dict[str, list[str]] = {f"i{k}": [] for k in range(rng.randint(1, 3))}
    share = rng.choice([0.3, 0.5, 0.8])
    reach = rng.choice([3, 6, count])
    for k in range(count):
        known = list(wiring)[-reach:]
        sources = rng.sample(known, min(len(known), rng.randint(1, 2)))
        wiring[f"{'m' if rng.random() < share else 'x'}{k}"] = sources
    return wiring


def contracted(graph: Graph, views: Sequence[SubgraphView]) -> dict[object, set[object]]:
    """The readers of each node when each view is one node."""
    place: dict[Node, object] = {node: node for node in graph}
    for number, view in enumerate(views):
        place.update(dict.fromkeys(view.nodes, number))
    readers: dict[object, set[object]] = {place[node]: set() for node in graph}
    for node in graph:
        for value in node.inputs:
            if value is not None and place[value.node] != place[node]:
                readers[place[value.node]].add(place[node])
    return readers


def has_cycle(readers: Mapping[object, set[object]]) -> bool:
    """By brute force: a node that can be reached from itself."""
    for start in readers:
        seen: set[object] = set()
        waiting = list(readers[start])
        while waiting:
            node = waiting.pop()
            if node == start:
                return True
            if node not in seen:
                seen.add(node)
                waiting += readers[node]
    return False


@pytest.mark.parametrize("seed", range(120))
def test_random_graphs(seed: int) -> None:
    rng = random.Random(seed)
    graph = build(random_wiring(rng, rng.randint(4, 24)))
    views = select_subgraphs(graph, chosen)
    assert sorted(node.name for view in views for node in view.nodes) == sorted(
        node.name for node in graph if chosen(node)
    )
    readers = contracted(graph, views)
    assert not has_cycle(readers)
    for first in range(len(views)):
        for second in range(len(views)):
            if second in readers[first]:
                one = SubgraphView(views[first].nodes + views[second].nodes, (), ())
                rest = [view for k, view in enumerate(views) if k not in (first, second)]
                assert has_cycle(contracted(graph, [one, *rest])), "the two could be one"
    for view in views:
        assert list(view.nodes) == [node for node in graph if node in view.nodes]
        assert set(view.inputs) == {
            value
            for node in view.nodes
            for value in node.inputs
            if value is not None and value.node not in view.nodes
        }
        assert set(view.outputs) == {
            value
            for node in view.nodes
            for value in node.outputs
            if any(user not in view.nodes for user, _ in value.users)
        }
