# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Strings that a network does not take, and files with strings that are damaged or hostile."""

from __future__ import annotations

import pickle
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.cli.main import main

from .string_models import CLASSIFIERS, ML, STRING, built, node, t

FLOAT = TensorProto.FLOAT
X = t(("a", "b"), ("c", "d"))
JOIN = [node("StringConcat", ["x", "x"], ["y"])]


@pytest.fixture
def network() -> Any:
    with ann.load(built(JOIN, {"x": X}, ["y"]), ["CpuRef"]) as loaded:
        yield loaded


# ---- Inputs and outputs of a run -----------------------------------------------------------------


class Named(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "given",
    [X.tolist(), X.astype("U"), np.asfortranarray(X), X.astype("U")[:, ::-1][:, ::-1],
     t(*[[Named(one) for one in row] for row in X]), tuple(map(tuple, X))],
    ids=["lists", "unicode", "fortran", "strides", "subclass", "tuples"],
)  # fmt: skip
def test_accepted_forms_of_strings(network: Any, given: Any) -> None:
    found = network.run({"x": given})["y"]
    assert found.dtype == object
    assert found.tolist() == [["aa", "bb"], ["cc", "dd"]]
    assert {type(item) for item in found.flat} == {str}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((2, 2), np.float32), "input 'x': dtype float32 given, strings expected"),
        (np.zeros((2, 2), "S1"), r"input 'x': dtype \|S1 given, strings expected"),
        (X[0], "input 'x': 1 dimension given"),
        (X[:, :1], "input 'x': dimension 1 is 1, 2 expected"),
        (t(("a", None), ("c", "d")), r"element \[0, 1\] is of type NoneType, str expected"),
        (t(("a", "b"), (float("nan"), "d")), r"element \[1, 0\] is of type float, str expected"),
        (t(("a", b"b"), ("c", "d")), r"element \[0, 1\] is of type bytes, str expected"),
        ([["a", "b"], ["c"]], "input 'x'"),
        ([[[["a"] * 2]] * 2] * 2, "input 'x': 4 dimensions given"),
        (np.array("a", object).reshape((1,) * 40), "input 'x': 40 dimensions given"),
        (np.array(None, object).reshape((1,) * 40), "element .* is of type NoneType"),
        (None, "input 'x': None given, strings expected"),
        (np.ma.masked_array(X, np.zeros((2, 2), bool)), "do not support"),
    ],
    ids=["floats", "bytes", "rank", "size", "none", "nan", "a bytes", "ragged", "deep", "deeper",
         "nothing deep", "nothing", "masked"],
)  # fmt: skip
def test_non_strings(network: Any, given: Any, message: str) -> None:
    with pytest.raises(ann.InvalidArgumentError, match=message):
        network.run({"x": given})


def test_an_array_for_the_output(network: Any) -> None:
    out = np.empty((2, 2), object)
    assert network.run({"x": X}, out={"y": out})["y"] is out
    assert out[1, 1] == "dd"
    with pytest.raises(ann.InvalidArgumentError, match="dtype <U2 given, object expected"):
        network.run({"x": X}, out={"y": out.astype("U")})


def test_outputs_are_no_arrays_of_the_caller_or_the_model() -> None:
    model = built(
        [node("Identity", ["x"], ["y"]), node("Identity", ["c"], ["z"])], {"x": X}, ["y", "z"],
        {"c": X},
    )  # fmt: skip
    given = X.copy()
    copied = pickle.loads(pickle.dumps(ann.import_model(model)))  # its arrays can be written to
    with ann.load(copied, ["CpuRef"]) as network:
        for array in network.run({"x": given}).values():
            array[...] = "written"
        assert given.tolist() == X.tolist()
        assert network.run({"x": given})["z"].tolist() == X.tolist()


def test_infos_and_reports(network: Any) -> None:
    info = network.inputs["x"]
    assert isinstance(info, ann.StringInfo)
    assert (info.shape, info.data_type.label, info.dtype) == ((2, 2), "string", np.dtype(object))
    assert pickle.loads(pickle.dumps(info)) == info != ann.TensorInfo((2, 2))
    assert pickle.loads(pickle.dumps(info)).data_type is info.data_type
    assert repr(info.with_shape((None, 2))) == "StringInfo(?x2)"
    assert network.assignment.summary() == "no layers"
    with pytest.raises(ann.InvalidArgumentError, match="no size in bytes"):
        _ = info.byte_size
    source = ann.import_model(built(JOIN, {"x": X}, ["y"]))
    assert repr(source) == "<Network 'graph' in 1 stage, x 2x2 -> y 2x2>"
    assert repr(pickle.loads(pickle.dumps(source))) == repr(source)
    with ann.Runtime() as runtime:
        optimized = ann.optimize(source, ["CpuRef"], runtime=runtime)
        assert "because it has strings" in optimized.assignment.summary()


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
def test_tensors_of_strings_inside_as_outputs(free: bool) -> None:
    nodes = [node("StringConcat", ["x", "x"], ["t"]), node("StringConcat", ["t", "x"], ["y"])]
    model = built(nodes, {"x": X}, ["y"], free=free)
    with ann.load(model, ["CpuRef"], extra_outputs=["t"]) as network:
        assert network.outputs["t"].data_type.label == "string"
        assert network.run({"x": X})["t"].tolist() == [["aa", "bb"], ["cc", "dd"]]


