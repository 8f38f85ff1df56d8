# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loops and branches that run by themselves, turn by turn, between stages; by onnxruntime."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from tests.frontends.beside_onnxruntime import same, theirs

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
BACKENDS = [["CpuRef"], ["CpuAcc", "CpuRef"]]
LARGE = (200, 100)  # more than 64 KiB: data, not an operand that decides shapes
n = helper.make_node


def graph(
    nodes: list[Any],
    inputs: dict[str, Any],
    outputs: dict[str, Any],
    constants: dict[str, Any] | None = None,
) -> onnx.GraphProto:
    """A graph of ``name: (type, shape)``; a shape may be None."""
    return helper.make_graph(
        nodes,
        "apart",
        [helper.make_tensor_value_info(name, *info) for name, info in inputs.items()],
        [helper.make_tensor_value_info(name, *info) for name, info in outputs.items()],
        [numpy_helper.from_array(np.asarray(v), name) for name, v in (constants or {}).items()],
    )


def model(*parts: Any, opset: int = 17, functions: Any = ()) -> onnx.ModelProto:
    domains = [("", opset)] + [("own", 1)] * bool(functions)
    return helper.make_model(
        graph(*parts),
        opset_imports=[helper.make_opsetid(*one) for one in domains],
        functions=functions,
        ir_version=8,
    )


def data(seed: int, shape: Any = LARGE) -> np.ndarray:
    return np.random.default_rng(seed).random(shape).astype(np.float32)


TURN = {"turn": (INT64, []), "goes": (BOOL, [])}

