# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A vendor's project against the installed wheel: built out of tree, packed, found, run."""

from __future__ import annotations

import json
import platform
import shutil
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from armnn_py.sdk_paths import get_cmake_dir

from .conftest import REPOSITORY, Environment, run, run_any

EXAMPLE = REPOSITORY / "examples" / "out_of_tree_backend"
LIBRARY = "Acme_AcmeNpu_backend.so"
EXPORTS = {"GetBackendId", "GetVersion", "BackendFactory"}

PROGRAM = """
import json, sys
import numpy as np
import armnn_py as ann

network = ann.Network("sum")
x = network.add_input("x", ann.TensorInfo((2, 3)))
network.add_output("y", network.add_addition(x, x, name="twice"))
with ann.load(network, ["AcmeNpu"]) as loaded:
    y = loaded.run({"x": np.arange(6, dtype=np.float32).reshape(2, 3)})["y"]
    (record,) = loaded.assignment
print(json.dumps({"y": y.tolist(), "backend": record.backend, "file": record.file}))
"""


def configure(installed: Environment, source: Path, build: Path) -> None:
    cmake_dir = run(installed.command, "config", "--cmakedir").strip()
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={cmake_dir}")


def exports(library: Path) -> set[str]:
    with library.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym")
        return {
            symbol.name
            for symbol in symbols.iter_symbols()
            if symbol["st_shndx"] != "SHN_UNDEF" and symbol["st_info"]["bind"] != "STB_LOCAL"
        }


@pytest.fixture(scope="module")
def built(installed: Environment, tmp_path_factory: pytest.TempPathFactory) -> Path:
    build = tmp_path_factory.mktemp("vendor") / "build"
    configure(installed, EXAMPLE, build)
    run("cmake", "--build", build)
    return build


def test_plain_cmake_build_exports_exactly_three_symbols(built: Path) -> None:
    assert exports(built / LIBRARY) == EXPORTS


def test_plain_cmake_build_is_optimised(built: Path) -> None:
    assert "CMAKE_BUILD_TYPE:STRING=Release" in (built / "CMakeCache.txt").read_text()