def test_no_layer_has_strings() -> None:
    network = ann.Network()
    with pytest.raises(ann.InvalidArgumentError, match="no layer reads strings"):
        network.add_input("x", ann.StringInfo((2,)))
    x = network.add_input("n", ann.TensorInfo((2,)))
    with pytest.raises(ann.InvalidArgumentError, match="no layer makes strings"):
        network.add_layer(ann.LayerType.FLOOR, [x], output_infos=[ann.StringInfo((2,))])


def test_single_plan_features_are_refused_with_a_message(network: Any, tmp_path: Path) -> None:
    refused = pytest.raises(
        ann.InvalidArgumentError, match="runs in 1 stage: it has strings, which no backend"
    )
    with refused:
        network.bind()
    with refused:
        network.prepare({})
    source = ann.import_model(built(JOIN, {"x": X}, ["y"]))
    with ann.Runtime() as runtime, refused:
        ann.optimize(source, ["CpuRef"], runtime=runtime).save(tmp_path / "saved.armnnpy")


# ---- Models --------------------------------------------------------------------------------------


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
def test_unsupported_operators_are_one_error_with_all_places(free: bool) -> None:
    nodes = [
        node("Abs", ["x"], ["a"], name="first"),
        node("ReduceMax", ["x"], ["b"], name="second"),
        node("StringConcat", ["a", "x"], ["c"], name="behind"),
        node("DictVectorizer", ["c"], ["d"], name="map", domain=ML),
    ]
    model = built(nodes, {"x": X}, ["c", "b", "d"], free=free)
    with pytest.raises(ann.UnsupportedOperatorError) as caught, ann.load(model) as loaded:
        loaded.run({"x": X})
    found = {(one.name, one.nodes) for one in caught.value.operators}
    if free:  # the domain is looked at before there are sizes
        assert found == {(f"{ML}.DictVectorizer", ("map",))}
    else:
        assert found == {
            ("Abs", ("first",)), ("ReduceMax", ("second",)), (f"{ML}.DictVectorizer", ("map",)),
        }  # fmt: skip


