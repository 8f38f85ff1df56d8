# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py config``: one value for shells and build systems."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click
from click.globals import get_current_context

from armnn_py import sdk_paths
from armnn_py._version import __version__
from armnn_py.cli.app import Session, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.render import Renderer

_SCHEMA = Path(__file__).parents[1] / "answers.schema.json"


@click.command(cls=Command)
@click.option("--includedir", is_flag=True, help="Folder of the C headers.")
@click.option("--cmakedir", is_flag=True, help="Folder for CMAKE_PREFIX_PATH.")
@click.option("--cflags", is_flag=True, help="Flags to compile a backend by hand.")
@click.option("--schemafile", is_flag=True, help="JSON schema of what --json writes.")
@click.option("--version", is_flag=True, help="Version of the package.")
@with_session
def config(session: Session, **asked_for: bool) -> None:
    """Print one value and nothing else; without an option, all of them by name."""
    values: dict[str, Callable[[], object]] = {
        "includedir": sdk_paths.get_include,
        "cmakedir": sdk_paths.get_cmake_dir,
        "cflags": sdk_paths.get_cflags,
        "schemafile": lambda: _SCHEMA,
        "version": lambda: __version__,
    }
    asked = [name for name in values if asked_for[name]]
    if len(asked) > 1:
        raise click.UsageError(
            f"{' and '.join(f'--{name}' for name in asked)} exclude each other",
            ctx=get_current_context(),
        )
    chosen = {name: str(values[name]()) for name in asked or values}

    def render(renderer: Renderer) -> None:
        for name, value in chosen.items():
            renderer.line(value if asked else f"{name}={value}")

    session.answer(chosen, render)
