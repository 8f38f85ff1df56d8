# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py check``: would a model run here, and where."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import rich_click as click

from armnn_py.cli import inputs as files
from armnn_py.cli.app import (
    EXIT_MODEL,
    CommandFailedError,
    Session,
    backend_option,
    with_session,
)
from armnn_py.cli.render import Column, Renderer
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import counted

__all__ = ["check"]


@click.command()
@click.argument("model", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="NAME=1x3x640x640",
    help="Shape of an input with free dimensions.",
)
@backend_option
@click.option(
    "--layers",
    "all_layers",
    is_flag=True,
    help="List every layer; otherwise neighbours on one backend share a row.",
)
@click.option("--fail-on-split", is_flag=True, help="Exit 3 unless one backend runs everything.")
@with_session
def check(
    session: Session,
    model: str,
    shapes: tuple[str, ...],
    backends: tuple[str, ...],
    all_layers: bool,
    fail_on_split: bool,
) -> None:
    """Place every layer of MODEL without running it; exit 3 if a layer has no backend."""
    import armnn_py

    network = armnn_py.import_model(model)
    wanted = files.parse_shapes(shapes, network.inputs)
    if wanted:
        network = network.specialize(wanted)
    free = {name: info for name, info in network.inputs.items() if not info.is_static}
    if free:
        name, info = next(iter(free.items()))
        raise InvalidArgumentError(
            f"input '{name}' has free dimensions: {info!r}",
            hints=[files.shape_hint(name, info)],
        )
    with session.runtime() as runtime:
        optimized = armnn_py.optimize(network, list(backends) or None, runtime=runtime)
        assignment = optimized.assignment
        rows: list[dict[str, Any]] = []
        part = 0
        for index, record in enumerate(assignment):
            part += int(index > 0 and record.backend != assignment[index - 1].backend)
            rows.append({**record.to_json(), "part": part, "reason": record.reason})
        data: dict[str, Any] = {
            "model": model,
            "layers": rows,
            "backends": assignment.counts,
            "parts": part + 1 if rows else 0,
        }
    failure = None
    if fail_on_split and len(data["backends"]) > 1:
        failure = CommandFailedError(
            f"the network is split over {len(data['backends'])} backends",
            exit_code=EXIT_MODEL,
            hints=["--layers shows which layers the first backend refused, and why"],
        )
    session.answer(data, lambda renderer: _render(renderer, data, all_layers), failure=failure)


def _render(renderer: Renderer, data: dict[str, Any], all_layers: bool) -> None:
    rows = data["layers"]
    if all_layers:
        renderer.table(
            [
                Column("layer"),
                Column("type"),
                Column("backend"),
                Column("part", right=True),
            ],
            [[r["layer"], r["type"], r["backend"], str(r["part"])] for r in rows],
        )
    else:
        renderer.table(
            [
                Column("part", right=True),
                Column("backend"),
                Column("layers", right=True),
                Column("from"),
                Column("to"),
            ],
            [_part(rows, bounds) for bounds in pairwise(_starts(rows))],
        )
    places = ", ".join(f"{backend} {count}" for backend, count in data["backends"].items())
    parts = counted(data["parts"], "part")
    for line in _reasons(rows):
        renderer.line(line)
    renderer.line(f"{len(rows)} of {len(rows)} layers placed: {places or 'none'}; {parts}")


def _starts(rows: list[dict[str, Any]]) -> list[int]:
    starts = [i for i, row in enumerate(rows) if i == 0 or row["part"] != rows[i - 1]["part"]]
    return [*starts, len(rows)]


def _part(rows: list[dict[str, Any]], bounds: tuple[int, int]) -> list[str]:
    members = rows[bounds[0] : bounds[1]]
    first, last = members[0], members[-1]
    return [str(first["part"]), first["backend"], str(len(members)), first["layer"],
            last["layer"]]  # fmt: skip


def _reasons(rows: list[dict[str, Any]]) -> list[str]:
    """Return why layers are not at an earlier choice, a line for all of a type and a reason."""
    groups: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row["reason"]:
            groups.setdefault((row["type"], row["reason"]), []).append(row["layer"])
    lines = [
        f"  {len(names)}x {kind} ({'layer' if len(names) == 1 else 'first'}: {names[0]}): {reason}"
        for (kind, reason), names in groups.items()
    ]
    return ["Why not an earlier choice:", *lines] if lines else []
