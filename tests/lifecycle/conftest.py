# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The dozen-line backend, built from tests/fixtures."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def dozen_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the backend "Dozen"."""
    folder = tmp_path_factory.mktemp("dozen")
    compiler = shutil.which("cc")
    assert compiler is not None, "the tests need a C compiler"
    command = [compiler, "-std=c11", "-O1", "-fPIC", "-shared", "-fvisibility=hidden"]
    command += [f"-I{TESTS.parent / 'native' / 'include'}"]
    command += [str(TESTS / "fixtures" / "dozen_backend.c")]
    subprocess.run([*command, "-o", str(folder / "Test_Dozen_backend.so")], check=True)
    return folder
