# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The sample backends, built from their folders with CMake as a vendor builds them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from armnn_py import sdk_paths
from armnn_py.errors import InternalError
from tests.builds import build_once

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLES = REPOSITORY / "examples" / "backends"
#: What `cmake/ArmnnInstall.cmake` installs.
SDK_HEADERS = (
    *(
        path
        for path in sorted((REPOSITORY / "native" / "include" / "armnn").iterdir())
        if path.name != "runtime.h"
    ),
    REPOSITORY / "backends_c" / "common" / "include" / "armnn" / "layer_rules.h",
)
#: As in ``tests/conftest.py``.
SANITIZE = os.environ.get("ARMNN_TEST_SANITIZE", "")


def _cmake(*arguments: str | Path) -> None:
    scripts = sysconfig.get_path("scripts")  # cmake and ninja of an environment not activated
    environment = {**os.environ, "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")])}
    if SANITIZE:
        environment["LD_PRELOAD"] = ""  # it is for Python, not for compilers
    done = subprocess.run(
        ["cmake", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"cmake {arguments}\n{done.stdout}\n{done.stderr}"


@pytest.fixture(scope="session")
def sdk_cmake_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The SDK of the installed package, or for a plain source tree the same files, laid out so."""
    try:
        return sdk_paths.get_cmake_dir()
    except InternalError:
        sdk = tmp_path_factory.mktemp("sdk")
    (sdk / "include" / "armnn").mkdir(parents=True)
    (sdk / "cmake").mkdir()
    for header in SDK_HEADERS:
        shutil.copy(header, sdk / "include" / "armnn")
    for name in ("armnn_py-config.cmake", "ArmnnBackend.cmake", "backend_exports.map"):
        shutil.copy(REPOSITORY / "cmake" / name, sdk / "cmake")
    (sdk / "cmake" / "armnn_py-config-version.cmake").write_text(
        "set(PACKAGE_VERSION 0.1.0)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n", encoding="utf-8"
    )
    return sdk / "cmake"


@pytest.fixture(scope="session")
def sample_backend(sdk_cmake_folder: Path) -> Callable[[str], Path]:
    """``sample_backend("sample_scale")`` builds that sample once and gives its shared object."""

    def build_in(folder: Path, name: str) -> None:
        flags = f" -g -fsanitize={SANITIZE} -fno-sanitize-recover=all"
        sanitizers = flags if SANITIZE else ""
        _cmake(
            *("-S", SAMPLES / name, "-B", folder, "-G", "Ninja"),
            *(f"-DCMAKE_PREFIX_PATH={sdk_cmake_folder}",),
            f"-DCMAKE_C_FLAGS=-Wall -Wextra -Wpedantic -Werror{sanitizers}",
            f"-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror{sanitizers}",
            "--no-warn-unused-cli",  # a sample has one language or the other
            f"-DARMNN_SANITIZE={SANITIZE}",
        )
        _cmake("--build", folder)

    def build(name: str) -> Path:
        folder = build_once(("sample", name), lambda folder: build_in(folder, name))
        (built,) = folder.glob("*_backend.so")
        return built

    return build


@pytest.fixture(scope="session")
def split() -> ModuleType:
    """``scripts/split_networks.py``, which spreads networks over backends."""
    spec = importlib.util.spec_from_file_location(
        "split_networks", REPOSITORY / "scripts" / "split_networks.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


_XNNPACK = "#include <xnnpack.h>\nint main(void) { return (int)xnn_initialize(0); }\n"


@pytest.fixture(scope="session")
def xnnpack_library(
    sample_backend: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The shared object of ``examples/backends/xnnpack``."""
    program = tmp_path_factory.mktemp("xnnpack_here") / "program"
    command = ["cc", "-x", "c", "-", "-lXNNPACK", "-o", str(program)]
    environment = {**os.environ, "LD_PRELOAD": ""} if SANITIZE else None
    done = subprocess.run(
        command, input=_XNNPACK, env=environment, text=True, capture_output=True, check=False
    )
    if done.returncode != 0:
        pytest.skip("XNNPACK is not here: apt-get install libxnnpack-dev libpthreadpool-dev")
    return sample_backend("xnnpack")
