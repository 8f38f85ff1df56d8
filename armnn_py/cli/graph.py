# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py graph``: a picture of what runs where and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.model_arguments import ModelArguments, model_arguments
from armnn_py.cli.networks import assumption

if TYPE_CHECKING:
    from armnn_py.pictures import Drawing

__all__ = ["graph"]


@click.command()
@model_arguments
@click.option(
    "--colour",
    type=click.Choice(["backend", "type"]),
    default="backend",
    help="What boxes are coloured by; default: backend.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["svg", "dot", "json"]),
    default="svg",
    help="A picture, text for Graphviz, or data; default: svg.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="File to write, - for standard output; default: MODEL.graph.svg in this folder.",
)
@with_session
def graph(
    session: Session, *, given: ModelArguments, colour: str, form: str, output: str | None
) -> None:
    """Draw MODEL as it would run: every layer, its backend, and the copies between them."""
    from armnn_py.pictures import drawing_of, to_dot, to_svg

    if session.as_json and output == "-" and form != "json":
        raise click.UsageError(
            f"--json and -o - both want standard output; give the {form} file a name"
        )
    with given.optimized(session) as (optimized, assumed):
        drawing = drawing_of(optimized.placed)
    data = {**_data(drawing, given.model), "assumed_shapes": assumed}
    if form == "json":
        document = {"schema": "armnn-py/graph/1", "ok": True, **data, "file": None}
        text = json.dumps(document, indent=2) + "\n"
    else:
        text = to_svg(drawing, colour=colour) if form == "svg" else to_dot(drawing, colour=colour)
    if output == "-":
        session.write(text)
        return
    target = Path(output or f"{Path(given.model).stem}.graph.{form}")
    target.write_text(text, encoding="utf-8", newline="\n")
    summary = drawing.summary
    lines = [f"{target}: {summary}", *filter(None, [assumption(assumed)])]
    session.answer({**data, "file": str(target)}, lambda renderer: renderer.line("\n".join(lines)))


def _data(drawing: Drawing, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "name": drawing.title,
        "backends": dict(drawing.counts),
        "nodes": [box.to_json() for box in drawing.boxes],
        "edges": [wire.to_json() for wire in drawing.wires],
    }