#: Nodes in front of the loop, its body, the loop's node, outputs, constants.
LOOPS: dict[str, tuple[Any, ...]] = {
    "ends by its states": (
        [],
        graph(
            [n("Mul", ["state", "grow"], ["next"]), n("ReduceMax", ["next"], ["top"], keepdims=0),
             n("Less", ["top", "limit"], ["on"])],
            TURN | {"state": (FLOAT, LARGE)},
            {"on": (BOOL, []), "next": (FLOAT, LARGE)},
        ),
        n("Loop", ["", "yes", "x"], ["y"]),
        {"y": (FLOAT, LARGE)},
    ),
    "collects a value of each turn": (
        [],
        graph(
            [n("Mul", ["state", "grow"], ["next"]), n("ReduceMax", ["next"], ["top"], keepdims=0),
             n("Less", ["top", "limit"], ["on"]), n("ReduceMean", ["next"], ["mean"], axes=[1])],
            TURN | {"state": (FLOAT, LARGE)},
            {"on": (BOOL, []), "next": (FLOAT, LARGE), "mean": (FLOAT, [200, 1]),
             "top": (FLOAT, [])},
        ),
        n("Loop", ["many", "yes", "x"], ["y", "means", "tops"]),
        {"y": (FLOAT, LARGE), "means": (FLOAT, ["n", 200, 1]), "tops": (FLOAT, ["n"])},
    ),
    "a state that grows": (
        [],
        graph(
            [n("ReduceMax", ["rows"], ["best"], axes=[0]), n("Mul", ["best", "grow"], ["row"]),
             n("Concat", ["rows", "row"], ["more"], axis=0),
             n("ReduceMax", ["row"], ["top"], keepdims=0), n("Less", ["top", "limit"], ["on"])],
            TURN | {"rows": (FLOAT, ["r", 100])},
            {"on": (BOOL, []), "more": (FLOAT, ["r", 100])},
        ),
        n("Loop", ["", "yes", "x"], ["y"]),
        {"y": (FLOAT, ["r", 100])},
    ),
    "a value around it that data decide": (
        [n("ReduceMean", ["x"], ["mean"], keepdims=0)],
        graph(
            [n("Sub", ["state", "mean"], ["next"]), n("ReduceMax", ["next"], ["top"], keepdims=0),
             n("Greater", ["top", "mean"], ["on"])],
            TURN | {"state": (FLOAT, LARGE)},
            {"on": (BOOL, []), "next": (FLOAT, LARGE)},
        ),
        n("Loop", ["", "yes", "x"], ["y"]),
        {"y": (FLOAT, LARGE)},
    ),
    "elements that data decide in each turn": (
        [],
        graph(
            [n("Mul", ["state", "grow"], ["next"]), n("Greater", ["next", "limit"], ["above"]),
             n("NonZero", ["above"], ["places"]), n("Shape", ["places"], ["sizes"]),
             n("Gather", ["sizes", "one"], ["count"]), n("Less", ["count", "enough"], ["on"])],
            TURN | {"state": (FLOAT, LARGE)},
            {"on": (BOOL, []), "next": (FLOAT, LARGE), "count": (INT64, [])},
        ),
        n("Loop", ["many", "yes", "x"], ["y", "counts"]),
        {"y": (FLOAT, LARGE), "counts": (INT64, ["n"])},
    ),
    "a loop inside of it": (
        [],
        graph(
            [n("Mul", ["state", "grow"], ["larger"]),
             n("Loop", ["", "yes", "larger"], ["next"], body=graph(
                 [n("Sub", ["inner", "half"], ["less"]),
                  n("ReduceMin", ["less"], ["low"], keepdims=0),
                  n("Greater", ["low", "nil"], ["more"])],
                 {"t": (INT64, []), "g": (BOOL, []), "inner": (FLOAT, LARGE)},
                 {"more": (BOOL, []), "less": (FLOAT, LARGE)},
             )),
             n("ReduceMax", ["next"], ["top"], keepdims=0), n("Less", ["top", "limit"], ["on"])],
            TURN | {"state": (FLOAT, LARGE)},
            {"on": (BOOL, []), "next": (FLOAT, LARGE)},
        ),
        n("Loop", ["", "yes", "x"], ["y"]),
        {"y": (FLOAT, LARGE)},
    ),
    "what a turn is given comes back": (
        [],
        graph(
            [n("Mul", ["state", "grow"], ["next"]), n("ReduceMax", ["next"], ["top"], keepdims=0),
             n("Less", ["top", "limit"], ["on"]), n("Identity", ["turn"], ["number"])],
            TURN | {"state": (FLOAT, LARGE), "kept": (FLOAT, LARGE)},
            {"on": (BOOL, []), "next": (FLOAT, LARGE), "kept": (FLOAT, LARGE),
             "number": (INT64, []), "c": (FLOAT, [])},
            {"c": np.float32(3)},
        ),
        n("Loop", ["", "yes", "x", "x"], ["y", "z", "turns", "cs"]),
        {"y": (FLOAT, LARGE), "z": (FLOAT, LARGE), "turns": (INT64, ["n"]), "cs": (FLOAT, ["n"])},
    ),
}  # fmt: skip
CONSTANTS = {
    "grow": np.float32(1.7), "limit": np.float32(40), "yes": np.array(True), "one": np.int64(1),
    "many": np.int64(2000), "enough": np.int64(5000), "half": np.float32(0.5), "nil": np.float32(0),
}  # fmt: skip


def looped(case: str, shape: Any) -> onnx.ModelProto:
    before, body, loop, outputs = LOOPS[case]
    loop = onnx.NodeProto.FromString(loop.SerializeToString())
    loop.attribute.append(helper.make_attribute("body", body))
    nodes = [n("Relu", ["input"], ["x"]), *before, loop, n("Identity", ["y"], ["again"])]
    outputs = outputs | {"again": (FLOAT, outputs["y"][1])}
    return model(nodes, {"input": (FLOAT, shape)}, outputs, CONSTANTS)


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
@pytest.mark.parametrize("shape", [LARGE, ("h", 100)], ids=["known", "free"])
@pytest.mark.parametrize("case", LOOPS)
def test_loops(case: str, shape: Any, backends: list[str]) -> None:
    made = looped(case, shape)
    with ann.load(made, backends) as network:
        for seed in range(3):
            x = data(seed) + np.float32(seed)
            same(network.run(x), theirs(made, {"input": x}))


