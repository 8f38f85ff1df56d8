# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What cannot be imported is listed at once, with counts, reasons and node names."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends import import_model

FLOAT = TensorProto.FLOAT


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs, outputs, **attributes)


@pytest.mark.parametrize("shape", [[1, 4], ["n", 4]], ids=["static", "dynamic"])
def test_all_are_listed(models: Any, shape: list[Any]) -> None:
    nodes = [
        node("MaxRoiPool", ["x"], ["a"], name="hard1"),
        node("Relu", ["a"], ["b"], name="fine"),
        node("MaxRoiPool", ["b"], ["c"], name="hard2"),
        node("ImageDecoder", ["c"], ["d"], name="image"),
        node("FusedThing", ["d"], ["e"], name="fused", domain="com.example"),
        node("Conv", ["p", "p"], ["where"], name="conv", kernel_shape=[2, 2, 2, 2]),
        node("Add", ["e", "where"], ["y"], name="add"),
    ]
    inputs = {"x": (shape, FLOAT), "p": ([1, 1, 4, 4], FLOAT)}
    model = models.build(nodes, inputs, {"y": (shape, FLOAT)})
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        import_model(models.save(model))
    assert str(caught.value) == (
        "4 kinds of operator in 'model.onnx' cannot be imported\n"
        "  Conv                     x1   4 spatial dimensions (1 to 3 are supported) (node: conv)\n"
        "  ImageDecoder             x1   not supported by this version (node: image)\n"
        "  MaxRoiPool               x2   not supported by this version (first node: hard1)\n"
        "  com.example.FusedThing   x1   domain 'com.example' is not supported (node: fused)\n"
        "hint: 'armnn-py operators' lists what this version supports\n"
        "hint: export with standard operators only\n"
        "hint: a backend, also one in Python, can run an operator that no layer expresses: "
        "docs/python_backend.md, docs/kernel_features.md"
    )
    found = [(o.name, o.count, o.nodes) for o in caught.value.operators]
    assert found[2] == ("MaxRoiPool", 2, ("hard1", "hard2"))


@pytest.mark.parametrize("shape", [[2], ["n"]], ids=["static", "dynamic"])
def test_oversized_values_are_one_error_with_all_places(models: Any, shape: list[Any]) -> None:
    """Inputs and outputs by name, and the operators that such a model has besides."""
    number = TensorProto.COMPLEX64
    model = models.build(
        [
            node("ImageDecoder", ["text"], ["low"], name="like"),
            node("NegativeLogLikelihoodLoss", ["low", "more"], ["joined"], name="lost"),
            node("MaxRoiPool", ["joined"], ["drawn"], name="draw"),
            node("SequenceAt", ["list", "k"], ["item"], name="at"),
            node("Relu", ["x"], ["y"], name="fine"),
        ],
        {"x": (shape, FLOAT), "text": (shape, number), "more": (shape, number)},
        {
            "y": (shape, FLOAT),
            "joined": (shape, number),
            "drawn": (shape, FLOAT),
            "item": (shape, FLOAT),
        },
        {"k": np.array(0)},
        opset=20,
    )
    listed = helper.make_tensor_sequence_value_info("list", FLOAT, shape)
    model.graph.input.append(listed)
    with pytest.raises(ann.ParseError) as caught:
        import_model(models.save(model))
    assert str(caught.value) == (
        "'text' holds complex64 values, which no tensor can\n"
        "  input 'more' holds complex64 values, which no tensor can\n"
        "  input 'list' holds sequence type values, which no tensor can\n"
        "  output 'joined' holds complex64 values, which no tensor can\n"
        "  ImageDecoder   x1   not supported by this version (node: like)\n"
        "  MaxRoiPool     x1   not supported by this version (node: draw)\n"
        "hint: 'armnn-py operators' lists what this version supports"
    )


