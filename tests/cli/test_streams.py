# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Where answers and errors go when the streams are full, closed, narrow, or Ctrl-C comes early."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from onnx import helper

from .conftest import DEMO, Command, save_model

MODULE = [sys.executable, "-m", "armnn_py"]
STARTER = [sys.executable, "-c", "import sys, armnn_py_command; sys.exit(armnn_py_command.main())"]


def shell(line: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", line, "sh", *MODULE, *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, **variables},
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["inspect", str(DEMO), "--layers", "--json"], id="json"),
        pytest.param(["inspect", str(DEMO), "--layers"], id="text"),
        pytest.param(["run", "no/such.onnx", "--json"], id="error as json"),
        pytest.param(["--help"], id="help"),
        pytest.param(["--version"], id="version"),
    ],
)
def test_full_disk_is_reported_once_with_a_message(arguments: list[str]) -> None:
    done = shell('"$@" > /dev/full', *arguments)
    assert done.returncode == (2 if "run" in arguments else 1)
    assert "no space left on device" in done.stderr.lower()
    assert "Traceback" not in done.stderr
    lines = done.stderr.splitlines()
    assert all(line.startswith(("error: ", "hint: ")) for line in lines)
    assert len(lines) == (3 if "run" in arguments else 1)


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("arguments", [["doctor"], ["doctor", "--json"], ["demo"]], ids=" ".join)
def test_closed_streams_are_no_failure(closed: str, arguments: list[str]) -> None:
    done = shell(f'"$@" {closed}', *arguments)
    assert done.returncode == 0
    assert done.stderr == ""
    assert bool(done.stdout) == (">&-" not in closed.split())


def test_error_is_never_written_to_the_answer() -> None:
    done = shell('"$@" 2>&-', "run", "no/such.onnx")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("encoding", ["ascii", "ascii:strict", "latin-1"])
def test_narrow_terminal_shows_names_escaped(tmp_path: Path, encoding: str) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], "caf\u00e9 \U0001f600")
    model = save_model(tmp_path / "names.onnx", [node], {"x": [2]}, "y")
    done = subprocess.run(
        [*MODULE, "check", str(model), "--layers"],
        capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"\\U0001f600" in done.stdout


@pytest.mark.parametrize(
    ("name", "command"),
    [("numpy", ["run", "model.onnx"]), ("click", ["doctor"]), ("rich", ["--help"])],
)
def test_ctrl_c_while_the_program_starts_is_code_130(
    tmp_path: Path, name: str, command: list[str]
) -> None:
    (tmp_path / f"{name}.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit('not stopped')\n"
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    done = subprocess.run(
        [*STARTER, *command],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 130
    assert done.stderr == "error: interrupted\n"
    assert done.stdout == ""


def test_group_without_a_command_is_one_document(command: Command) -> None:
    for arguments, name in ((["backends"], "backends"), ([], "armnn-py")):
        answer = command(*arguments, "--json")
        assert answer.code == 2
        assert answer.json["schema"] == f"armnn-py/{name}/1"
        assert answer.err == ""


def test_global_options_may_stand_after_the_group(command: Command) -> None:
    assert command("backends", "--json", "list").json["schema"] == "armnn-py/backends-list/1"
    assert json.loads(command("backends", "--json", "list").out)["ok"]
