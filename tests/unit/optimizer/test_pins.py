# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that rules or hints want on different backends never become one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import Placement, PlacementRule
from armnn_py.descriptors import ElementwiseUnaryDescriptor
from armnn_py.optimizer.assignment.assign import assign_nodes
from armnn_py.optimizer.assignment.candidates import pin_nodes
from armnn_py.optimizer.graph import NO_PIN, Graph, Pin
from armnn_py.optimizer.passes import SIMPLIFYING, PassLog
from armnn_py.optimizer.passes.base import may_merge
from armnn_py.types import LayerType, UnaryOperation

F = ann.ActivationFunction
NHWC = ann.DataLayout.NHWC
ONES = np.ones(4, np.float32)
WEIGHTS = np.ones((4, 3, 3, 4), np.float32)
EDGES = np.array([0, 0, 1, 2, 3, 4, 5, 6, 7, 7], np.int32)

Build = Callable[[ann.Network, ann.Layer], ann.Layer]


def conv(n: ann.Network, x: ann.Layer, name: str) -> ann.Layer:
    return n.add_convolution2d(x, WEIGHTS, ONES, data_layout=NHWC, name=name)


def padded(n: ann.Network, x: ann.Layer) -> ann.Layer:
    return conv(n, n.add_pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)], name="one"), "other")


def edges(n: ann.Network, x: ann.Layer) -> ann.Layer:
    y = n.add_gather(x, EDGES, 1, name="one")
    return n.add_pooling2d(y, ann.PoolingAlgorithm.MAX, 3, data_layout=NHWC, name="other")


def normalized(n: ann.Network, x: ann.Layer) -> ann.Layer:
    y = conv(n, x, "other")
    return n.add_batch_normalization(y, *[ONES] * 4, data_layout=NHWC, name="one")


def multiplied_behind(n: ann.Network, x: ann.Layer) -> ann.Layer:
    return n.add_multiplication(conv(n, x, "other"), 2 * ONES, name="one")


def multiplied_before(n: ann.Network, x: ann.Layer) -> ann.Layer:
    return conv(n, n.add_multiplication(x, 2 * ONES, name="one"), "other")


def affine(n: ann.Network, x: ann.Layer) -> ann.Layer:
    return n.add_addition(n.add_multiplication(x, 2 * ONES, name="other"), ONES, name="one")


def depth_to_space(n: ann.Network, x: ann.Layer) -> ann.Layer:
    swapped = n.add_permute(x, (3, 1, 2, 0), name="one")
    crops = [(0, 0), (0, 0)]
    return n.add_batch_to_space_nd(swapped, (2, 2), crops, data_layout=NHWC, name="other")


def slices(n: ann.Network, x: ann.Layer) -> ann.Layer:
    y = n.add_slice(x, (0, 1, 0, 0), (1, 6, 8, 4), name="one")
    return n.add_slice(y, (0, 1, 1, 0), (1, 2, 2, 4), name="other")


def hard_swish(n: ann.Network, x: ann.Layer) -> ann.Layer:
    shifted = n.add_activation(x, F.LINEAR, 1.0, 3.0, name="shift")
    gate = n.add_activation(shifted, F.BOUNDED_RELU, 6.0, 0.0, name="one")
    return n.add_multiplication(x, gate, name="other")


def reshapes(n: ann.Network, x: ann.Layer) -> ann.Layer:
    return n.add_reshape(n.add_reshape(x, (4, 64), name="one"), (16, 16), name="other")


def siblings(n: ann.Network, x: ann.Layer) -> ann.Layer:
    return n.add_maximum(
        n.add_reshape(x, (4, 64), name="one"), n.add_reshape(x, (4, 64), name="other")
    )


def constants(n: ann.Network, x: ann.Layer) -> ann.Layer:
    number = n.add_constant(np.ones((2, 2), np.float32))
    return n.add_maximum(x, n.add_reshape(number, (1, 1, 1, 4), name="one"), name="other")


CASES: dict[str, tuple[str, Build]] = {
    "pad": ("fold-pad-into-convolution2d", padded),
    "edges": ("fold-edges-into-pooling2d", edges),
    "normalisation": ("fuse-batch-norm-into-convolution2d", normalized),
    "behind": ("fuse-affine-into-weights-before", multiplied_behind),
    "before": ("fuse-affine-into-weights-behind", multiplied_before),
    "affine": ("merge-affine-runs", affine),
    "depth to space": ("transpose-and-batch-to-space-as-depth-to-space", depth_to_space),
    "slices": ("merge-consecutive-slices", slices),
    "hard swish": ("recognize-hard-swish", hard_swish),
    "reshapes": ("merge-consecutive-reshapes", reshapes),
    "siblings": ("squash-equal-reshape-siblings", siblings),
    "constants": ("fold-constants", constants),
}


def after(case: str, *rules: PlacementRule) -> tuple[list[str], Graph]:
    """The log of the pass of a case on its network under some rules."""
    name, build = CASES[case]
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 8, 8, 4)))
    network.add_output("y", build(network, x))
    graph, log = Graph.from_network(network), PassLog()
    pin_nodes(graph, Placement(rules))
    next(one for one in SIMPLIFYING if one.name == name).run(graph, log)
    graph.to_network()[0].validate()
    return log.changes, graph


