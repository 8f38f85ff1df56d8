# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What is in the wheel, and what it is called."""

from __future__ import annotations

import json
import os
import re
import tomllib
import zipfile
from email.parser import Parser
from io import BytesIO
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from .conftest import REPOSITORY, Environment, run

CORE = "armnn_py/_native/lib/libarmnn_core.so"
PROGRAM = "armnn_py/_native/lib/armnn_probe"
TEMPLATE = "armnn_py/cli/pages/report.html.j2"
#: `include/armnn` of the SDK, by hand, so that a header which ought to be private is noticed.
HEADERS = (
    "types.h descriptors.h names.h backend_api.h backend_kit.h kit_base.h kit_options.h kit_rows.h "
    "kit_hooks.h kit_support.h kit_workloads.h kit_entry.h compile_kit.h compile_cache.h guard.hpp "
    "lasting_constants.h loading_time.h layer_rules.h"
)
BOARD = "CMakeLists.txt backend.c board.h case_file.h main.c memory.c one_case.c"
SDK = {
    *(f"armnn_py/sdk/include/armnn/{name}" for name in HEADERS.split()),
    "armnn_py/sdk/cmake/armnn_py-config.cmake",
    "armnn_py/sdk/cmake/armnn_py-config-version.cmake",
    "armnn_py/sdk/cmake/ArmnnBackend.cmake",
    "armnn_py/sdk/cmake/backend_exports.map",
    *(f"armnn_py/sdk/cmake/board/{name}" for name in BOARD.split()),
}


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_tag_serves_every_python_on_this_platform(wheel: Path) -> None:
    assert re.fullmatch(r"armnn_py-[0-9.]+-py3-none-(many)?linux_\w+\.whl", wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".dist-info/WHEEL"))
        fields = Parser().parsestr(archive.read(name).decode())
    assert fields["Root-Is-Purelib"] == "false"
    assert len(fields.get_all("Tag", [])) == 1


def test_holds_the_core_the_sdk_and_the_python_files(names: set[str]) -> None:
    assert names >= {CORE, PROGRAM}
    assert names >= SDK
    sources = {
        path.relative_to(REPOSITORY).as_posix()
        for package in ("armnn_py", "armnn_py_command")
        for path in (REPOSITORY / package).rglob("*.py")
    }
    assert names >= sources
    assert "armnn_py/py.typed" in names
    assert "armnn_py/demo/digits.onnx" in names
    assert TEMPLATE in names


def test_holds_nothing_else(names: set[str]) -> None:
    suffixes = {".py", ".typed", ".json", ".onnx", ".npz", ".md", ".c", ".txt", ".toml"}
    strays = {
        name
        for name in names - SDK - {CORE, PROGRAM, TEMPLATE}
        if ".dist-info/" not in name
        and not re.fullmatch(r"armnn_py/_backends/\w+_\w+_backend\.so", name)
        and not re.fullmatch(r"armnn_py/backend_template/.*\.(cpp|h|in)", name)
        and (
            not name.startswith(("armnn_py/", "armnn_py_command/"))
            or Path(name).suffix not in suffixes
        )
    }
    assert not strays
    assert not [name for name in names if name.endswith("runtime.h")]


def test_folders_made_by_the_build_have_no_twin_in_the_sources() -> None:
    for made in ("armnn_py/sdk", "armnn_py/_backends", "armnn_py/_native/lib"):
        assert not (REPOSITORY / made).exists()


def exported_by(wheel: Path, name: str) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        symbols = ELFFile(BytesIO(archive.read(name))).get_section_by_name(".dynsym")
    return {
        symbol.name
        for symbol in symbols.iter_symbols()
        if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL"
    }


def test_program_that_tries_files_runs_where_it_is_installed(
    wheel: Path, installed: Environment
) -> None:
    """What it exports takes the place of functions that a backend calls."""
    ours = {"getenv", "secure_getenv", "__asan_default_options"}
    of_c = {"stdin", "stdout", "stderr", "environ", "__environ", "_environ"}  # copied by the linker
    assert ours <= exported_by(wheel, PROGRAM) <= ours | of_c
    checks = json.loads(run(installed.command, "doctor", "--json"))["checks"]
    [row] = [row for row in checks if row["check"] == "probes of files"]
    assert (row["result"], row["detail"]) == ("ok", "armnn_probe, 1 s for each")
    assert os.access(installed.packages / PROGRAM, os.X_OK)


def test_core_exports_its_own_functions_only(wheel: Path) -> None:
    exported = exported_by(wheel, CORE)
    assert "armnn_context_run" in exported
    assert not {name for name in exported if not name.startswith("armnn_")}


def test_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < 5_000_000


def test_version_is_the_same_everywhere(wheel: Path, installed: Environment) -> None:
    metadata = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    version = metadata["project"]["version"]
    cmake = (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8")
    assert f"VERSION {version} " in cmake
    assert f"-{version}-" in wheel.name
    assert run(installed.command, "config", "--version").strip() == version
    changes = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {version}" in changes


@pytest.mark.parametrize(
    ("option", "expected"),
    [("--includedir", "armnn/backend_kit.h"), ("--cmakedir", "armnn_py-config.cmake")],
)
def test_config_prints_one_folder_inside_the_wheel(
    installed: Environment, option: str, expected: str
) -> None:
    (line,) = run(installed.command, "config", option).splitlines()
    assert Path(line).is_relative_to(installed.packages)
    assert (Path(line) / expected).is_file()
