# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of ai.onnx.ml whose attributes are of another kind, length or range than they ask."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING

INPUT = np.float32([[0.5, -1.5, 2.0], [3.0, 0.25, -2.0]])
TREES: dict[str, Any] = {
    "nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2], "nodes_featureids": [1, 0, 0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"], "nodes_values": [0.5, 0.0, 0.0],
    "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
    "nodes_missing_value_tracks_true": [0, 0, 0],
}  # fmt: skip
LEAVES: dict[str, Any] = {"treeids": [0, 0], "nodeids": [1, 2], "ids": [0, 1],
                          "weights": [0.5, 1.5]}  # fmt: skip
WHOLE: dict[str, tuple[int, dict[str, Any]]] = {
    "Binarizer": (1, {"threshold": 0.5}),
    "LabelEncoder": (4, {"keys_floats": [0.5, 2.0], "values_int64s": [3, 4],
                         "default_tensor": numpy_helper.from_array(np.int64([7]))}),
    "LinearRegressor": (1, {"coefficients": [1.0, 2.0, 3.0], "intercepts": [0.5], "targets": 1,
                            "post_transform": "NONE"}),
    "Normalizer": (1, {"norm": "L2"}),
    "Scaler": (1, {"offset": [0.5], "scale": [2.0]}),
    "TreeEnsemble": (5, {
        "n_targets": 3, "tree_roots": [0], "aggregate_function": 1, "post_transform": 0,
        "nodes_modes": numpy_helper.from_array(np.uint8([0, 6, 6])),
        "nodes_featureids": [0, 1, 2],
        "nodes_splits": numpy_helper.from_array(np.float32([0.5, 0, 0])),
        "nodes_trueleafs": [0, 1, 1], "nodes_truenodeids": [1, 0, 1],
        "nodes_falseleafs": [0, 1, 1], "nodes_falsenodeids": [2, 2, 3],
        "nodes_missing_value_tracks_true": [0, 1, 0],
        "membership_values": numpy_helper.from_array(
            np.float32([1, 3, 4, np.nan, 2, 5, np.nan])),
        "leaf_targetids": [0, 1, 2, 1],
        "leaf_weights": numpy_helper.from_array(np.float32([1, 10, 1000, 100]))}),
    "LinearClassifier": (1, {"coefficients": [1.0, -2.0, 3.0], "intercepts": [0.5],
                             "classlabels_ints": [4, 2], "post_transform": "LOGISTIC"}),
    "SVMClassifier": (1, {
        "kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0], "vectors_per_class": [1, 2],
        "support_vectors": [0.5] * 9, "coefficients": [1.0, -0.5, 0.25], "rho": [0.5],
        "prob_a": [-1.0], "prob_b": [0.5], "classlabels_ints": [4, 2],
        "post_transform": "NONE"}),
    "SVMRegressor": (1, {
        "kernel_type": "POLY", "kernel_params": [0.5, 0.0, 3.0], "n_supports": 2, "one_class": 0,
        "support_vectors": [0.5] * 6, "coefficients": [1.0, -0.5], "rho": [0.5],
        "post_transform": "NONE"}),
    "TreeEnsembleClassifier": (3, {
        **TREES, **{f"class_{name}": value for name, value in LEAVES.items()},
        "classlabels_int64s": [5, 6, 7], "base_values": [0.5, 0.25, 0.0],
        "post_transform": "SOFTMAX"}),
    "TreeEnsembleRegressor": (3, {
        **TREES, **{f"target_{name}": value for name, value in LEAVES.items()},
        "n_targets": 2, "base_values": [0.5, 0.25], "aggregate_function": "SUM",
        "post_transform": "NONE"}),
}  # fmt: skip
TENSORS = [
    np.float32([np.nan, np.nan, np.nan]), np.float32([np.inf] * 3), np.float64([1e300, 0, 1]),
    np.float32(np.nan), np.float32([]), np.complex64([1, 2, 3]), np.array([True, False, True]),
    np.int64([2**62, -(2**62), 9]), np.float16([1, 2, 3]), np.uint8([0, 200, 6]),
    np.float32(np.zeros((2, 2))), np.array(["a", "b", "c"], object),
]  # fmt: skip
VALUES: list[Any] = [
    *(numpy_helper.from_array(array) for array in TENSORS),
    [np.nan] * 3, [np.inf, -np.inf, 1.0], [1.5], [-1, -1, -1], [2**62, -(2**62), 2**63 - 1],
    ["a", "b", "c"], "text", np.nan, -np.inf, 1.5, -1, 2**62, 0, b"\xff\xfe", [b"\xff", b"\xfe"],
]  # fmt: skip


def model(op: str, version: int, attributes: dict[str, Any]) -> onnx.ModelProto:
    ends = ["y", "z"] if op.endswith("Classifier") else ["y"]
    graph = helper.make_graph(
        [helper.make_node(op, ["x"], ends, domain=MACHINE_LEARNING, **attributes)],
        "graph",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, INPUT.shape)],
        [onnx.ValueInfoProto(name=name) for name in ends],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MACHINE_LEARNING, version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def attempt(made: onnx.ModelProto) -> str:
    """Run a model; return what is said against it.

    A warning of numpy fails the test, as any error does that is not one of ours.
    """
    try:
        with ann.load(made, ["CpuRef"]) as network:
            network.run({"x": INPUT})
    except ann.ArmnnError as error:
        text = str(error)
        for word in ("numpy", "ndarray", "dtype(", "Traceback", "TypeError", "ValueError"):
            assert word not in text, text
        return text
    return ""


@pytest.mark.parametrize("op", WHOLE)
def test_damaged_attributes_are_refused_with_our_message(op: str) -> None:
    version, attributes = WHOLE[op]
    assert attempt(model(op, version, attributes)) == ""
    for name in attributes:
        for value in VALUES:
            attempt(model(op, version, {**attributes, name: value}))
        attempt(model(op, version, {k: v for k, v in attributes.items() if k != name}))


@pytest.mark.parametrize(
    ("op", "changes", "message"),
    [("TreeEnsemble", {"nodes_modes": numpy_helper.from_array(np.float32([np.nan] * 3))},
      "attribute 'nodes_modes' holds float32, expected integers"),
     ("TreeEnsemble", {"nodes_splits": numpy_helper.from_array(np.int32([1, 2, 3]))},
      "attribute 'nodes_splits' holds int32, expected floats"),
     ("TreeEnsemble", {"leaf_weights": numpy_helper.from_array(np.int64([1, 2, 3, 4]))},
      "attribute 'leaf_weights' holds int64, expected floats"),
     ("LabelEncoder", {"default_tensor": numpy_helper.from_array(np.float32([np.nan]))},
      "attribute 'default_tensor' holds float32, but the values are int64"),
     ("TreeEnsembleRegressor",
      {"nodes_values_as_tensor": numpy_helper.from_array(np.array([True, False, True]))},
      "attribute 'nodes_values_as_tensor' holds bool, expected floats")],
)  # fmt: skip
def test_messages(op: str, changes: dict[str, Any], message: str) -> None:
    version, attributes = WHOLE[op]
    assert message in attempt(model(op, version, {**attributes, **changes}))