def test_outputs_that_come_from_such_inputs_are_listed_with_them(models: Any) -> None:
    """Outputs that hold an optional or a sequence; an element that is taken out is a tensor."""
    tensor = helper.make_tensor_type_proto(FLOAT, [2])
    listed = helper.make_sequence_type_proto(tensor)
    perhaps = helper.make_optional_type_proto(listed)
    model = models.build(
        [
            node("Identity", ["maybe"], ["same"], name="pass"),
            node("OptionalGetElement", ["same"], ["list"], name="get"),
            node("SequenceInsert", ["list", "x"], ["longer"], name="insert"),
            node("SequenceAt", ["list", "k"], ["item"], name="at"),
            node("SequenceConstruct", ["item", "x"], ["pair"], name="pair"),
            node("SequenceConstruct", ["x", "x"], ["twice"], name="twice"),
        ],
        {"x": ([2], FLOAT)},
        ["untyped", "same", "longer", "item", "pair", "twice"],
        {"k": np.array(0)},
        opset=18,
    )
    model.graph.node.append(node("Identity", ["maybe"], ["untyped"]))
    model.graph.input.append(helper.make_value_info("maybe", perhaps))
    kinds = {"same": perhaps, "longer": listed, "item": tensor, "pair": listed, "twice": listed}
    for info in model.graph.output:
        if info.name in kinds:
            info.type.CopyFrom(kinds[info.name])
    model.graph.output[0].ClearField("type")
    with pytest.raises(ann.ParseError) as caught:
        import_model(models.save(model))
    assert str(caught.value) == (
        "'maybe' holds optional type values, which no tensor can\n"
        "  output 'same' holds optional type values, which no tensor can\n"
        "  output 'longer' holds sequence type values, which no tensor can"
    )


@pytest.mark.parametrize("shape", [[1], ["n"]], ids=["static", "dynamic"])
def test_every_operand_that_cannot_be_read_is_named(models: Any, shape: list[Any]) -> None:
    nodes = [
        node("Equal", ["text", "other"], ["same"], name="equal"),
        node("Equal", ["text", "text"], ["itself"], name="twice"),
        node("Where", ["same", "x", "v"], ["a"]),
        node("Where", ["itself", "a", "v"], ["y"]),
    ]
    constants = {"v": np.ones(1, np.float32)}
    model = models.build(nodes, {"x": (shape, FLOAT)}, {"y": (shape, FLOAT)}, constants, opset=19)
    for name in ("text", "other"):
        model.graph.initializer.append(helper.make_tensor(name, TensorProto.COMPLEX64, [1], [1j]))
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        import_model(models.save(model))
    assert {o.nodes: o.reason for o in caught.value.operators} == {
        ("twice",): "initializer 'text' holds complex64 values",
        ("equal",): "initializer 'text' holds complex64 values; "
        "initializer 'other' holds complex64 values",
    }


def test_many_nodes_are_counted_and_the_first_is_shown(models: Any) -> None:
    nodes = [
        node("MaxRoiPool", ["x" if k == 0 else f"v{k - 1}"], [f"v{k}"], name=f"e{k}")
        for k in range(99)
    ]
    model = models.build(nodes, {"x": ([2], FLOAT)}, {"v98": ([2], FLOAT)})
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        import_model(models.save(model))
    (operator,) = caught.value.operators
    assert (operator.count, operator.nodes) == (99, tuple(f"e{k}" for k in range(99)))
    assert caught.value.details == (
        "MaxRoiPool   x99  not supported by this version (first node: e0)",
    )


def test_no_advice_for_standard_operators(models: Any) -> None:
    model = models.build(
        [node("MaxRoiPool", ["x"], ["y"])], {"x": ([2], FLOAT)}, {"y": ([2], FLOAT)}
    )
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        import_model(models.save(model))
    assert caught.value.hints == ("'armnn-py operators' lists what this version supports",)


def test_an_operator_that_onnx_does_not_have(models: Any) -> None:
    model = models.build([node("Wobble", ["x"], ["y"])], {"x": ([2], FLOAT)}, {"y": ([2], FLOAT)})
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        import_model(models.save(model))
    assert [o.reason for o in caught.value.operators] == ["no operator of standard ONNX"]
    assert caught.value.hints[0] == "export with standard operators only"
    assert caught.value.hints[1].startswith("a backend, also one in Python, can run an operator")


def test_why_a_rank_is_not_known(models: Any) -> None:
    """No size of a few makes 3000 the largest of ``n`` elements: the error says what failed."""
    nodes = [node("TopK", ["x", "k"], ["y", "places"]), node("Relu", ["y"], ["z"])]
    model = models.build(
        nodes, {"x": (["n"], FLOAT)}, {"z": (None, FLOAT)}, {"k": np.array([3000])}
    )
    with pytest.raises(ann.ParseError) as caught:
        import_model(models.save(model))
    assert caught.value.message == "output 'z' states no shape, so that its rank is not known"
    assert caught.value.details[0] == (
        "with input 'x': 64: node 'TopK_0' (TopK): k is 3000, but dimension 0 has 64 elements"
    )
    assert caught.value.hints == ("bind all inputs: import_model(..., shapes={...})",)


