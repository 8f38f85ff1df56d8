# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The page docs/cross_builds.md, for aarch64, run by qemu-user."""

from __future__ import annotations

import json
import os
import re
import shutil
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from elftools.elf.elffile import ELFFile

from .conftest import REPOSITORY, Environment, run, run_any
from .test_vendor_project import EXPORTS, LIBRARY, exports

COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-aarch64"
ROOT = "/usr/aarch64-linux-gnu"
PLAIN = f"""
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER {COMPILER})
"""

Verdict = Callable[[Path], dict[str, Any]]

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, (COMPILER, EMULATOR))) or not Path(ROOT, "lib/libc.so.6").exists(),
    reason=f"wants {COMPILER}, libc6-dev-arm64-cross and qemu-user",
)

wants_cpp = pytest.mark.skipif(
    shutil.which("aarch64-linux-gnu-g++") is None, reason="wants aarch64-linux-gnu-g++"
)


def blocks() -> tuple[str, list[str]]:
    """The toolchain file of the page, and its shell blocks as programs."""
    page = (REPOSITORY / "docs" / "cross_builds.md").read_text(encoding="utf-8")
    (toolchain,) = re.findall(r"```cmake\n(.*?)```", page, re.DOTALL)
    shell = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    return toolchain, [re.sub(r"^\$ ", "", block, flags=re.MULTILINE) for block in shell]


def machine_of(library: Path) -> str:
    with library.open("rb") as file:
        return str(ELFFile(file)["e_machine"])


