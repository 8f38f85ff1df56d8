# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runtimes and small networks for the tests of this folder."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py.sdk_paths import get_include

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture
def runtime() -> Iterator[ann.Runtime]:
    """A runtime with the built-in backends only."""
    with ann.Runtime(enable_dynamic_backends=False) as runtime:
        yield runtime


@pytest.fixture(scope="session")
def needs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the backend "Needs", built from its C file."""
    folder = tmp_path_factory.mktemp("needs")
    compiler = shutil.which("cc")
    assert compiler is not None, "the tests need a C compiler"
    command = [compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    command += ["-fvisibility=hidden", f"-I{get_include()}", str(FIXTURES / "needs_backend.c")]
    subprocess.run([*command, "-o", str(folder / "Test_Needs_backend.so")], check=True)
    return folder


@pytest.fixture
def needs_runtime(needs_folder: Path) -> Iterator[ann.Runtime]:
    """A runtime with the backend "Needs" beside the built-in ones."""
    with ann.Runtime(needs_folder) as runtime:
        yield runtime
