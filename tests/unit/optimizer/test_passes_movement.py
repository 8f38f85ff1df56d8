# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Permutes, Transposes and Reshapes: each pass in its textbook case, and the near misses."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import ReshapeDescriptor
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.passes.base import Pass
from armnn_py.optimizer.run_passes import run_passes

from .fusions import pass_named, random_inputs, run, types

INSERT_BROADCAST_RESHAPES = pass_named("insert-broadcast-reshapes")
MERGE_CONSECUTIVE_RESHAPES = pass_named("merge-consecutive-reshapes")
SQUASH_EQUAL_RESHAPE_SIBLINGS = pass_named("squash-equal-reshape-siblings")
SQUASH_EQUAL_TRANSPOSE_SIBLINGS = pass_named("squash-equal-transpose-siblings")
TRANSPOSE_AS_RESHAPE = pass_named("transpose-as-reshape")
RELU = ann.ActivationFunction.RELU
SHAPE = (2, 3, 4, 5)
TO_NCHW, TO_NHWC = (0, 3, 1, 2), (0, 2, 3, 1)  # as numpy's transpose takes them


def network_of(shape: tuple[int, ...] = SHAPE) -> tuple[ann.Network, ann.Layer]:
    network = ann.Network("n")
    return network, network.add_input("x", ann.TensorInfo(shape))


def after(runtime: ann.Runtime, network: ann.Network, *passes: Pass) -> tuple[Graph, list[str]]:
    """The graph after some passes, whose outputs are those of the network, and their sentences."""
    graph = Graph.from_network(network)
    records = run_passes(graph, passes, validate=True)
    inputs = random_inputs(network)
    expected = run(runtime, network, inputs)
    found = run(runtime, graph.to_network()[0], inputs)
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)
    return graph, [change for record in records for change in record.changes]


# ---- Broadcast -----------------------------------------------------------------------------------


def test_operand_of_less_rank_gets_a_reshape(runtime: ann.Runtime) -> None:
    network, x = network_of()
    y = network.add_input("y", ann.TensorInfo((4, 1)))
    network.add_output("sum", network.add_addition(y, x, name="add"))
    network.add_output("product", network.add_multiplication(x, y, name="mul"))
    graph, changes = after(runtime, network, INSERT_BROADCAST_RESHAPES)
    assert types(graph) == ["Reshape", "ElementwiseBinary", "ElementwiseBinary"]
    assert changes == [
        "operand 'y' of 'add' reshaped from 4x1 to 1x1x4x1",
        "operand 'y' of 'mul' reshaped from 4x1 to 1x1x4x1",
    ]


def test_constant_of_less_rank_is_reshaped_itself(runtime: ann.Runtime) -> None:
    network, x = network_of()
    network.add_output("y", network.add_prelu(x, np.float32([0.1, 0.2, 0.3, 0.4, 0.5])))
    graph, _ = after(runtime, network, INSERT_BROADCAST_RESHAPES)
    assert types(graph) == ["Prelu"]
    (alpha,) = [node for node in graph if node.value is not None]
    assert alpha.output.info.shape == (1, 1, 1, 5)
    assert [origin.name for origin in alpha.origins] == [alpha.name]


def test_scales_along_an_axis_move_with_it() -> None:
    scales = ann.QuantizationInfo((0.5, 0.25), (), axis=0)
    info = ann.TensorInfo((2, 1), ann.DataType.QSYMM_S8, scales)
    network = ann.Network("n")
    x = network.add_input(
        "x", ann.TensorInfo((3, 2, 4), ann.DataType.QSYMM_S8, ann.QuantizationInfo(1))
    )
    y = network.add_input("y", info)
    network.add_output("z", network.add_addition(x, y, output_info=x.output.info))
    graph = Graph.from_network(network)
    run_passes(graph, [INSERT_BROADCAST_RESHAPES], validate=True)
    (reshape,) = [node for node in graph if node.type is ann.LayerType.RESHAPE]
    assert reshape.output.info.quantization == ann.QuantizationInfo((0.5, 0.25), (), axis=1)


