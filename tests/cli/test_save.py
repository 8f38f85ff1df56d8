# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py save``, and the other commands on the file that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import DEMO, Command


@pytest.fixture(params=["CpuRef", "CpuAcc"])
def compiled(command: Command, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    path = tmp_path / "digits.armnnpy"
    answer = command("save", DEMO, "-o", path, "-b", request.param)
    assert answer.code == 0, answer.err
    assert f"12 of 12 layers assigned: {request.param} 12" in answer.out
    assert f"Wrote {path}" in answer.out
    return path


def test_its_document(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "x.armnnpy"
    document = command("save", DEMO, "-o", path, "-b", "CpuRef", "--json").json
    assert document["bytes"] == path.stat().st_size
    assert document["backends"] == {"CpuRef": 12}


def test_a_saved_network_is_known_by_its_contents(command: Command, compiled: Path) -> None:
    former = compiled.rename(compiled.with_suffix(".armnn"))
    assert "Compiled for" in command("inspect", former).out
    assert command("run", former, "--random", "3").code == 0


def test_run_says_the_same(command: Command, compiled: Path) -> None:
    backend = "CpuAcc" if "CpuAcc" in command("inspect", compiled).out else "CpuRef"
    first = command("run", DEMO, "--random", "3", "-b", backend, "--json").json
    second = command("run", compiled, "--random", "3", "--json").json
    assert first["outputs"] == second["outputs"]


@pytest.mark.parametrize(
    "words",
    [
        ["check"],
        ["profile", "--random", "0"],
        ["bench", "--seconds", "0"],
        ["graph", "--format", "dot", "-o", "-"],
    ],
    ids=lambda words: words[0],
)
def test_other_commands_take_it(command: Command, compiled: Path, words: list[str]) -> None:
    answer = command(words[0], compiled, *words[1:])
    assert answer.code == 0, answer.err
    assert answer.out


def test_inspect_tells_what_it_is(command: Command, compiled: Path) -> None:
    about = command("inspect", compiled, "--json").json["compiled"]
    (name,) = about["backends"]
    # CpuRef compiles nothing.
    assert (about["as_bytes"], about["as_layers"]) == (int(name == "CpuAcc"), 0)
    assert f"Compiled for {name} 0.1.0 by armnn_py" in command("inspect", compiled).out


@pytest.mark.parametrize(
    "options",
    [["-b", "CpuRef"], ["--strategy", "measure"], ["--validate"], ["--shape", "1x1x8x8"]],
    ids=lambda options: options[0],
)
def test_options_that_came_too_late(command: Command, compiled: Path, options: list[str]) -> None:
    answer = command("run", compiled, "--random", "0", *options)
    assert answer.code == 2
    assert f"{options[0]} given with a compiled model" in answer.err


def test_a_damaged_file_exits_3(command: Command, compiled: Path) -> None:
    compiled.write_bytes(compiled.read_bytes()[:-40])
    for name in ("run", "check", "inspect"):
        more = ["--random", "0"] if name == "run" else []
        answer = command(name, compiled, *more)
        assert answer.code == 3
        assert "is not a sound saved network" in answer.err


def test_the_model_is_not_written_over(command: Command, tmp_path: Path) -> None:
    model = tmp_path / "digits.onnx"
    model.write_bytes(DEMO.read_bytes())
    answer = command("save", model, "-o", model)
    assert answer.code == 2
    assert "-o names the model itself" in answer.err
    assert model.read_bytes() == DEMO.read_bytes()


def test_the_former_name_is_understood(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "x.armnnpy"
    assert command("compile", DEMO, "-o", path, "-b", "CpuRef").code == 0
    assert path.exists()
    listed = command("--help").out
    assert "│ save " in listed
    assert "│ compile " not in listed


def test_a_large_file_is_explained(command: Command, tmp_path: Path) -> None:
    """Of CpuAcc's sub-graphs the packed weights are in the file beside those of the layers."""
    path = tmp_path / "x.armnnpy"
    answer = command("save", DEMO, "-o", path, "-b", "CpuAcc")
    times = path.stat().st_size / DEMO.stat().st_size
    assert times > 1.5
    assert f"This is {times:.1f} times the model" in answer.out
    assert "--no-subgraphs" in answer.out
    assert "times the model" not in command("save", DEMO, "-o", path, "--no-subgraphs").out
