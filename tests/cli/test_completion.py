# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Completion in a shell: the script that it sources, and what it is told at each Tab."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

STARTER = [sys.executable, "-c", "import sys, armnn_py_command; sys.exit(armnn_py_command.main())"]


def start(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        STARTER, capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, **variables},
    )  # fmt: skip


def complete(folder: Path, line: str) -> list[tuple[str, str]]:
    """Return the completions of bash at the end of ``line``: kinds and words."""
    words = line.split(" ")
    done = start(
        folder, _ARMNN_PY_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1)
    )
    assert (done.returncode, done.stderr) == (0, "")
    pairs = (told.partition(",") for told in done.stdout.splitlines() if told)
    return [(kind, word) for kind, _, word in pairs]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_completes_the_command(tmp_path: Path, shell: str) -> None:
    done = start(tmp_path, _ARMNN_PY_COMPLETE=f"{shell}_source")
    assert done.returncode == 0, done.stderr
    assert f"_ARMNN_PY_COMPLETE={shell}_complete" in done.stdout
    assert "armnn-py" in done.stdout
    assert "Usage" not in done.stdout


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("armnn-py ins", [("plain", "inspect")]),
        ("armnn-py backends sh", [("plain", "show")]),
        ("armnn-py run model.onnx --strategy m", [("plain", "measure")]),
        ("armnn-py check ", [("file", "")]),
        ("armnn-py run model.onnx -i pict", [("file", "pict")]),
        ("armnn-py check model.onnx -b CpuR", [("plain", "CpuRef")]),
        ("armnn-py backends show CpuR", [("plain", "CpuRef")]),
        ("armnn-py --backend-path vend", [("file", "vend")]),  # a folder, or a file
        ("armnn-py inspct mod", []),
    ],
)
def test_completions(tmp_path: Path, line: str, told: list[tuple[str, str]]) -> None:
    assert complete(tmp_path, line) == told


def test_backends_of_a_folder_on_the_line_are_offered(tmp_path: Path, dozen_folder: Path) -> None:
    line = f"armnn-py --backend-path {dozen_folder} check model.onnx -b "
    assert ("plain", "Dozen") in complete(tmp_path, line)


def test_a_broken_setting_offers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMNN_PY_NO_ENTRY_POINTS", "maybe")
    assert complete(tmp_path, "armnn-py check model.onnx -b ") == []
