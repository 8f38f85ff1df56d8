# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Bodies that contradict their nodes, where these run by themselves: errors say what and where."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
SHAPE = (200, 100)  # more than 64 KiB: data, not an operand that decides shapes
ROWS = (1100, 3)  # more than the turns that are written out
n = helper.make_node


def graph(
    nodes: list[Any],
    inputs: list[tuple[str, int, Any]],
    outputs: list[tuple[str, int, Any]],
    constants: dict[str, Any] | None = None,
) -> onnx.GraphProto:
    return helper.make_graph(
        nodes,
        "damaged",
        [helper.make_tensor_value_info(*info) for info in inputs],
        [helper.make_tensor_value_info(*info) for info in outputs],
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


def data(shape: Any = SHAPE) -> np.ndarray:
    return np.random.default_rng(0).random(shape).astype(np.float32)


TURN = [("turn", INT64, []), ("goes", BOOL, []), ("state", FLOAT, SHAPE)]
GROW = [
    n("Mul", ["state", "grow"], ["next"]),
    n("ReduceMax", ["next"], ["top"], keepdims=0),
    n("Less", ["top", "limit"], ["on"]),
]
ON, NEXT, TOP = ("on", BOOL, None), ("next", FLOAT, SHAPE), ("top", FLOAT, [])
CONSTANTS = {"grow": np.float32(1.7), "limit": np.float32(40), "yes": np.array(True)}


def loop(
    body: onnx.GraphProto, outputs: list[str], states: list[str], **constants: Any
) -> onnx.ModelProto:
    count = "count" if "count" in constants else ""
    return model(
        [n("Relu", ["input"], ["x"]), n("Loop", [count, "yes", *states], outputs, body=body)],
        [("input", FLOAT, SHAPE)],
        [(name, FLOAT, None) for name in outputs],
        CONSTANTS | constants,
    )


def test_a_loop_whose_body_has_too_few_outputs() -> None:
    body = graph(GROW, [*TURN, ("other", FLOAT, SHAPE)], [ON, NEXT])
    with pytest.raises(ann.ParseError, match=r"'Loop_1' .*2 outputs, a condition and 2 states"):
        ann.import_model(loop(body, ["y", "z"], ["x", "x"]))
    with pytest.raises(ann.ParseError, match=r"1 output, a condition and 1 state expected"):
        ann.import_model(loop(graph(GROW, TURN, [ON]), ["y"], ["x"]))


def test_a_loop_with_an_output_that_its_body_does_not_have() -> None:
    with pytest.raises(ann.UnsupportedOperatorError, match="output 'z'"):
        ann.import_model(loop(graph(GROW, TURN, [ON, NEXT]), ["y", "z"], ["x"]))


def test_a_loop_without_one_of_its_states() -> None:
    other = ("other", FLOAT, SHAPE)
    body = graph(GROW, [*TURN, other], [ON, NEXT, other])
    with pytest.raises(ann.ParseError, match="returns 'other', which it neither computes"):
        ann.import_model(loop(body, ["y", "z"], ["x", ""]))


def test_a_body_whose_constant_has_the_name_of_a_value_around() -> None:
    """By onnxruntime: what the body has stands before what is around it."""
    x = ("x", FLOAT, [])
    made = loop(graph(GROW, TURN, [ON, NEXT, x], {"x": np.float32(7)}), ["y", "all"], ["x"])
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(made.SerializeToString(), options)
    y, every = session.run(["y", "all"], {"input": data()})
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run(data())
    np.testing.assert_allclose(found["y"], y, rtol=1e-5)
    np.testing.assert_array_equal(found["all"], every)


NOTHING = [
    n("Less", ["next", "limit"], ["below"]),
    n("NonZero", ["below"], ["places"]),
    n("Slice", ["places", "origin", "origin"], ["nothing"]),
    n("Cast", ["nothing"], ["on"], to=BOOL),
]


@pytest.mark.parametrize("turns", [5, 1500])
def test_a_condition_without_elements(turns: int) -> None:
    body = graph(GROW[:1], TURN, [("none", BOOL, [0]), NEXT], {"none": np.zeros(0, bool)})
    made = loop(body, ["y"], ["x"], count=np.int64(turns))
    with pytest.raises(ann.ArmnnError, match=r"'Loop_1' .*condition.* has no elements"):
        ann.load(made, ["CpuRef"]).run(data())


def test_a_condition_that_a_turn_computes_without_elements() -> None:
    body = graph(GROW[:1] + NOTHING, TURN, [ON, NEXT], {"origin": np.int64([0, 0])})
    with (
        ann.load(loop(body, ["y"], ["x"]), ["CpuRef"]) as network,
        pytest.raises(
            ann.InvalidArgumentError, match=r"'Loop_1' .*condition after turn 0 has no elements"
        ),
    ):
        network.run(data())


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (np.zeros(0, np.int64), "number of turns has no elements"),
        (np.float32(3), "number of turns must be an integer, not float32"),
        (np.array(True), "number of turns must be an integer, not bool"),
    ],
)
def test_invalid_numbers_of_turns(count: Any, text: str) -> None:
    body = graph(GROW, TURN, [ON, NEXT])
    with pytest.raises(ann.ParseError, match=text):
        ann.import_model(loop(body, ["y"], ["x"], count=count))