@pytest.mark.parametrize("count", [0, 1, 3000])
def test_many_turns(count: int) -> None:
    """More than are written out, or none; what a turn without turns would collect has a shape."""
    body = graph(
        [n("Add", ["state", "one"], ["next"]), n("Identity", ["goes"], ["on"]),
         n("ReduceSum", ["next"], ["sum"])],
        TURN | {"state": (FLOAT, [2, 3])},
        {"on": (BOOL, []), "next": (FLOAT, [2, 3]), "sum": (FLOAT, [1, 1])},
    )  # fmt: skip
    made = model(
        [n("Loop", ["count", "", "x"], ["y", "sums"], body=body)],
        {"x": (FLOAT, [2, 3])},
        {"y": (FLOAT, [2, 3]), "sums": (FLOAT, ["n", 1, 1])},
        {"count": np.int64(count), "one": np.float32(1)},
    )
    x = data(0, (2, 3))
    with ann.load(made, ["CpuRef"]) as network:
        same(network.run(x), theirs(made, {"x": x}))


@pytest.mark.parametrize("shape", [(2100, 3), ("n", 3)], ids=["known", "free"])
def test_a_long_scan(shape: Any) -> None:
    body = graph(
        [n("Mul", ["state", "half"], ["less"]), n("Add", ["less", "row"], ["next"]),
         n("ReduceMax", ["next"], ["top"], keepdims=0)],
        {"state": (FLOAT, [3]), "row": (FLOAT, [3])},
        {"next": (FLOAT, [3]), "next2": (FLOAT, [3]), "top": (FLOAT, [])},
    )  # fmt: skip
    body.node.append(n("Identity", ["next"], ["next2"]))
    scan = n(
        "Scan", ["first", "x"], ["last", "all", "tops"], body=body, num_scan_inputs=1,
        scan_input_directions=[1], scan_output_axes=[-1, 0], scan_output_directions=[0, 1],
    )  # fmt: skip
    made = model(
        [scan],
        {"first": (FLOAT, [3]), "x": (FLOAT, shape)},
        {"last": (FLOAT, [3]), "all": (FLOAT, [3, "n"]), "tops": (FLOAT, ["n"])},
        {"half": np.float32(0.5)},
    )
    inputs = {"first": data(0, 3), "x": data(1, (2100, 3))}
    with ann.load(made, ["CpuRef"]) as network:
        same(network.run(inputs), theirs(made, inputs))


def test_a_scan_of_sequences_of_different_lengths() -> None:
    body = graph(
        [n("Add", ["state", "row"], ["next"]), n("Identity", ["next"], ["seen"])],
        {"state": (FLOAT, [2]), "row": (FLOAT, [2])},
        {"next": (FLOAT, [2]), "seen": (FLOAT, [2])},
    )
    made = model(
        [n("Scan", ["lengths", "first", "x"], ["last", "all"], body=body, num_scan_inputs=1)],
        {"first": (FLOAT, [3, 2]), "x": (FLOAT, [3, 5, 2])},
        {"last": (FLOAT, [3, 2]), "all": (FLOAT, [3, 5, 2])},
        {"lengths": np.int64([5, 2, 4])},
        opset=8,
    )
    inputs = {"first": data(0, (3, 2)), "x": data(1, (3, 5, 2))}
    with ann.load(made, ["CpuRef"]) as network:
        same(network.run(inputs), theirs(made, inputs))


def branch(nodes: list[Any], name: str, dims: Any) -> onnx.GraphProto:
    return graph(nodes, {}, {name: (FLOAT, dims)})


CUT = [n("NonZero", ["b"], ["where"]), n("Cast", ["where"], ["places"], to=FLOAT)]


@pytest.mark.parametrize("backends", BACKENDS, ids="+".join)
@pytest.mark.parametrize("shape", [LARGE, ("h", "w")], ids=["known", "free"])
def test_a_branch_that_is_cut_itself(shape: Any, backends: list[str]) -> None:
    other = [n("Slice", ["x", "start", "stop"], ["few"])]
    nodes = [
        n("Relu", ["input"], ["x"]),
        n("ReduceMean", ["x"], ["mean"], keepdims=0),
        n("Greater", ["mean", "bound"], ["c"]),
        n("Greater", ["x", "high"], ["b"]),
        n("If", ["c"], ["y"], then_branch=branch(CUT, "places", [2, "n"]),
          else_branch=branch(other, "few", ["a", "b"])),
        n("Neg", ["y"], ["z"]),
    ]  # fmt: skip
    constants = {
        "bound": np.float32(1), "high": np.float32(1.9), "start": np.int64([0, 0]),
        "stop": np.int64([2, 7]),
    }  # fmt: skip
    made = model(nodes, {"input": (FLOAT, shape)}, {"z": (FLOAT, [2, "n"])}, constants)
    with ann.load(made, backends) as network:
        for factor in (0.5, 4, 3, 0.2):
            x = data(1) * np.float32(factor)
            same(network.run(x), theirs(made, {"input": x}))


