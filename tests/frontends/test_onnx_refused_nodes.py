# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Nodes that contradict the standard, which onnxruntime refuses as well."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann

STEPS = np.zeros((3, 2, 4), np.float32)
TABLE = np.arange(24, dtype=np.float32).reshape(6, 4)
IMAGE = np.zeros((1, 1, 4, 4), np.float32)
KERNEL = np.ones((1, 1, 3, 3), np.float32)
OFFSETS = np.zeros((1, 18, 2, 2), np.float32)
GRAMS: dict[str, Any] = {
    "max_gram_length": 2, "min_gram_length": 1, "max_skip_count": 1, "mode": "TF",
    "ngram_counts": [0, 2], "ngram_indexes": [0, 1, 2], "pool_int64s": [1, 2, 1, 2],
}  # fmt: skip


def weights(gates: int) -> list[Any]:
    return [np.ones((1, gates * 5, 4), np.float32), np.ones((1, gates * 5, 5), np.float32)]


def node(
    op: str, x: np.ndarray, operands: list[Any], version: int, outputs: int = 1, **attributes: Any
) -> onnx.ModelProto:
    names = [f"c{k}" for k in range(len(operands))]
    ends = [f"y{k}" for k in range(outputs)]
    graph = helper.make_graph(
        [helper.make_node(op, ["x", *names], ends, **attributes)],
        "graph",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, x.shape)],
        [onnx.ValueInfoProto(name=name) for name in ends],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in zip(names, operands, strict=True)],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)


CASES: dict[str, tuple[onnx.ModelProto, str]] = {
    **{f"hidden size of {op}": (node(op, STEPS, weights(gates), 14, hidden_size=6),
                                "attribute 'hidden_size' is 6, but the weights have 5")
       for op, gates in (("RNN", 1), ("GRU", 3), ("LSTM", 4))},
    "a negative hidden size": (node("RNN", STEPS, weights(1), 14, hidden_size=-5),
                               "attribute 'hidden_size' is -5"),
    "a number as a direction": (node("RNN", STEPS, weights(1), 14, hidden_size=5, direction=7),
                                "attribute 'direction' is an integer, text expected"),
    "a layout": (node("LSTM", STEPS, weights(4), 14, hidden_size=5, layout=2),
                 "attribute 'layout' is 2, 0 or 1 expected"),
    "too many parts": (node("Split", TABLE, [np.int64([2, 2, 2])], 13, 2),
                       "3 sizes are given for 2 outputs"),
    "too many parts by an attribute": (node("Split", TABLE, [], 11, 2, split=[2, 2, 2]),
                                       "3 sizes are given for 2 outputs"),
    "parts of another sum": (node("Split", TABLE, [np.int64([3, 2])], 13, 2), "do not add up"),
    "a negative part": (node("Split", TABLE, [np.int64([7, -1])], 13, 2), "do not add up"),
    "parts said twice": (node("Split", TABLE, [np.int64([3, 3])], 18, 2, num_outputs=2),
                         "both sizes and the attribute 'num_outputs' are given"),
    "parts not said": (node("Split", TABLE, [], 18, 2),
                       "neither sizes nor the attribute 'num_outputs' are given"),
    "an index beyond": (node("Gather", TABLE, [np.int64(-7)], 13), "index -7 is outside"),
    "indices beyond": (node("Gather", TABLE, [np.int64([0, 6])], 13), "lies outside"),
    **{f"{op} with real indices": (node(op, TABLE, operands, 13),
                                   "the indices are float32, expected int32 or int64")
       for op, operands in (("Gather", [np.float32([0])]),
                            ("GatherElements", [np.zeros((6, 4), np.float32)]),
                            ("GatherND", [np.zeros((1, 1), np.float32)]),
                            ("ScatterND", [np.zeros((1, 1), np.float32), TABLE[:1]]),
                            ("ScatterElements", [np.zeros((1, 1), np.float32), TABLE[:1, :1]]))},
    "indices of more rows": (node("ScatterElements", TABLE, [np.zeros((7, 1), np.int64),
                                                             np.zeros((7, 1), np.float32)],
                                  13, axis=1), "indices of shape (7, 1) do not fit (6, 4)"),
    "parts of unequal size": (node("Split", TABLE, [], 13, 4), "do not divide into 4 equal parts"),
    "bools as indices": (node("Gather", TABLE, [np.array([True])], 13),
                         "the indices are bool, expected int32 or int64"),
    "a word for auto_pad": (node("ConvTranspose", IMAGE, [KERNEL], 11, auto_pad="NEAR"),
                            "attribute 'auto_pad' is 'NEAR', which is unknown"),
    "negative output padding": (node("ConvTranspose", IMAGE, [KERNEL], 11,
                                     output_padding=[-1, -1], strides=[2, 2]),
                                "attribute 'output_padding' is [-1, -1]"),
    "output padding as large as strides": (node("ConvTranspose", IMAGE, [KERNEL], 11,
                                                output_padding=[0, 2], strides=[2, 2]),
                                           "attribute 'output_padding' is [0, 2]"),
    "an output shape of three": (node("ConvTranspose", IMAGE, [KERNEL], 11, strides=[2, 2],
                                      output_shape=[8, 8, 1]),
                                 "attribute 'output_shape' is [8, 8, 1]"),
    "a kernel of another size": (node("DeformConv", IMAGE, [KERNEL, OFFSETS], 19,
                                      kernel_shape=[9, 9]),
                                 "attribute 'kernel_shape' is [9, 9], but the weights have [3, 3]"),
    "an approximation": (node("Gelu", TABLE, [], 20, approximate="some"),
                         "attribute 'approximate' is 'some', expected none or tanh"),
    "an order of storage": (node("MaxPool", IMAGE, [], 12, 2, kernel_shape=[2, 2],
                                 storage_order=2),
                            "attribute 'storage_order' is 2, 0 or 1 expected"),
    "a kind of remainder": (node("Mod", TABLE, [TABLE[:1] + 1], 13, fmod=2),
                            "attribute 'fmod' is 2, 0 or 1 expected"),
}  # fmt: skip