# ---- Scan ----------------------------------------------------------------------------------------

ADD = [n("Add", ["sum", "row"], ["more"]), n("Identity", ["more"], ["seen"])]
SLICES = [("sum", FLOAT, [3]), ("row", FLOAT, [3])]
MORE, SEEN = ("more", FLOAT, [3]), ("seen", FLOAT, [3])


def scan(body: onnx.GraphProto, outputs: list[str], **attributes: Any) -> onnx.ModelProto:
    return model(
        [n("Scan", ["first", "x"], outputs, body=body, num_scan_inputs=1, **attributes)],
        [("first", FLOAT, [3]), ("x", FLOAT, ROWS)],
        [(name, FLOAT, None) for name in outputs],
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scan_input_axes", "axes for 1 scanned inputs, expected as many"),
        ("scan_input_directions", "directions for 1 scanned inputs, expected as many"),
        ("scan_output_axes", "axes for 1 scanned outputs, expected as many"),
        ("scan_output_directions", "directions for 1 scanned outputs, expected as many"),
    ],
)
def test_a_scan_with_attributes_of_another_length(name: str, text: str) -> None:
    made = scan(graph(ADD, SLICES, [MORE, SEEN]), ["last", "all"], **{name: [0, 0]})
    with pytest.raises(ann.ParseError, match=rf"'Scan_0' .*2 {text}"):
        ann.import_model(made)


def test_a_scan_with_other_outputs_than_its_body() -> None:
    with pytest.raises(ann.UnsupportedOperatorError, match="output 'all'"):
        ann.import_model(scan(graph(ADD, SLICES, [MORE]), ["last", "all"]))
    with pytest.raises(ann.ParseError, match="0 outputs for 1 state"):
        ann.import_model(scan(graph(ADD, SLICES, []), ["last"]))


def scan_of_batches(lengths: Any, **attributes: Any) -> onnx.ModelProto:
    body = graph(ADD, SLICES, [MORE, SEEN])
    scanned = n("Scan", ["lengths", "first", "x"], ["last", "all"], body=body, num_scan_inputs=1,
                **attributes)  # fmt: skip
    return model(
        [scanned],
        [("first", FLOAT, [2, 3]), ("x", FLOAT, [2, 5, 3])],
        [("last", FLOAT, [2, 3]), ("all", FLOAT, [2, 5, 3])],
        {"lengths": lengths},
        opset=8,
    )


@pytest.mark.parametrize("wrong", [6, 2**40, 0, -1])
def test_sequences_with_lengths_that_they_cannot_have(wrong: int) -> None:
    with (
        ann.load(scan_of_batches(np.int64([4, wrong])), ["CpuRef"]) as network,
        pytest.raises(
            ann.InvalidArgumentError, match=f"length of a sequence is {wrong}, expected 1 to 5"
        ),
    ):
        network.run({"first": data((2, 3)), "x": data((2, 5, 3))})


