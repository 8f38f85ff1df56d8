# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builds the C tests of the core, plain and with sanitizers, and runs them through ctest."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.builds import REPOSITORY, sources_beside

pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("ctest") is None,
    reason="needs CMake: pip install cmake",
)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command; what it printed, or a failure of the test that shows it."""
    done = subprocess.run(
        [str(part) for part in command],
        check=False,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=600,
    )
    text = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(str(part) for part in command)}\n{text[-8000:]}"
    return text


def build(folder: Path, *targets: str, sanitize: str = "") -> None:
    """Configure the repository in ``folder`` without static backends and build ``targets``."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run(
        "cmake",
        *generator,
        "-S",
        sources_beside(folder),
        "-B",
        folder,
        "-DARMNN_WERROR=ON",
        "-DARMNN_BUILD_TESTS=ON",
        "-DARMNN_STATIC_BACKENDS=",
        "-DDYNAMIC_BACKEND_PATHS=/opt/one:/opt/two",
        f"-DARMNN_SANITIZE={sanitize}",
    )
    run("cmake", "--build", folder, "--target", *targets, "--parallel", str(os.cpu_count() or 1))


@pytest.fixture(scope="module")
def plain_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library and its C tests, without a sanitizer."""
    folder = tmp_path_factory.mktemp("plain") / "build"
    build(folder, "armnn_core", "armnn_native_tests")
    return folder


def sanitizer_works(name: str, folder: Path) -> bool:
    """Whether programs built with this sanitizer can be linked and started here."""
    source = folder / "probe.c"
    source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
    compiler = os.environ.get("CC", "cc")
    program = folder / "probe"
    try:
        for command in (
            [compiler, f"-fsanitize={name}", str(source), "-o", str(program)],
            [str(program)],
        ):
            subprocess.run(command, check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


@pytest.mark.parametrize(
    "sanitize",
    [
        pytest.param("", id="plain"),
        pytest.param(
            "address,undefined",
            id="address and undefined behaviour",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param("thread", id="threads", marks=pytest.mark.exhaustive),
    ],
)
def test_c_tests_pass(sanitize: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if sanitize and os.environ.get("ARMNN_TEST_SANITIZED") == "elsewhere":
        pytest.skip("the C tests run under sanitizers elsewhere: .ci/run has a step for them")
    if sanitize and not sanitizer_works(sanitize, tmp_path):
        pytest.skip(f"the compiler has no working -fsanitize={sanitize}")
    folder = tmp_path / "build" if sanitize else request.getfixturevalue("plain_build")
    if sanitize:
        build(folder, "armnn_native_tests", sanitize=sanitize)
    text = run("ctest", "-LE", "backends", "--output-on-failure", "--no-tests=error",
               cwd=folder)  # fmt: skip
    assert "100% tests passed" in text


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm of the binutils")
def test_the_library_exports_what_its_header_declares(plain_build: Path) -> None:
    header = (REPOSITORY / "native/include/armnn/runtime.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"^ARMNN_CORE_API [^;(]*?(\w+)\(", header, re.MULTILINE))
    symbols = run("nm", "-D", "--defined-only", plain_build / "native" / "libarmnn_core.so")
    assert len(declared) > 20
    assert {line.split()[-1] for line in symbols.splitlines()} == declared


def test_an_unknown_static_backend_is_named(tmp_path: Path) -> None:
    done = subprocess.run(
        ["cmake", "-S", str(REPOSITORY), "-B", str(tmp_path), "-DARMNN_STATIC_BACKENDS=CpuReff"],
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode != 0
    assert "ARMNN_STATIC_BACKENDS names 'CpuReff'" in done.stderr
    assert "the backends found are 'CpuAcc;CpuRef'" in " ".join(done.stderr.split())
