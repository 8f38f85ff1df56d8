# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Identities and dead layers: what goes, and what only looks as if it might."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.run_passes import PassRecord, run_passes

from .fusions import pass_named, random_inputs, run, types

if TYPE_CHECKING:
    from collections.abc import Callable

REMOVE_DEAD_LAYERS = pass_named("remove-dead-layers")
REMOVE_IDENTITIES = pass_named("remove-identities")
IMAGE = (1, 4, 6, 3)
ONES, THREE_ONES = np.ones((1, 1), np.float32), np.ones(3, np.float32)
MAX, L2 = ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.L2
NEAREST = ann.ResizeMethod.NEAREST_NEIGHBOR
SUM = ann.ReduceOperation.SUM

IDENTITIES: dict[str, Callable[[ann.Network, ann.Layer], ann.Layer]] = {
    "reshape": lambda n, x: n.add_reshape(x, IMAGE),
    "cast": lambda n, x: n.add_cast(x, ann.DataType.FLOAT32),
    "transpose": lambda n, x: n.add_transpose(x, (0, 1, 2, 3)),
    "permute": lambda n, x: n.add_permute(x, (0, 1, 2, 3)),
    "pad": lambda n, x: n.add_pad(x, [(0, 0)] * 4, value=1.0),
    "concat": lambda n, x: n.add_concat([x], 2),
    "split": lambda n, x: n.add_split(x, 1, 2),
    "slice": lambda n, x: n.add_slice(x, (0, 0, 0, 0), IMAGE),
    "strided slice": lambda n, x: n.add_strided_slice(x, (0, -4, 0, 0), (1, 4, 9, 3)),
    "tile": lambda n, x: n.add_tile(x, (1, 1, 1, 1)),
    "broadcast": lambda n, x: n.add_broadcast_to(x, IMAGE),
    "shuffle": lambda n, x: n.add_channel_shuffle(x, 3, 3),
    "depth to space": lambda n, x: n.add_depth_to_space(x, 1),
    "space to batch": lambda n, x: n.add_space_to_batch_nd(x, [1, 1], [(0, 0), (0, 0)]),
    "pooling": lambda n, x: n.add_pooling2d(x, MAX, 1, stride=1),
    "resize": lambda n, x: n.add_resize(x, (4, 6), NEAREST, half_pixel_centers=True),
    "mean of one": lambda n, x: n.add_mean(x, [0], keep_dims=True),
    "times one": lambda n, x: n.add_multiplication(x, THREE_ONES),
    "divided by one": lambda n, x: n.add_division(x, ONES),
}

NEAR_MISSES: dict[str, Callable[[ann.Network, ann.Layer], ann.Layer]] = {
    "reshape": lambda n, x: n.add_reshape(x, (1, 6, 4, 3)),
    "cast": lambda n, x: n.add_cast(x, ann.DataType.FLOAT16),
    "transpose": lambda n, x: n.add_transpose(x, (0, 2, 1, 3)),
    "pad": lambda n, x: n.add_pad(x, [(0, 0), (0, 0), (0, 0), (0, 1)]),
    "concat": lambda n, x: n.add_concat([x, x], 0),
    "slice": lambda n, x: n.add_slice(x, (0, 1, 0, 0), (1, 3, 6, 3)),
    "strided slice": lambda n, x: n.add_strided_slice(
        x, (0, 3, 0, 0), (1, -9, 6, 3), (1, -1, 1, 1)
    ),
    "shuffle": lambda n, x: n.add_channel_shuffle(x, 2, 2),
    "pooling of squares": lambda n, x: n.add_pooling2d(x, L2, 1, stride=1),
    "padded pooling": lambda n, x: n.add_pooling2d(x, MAX, 3, stride=1, padding="same"),
    "mean": lambda n, x: n.add_mean(x, [3], keep_dims=True),
    "mean without its dimension": lambda n, x: n.add_mean(x, [0]),
    "times almost one": lambda n, x: n.add_multiplication(x, np.float32([1, 1, 2])),
    "one by x": lambda n, x: n.add_division(THREE_ONES, x),
    "plus one": lambda n, x: n.add_addition(x, THREE_ONES),
    "plus zero": lambda n, x: n.add_addition(x, np.zeros(3, np.float32)),  # -0 + 0 is 0
    "to the power of one": lambda n, x: n.add_power(x, ONES),
    "relu": lambda n, x: n.add_activation(x, ann.ActivationFunction.RELU),
}


