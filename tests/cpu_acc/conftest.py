# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuAcc's operators as a fixture, built from the sources unless a built library is named."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import armnn_py as ann
from tests.builds import build_once
from tests.selection import is_exhaustive

from .instruction_sets import ISAS, QUANTIZED_ISAS
from .operators import Operators

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).resolve().parents[2]
_BUILT = "CPU_ACC_OPERATORS"


def _run(*command: str | Path) -> None:
    done = subprocess.run(
        [str(part) for part in command], check=False, capture_output=True, text=True, timeout=900
    )
    text = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(str(part) for part in command)}\n{text[-8000:]}"


@pytest.fixture(scope="session")
def operators() -> Operators:
    """All operators; ``CPU_ACC_OPERATORS`` names a library that is already built.

    The default run builds the kernels for any processor alone, not optimised: it takes a tenth of
    the minutes that all take.
    """
    path = os.environ.get(_BUILT)
    if path is not None:
        return Operators(path)
    if shutil.which("cmake") is None:
        pytest.skip("needs CMake: pip install cmake")
    folder = build_once(("operators",), _build_operators)
    return Operators(folder / "tests" / "cpu_acc" / "armnn_acc_operators.so")


def _build_operators(folder: Path) -> None:
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = [
        "-DARMNN_BUILD_TESTS=ON",
        "-DARMNN_STATIC_BACKENDS=",
        "-DARMNN_CPU_ACC_MATRICES_IN_C=ON",
    ]
    if is_exhaustive():
        options.append("-DARMNN_WERROR=ON")
    else:  # which warns of pragmas that are for the optimiser
        options += ["-DARMNN_CPU_ACC_PORTABLE=ON", "-DCMAKE_BUILD_TYPE=Debug"]
        options.append("-DCMAKE_C_FLAGS_DEBUG=")  # symbols of a debugger take a tenth of the time
    if shutil.which("ccache"):
        options.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
    _run("cmake", *generator, "-S", REPOSITORY, "-B", folder, *options)
    jobs = str(os.cpu_count() or 1)
    _run("cmake", "--build", folder, "--target", "armnn_acc_operators", "--parallel", jobs)


def _built(name: str, operators: Operators) -> str:
    if name not in operators.isas:
        pytest.skip(f"the library was built without {name}")
    return name


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    for name, isas in (("isa", ISAS), ("quantized_isa", QUANTIZED_ISAS)):
        if name in metafunc.fixturenames:
            has_all = is_exhaustive() or _BUILT in os.environ
            metafunc.parametrize(name, isas if has_all else ("portable",), indirect=True)


@pytest.fixture
def isa(request: pytest.FixtureRequest, operators: Operators) -> str:
    """Each instruction set that this processor runs."""
    return _built(request.param, operators)


@pytest.fixture
def quantized_isa(request: pytest.FixtureRequest, operators: Operators) -> str:
    """The same, with those that have quantised kernels of their own alone."""
    return _built(request.param, operators)


@pytest.fixture(scope="session")
def runtime() -> Iterator[ann.Runtime]:
    """A runtime with CpuAcc, and nothing set."""
    with ann.Runtime() as runtime:
        if "CpuAcc" not in runtime.backends:
            pytest.skip("CpuAcc is not here: an installed package has it, or DYNAMIC_BACKEND_PATHS")
        yield runtime
