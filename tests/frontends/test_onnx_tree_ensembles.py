# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Trees of ai.onnx.ml as exporters write them: forests of two classes, aggregates, ZipMap."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING
from armnn_py.frontends.onnx.operators.ml import trees

R = np.random.default_rng(17)
X = R.standard_normal((30, 3)).astype(np.float32)
X[::5, 1] = np.nan
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]


def stumps(kind: str, weights: np.ndarray, **more: Any) -> dict[str, Any]:
    """Trees of one question and two leaves; ``weights`` [trees, 2, targets], NaN for none."""
    trees, leaves, targets = weights.shape
    listed = [(t, k, c) for t in range(trees) for k in range(leaves) for c in range(targets)
              if not np.isnan(weights[t, k, c])]  # fmt: skip
    return {
        "nodes_treeids": np.repeat(range(trees), 3).tolist(),
        "nodes_nodeids": [0, 1, 2] * trees,
        "nodes_featureids": [k % 3 for k in range(trees) for _ in range(3)],
        "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"] * trees,
        "nodes_values": [0.1, 0.0, 0.0] * trees,
        "nodes_truenodeids": [1, 0, 0] * trees,
        "nodes_falsenodeids": [2, 0, 0] * trees,
        "nodes_missing_value_tracks_true": [k % 2 for k in range(trees) for _ in range(3)],
        f"{kind}_treeids": [t for t, _, _ in listed],
        f"{kind}_nodeids": [k + 1 for _, k, _ in listed],
        f"{kind}_ids": [c for _, _, c in listed],
        f"{kind}_weights": [float(weights[one]) for one in listed],
        **more,
    }


def model(op: str, outputs: dict[str, int], nodes: list[Any] = (), **attributes: Any) -> bytes:
    ends = ["label", "scores"] if op.endswith("Classifier") else ["scores"]
    made = helper.make_node(op, ["x"], ends, domain=MACHINE_LEARNING, **attributes)
    graph = helper.make_graph(
        [made, *nodes],
        "trees",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 3])],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
    )
    version = 5 if op == "TreeEnsemble" else 3
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MACHINE_LEARNING, version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def theirs(data: bytes) -> list[np.ndarray]:
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    return list(session.run(None, {"x": X}))


def ours(data: bytes) -> dict[str, np.ndarray]:
    with ann.load(data, ["CpuRef"]) as net:
        return dict(net.run({"x": X}))


def leaf_of(tree: int) -> np.ndarray:
    column = X[:, tree % 3]
    return np.where(np.isnan(column), 1 - tree % 2, ~(column <= np.float32(0.1))).astype(int)


def added_up(weights: np.ndarray) -> np.ndarray:
    return sum(np.nan_to_num(weights[t])[leaf_of(t)] for t in range(len(weights)))


@pytest.mark.parametrize("how", TRANSFORMS)
def test_a_forest_with_weights_of_both_classes(how: str) -> None:
    """The label is that of the higher score; the scores are onnxruntime's."""
    first = R.uniform(0.01, 0.19, (5, 2)).astype(np.float32)
    weights = np.stack([first, np.float32(0.2) - first], -1)
    attributes = stumps("class", weights, classlabels_int64s=[7, 3], post_transform=how)
    kinds = {"label": TensorProto.INT64, "scores": TensorProto.FLOAT}
    data = model("TreeEnsembleClassifier", kinds, **attributes)
    found = ours(data)
    np.testing.assert_allclose(found["scores"], theirs(data)[1], rtol=1e-4, atol=1e-5)
    wanted = np.array([7, 3])[added_up(weights).argmax(1)]
    np.testing.assert_array_equal(found["label"], wanted)


