# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Strings in ONNX models, between the stages of a network; expected values by onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.network.stages import walk_stages

from .beside_onnxruntime import theirs

STRING, FLOAT, INT64 = TensorProto.STRING, TensorProto.FLOAT, TensorProto.INT64
ML = "ai.onnx.ml"


def t(*texts: Any) -> np.ndarray:
    """An array of strings, of the shape of nested tuples."""
    return np.array(texts, object)


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], **given: Any) -> onnx.NodeProto:
    return helper.make_node(op, list(inputs), list(outputs), **given)


def built(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, np.ndarray],
    outputs: Sequence[str],
    constants: Mapping[str, np.ndarray] | None = None,
    *,
    free: bool | str = False,
    opset: int = 20,
) -> onnx.ModelProto:
    """A model for inputs like these; ``free``: of any size, or of any number of ``"rows"``."""
    infos = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(array.dtype),
            [
                size if not free or (free == "rows" and axis) else f"{name}{axis}"
                for axis, size in enumerate(array.shape)
            ],
        )
        for name, array in inputs.items()
    ]
    graph = helper.make_graph(
        list(nodes), "graph", infos,
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(ML, 4)]
    opsets.append(helper.make_opsetid("com.microsoft", 1))
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def same(model: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Run a model twice, compare with onnxruntime, and return the outputs."""
    wanted = theirs(model, inputs)
    with ann.load(model, ["CpuRef"]) as network:
        network.run(inputs)
        found = network.run(inputs)
        for name, info in network.outputs.items():
            assert (info.data_type.label == "string") == (found[name].dtype == object)
    assert list(found) == list(wanted)
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        if array.dtype == object:
            assert found[name].tolist() == array.tolist()
            assert {type(item) for item in found[name].flat} <= {str}
        else:
            np.testing.assert_allclose(found[name], array, rtol=1e-6)
    return found


# ---- Operators -----------------------------------------------------------------------------------

X = t(("a", "b"), ("c", "ü"))
NUMBERS = np.array(
    [0, 1, -1, 0.1, 1 / 3, 1e10, 1e-10, 123456789, np.nan, np.inf, -np.inf, -0.0, 3.4e38],
    np.float32,
)
CASES: dict[str, tuple[str, dict[str, np.ndarray], int, dict[str, Any], dict[str, Any]]] = {
    # name: operator, inputs, number of outputs, attributes, constants
    "identity": ("Identity", {"x": X}, 1, {}, {}),
    "transpose": ("Transpose", {"x": X}, 1, {"perm": [1, 0]}, {}),
    "concat": ("Concat", {"x": X, "z": X[:, :1]}, 1, {"axis": 1}, {}),
    "concat with weights": ("Concat", {"x": X}, 1, {"axis": -1}, {"c": t(("q",), ("r",))}),
    "gather": ("Gather", {"x": X, "i": np.array([[1], [-2]])}, 1, {"axis": 1}, {}),
    "gather of weights": ("Gather", {"i": np.array([1, 0, 1])}, 1, {}, None),
    "gather elements": ("GatherElements", {"x": X, "i": np.array([[1, 0]])}, 1, {"axis": 1}, {}),
    "gather nd": ("GatherND", {"x": X, "i": np.array([[1, 0]])}, 1, {}, {}),
    "reshape": ("Reshape", {"x": X}, 1, {}, {"s": np.array([4, -1])}),
    "reshape by data": ("Reshape", {"x": X, "s": np.array([1, -1, 2])}, 1, {}, {}),
    "expand by data": ("Expand", {"x": X, "s": np.array([3, 2, 2])}, 1, {}, {}),
    "flatten": ("Flatten", {"x": X[None]}, 1, {"axis": 2}, {}),
    "squeeze": ("Squeeze", {"x": X[:, :1]}, 1, {}, {"a": np.array([1])}),
    "unsqueeze": ("Unsqueeze", {"x": X}, 1, {}, {"a": np.array([0, 3])}),
    "slice": ("Slice", {"x": X, "b": np.array([0]), "e": np.array([1])}, 1, {}, {}),
    "split": ("Split", {"x": X}, 2, {}, {"s": np.array([1, 1])}),
    "tile": ("Tile", {"x": X}, 1, {}, {"r": np.array([1, 2])}),
    "compress": ("Compress", {"x": X}, 1, {"axis": 0}, {"c": np.array([False, True])}),
    "unique": ("Unique", {"x": t("b", "a", "b")}, 2, {}, {}),
    "shape": ("Shape", {"x": X}, 1, {}, {}),
    "size": ("Size", {"x": X}, 1, {}, {}),
    "equal": ("Equal", {"x": X, "z": t("a", "ü")}, 1, {}, {}),
    "where": ("Where", {"c": np.array([True, False]), "x": X, "z": t("A", "B")}, 1, {}, {}),
    "floats as text": ("Cast", {"x": NUMBERS}, 1, {"to": STRING}, {}),
    "doubles as text": ("Cast", {"x": NUMBERS[:9].astype(np.float64)}, 1, {"to": STRING}, {}),
    "halves as text": ("Cast", {"x": NUMBERS[:5].astype(np.float16)}, 1, {"to": STRING}, {}),
    "integers as text": ("Cast", {"x": np.array([0, -5, 2**40])}, 1, {"to": STRING}, {}),
    "flags as text": ("Cast", {"x": np.array([True, False])}, 1, {"to": STRING}, {}),
    "text as floats": (
        "Cast", {"x": t("1", "+INF", "-inf", "nan", " 2.5", "1e-5", "-3.")}, 1, {"to": FLOAT}, {},
    ),
    "text as integers": ("Cast", {"x": t("1", "-12", "100.5")}, 1, {"to": INT64}, {}),
    "text as bytes": ("Cast", {"x": t("1", "0", "300")}, 1, {"to": TensorProto.INT8}, {}),
    "concatenation": ("StringConcat", {"x": X, "z": t("!", "?")}, 1, {}, {}),
    "split at spaces": ("StringSplit", {"x": t("a b  c ", "", " d")}, 2, {}, {}),
    "split at commas": ("StringSplit", {"x": t(("a,b,,c",), ("",))}, 2, {"delimiter": ","}, {}),
    "at most one split": ("StringSplit", {"x": t("a b  c ")}, 2, {"maxsplit": 1}, {}),
    "lower case": (
        "StringNormalizer", {"x": t("Mon", "tue", "ÄÖ")}, 1,
        {"stopwords": ["mon"], "case_change_action": "LOWER", "locale": "C.UTF-8"}, {},
    ),
    "stop words by case": (
        "StringNormalizer", {"x": t(("Mon", "tue"))[0]}, 1,
        {"stopwords": ["mon", "tue"], "is_case_sensitive": 1, "locale": "C.UTF-8"}, {},
    ),
    "nothing but stop words": (
        "StringNormalizer", {"x": t("Mon", "tue")}, 1,
        {"stopwords": ["Mon", "tue"], "is_case_sensitive": 1}, {},
    ),
    "pattern": (
        "RegexFullMatch", {"x": t("www.google.com", "www.facebook.com", "x")}, 1,
        {"pattern": r"www\.[\w.-]+\.\bcom\b"}, {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
@pytest.mark.parametrize("name", CASES)
def test_operators(name: str, free: bool) -> None:
    op, inputs, count, attributes, constants = CASES[name]
    words = ["c"] if constants is None else []  # the first operand is a weight
    known = {"c": t("Rome", "Oslo")} if constants is None else constants
    outputs = [f"y{index}" for index in range(count)]
    names = [*words, *inputs, *(known if not words else ())]
    made = node(op, names, outputs, **attributes)
    same(built([made], inputs, outputs, known, free=free), inputs)


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


TREES = {
    "nodes_treeids": [0] * 3, "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0] * 3,
    "nodes_values": [0.5, 0.0, 0.0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
    "class_treeids": [0] * 3, "class_nodeids": [1, 2, 2], "class_ids": [0, 1, 2],
    "class_weights": [1.0, 0.25, 0.75],
}  # fmt: skip
CLASSIFIERS: dict[str, dict[str, Any]] = {
    "LinearClassifier": {"coefficients": [1.0, -1, -1, 1, 0, 0.5], "intercepts": [0.0, 1, 0.5]},
    "SVMClassifier": {
        "kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0], "vectors_per_class": [1, 1, 1],
        "support_vectors": [0.0, 1, 1, -1, -3, 2], "coefficients": [1.0, -1, -1, 1, -1, -1],
        "rho": [0.0, 0.0, 0.0],
    },
    "TreeEnsembleClassifier": TREES,
}  # fmt: skip


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


# ---- Graphs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
def test_a_pipeline_from_categories_to_labels(free: bool) -> None:
    """Columns of strings and numbers, one hot and scaled; labels and probabilities."""
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


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
def test_strings_and_numbers_in_turns(free: bool) -> None:
    """Text becomes numbers, which a backend computes with, and text again."""
    inputs = {"x": t("1", "-2.5"), "unread": t("?")}
    nodes = [
        node("Cast", ["x"], ["n"], to=FLOAT),
        node("Abs", ["n"], ["m"]),
        node("Cast", ["m"], ["z"], to=STRING),
        node("StringConcat", ["z", "unit"], ["y"]),
        node("Identity", ["unit"], ["constant"]),
    ]
    model = built(nodes, inputs, ["y", "m", "constant"], {"unit": t(" km")}, free=free)
    assert same(model, inputs)["y"].tolist() == ["1 km", "2.5 km"]


def test_sizes_of_a_run_as_text() -> None:
    """What depends on shapes alone is not made text of when the first run is converted."""
    model = built(
        [node("Shape", ["x"], ["s"]), node("Cast", ["s"], ["y"], to=STRING)],
        {"x": np.zeros((2, 3), np.float32)}, ["y"], free=True,
    )  # fmt: skip
    with ann.load(model, ["CpuRef"]) as network:
        for shape in ((2, 3), (5, 1)):
            found = network.run({"x": np.zeros(shape, np.float32)})["y"]
            assert found.tolist() == [str(size) for size in shape]


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_branches_hand_on_strings(known: bool, flag: bool) -> None:
    def branch(name: str, made: onnx.NodeProto) -> onnx.GraphProto:
        out = helper.make_tensor_value_info(name, STRING, [2])
        return helper.make_graph([made], name, [], [out])

    chosen = node(
        "If", ["c"], ["y"],
        then_branch=branch("a", node("Identity", ["x"], ["a"])),
        else_branch=branch("b", node("StringConcat", ["x", "x"], ["b"])),
    )  # fmt: skip
    inputs = {"x": t("p", "q")}
    given = {"c": np.array(flag)}
    model = built([chosen], inputs if known else {**inputs, **given}, ["y"], given if known else {})
    same(model, inputs if known else {**inputs, **given})


@pytest.mark.parametrize("known", [True, False])
def test_a_branch_that_hands_on_strings_from_around(known: bool) -> None:
    """Onnxruntime takes no branch whose output is a value of the graph around."""
    outs = [helper.make_tensor_value_info(name, STRING, [2]) for name in ("x", "b")]
    chosen = node(
        "If", ["c"], ["y"],
        then_branch=helper.make_graph([], "then", [], outs[:1]),
        else_branch=helper.make_graph([node("StringConcat", ["x", "x"], ["b"])], "else", [],
                                      outs[1:]),
    )  # fmt: skip
    inputs, given = {"x": t("p", "q")}, {"c": np.array(True)}
    model = built([chosen], inputs if known else {**inputs, **given}, ["y"], given if known else {})
    with ann.load(model, ["CpuRef"]) as network:
        found = network.run(inputs if known else {**inputs, **given})
    assert found["y"].tolist() == ["p", "q"]


@pytest.mark.parametrize("turns", [0, 1, 3])
def test_loops_collect_strings(turns: int) -> None:
    body = helper.make_graph(
        [node("StringConcat", ["s", "x"], ["longer"]), node("Identity", ["s"], ["seen"]),
         node("Identity", ["on"], ["on2"])],
        "body",
        [helper.make_tensor_value_info("k", INT64, []),
         helper.make_tensor_value_info("on", TensorProto.BOOL, []),
         helper.make_tensor_value_info("s", STRING, [2])],
        [helper.make_tensor_value_info("on2", TensorProto.BOOL, []),
         helper.make_tensor_value_info("longer", STRING, [2]),
         helper.make_tensor_value_info("seen", STRING, [2])],
    )  # fmt: skip
    inputs = {"x": t("p", "q"), "n": np.array(turns)}
    model = built([node("Loop", ["n", "", "x"], ["last", "all"], body=body)], inputs,
                  ["last", "all"])  # fmt: skip
    same(model, inputs)


def test_functions_read_strings() -> None:
    function = helper.make_function(
        "own", "Twice", ["a"], ["b"], [node("StringConcat", ["a", "a"], ["b"])],
        [helper.make_opsetid("", 20)],
    )  # fmt: skip
    inputs = {"x": t("p", "q")}
    model = built([node("Twice", ["x"], ["y"], domain="own")], inputs, ["y"])
    model.functions.append(function)
    model.opset_import.append(helper.make_opsetid("own", 1))
    assert same(model, inputs)["y"].tolist() == ["pp", "qq"]


def test_weights_and_constants_of_strings_are_known() -> None:
    """No stage computes what depends on strings of the file alone."""
    nodes = [
        node("Constant", [], ["c"], value_strings=["a", "b"]),
        node("Constant", [], ["one"], value_string="a"),
        node("Equal", ["c", "one"], ["same"]),
        node("Where", ["same", "x", "zero"], ["y"]),
    ]
    x = np.array([3, 4], np.float32)
    model = built(nodes, {"x": x}, ["y"], {"zero": np.zeros(1, np.float32)})
    assert same(model, {"x": x})["y"].tolist() == [3, 0]
    assert not ann.import_model(model).stages