def apply(add: Callable[[ann.Network, ann.Layer], ann.Layer]) -> tuple[Graph, PassRecord]:
    network = ann.Network("n")
    x = network.add_activation(
        network.add_input("x", ann.TensorInfo(IMAGE)), ann.ActivationFunction.TANH, 1.0, 1.0
    )
    network.add_output("y", add(network, x))
    graph = Graph.from_network(network)
    (record,) = run_passes(graph, [REMOVE_IDENTITIES], validate=True)
    return graph, record


@pytest.mark.parametrize("add", IDENTITIES.values(), ids=IDENTITIES)
def test_identities_are_removed(add: Any) -> None:
    graph, record = apply(add)
    assert types(graph) == ["Activation"]
    (origin,) = [one for one in graph.removed if one.type is not ann.LayerType.CONSTANT]
    assert graph.removed[origin] == "remove-identities"
    assert record.changes == (
        f"'{origin.name}' ({origin.type.label}) hands on what it reads, and is gone",
    )


@pytest.mark.parametrize("add", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_effective_layers_stay(add: Any) -> None:
    graph, record = apply(add)
    assert not record.changes
    assert len(types(graph)) == 2


def test_scales_that_differ_are_something() -> None:
    network = ann.Network("n")
    info = ann.TensorInfo((4,), ann.DataType.QASYMM_U8, ann.QuantizationInfo(0.5))
    x = network.add_input("x", info)
    other = ann.QuantizationInfo(0.25)
    network.add_output("y", network.add_quantize(x, ann.DataType.QASYMM_U8, other))
    network.add_output(
        "z",
        network.add_multiplication(x, network.add_constant(np.ones(4, np.uint8)), output_info=info),
    )
    graph = Graph.from_network(network)
    (record,) = run_passes(graph, [REMOVE_IDENTITIES], validate=True)
    assert not record.changes


def test_outputs_keep_name_and_info_when_nothing_is_between(runtime: ann.Runtime) -> None:
    """An input, and a constant, handed out as they are, twice."""
    network = ann.Network("n")
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    known = network.add_constant(np.arange(6, dtype=np.float32).reshape(2, 3))
    network.add_output("y", network.add_reshape(x, (2, 3)))
    network.add_output("again", network.add_slice(x, (0, 0), (2, 3)))
    network.add_output("known", network.add_tile(known, (1, 1)))
    graph = Graph.from_network(network)
    run_passes(graph, [REMOVE_IDENTITIES], validate=True)
    assert types(graph) == []
    result = graph.to_network()[0]
    assert result.outputs == network.outputs
    inputs = random_inputs(network)
    found = run(runtime, result, inputs)
    for name, array in run(runtime, network, inputs).items():
        np.testing.assert_array_equal(found[name], array)


def test_dead_layers_go_and_inputs_stay() -> None:
    network = ann.Network("n")
    x, unread = (network.add_input(name, ann.TensorInfo((4,))) for name in ("x", "unread"))
    half = network.add_activation(unread, ann.ActivationFunction.RELU, name="dead")
    network.add_addition(half, np.ones(4, np.float32), name="dead too")
    parts = network.add_split(x, 2, 0, name="half read")
    network.add_output("y", parts.outputs[1])
    graph = Graph.from_network(network)
    (record,) = run_passes(graph, [REMOVE_DEAD_LAYERS], validate=True)
    assert record.changes == (
        "layer 'dead' is unused and was removed",
        "layer 'dead too' is unused and was removed",
    )
    assert [node.name for node in graph] == ["x", "unread", "half read", "y"]
    assert {origin.name for origin in graph.removed} >= {"dead", "dead too"}
