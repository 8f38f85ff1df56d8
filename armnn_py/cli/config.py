"""``armnn-py config``: one value for shells and build systems."""

from __future__ import annotations

from collections.abc import Callable

import rich_click as click

from armnn_py import sdk_paths
from armnn_py._version import __version__
from armnn_py.cli.app import Session, with_session
from armnn_py.cli.render import Renderer

__all__ = ["config"]


@click.command()
@click.option("--includedir", "what", flag_value="includedir", help="Folder of the C headers.")
@click.option("--cmakedir", "what", flag_value="cmakedir", help="Folder for CMAKE_PREFIX_PATH.")
@click.option("--cflags", "what", flag_value="cflags", help="Flags to compile a backend by hand.")
@click.option("--version", "what", flag_value="version", help="Version of the package.")
@with_session
def config(session: Session, what: str | None) -> None:
    """Print one value and nothing else; without an option, all of them by name."""
    values: dict[str, Callable[[], object]] = {
        "includedir": sdk_paths.get_include,
        "cmakedir": sdk_paths.get_cmake_dir,
        "cflags": sdk_paths.get_cflags,
        "version": lambda: __version__,
    }
    chosen = {name: str(values[name]()) for name in ([*values] if what is None else [what])}

    def render(renderer: Renderer) -> None:
        for name, value in chosen.items():
            renderer.line(value if what is not None else f"{name}={value}")

    session.answer(chosen, render)
