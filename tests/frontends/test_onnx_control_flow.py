# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""If, Loop and Scan: CpuRef against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)


def value(name: str, kind: int, shape: Any) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, kind, shape)


def constant(name: str, array: Any) -> onnx.NodeProto:
    return helper.make_node(
        "Constant", [], [name], value=numpy_helper.from_array(np.asarray(array), name)
    )


def graph(
    nodes: list[Any], inputs: list[Any], outputs: list[Any], weights: dict[str, Any] | None = None
) -> onnx.GraphProto:
    tensors = [numpy_helper.from_array(array, name) for name, array in (weights or {}).items()]
    return helper.make_graph(nodes, "graph", inputs, outputs, tensors)


def model(
    nodes: list[Any],
    inputs: list[Any],
    outputs: list[Any],
    weights: dict[str, Any] | None = None,
    version: int = 17,
) -> onnx.ModelProto:
    made = helper.make_model(
        graph(nodes, inputs, outputs, weights),
        opset_imports=[helper.make_opsetid("", version)],
        ir_version=8,
    )
    onnx.checker.check_model(made)
    return made


def compare(made: onnx.ModelProto, feeds: dict[str, Any]) -> dict[str, np.ndarray]:
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    expected = session.run(None, feeds)
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run(feeds)
    for one, (name, other) in zip(expected, found.items(), strict=True):
        assert one.shape == other.shape, name
        np.testing.assert_allclose(other, one, rtol=1e-5, atol=1e-6)
    return found


# ---- If ------------------------------------------------------------------------------------------


def branches(shape: Any = (3, 4)) -> dict[str, Any]:
    """Both read ``x`` of the graph around; one has a weight of its own."""
    return {
        "then_branch": graph(
            [helper.make_node("Mul", ["x", "w"], ["t"])],
            [],
            [value("t", FLOAT, shape)],
            {"w": np.float32([3])},
        ),
        "else_branch": graph(
            [helper.make_node("Neg", ["x"], ["e"])], [], [value("e", FLOAT, shape)]
        ),
    }


@pytest.mark.parametrize("flag", [True, False])
def test_a_known_condition_leaves_one_branch(flag: bool) -> None:
    made = model(
        [constant("c", flag), helper.make_node("If", ["c"], ["y"], name="if", **branches())],
        [value("x", FLOAT, (3, 4))],
        [value("y", FLOAT, (3, 4))],
    )
    compare(made, {"x": X})
    network = ann.import_model(made)
    names = [layer.name for layer in network.layers]
    assert ("if/Mul_0" in names) is flag
    assert ("if/Neg_0" in names) is not flag


@pytest.mark.parametrize("flag", [True, False])
def test_a_condition_from_an_input_gets_a_plan_for_each_value(flag: bool) -> None:
    nodes = [
        constant("limit", np.int64(16000)),
        helper.make_node("Equal", ["rate", "limit"], ["c"]),
        helper.make_node("If", ["c"], ["y"], **branches()),
    ]
    inputs = [value("x", FLOAT, (3, 4)), value("rate", INT64, ())]
    made = model(nodes, inputs, [value("y", FLOAT, (3, 4))])
    compare(made, {"x": X, "rate": np.array(16000 if flag else 8000)})


@pytest.mark.parametrize("sign", [1, -1])
def test_a_condition_from_data_computes_both_branches(sign: int) -> None:
    size = (130, 130)
    nodes = [
        helper.make_node("ReduceSum", ["x"], ["sum"], keepdims=0),
        helper.make_node("Cast", ["zero"], ["none"], to=FLOAT),
        helper.make_node("Greater", ["sum", "none"], ["c"]),
        helper.make_node("If", ["c"], ["y"], **branches(size)),
    ]
    made = model(
        nodes,
        [value("x", FLOAT, size)],
        [value("y", FLOAT, size)],
        {"zero": np.array(0, np.int32)},
    )
    compare(made, {"x": np.full(size, sign, np.float32)})


def branches_of_two_shapes() -> dict[str, Any]:
    shapes = branches((None, None))
    shapes["else_branch"] = graph(
        [helper.make_node("Flatten", ["x"], ["e"], axis=0)], [], [value("e", FLOAT, (None, None))]
    )
    return shapes


@pytest.mark.parametrize("largest", [0, 3])
def test_data_choose_between_branches_of_different_shapes(largest: int) -> None:
    nodes = [
        helper.make_node("ReduceMax", ["x"], ["largest"], keepdims=0),
        helper.make_node("Cast", ["largest"], ["c"], to=BOOL),
        helper.make_node("If", ["c"], ["y"], name="if", **branches_of_two_shapes()),
    ]
    made = model(nodes, [value("x", FLOAT, (130, 130))], [value("y", FLOAT, (None, None))])
    x = -np.arange(130 * 130, dtype=np.float32).reshape(130, 130) + np.float32(largest)
    assert len(compare(made, {"x": x})["y"]) == (130 if largest else 1)


