# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py conformance onnx`` on test data that are made here."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.testing.onnx_suite import Outcome, find_cases, score, score_onnx
from armnn_py.testing.onnx_suite.case import data_sets, write_node_cases

from .conftest import Command

X = np.float32([[-1.5, 0.0, 2.0]])


def write_case(
    folder: Path, title: str, op: str, expected: Any, x: Any = X, domain: str = ""
) -> None:
    """One operator, its input and what should come out."""
    place = folder / title
    data = place / "test_data_set_0"
    data.mkdir(parents=True)
    graph = helper.make_graph(
        [helper.make_node(op, ["x"], ["y"], domain=domain)],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, expected.shape)],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("acme", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), place / "model.onnx")
    for name, value in (("input_0", x), ("output_0", expected)):
        (data / f"{name}.pb").write_bytes(numpy_helper.from_array(value).SerializeToString())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_case(folder, "node/test_abs", "Abs", np.abs(X))
    write_case(folder, "node/test_neg_wrong", "Neg", np.abs(X))
    write_case(folder, "node/test_neg_type", "Neg", -X.astype(np.float64))
    write_case(folder, "simple/test_own", "Own", X, domain="acme")
    return folder


def test_counts_by_family_and_reasons(command: Command, data: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    answer = command("conformance", "onnx", "--data", data, "--json", "-b", "CpuRef",
                      "--jobs", 1, "--report", report)  # fmt: skip
    assert answer.code == 0
    document = answer.json
    counts = {row.pop("family"): row for row in document["families"]}
    assert counts == {
        "node": {"cases": 3, "passed": 1, "failed": 2, "not_applicable": 0},
        "simple": {"cases": 1, "passed": 0, "failed": 0, "not_applicable": 1},
    }
    messages = {row["name"]: row["message"] for row in document["cases"]}
    assert "Not equal to tolerance" in messages["test_neg_wrong"]
    assert messages["test_neg_type"] == "output 'y' is float32, float64 expected"
    assert "acme.Own" in messages["test_own"]
    written = json.loads(report.read_text())
    assert written["cases"] == document["cases"]


def test_the_table_for_people(command: Command, data: Path) -> None:
    answer = command("conformance", "onnx", "--data", data, "-b", "CpuRef", "--filter", "node/")
    assert answer.code == 0
    assert "other outputs than recorded" in answer.out
    assert "1 of 3 cases passed on CpuRef" in answer.out


@pytest.mark.exhaustive
def test_random_numbers_are_judged_by_type_and_shape(command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "random"
    write_case(folder, "node/test_random", "RandomNormalLike", X)
    write_case(folder, "node/test_random_type", "RandomNormalLike", X.astype(np.float64))
    document = command("conformance", "onnx", "--data", folder, "--json", "-b", "CpuRef").json
    found = {row["name"]: (row["outcome"], row["message"]) for row in document["cases"]}
    other = "random numbers of another generator are recorded"
    assert found == {
        "test_random": ("not applicable", other),
        "test_random_type": ("failed", "output 'y' is float32, float64 expected"),
    }


@pytest.mark.exhaustive
def test_cases_that_should_pass(command: Command, data: Path, tmp_path: Path) -> None:
    listed = tmp_path / "cases.txt"
    arguments = ("conformance", "onnx", "--data", data, "-b", "CpuRef", "--expect", listed)
    assert command(*arguments, "--update").code == 0
    assert listed.read_text().splitlines()[1:] == ["node/test_abs"]
    assert command(*arguments).code == 0
    listed.write_text("node/test_abs  # fine\nnode/test_neg_wrong\nnode/test_gone\n")
    answer = command(*arguments, "--json")
    assert answer.code == 5
    assert answer.json["lost"] == ["node/test_neg_wrong", "node/test_gone"]
    answer = command(*arguments)
    assert "lost: node/test_gone: no such case" in answer.out
    assert "2 cases of" in answer.err


def test_misuse(command: Command, data: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    answer = command("conformance", "onnx", "--data", tmp_path / "empty")
    assert answer.code == 2
    assert "has no ONNX test data" in answer.err
    answer = command("conformance", "onnx", "--data", data, "--filter", "nothing")
    assert answer.code == 2
    assert "no case has 'nothing'" in answer.err
    answer = command("conformance", "onnx", "--data", data, "--expect", tmp_path / "absent")
    assert answer.code == 2
    assert "cannot be read" in answer.err
    assert command("conformance", "onnx", "--update").code == 2


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import os; os.abort()", "the process ended by SIGABRT"),
        ("import os; os._exit(0)", "the process ended with code 0"),
        ("import time; time.sleep(60)", "no answer after 1 s"),
    ],
)
def test_a_process_that_ends_or_hangs_is_that_case(
    monkeypatch: pytest.MonkeyPatch, data: Path, program: str, words: str
) -> None:
    command = [sys.executable, "-c", program]
    monkeypatch.setattr(score, "child_command", lambda *_: command)
    found = score_onnx(data=data, contains="simple", timeout=1, jobs=1)
    assert [(one.outcome, one.message) for one in found.results] == [(Outcome.FAILED, words)]


@pytest.mark.exhaustive
def test_the_installed_package_has_cases(tmp_path: Path) -> None:
    cases = find_cases(None, tmp_path)
    names = {case.title for case in cases}
    assert {"node/test_abs", "simple/test_sign_model", "pytorch-operator/test_operator_mm"} <= names
    assert len(names) > 1500


def test_values_made_at_load_have_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Newer versions of the package make cases, whose values are no tensors everywhere."""
    from onnx.backend.test.case import node as cases

    kinds = {
        "sequence": helper.make_sequence_type_proto,
        "optional": helper.make_optional_type_proto,
        "map": lambda tensor: helper.make_map_type_proto(TensorProto.INT64, tensor),
    }
    tensor = helper.make_tensor_type_proto(TensorProto.FLOAT, [2])
    one, other = np.float32([1, 2]), np.float32([3, 4])
    values = {"sequence": [one, other], "optional": one, "map": {1: 5.0, 2: 6.0}}
    node = helper.make_node("Own", list(kinds), ["none", "stored"], domain="acme")
    outputs = [
        helper.make_value_info("none", kinds["optional"](tensor)),
        helper.make_value_info("stored", tensor),
    ]
    inputs = [helper.make_value_info(name, make(tensor)) for name, make in kinds.items()]
    model = helper.make_model(helper.make_graph([node], "own", inputs, outputs))
    sets = [(list(values.values()), [None, numpy_helper.from_array(other)])]
    made = SimpleNamespace(name="test_own", model=model, data_sets=sets)
    monkeypatch.setattr(cases, "collect_testcases", lambda _: [made])
    write_node_cases(tmp_path / "node")
    (case,) = find_cases(tmp_path, tmp_path)
    ((given, expected),) = data_sets(case, model)
    assert [item.tolist() for item in given["sequence"]] == [[1, 2], [3, 4]]
    assert given["optional"].tolist() == [1, 2]
    assert given["map"] == {1: 5.0, 2: 6.0}
    assert expected[0] is None
    assert expected[1].tolist() == [3, 4]


def test_backend_ids_are_known(data: Path) -> None:
    with pytest.raises(ann.BackendNotFoundError, match="Nobody"):
        score_onnx(data=data, backends=["Nobody"], contains="abs")