def test_a_branch_whose_condition_is_known() -> None:
    nodes = [
        n("Greater", ["input", "half"], ["b"]),
        n("If", ["c"], ["y"], then_branch=branch(CUT, "places", [2, "n"]),
          else_branch=branch([n("Identity", ["input"], ["all"])], "all", LARGE)),
    ]  # fmt: skip
    made = model(
        nodes, {"input": (FLOAT, LARGE)}, {"y": (FLOAT, ["m", "n"])},
        {"c": np.array(True), "half": np.float32(0.5)},
    )  # fmt: skip
    with ann.load(made, ["CpuRef"]) as network:
        same(network.run(data(0)), theirs(made, {"input": data(0)}))


@pytest.mark.parametrize("shape", [LARGE, ("h", "w")], ids=["known", "free"])
def test_a_function_of_the_model(shape: Any) -> None:
    function = helper.make_function(
        "own", "Above", ["v", "bound", "unused"], ["values", "places"],
        [
            n("Greater", ["v", "bound"], ["b"]),
            n("NonZero", ["b"], ["places"]),
            n("Transpose", ["places"], ["rows"]),
            n("GatherND", ["v", "rows"], ["some"]),
            helper.make_node("LeakyRelu", ["some"], ["values"]),
        ],
        [helper.make_opsetid("", 17)], ["alpha"],
    )  # fmt: skip
    reference = onnx.AttributeProto(name="alpha", ref_attr_name="alpha", type=1)
    function.node[-1].attribute.append(reference)
    nodes = [
        n("Sub", ["input", "half"], ["x"]),
        n("Above", ["x", "least"], ["values", "places"], domain="own", alpha=0.25),
    ]
    made = model(
        nodes, {"input": (FLOAT, shape)},
        {"values": (FLOAT, ["n"]), "places": (INT64, [2, "n"])},
        {"half": np.float32(0.5), "least": np.float32(-0.25)}, functions=[function],
    )  # fmt: skip
    with ann.load(made, ["CpuRef"]) as network:
        for seed in range(2):
            same(network.run(data(seed)), theirs(made, {"input": data(seed)}))


def test_the_number_of_a_turn_as_a_result() -> None:
    """By numpy: onnxruntime 1.32 gives the last number for each turn."""
    body = graph([], TURN, {"goes": (BOOL, []), "turn": (INT64, [])})
    made = model(
        [n("Loop", ["count", ""], ["turns"], body=body)], {}, {"turns": (INT64, ["n"])},
        {"count": np.int64(1500)},
    )  # fmt: skip
    with ann.load(made, ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.run({})["turns"], np.arange(1500))


def test_shown_facts() -> None:
    made = looped("a loop inside of it", LARGE)
    network = ann.import_model(made)
    assert [sorted(stage.bodies) for stage in network.stages] == [[], ["body"], []]
    with ann.load(made, ["CpuRef"]) as loaded:
        loaded.run(data(0))
        assert loaded.assignment.stages == 3
        names = [record.layer for record in loaded.assignment]
        assert len(set(names)) == len(names)
        assert any(name.startswith("Loop_1/") for name in names)


def test_a_pickled_network() -> None:
    made = looped("collects a value of each turn", LARGE)
    network = pickle.loads(pickle.dumps(ann.import_model(made)))
    with ann.load(network, ["CpuRef"]) as loaded:
        same(loaded.run(data(0)), theirs(made, {"input": data(0)}))


