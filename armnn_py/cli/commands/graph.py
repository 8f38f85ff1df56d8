# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py graph``: a picture of the layers, their backends and the reasons."""

from __future__ import annotations

import dataclasses
import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import armnn_py
from armnn_py.cli.app import Session, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.inputs.inputs import made_inputs
from armnn_py.cli.model_arguments import ModelArguments, PlacedModel, model_arguments
from armnn_py.cli.networks import assumption
from armnn_py.errors import ArmnnError, InvalidArgumentError
from armnn_py.network.saved_files import is_saved_network
from armnn_py.pictures import RunKernel, drawing_of, to_dot, to_svg

if TYPE_CHECKING:
    from armnn_py import Profile
    from armnn_py.pictures import Drawing

__all__ = ["graph"]

_log = logging.getLogger("armnn_py.cli")
_COMPILED = "PreCompiled"
_FORMS = {"": "svg", ".svg": "svg", ".dot": "dot", ".gv": "dot", ".json": "json"}
_WARM_UP, _RUNS = 3, 20


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
    type=click.Choice(["svg", "dot", "json"]),
    help="A picture, text for Graphviz, or data; default: by the suffix of -o, else svg.",
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
        drawing = _draw(session, given, placed, timed=profile, may_run=not no_run)
    assumed = placed.assumed
    data = {**_data(drawing, given.model), "assumed_shapes": assumed}
    if form == "json":
        document = {"schema": "armnn-py/graph/1", "ok": True, **data, "file": None}
        text = json.dumps(document, indent=2) + "\n"
    else:
        with session.progress(f"drawing {given.name}"):
            draw = to_svg if form == "svg" else to_dot
            text = draw(drawing, colour=colour)
    if output == "-":
        session.write(text)
        return
    target = Path(output or f"{Path(given.model).stem}.graph.{form}")
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


def _draw(
    session: Session, given: ModelArguments, placed: PlacedModel, *, timed: bool, may_run: bool
) -> Drawing:
    """Return the drawing; optimises again without compiling, and runs, to see compiled layers."""
    optimized = placed.optimized
    is_compiled = any(layer.type.label == _COMPILED for layer in optimized.network.layers)
    inside = None
    if is_compiled and not is_saved_network(given.model):  # of which the layers are not at hand
        with session.progress(f"looking into {given.name}"):
            options = dataclasses.replace(optimized.options, compile_parts=False)
            ids = [backend.id for backend in optimized.backends]
            again = armnn_py.optimize(placed.source, ids, runtime=placed.runtime, options=options)
            inside = again.placed
    recorded = None
    if timed:
        recorded = _run(session, given, placed, _WARM_UP, _RUNS)
    elif is_compiled and may_run:
        try:
            recorded = _run(session, given, placed, 0, 1)
        except (ArmnnError, MemoryError) as error:
            _log.warning("fused layers are not known, since the network cannot run: %s", error)
    if recorded is None:
        return drawing_of(optimized.placed, inside)
    runs = recorded.runs or 1
    kernels = [
        RunKernel(layer.layer, layer.guids, layer.total_ns * 1e-9 / runs)
        for layer in recorded.layers
    ]
    seconds = recorded.run_ns * 1e-9 / runs if timed else None
    return drawing_of(optimized.placed, inside, kernels=kernels, run_seconds=seconds)


def _run(
    session: Session, given: ModelArguments, placed: PlacedModel, warm_up: int, runs: int
) -> Profile:
    arrays = made_inputs(placed.source.inputs, seed=0)
    with session.progress(f"loading {given.name}"):
        loaded = placed.runtime.load_network(placed.optimized)
    with loaded, session.progress(f"running {given.name}", warm_up + runs) as bar:
        for number in range(warm_up):
            loaded.run(arrays)
            bar.to(number + 1)
        with loaded.profile() as recorded:
            for number in range(runs):
                loaded.run(arrays)
                bar.to(warm_up + number + 1)
    return recorded


def _data(drawing: Drawing, model: str) -> dict[str, Any]:
    return {
        "model": model,
        "name": drawing.title,
        "backends": dict(drawing.counts),
        "run_seconds": drawing.run_seconds,
        "nodes": [box.to_json() for box in drawing.boxes],
        "edges": [wire.to_json() for wire in drawing.wires],
    }
