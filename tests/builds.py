# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builds of the repository by tests.

With a compiler cache that makes paths relative (``CCACHE_BASEDIR=/``), a build takes from it what
any build compiled before whose sources lie beside it under the same name, `SOURCES`, with the same
compiler and options; so all of them ask for `OPTIONS`.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["OPTIONS", "REPOSITORY", "SOURCES", "sources_beside"]

REPOSITORY = Path(__file__).resolve().parents[1]
#: Short: of several relative paths of a file the cache takes the shortest. As in ``.ci/run``.
SOURCES = "src"
#: For CMake. A warning is an error, and the compiler is called as the system's is.
OPTIONS = ("ARMNN_WERROR=ON", "CMAKE_C_COMPILER=cc")


def sources_beside(build: Path, sources: Path = REPOSITORY) -> Path:
    """Return a link to the sources in the folder of a build folder."""
    build.parent.mkdir(parents=True, exist_ok=True)
    link = build.parent / SOURCES
    if not link.is_symlink():
        link.symlink_to(sources, target_is_directory=True)
    return link