REFUSED: dict[str, tuple[onnx.NodeProto, str]] = {
    "case": (node("StringNormalizer", ["x"], ["y"], case_change_action="TITLE"), "'TITLE'"),
    "stop words": (node("StringNormalizer", ["x"], ["y"], stopwords=[1]), "no|not a list of texts"),
    "matrix": (node("StringNormalizer", ["x"], ["y"]), r"expected \[C\] or \[1, C\]"),
    "splits": (node("StringSplit", ["x"], ["y"], maxsplit=-2), "'maxsplit' is -2"),
    "no pattern": (node("RegexFullMatch", ["x"], ["y"]), "'pattern' is missing"),
    "no RE2": (node("RegexFullMatch", ["x"], ["y"], pattern="(a"), "RE2 cannot compile"),
    "not a number": (node("Cast", ["x"], ["y"], to=FLOAT), "'a' is not a number"),
    "a condition of texts": (node("Where", ["x", "x", "x"], ["y"]), "expected bool"),
    "a choice by numbers": (node("Compress", ["x", "n"], ["y"]), "expected bool"),
    "a key without an array": (
        node("LabelEncoder", ["x"], ["y"], domain=ML, values_strings=["a", "b"],
             keys_tensor=helper.make_tensor("k", STRING, [], ["a"])),
        "1 keys, but 2 values",
    ),
    "no operand": (node("StringConcat", ["x"], ["y"]), "."),
    "no keys": (node("LabelEncoder", ["x"], ["y"], domain=ML, values_strings=["a"]), "have keys"),
    "lengths": (
        node("LabelEncoder", ["x"], ["y"], domain=ML, keys_strings=["a"],
             values_strings=["a", "b"]),
        "1 keys, but 2 values",
    ),
    "keys of another type": (
        node("LabelEncoder", ["x"], ["y"], domain=ML, keys_floats=[1.0], values_strings=["a"]),
        "the keys are float32, but the input is string",
    ),
    "default of another type": (
        node("LabelEncoder", ["x"], ["y"], domain=ML, keys_strings=["a"], values_strings=["b"],
             default_tensor=helper.make_tensor("d", FLOAT, [1], [1.0])),
        "holds float32, but the values are string",
    ),
    "categories": (
        node("CategoryMapper", ["x"], ["y"], domain=ML, cats_strings=["a"], cats_int64s=[1, 2]),
        "1 strings and 2 integers, expected as many",
    ),
    "categories that must be there": (
        node("OneHotEncoder", ["x"], ["y"], domain=ML, cats_strings=["a"], zeros=0), "zeros=0",
    ),
    "no tokens": (node("Tokenizer", ["x"], ["y"], domain="com.microsoft"),
        "exactly one of the attributes"),
    "tokens of no length": (
        node("Tokenizer", ["x"], ["y"], domain="com.microsoft", tokenexp="a", mincharnum=0),
        "'mincharnum' is 0",
    ),
    "two kinds of labels": (
        node("LinearClassifier", ["n"], ["y"], domain=ML, classlabels_ints=[1, 2, 3],
             classlabels_strings=["a", "b", "c"], **CLASSIFIERS["LinearClassifier"]),
        "both string and integer",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(what: str) -> None:
    made, message = REFUSED[what]
    inputs = {"x": X, "n": np.ones((2, 2), np.float32)}
    with (
        pytest.raises((ann.ParseError, ann.UnsupportedOperatorError), match=message),
        ann.load(built([made], inputs, ["y"]), ["CpuRef"]) as network,
    ):
        network.run(inputs)


def test_branches_of_other_types() -> None:
    bodies = [
        helper.make_graph([made], "body", [], [helper.make_empty_tensor_value_info("z")])
        for made in (node("Identity", ["x"], ["z"]), node("Size", ["x"], ["z"]))
    ]
    made = node("If", ["c"], ["y"], then_branch=bodies[0], else_branch=bodies[1])
    model = built([made], {"c": np.array(True), "x": X}, ["y"])
    with pytest.raises(ann.UnsupportedOperatorError, match="branches of types string and int64"):
        ann.import_model(model)


def test_an_output_of_another_type_than_the_file_says() -> None:
    model = built(JOIN, {"x": X}, ["y"])
    model.graph.output[0].CopyFrom(helper.make_tensor_value_info("y", FLOAT, [2, 2]))
    with pytest.raises(ann.ParseError, match="'y' is string, but the file says float32"):
        ann.import_model(model)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda one: one.dims.append(2**40), "wrong amount of data"),
        (lambda one: one.string_data.append(b"more"), "wrong amount of data"),
        (lambda one: one.string_data.__setitem__(0, b"\xff\xfe"), "is not UTF-8 text"),
        (lambda one: setattr(one, "raw_data", b"ab"), "strings as raw data"),
    ],
    ids=["sizes", "too many", "no text", "raw"],
)
def test_damaged_weights(change: Any, message: str) -> None:
    model = built([node("StringConcat", ["x", "c"], ["y"])], {"x": X}, ["y"], {"c": t("p", "q")})
    change(model.graph.initializer[0])
    with pytest.raises(ann.ParseError, match=message):
        ann.import_model(model)


# ---- Hostile models ------------------------------------------------------------------------------


def test_strings_that_grow_without_end_are_refused() -> None:
    """40 times joined with itself it would have 2**50 characters, at import and in a run."""
    doubled = [node("StringConcat", [f"t{k}", f"t{k}"], [f"t{k + 1}"]) for k in range(40)]
    text = t("x" * 1024)
    model = built([*doubled, node("Identity", ["x"], ["y"])], {"x": X}, ["y", "t40"], {"t0": text})
    with pytest.raises(ann.ParseError, match="strings would take"):
        ann.import_model(model)
    with (
        ann.load(built(doubled, {"t0": text}, ["t40"]), ["CpuRef"]) as network,
        pytest.raises(ann.ParseError, match="strings would take"),
    ):
        network.run({"t0": text})


def test_sizes_beyond_memory_are_refused() -> None:
    sizes = np.array([2**20, 2**20, 2])
    model = built([node("Expand", ["x", "s"], ["y"])], {"x": t("a", "b")}, ["y"], {"s": sizes})
    with (
        pytest.raises((ann.ParseError, ann.UnsupportedOperatorError)),
        ann.load(model, ["CpuRef"]) as network,
    ):
        network.run({"x": t("a", "b")})


@pytest.mark.parametrize("op", ["Reshape", "Expand", "Unsqueeze"])
def test_a_rank_that_no_tensor_has(op: str) -> None:
    """An operand says how many dimensions there are, and may have a thousand million elements."""
    model = built([node(op, ["x", "s"], ["y"])], {"x": X, "s": np.zeros(9, np.int64)}, ["y"])
    for rank in (9, 10**9):
        model.graph.input[1].type.tensor_type.shape.dim[0].dim_value = rank
        with pytest.raises(ann.ParseError, match="dimensions, at most 8"):
            ann.import_model(model)