def test_branches_of_different_shapes_in_a_body() -> None:
    inside = graph(
        [
            helper.make_node("ReduceMax", ["x"], ["largest"], keepdims=0),
            helper.make_node("Cast", ["largest"], ["chooses"], to=BOOL),
            helper.make_node("If", ["chooses"], ["h"], name="if", **branches_of_two_shapes()),
        ],
        [],
        [value("h", FLOAT, (None, None))],
    )
    nodes = [
        constant("c", True),
        helper.make_node("If", ["c"], ["y"], then_branch=inside, else_branch=inside),
    ]
    made = model(nodes, [value("x", FLOAT, (130, 130))], [value("y", FLOAT, (None, None))])
    x = -np.arange(130 * 130, dtype=np.float32).reshape(130, 130)
    assert len(compare(made, {"x": x})["y"]) == 1
    assert len(compare(made, {"x": x + 3})["y"]) == 130


def test_inner_errors_are_listed_with_their_place() -> None:
    inside = graph(
        [helper.make_node("MaxRoiPool", ["x", "x"], ["h"], name="odd", pooled_shape=[1, 1])],
        [],
        [value("h", FLOAT, (3, 4))],
    )
    nodes = [
        constant("c", True),
        helper.make_node("If", ["c"], ["y"], then_branch=inside, else_branch=inside),
    ]
    made = model(nodes, [value("x", FLOAT, (3, 4))], [value("y", FLOAT, (3, 4))])
    with pytest.raises(ann.UnsupportedOperatorError) as error:
        ann.import_model(made)
    assert [(found.name, found.nodes) for found in error.value.operators] == [
        ("MaxRoiPool", ("odd",))
    ]


# ---- Loop ----------------------------------------------------------------------------------------


def doubling(condition: list[Any] | None = None) -> onnx.GraphProto:
    """Doubles a state, adds a value of the graph around, and collects the states."""
    return graph(
        [
            helper.make_node("Add", ["s", "s"], ["twice"]),
            helper.make_node("Add", ["twice", "x"], ["next"]),
            *(condition or [helper.make_node("Identity", ["c"], ["goes_on"])]),
        ],
        [value("i", INT64, ()), value("c", BOOL, ()), value("s", FLOAT, (3, 4))],
        [value("goes_on", BOOL, ()), value("next", FLOAT, (3, 4)), value("twice", FLOAT, (3, 4))],
    )


LOOP_OUTPUTS = [value("y", FLOAT, (3, 4)), value("all", FLOAT, (None, 3, 4))]


@pytest.mark.parametrize("turns", [1, 4])
def test_a_loop_with_a_known_number_of_turns(turns: int) -> None:
    nodes = [
        constant("m", np.int64(turns)),
        constant("c", True),
        helper.make_node("Loop", ["m", "c", "x"], ["y", "all"], name="loop", body=doubling()),
    ]
    compare(model(nodes, [value("x", FLOAT, (3, 4))], LOOP_OUTPUTS), {"x": X})


@pytest.mark.parametrize("turns", [2, 3])
def test_the_number_of_turns_may_be_an_input(turns: int) -> None:
    nodes = [helper.make_node("Loop", ["m", "", "x"], ["y", "all"], body=doubling())]
    inputs = [value("x", FLOAT, (3, 4)), value("m", INT64, ())]
    compare(model(nodes, inputs, LOOP_OUTPUTS), {"x": X, "m": np.array(turns)})


def test_a_condition_that_turns_know() -> None:
    nodes = [
        constant("c", True),
        helper.make_node(
            "Loop", ["", "c", "x"], ["y", "all"],
            body=doubling([
                constant("limit", np.int64(4)),
                helper.make_node("Less", ["i", "limit"], ["goes_on"]),
            ]),
        ),
    ]  # fmt: skip
    found = compare(model(nodes, [value("x", FLOAT, (3, 4))], LOOP_OUTPUTS), {"x": X})
    assert found["all"].shape == (5, 3, 4)


def test_a_loop_without_end_is_refused() -> None:
    nodes = [
        constant("c", True),
        helper.make_node("Loop", ["", "c", "x"], ["y", ""], body=doubling()),
    ]
    made = model(nodes, [value("x", FLOAT, (3, 4))], [value("y", FLOAT, (3, 4))])
    with pytest.raises(ann.UnsupportedOperatorError, match="a loop without an end"):
        ann.import_model(made)