@pytest.mark.parametrize("uses_mathematics", [True, False])
def test_a_kernel_may_use_functions_of_mathematics(
    installed: Environment, tmp_path: Path, uses_mathematics: bool
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\n"
        "project(plain LANGUAGES C)\n"
        "find_package(armnn_py CONFIG REQUIRED)\n"
        "armnn_add_backend(AcmeNpu VENDOR Acme SOURCES backend.c)\n"
    )
    source = (EXAMPLE / "backend.c").read_text(encoding="utf-8")
    if uses_mathematics:
        source = "#include <math.h>\n" + source.replace("a[i] + b[i]", "expf(a[i]) + b[i]")
    assert ("expf" in source) is uses_mathematics
    (tmp_path / "backend.c").write_text(source, encoding="utf-8")
    configure(installed, tmp_path, tmp_path / "build")
    run("cmake", "--build", tmp_path / "build")
    with (tmp_path / "build" / LIBRARY).open("rb") as file:
        tags = ELFFile(file).get_section_by_name(".dynamic").iter_tags()
        needed = {tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"}
    assert ("libm.so.6" in needed) is uses_mathematics


@pytest.mark.parametrize(("build_type", "flag"), [(None, "-O2"), ("Debug", None)])
def test_a_project_that_says_nothing_of_build_types(
    installed: Environment, tmp_path: Path, build_type: str | None, flag: str | None
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\n"
        "project(plain LANGUAGES C)\n"
        "find_package(armnn_py CONFIG REQUIRED)\n"
        "armnn_add_backend(AcmeNpu VENDOR Acme SOURCES backend.c)\n"
    )
    shutil.copy(EXAMPLE / "backend.c", tmp_path)
    cmake_dir = run(installed.command, "config", "--cmakedir").strip()
    options = ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", f"-DCMAKE_PREFIX_PATH={cmake_dir}"]
    if build_type is not None:
        options.append(f"-DCMAKE_BUILD_TYPE={build_type}")
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", *options)
    (command,) = json.loads((tmp_path / "build" / "compile_commands.json").read_text())
    assert ("-O2" in command["command"].split()) is (flag is not None)


def test_plain_cmake_build_is_loaded_from_its_folder(installed: Environment, built: Path) -> None:
    output = run(installed.command, "--backend-path", built, "backends", "list", "--json")
    verdicts = {verdict["path"]: verdict for verdict in json.loads(output)["verdicts"]}
    verdict = verdicts[str(built / LIBRARY)]
    assert (verdict["id"], verdict["status"], verdict["place"]) == ("AcmeNpu", "loaded", "argument")


def test_its_kernel_computes(installed: Environment, built: Path, tmp_path: Path) -> None:
    answer = json.loads(
        run(installed.python, "-c", PROGRAM, cwd=tmp_path, DYNAMIC_BACKEND_PATHS=str(built))
    )
    assert answer["y"] == [[0, 2, 4], [6, 8, 10]]
    assert answer["file"] == str((built / LIBRARY).resolve())


def test_wheel_is_found_by_its_entry_point(
    make_environment: Callable[[str], Environment], wheel: Path, tmp_path: Path
) -> None:
    environment = make_environment("vendor_wheel")
    environment.install(wheel)
    project = shutil.copytree(EXAMPLE, tmp_path / "project")
    wheels = tmp_path / "wheels"
    environment.pip(
        *("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"),
        *("--wheel-dir", wheels, project),
    )
    (vendor_wheel,) = wheels.glob("*.whl")
    assert vendor_wheel.name.startswith("acme_npu_backend-1.0.0-py3-none-linux_")
    environment.install(vendor_wheel)

    library = environment.packages / "acme_npu_backend" / LIBRARY
    answer = json.loads(run(environment.python, "-c", PROGRAM, cwd=tmp_path))
    assert answer == {
        "y": [[0, 2, 4], [6, 8, 10]], "backend": "AcmeNpu", "file": str(library.resolve()),
    }  # fmt: skip
    listed = json.loads(run(environment.command, "backends", "list", "--json"))
    (verdict,) = (v for v in listed["verdicts"] if v["id"] == "AcmeNpu")
    assert verdict["place"].startswith("entry-point acme-npu-backend")


@pytest.mark.parametrize(
    ("name", "vendor", "said"),
    [
        pytest.param("Acme_Npu", "Acme", "name 'Acme_Npu' is not valid", id="underscore in name"),
        pytest.param("AcmeNpu", "Acme Corp", "VENDOR 'Acme Corp' is not valid", id="space"),
        pytest.param("AcmeNpu", "Acme.Corp", "VENDOR 'Acme.Corp' is not valid", id="dot"),
        pytest.param("AcmeNpu", "", "VENDOR '' is not valid", id="empty vendor"),
        pytest.param("Nüs", "Acme", "name 'Nüs' is not valid", id="letter beyond A to Z"),
    ],
)
def test_cmake_refuses_names_that_the_loader_would_skip(
    installed: Environment, tmp_path: Path, name: str, vendor: str, said: str
) -> None:
    shutil.copy(EXAMPLE / "backend.c", tmp_path)
    (tmp_path / "CMakeLists.txt").write_text(
        textwrap.dedent(f"""\
            cmake_minimum_required(VERSION 3.21)
            project(refused LANGUAGES C)
            find_package(armnn_py 0.1 CONFIG REQUIRED)
            armnn_add_backend("{name}" VENDOR "{vendor}" SOURCES backend.c)
        """),
        encoding="utf-8",
    )
    cmake_dir = run(installed.command, "config", "--cmakedir").strip()
    done = run_any("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja",
                   f"-DCMAKE_PREFIX_PATH={cmake_dir}")  # fmt: skip
    words = " ".join(done.stderr.split())
    assert done.returncode != 0
    assert said in words
    assert "only the letters A-Z a-z and the digits 0-9 are allowed" in words
    assert "<vendor>_<name>_backend.so" in words


RULED = """
#include <string.h>

#include "armnn/layer_rules.h"

static armnn_status_t slice(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error; /* the beginning of the input is enough for this test */
  memcpy(call->outputs[0], call->inputs[0], ARMNN_COUNT(call));
  return ARMNN_STATUS_OK;
}
static const armnn_kernel_t kernels[] = {ARMNN_KERNEL_RULED(SLICE, QASYMM_S8, slice)};
ARMNN_DEFINE_BACKEND("AcmeNpu", kernels)
"""

ASK = """
import json
import numpy as np
import armnn_py as ann
from armnn_py import DataType
from armnn_py.descriptors import SliceDescriptor

def ask(scale):
    network = ann.Network()
    moved = ann.TensorInfo((2,), DataType.QASYMM_S8, ann.QuantizationInfo(scale))
    x = network.add_input("x", ann.TensorInfo((4,), DataType.QASYMM_S8, ann.QuantizationInfo(0.5)))
    form = SliceDescriptor(begin=(0,), size=(2,))
    network.add_output("y", network.add_layer(ann.LayerType.SLICE, [x], form, output_infos=[moved]))
    try:
        with ann.load(network, ["AcmeNpu"]) as loaded:
            return loaded.run({"x": np.arange(1, 5, dtype=np.int8)})["y"].tolist()
    except ann.NoBackendForLayerError as error:
        return str(error)

print(json.dumps([ask(0.5), ask(0.25)]))
"""


def test_a_row_with_a_rule_refuses_with_its_message(installed: Environment, tmp_path: Path) -> None:
    shutil.copy(EXAMPLE / "CMakeLists.txt", tmp_path)
    (tmp_path / "backend.c").write_text(RULED, encoding="utf-8")
    configure(installed, tmp_path, tmp_path / "build")
    run("cmake", "--build", tmp_path / "build")
    assert exports(tmp_path / "build" / LIBRARY) == EXPORTS
    told = run(
        installed.python, "-c", ASK, cwd=tmp_path, DYNAMIC_BACKEND_PATHS=str(tmp_path / "build")
    )
    result, refusal = json.loads(told)
    assert result == [1, 2]
    assert (
        "input 0 and output 0 are quantised differently, the kernel does not requantise" in refusal
    )


def test_newer_package_than_asked_for_is_refused(installed: Environment, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(later LANGUAGES C)\n"
        "find_package(armnn_py 99.0 CONFIG REQUIRED)\n",
        encoding="utf-8",
    )
    cmake_dir = run(installed.command, "config", "--cmakedir").strip()
    done = run_any("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja",
                   f"-DCMAKE_PREFIX_PATH={cmake_dir}")  # fmt: skip
    assert done.returncode != 0
    assert "99.0" in done.stderr


def test_example_is_what_backends_new_writes(installed: Environment, tmp_path: Path) -> None:
    run(installed.command, "backends", "new", tmp_path / "x", "--vendor", "Acme", "--name",
        "AcmeNpu")  # fmt: skip
    written = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "x").iterdir()}
    shipped = {path.name: path.read_text(encoding="utf-8") for path in EXAMPLE.iterdir()}
    assert written == shipped


