# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py compare``: the numbers of backends beside those of another side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from armnn_py.cli.app import EXIT_FAILED, CommandFailedError, Session, with_session
from armnn_py.cli.completion import offer
from armnn_py.cli.help import Command
from armnn_py.cli.inputs import inputs as files
from armnn_py.cli.model_arguments import (
    ModelArguments,
    input_option,
    model_arguments,
    reference_option,
)
from armnn_py.cli.networks import assumption
from armnn_py.cli.prepared import Fed, fed
from armnn_py.cli.render import Column, Renderer
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from armnn_py import Comparison


@click.command(cls=Command)
@model_arguments
@reference_option(
    "--against",
    help="The side that is right: a backend, the engine of the model's format, or results that "
    "--save wrote.",
)
@input_option("As 'armnn-py run' takes them; others are random, or those in FILE.npz.")
@click.option(
    "--inputs",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Run on each file in this folder: .npz for all inputs, or a file for the only input.",
)
@click.option(
    "--random", "seed", type=files.SEED, metavar="SEED", default=0,
    help="Seed of random inputs; default: 0.",
)  # fmt: skip
@click.option(
    "--quantize", is_flag=True, help="Files and random values of quantised inputs are real numbers."
)
@click.option(
    "--layers", is_flag=True, help="Also compare each tensor inside, and name the layer at fault."
)
@click.option(
    "--reduce",
    "reduced",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the layer at fault to this folder: a network, its arrays, a script. With --layers.",
)
@click.option(
    "--save",
    "saved",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.npz",
    shell_complete=offer("file"),
    help="Keep the inputs and outputs of the compared backends; with --layers all tensors.",
)
@click.option(
    "--tolerance",
    "factor",
    type=click.FloatRange(min=0),
    metavar="FACTOR",
    default=1.0,
    show_default=True,
    help="Multiplies the tolerances.",
)
@click.option(
    "--times",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="How many times each layer runs with --layers: for errors that come and go.",
)
@with_session
def compare(
    session: Session,
    *,
    given: ModelArguments,
    reference: str | None,
    arguments: tuple[str, ...],
    folder: Path | None,
    seed: int,
    quantize: bool,
    layers: bool,
    reduced: Path | None,
    saved: Path | None,
    factor: float,
    times: int,
) -> None:
    """Compare the numbers of MODEL on the backends of -b with another side; exit 1 if they differ.

    One of --with and --save is needed.
    """
    from armnn_py.comparing.compare import compare_sides, is_file
    from armnn_py.comparing.sides import BackendSide, read_arrays

    if reference is None and saved is None:
        raise click.UsageError("--with ID is missing; --save FILE.npz works without it")
    if reduced is not None and reference is None:
        raise click.UsageError("--reduce needs --with")
    if folder is not None and arguments:
        raise click.UsageError("-i and --inputs given, one of them expected")
    kept = read_arrays(reference) if reference is not None and is_file(reference) else {}
    also = [] if reference is None or is_file(reference) else [reference]
    sets = [(str(path),) for path in _files_of(folder)] if folder is not None else [arguments]
    with fed(
        session, given, sets[0], seed=seed, quantize=quantize, known=kept, also=also
    ) as ready:  # fmt: skip
        arrays = [ready.arrays, *_others(ready, sets[1:], quantize)]
        subject = BackendSide(
            ready.network, given.listed, ready.runtime, given.options(ready.runtime)
        )
        if saved is not None:
            with session.progress(f"running {given.name}"):
                data: dict[str, Any] = _save(saved, subject, arrays, layers=layers)
        if reference is None:
            session.answer(
                {
                    "model": given.model,
                    "saved": data,
                    "assumed_shapes": ready.assumed,
                    "comparison": None,
                    "written": [],
                },
                lambda renderer: renderer.line(f"{data['arrays']} arrays written to {saved}"),
            )
            return
        with session.progress(f"comparing {given.name}"):
            found = compare_sides(
                subject, reference, arrays, given.model,
                layers=layers or reduced is not None, factor=factor, times=times,
            )  # fmt: skip
            written = found.reduce(reduced) if reduced and found.finding else ()
    document = {
        "model": given.model,
        "saved": data if saved is not None else None,
        "assumed_shapes": ready.assumed,
        "comparison": found.to_json(),
        "written": list(written),
    }
    failure = None
    if not found.passed:
        failure = CommandFailedError(found.verdict, exit_code=EXIT_FAILED)

    def render(renderer: Renderer) -> None:
        _render(renderer, found, every=session.verbosity > 0)
        if written:
            renderer.line(f"Wrote {written[0]}: it shows this layer alone")
        if ready.assumed:
            renderer.line(assumption(ready.assumed))

    session.answer(document, render, failure=failure)


def _files_of(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.iterdir() if path.is_file() and path.name[0] != ".")
    if not found:
        raise InvalidArgumentError(f"--inputs: folder '{folder}' has no files")
    return found


def _others(
    ready: Fed, sets: Sequence[tuple[str, ...]], quantize: bool
) -> Iterator[dict[str, files.Array]]:
    """Yield the inputs of further files, which have the shapes of the first ones."""
    infos = ready.network.inputs
    for given in sets:
        found = {**ready.arrays, **files.read_inputs(given, infos, files.ImageOptions())}
        for name, array in found.items():
            if array.shape != infos[name].static_shape:
                raise InvalidArgumentError(
                    f"--inputs: '{given[0]}' has shape {array.shape} for input '{name}', "
                    f"{infos[name].static_shape} expected, as the first file has"
                )
            if quantize and infos[name].quantization and array.dtype.kind == "f":
                found[name] = infos[name].quantize(array)
        yield found


def _save(
    path: Path, subject: Any, sets: Sequence[dict[str, files.Array]], *, layers: bool
) -> dict[str, Any]:
    """Write the inputs and results of the first inputs; several sets are refused."""
    from armnn_py.comparing.kept import results_of, write_arrays

    if len(sets) > 1:
        raise InvalidArgumentError(f"--save: {len(sets)} inputs given, one expected")
    arrays = results_of(subject, sets[0], layers=layers)
    write_arrays(path, arrays)
    return {"file": str(path), "arrays": len(arrays)}


def _render(renderer: Renderer, found: Comparison, *, every: bool) -> None:
    from armnn_py.comparing.comparison import MEASURES, measures

    renderer.table(
        [Column("output"), *(Column(head, right=True) for head in MEASURES)],
        [[one.name, *measures(one.error)] for one in found.outputs],
    )
    rows = [row for row in found.layers if every or not (row.own.passed and row.accumulated.passed)]
    if rows:
        renderer.table(
            [
                Column("tensor"),
                Column("layer"),
                Column("type"),
                *(Column(head, right=True) for head in ("accumulated", "beyond", "own", "beyond")),
            ],
            [
                [
                    row.tensor,
                    row.layer,
                    row.type,
                    _short(row.accumulated),
                    f"{row.accumulated.beyond:.2%}",
                    _short(row.own),
                    f"{row.own.beyond:.2%}",
                ]
                for row in rows
            ],
        )
    if found.layers and len(rows) < len(found.layers):
        renderer.line(
            f"{counted(len(found.layers) - len(rows), 'tensor')} within the tolerance; -v lists all"
        )
    if found.passed:  # else the error says it
        renderer.line(printable(found.verdict))


def _short(error: Any) -> str:
    """Return the largest error: in quanta where there are some, else as a part of the largest."""
    return f"{error.relative:.1e}" if error.quanta is None else f"{error.quanta} quanta"