@pytest.mark.parametrize("body", ["with layers", "without"])
def test_a_loop_without_an_end_stops_at_a_timeout(body: str) -> None:
    if body == "with layers":
        made = looped("ends by its states", LARGE)
    else:
        turn = graph(
            [], TURN | {"flag": (BOOL, []), "state": (FLOAT, LARGE)},
            {"flag": (BOOL, []), "f": (BOOL, []), "state": (FLOAT, LARGE)},
        )  # fmt: skip
        turn.output[1].name = "flag"
        nodes = [
            n("Relu", ["input"], ["x"]), n("ReduceMax", ["x"], ["top"], keepdims=0),
            n("Less", ["top", "limit"], ["c"]),
            n("Loop", ["", "yes", "c", "x"], ["f", "y"], body=turn),
        ]  # fmt: skip
        outputs = {"f": (BOOL, []), "y": (FLOAT, LARGE)}
        made = model(nodes, {"input": (FLOAT, LARGE)}, outputs, CONSTANTS)
    x = np.zeros(LARGE, np.float32)
    with ann.load(made, ["CpuRef"]) as network:
        with pytest.raises(ann.ExecutionTimeoutError):
            network.run(x, timeout=0.2)
        token = ann.CancelToken()
        timer = threading.Timer(0.2, token.cancel)
        timer.start()
        with pytest.raises(ann.ExecutionCancelledError):
            network.run(x, cancel=token)
        timer.join()
        same(network.run(x + 41), theirs(made, {"input": x + 41}))


def test_collected_values_of_different_shapes_are_refused() -> None:
    body = graph(
        [n("Greater", ["state", "limit"], ["above"]), n("NonZero", ["above"], ["places"]),
         n("Mul", ["state", "grow"], ["next"]), n("ReduceMax", ["next"], ["top"], keepdims=0),
         n("Less", ["top", "far"], ["on"])],
        TURN | {"state": (FLOAT, LARGE)},
        {"on": (BOOL, []), "next": (FLOAT, LARGE), "places": (INT64, [2, "n"])},
    )  # fmt: skip
    made = model(
        [n("Relu", ["input"], ["x"]), n("Loop", ["", "yes", "x"], ["y", "all"], body=body)],
        {"input": (FLOAT, LARGE)}, {"y": (FLOAT, LARGE), "all": (INT64, ["t", 2, "n"])},
        CONSTANTS | {"far": np.float32(100)},
    )  # fmt: skip
    with (
        ann.load(made, ["CpuRef"]) as network,
        pytest.raises(ann.InvalidArgumentError, match="collects values of one shape, but turn"),
    ):
        network.run(data(0))


def test_operators_of_a_body_are_checked_at_import() -> None:
    made = looped("ends by its states", LARGE)
    body = made.graph.node[1].attribute[0].g
    body.node.append(n("NoSuchOperator", ["next"], ["z"], name="inside"))
    body.output.append(helper.make_tensor_value_info("z", FLOAT, [1]))
    made.graph.node[1].output.append("zs")
    made.graph.output.append(helper.make_tensor_value_info("zs", FLOAT, ["n", 1]))
    with pytest.raises(ann.UnsupportedOperatorError, match="NoSuchOperator"):
        ann.import_model(made)


def test_a_state_of_another_rank_is_refused() -> None:
    body = graph(
        [n("ReduceMax", ["state"], ["next"], keepdims=0), n("Less", ["next", "limit"], ["on"])],
        TURN | {"state": (FLOAT, None)},
        {"on": (BOOL, []), "next": (FLOAT, None)},
    )
    made = model(
        [n("Relu", ["input"], ["x"]), n("Loop", ["", "yes", "x"], ["y"], body=body)],
        {"input": (FLOAT, LARGE)}, {"y": (FLOAT, None)}, CONSTANTS,
    )  # fmt: skip
    with pytest.raises(ann.UnsupportedOperatorError, match="another type or rank after a turn"):
        ann.import_model(made)