def test_new_project_with_other_names_builds(installed: Environment, tmp_path: Path) -> None:
    project = tmp_path / "project"
    run(installed.command, "backends", "new", project, "--vendor", "Umbra", "--name", "Dsp7")
    configure(installed, project, tmp_path / "build")
    run("cmake", "--build", tmp_path / "build")
    library = tmp_path / "build" / "Umbra_Dsp7_backend.so"
    assert exports(library) == EXPORTS
    checked = json.loads(run(installed.command, "backends", "check", library, "--json"))
    assert [step["result"] for step in checked["steps"]] == ["ok"] * len(checked["steps"])


@pytest.mark.parametrize("compiler", ["cc", "c++"])
def test_flags_of_config_build_a_backend_without_cmake(
    installed: Environment, tmp_path: Path, compiler: str
) -> None:
    flags = run(installed.command, "config", "--cflags").split()
    library, source = tmp_path / LIBRARY, EXAMPLE / "backend.c"
    if compiler == "c++":
        source = shutil.copy(source, tmp_path / "backend.cpp")
    run(compiler, "-Wall", "-Wextra", "-Werror", *flags, source, "-o", library)
    assert exports(library) == EXPORTS


@pytest.mark.parametrize("language", ["C", "C++"])
def test_a_toolchain_file_that_names_no_compiler_of_the_target(
    tmp_path: Path, language: str
) -> None:
    """CMake takes this machine's compiler then, and would build for this machine without a word."""
    other = "x86_64" if platform.machine() == "aarch64" else "aarch64"
    toolchain = tmp_path / "other.cmake"
    toolchain.write_text(
        f"set(CMAKE_SYSTEM_NAME Linux)\nset(CMAKE_SYSTEM_PROCESSOR {other})\n", encoding="utf-8"
    )
    project = tmp_path / "acme"
    run(sys.executable, "-m", "armnn_py", "backends", "new", project, "--vendor", "Acme",
        "--name", "AcmeNpu", *(["--cpp"] if language == "C++" else []))  # fmt: skip
    build = tmp_path / "build"
    configure = ("cmake", "-S", project, "-B", build, "-G", "Ninja",
                 f"-DCMAKE_PREFIX_PATH={get_cmake_dir()}")  # fmt: skip
    run(*configure, f"-DCMAKE_TOOLCHAIN_FILE={toolchain}")
    done = run_any("cmake", "--build", build)
    assert done.returncode != 0
    assert "this compiler is not for CMAKE_SYSTEM_PROCESSOR" in done.stdout
    shutil.rmtree(build)
    run(*configure)  # for this machine it builds
    run("cmake", "--build", build)
