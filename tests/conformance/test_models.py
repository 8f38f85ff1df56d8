# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``backends test --model``: the layers of a user's network, and operators of a vendor."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from armnn_py.errors import InvalidArgumentError
from armnn_py.testing import Report, check_conformance
from tests.cli.conftest import Command, command

from .conftest import Build
from .test_pytest_plugin import run

__all__ = ["command"]  # a fixture

#: Swirl by its definition in operator_backend.c.
DEFINITION = """\
import numpy as np

def swirl(x, gain, offsets=(0,)):
    return x * np.float32(gain) + np.resize(np.float32(offsets), x.shape)
"""


def saved(path: Path, nodes: list[onnx.NodeProto], *constants: tuple[str, np.ndarray]) -> Path:
    """Write a model of input x and output y, float32 [batch, 5]."""
    infos = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", 5]) for n in "xy"]
    stored = [numpy_helper.from_array(value, name) for name, value in constants]
    graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], stored)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.acme", 4)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


@pytest.fixture
def swirls(tmp_path: Path) -> Path:
    """Two equal Swirls, and one of 35 elements."""
    own = {"domain": "com.acme", "gain": 0.5}
    nodes = [
        helper.make_node("Swirl", ["x"], ["a"], name="first", **own),
        helper.make_node("Swirl", ["a"], ["b"], name="equal", **own),
        helper.make_node("Concat", ["b"] * 7, ["c"], name="seven", axis=1),
        helper.make_node("Swirl", ["c"], ["d"], name="large", offsets=[3, 4], **own),
        helper.make_node("ReduceMean", ["d"], ["m"], name="mean", axes=[1], keepdims=1),
        helper.make_node("Add", ["x", "m"], ["y"], name="last"),
    ]
    (tmp_path / "definitions.py").write_text(DEFINITION)
    return saved(tmp_path / "swirls.onnx", nodes)


@pytest.fixture
def operators(tmp_path: Path, build_backend: Callable[..., None]) -> Callable[[int], Path]:
    def build(wrong: int) -> Path:
        file = tmp_path / "Test_Operator_backend.so"
        build_backend("operator_backend.c", file, f"-DWRONG={wrong}")
        return file

    return build


def checked(file: Path, model: Path) -> Report:
    named = f"{model.parent / 'definitions.py'}:swirl"
    return check_conformance(file, model=model, references={"Swirl": named})


def test_an_operator_of_a_vendor_has_its_reference(
    operators: Callable[[int], Path], swirls: Path
) -> None:
    report = checked(operators(0), swirls)
    assert report.ok, report.changes
    assert report.model == {"layers": 6, "different": 5, "tried": 5}
    passed = {(one.case, one.group) for one in report.results if one.outcome == "passed"}
    groups = ("truth", "numbers", "memory", "reentrance")
    names = ("StandIn/float32/first", "StandIn/float32/large")
    assert passed == {(name, group) for name in names for group in groups} | {
        ("model", "subgraphs")
    }


def test_a_wrong_layer_is_named_as_in_the_model(
    operators: Callable[[int], Path], swirls: Path
) -> None:
    report = checked(operators(5), swirls)
    bad = {(one.case, one.group, one.outcome): one.message for one in report.bad()}
    assert set(bad) == {
        ("StandIn/float32/large", "numbers", "failed"),
        ("model", "subgraphs", "failed"),
    }
    assert "element [0, 34] is" in bad["StandIn/float32/large", "numbers", "failed"]
    assert "'large' (StandIn)" in bad["model", "subgraphs", "failed"]


@pytest.mark.exhaustive
def test_memory_of_an_operator_is_guarded(operators: Callable[[int], Path], swirls: Path) -> None:
    bad = checked(operators(6), swirls).bad()
    of_memory = [one for one in bad if one.group == "memory"]
    assert {one.case for one in of_memory} == {"StandIn/float32/first", "StandIn/float32/large"}
    assert all("SIGSEGV" in one.message for one in of_memory)


@pytest.mark.exhaustive
def test_the_plug_in_has_the_same_options(
    operators: Callable[[int], Path], swirls: Path, tmp_path: Path
) -> None:
    done = run(
        tmp_path,
        f"--armnn-backend={operators(5)}",
        f"--armnn-model={swirls}",
        "--armnn-reference=Swirl=definitions.py:swirl",
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "StandIn/float32/large (numbers)" in done.stdout


def test_without_its_reference_an_operator_is_untried(
    command: Command, operators: Callable[[int], Path], swirls: Path
) -> None:
    answer = command("backends", "test", operators(5), "--model", swirls)
    assert answer.code == 0, answer.err
    assert "model: 6 layers, 5 different, 5 tried" in answer.out
    words = "operator 'Swirl' has no reference: --reference Swirl=module:function"
    assert f"Not tried, so untested: StandIn: {words}" in answer.out
    assert f"Not tried, so untested: subgraphs: {words}" in answer.out
    assert "Only this model" in answer.out


@pytest.mark.exhaustive
def test_layers_with_their_constants(wrong_backend: Build, tmp_path: Path) -> None:
    weights = np.eye(5, dtype=np.float32)
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["h"], name="dense"),
        helper.make_node("Softmax", ["h"], ["y"], name="chances"),
    ]
    bias = np.arange(5, dtype=np.float32)
    model = saved(tmp_path / "dense.onnx", nodes, ("w", weights), ("b", bias))
    report = check_conformance(wrong_backend("FORGETS_BIAS"), model=model)
    assert {one.case for one in report.bad()} == {"FullyConnected/float32/dense", "model"}
    right = check_conformance(wrong_backend("NONE"), model=model)
    assert right.ok, right.changes


def test_invalid_values_are_refused(wrong_backend: Build, tmp_path: Path) -> None:
    file = wrong_backend("NONE")
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    model = saved(tmp_path / "model.onnx", nodes)
    with pytest.raises(InvalidArgumentError, match="is not a file"):
        check_conformance(file, model=tmp_path / "no.onnx")
    with pytest.raises(InvalidArgumentError, match="about a model, which is not given"):
        check_conformance(file, references={"Swirl": "a:b"})
    for named, words in {
        "swirl": "is not understood",
        "no_such_module:swirl": "cannot be imported: ModuleNotFoundError",
        "numpy:pi": "is not a function",
    }.items():
        with pytest.raises(InvalidArgumentError, match=words):
            check_conformance(file, model=model, references={"Swirl": named})
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(InvalidArgumentError, match=r"text\.onnx' cannot be tested: "):
        check_conformance(file, model=tmp_path / "text.onnx")
