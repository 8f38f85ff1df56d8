# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Steps of ``.ci/run`` that run beside others, with programs that only say how they end."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.builds import REPOSITORY

GATE = REPOSITORY / ".ci" / "run"

pytestmark = pytest.mark.skipif(
    shutil.which("bash") is None or not GATE.exists(), reason="bash, or the gate, is not here"
)


def run_gate(
    folder: Path, programs: dict[str, str], *steps: str, **variables: str
) -> tuple[int, str]:
    """Run steps of the gate where a wheel and an environment with these programs are."""
    for name, text in {"pytest": "exit 1", **programs}.items():
        program = folder / "ci" / "venv" / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    for file in ("source/.ci/run", "ci/dist/armnn_py-1.whl"):
        (folder / file).parent.mkdir(parents=True)
        (folder / file).touch()
    shutil.copy(GATE, folder / "source" / ".ci" / "run")
    environment = os.environ | {"ARMNN_PY_CI": str(folder / "ci"), "CI": "false", **variables}
    done = subprocess.run(
        ["bash", folder / "source" / ".ci" / "run", *steps],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_a_failing_step_beside_others_is_reported(tmp_path: Path) -> None:
    code, told = run_gate(tmp_path, {"sphinx-build": "echo no such page; exit 7"}, "docs")
    assert code == 7
    assert "no such page" in told
    assert "failed (7): " in told


MAKES_ENVIRONMENT = """#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\nexit 0\n' >"$3/bin/python"
printf '#!/bin/sh\necho no such package; exit 9\n' >"$3/bin/pip"
chmod +x "$3"/bin/*
"""


@pytest.mark.parametrize("steps", [("tools", "setup"), ("setup",)], ids=" ".join)
def test_packages_that_cannot_be_fetched_are_reported(
    tmp_path: Path, steps: tuple[str, ...]
) -> None:
    """After `tools` they are brought beside the build of the wheel."""
    python = tmp_path / "python"
    python.write_text(MAKES_ENVIRONMENT)
    python.chmod(0o755)
    code, told = run_gate(tmp_path, {}, *steps, PYTHON=str(python))
    assert code == 9
    assert "no such package" in told
    assert "failed (9): " in told


def test_no_process_is_left_where_another_step_fails(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    programs = {
        "sphinx-build": f"sh -c 'echo $$ >{begun}.new; mv {begun}.new {begun}; sleep 50; true'",
        "ruff": f"until [ -e {begun} ]; do sleep 0.05; done; exit 1",
    }
    code, _ = run_gate(tmp_path, programs, "lint", "docs")
    assert code == 1
    status = Path("/proc") / begun.read_text().strip() / "status"
    deadline = time.monotonic() + 10
    while _is_running(status):
        assert time.monotonic() < deadline, "the step beside goes on"
        time.sleep(0.05)


FAILS_TWICE = 'echo "FAILED tests/a.py::b"; exit 1'


@pytest.mark.parametrize(("again", "code"), [("exit 0", 0), (FAILS_TWICE, 1)], ids=["flaky", "no"])
def test_a_test_that_fails_runs_once_more(tmp_path: Path, again: str, code: int) -> None:
    pytest_program = f"""case "$*" in
    *--last-failed*) echo "PASSED tests/a.py::a"; {again} ;;
    *"not alone"*) exit 1 ;;
    esac"""
    ended, told = run_gate(tmp_path, {"pytest": pytest_program, "cmake": "exit 0"}, "tests")
    assert ended == code, told
    assert "flaky: tests/a.py::a" in told.splitlines()


def test_tests_that_cannot_be_collected_are_a_failure(tmp_path: Path) -> None:
    ended, _ = run_gate(tmp_path, {"pytest": "exit 2", "cmake": "exit 0"}, "tests")
    assert ended == 2


def _is_running(status: Path) -> bool:
    try:
        return "\nState:\tZ" not in status.read_text()
    except OSError:
        return False
