# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ARMNN_PY_LOG: lines are written only where it is set."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import armnn_py as ann

RUNTIME = "import armnn_py; armnn_py.Runtime().close()"


def errors_of(*command: str, log: str) -> str:
    """Return the standard error of a new process."""
    variables = {"ARMNN_PY_LOG": log, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, *command],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


def test_lines_appear_where_the_variable_is_set() -> None:
    lines = errors_of("-c", RUNTIME, log="debug").splitlines()
    loaded = [line for line in lines if line.startswith("INFO armnn_py.backends: ")]
    assert any("loaded 'CpuRef'" in line for line in loaded)


@pytest.mark.parametrize(
    ("code", "log"),
    [
        (RUNTIME, ""),
        (RUNTIME, "error"),
        (RUNTIME, "runtime=debug"),
        ("import armnn_py; armnn_py.Runtime(use_environment=False).close()", "debug"),
    ],
)
def test_no_other_file_appears(code: str, log: str) -> None:
    assert errors_of("-c", code, log=log) == ""


def test_a_program_with_handlers_sees_each_line_once() -> None:
    code = f"import logging; logging.basicConfig(format='own %(message)s'); {RUNTIME}"
    lines = errors_of("-c", code, log="backends=info").splitlines()
    assert len([line for line in lines if "loaded 'CpuRef'" in line]) == 1
    assert all(line.startswith("own ") for line in lines)


def test_arguments_of_the_command_beat_the_variable() -> None:
    listed = ("-m", "armnn_py", "backends", "list")
    assert "loaded 'CpuRef'" in errors_of(*listed, log="debug")
    assert errors_of(*listed, "--log-level", "error", log="debug") == ""


def test_invalid_values_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armnn_py.runtime.log_lines._decided", False)
    monkeypatch.setenv("ARMNN_PY_LOG", "loud")
    with pytest.raises(ann.InvalidArgumentError, match="level 'loud' is unknown"):
        ann.Runtime()