@pytest.mark.parametrize("hands_on", ["a constant", "the condition"])
def test_a_branch_hands_on_the_condition_until_it_does_not(hands_on: str) -> None:
    """Such a loop has an end, although the condition of a turn is that of the turn before."""
    true = graph([], {}, {"goes" if hands_on == "the condition" else "t": (BOOL, [])})
    false = graph([], {}, {"f": (BOOL, [])})
    body = graph(
        [n("Less", ["turn", "four"], ["keep"]), n("Add", ["state", "one"], ["next"]),
         n("If", ["keep"], ["on"], then_branch=true, else_branch=false)],
        TURN | {"state": (FLOAT, [2])},
        {"on": (BOOL, []), "next": (FLOAT, [2])},
    )  # fmt: skip
    made = model(
        [n("Loop", ["", "yes", "x"], ["y"], body=body)], {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])},
        {"t": np.array(True), "f": np.array(False), "yes": np.array(True), "four": np.int64(4),
         "one": np.float32(1)},
    )  # fmt: skip
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run(np.float32([1, 2]))["y"]
    np.testing.assert_array_equal(found, [6, 7])  # turns 0 to 4


@pytest.mark.parametrize("condition", ["goes", "same", "constant", "node"])
def test_a_loop_that_cannot_end_is_refused_whatever_its_body_does(condition: str) -> None:
    nodes = [n("Greater", ["state", "half"], ["above"]), n("NonZero", ["above"], ["places"]),
             n("Shape", ["places"], ["sizes"]), n("Mul", ["state", "half"], ["next"])]  # fmt: skip
    constants = {}
    if condition == "same":
        nodes.append(n("Identity", ["goes"], ["same"]))
    elif condition == "constant":
        constants["constant"] = np.array(True)
    elif condition == "node":
        value = numpy_helper.from_array(np.array(True))
        nodes.append(n("Constant", [], ["node"], value=value))
    body = graph(
        nodes, TURN | {"state": (FLOAT, LARGE)},
        {condition: (BOOL, []), "next": (FLOAT, LARGE), "sizes": (INT64, [2])}, constants,
    )  # fmt: skip
    made = model(
        [n("Relu", ["input"], ["x"]), n("Loop", ["", "yes", "x"], ["y", "s"], body=body)],
        {"input": (FLOAT, LARGE)}, {"y": (FLOAT, LARGE), "s": (INT64, ["n", 2])}, CONSTANTS,
    )  # fmt: skip
    with pytest.raises(ann.UnsupportedOperatorError, match="a loop without an end"):
        ann.import_model(made)


@pytest.mark.parametrize("turns", [0, 1200])
def test_states_of_bfloat16(turns: int) -> None:
    """By numpy, of numbers that bfloat16 holds exactly; outputs are bits."""
    kind = TensorProto.BFLOAT16
    body = graph(
        [n("Neg", ["state"], ["next"]), n("Identity", ["goes"], ["on"]),
         n("Abs", ["next"], ["size"])],
        TURN | {"state": (kind, [2, 3])},
        {"on": (BOOL, []), "next": (kind, [2, 3]), "size": (kind, [2, 3])},
    )  # fmt: skip
    made = model(
        [n("Cast", ["x"], ["first"], to=kind),
         n("Loop", ["count", "", "first"], ["last", "sizes"], body=body),
         n("Cast", ["last"], ["y"], to=FLOAT), n("Cast", ["sizes"], ["z"], to=FLOAT)],
        {"x": (FLOAT, [2, 3])}, {"y": (FLOAT, [2, 3]), "z": (FLOAT, ["n", 2, 3])},
        {"count": np.int64(turns)},
    )  # fmt: skip
    x = np.float32([[1, -2, 3.5], [0.25, 0, -64]])
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run(x)
    np.testing.assert_array_equal(found["y"], x)  # an even number of turns
    assert found["z"].shape == (turns, 2, 3)
    np.testing.assert_array_equal(found["z"], np.broadcast_to(np.abs(x), (turns, 2, 3)))


def test_constants_of_a_pickled_network_stay_what_they_are() -> None:
    nodes = [
        n("ReduceMean", ["input"], ["mean"], keepdims=0), n("Greater", ["mean", "half"], ["c"]),
        n("Greater", ["input", "half"], ["b"]),
        n("If", ["c"], ["y"], then_branch=branch(CUT, "places", [2, "n"]),
          else_branch=branch([], "first", [2, 1])),
    ]  # fmt: skip
    made = model(
        nodes, {"input": (FLOAT, LARGE)}, {"y": (FLOAT, [2, "n"])},
        {"first": np.float32([[1], [2]]), "half": np.float32(0.5)},
    )  # fmt: skip
    network = pickle.loads(pickle.dumps(ann.import_model(made)))
    with ann.load(network, ["CpuRef"]) as loaded:
        for _ in range(2):
            y = loaded.run(np.zeros(LARGE, np.float32))["y"]
            np.testing.assert_array_equal(y, [[1], [2]])
            y[...] = 0


