# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A wheel of this repository, and a virtual environment with nothing else of it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.builds import REPOSITORY, build_once

#: These build nothing: the default run has them.
QUICK = ("test_gate.py", "test_script_jobs.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here:
            item.add_marker(pytest.mark.packaging)
            if item.path.name not in QUICK:
                item.add_marker(pytest.mark.exhaustive)


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    """Run a command that must succeed; return what it wrote to standard output."""
    done = run_any(*command, cwd=cwd, **environment)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def run_any(
    *command: str | Path, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command with none of this test run's own settings for armnn_py."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ARMNN_PY_", "DYNAMIC_BACKEND_PATHS", "PYTHONPATH", "PYTEST_"))
    }
    # cmake and ninja of the test environment, also when it was not activated
    clean["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), clean.get("PATH", "")])
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@dataclass(frozen=True)
class Environment:
    """A virtual environment whose imports may fall back on those of the test run."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def command(self) -> Path:
        return self.folder / "bin" / "armnn-py"

    @property
    def packages(self) -> Path:
        (found,) = self.folder.glob("lib/python*/site-packages")
        return found

    def pip(self, *arguments: str | Path) -> str:
        return run(
            self.python, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments
        )

    def install(self, *arguments: str | Path) -> str:
        """Install here what the folder behind may have already; nothing is downloaded."""
        return self.pip(
            *("install", "--quiet", "--ignore-installed", "--no-deps", "--no-index"),
            *("--no-build-isolation", *arguments),
        )


@pytest.fixture(scope="session")
def make_environment(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Environment]:
    return lambda name: _new_environment(tmp_path_factory.mktemp(name) / "venv")


def _new_environment(folder: Path) -> Environment:
    venv.create(folder, symlinks=True)
    environment = Environment(folder)
    # pip, numpy, click, scikit-build-core and so on come from where the tests run: no downloads.
    # Being named by a .pth file, that folder stands behind the environment's own.
    (environment.packages / "test_run.pth").write_text(
        f"{sysconfig.get_path('purelib')}\n", encoding="utf-8"
    )
    pip = folder / "bin" / "pip"
    pip.write_text(f'#!/bin/sh\nexec {environment.python} -m pip "$@"\n', encoding="utf-8")
    pip.chmod(0o755)
    return environment


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The wheel under test: ARMNN_PY_WHEEL if that is set, else built from this repository."""
    ready = os.environ.get("ARMNN_PY_WHEEL")
    if ready:
        return Path(ready)
    make = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    folder = build_once(("wheel",), lambda folder: run(*make, "--wheel-dir", folder, REPOSITORY))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path) -> Environment:
    """An environment with the wheel installed; no test changes it."""
    folder = build_once(
        ("installed",), lambda folder: _new_environment(folder / "venv").install(wheel)
    )
    return Environment(folder / "venv")
