# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The float16 option, conversions that cancel, and float32 for one layer.

CpuRef computes in float32; it has the conversions, and moves float16. So networks that move are
run, and where there is arithmetic the graph itself is looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.graph import Graph, Node
from armnn_py.optimizer.lowering.reduce_precision import (
    cancel_inverse_conversions,
    reduce_fp32_to_fp16,
    run_in_fp32,
)
from armnn_py.optimizer.passes import PassLog
from armnn_py.types import DataType, LayerType

from .fusions import random_inputs, run

HALF, SINGLE = DataType.FLOAT16, DataType.FLOAT32
TO_HALF, TO_SINGLE = "ConvertFp32ToFp16", "ConvertFp16ToFp32"


def types(graph: Graph) -> list[str]:
    return [node.shown_type.label for node in graph if not node.is_host]


def reduced(network: ann.Network) -> tuple[Graph, list[str]]:
    """The graph in float16 with as few conversions as can be, and what was said about it."""
    graph = Graph.from_network(network)
    log = PassLog()
    reduce_fp32_to_fp16(graph, log)
    cancel_inverse_conversions(graph, log)
    graph.to_network()[0].validate()
    return graph, log.changes


def node_of(graph: Graph, name: str) -> Node:
    (node,) = [node for node in graph if node.name == name]
    return node


def test_movement_runs_in_float16(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4)))
    y = network.add_transpose(x, (2, 0, 1), name="t")
    tail = np.full((4, 2, 1), 0.1, np.float32)
    network.add_output("y", network.add_concat([y, tail], axis=2, name="c"))
    network.add_output("copy", network.add_reshape(y, (24,)))
    graph, changes = reduced(network)
    assert sorted(types(graph)) == sorted(
        [TO_HALF, "Transpose", "Concat", "Reshape", TO_SINGLE, TO_SINGLE]
    )
    assert changes == ["3 layers and 1 constants turned to float16"]
    small = graph.to_network()[0]
    assert dict(small.inputs) == dict(network.inputs)
    assert dict(small.outputs) == dict(network.outputs)
    inputs = random_inputs(network)
    outputs = run(runtime, small, inputs)
    rounded = inputs["x"].astype(np.float16).astype(np.float32).transpose(2, 0, 1)
    tail = tail.astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(outputs["y"], np.concatenate([rounded, tail], axis=2))
    np.testing.assert_array_equal(outputs["copy"], rounded.reshape(24))


def test_arithmetic_and_constants() -> None:
    rng = np.random.default_rng(0)
    weights = network_weights = rng.standard_normal((4, 3, 3, 2)).astype(np.float32)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 5, 5, 2)))
    shared = network.add_constant(network_weights)
    a = network.add_convolution2d(x, shared, name="a")
    b = network.add_convolution2d(x, shared, stride=2, name="b")
    network.add_output("a out", a)
    network.add_output("largest", network.add_arg_min_max(b, ann.ArgMinMaxFunction.MAX, 3))
    graph, _ = reduced(network)
    assert types(graph).count(TO_HALF) == 1
    assert types(graph).count(TO_SINGLE) == 1
    for name in ("a", "b"):
        node = node_of(graph, name)
        assert [value.info.data_type for value in node.inputs if value] == [HALF, HALF]
        assert node.output.info.data_type is HALF
    (constant,) = [node.value for node in graph if node.value is not None]
    np.testing.assert_array_equal(constant, weights.astype(np.float16))


def test_numbers_beyond_float16_are_cut() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4,)))
    mask = network.add_constant(np.array([-1e9, 1e9, -np.inf, 1.0], np.float32), name="mask")
    network.add_output("y", network.add_addition(x, mask))
    graph, changes = reduced(network)
    (constant,) = [node.value for node in graph if node.value is not None]
    np.testing.assert_array_equal(constant, np.array([-65504, 65504, -np.inf, 1], np.float16))
    assert "2 numbers of constant 'mask' cut to 65504" in changes


