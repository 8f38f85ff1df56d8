# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends built from the C files in tests/fixtures, once per session."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import armnn_py as ann

FIXTURES = Path(__file__).parents[1] / "fixtures"
INCLUDE = Path(__file__).parents[2] / "native" / "include"


def _build(source: str, target: Path, *defines: str) -> None:
    """Compile one C file as a vendor without CMake would."""
    compiler = shutil.which("cc")
    assert compiler is not None, "the tests need a C compiler"
    command = [compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    command += ["-fvisibility=hidden", f"-I{INCLUDE}", str(FIXTURES / source)]
    subprocess.run([*command, *defines, "-o", str(target)], check=True)


@pytest.fixture(scope="session")
def build_backend() -> Callable[..., None]:
    """Compile a C file of tests/fixtures: ``build_backend(source, target, "-DNAME=1")``."""
    return _build


@pytest.fixture
def runtime() -> Iterator[ann.Runtime]:
    """A runtime with the built-in backends only."""
    with ann.Runtime(enable_dynamic_backends=False) as runtime:
        yield runtime


@pytest.fixture(scope="session")
def dozen_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the backend "Dozen"."""
    folder = tmp_path_factory.mktemp("dozen")
    _build("dozen_backend.c", folder / "Test_Dozen_backend.so")
    return folder


@pytest.fixture(scope="session")
def needs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the backend "Needs"."""
    folder = tmp_path_factory.mktemp("needs")
    _build("needs_backend.c", folder / "Test_Needs_backend.so")
    return folder


@pytest.fixture
def needs_runtime(needs_folder: Path) -> Iterator[ann.Runtime]:
    """A runtime with the backend "Needs" beside the built-in ones."""
    with ann.Runtime(needs_folder) as runtime:
        yield runtime
