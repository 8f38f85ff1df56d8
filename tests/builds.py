# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builds by tests: each once a run, of the same repository for all of them.

With a compiler cache that makes paths relative (``CCACHE_BASEDIR=/``), a build takes from it what
any build compiled before whose sources lie beside it under the same name, `SOURCES`, with the same
compiler and options; so all of them ask for `OPTIONS`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
#: Short: of several relative paths of a file the cache takes the shortest. As in ``.ci/run``.
SOURCES = "src"
#: For CMake. A warning is an error, and the compiler is called as the system's is.
OPTIONS = ("ARMNN_WERROR=ON", "CMAKE_C_COMPILER=cc")
#: A compiler cache has all kernels, since the wheel was built; else they take minutes.
FEW_KERNELS = () if "CMAKE_C_COMPILER_LAUNCHER" in os.environ else ("-DARMNN_CPU_ACC_PORTABLE=ON",)
#: Names the folder that processes of one run of pytest share.
_VARIABLE = "ARMNN_TEST_BUILDS"


def make_folder(config: pytest.Config) -> None:
    """Make the folder for `build_once`, in the process that starts the others."""
    if not hasattr(config, "workerinput"):
        folder = tempfile.TemporaryDirectory(prefix="armnn-py-builds-")
        config.add_cleanup(folder.cleanup)
        os.environ[_VARIABLE] = folder.name


def build_once(key: tuple[str, ...], build: Callable[[Path], object]) -> Path:
    """Return the folder for a key, which ``build(folder)`` has filled: once for all processes."""
    digest = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
    folder = Path(os.environ[_VARIABLE]) / digest
    with folder.with_suffix(".lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder / "done"
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            build(folder)
            done.touch()
    return folder


def sources_beside(build: Path, sources: Path = REPOSITORY) -> Path:
    """Return a link to the sources in the folder of a build folder."""
    build.parent.mkdir(parents=True, exist_ok=True)
    link = build.parent / SOURCES
    if not link.is_symlink():
        link.symlink_to(sources, target_is_directory=True)
    return link
