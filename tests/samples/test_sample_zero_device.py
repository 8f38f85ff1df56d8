# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Zero's own functions, driven from C: plain and under sanitizers."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import REPOSITORY, SAMPLES

CASES = (
    "import",
    "no_import",
    "pools",
    "sub_tensors",
    "decorate",
    "allocators",
    "default_allocator",
    "execute",
)


def compile_driver(target: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    compiler = shutil.which("cc")
    assert compiler is not None, "the tests need a C compiler"
    folder = SAMPLES / "sample_zero"
    sources = [*sorted(folder.glob("*.c")), Path(__file__).parent / "drive_zero.c"]
    command = [compiler, "-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command += [f"-I{REPOSITORY / 'native/include'}", f"-I{folder}", *flags]
    return subprocess.run(
        [*command, *map(str, sources), "-lm", "-o", str(target)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module", params=["", "-fsanitize=address,undefined"])
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("drive_zero") / "drive_zero"
    done = compile_driver(target, *([request.param] if request.param else []))
    if request.param and done.returncode != 0 and "cannot find" in done.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.parametrize("case", CASES)
def test_case(driver: Path, case: str) -> None:
    done = subprocess.run([driver, case], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_case_is_reported(driver: Path) -> None:
    assert subprocess.run([driver, "nothing"], check=False).returncode == 2
