# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py backends lock``: write down which files of backends are meant."""

from __future__ import annotations

import os
import warnings

import click

from armnn_py import environment
from armnn_py.backends.trust.lock_file import (
    LockedBackend,
    hash_of,
    read_lock_file,
    write_lock_file,
)
from armnn_py.cli.app import EXIT_BACKEND, CommandFailedError, Session, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.render import Column, Renderer
from armnn_py.errors import BackendSkippedWarning, InvalidArgumentError
from armnn_py.text import counted, printable

__all__ = ["lock"]


@click.command(cls=Command)
@click.option(
    "--output", "-o", metavar="FILE", help="Where to write it; else where programs look for it."
)
@click.option("--check", is_flag=True, help="Write nothing; fail if the files are not those named.")
@with_session
def lock(session: Session, *, output: str | None, check: bool) -> None:
    """Write the lock file: id, path and hash of each file that loads, but for the package's own.

    With ARMNN_PY_TRUST=locked nothing else is opened. Without it, programs tell of other files.
    """
    path = output or environment.lock_file()
    if path is None:
        raise InvalidArgumentError(
            "the lock file has no default place, because HOME is not set",
            hints=["--output FILE or ARMNN_PY_LOCK_FILE names one"],
        )
    path = os.path.abspath(path)  # noqa: PTH100 (a Path would alter odd names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BackendSkippedWarning)
        runtime = session.runtime(trust=None if check else "warn")
    with runtime:
        found = [
            LockedBackend(
                one.id,
                one.real_path,
                hash_of(one.real_path),
                os.stat(one.real_path).st_size,  # noqa: PTH116
            )
            for one in runtime.load_report.loaded
            if one.id is not None and one.real_path is not None and one.place != "bundled"
        ]
        # If the environment says "locked", other files are not opened here either.
        refused = [
            one.real_path
            for one in runtime.load_report
            if one.code == "not-locked" and one.real_path is not None
        ]
    failure = None
    if check:
        known = read_lock_file(path)
        files = [*(one.path for one in found), *refused]
        others = [file for file in files if known is None or known.find_file(file) is None]
        if others:
            failure = CommandFailedError(
                f"{counted(len(others), 'file')} of backends not named by {path}",
                exit_code=EXIT_BACKEND,
                details=[printable(file) for file in others],
                hints=["if they are meant, 'armnn-py backends lock' names them"],
            )
    else:
        write_lock_file(path, found)
    entries = [
        {"id": one.id, "path": one.path, "sha256": one.sha256, "size": one.size} for one in found
    ]

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("id"), Column("file"), Column("sha256")],
            [[one.id, one.path, f"{one.sha256[:16]}..."] for one in found],
        )
        if not check:
            renderer.line(f"{counted(len(found), 'file')} named by {path}")

    session.answer(
        {"file": path, "written": not check, "backends": entries}, render, failure=failure
    )
