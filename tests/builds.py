# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builds of the repository by tests."""

from __future__ import annotations

from pathlib import Path

__all__ = ["REPOSITORY", "sources_beside"]

REPOSITORY = Path(__file__).resolve().parents[1]


def sources_beside(build: Path, sources: Path = REPOSITORY) -> Path:
    """Return a link to the sources in the folder of a build folder.

    So that they have the same path from every build, and a compiler cache that makes paths relative
    (``CCACHE_BASEDIR``) knows again what an earlier build compiled.
    """
    build.parent.mkdir(parents=True, exist_ok=True)
    link = build.parent / "source"
    if not link.is_symlink():
        link.symlink_to(sources, target_is_directory=True)
    return link