def test_a_layer_that_cannot_stays_between_conversions() -> None:
    """What the network itself converts keeps its meaning; integers are left alone."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,), HALF))
    n = network.add_input("n", ann.TensorInfo((3,), DataType.SIGNED32))
    single = network.add_layer(LayerType.CONVERT_FP16_TO_FP32, [x], name="up")
    y = network.add_addition(single, np.ones(3, np.float32), name="add")
    network.add_output("y", network.add_layer(LayerType.CONVERT_FP32_TO_FP16, [y], name="down"))
    network.add_output("m", network.add_addition(n, n, name="whole"))
    graph, _ = reduced(network)
    assert sorted(types(graph)) == ["Addition", "Addition"]
    assert node_of(graph, "add").output.info.data_type is HALF
    assert node_of(graph, "whole").output.info.data_type is DataType.SIGNED32


def test_input_straight_to_output_keeps_all_bits() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,)))
    network.add_output("y", x)
    network.add_output("c", network.add_constant(np.float32([1e-30, 1e30])))
    graph, changes = reduced(network)
    assert types(graph) == []
    assert changes == []


@pytest.mark.parametrize("own", [True, False])
def test_rounding_that_the_network_asks_for_stays(own: bool) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,)))
    half = network.add_layer(LayerType.CONVERT_FP32_TO_FP16, [x], name="down")
    network.add_output("y", network.add_layer(LayerType.CONVERT_FP16_TO_FP32, [half], name="up"))
    graph = Graph.from_network(network)
    if not own:
        node_of(graph, "up").origins = ()
    cancel_inverse_conversions(graph, log := PassLog())
    assert types(graph) == ([TO_HALF, TO_SINGLE] if own else [])
    assert len(log.changes) == (0 if own else 1)


def test_there_and_back_again_from_float16() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,), HALF))
    single = network.add_layer(LayerType.CONVERT_FP16_TO_FP32, [x], name="up")
    network.add_output("y", network.add_layer(LayerType.CONVERT_FP32_TO_FP16, [single]))
    network.add_output("single", single)
    graph = Graph.from_network(network)
    cancel_inverse_conversions(graph, PassLog())
    assert types(graph) == [TO_SINGLE]  # somebody else reads it


def half_network() -> tuple[ann.Network, Any]:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3), HALF))
    c = np.arange(6, dtype=np.float16).reshape(2, 3)
    y = network.add_addition(x, network.add_constant(c, name="c"), name="first")
    network.add_output("y", network.add_multiplication(y, x, name="second"))
    network.add_output("z", y)
    return network, c


def test_rescue(runtime: ann.Runtime) -> None:
    network, c = half_network()
    graph = Graph.from_network(network)
    added = [
        node for name in ("first", "second") for node in run_in_fp32(graph, node_of(graph, name))
    ]
    # x is converted once; between the two layers it is there and back
    assert sorted(node.shown_type.label for node in added) == [TO_SINGLE] * 2 + [TO_HALF] * 2
    cancel_inverse_conversions(graph, PassLog())
    rescued = graph.to_network()[0]
    rescued.validate()
    assert dict(rescued.outputs) == dict(network.outputs)
    inputs = random_inputs(network)
    x = inputs["x"].astype(np.float32)
    outputs = run(runtime, rescued, inputs)
    first = x + c.astype(np.float32)
    np.testing.assert_array_equal(outputs["z"], first.astype(np.float16))
    np.testing.assert_array_equal(outputs["y"], (first * x).astype(np.float16))
    assert types(graph).count(TO_SINGLE) == 1
    assert [origin.name for origin in node_of(graph, "first").origins] == ["first"]


def test_rescue_leaves_a_shared_constant() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3,), HALF))
    c = network.add_constant(np.ones(3, np.float16))
    network.add_output("a out", network.add_addition(x, c, name="a"))
    network.add_output("b out", network.add_addition(x, c, name="b"))
    graph = Graph.from_network(network)
    run_in_fp32(graph, node_of(graph, "a"))
    kinds = sorted(node.output.info.data_type for node in graph if node.value is not None)
    assert kinds == [HALF, SINGLE]
    assert node_of(graph, "b").output.info.data_type is HALF
