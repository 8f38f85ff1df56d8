# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of ai.onnx.ml: CpuRef against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING

R = np.random.default_rng(53)
X = R.standard_normal((5, 4)).astype(np.float32)


def model(op: str, inputs: list[np.ndarray], version: int = 3, **attributes: Any) -> Any:
    names = [f"i{k}" for k in range(len(inputs))]
    elements = helper.np_dtype_to_tensor_dtype
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], domain=MACHINE_LEARNING, **attributes)],
        "graph",
        [helper.make_tensor_value_info(n, elements(v.dtype), v.shape)
         for n, v in zip(names, inputs, strict=True)],
        [onnx.ValueInfoProto(name="y")],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MACHINE_LEARNING, version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def check(op: str, inputs: list[np.ndarray], version: int = 3, **attributes: Any) -> None:
    made = model(op, inputs, version, **attributes)
    feeds = {f"i{k}": value for k, value in enumerate(inputs)}
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, feeds)
    with ann.load(made, ["CpuRef"]) as network:
        (found,) = network.run(feeds).values()
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_binarizer() -> None:
    check("Binarizer", [X], threshold=0.3)
    check("Binarizer", [X])


def test_array_feature_extractor() -> None:
    places = np.int64([[3, 0, 3]])
    check("ArrayFeatureExtractor", [X, places])
    check("ArrayFeatureExtractor", [np.arange(24, dtype=np.int64).reshape(2, 3, 4), places])
    check("ArrayFeatureExtractor", [X[0], places])


def test_scaler() -> None:
    check("Scaler", [X], offset=[0.5, -1.0, 2.0, 0.0], scale=[2.0, 0.25, -1.0, 3.0])
    check("Scaler", [X], offset=[0.5], scale=[2.0])
    check("Scaler", [np.int64([[1, -2], [3, 4]])], offset=[0.5, 1.0], scale=[2.0, 3.0])


@pytest.mark.parametrize("norm", ["MAX", "L1", "L2"])
def test_normalizer(norm: str) -> None:
    rows = np.concatenate([X, np.zeros((1, 4), np.float32)])
    check("Normalizer", [rows], norm=norm)
    check("Normalizer", [np.int64([[1, -2], [3, 4]])], norm=norm)


def test_linear_regressor() -> None:
    check("LinearRegressor", [X], targets=2, coefficients=R.standard_normal(8).tolist(),
          intercepts=[0.5, -1.0])  # fmt: skip
    check("LinearRegressor", [X], coefficients=R.standard_normal(4).tolist())


def test_label_encoder() -> None:
    whole = np.int64([[1, 5, 2], [7, 1, 9]])
    check("LabelEncoder", [whole], 2, keys_int64s=[1, 2, 7], values_int64s=[10, 20, 70])
    check("LabelEncoder", [whole], 2, keys_int64s=[9, 1], values_floats=[0.5, 2.5],
          default_float=-3.5)  # fmt: skip
    real = np.float32([[1.5, np.nan, 2], [7, 1, 9]])
    for version in (2, 4):
        check("LabelEncoder", [real], version, keys_floats=[np.nan, 1.5, 9.0],
              values_int64s=[4, 5, 6], default_int64=8)  # fmt: skip


