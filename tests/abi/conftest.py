# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tools of the ABI tests: the project's scripts, a C compiler, a layout measured once."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "scripts"))

from abi_headers import INCLUDE_DIR, compiler  # noqa: E402

from .abi_layout import measure_all  # noqa: E402

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
EXPORTS = REPOSITORY / "cmake" / "backend_exports.map"


@dataclass(frozen=True)
class Toolchain:
    """Commands that compile C and C++; a test asks for C++ only where it needs it."""

    c: tuple[str, ...]
    cxx: tuple[str, ...] | None

    def run(
        self, *arguments: str | Path, language: str = "c", text: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        command = self.c if language == "c" else self.cxx
        if command is None:
            pytest.skip("there is no C++ compiler")
        return subprocess.run(
            [*command, *map(str, arguments)],
            input=text,
            capture_output=True,
            text=True,
            check=False,
        )

    def build_backend(
        self,
        source: Path,
        target: Path,
        *arguments: str,
        include_dir: Path = INCLUDE_DIR,
        language: str = "c",
    ) -> Path:
        """Compile one file into a backend as ``armnn_add_backend`` does."""
        standard = "-std=c11" if language == "c" else "-std=c++17"
        done = self.run(
            *(standard, *WARNINGS, "-fPIC", "-fvisibility=hidden", "-shared", "-O1"),
            *(f"-I{include_dir}", *arguments, "-x", language, source, "-o", target),
            *(f"-Wl,--version-script={EXPORTS}", "-Wl,-Bsymbolic", "-Wl,--no-undefined"),
            language=language,
        )
        assert done.returncode == 0, done.stderr
        return target


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    command = compiler()
    if shutil.which(command[0]) is None:
        pytest.skip("there is no C compiler")
    found = next((name for name in ("c++", "g++", "clang++") if shutil.which(name)), None)
    return Toolchain(tuple(command), (found,) if found else None)


@pytest.fixture(scope="session")
def layout(toolchain: Toolchain) -> dict[str, Any]:
    """What the compiler makes of the headers: ``public`` and ``private``."""
    return measure_all()