@pytest.mark.parametrize("to", [FLOAT, TensorProto.INT64])
def test_a_long_text_is_soon_found_to_be_no_number(to: int) -> None:
    model = built([node("Cast", ["x"], ["y"], to=to)], {"x": t("1")}, ["y"])
    begin = time.process_time()
    with (
        ann.load(model, ["CpuRef"]) as network,
        pytest.raises(ann.ParseError, match="not a number"),
    ):
        network.run({"x": t("1" * 200_000 + "x")})
    assert time.process_time() - begin < 10


@pytest.mark.parametrize("kind", [STRING, FLOAT])
def test_turns_collect_no_more_than_a_tensor_may_take(kind: int) -> None:
    """A run says how many turns there are. The first output is absent, as an operand is."""
    given = t("x" * 4096) if kind == STRING else np.zeros(1024, np.float32)
    infos = [
        helper.make_tensor_value_info(name, *found)
        for name, *found in (
            ("i", TensorProto.INT64, []), ("on", TensorProto.BOOL, []), ("v", kind, given.shape),
            ("on2", TensorProto.BOOL, []), ("w", kind, given.shape), ("z", kind, given.shape),
        )
    ]  # fmt: skip
    copied = [node("Identity", [a], [b]) for a, b in (("on", "on2"), ("v", "w"), ("v", "z"))]
    body = helper.make_graph(copied, "body", infos[:3], infos[3:])
    loop = node("Loop", ["n", "", "x"], ["", "y"], body=body)
    inputs = {"n": np.array(10**6), "x": given}
    with ann.load(built([loop], inputs, ["y"]), ["CpuRef"]) as network:
        assert network.run({**inputs, "n": np.array(3)})["y"].shape == (3, *given.shape)
        ann.set_memory_budget(2**20)
        try:
            with pytest.raises(ann.ParseError, match=r"would take 1\.0 MiB, at most 1\.0 MiB"):
                network.run(inputs, timeout=10)
        finally:
            ann.set_memory_budget(None)


@pytest.mark.parametrize("free", [False, True], ids=["static", "free"])
def test_a_long_chain_of_stages_is_refused_with_a_message(free: bool) -> None:
    nodes = [node("StringNormalizer", [f"t{k}"], [f"t{k + 1}"], name=f"n{k}") for k in range(200)]
    given = {"t0": t("a", "b")}
    model = built(nodes, given, ["t200"], free=free)
    with (
        pytest.raises(ann.UnsupportedOperatorError, match="more than 64 stages before it"),
        ann.load(model, ["CpuRef"]) as network,
    ):
        network.run(given)


def test_control_characters_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, given = tmp_path / "m.onnx", tmp_path / "x.txt"
    model = built([node("StringConcat", ["x", "c"], ["y"])], {"x": t("a", "b")}, ["y"],
                  {"c": t("\x1b[31m\x07\n")})  # fmt: skip
    path.write_bytes(model.SerializeToString())
    given.write_text("Oslo\nBergen\n", encoding="utf-8")
    command = ["run", str(path), "-i", str(given), "-o", str(tmp_path / "out"), "-b", "CpuRef"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert r"y: 'Oslo\x1b[31m\x07\n' 'Bergen\x1b[31m\x07\n'" in shown
    assert "\x1b" not in shown
    saved = np.load(tmp_path / "out" / "y.npy", allow_pickle=False)
    assert saved.tolist() == ["Oslo\x1b[31m\x07\n", "Bergen\x1b[31m\x07\n"]
    np.save(tmp_path / "x.npy", np.array(["Rome", "Bonn"]))
    assert main(["run", str(path), "-i", str(tmp_path / "x.npy"), "-b", "CpuRef"]) == 0
    assert r"y: 'Rome\x1b" in capsys.readouterr().out
    assert main(["run", str(path), "--random", "1", "--json", "-b", "CpuRef"]) == 0
    assert '"dtype": "string"' in capsys.readouterr().out
    assert main(["inspect", str(path)]) == 0
    assert "Runs in 1 stage, because it has strings" in capsys.readouterr().out
    broken = built([node("Cast", ["x"], ["y"], to=FLOAT)], {"x": t("a")}, ["y"])
    path.write_bytes(broken.SerializeToString())
    given.write_text("\x1b[31m", encoding="utf-8")
    assert main(["run", str(path), "-i", str(given), "-b", "CpuRef"]) != 0
    error = capsys.readouterr().err
    assert r"'\x1b[31m' is not a number" in error
    assert "\x1b" not in error


def test_string_info_type() -> None:
    assert STRING == TensorProto.STRING
    assert ann.StringInfo((None,)).data_type not in list(ann.DataType)