def below(limit: float) -> list[Any]:
    """The condition that no element of the next state has reached a limit."""
    return [
        constant("limit", np.float32(limit)),
        helper.make_node("ReduceMax", ["next"], ["most"], keepdims=0),
        helper.make_node("Less", ["most", "limit"], ["goes_on"]),
    ]


def without_list(body: onnx.GraphProto) -> onnx.GraphProto:
    del body.output[2:]
    return body


LARGE = np.resize(X, (3, 2**14)).astype(np.float32)  # no input whose values may decide shapes


@pytest.mark.parametrize("limit", [0.0, 3.0, 40.0, 1e9])
def test_a_condition_computed_in_each_turn_of_a_bounded_loop(limit: float) -> None:
    """States are those of the last turn that is reached, one at least."""
    body = without_list(doubling(below(limit)))
    nodes = [
        constant("m", np.int64(9)),
        constant("c", True),
        helper.make_node("ReduceMean", ["large"], ["mean"], keepdims=0),
        helper.make_node("Add", ["small", "mean"], ["x"]),
        helper.make_node("Loop", ["m", "c", "x"], ["y"], body=body),
    ]
    inputs = [value("small", FLOAT, (3, 4)), value("large", FLOAT, LARGE.shape)]
    made = model(nodes, inputs, [value("y", FLOAT, (3, 4))])
    compare(made, {"small": X, "large": LARGE})


@pytest.mark.parametrize("sign", [1, -1])
def test_a_bounded_loop_that_data_may_keep_from_its_first_turn(sign: int) -> None:
    nodes = [
        constant("m", np.int64(5)),
        constant("zero", np.float32(0)),
        helper.make_node("ReduceSum", ["large"], ["sum"], keepdims=0),
        helper.make_node("Greater", ["sum", "zero"], ["c"]),
        helper.make_node("Loop", ["m", "c", "x"], ["y"], body=without_list(doubling(below(20)))),
    ]
    inputs = [value("x", FLOAT, (3, 4)), value("large", FLOAT, LARGE.shape)]
    made = model(nodes, inputs, [value("y", FLOAT, (3, 4))])
    compare(made, {"x": X, "large": sign * np.abs(LARGE)})


def test_a_loop_of_one_turn_need_not_know_its_condition() -> None:
    nodes = [
        constant("m", np.int64(1)),
        constant("c", True),
        helper.make_node("Loop", ["m", "c", "x"], ["y", "all"], body=doubling(below(3))),
    ]
    compare(model(nodes, [value("x", FLOAT, (3, 4))], LOOP_OUTPUTS), {"x": X})


@pytest.mark.parametrize("limit", [3.0, 40.0])
def test_values_of_a_small_input_end_a_loop_without_bound(limit: float) -> None:
    """As many states are collected as these values let there be turns."""
    nodes = [
        constant("c", True),
        helper.make_node("Loop", ["", "c", "x"], ["y", "all"], body=doubling(below(limit))),
    ]
    made = model(nodes, [value("x", FLOAT, (3, 4))], LOOP_OUTPUTS)
    assert len(compare(made, {"x": X})["all"]) == (1 if limit == 3 else 4)


def test_a_condition_of_data_in_a_loop_without_bound() -> None:
    nodes = [
        constant("c", True),
        helper.make_node("ReduceMean", ["large"], ["mean"], keepdims=0),
        helper.make_node("Add", ["small", "mean"], ["x"]),
        helper.make_node("Loop", ["", "c", "x"], ["y", "all"], body=doubling(below(3))),
    ]
    inputs = [value("small", FLOAT, (3, 4)), value("large", FLOAT, LARGE.shape)]
    made = model(nodes, inputs, LOOP_OUTPUTS)
    compare(made, {"small": X, "large": LARGE})


@pytest.mark.parametrize("grows", [False, True])
def test_a_list_as_a_state(grows: bool) -> None:
    """As programs do that append to a list in a loop."""
    body = graph(
        [
            helper.make_node("Mul", ["s", "s"], ["square"]),
            helper.make_node("Concat", ["square", "s"], ["more"], axis=0),
            helper.make_node("Identity", ["more" if grows else "square"], ["next"]),
            helper.make_node("SequenceInsert", ["list", "next"], ["longer"]),
            helper.make_node("Identity", ["c"], ["on"]),
        ],
        [
            value("i", INT64, ()),
            value("c", BOOL, ()),
            value("s", FLOAT, (None, 4)),
            helper.make_tensor_sequence_value_info("list", FLOAT, (None, 4)),
        ],
        [
            value("on", BOOL, ()),
            value("next", FLOAT, (None, 4)),
            helper.make_tensor_sequence_value_info("longer", FLOAT, (None, 4)),
        ],
    )
    nodes = [
        constant("m", np.int64(3)),
        constant("c", True),
        helper.make_node("SequenceEmpty", [], ["empty"]),
        helper.make_node("Loop", ["m", "c", "x", "empty"], ["last", "all"], body=body),
        helper.make_node("ConcatFromSequence", ["all"], ["y"], axis=0),
    ]
    compare(model(nodes, [value("x", FLOAT, (3, 4))], [value("y", FLOAT, (None, 4))]), {"x": X})


