# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What ``backends new`` writes with --cpp, --compiler and --tests: built, tested, run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Environment, run, run_any
from .test_vendor_project import EXPORTS, LIBRARY, PROGRAM, exports

WARNINGS = "-Wall -Wextra -Wpedantic -Werror"


def new(installed: Environment, folder: Path, *options: str) -> Path:
    run(installed.command, "backends", "new", folder, "--vendor", "Acme", "--name", "AcmeNpu",
        *options)  # fmt: skip
    return folder


def build(installed: Environment, project: Path) -> Path:
    cmake_dir = run(installed.command, "config", "--cmakedir").strip()
    run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja", "--no-warn-unused-cli",
        f"-DCMAKE_PREFIX_PATH={cmake_dir}", f"-DCMAKE_C_FLAGS={WARNINGS}",
        f"-DCMAKE_CXX_FLAGS={WARNINGS}")  # fmt: skip
    run("cmake", "--build", project / "build")
    library = project / "build" / LIBRARY
    assert exports(library) == EXPORTS
    return library


@pytest.fixture(scope="module")
def with_tests(installed: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with --tests, built; no test changes it."""
    project = new(installed, tmp_path_factory.mktemp("tests") / "acme", "--tests")
    build(installed, project)
    return project


@pytest.mark.parametrize(
    "options",
    [("--tests",), ("--cpp", "--tests"), ("--compiler", "--tests"),
     ("--cpp", "--compiler", "--tests")],
    ids=" ".join,
)  # fmt: skip
def test_a_project_passes_its_own_tests(
    installed: Environment, with_tests: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    project = with_tests
    if options != ("--tests",):
        project = new(installed, tmp_path / "acme", *options)
        build(installed, project)
    run("ctest", "--test-dir", project / "build", "--no-tests=error", "--output-on-failure")
    told = run(installed.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests",
               cwd=project)  # fmt: skip
    assert f"{4 if '--compiler' in options else 2} passed" in told


def test_its_tests_take_the_option_of_the_kit(installed: Environment, with_tests: Path) -> None:
    library = with_tests / "build" / LIBRARY
    told = run(installed.python, "-m", "pytest", "-v", "-p", "no:cacheprovider", "tests",
               f"--armnn-backend={library}", cwd=with_tests)  # fmt: skip
    assert "ElementwiseBinary[float32] PASSED" in told
    assert "test_numbers_are_those_of_cpu_ref PASSED" in told
    assert "test_conformance SKIPPED" in told


def test_its_tests_see_a_wrong_kernel(installed: Environment, tmp_path: Path) -> None:
    project = new(installed, tmp_path / "acme", "--tests")
    source = (project / "kernels.c").read_text(encoding="utf-8")
    assert "a[i] + b[i]" in source
    (project / "kernels.c").write_text(source.replace("a[i] + b[i]", "a[i] - b[i]"))
    build(installed, project)
    assert run_any("ctest", "--test-dir", project / "build").returncode != 0
    told = run_any(installed.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests",
                   cwd=project)  # fmt: skip
    assert "2 failed" in told.stdout


def test_a_kernel_in_cpp_may_throw(installed: Environment, tmp_path: Path) -> None:
    project = new(installed, tmp_path / "acme", "--cpp")
    library = build(installed, project)
    answer = json.loads(
        run(installed.python, "-c", PROGRAM, DYNAMIC_BACKEND_PATHS=str(library.parent))
    )
    assert answer["y"] == [[0, 2, 4], [6, 8, 10]]

    source = (project / "backend.cpp").read_text(encoding="utf-8")
    thrown = 'if (a == b) throw std::runtime_error("the coffee is out");\n    std::transform'
    source = source.replace("std::transform", thrown)
    (project / "backend.cpp").write_text(f"#include <stdexcept>\n{source}", encoding="utf-8")
    run("cmake", "--build", project / "build")
    failed = run_any(installed.python, "-c", PROGRAM, DYNAMIC_BACKEND_PATHS=str(library.parent))
    assert failed.returncode == 1
    assert "ExecutionError" in failed.stderr
    assert "the coffee is out" in failed.stderr
