# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""An argument, a variable, an option of commands and placement rules isolate a backend alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.cli.main import main
from armnn_py.isolation import process
from tests.isolation.conftest import absolute


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.toml"
    path.write_text('isolate = ["Deed"]\n[[rule]]\nname = "*"\nbackend = ["Deed", "CpuRef"]\n')
    return path


def test_all_means_those_from_outside(deed_folder: Path) -> None:
    with ann.Runtime(deed_folder, isolate="all") as runtime:
        assert list(runtime.isolated) == ["Deed"]
        assert runtime.backends["Deed"].file == str(deed_folder / "Test_Deed_backend.so")


def test_the_variable(deed_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_ISOLATE", "Deed")
    with ann.Runtime(deed_folder) as runtime:
        assert list(runtime.isolated) == ["Deed"]
    with ann.Runtime(deed_folder, use_environment=False) as runtime:
        assert not runtime.isolated


def test_the_option(deed_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--backend-path", str(deed_folder), "--isolate", "Deed", "backends", "list"]
    assert main([*command, "--json"]) == 0
    verdicts = json.loads(capsys.readouterr().out)["verdicts"]
    (loaded,) = [one for one in verdicts if one["id"] == "Deed" and one["status"] == "loaded"]
    assert loaded["place"] == "isolated"


def test_a_command_is_answered_by_the_next_backend(
    deed_folder: Path, deed: Callable[[str, str], None], tmp_path: Path
) -> None:
    deed("segv", "execute")
    model, given = tmp_path / "abs.onnx", tmp_path / "in.npy"
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xy"]
    graph = helper.make_graph(
        [helper.make_node("Abs", ["x"], ["y"])], "graph", [value[0]], [value[1]]
    )
    opsets = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), model)
    np.save(given, np.array([1, -2, 3, -4], np.float32))
    command = ["--backend-path", str(deed_folder), "--isolate", "Deed", "run", str(model)]
    more = ["--input", str(given), "--output", str(tmp_path), "-b", "Deed", "-b", "CpuRef"]
    assert main([*command, *more]) == 0
    made = np.load(tmp_path / "y.npy")
    np.testing.assert_array_equal(made, np.array([1, 2, 3, 4], np.float32))


def test_placement_rules(deed_folder: Path, rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNAMIC_BACKEND_PATHS", str(deed_folder))
    with ann.load(absolute(), placement=rules) as loaded:
        assert loaded.assignment.counts == {"Deed": 1}
        assert list(loaded.runtime.isolated) == ["Deed"]


def test_rules_do_not_run_it_in_the_process(deed_folder: Path, rules: Path) -> None:
    with (
        ann.Runtime(deed_folder) as runtime,
        pytest.raises(ann.InvalidArgumentError, match="'Deed' must be isolated"),
    ):
        ann.load(absolute(), placement=rules, runtime=runtime)


@pytest.mark.parametrize("value", ['"Deed"', "[3]", '[""]', "true"])
def test_rules_of_no_sense(tmp_path: Path, value: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(f"isolate = {value}\n")
    with pytest.raises(ann.InvalidArgumentError, match="isolate is"):
        ann.Placement.from_toml(path)


@pytest.mark.parametrize("value", [3, {"Deed": 3}, [""], [3]])
def test_arguments_of_no_sense(value: object) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="isolate"):
        ann.Runtime(isolate=value)  # type: ignore[arg-type]


def test_memory_of_the_program_does_not_cross() -> None:
    class Memory(ann.Allocator):
        def allocate(self, size: int, alignment: int) -> int:
            raise MemoryError

        def free(self, address: int) -> None:
            raise AssertionError

    with pytest.raises(ann.InvalidArgumentError, match="custom_allocators"):
        ann.Runtime(isolate=["CpuAcc"], custom_allocators={"CpuAcc": Memory()})


def test_an_id_that_no_file_has(deed_folder: Path) -> None:
    with ann.Runtime(deed_folder, isolate=["Deeds"]) as runtime:
        (verdict,) = [one for one in runtime.load_report if one.place == "isolated"]
    assert verdict.status == "refused"
    assert "no file that the worker found has this id" in verdict.reason


@pytest.mark.parametrize(
    "answer",
    [
        {}, {"file": 3, "libraries": []}, {"file": None, "libraries": 3},
        {"file": None, "libraries": []}, {"file": "x", "libraries": [], "score": "high"},
    ],
)  # fmt: skip
def test_a_description_of_no_sense(
    answer: dict[str, object], deed_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "receive_answer", lambda _connection: answer)
    with ann.Runtime(deed_folder, isolate=["Deed"]) as runtime:
        (verdict,) = [one for one in runtime.load_report if one.place == "isolated"]
    assert verdict.status == "refused"
    assert "its worker" in verdict.reason
