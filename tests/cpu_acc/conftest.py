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

from .instruction_sets import ISAS, QUANTIZED_ISAS
from .operators import Operators

if TYPE_CHECKING:
    from collections.abc import Iterator

REPOSITORY = Path(__file__).resolve().parents[2]


def _run(*command: str | Path) -> None:
    done = subprocess.run(
        [str(part) for part in command], check=False, capture_output=True, text=True, timeout=900
    )
    text = done.stdout + done.stderr
    assert done.returncode == 0, f"{' '.join(str(part) for part in command)}\n{text[-8000:]}"


@pytest.fixture(scope="session")
def operators() -> Operators:
    """All operators; ``CPU_ACC_OPERATORS`` names a library that is already built."""
    path = os.environ.get("CPU_ACC_OPERATORS")
    if path is not None:
        return Operators(path)
    if shutil.which("cmake") is None:
        pytest.skip("needs CMake: pip install cmake")
    folder = build_once(("operators",), _build_operators)
    return Operators(folder / "tests" / "cpu_acc" / "armnn_acc_operators.so")


def _build_operators(folder: Path) -> None:
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    options = ("-DARMNN_BUILD_TESTS=ON", "-DARMNN_STATIC_BACKENDS=")
    _run("cmake", *generator, "-S", REPOSITORY, "-B", folder, "-DARMNN_WERROR=ON", *options)
    jobs = str(os.cpu_count() or 1)
    _run("cmake", "--build", folder, "--target", "armnn_acc_operators", "--parallel", jobs)


def _built(name: str, operators: Operators) -> str:
    if name not in operators.isas:
        pytest.skip(f"the library was built without {name}")
    return name


@pytest.fixture(params=ISAS)
def isa(request: pytest.FixtureRequest, operators: Operators) -> str:
    """Each instruction set that this processor runs."""
    return _built(request.param, operators)


@pytest.fixture(params=QUANTIZED_ISAS)
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