def test_scanned_inputs_of_different_lengths_in_a_later_run() -> None:
    body = graph(
        [n("Add", ["a", "b"], ["sum"]), n("Greater", ["sum", "half"], ["c"]),
         n("NonZero", ["c"], ["w"]), n("Size", ["w"], ["size"])],
        {"a": (FLOAT, [3]), "b": (FLOAT, [3])}, {"size": (INT64, [])},
    )  # fmt: skip
    made = model(
        [n("Relu", ["p"], ["x"]), n("Scan", ["x", "q"], ["sizes"], body=body, num_scan_inputs=2)],
        {"p": (FLOAT, ["n", 3]), "q": (FLOAT, ["m", 3])}, {"sizes": (INT64, ["n"])},
        {"half": np.float32(0.5)},
    )  # fmt: skip
    with ann.load(made, ["CpuRef"]) as network:
        inputs = {"p": data(0, (4, 3)), "q": data(1, (4, 3))}
        same(network.run(inputs), theirs(made, inputs))
        for rows in (3, 5):
            with pytest.raises(
                ann.InvalidArgumentError, match="scanned inputs have different lengths"
            ):
                network.run({"p": data(0, (4, 3)), "q": data(1, (rows, 3))})


@pytest.mark.exhaustive
def test_a_long_function_that_calls_itself_is_refused() -> None:
    nodes = [n("Neg", [f"v{i}"], [f"v{i + 1}"]) for i in range(800)]
    function = helper.make_function(
        "own", "Self", ["v0"], ["o"],
        [*nodes, helper.make_node("Self", ["v800"], ["o"], domain="own")],
        [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)],
    )  # fmt: skip
    made = model(
        [helper.make_node("Self", ["x"], ["y"], domain="own")], {"x": (FLOAT, [2])},
        {"y": (FLOAT, [2])}, functions=[function],
    )  # fmt: skip
    with pytest.raises(ann.UnsupportedOperatorError, match="inside each other"):
        ann.import_model(made)


def test_a_body_that_reads_what_cannot_be_read() -> None:
    body = graph(
        [n("Add", ["state", "s"], ["next"]), n("Identity", ["goes"], ["on"])],
        TURN | {"state": (FLOAT, [3])}, {"on": (BOOL, []), "next": (FLOAT, [3])},
    )  # fmt: skip
    made = model(
        [n("Loop", ["count", "", "x"], ["y"], body=body)], {"x": (FLOAT, [3])}, {"y": (FLOAT, [3])},
        {"count": np.int64(2000)},
    )  # fmt: skip
    made.graph.initializer.append(onnx.TensorProto(name="s", dims=[3], data_type=99))
    with pytest.raises(ann.UnsupportedOperatorError, match="initializer 's'"):
        ann.import_model(made)


def test_operators_of_two_bodies_are_in_one_error() -> None:
    made = looped("ends by its states", LARGE)
    for number in (1, 2):
        loop = onnx.NodeProto.FromString(made.graph.node[1].SerializeToString())
        body = loop.attribute[0].g
        body.node.append(n(f"NoSuch{number}", ["next"], ["z"]))
        body.output.append(helper.make_tensor_value_info("z", FLOAT, [1]))
        loop.name, loop.output[0] = f"loop{number}", f"l{number}"
        loop.input[0] = "many"  # so that the body is not inspected before it is a network
        loop.output.append(f"z{number}")
        made.graph.node.append(loop)
        made.graph.output.append(helper.make_tensor_value_info(f"z{number}", FLOAT, ["n", 1]))
    with pytest.raises(ann.UnsupportedOperatorError) as error:
        ann.import_model(made)
    assert [found.name for found in error.value.operators] == ["NoSuch1", "NoSuch2"]