# ---- Scan ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("attributes", [
    {},
    {"scan_input_axes": [1], "scan_output_axes": [1]},
    {"scan_input_directions": [1], "scan_output_directions": [1]},
], ids=["rows", "columns", "backwards"])  # fmt: skip
def test_scan(attributes: dict[str, Any]) -> None:
    width = 3 if "scan_input_axes" in attributes else 4
    body = graph(
        [
            helper.make_node("Add", ["s", "row"], ["sum"]),
            helper.make_node("Mul", ["sum", "row"], ["product"]),
        ],
        [value("s", FLOAT, (width,)), value("row", FLOAT, (width,))],
        [value("sum", FLOAT, (width,)), value("product", FLOAT, (width,))],
    )
    node = helper.make_node(
        "Scan", ["s0", "x"], ["y", "z"], body=body, num_scan_inputs=1, **attributes
    )
    made = model(
        [node],
        [value("s0", FLOAT, (width,)), value("x", FLOAT, (3, 4))],
        [value("y", FLOAT, (width,)), value("z", FLOAT, (None, None))],
    )
    compare(made, {"s0": np.ones(width, np.float32), "x": X})


def scan_of_batches(lengths: str = "", **attributes: Any) -> onnx.ModelProto:
    body = graph(
        [
            helper.make_node("Add", ["s", "row"], ["sum"]),
            helper.make_node("Mul", ["sum", "other"], ["product"]),
        ],
        [value("s", FLOAT, (4,)), value("row", FLOAT, (4,)), value("other", FLOAT, (4,))],
        [value("sum", FLOAT, (4,)), value("product", FLOAT, (4,))],
    )
    inputs = [lengths, "s0", "x", "w"]
    node = helper.make_node("Scan", inputs, ["y", "z"], body=body, num_scan_inputs=2, **attributes)
    return model(
        [node],
        [value("s0", FLOAT, (2, 4)), value("x", FLOAT, (2, 3, 4)), value("w", FLOAT, (2, 3, 4))],
        [value("y", FLOAT, (2, 4)), value("z", FLOAT, (2, 3, 4))],
        {"lengths": np.array([3, 3]), "shorter": np.array([3, 2])},
        version=8,
    )


@pytest.mark.parametrize("lengths", ["", "lengths"])
@pytest.mark.parametrize("attributes", [{}, {"directions": [0, 1]}], ids=["forwards", "backwards"])
def test_scan_of_batches(attributes: dict[str, Any], lengths: str) -> None:
    """Operator set 8: the first dimension is a batch."""
    x = np.random.default_rng(8).standard_normal((2, 3, 4), np.float32)
    feeds = {"s0": x[:, 0] + 1, "x": x, "w": x - 2}
    compare(scan_of_batches(lengths, **attributes), feeds)


def test_a_scan_of_sequences_of_different_lengths() -> None:
    x = np.random.default_rng(8).standard_normal((2, 3, 4), np.float32)
    compare(scan_of_batches("shorter"), {"s0": x[:, 0] + 1, "x": x, "w": x - 2})


def of_sizes(made: onnx.ModelProto, shape: tuple[int, ...]) -> onnx.ModelProto:
    for given in made.graph.input:
        sizes = shape if given.name != "s0" else (shape[0], 4)
        for dim, size in zip(given.type.tensor_type.shape.dim, sizes, strict=True):
            dim.dim_value = size
    return made


@pytest.mark.parametrize("shape", [(3000, 1, 4), (64, 64, 4)])
def test_a_scan_of_many_turns(shape: tuple[int, ...]) -> None:
    made = scan_of_batches()
    del made.graph.output[:]
    made.graph.output.extend([value("y", FLOAT, (shape[0], 4)), value("z", FLOAT, shape)])
    x = np.random.default_rng(9).standard_normal(shape, np.float32)
    compare(of_sizes(made, shape), {"s0": x[:, 0], "x": x, "w": x - 2})


def test_a_scan_of_very_many_turns_is_imported_at_once() -> None:
    """A batch is as long as a file says."""
    network = ann.import_model(of_sizes(scan_of_batches(), (10**9, 0, 4)))
    assert [sorted(stage.bodies) for stage in network.stages] == [["body"]]


def test_directions_of_other_inputs_are_refused() -> None:
    with pytest.raises(ann.ParseError, match="1 directions for 2 scanned inputs, expected as many"):
        ann.import_model(scan_of_batches(directions=[1]))