@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("named", [0, 1])
@pytest.mark.parametrize("least", [0.01, -0.15])
@pytest.mark.parametrize("base", [[], [0.125]])
def test_two_classes_of_one_score(how: str, named: int, least: float, base: list[float]) -> None:
    if named == 0 and how == "PROBIT":
        pytest.skip("refused: onnxruntime writes one score of the two")
    weights = np.full((5, 2, 2), np.nan, np.float32)
    weights[..., named] = R.uniform(least, 0.19, (5, 2))
    attributes = stumps("class", weights, classlabels_int64s=[7, 3], post_transform=how)
    if base:
        attributes["base_values"] = base
    kinds = {"label": TensorProto.INT64, "scores": TensorProto.FLOAT}
    data = model("TreeEnsembleClassifier", kinds, **attributes)
    found, (label, scores) = ours(data), theirs(data)
    np.testing.assert_array_equal(found["label"], label)
    np.testing.assert_allclose(found["scores"], scores, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("base", [[], [0.125]])
def test_transforms_of_a_single_target(how: str, base: list[float]) -> None:
    weights = R.uniform(0.01, 0.2, (4, 2, 1)).astype(np.float32)
    attributes = stumps("target", weights, n_targets=1, post_transform=how)
    if base:
        attributes["base_values"] = base
    data = model("TreeEnsembleRegressor", {"scores": TensorProto.FLOAT}, **attributes)
    np.testing.assert_allclose(ours(data)["scores"], theirs(data)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("operator", ["TreeEnsembleClassifier", "TreeEnsembleRegressor"])
@pytest.mark.parametrize("how", ["SUM", "AVERAGE"])
def test_leaves_of_one_class_need_no_table_of_all(
    monkeypatch: pytest.MonkeyPatch, operator: str, how: str
) -> None:
    """As it would be of more than 2^24 numbers: here of more than 8."""
    monkeypatch.setattr(trees, "MOST_POSITIONS", 8)
    monkeypatch.setattr(trees.Weights, "table", None)
    weights = np.full((5, 2, 4), np.nan, np.float32)
    for tree, leaf in np.ndindex(5, 2):
        weights[tree, leaf, (tree + leaf) % 3] = R.uniform(-0.2, 0.2)  # none has the last class
    if operator == "TreeEnsembleClassifier":
        if how == "AVERAGE":
            pytest.skip("a classifier adds up")
        attributes = stumps("class", weights, classlabels_int64s=[7, 3, 5, 9])
        kinds = {"label": TensorProto.INT64, "scores": TensorProto.FLOAT}
    else:
        attributes = stumps("target", weights, n_targets=4, aggregate_function=how)
        kinds = {"scores": TensorProto.FLOAT}
    data = model(operator, kinds, **attributes)
    for found, wanted in zip(ours(data).values(), theirs(data), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("how", ["SUM", "AVERAGE", "MIN", "MAX"])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("base", [False, True])
def test_aggregates(how: str, targets: int, base: bool) -> None:
    weights = R.standard_normal((4, 2, targets)).astype(np.float32)
    if targets == 3:
        weights[:, :, 2] = np.nan  # a target of no leaf
        weights[1, :, 0] = np.nan
    attributes = stumps("target", weights, n_targets=targets, aggregate_function=how)
    if base:
        attributes["base_values"] = [0.5, 0.25, 2.0][:targets]
    data = model("TreeEnsembleRegressor", {"scores": TensorProto.FLOAT}, **attributes)
    # onnxruntime adds no base value to a target of no leaf.
    known = slice(0, 2 if base else targets)
    found, wanted = ours(data)["scores"][:, known], theirs(data)[0][:, known]
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("how", TRANSFORMS)
def test_transforms_of_a_regressor(how: str) -> None:
    weights = R.uniform(0.01, 0.2, (4, 2, 3)).astype(np.float32)
    attributes = stumps("target", weights, n_targets=3, post_transform=how)
    data = model("TreeEnsembleRegressor", {"scores": TensorProto.FLOAT}, **attributes)
    np.testing.assert_allclose(ours(data)["scores"], theirs(data)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("aggregate", [0, 1, 2, 3])
@pytest.mark.parametrize("how", range(5))
def test_a_tree_ensemble_of_version_5(how: int, aggregate: int) -> None:
    """Two trees of one question; by numpy, for onnxruntime lacks some of them."""
    table = np.float32([[0.2, 0.1], [0.3, 0.4], [0.25, 0.15], [0.05, 0.35]])

    def tensor(*values: Any, kind: Any = np.float32) -> onnx.TensorProto:
        return numpy_helper.from_array(np.array(values, kind))

    attributes = {
        "tree_roots": [0, 1], "n_targets": 2, "aggregate_function": aggregate,
        "post_transform": how, "nodes_featureids": [0, 1], "nodes_splits": tensor(0.1, 0.1),
        "nodes_modes": tensor(0, 0, kind=np.uint8), "nodes_truenodeids": [0, 4],
        "nodes_falsenodeids": [2, 6], "nodes_trueleafs": [1, 1], "nodes_falseleafs": [1, 1],
        "nodes_missing_value_tracks_true": [0, 1],
        "leaf_targetids": [0, 1, 0, 1, 0, 1, 0, 1], "leaf_weights": tensor(*table.ravel()),
    }  # fmt: skip
    # A leaf has one target, so that each tree is there once for each of two targets.
    attributes |= {
        "tree_roots": [0, 1, 2, 3], "nodes_featureids": [0, 1, 0, 1],
        "nodes_splits": tensor(0.1, 0.1, 0.1, 0.1), "nodes_modes": tensor(*[0] * 4, kind=np.uint8),
        "nodes_truenodeids": [0, 4, 1, 5], "nodes_falsenodeids": [2, 6, 3, 7],
        "nodes_trueleafs": [1] * 4, "nodes_falseleafs": [1] * 4,
        "nodes_missing_value_tracks_true": [0, 1, 0, 1],
    }  # fmt: skip
    data = model("TreeEnsemble", {"scores": TensorProto.FLOAT}, **attributes)
    each = np.stack([table[:2][leaf_of(0)], table[2:][leaf_of(1)]])
    joined = [each.sum(0) / 4, each.sum(0), each.min(0), each.max(0)][aggregate]
    power = np.exp(joined - joined.max(1, keepdims=True))
    wanted = [
        joined, power / power.sum(1, keepdims=True), 1 / (1 + np.exp(-joined)),
        power / power.sum(1, keepdims=True), probit(joined),
    ][how]  # fmt: skip
    np.testing.assert_allclose(ours(data)["scores"], wanted, rtol=1e-4, atol=1e-5)


def test_trees_that_have_a_node_in_common() -> None:
    """Node 4 is three questions below one root, and one below the other."""
    attributes = {
        "tree_roots": [0, 3], "n_targets": 1, "aggregate_function": 1, "post_transform": 0,
        "nodes_featureids": [0, 1, 2, 1, 0],
        "nodes_splits": numpy_helper.from_array(np.float32([0.5, 0.6, 0.7, 0, -0.5])),
        "nodes_modes": numpy_helper.from_array(np.zeros(5, np.uint8)),
        "nodes_truenodeids": [1, 2, 4, 4, 0], "nodes_trueleafs": [0, 0, 0, 0, 1],
        "nodes_falsenodeids": [1, 2, 3, 4, 5], "nodes_falseleafs": [1] * 5,
        "leaf_targetids": [0] * 6,
        "leaf_weights": numpy_helper.from_array(np.float32([1, 2, 4, 8, 16, 32])),
    }  # fmt: skip
    data = model("TreeEnsemble", {"scores": TensorProto.FLOAT}, **attributes)
    a, b, c = X.T
    common = np.where(a <= np.float32(-0.5), 1, 32)
    inner = np.where(b <= np.float32(0.6), np.where(c <= np.float32(0.7), common, 8), 4)
    wanted = np.where(a <= np.float32(0.5), inner, 2) + np.where(b <= 0, common, 16)
    np.testing.assert_array_equal(ours(data)["scores"][:, 0], wanted)


def probit(p: np.ndarray) -> np.ndarray:
    """As ``onnx.reference`` computes it."""
    from onnx.reference.ops.aionnxml._common_classifier import probit as of_one

    return np.vectorize(of_one)(p)


def zip_map(labels: dict[str, Any]) -> bytes:
    weights = R.uniform(0.01, 0.2, (4, 2, 2)).astype(np.float32)
    attributes = stumps("class", weights, classlabels_int64s=[0, 1])
    node = helper.make_node("ZipMap", ["scores"], ["zipped"], domain=MACHINE_LEARNING, **labels)
    proto = onnx.ModelProto.FromString(
        model("TreeEnsembleClassifier", {"label": TensorProto.INT64}, [node], **attributes)
    )
    key = TensorProto.STRING if "classlabels_strings" in labels else TensorProto.INT64
    value = helper.make_tensor_type_proto(TensorProto.FLOAT, [])
    maps = helper.make_sequence_type_proto(helper.make_map_type_proto(key, value))
    proto.graph.output.append(helper.make_value_info("zipped", maps))
    return proto.SerializeToString()


@pytest.mark.parametrize(
    ("labels", "written"),
    [
        ({"classlabels_int64s": [4, 9]}, "[4, 9]"),
        ({"classlabels_strings": ["a", "ü"]}, '["a", "ü"]'),
    ],
)
def test_zip_map_is_a_tensor_with_labels_in_the_metadata(
    labels: dict[str, Any], written: str
) -> None:
    data = zip_map(labels)
    wanted = np.array([list(row.values()) for row in theirs(data)[1]], np.float32)
    network = ann.import_model(data)
    assert network.metadata.properties == {"classes of zipped": written}
    np.testing.assert_allclose(ours(data)["zipped"], wanted, rtol=1e-6)


def test_zip_map_of_another_number_of_labels() -> None:
    with pytest.raises(ann.ParseError, match="3 labels, but 2 columns of scores"):
        ours(zip_map({"classlabels_int64s": [4, 9, 1]}))
