# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py save``: a model, optimised and compiled, as a file that loads at once."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.completion import offer
from armnn_py.cli.help import Command
from armnn_py.cli.model_arguments import ModelArguments, model_arguments
from armnn_py.cli.networks import assumption
from armnn_py.cli.render import Renderer
from armnn_py.text import format_bytes

_LARGE = 1.5
"""How many times as large as the model a file is when its size is explained."""


@click.command("save", cls=Command)
@model_arguments
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE.armnnpy",
    shell_complete=offer("file"),
    help="File to write; one that is there is replaced.",
)
@click.option(
    "--keep-subgraphs/--no-subgraphs",
    default=None,
    help="Also keep the layers of compiled sub-graphs, so that they can be optimised anew "
    "where a backend does not take its bytes any more. As it is, those whose bytes are for one "
    "kind of processor are kept.",
)
@with_session
def save(
    session: Session, *, given: ModelArguments, output: Path, keep_subgraphs: bool | None
) -> None:
    """Optimise and compile MODEL once; run, bench, profile, check and inspect take the file."""
    if output.exists() and output.samefile(given.model):
        raise click.UsageError("-o names the model itself")
    with given.optimized(session) as placed:
        with session.progress(f"writing {output.name}"):
            placed.optimized.save(output, keep_subgraphs=keep_subgraphs)
        assignment = placed.optimized.assignment
        data: dict[str, Any] = {
            "model": given.model,
            "output": str(output),
            "bytes": output.stat().st_size,
            "assumed_shapes": placed.assumed,
            "backends": assignment.counts,
            "parts": assignment.parts,
        }
    summary = assignment.summary()
    times = data["bytes"] / max(Path(given.model).stat().st_size, 1)

    def render(renderer: Renderer) -> None:
        renderer.line(summary)
        renderer.line(f"Wrote {output} ({format_bytes(data['bytes'])})")
        if times > _LARGE and keep_subgraphs is not False and data["parts"]:
            renderer.line(
                f"This is {times:.1f} times the model: the weights are in the file as the backend "
                "packed them, and in the layers, which --no-subgraphs leaves out"
            )
        if data["assumed_shapes"]:
            renderer.line(assumption(data["assumed_shapes"]))

    session.answer(data, render)


#: Its name before there was ``save``: not listed any more, and still understood.
compile_model = copy.copy(save)
compile_model.name, compile_model.hidden = "compile", True