def tree(depth: int, targets: int, modes: list[str], trees: int = 3) -> dict[str, Any]:
    """Full trees of random questions; a leaf has a weight of each target."""
    found: dict[str, list[Any]] = {
        f"nodes_{name}": []
        for name in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids",
                     "falsenodeids", "missing_value_tracks_true")
    } | {f"target_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}  # fmt: skip
    inner = 2**depth - 1
    for number in range(trees):
        for node in range(2 * inner + 1):
            is_leaf = node >= inner
            row = (number, node, 0 if is_leaf else int(R.integers(4)),
                   0.0 if is_leaf else float(np.round(R.standard_normal(), 1)),
                   "LEAF" if is_leaf else modes[int(R.integers(len(modes)))],
                   0 if is_leaf else 2 * node + 1, 0 if is_leaf else 2 * node + 2,
                   0 if is_leaf else int(R.integers(2)))  # fmt: skip
            for name, value in zip(list(found)[:8], row, strict=True):
                found[name].append(value)
            for target in range(targets if is_leaf else 0):
                values = (number, node, target, float(R.standard_normal()))
                for name, value in zip(list(found)[8:], values, strict=True):
                    found[name].append(value)
    return {**found, "n_targets": targets}


@pytest.mark.parametrize(
    "modes",
    [["BRANCH_LEQ"], ["BRANCH_LT"], ["BRANCH_GTE", "BRANCH_GT", "BRANCH_LEQ"],
     ["BRANCH_EQ", "BRANCH_NEQ", "BRANCH_LT"]],
)  # fmt: skip
@pytest.mark.parametrize("targets", [1, 3])
def test_trees(modes: list[str], targets: int) -> None:
    rows = np.round(R.standard_normal((40, 4)), 1).astype(np.float32)
    rows[::7, 1] = np.nan
    for how in ("SUM", "AVERAGE"):
        given = tree(4, targets, modes)
        check("TreeEnsembleRegressor", [rows], aggregate_function=how,
              base_values=[0.5] * targets, **given)  # fmt: skip


def whole(values: list[int]) -> Any:
    return numpy_helper.from_array(np.uint8(values))


def real(values: list[float]) -> Any:
    return numpy_helper.from_array(np.float32(values))


def set_of_members(**changes: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "n_targets": 3, "tree_roots": [0], "nodes_modes": whole([0, 6, 6]),
        "nodes_featureids": [0, 1, 2], "nodes_splits": real([0.5, 0, 0]),
        "nodes_trueleafs": [0, 1, 1], "nodes_truenodeids": [1, 0, 1],
        "nodes_falseleafs": [0, 1, 1], "nodes_falsenodeids": [2, 2, 3],
        "membership_values": real([1, 3, 4, np.nan, 2, 5, np.nan]),
        "leaf_targetids": [0, 1, 2, 1], "leaf_weights": real([1, 10, 1000, 100]),
    }  # fmt: skip
    return {**given, **changes}


def test_questions_for_members() -> None:
    rows = R.integers(0, 6, (60, 3)).astype(np.float32)
    check("TreeEnsemble", [rows], 5, **set_of_members())


@pytest.mark.parametrize("count", [2, 255, 256, 3000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_sets_of_members(count: int, dtype: type[Any]) -> None:
    members = R.permutation(4 * count)[:count].astype(dtype)
    rows = np.concatenate([members[:40], R.integers(0, 4 * count, 200), [np.nan, np.inf, -1]])
    for tracks in (0, 1):
        check("TreeEnsemble", [rows.astype(dtype)[:, np.newaxis]], 5, n_targets=1, tree_roots=[0],
              nodes_modes=whole([6]), nodes_featureids=[0], nodes_trueleafs=[1],
              nodes_splits=numpy_helper.from_array(np.array([0], dtype)), nodes_truenodeids=[0],
              nodes_falseleafs=[1], nodes_falsenodeids=[1], leaf_targetids=[0, 0],
              nodes_missing_value_tracks_true=[tracks],
              membership_values=numpy_helper.from_array(np.append(members, dtype(np.nan))),
              leaf_weights=numpy_helper.from_array(np.array([1, 2], dtype)))  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"nodes_truenodeids": [9, 0, 1]}, "a branch leads outside the 3 nodes"),
     ({"leaf_targetids": [0, 1, 2, 7]}, "target 7 is outside the 3"),
     ({"tree_roots": [5000]}, "root 5000 is outside the 3 nodes"),
     ({"tree_roots": [-1]}, "roots"),
     ({"tree_roots": [4]}, "root 4 is outside the 3 nodes"),
     ({"nodes_featureids": [0, 1, 9]}, "lacks features"),
     ({"nodes_modes": whole([0, 9, 6])}, "modes"),
     ({"nodes_truenodeids": [0, 0, 1]}, "leads to itself"),
     ({"nodes_truenodeids": [1, 0, 1], "nodes_trueleafs": [0, 0, 1]}, "no end"),
     ({"n_targets": 0}, "0 targets"),
     ({"aggregate_function": 4}, "'aggregate_function' is 4"),
     ({"post_transform": 5}, "'post_transform' is 5")],
)  # fmt: skip
def test_trees_that_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises((ann.ParseError, ann.UnsupportedOperatorError), match=message):
        ann.import_model(model("TreeEnsemble", [X], 5, **set_of_members(**changes)))


def test_doubles_are_compared_as_doubles() -> None:
    """Another leaf is another answer, however near a split is."""
    split = float(np.float32(0.1))
    attributes = {
        "n_targets": 1, "nodes_treeids": [0, 0, 0], "nodes_nodeids": [0, 1, 2],
        "nodes_featureids": [0, 0, 0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
        "nodes_values": [split, 0.0, 0.0], "nodes_truenodeids": [1, 0, 0],
        "nodes_falsenodeids": [2, 0, 0], "target_treeids": [0, 0], "target_nodeids": [1, 2],
        "target_ids": [0, 0], "target_weights": [10.0, 20.0],
    }  # fmt: skip
    rows = np.array([[split - 1e-10], [split], [split + 1e-10]])
    check("TreeEnsembleRegressor", [rows], 1, **attributes)


def test_doubles_are_rounded_behind_the_offset() -> None:
    check("Scaler", [np.array([[16777217.0]])], 1, offset=[16777216.0], scale=[1.0])


def test_keys_of_another_type_are_refused() -> None:
    made = model("LabelEncoder", [np.arange(3)], 4, keys_floats=[1.2, 1.7], values_int64s=[1, 2])
    with pytest.raises(ann.ParseError, match="the keys are float32, but the input is int64"):
        ann.import_model(made)