@pytest.mark.parametrize("lengths", [[], [5], [5, 5, 5], [4], [4, 4, 4]])
def test_more_or_fewer_lengths_than_sequences(lengths: list[int]) -> None:
    with pytest.raises(
        ann.ParseError, match=f"{len(lengths)} lengths do not fit a batch of 2 sequences"
    ):
        ann.import_model(scan_of_batches(np.array(lengths, np.int64)))


def test_directions_of_a_scan_of_batches() -> None:
    made = scan_of_batches(np.int64([4, 2]), directions=[0, 1])
    with pytest.raises(ann.ParseError, match="2 directions for 1 scanned inputs, expected as many"):
        ann.import_model(made)


# ---- If and functions ----------------------------------------------------------------------------

CUT = [n("NonZero", ["b"], ["where"]), n("Cast", ["where"], ["places"], to=FLOAT)]
PLACES, ALL = ("places", FLOAT, [2, "n"]), ("all", FLOAT, SHAPE)


def branches(first: Any, second: Any, outputs: list[str]) -> onnx.ModelProto:
    nodes = [
        n("Relu", ["input"], ["x"]), n("ReduceMean", ["x"], ["mean"], keepdims=0),
        n("Greater", ["mean", "bound"], ["c"]), n("Greater", ["x", "bound"], ["b"]),
        n("If", ["c"], outputs, then_branch=first, else_branch=second),
    ]  # fmt: skip
    made = [(name, FLOAT, None) for name in outputs if name]
    return model(nodes, [("input", FLOAT, SHAPE)], made, {"bound": np.float32(0.5)})


def test_branches_with_other_numbers_of_outputs() -> None:
    same = [n("Identity", ["x"], ["all"]), n("Neg", ["x"], ["less"])]
    two = graph(same, [], [ALL, ("less", FLOAT, SHAPE)])
    with pytest.raises(ann.ParseError, match=r"'If_4' .*1 and 2 outputs, expected as many"):
        ann.import_model(branches(graph(CUT, [], [PLACES]), two, ["y", "z"]))
    with pytest.raises(ann.UnsupportedOperatorError, match="output 'z'"):
        ann.import_model(branches(graph(CUT, [], [PLACES]), graph(same, [], [ALL]), ["y", "z"]))


def test_an_output_of_a_branch_without_a_name() -> None:
    """Its others would take its place."""
    nameless = ("", FLOAT, SHAPE)
    first = graph(CUT, [], [nameless, PLACES])
    second = graph([n("Identity", ["x"], ["all"])], [], [nameless, ALL])
    with pytest.raises(ann.ParseError, match="output 0 has no name"):
        ann.import_model(branches(first, second, ["", "z"]))


def calling(function: onnx.FunctionProto, outputs: list[str]) -> onnx.ModelProto:
    return model(
        [n("Sub", ["input", "half"], ["x"]), n("Own", ["x", "half"], outputs, domain="own")],
        [("input", FLOAT, SHAPE)],
        [(name, FLOAT, None) for name in outputs if name],
        {"half": np.float32(0.5)},
        functions=[function],
    )


def function_of(outputs: list[str]) -> onnx.FunctionProto:
    nodes = [n("Greater", ["v", "bound"], ["b"]), *CUT]
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_function("own", "Own", ["v", "bound", "more"], outputs, nodes, opsets)


def test_outputs_that_a_function_does_not_make() -> None:
    for function in (function_of(["places"]), function_of(["places", "more"])):
        with pytest.raises(ann.UnsupportedOperatorError, match="output 'z'"):
            ann.import_model(calling(function, ["y", "z"]))


def test_an_absent_input_of_a_function_as_an_unused_output() -> None:
    with ann.load(calling(function_of(["more", "places"]), ["", "y"]), ["CpuRef"]) as network:
        found = network.run(data())["y"]
    np.testing.assert_array_equal(found, np.array((data() - np.float32(0.5) > 0.5).nonzero()))
