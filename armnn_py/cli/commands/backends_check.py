# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py backends check``: one file, step by step."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from armnn_py.cli.app import EXIT_BACKEND, CommandFailedError, Session, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.render import Column, Renderer

if TYPE_CHECKING:
    from armnn_py.testing.deep import DeepFailure

__all__ = ["check"]


@click.command(cls=Command)
@click.argument("file", type=click.Path())
@click.option(
    "--timeout", type=click.FloatRange(0.1, 86400), default=10, show_default=True,
    metavar="SECONDS", help="For each step; one that takes longer fails.",
)  # fmt: skip
@click.option("--deep", is_flag=True, help="Then run small networks on it, until it is destroyed.")
@with_session
def check(session: Session, file: str, timeout: float, *, deep: bool) -> None:
    """Take FILE through every step of loading; exit 4 if one fails."""
    from armnn_py.backends.loader.checking import check_file

    name = Path(file).name
    with session.progress(f"loading {name}"):
        verdict, steps = check_file(file, timeout=timeout)
    failures: list[DeepFailure] = []
    if deep and verdict.status == "loaded":
        from armnn_py.testing.deep import check_deep

        with session.progress(f"running small networks on {name}"):
            more, failures = check_deep(file, timeout=timeout)
        steps += more
    rows = [{"step": s.step, "result": s.result, "detail": s.detail} for s in steps]
    data = {
        "file": file,
        "loads": verdict.status == "loaded",
        "steps": rows,
        "verdict": verdict.as_dict(),
        "failures": [dataclasses.asdict(one) for one in failures],
    }

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("step"), Column("result", verdict=True), Column("detail")],
            [[row["step"], row["result"], row["detail"]] for row in rows],
        )
        if verdict.hint:
            renderer.line(f"hint: {verdict.hint}")

    failure = None
    if verdict.status != "loaded":
        failure = CommandFailedError(
            f"'{file}' does not load, step {verdict.stage}: {verdict.reason}",
            exit_code=EXIT_BACKEND,
        )
    elif failures:
        first, *others = failures
        failure = CommandFailedError(
            f"'{file}' loads; step {first.step}: {first.network or verdict.id}: {first.message}",
            details=[f"step {one.step}: {one.network}: {one.message}" for one in others],
            exit_code=EXIT_BACKEND,
            hints=["'armnn-py backends test FILE' tests each layer, and writes programs that fail"],
        )
    session.answer(data, render, failure=failure)
