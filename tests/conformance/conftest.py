# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends that are wrong in one way each, built when a test asks for one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.builds import build_once

REPOSITORY = Path(__file__).resolve().parents[2]
WRONG = Path(__file__).parent / "wrong"
NAME = "Test_Wrong_backend.so"

Build = Callable[..., Path]


@pytest.fixture(scope="session")
def wrong_backend() -> Build:
    """``wrong_backend("SWALLOWS_NAN")`` gives a shared object; ``"NONE"`` has no defect."""
    return _builder("backend.c", "layers.c")


@pytest.fixture(scope="session")
def wrong_features() -> Build:
    """The same of ``features.c``."""
    return _builder("features.c")


@pytest.fixture(scope="session")
def wrong_integers() -> Build:
    """The same of ``integers.c``."""
    return _builder("integers.c")


@pytest.fixture(scope="session")
def wrong_compiler() -> Build:
    """The same of ``compiler.c``."""
    return _builder("compiler.c")


def _builder(*sources: str) -> Build:
    def build(defect: str, *defines: str) -> Path:
        def compile_in(folder: Path) -> None:
            subprocess.run(
                [
                    *(os.environ.get("CC", "cc"), "-std=c11", "-O1", "-fPIC", "-shared"),
                    *("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fvisibility=hidden"),
                    *(f"-DDEFECT={defect}", *defines, f"-I{REPOSITORY / 'native' / 'include'}"),
                    *(str(WRONG / source) for source in sources),
                    *("-o", str(folder / NAME), "-lm"),
                ],
                check=True,
            )

        return build_once(("wrong", *sources, defect, *defines), compile_in) / NAME

    return build