@pytest.mark.parametrize("case", CASES)
def test_a_layer_with_a_rule_of_its_own_stays(case: str) -> None:
    changes, _ = after(case)
    assert changes
    rule = PlacementRule("CpuRef", "one")
    assert len(after(case, rule)[0]) < len(changes)
    assert len(after(case, rule, PlacementRule("Other", "other"))[0]) < len(changes)


@pytest.mark.parametrize("case", CASES)
def test_layers_that_are_wanted_together_become_one(case: str) -> None:
    changes, graph = after(case, PlacementRule("CpuRef", "*"))
    assert len(changes) == len(after(case)[0])
    for node in graph:
        if not node.is_host:
            assert node.pin.backends == ("CpuRef",), node


def test_mergeable_pins() -> None:
    def merges(one: Pin, other: Pin) -> bool:
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo((2,)))
        network.add_output("y", network.add_activation(network.add_floor(x), F.TANH, 1.0, 1.0))
        first, second = (node for node in Graph.from_network(network) if not node.is_host)
        first.pin, second.pin = one, other
        return may_merge(first, second)

    hinted, ruled = Pin("A", backends=("A",)), Pin(rule=0, backends=("A",))
    strict = Pin(rule=1, backends=("A",), is_strict=True)
    assert merges(NO_PIN, NO_PIN)
    assert merges(NO_PIN, strict)
    assert merges(hinted, ruled)
    assert merges(ruled, strict)
    assert not merges(strict, ruled)
    assert not merges(hinted, NO_PIN)
    assert not merges(ruled, Pin(rule=0, backends=("A", "B")))


def conv_and_normalization() -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 8, 8, 4)))
    network.add_output("y", normalized(network, x))
    return network


def test_strict_rules_that_can_be_met_are_met(dozen_folder: Path) -> None:
    """Dozen has additions only: a product and a sum stay two layers for its sake."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 8, 8, 4)))
    y = network.add_activation(x, F.LINEAR, 2.0, 0.0, name="product")
    network.add_output("y", network.add_addition(y, y, name="sum"))
    rules = (PlacementRule("CpuRef", "product"), PlacementRule("Dozen", "sum"))
    with ann.Runtime(dozen_folder) as runtime:
        optimized = ann.optimize(
            network, ["CpuRef"], runtime=runtime, placement=Placement(rules, strict=True)
        )
    found = {row.layer: row.backend for row in optimized.assignment.layers if not row.inserted}
    assert found == {"product": "CpuRef", "sum": "Dozen"}


@pytest.mark.parametrize("is_strict", [False, True])
def test_two_rules_are_both_followed_and_reported(dozen_folder: Path, is_strict: bool) -> None:
    rules = (PlacementRule("CpuRef", "other"), PlacementRule(["Dozen", "CpuRef"], "one"))
    with ann.Runtime(dozen_folder) as runtime:
        assignment = ann.optimize(
            conv_and_normalization(),
            ["CpuRef"],
            runtime=runtime,
            placement=Placement(rules, strict=is_strict),
        ).assignment
    assert assignment.of("other").rule == "rule 1 (name 'other')"
    assert assignment.of("one").rule == "rule 2 (name 'one')"
    assert assignment.of("one").note == ""


def test_fused_layer_has_a_note_instead_of_the_rule(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(
        conv_and_normalization(), ["CpuRef"], runtime=runtime, placement={"other": "CpuRef"}
    )
    assert optimized.assignment.of("other").rule == "rule 1 (name 'other')"
    row = optimized.assignment.of("one")
    assert (row.rule, row.note) == (None, "fused into 'other'")


def test_a_constant_with_a_strict_rule_is_computed_where_it_is_wanted(
    runtime: ann.Runtime,
) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    made = network.add_activation(network.add_constant(ONES), F.TANH, 1.0, 1.0, name="made")
    network.add_output("y", network.add_maximum(x, made, name="max"))
    rules = (PlacementRule("CpuRef", "made"),)
    for placement, place in ((None, ""), (Placement(rules, strict=True), "CpuRef")):
        optimized = ann.optimize(network, ["CpuRef"], runtime=runtime, placement=placement)
        assert optimized.assignment.of("made").backend == place


def test_one_rule_for_all_costs_no_pass(runtime: ann.Runtime) -> None:
    network = conv_and_normalization()
    free = ann.optimize(network, ["CpuRef"], runtime=runtime)
    ruled = ann.optimize(
        network, ["CpuRef"], runtime=runtime, placement=Placement.of({"*": "CpuRef"})
    )
    assert [r.changes for r in free.passes] == [r.changes for r in ruled.passes]


@pytest.mark.parametrize("is_strict", [False, True])
def test_inserted_layers_follow_the_rule_if_supported(dozen_folder: Path, is_strict: bool) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    network.add_output("y", network.add_addition(x, x, name="sum"))
    graph = Graph.from_network(network)
    rules = Placement((PlacementRule("Dozen", "sum"),), strict=is_strict)
    pin_nodes(graph, rules)
    node = next(node for node in graph if not node.is_host)
    source = node.inputs[0]
    floor = ElementwiseUnaryDescriptor(UnaryOperation.FLOOR)
    added = graph.add(LayerType.ELEMENTWISE_UNARY, [source], floor, name="floor", near=node)
    graph.set_input(node, 0, added.output)
    with ann.Runtime(dozen_folder) as runtime:
        assign_nodes(graph, [runtime.backends["CpuRef"]], runtime.backends, rules=rules)
    assert (node.backend, added.backend) == ("Dozen", "CpuRef")