REASONS = {
    "four spatial dimensions": (
        [node("Conv", ["cube", "cube"], ["y"], name="n")],
        "4 spatial dimensions (1 to 3 are supported)",
    ),
    "complex numbers": (
        [node("Cast", ["x"], ["y"], to=TensorProto.COMPLEX64, name="n")],
        "to complex64",
    ),
    "arithmetic of float8": (
        [
            node("Cast", ["x"], ["small"], to=TensorProto.FLOAT8E5M2),
            node("Add", ["small", "small"], ["y"], name="n"),
        ],
        "float8_e5m2 operands",
    ),
    "arithmetic of int2": (
        [
            node("Cast", ["x"], ["small"], to=TensorProto.INT2),
            node("Relu", ["small"], ["y"], name="n"),
        ],
        "int2 operands",
    ),
    "strings": (
        [
            node("Cast", ["x"], ["text_x"], to=TensorProto.STRING),
            node("Relu", ["text_x"], ["y"], name="n"),
        ],
        "strings as operands",
    ),
    "string weights": ([node("Add", ["x", "text"], ["y"], name="n")], "strings as operands"),
    "complex weights": ([node("Add", ["x", "z"], ["y"], name="n")], "holds complex64 values"),
    "training": (
        [node("Dropout", ["x", "", "t"], ["y"], name="n")],
        "training mode",
    ),
}


@pytest.mark.parametrize("what", REASONS)
def test_reasons(models: Any, what: str) -> None:
    nodes, reason = REASONS[what]
    inputs = {"x": ([2, 3], FLOAT), "cube": ([1, 1, 3, 3, 3, 3], FLOAT)}
    constants = {"k": np.zeros((2, 1), np.int64), "v": np.ones(3, np.float32), "t": np.array(True)}
    model = models.build(nodes, inputs, {"y": ([2, 3], FLOAT)}, constants)
    model.graph.initializer.append(helper.make_tensor("text", TensorProto.STRING, [1], [b"a"]))
    model.graph.initializer.append(helper.make_tensor("z", TensorProto.COMPLEX64, [1], [1j]))
    with pytest.raises(ann.UnsupportedOperatorError) as caught:
        import_model(models.save(model))
    (operator,) = caught.value.operators
    assert reason in operator.reason
    assert operator.nodes == ("n",)


HUGE = 2**31
POSITIONS = "positions (at most 16777216 are supported)"


@pytest.mark.parametrize(
    ("op", "shape", "attributes", "reason"),
    [
        ("Pad", [1, HUGE], {"mode": "edge", "pads": [0, 0, 0, 2]}, "padded by"),
        ("Hardmax", [1, HUGE], {"axis": 1}, POSITIONS),
        ("MaxPool", [1, 1, HUGE, 4], {"kernel_shape": [2, 2]}, ""),
        ("Resize", [1, 1, 4, 4], {"mode": "cubic"}, "a dimension of 2147483648 elements"),
        ("SplitToSequence", [HUGE], {}, "a sequence of 2147483648 tensors"),
        ("Split", [4, 1], {"num_outputs": HUGE}, "'num_outputs' is 2147483648, but the node has 1"),
        ("SplitToSequence", [HUGE, 1], {"axis": 0}, "a sequence of 2147483648 tensors"),
    ],
)
def test_a_dimension_beyond_memory_takes_no_time(
    op: str, shape: list[int], attributes: dict[str, Any], reason: str
) -> None:
    """Found by fuzzing: what an operator counts at import is as many as a file says."""
    inputs = ["x", "", "", "sizes"] if op == "Resize" else ["x"]
    outputs = ["y", "i"] if op == "MaxPool" else ["y"]
    graph = helper.make_graph(
        [helper.make_node(op, inputs, outputs, **attributes)],
        "huge",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs[:1]],
        [numpy_helper.from_array(np.array([1, 1, HUGE, 4]), "sizes")],
    )
    version = {"Pad": 2, "Split": 18}.get(op, 13)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
    if reason:
        with pytest.raises(ann.ArmnnError, match=re.escape(reason)):
            ann.import_model(made)
        return
    with contextlib.suppress(ann.ArmnnError):
        ann.import_model(made)
