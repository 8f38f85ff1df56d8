# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py backends release``: use a backend again whose worker ended too often."""

from __future__ import annotations

import click

from armnn_py import environment
from armnn_py.cli.app import Session, with_session
from armnn_py.cli.completion import offer_backends
from armnn_py.cli.help import Command
from armnn_py.cli.render import Renderer
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import printable, quoted

__all__ = ["release"]


@click.command(cls=Command)
@click.argument("backend_id", metavar="ID", shell_complete=offer_backends)
@with_session
def release(session: Session, backend_id: str) -> None:
    """Lift the quarantine of the isolated backend ID, whose worker ended too often.

    It ends by itself when the file, a library that it needs or the kernel changes, and after a
    week. 'armnn-py backends list' shows which backends are in quarantine.
    """
    from armnn_py.isolation.deaths import Deaths

    deaths = Deaths(environment.cache_folder())
    held = sorted({one.backend for one in deaths.recent() if one.is_last})
    if not deaths.release(backend_id):
        raise InvalidArgumentError(
            f"backend '{printable(backend_id)}' is not in quarantine",
            details=[f"in quarantine: {quoted(held)}"] if held else [],
        )

    def render(renderer: Renderer) -> None:
        renderer.line(f"'{backend_id}' is used again")

    session.answer({"released": backend_id}, render)