@pytest.fixture(scope="module")
def folder(installed: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which everything that the page shows was done."""
    folder = tmp_path_factory.mktemp("cross")
    toolchain, programs = blocks()
    assert len(programs) == 3
    (folder / "aarch64.cmake").write_text(toolchain, encoding="utf-8")
    path = os.pathsep.join(
        [str(installed.python.parent), sysconfig.get_path("scripts"), os.environ["PATH"]]
    )
    for program in programs:
        run("bash", "-euxc", program, cwd=folder, PATH=path, CMAKE_GENERATOR="Ninja")
    return folder


@pytest.fixture(scope="module")
def verdict(
    folder: Path, installed: Environment, tmp_path_factory: pytest.TempPathFactory
) -> Verdict:
    """``verdict(library)`` gives the counts and changes of the page's cases on another library."""
    results = tmp_path_factory.mktemp("results") / "results"

    def judge(library: Path) -> dict[str, Any]:
        run(EMULATOR, "-L", ROOT, folder / "runner" / "run_cases", folder / "add.cases", library,
            results)  # fmt: skip
        told = run_any(installed.command, "--json", "backends", "report", results).stdout
        return cast("dict[str, Any]", json.loads(told))

    return judge


@pytest.fixture(scope="module")
def cpp_build(folder: Path, installed: Environment) -> Path:
    """`backends new --cpp` instead, built with the same toolchain file; where it was built."""
    run(installed.command, "backends", "new", folder / "acme_cpp", "--vendor", "Acme",
        "--name", "AcmeNpu", "--cpp", "--tests")  # fmt: skip
    run("cmake", "-S", folder / "acme_cpp", "-B", folder / "arm_cpp", "-G", "Ninja",
        f"-DCMAKE_TOOLCHAIN_FILE={folder / 'aarch64.cmake'}",
        f"-DCMAKE_PREFIX_PATH={folder / 'sdk'}",
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror")  # fmt: skip
    run("cmake", "--build", folder / "arm_cpp")
    return folder / "arm_cpp"


def passes(found: dict[str, Any]) -> bool:
    """Say whether the backend ran Add there, and was right in all."""
    counts = found["counts"]
    return found["ok"] and found["backend"] == "AcmeNpu" and {*counts} == {"passed", "refused"}


def test_the_page_builds_for_the_target_and_its_kernels_run_there(
    folder: Path, verdict: Verdict
) -> None:
    library = folder / "arm" / LIBRARY
    assert machine_of(library) == "EM_AARCH64"
    assert exports(library) == EXPORTS
    assert passes(verdict(library))


def test_the_page_makes_a_wheel_with_the_tag_of_the_target(
    folder: Path, verdict: Verdict, tmp_path: Path
) -> None:
    (wheel,) = folder.glob("*.whl")
    assert wheel.name == "acme_npu_backend-1.0.0-py3-none-linux_aarch64.whl"
    with zipfile.ZipFile(wheel) as archive:
        library = Path(archive.extract(f"acme_npu_backend/{LIBRARY}", tmp_path))
        about = archive.read("acme_npu_backend-1.0.0.dist-info/WHEEL").decode()
    assert "Tag: py3-none-linux_aarch64\n" in about
    assert machine_of(library) == "EM_AARCH64"
    assert passes(verdict(library))


@wants_cpp
def test_a_backend_in_cpp_runs_there(cpp_build: Path, verdict: Verdict) -> None:
    library = cpp_build / LIBRARY
    assert machine_of(library) == "EM_AARCH64"
    assert exports(library) == EXPORTS
    assert passes(verdict(library))


@wants_cpp
def test_the_unit_test_of_a_backend_in_cpp_runs_there(cpp_build: Path) -> None:
    told = run("ctest", "--test-dir", cpp_build, "--no-tests=error")
    assert "100% tests passed" in told


@wants_cpp
def test_an_exception_becomes_a_status_there(cpp_build: Path, verdict: Verdict) -> None:
    """Unwinding is the processor's own: what a kernel throws does not leave the library."""
    source = cpp_build.parent / "acme_cpp" / "backend.cpp"
    text = source.read_text(encoding="utf-8")
    call = "\n  add_floats("
    assert text.count(call) == 1
    thrown = '\n  if (a != b) throw std::runtime_error("out");' + call
    try:
        changed = "#include <stdexcept>\n" + text.replace(call, thrown)
        source.write_text(changed, encoding="utf-8")
        run("cmake", "--build", cpp_build)
        found = verdict(cpp_build / LIBRARY)
    finally:
        source.write_text(text, encoding="utf-8")
    assert found["changes"]
    assert all("execute answered -8: out" in one["message"] for one in found["changes"])


def test_exported_files_are_machine_independent(folder: Path, installed: Environment) -> None:
    files = {path.relative_to(folder / "sdk") for path in (folder / "sdk").rglob("*.*")}
    assert {Path("include/armnn/backend_api.h"), Path("cmake/ArmnnBackend.cmake")} <= files
    assert {path.suffix for path in files} == {".c", ".h", ".hpp", ".cmake", ".map", ".txt"}
    for path in files:  # every word is that of the package, so no path of this machine
        text = (folder / "sdk" / path).read_text(encoding="utf-8")
        assert str(folder) not in text
        assert str(installed.folder) not in text


@pytest.mark.parametrize("where", ["CMAKE_PREFIX_PATH", "armnn_py_ROOT", "armnn_py_DIR"])
@pytest.mark.parametrize("kind", ["plain", "only"])
def test_every_way_to_name_the_sdk_works_with_both_toolchains(
    folder: Path, tmp_path: Path, kind: str, where: str
) -> None:
    toolchain = folder / "aarch64.cmake"
    if kind == "plain":
        toolchain = tmp_path / "plain.cmake"
        toolchain.write_text(PLAIN, encoding="utf-8")
    run("cmake", "-S", folder / "acme", "-B", tmp_path / "build", "-G", "Ninja",
        f"-DCMAKE_TOOLCHAIN_FILE={toolchain}",
        f"-D{where}={folder / 'sdk' / ('cmake' if where == 'armnn_py_DIR' else '')}")  # fmt: skip
    run("cmake", "--build", tmp_path / "build")
    assert machine_of(tmp_path / "build" / LIBRARY) == "EM_AARCH64"
