# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py graph``: a picture of the layers, their backends and the reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.drawn import draw
from armnn_py.cli.help import Command
from armnn_py.cli.model_arguments import ModelArguments, model_arguments
from armnn_py.cli.networks import assumption
from armnn_py.errors import InvalidArgumentError
from armnn_py.pictures import to_dot, to_explorer, to_svg

if TYPE_CHECKING:
    from armnn_py.pictures import Drawing

_FORMS = {"": "svg", ".svg": "svg", ".dot": "dot", ".gv": "dot", ".json": "json"}


@click.command(cls=Command)
@model_arguments
@click.option(
    "--profile",
    is_flag=True,
    help="Run MODEL several times on random values, and show the time of each box.",
)
@click.option(
    "--no-run",
    is_flag=True,
    help="Do not run MODEL even once: compiled layers are drawn one by one, since only a run shows "
    "which of them are fused.",
)
@click.option(
    "--colour",
    type=click.Choice(["backend", "type", "time"]),
    help="What boxes are coloured by; default: backend, or with --profile time.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["svg", "dot", "json", "model-explorer"]),
    help="A picture, which needs Graphviz' dot, text for it, data, or a file for Google's Model "
    "Explorer; default: by the suffix of -o, else svg.",
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
    session: Session,
    *,
    given: ModelArguments,
    profile: bool,
    no_run: bool,
    colour: str | None,
    form: str | None,
    output: str | None,
) -> None:
    """Draw MODEL as it would run: every kernel, its backend, and the copies between them."""
    form = form or _form_of(output)
    if session.as_json and output == "-" and form != "json":
        raise click.UsageError(
            f"--json and -o - both want standard output; give the {form} file a name"
        )
    if profile and no_run:
        raise click.UsageError("--profile and --no-run exclude each other")
    if colour == "time" and not profile:
        raise click.UsageError("--colour time needs --profile")
    colour = colour or ("time" if profile else "backend")
    with given.optimized(session) as placed:
        drawing = draw(session, given, placed, timed=profile, may_run=not no_run)
    assumed = placed.assumed
    data = {**_data(drawing, given.model), "assumed_shapes": assumed}
    if form == "json":
        document = {"schema": "armnn-py/graph/1", "ok": True, **data, "file": None}
        text = json.dumps(document, indent=2) + "\n"
    elif form == "model-explorer":
        text = json.dumps(to_explorer(drawing), indent=2) + "\n"
    else:
        with session.progress(f"drawing {given.name}"):
            write = to_svg if form == "svg" else to_dot
            text = write(drawing, colour=colour)
    if output == "-":
        session.write(text)
        return
    suffix = "json" if form == "model-explorer" else form
    target = Path(output or f"{Path(given.model).stem}.graph.{suffix}")
    target.write_text(text, encoding="utf-8", newline="\n")
    summary = drawing.summary
    lines = [f"{target}: {summary}", *filter(None, [assumption(assumed)])]
    session.answer({**data, "file": str(target)}, lambda renderer: renderer.line("\n".join(lines)))


def _form_of(output: str | None) -> str:
    """Return the format that the suffix of a file stands for."""
    suffix = Path(output or "").suffix.lower()
    if suffix not in _FORMS:
        hints = ["'dot -Tpng FILE.dot' makes a picture of pixels of a .dot file"]
        raise InvalidArgumentError(
            f"-o: suffix '{suffix}' given, {', '.join(filter(None, _FORMS))} expected",
            hints=hints if suffix in (".png", ".pdf", ".jpg") else ["--format says what to write"],
        )
    return _FORMS[suffix]


def _data(drawing: Drawing, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "name": drawing.title,
        "backends": dict(drawing.counts),
        "run_seconds": drawing.run_seconds,
        "nodes": [box.to_json() for box in drawing.boxes],
        "edges": [wire.to_json() for wire in drawing.wires],
    }
