# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Strings as features and labels of classic machine learning; expected values by onnxruntime."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from onnx import numpy_helper

import armnn_py as ann
from armnn_py.network.stages import walk_stages

from .string_models import CLASSIFIERS, ML, built, node, same, t

X = t(("a", "b"), ("c", "ü"))
KEYS = {"keys_strings": ["a", "b", "c", "a"]}
LABELS: dict[str, tuple[str, np.ndarray, dict[str, Any]]] = {
    "strings to integers": ("LabelEncoder", X, {**KEYS, "values_int64s": [4, 5, 6, 7]}),
    "strings to floats": (
        "LabelEncoder", X, {**KEYS, "values_floats": [4.0, 5, 6, 7], "default_float": 0.5},
    ),
    "strings to strings": ("LabelEncoder", X, {**KEYS, "values_strings": ["A", "B", "C", "D"]}),
    "integers to strings": (
        "LabelEncoder", np.array([2, 3, 1]),
        {"keys_int64s": [1, 2], "values_strings": ["A", "B"], "default_string": "?"},
    ),
    "floats to strings": (
        "LabelEncoder", np.array([1, np.nan, 3], np.float32),
        {"keys_floats": [1.0, float("nan")], "values_strings": ["A", "B"]},
    ),
    "tensors": (
        "LabelEncoder", X,
        {"keys_tensor": numpy_helper.from_array(t("a", "b")),
         "values_tensor": numpy_helper.from_array(np.array([7, 8], np.int16)),
         "default_tensor": numpy_helper.from_array(np.array([-3], np.int16))},
    ),
    "categories of strings": (
        "CategoryMapper", X,
        {"cats_strings": ["a", "b"], "cats_int64s": [7, 8], "default_int64": -3},
    ),
    "categories of integers": (
        "CategoryMapper", np.array([7, 9]),
        {"cats_strings": ["a", "b"], "cats_int64s": [7, 8], "default_string": "?"},
    ),
    "one hot": ("OneHotEncoder", X, {"cats_strings": ["b", "a"]}),
    "one hot of numbers": ("OneHotEncoder", np.array([[1, 5], [2, 1]]), {"cats_int64s": [1, 2]}),
    "strings that are there twice": (
        "CategoryMapper", X, {"cats_strings": ["a", "b", "a"], "cats_int64s": [7, 8, 9]},
    ),
    "integers that are there twice": (
        "CategoryMapper", np.array([7, 8]), {"cats_strings": ["a", "b", "c"],
                                             "cats_int64s": [7, 8, 7]},
    ),
    "one hot twice": ("OneHotEncoder", X, {"cats_strings": ["b", "a", "b"]}),
    "one hot of numbers twice": (
        "OneHotEncoder", np.array([[1, 5], [2, 1]]), {"cats_int64s": [1, 2, 1]},
    ),
    "imputed": (
        "Imputer", np.array([[1, np.nan], [np.nan, 4]], np.float32),
        {"imputed_value_floats": [9.0, 8], "replaced_value_float": float("nan")},
    ),
    "imputed integers": (
        "Imputer", np.array([[1, 5], [2, 1]]),
        {"imputed_value_int64s": [7], "replaced_value_int64": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
@pytest.mark.parametrize("name", LABELS)
def test_labels_and_categories(name: str, free: bool) -> None:
    op, x, attributes = LABELS[name]
    made = node(op, ["x"], ["y"], domain=ML, **attributes)
    same(built([made], {"x": x}, ["y"], free=free), {"x": x})


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
@pytest.mark.parametrize("lowest", [1, 2])
def test_frequencies_of_words(lowest: int, free: bool) -> None:
    words = t(("a", "b", "a", "q", "b"), ("b", "b", "c", "a", "b"))
    made = node(
        "TfIdfVectorizer", ["x"], ["y"], mode="TF", ngram_counts=[0, 3],
        ngram_indexes=[0, 1, 2, 3, 4], pool_strings=["a", "b", "c", "a", "b", "b", "b"],
        min_gram_length=lowest, max_gram_length=2, max_skip_count=1,
    )  # fmt: skip
    same(built([made], {"x": words}, ["y"], free=free), {"x": words})


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
def test_a_text_becomes_frequencies_and_a_label(free: bool) -> None:
    """The nodes that skl2onnx writes for a CountVectorizer before a classifier."""
    inputs = {"x": t("The cat, the dog")}
    nodes = [
        node("StringNormalizer", ["x"], ["low"], case_change_action="LOWER", locale="C.UTF-8"),
        node("Tokenizer", ["low"], ["words"], domain="com.microsoft", mark=0, mincharnum=1,
             pad_value="#", tokenexp="[a-z]+"),
        node("Flatten", ["words"], ["flat"]),
        node("TfIdfVectorizer", ["flat"], ["counts"], mode="TF", ngram_counts=[0],
             ngram_indexes=[0, 1, 2], pool_strings=["cat", "dog", "the"], min_gram_length=1,
             max_gram_length=1, max_skip_count=0),
        node("LinearClassifier", ["counts"], ["label", "scores"], domain=ML,
             coefficients=[1.0, 2, 3, 2, 1, 0], intercepts=[0.0, 1],
             classlabels_strings=["cats", "dogs"]),
    ]  # fmt: skip
    found = same(built(nodes, inputs, ["label", "scores", "counts"], free=free), inputs)
    assert found["counts"].tolist() == [[1, 1, 2]]


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
@pytest.mark.parametrize("op", CLASSIFIERS)
def test_classifiers_compute_on_backends(op: str, free: bool) -> None:
    x = np.array([[0.1, 1], [0.9, -1], [-3, 2]], np.float32)
    labels = ["mid", "old", "nord"]
    made = node(op, ["x"], ["label", "scores"], domain=ML, classlabels_strings=labels,
                **CLASSIFIERS[op])  # fmt: skip
    model = built([made], {"x": x}, ["label", "scores"], free=free and "rows")
    assert len(set(same(model, {"x": x})["label"])) > 1
    if not free:
        operators = [stage.operator for _, stage, _ in walk_stages(ann.import_model(model))]
        assert operators == ["", f"{ML}.CategoryMapper"]


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
def test_a_pipeline_from_categories_to_labels(free: bool) -> None:
    """Columns of both string and integer, one hot and scaled; labels and probabilities."""
    inputs = {
        "city": t(("Rome",), ("Oslo",), ("Bonn",)),
        "age": np.array([[30], [50], [np.nan]], np.float32),
    }
    nodes = [
        node("OneHotEncoder", ["city"], ["hot"], domain=ML, cats_strings=["Oslo", "Rome"]),
        node("Reshape", ["hot", "flat"], ["hot2"]),
        node("Imputer", ["age"], ["full"], domain=ML, imputed_value_floats=[40.0],
             replaced_value_float=float("nan")),
        node("Scaler", ["full"], ["scaled"], domain=ML, offset=[40.0], scale=[0.1]),
        node("Concat", ["hot2", "scaled"], ["features"], axis=1),
        node("LinearClassifier", ["features"], ["label", "raw"], domain=ML,
             coefficients=[1.0, -1, -1, -2, 1, 1], intercepts=[0.1, 0.5],
             classlabels_strings=["no", "yes"], post_transform="SOFTMAX"),
        node("Normalizer", ["raw"], ["probabilities"], domain=ML, norm="L1"),
    ]  # fmt: skip
    model = built(
        nodes, inputs, ["label", "probabilities"], {"flat": np.array([-1, 2])}, free=free and "rows"
    )
    assert set(same(model, inputs)["label"]) == {"yes", "no"}


def test_tables_and_patterns_stay_with_their_nodes() -> None:
    nodes = [
        node("LabelEncoder", ["x"], ["u"], domain=ML, **KEYS, values_strings=["c", "b", "a", "a"]),
        node("LabelEncoder", ["u"], ["v"], domain=ML, **KEYS, values_int64s=[4, 5, 6, 7]),
        node("LabelEncoder", ["v"], ["w"], domain=ML, keys_int64s=[4, 6], values_int64s=[1, 2]),
        node("LabelEncoder", ["w"], ["y"], domain=ML, keys_int64s=[2, 1], values_int64s=[8, 9]),
        node("RegexFullMatch", ["x"], ["p"], pattern="[a-b]"),
        node("RegexFullMatch", ["u"], ["q"], pattern="c|_.*"),
    ]
    made = built(nodes, {"x": X}, ["y", "p", "q"], free=True)
    wanted = [same(made, {"x": x}) for x in (X, X[:1, ::-1])]
    network = ann.import_model(made)
    for copied in (network, pickle.loads(pickle.dumps(network))):
        with ann.load(copied, ["CpuRef"]) as loaded:
            for x, found in zip((X, X[:1, ::-1]), wanted, strict=True):
                assert all(map(np.array_equal, loaded.run({"x": x}).values(), found.values()))


def test_sizes_of_one_name_between_stages() -> None:
    joined = node("StringConcat", ["a", "b"], ["y"])
    made = built([joined], {"a": X[0], "b": X[0]}, ["y"], free=True)
    for given in made.graph.input:
        given.type.tensor_type.shape.dim[0].dim_param = "n"
    wrong = r"dimension 0 \('n'\) is 1, 2 expected"
    with (
        ann.load(made, ["CpuRef"]) as network,
        pytest.raises(ann.InvalidArgumentError, match=wrong),
    ):
        network.run({"a": X[0], "b": X[0, :1]})
