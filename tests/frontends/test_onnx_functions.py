# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Functions: of a model's own, and operators that the standard defines by others."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import armnn_py as ann

FLOAT = TensorProto.FLOAT
OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)


def node(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> onnx.NodeProto:
    return helper.make_node(op, inputs, outputs, **attributes)


def model(nodes: list[Any], functions: list[Any], inputs: tuple[str, ...] = ("x",)) -> Any:
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, FLOAT, (3, 4)) for name in inputs],
        [helper.make_tensor_value_info("y", FLOAT, None)],
    )
    return helper.make_model(graph, functions=functions, opset_imports=OPSETS, ir_version=9)


def compare(made: onnx.ModelProto, feeds: dict[str, Any]) -> None:
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, feeds)
    with ann.load(made, ["CpuRef"]) as network:
        (found,) = network.run(feeds).values()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def leaky() -> onnx.FunctionProto:
    """An attribute is handed down, with a default."""
    inner = node("LeakyRelu", ["a"], ["b"])
    reference = inner.attribute.add()
    reference.name, reference.ref_attr_name, reference.type = "alpha", "slope", 1
    return helper.make_function(
        "own", "Leaky", ["a"], ["b"], [inner], OPSETS[:1],
        attribute_protos=[helper.make_attribute("slope", 0.25)],
    )  # fmt: skip


@pytest.mark.parametrize("given", [{}, {"slope": 0.75}], ids=["default", "given"])
def test_an_attribute_of_the_call(given: dict[str, float]) -> None:
    compare(model([node("Leaky", ["x"], ["y"], domain="own", **given)], [leaky()]), {"x": X})


def test_a_function_that_calls_another_twice() -> None:
    twice = helper.make_function(
        "own", "Twice", ["a"], ["b"],
        [node("Leaky", ["a"], ["m"], domain="own"), node("Leaky", ["m"], ["b"], domain="own")],
        OPSETS,
    )  # fmt: skip
    nodes = [
        node("Twice", ["x"], ["m"], domain="own", name="first"),
        node("Twice", ["m"], ["y"], domain="own", name="second"),
    ]
    made = model(nodes, [leaky(), twice])
    compare(made, {"x": X})
    names = {layer.name for layer in ann.import_model(made).layers}
    assert {"first/Leaky_0/LeakyRelu_0", "second/Leaky_1/LeakyRelu_0"} <= names


def test_an_operand_that_is_left_out() -> None:
    clip = helper.make_function(
        "own", "Limit", ["a", "low", "high"], ["b"],
        [node("Clip", ["a", "low", "high"], ["b"])], OPSETS[:1],
    )  # fmt: skip
    nodes = [
        node("ReduceMax", ["x"], ["top"], keepdims=0),
        node("Limit", ["x", "", "top"], ["y"], domain="own"),
    ]
    compare(model(nodes, [clip]), {"x": X})


def test_a_function_that_calls_itself_is_refused() -> None:
    endless = helper.make_function(
        "own", "Endless", ["a"], ["b"], [node("Endless", ["a"], ["b"], domain="own")], OPSETS
    )
    made = model([node("Endless", ["x"], ["y"], domain="own")], [endless])
    with pytest.raises(ann.UnsupportedOperatorError, match="inside each other"):
        ann.import_model(made)


def test_a_function_that_reads_what_nothing_makes_is_damaged() -> None:
    broken = helper.make_function(
        "own", "Broken", ["a"], ["b"], [node("Add", ["a", "other"], ["b"])], OPSETS[:1]
    )
    made = model([node("Broken", ["x"], ["y"], domain="own")], [broken])
    with pytest.raises(
        ann.ParseError, match="reads 'other', which is not one of its inputs and has no node"
    ):
        ann.import_model(made)


def test_too_many_operands_for_a_function() -> None:
    made = model([node("Leaky", ["x", "x"], ["y"], domain="own")], [leaky()])
    with pytest.raises(ann.ParseError, match="2 inputs, but the function takes 1"):
        ann.import_model(made)


def test_an_operator_of_the_standard_that_is_a_function() -> None:
    """Its definition depends on types and attributes, and has a sum of squares below the root."""
    labels = np.array([[0, 2], [1, 0], [2, 1]], np.int64)
    graph = helper.make_graph(
        [node("NegativeLogLikelihoodLoss", ["x", "labels"], ["y"], reduction="sum")],
        "graph",
        [
            helper.make_tensor_value_info("x", FLOAT, (3, 4, 2)),
            helper.make_tensor_value_info("labels", TensorProto.INT64, (3, 2)),
        ],
        [helper.make_tensor_value_info("y", FLOAT, ())],
    )
    made = helper.make_model(graph, opset_imports=OPSETS[:1], ir_version=9)
    x = np.linspace(-3, 0, 24, dtype=np.float32).reshape(3, 4, 2)
    expected = -sum(x[n, labels[n, d], d] for n in range(3) for d in range(2))
    with ann.load(made, ["CpuRef"]) as network:
        found = network.run({"x": x, "labels": labels})["y"]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_attributes_that_the_definition_leaves_to_the_schema() -> None:
    """HannWindow's definition refers to an output type whose default stands elsewhere."""
    graph = helper.make_graph(
        [node("HannWindow", ["size"], ["y"], periodic=0)],
        "graph",
        [],
        [helper.make_tensor_value_info("y", FLOAT, (9,))],
        [onnx.numpy_helper.from_array(np.array(9, np.int64), "size")],
    )
    made = helper.make_model(graph, opset_imports=OPSETS[:1], ir_version=9)
    with ann.load(made, ["CpuRef"]) as network:
        np.testing.assert_allclose(network.run({})["y"], np.hanning(9), atol=1e-6)


def test_an_operator_set_that_no_package_counts_to() -> None:
    """Such a version counts as the newest one that there is."""
    made = model([node("NotAnOperator", ["x"], ["y"])], [])
    for version in (2**31, 2**62):
        made.opset_import[0].version = version
        with pytest.raises(ann.UnsupportedOperatorError, match="NotAnOperator"):
            ann.import_model(made)


def test_a_definition_without_the_standard_set_is_read_by_the_models() -> None:
    """Bodies of operators of other domains do not always say which standard they are written in."""
    if not onnx.defs.has("FlexAttention", 1, "ai.onnx.preview"):
        pytest.skip("the package onnx has no such operator")
    rng = np.random.default_rng(5)
    shapes = {"q": (2, 4, 3, 8), "k": (2, 2, 5, 8), "v": (2, 2, 5, 6)}
    given = {name: rng.standard_normal(s).astype(np.float32) for name, s in shapes.items()}
    graph = helper.make_graph(
        [node("FlexAttention", [*"qkv"], ["y"], domain="ai.onnx.preview")],
        "graph",
        [helper.make_tensor_value_info(name, FLOAT, s) for name, s in shapes.items()],
        [helper.make_tensor_value_info("y", FLOAT, None)],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.preview", 1)]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    with ann.load(made, ["CpuRef"]) as network:
        (found,) = network.run(given).values()
    keys, values = (np.repeat(given[name], 2, axis=1).astype(np.float64) for name in "kv")
    scores = np.exp(given["q"] @ keys.swapaxes(2, 3) / np.sqrt(8))
    expected = scores / scores.sum(-1, keepdims=True) @ values
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
