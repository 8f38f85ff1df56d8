# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py report``: one page about a model, for a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.completion import offer
from armnn_py.cli.drawn import examine, examined_options
from armnn_py.cli.help import Command
from armnn_py.cli.model_arguments import ModelArguments, model_arguments
from armnn_py.text import format_bytes

__all__ = ["report"]


@click.command(cls=Command)
@model_arguments
@examined_options
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.html",
    shell_complete=offer("file"),
    help="File to write; default: MODEL.report.html in this folder.",
)
@with_session
def report(
    session: Session,
    *,
    given: ModelArguments,
    reference: str | None,
    no_run: bool,
    output: Path | None,
) -> None:
    """Write one page about MODEL: where each layer runs and why, times, memory and errors.

    MODEL runs on random values. The page opens in any browser and needs no other file.
    """
    from armnn_py.cli.pages.page import page_of

    found = examine(session, given, reference, runs=not no_run)
    text = page_of(found, given.model)
    target = output or Path(f"{Path(given.model).stem}.report.html")
    target.write_text(text, encoding="utf-8", newline="\n")
    data: dict[str, Any] = {
        "model": given.model,
        "file": str(target),
        "bytes": len(text.encode()),
        "kernels": sum(box.kind == "layer" for box in found.drawing.boxes),
        "run_seconds": found.drawing.run_seconds,
        "comparison": None if found.comparison is None else found.comparison.to_json(),
    }
    lines = [found.drawing.summary, f"Wrote {target} ({format_bytes(data['bytes'])})"]
    if found.comparison is not None:
        lines.insert(1, found.comparison.verdict)
    session.answer(data, lambda renderer: renderer.line("\n".join(lines)))