def test_equal_ranks_broadcast_as_they_are(runtime: ann.Runtime) -> None:
    network, x = network_of()
    network.add_output("y", network.add_addition(x, np.ones((1, 1, 4, 1), np.float32)))
    assert after(runtime, network, INSERT_BROADCAST_RESHAPES)[1] == []


# ---- Siblings ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["permute", "transpose", "reshape"])
def test_equal_siblings_become_one(runtime: ann.Runtime, kind: str) -> None:
    network, x = network_of()
    add = {
        "permute": lambda x, name: network.add_permute(x, TO_NCHW, name=name),
        "transpose": lambda x, name: network.add_transpose(x, TO_NCHW, name=name),
        "reshape": lambda x, name: network.add_reshape(x, (6, 4, 5, 1), name=name),
    }[kind]
    first, second = add(x, "first"), add(x, "second")
    network.add_output("y", add(first, "below first"))
    network.add_output("z", add(second, "below second"))
    squash = {
        "transpose": SQUASH_EQUAL_TRANSPOSE_SIBLINGS,
        "reshape": SQUASH_EQUAL_RESHAPE_SIBLINGS,
    }
    graph, changes = after(
        runtime, network, squash.pop("reshape" if kind == "reshape" else "transpose")
    )
    assert changes == [
        "'second' does what 'first' does, and is gone",
        "'below second' does what 'below first' does, and is gone",
    ]
    assert [len(node.origins) for node in graph if not node.is_host] == [2, 2]
    assert not graph.removed
    assert after(runtime, network, *squash.values())[1] == []  # the others have no business here


def test_siblings_that_differ_stay(runtime: ann.Runtime) -> None:
    network, x = network_of()
    layers = [
        network.add_transpose(x, TO_NCHW),
        network.add_transpose(x, TO_NHWC),
        network.add_transpose(x, TO_NCHW, backend="CpuRef"),  # asks for a backend
        network.add_transpose(network.add_activation(x, RELU), TO_NCHW),  # reads another tensor
    ]
    for index, layer in enumerate(layers):
        network.add_output(f"y{index}", layer)
    assert after(runtime, network, SQUASH_EQUAL_TRANSPOSE_SIBLINGS)[1] == []


def test_permute_is_a_sibling_of_the_transpose_that_moves_alike(runtime: ann.Runtime) -> None:
    network, x = network_of()
    network.add_output("t", network.add_transpose(x, TO_NCHW, name="t"))
    network.add_output("p", network.add_permute(x, TO_NHWC, name="p"))
    changes = after(runtime, network, SQUASH_EQUAL_TRANSPOSE_SIBLINGS)[1]
    assert changes == ["'p' does what 't' does, and is gone"]


# ---- Inverses ------------------------------------------------------------------------------------

CANCEL = pass_named("cancel-inverse-transposes")


@pytest.mark.parametrize("kind", ["permute", "transpose"])
def test_inverses_cancel_also_nested(runtime: ann.Runtime, kind: str) -> None:
    network, x = network_of()
    add = {"permute": network.add_permute, "transpose": network.add_transpose}[kind]
    y = add(add(add(add(x, TO_NCHW), (1, 0, 2, 3)), (1, 0, 2, 3)), TO_NHWC)
    network.add_output("y", network.add_activation(y, RELU))
    graph, changes = after(runtime, network, CANCEL)
    assert types(graph) == ["Activation"]
    assert len(changes) == 2
    assert set(graph.removed.values()) == {CANCEL.name}
    assert len(graph.removed) == 4


def test_permute_takes_back_transpose_of_the_same_mappings(runtime: ann.Runtime) -> None:
    network, x = network_of()
    y = network.add_permute(network.add_transpose(x, TO_NCHW), TO_NCHW)
    network.add_output("y", y)
    graph, _ = after(runtime, network, CANCEL)
    assert types(graph) == []  # the output is the input


