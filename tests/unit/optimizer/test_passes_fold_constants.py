# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers of constants computed at once: what folds, what does not, and to which values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.passes import PassLog

from .fusions import apply, evaluator, pass_named, random_inputs, run, types

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLD_CONSTANTS = pass_named("fold-constants")
VALUES = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def folded(network: ann.Network, log: PassLog | None = None) -> tuple[Graph, list[NDArray[Any]]]:
    """The graph after the pass, and the constants in it."""
    graph, _ = apply(network, FOLD_CONSTANTS, log)
    return graph, [node.value for node in graph if node.value is not None]


def test_movements_need_no_backend() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((4, 6)))
    y = network.add_permute(network.add_constant(VALUES), (1, 2, 0), name="permute")
    y = network.add_transpose(y, (1, 2, 0), name="transpose")
    y = network.add_reshape(y, (4, 6), name="reshape")
    network.add_output("y", network.add_addition(x, y))
    graph, constants = folded(network)
    assert types(graph) == ["ElementwiseBinary"]
    expected = VALUES.transpose(2, 0, 1).transpose(1, 2, 0).reshape(4, 6)
    np.testing.assert_array_equal(constants[0], expected)
    assert {origin.name for origin in graph.removed} == {"permute", "transpose", "reshape"}
    assert set(graph.removed.values()) == {"fold-constants"}


def test_equal_layers_of_one_constant_are_computed_once() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((6, 4)))
    constant = network.add_constant(VALUES.reshape(4, 6))
    for number in range(3):
        y = network.add_reshape(network.add_transpose(constant, (1, 0)), (6, 4))
        network.add_output(f"y{number}", network.add_addition(x, y))
    graph, constants = folded(network)
    assert types(graph) == ["ElementwiseBinary"] * 3
    (only,) = constants
    np.testing.assert_array_equal(only, VALUES.reshape(4, 6).T)


@pytest.mark.parametrize("per_axis", [False, True])
@pytest.mark.parametrize("target", [ann.DataType.FLOAT32, ann.DataType.FLOAT16])
def test_dequantize(per_axis: bool, target: ann.DataType) -> None:
    stored = np.array([[-128, 0, 127], [5, -7, 9]], np.int8)
    quantization = (
        ann.QuantizationInfo((0.5, 0.25, 2.0), (1, 2, 3), axis=1)
        if per_axis
        else ann.QuantizationInfo((0.5,), (3,))
    )
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3), target))
    info = ann.TensorInfo((2, 3), ann.DataType.QASYMM_S8, quantization)
    y = network.add_dequantize(network.add_constant(stored, info=info), target)
    network.add_output("y", network.add_addition(x, y))
    graph, constants = folded(network)
    assert types(graph) == ["ElementwiseBinary"]
    points = np.array([1, 2, 3] if per_axis else [3, 3, 3])
    scales = np.array([0.5, 0.25, 2.0] if per_axis else [0.5, 0.5, 0.5])
    np.testing.assert_array_equal(constants[0], (stored - points) * scales)
    assert constants[0].dtype == target.numpy


def test_a_subgraph_is_computed_in_one_run(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 4)))
    a = network.add_addition(VALUES, np.float32(1.0))
    b = network.add_reduce(network.add_multiplication(a, a), ann.ReduceOperation.SUM, (1,))
    first, second = network.add_split(network.add_reshape(b, (4, 2)), 2, axis=1).outputs
    c = network.add_concat([first, second], axis=0)
    network.add_output("y", network.add_addition(x, network.add_reshape(c, (2, 4))))
    network.add_output("constant", network.add_reshape(b, (8,)))
    log, calls = evaluator(runtime), []
    inner = log.evaluate
    assert inner is not None

    def counted(constants: ann.Network) -> Any:
        calls.append(constants)
        return inner(constants)

    log.evaluate = counted
    graph, _ = folded(network, log)
    assert types(graph) == ["ElementwiseBinary"]
    assert len(calls) == 1
    inputs = random_inputs(network)
    sums = ((VALUES + 1) ** 2).sum(axis=1)
    tail = sums.reshape(4, 2).T.reshape(2, 4)
    outputs = run(runtime, graph.to_network()[0], inputs)
    np.testing.assert_allclose(outputs["y"], inputs["x"] + tail, rtol=1e-6)
    np.testing.assert_allclose(outputs["constant"], sums.reshape(8), rtol=1e-6)


def test_unsupported_layer_does_not_hold_up_the_rest(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4)))
    y = network.add_addition(x, network.add_addition(VALUES, VALUES))
    whole = network.add_constant(np.ones((2, 3, 4), np.int32))
    logarithms = network.add_log_softmax(whole)  # of whole numbers: no backend does that
    network.add_output("y", network.add_addition(y, network.add_cast(logarithms, "float32")))
    graph, _ = folded(network, evaluator(runtime))
    assert sorted(types(graph)) == ["Cast", "ElementwiseBinary", "ElementwiseBinary", "LogSoftmax"]
    values = [node.value for node in graph if node.value is not None]
    assert any(np.array_equal(value, 2 * VALUES) for value in values)


def test_no_more_is_computed_than_the_memory_budget_allows(runtime: ann.Runtime) -> None:
    network = ann.Network()
    value = network.add_constant(VALUES)
    for i in range(8):
        value = network.add_elementwise_unary(value, ann.UnaryOperation.NEG)
        network.add_output(f"y{i}", value)
    assert types(folded(network, evaluator(runtime))[0]) == []
    ann.set_memory_budget(3 * VALUES.nbytes)
    try:
        graph, _ = folded(network, evaluator(runtime))
    finally:
        ann.set_memory_budget(None)
    assert types(graph) == ["ElementwiseUnary"] * 5
    outputs = run(runtime, graph.to_network()[0], {})
    for i in range(8):
        np.testing.assert_array_equal(outputs[f"y{i}"], VALUES if i % 2 else -VALUES)


def test_shape_and_rank_of_what_is_not_constant() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4)))
    y = network.add_activation(x, ann.ActivationFunction.RELU)
    network.add_output("shape", network.add_shape(y))
    network.add_output("rank", network.add_rank(y))
    graph, constants = folded(network)
    assert types(graph) == ["Activation"]
    assert [constant.tolist() for constant in constants] == [[2, 3, 4], 3]


def test_near_misses(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4)))
    half_constant = network.add_addition(x, VALUES)
    placed = network.add_addition(VALUES, VALUES, backend="CpuRef")
    network.add_output("y", network.add_addition(half_constant, placed))
    graph, _ = folded(network, evaluator(runtime))
    assert types(graph) == ["ElementwiseBinary"] * 3


def test_large_results_are_made_in_each_run(runtime: ann.Runtime) -> None:
    network = ann.Network()
    large = network.add_tile(np.ones((1, 1024), np.float32), (1024, 1))
    network.add_output("large", network.add_activation(large, ann.ActivationFunction.RELU))
    network.add_output("small", network.add_reduce(large, ann.ReduceOperation.SUM, (0,)))
    graph, constants = folded(network, evaluator(runtime))
    assert types(graph) == ["Tile", "Activation"]
    assert any(np.array_equal(c, np.full_like(c, 1024.0)) for c in constants)


def test_folding_without_backends() -> None:
    network = ann.Network()
    network.add_output("y", network.add_addition(VALUES, VALUES))
    graph, _ = folded(network)
    assert types(graph) == ["ElementwiseBinary"]
