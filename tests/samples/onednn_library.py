# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builds the backend OneDnn where the library is installed."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from typing import TYPE_CHECKING

import pytest

from .conftest import SANITIZE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROBE = """\
cmake_minimum_required(VERSION 3.21)
project(probe LANGUAGES C CXX)
find_package(dnnl CONFIG REQUIRED)
"""
#: OpenMP reads it when it is loaded; without it the backend computes with one thread.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
MISSING = (
    "oneDNN is not installed: apt-get install libdnnl-dev ocl-icd-opencl-dev, or name it in "
    "CMAKE_PREFIX_PATH"
)
#: The sanitizer looks for what throws when it starts.
SANITIZED = "oneDNN throws exceptions: a preloaded sanitizer needs libstdc++ preloaded beside it"


def build_onednn(
    sample_backend: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The backend's file; skips the test where there is no oneDNN."""
    if SANITIZE and "libstdc++" not in os.environ.get("LD_PRELOAD", ""):
        pytest.skip(SANITIZED)
    folder = tmp_path_factory.mktemp("probe")
    (folder / "CMakeLists.txt").write_text(PROBE, encoding="utf-8")
    scripts = sysconfig.get_path("scripts")
    done = subprocess.run(
        ["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja"],
        env={**os.environ, "PATH": os.pathsep.join([scripts, os.environ.get("PATH", "")])},
        capture_output=True,
        check=False,
    )
    if done.returncode != 0:
        pytest.skip(MISSING)
    return sample_backend("onednn")