@pytest.mark.parametrize("what", CASES)
def test_both_refuse(what: str) -> None:
    model, message = CASES[what]
    shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
    x = next(x for x in (STEPS, TABLE, IMAGE) if list(x.shape) == shape)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        ).run(None, {"x": x})
    with pytest.raises(ann.ParseError) as caught:
        ann.import_model(model)
    assert message in str(caught.value)


def test_folded_nodes_are_refused_alike() -> None:
    for operand, message in ((np.float32([-1.5]), "indices are float32"),
                             (np.int64([-7]), "lies outside")):  # fmt: skip
        nodes = [helper.make_node("Gather", ["table", "at"], ["row"]),
                 helper.make_node("Add", ["x", "row"], ["y"])]  # fmt: skip
        graph = helper.make_graph(
            nodes, "graph",
            [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, (1, 4))],
            [onnx.ValueInfoProto(name="y")],
            [numpy_helper.from_array(TABLE, "table"), numpy_helper.from_array(operand, "at")],
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        with pytest.raises(ann.ParseError) as caught:
            ann.import_model(model)
        assert message in str(caught.value)
        assert "Cannot cast" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"min_gram_length": 0}, "lengths 0 to 2"),
     ({"min_gram_length": 3}, "lengths 3 to 2"),
     ({"max_gram_length": 7}, "lengths 1 to 7"),
     ({"max_skip_count": -1}, "attribute 'max_skip_count' is -1, expected at least 0"),
     ({"pool_int64s": [1, 1, 1, 2]}, "an n-gram is in the pool twice")],
)  # fmt: skip
def test_pools_of_n_grams(changes: dict[str, Any], message: str) -> None:
    """The pool says where n-grams of one number, and of two, begin."""

    def made(**attributes: Any) -> onnx.ModelProto:
        graph = helper.make_graph(
            [helper.make_node("TfIdfVectorizer", ["x"], ["y"], **attributes)],
            "graph",
            [helper.make_tensor_value_info("x", onnx.TensorProto.INT64, (5,))],
            [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, (3,))],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=8)

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    x = {"x": np.int64([1, 2, 1, 1, 2])}
    wanted = onnxruntime.InferenceSession(
        made(**GRAMS).SerializeToString(), options, providers=["CPUExecutionProvider"]
    ).run(None, x)
    with ann.load(made(**GRAMS), ["CpuRef"]) as network:
        np.testing.assert_array_equal(network.run(x)["y"], wanted[0])
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        onnxruntime.InferenceSession(made(**{**GRAMS, **changes}).SerializeToString(), options)
    with pytest.raises(ann.ParseError) as caught:
        ann.import_model(made(**{**GRAMS, **changes}))
    assert message in str(caught.value)
