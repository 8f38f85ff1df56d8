# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py sdk``: what the build of a backend needs, apart from the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from armnn_py import sdk_paths
from armnn_py.cli.app import Session, with_session
from armnn_py.cli.help import Group
from armnn_py.cli.render import Renderer
from armnn_py.errors import InvalidArgumentError


@click.group(cls=Group)
@with_session
def sdk(session: Session) -> None:
    """Handle the headers and CMake files that the build of a backend needs."""


@sdk.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@with_session
def export(session: Session, folder: Path) -> None:
    """Copy headers and CMake files to FOLDER, a prefix for find_package.

    They are the same for all processors: take them to where backends are built.
    """
    files = export_sdk(folder)
    data = {"folder": str(folder), "files": [str(path) for path in files]}

    def render(renderer: Renderer) -> None:
        renderer.line(f"{folder}/")
        for path in files:
            renderer.line(f"  {path.relative_to(folder)}")
        renderer.line("Build with:")
        renderer.line(f"  cmake -S . -B build -DCMAKE_PREFIX_PATH={folder.resolve()}")

    session.answer(data, render)


def export_sdk(folder: Path) -> list[Path]:
    """Copy headers and CMake files and return them.

    Raises
    ------
    InvalidArgumentError
        The folder has something in it.
    InternalError
        The package is not installed, and the SDK comes with it.
    """
    sources = (sdk_paths.get_include(), sdk_paths.get_cmake_dir())
    if folder.exists() and any(folder.iterdir()):
        raise InvalidArgumentError(
            f"folder '{folder}' is not empty", hints=["name a new folder; nothing is overwritten"]
        )
    for source in sources:
        shutil.copytree(
            source, folder / source.name, ignore=shutil.ignore_patterns("__pycache__", "*.py")
        )
    return sorted(path for path in folder.rglob("*") if path.is_file())