def test_first_of_two_inverses_stays_where_it_is_read(runtime: ann.Runtime) -> None:
    network, x = network_of()
    there = network.add_transpose(x, TO_NCHW, name="there")
    network.add_output("there", there)
    network.add_output("back", network.add_transpose(there, TO_NHWC, name="back"))
    graph, _ = after(runtime, network, CANCEL)
    assert [node.name for node in graph if not node.is_host] == ["there"]
    assert [origin.name for origin in graph.removed] == ["back"]


def test_permutations_that_are_not_inverse_stay(runtime: ann.Runtime) -> None:
    network, x = network_of((3, 3, 3, 3))
    network.add_output("a", network.add_transpose(network.add_transpose(x, TO_NCHW), TO_NCHW))
    network.add_output("b", network.add_permute(network.add_permute(x, TO_NCHW), TO_NCHW))
    network.add_output("c", network.add_permute(network.add_transpose(x, TO_NCHW), TO_NHWC))
    assert after(runtime, network, CANCEL)[1] == []


# ---- Moving up -----------------------------------------------------------------------------------

MOVE = pass_named("move-transpose-up")


@pytest.mark.parametrize("kind", ["permute", "transpose"])
def test_moves_up_to_its_inverse(runtime: ann.Runtime, kind: str) -> None:
    """A channel-wise bias and slope stay those of the channels."""
    network, x = network_of()
    add = {"permute": network.add_permute, "transpose": network.add_transpose}[kind]
    y = add(x, TO_NCHW if kind == "transpose" else TO_NHWC)  # channels of 5 come to the front
    channels = y.output.info.static_shape[1]
    y = network.add_addition(y, np.arange(channels, dtype=np.float32).reshape(channels, 1, 1))
    y = network.add_prelu(y, np.linspace(0, 1, channels, dtype=np.float32).reshape(1, -1, 1, 1))
    y = network.add_activation(y, RELU)
    y = network.add_multiplication(y, y)
    network.add_output("y", add(y, TO_NHWC if kind == "transpose" else TO_NCHW, name="back"))
    graph, changes = after(runtime, network, MOVE)
    assert types(graph) == ["ElementwiseBinary", "Prelu", "Activation", "ElementwiseBinary"]
    assert changes == ["'back' moved up through 4 layers, where it is needed no more"]
    shapes = [node.output.info.shape for node in graph if node.value is not None]
    assert shapes == [(1, 1, 1, channels)] * 2


def test_moves_to_the_other_operand_where_one_is_won(runtime: ann.Runtime) -> None:
    network, x = network_of()
    y = network.add_input("y", ann.TensorInfo((2, 5, 3, 4)))
    total = network.add_addition(network.add_transpose(x, TO_NCHW), y)
    network.add_output("z", network.add_transpose(total, TO_NHWC, name="back"))
    graph, changes = after(runtime, network, MOVE)
    assert types(graph) == ["Transpose", "ElementwiseBinary"]
    assert changes == ["'back' moved up through 1 layer, 1 needed there"]
    assert [node.name for node in graph if node.type is ann.LayerType.TRANSPOSE] == ["back"]


def test_stays_where_nothing_is_won(runtime: ann.Runtime) -> None:
    network, x = network_of()
    relu = network.add_activation(x, RELU)  # nothing to meet above
    network.add_output("a", network.add_transpose(relu, TO_NCHW))
    y = network.add_transpose(x, TO_NCHW)
    soft = network.add_softmax(y, axis=1)  # not elementwise
    network.add_output("b", network.add_transpose(soft, TO_NHWC))
    read_twice = network.add_activation(y, RELU)
    network.add_output("c", read_twice)
    network.add_output("d", network.add_transpose(read_twice, TO_NHWC))
    other = network.add_activation(network.add_transpose(x, TO_NCHW), RELU)
    network.add_output("e", network.add_transpose(other, TO_NCHW))  # not the inverse
    assert after(runtime, network, MOVE)[1] == []


