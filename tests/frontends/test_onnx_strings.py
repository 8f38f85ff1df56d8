# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Strings in ONNX models, between the stages of a network; expected values by onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann

from .string_models import STRING, built, node, same, t

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64

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
    "gather one": ("Gather", {"x": X[0]}, 1, {}, {"i": np.array(-1)}),
    "gather one by data": ("Gather", {"x": X[0], "i": np.array(1)}, 1, {}, {}),
    "gather nd of one": ("GatherND", {"x": X, "i": np.array([1, 0])}, 1, {}, {}),
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
    "unique rows": ("Unique", {"x": t(("b", "ü"), ("b", "a"), ("b", "ü"))}, 4, {"axis": 0}, {}),
    "unique columns as they come": (
        "Unique", {"x": t(("b", "a", "b"), ("", "c", ""))}, 4, {"axis": 1, "sorted": 0}, {},
    ),
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


@pytest.mark.parametrize("saturate", [0, 1])
@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
def test_text_as_floats_of_8_bits(saturate: int, free: bool) -> None:
    """What is too large becomes the largest one, as of numbers, or NaN."""
    x = t("1e3", "-500", "0.3", "inf")
    nodes = [
        node("Cast", ["x"], ["small"], to=TensorProto.FLOAT8E4M3FN, saturate=saturate),
        node("Cast", ["small"], ["y"], to=FLOAT),
    ]
    same(built(nodes, {"x": x}, ["y"], free=free), {"x": x})


# ---- Graphs --------------------------------------------------------------------------------------


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


def test_graphs_that_an_operator_does_not_have_read_nothing() -> None:
    """The standard gives IsNaN no attribute; the file's graph reads strings of the graph around."""
    node = helper.make_node
    matched = node("RegexFullMatch", ["text"], ["m"], pattern="a")
    body = helper.make_graph([matched], "b", [], [helper.make_tensor_value_info("m", 9, [1])])
    graph = helper.make_graph(
        [node("Relu", ["x"], ["y"], body=body)],
        "stray",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]),
            helper.make_tensor_value_info("text", TensorProto.STRING, [1]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    with ann.load(model.SerializeToString(), ["CpuRef"]) as net:
        y = net.run({"x": np.float32([-1, 2]), "text": np.array(["a"], object)})["y"]
    np.testing.assert_array_equal(y, [0, 2])
