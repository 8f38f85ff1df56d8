# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py check``: would a model run here, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import rich_click as click

from armnn_py.cli import inputs as files
from armnn_py.cli.app import (
    EXIT_MODEL,
    CommandFailedError,
    Session,
    backend_option,
    placement_option,
    with_session,
)
from armnn_py.cli.render import Column, Renderer
from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from armnn_py.optimizer import Assignment

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
@placement_option
@click.option("--fail-on-split", is_flag=True, help="Exit 3 unless one backend runs everything.")
@with_session
def check(
    session: Session,
    model: str,
    shapes: tuple[str, ...],
    backends: tuple[str, ...],
    placement: str | None,
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
        optimized = armnn_py.optimize(
            network, list(backends) or None, placement=placement, runtime=runtime
        )
        assignment = optimized.assignment
        data: dict[str, Any] = {
            "model": model,
            "layers": _rows(assignment),
            "backends": assignment.counts,
            "parts": assignment.parts,
            "copies": assignment.copies,
            "imports": assignment.imports,
            "removed": assignment.removed,
        }
    failure = None
    if fail_on_split and len(data["backends"]) > 1:
        failure = CommandFailedError(
            f"the network is split over {len(data['backends'])} backends",
            exit_code=EXIT_MODEL,
            hints=["--layers shows which layers the first backend refused, and why"],
        )
    summary = assignment.summary()
    session.answer(
        data, lambda renderer: _render(renderer, data, summary, all_layers), failure=failure
    )


def _rows(assignment: Assignment) -> list[dict[str, Any]]:
    """Return the records; without compiled parts, neighbours on one backend are a part."""
    known = any(record.part is not None for record in assignment)
    rows = []
    part, last = -1, ""
    for record in assignment:
        row = {**record.to_json(), "reason": record.reason}
        if not known and record.backend and not record.inserted:
            part += int(record.backend != last)
            last = record.backend
            row["part"] = part
        rows.append(row)
    return rows


def _render(renderer: Renderer, data: dict[str, Any], summary: str, all_layers: bool) -> None:
    rows = data["layers"]
    if all_layers:
        renderer.table(
            [
                Column("layer"),
                Column("type"),
                Column("backend"),
                Column("part", right=True),
                Column("why not an earlier choice"),
            ],
            [
                [r["layer"], r["type"], r["backend"] or "-", _number(r["part"]), _remark(r)]
                for r in rows
            ],
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
            _parts(rows),
        )
        for line in _reasons(rows):
            renderer.line(line)
    renderer.line(summary)


def _number(part: int | None) -> str:
    return "" if part is None else str(part)


def _remark(row: dict[str, Any]) -> str:
    return "; ".join(text for text in (row["note"], row["reason"]) if text)


def _parts(rows: list[dict[str, Any]]) -> list[list[str]]:
    members: dict[tuple[int | None, str], list[str]] = {}
    for row in rows:
        if row["backend"] and not row["inserted"]:
            members.setdefault((row["part"], row["backend"]), []).append(row["layer"])
    return [
        [_number(part), backend, str(len(names)), names[0], names[-1]]
        for (part, backend), names in members.items()
    ]


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
