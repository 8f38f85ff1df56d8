# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``pytest --armnn-backend=FILE`` as a vendor calls it, and pytest without the option."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Build

PLUGIN = "armnn_py_command.pytest_plugin"


def plugin() -> list[str]:
    """What makes pytest load the plug-in: nothing where the package is installed."""
    installed = importlib.metadata.entry_points(group="pytest11")
    return [] if PLUGIN in {entry.value for entry in installed} else ["-p", PLUGIN]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugin(), "-p", "no:cacheprovider", "-q", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.exhaustive
def test_a_layer_is_a_test(wrong_backend: Build, tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_own(): pass\n")
    done = run(tmp_path, f"--armnn-backend={wrong_backend('FORGETS_BIAS')}", "-rf")
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"FAILED .*FullyConnected\[float32\]", done.stdout)
    summary = re.search(r"(\d+) failed, (\d+) passed, (\d+) skipped", done.stdout)
    assert summary is not None, done.stdout
    assert re.search(r"FAILED .*::backend\b", done.stdout)
    # Networks are wrong as well. ReLU, Add and Softmax in float32 and the test of the file pass.
    assert (summary[1], summary[2]) == ("2", "4")
    assert int(summary[3]) > 300


def test_without_the_option_nothing_is_imported(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(
        "import sys\ndef test_own(): assert 'armnn_py' not in sys.modules\n"
    )
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