def test_scales_along_an_axis_are_left_alone() -> None:
    scales = ann.QuantizationInfo((0.5, 0.25, 1.0), (), axis=0)
    info = ann.TensorInfo((3, 2), ann.DataType.QSYMM_S8, scales)
    plain = ann.TensorInfo((3, 2), ann.DataType.QSYMM_S8, ann.QuantizationInfo(1))
    network = ann.Network("n")
    y = network.add_transpose(
        network.add_input(
            "x", ann.TensorInfo((2, 3), ann.DataType.QSYMM_S8, ann.QuantizationInfo(1))
        ),
        (1, 0),
    )
    y = network.add_addition(y, network.add_input("w", info), output_info=plain)
    network.add_output("y", network.add_transpose(y, (1, 0)))
    graph = Graph.from_network(network)
    (record,) = run_passes(graph, [MOVE], validate=True)
    assert not record.changes


# ---- As Reshape, and Reshapes --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "sources"),
    [
        ((2, 1, 1, 5), (0, 3, 1, 2)),
        ((1, 1, 4, 5), (2, 0, 3, 1)),
        ((1, 7), (1, 0)),
        ((3, 4), (0, 1)),
    ],
)
def test_permutation_of_ones_is_a_reshape(
    runtime: ann.Runtime, shape: tuple[int, ...], sources: tuple[int, ...]
) -> None:
    network, x = network_of(shape)
    network.add_output("t", network.add_transpose(x, sources, name="t"))
    network.add_output("p", network.add_permute(x, np.argsort(sources).tolist(), name="p"))
    graph, changes = after(runtime, network, TRANSPOSE_AS_RESHAPE)
    assert types(graph) == ["Reshape", "Reshape"]
    assert changes == [f"'{name}' moves no element: a Reshape does" for name in "tp"]
    assert sorted(origin.name for node in graph for origin in node.origins if not node.is_host) == [
        "p",
        "t",
    ]


def test_permutation_that_moves_elements_stays(runtime: ann.Runtime) -> None:
    network, x = network_of((2, 1, 4, 5))
    network.add_output("t", network.add_transpose(x, TO_NCHW))
    network.add_output("p", network.add_permute(x, (1, 0, 3, 2)))
    assert after(runtime, network, TRANSPOSE_AS_RESHAPE)[1] == []


def test_reshapes_in_a_row_become_the_last(runtime: ann.Runtime) -> None:
    network, x = network_of()
    a = network.add_reshape(x, (6, 20), name="a")
    b = network.add_reshape(a, (120,), name="b")
    network.add_output("c", network.add_reshape(b, (4, 30), name="c"))
    graph, changes = after(runtime, network, MERGE_CONSECUTIVE_RESHAPES)
    assert types(graph) == ["Reshape"]
    assert changes == ["'a' merged into 'b'", "'b' merged into 'c'"]
    assert [o.name for node in graph if not node.is_host for o in node.origins] == ["c", "b", "a"]


def test_reshape_that_is_read_elsewhere_stays_beside(runtime: ann.Runtime) -> None:
    network, x = network_of()
    a = network.add_reshape(x, (6, 20), name="a")
    network.add_output("a", a)
    network.add_output("b", network.add_reshape(a, (120,), name="b"))
    graph, changes = after(runtime, network, MERGE_CONSECUTIVE_RESHAPES)
    assert changes == ["'b' reads what 'a' reads"]
    assert types(graph) == ["Reshape", "Reshape"]
    assert not graph.removed


def test_reshape_that_changes_the_meaning_is_not_merged() -> None:
    network = ann.Network("n")
    coarse = ann.TensorInfo((6,), ann.DataType.QASYMM_U8, ann.QuantizationInfo(0.5))
    fine = ann.TensorInfo((2, 3), ann.DataType.QASYMM_U8, ann.QuantizationInfo(0.25))
    x = network.add_input("x", coarse)
    y = network.add_layer(
        ann.LayerType.RESHAPE, [x], ReshapeDescriptor((2, 3)), output_infos=[fine]
    )
    network.add_output("y", network.add_reshape(y, (3, 2)))
    graph = Graph.from_network(network)
    (record,) = run_passes(graph, [MERGE_CONSECUTIVE_RESHAPES], validate=True)
    assert not record.changes
