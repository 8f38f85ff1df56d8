# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends that are wrong in one way each, built when a test asks for one."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
WRONG = Path(__file__).parent / "wrong"

Build = Callable[..., Path]


@pytest.fixture(scope="session")
def wrong_backend(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """``wrong_backend("SWALLOWS_NAN")`` gives a shared object; ``"NONE"`` has no defect."""
    return _builder(tmp_path_factory, "backend.c", "layers.c")


@pytest.fixture(scope="session")
def wrong_features(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The same of ``features.c``."""
    return _builder(tmp_path_factory, "features.c")


def _builder(tmp_path_factory: pytest.TempPathFactory, *sources: str) -> Build:
    built: dict[tuple[str, ...], Path] = {}

    def build(defect: str, *defines: str) -> Path:
        key = defect, *defines
        if key not in built:
            path = tmp_path_factory.mktemp(defect.lower()) / "Test_Wrong_backend.so"
            subprocess.run(
                [
                    *(os.environ.get("CC", "cc"), "-std=c11", "-O1", "-fPIC", "-shared"),
                    *("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fvisibility=hidden"),
                    *(f"-DDEFECT={defect}", *defines, f"-I{REPOSITORY / 'native' / 'include'}"),
                    *(str(WRONG / source) for source in sources),
                    *("-o", str(path), "-lm"),
                ],
                check=True,
            )
            built[key] = path
        return built[key]

    return build
