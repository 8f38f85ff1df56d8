# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py check``: would a model run here, and where."""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from armnn_py.cli.app import EXIT_MODEL, CommandFailedError, Session, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.hints import for_commands
from armnn_py.cli.model_arguments import ModelArguments, model_arguments
from armnn_py.cli.networks import assumption
from armnn_py.cli.render import Column, Renderer
from armnn_py.text import counted

_COMPILED = "PreCompiled"
_DITTO = '"'
_MOST_PARTS = 15


@click.command(cls=Command)
@model_arguments
@click.option(
    "--layers",
    "all_layers",
    is_flag=True,
    help="List every layer; default: a row for each sub-graph that a backend gets.",
)
@click.option("--fail-on-split", is_flag=True, help="Exit 3 unless one backend runs everything.")
@with_session
def check(
    session: Session, *, given: ModelArguments, all_layers: bool, fail_on_split: bool
) -> None:
    """Assign a backend to every layer of MODEL without running it; exit 3 if a layer has none."""
    with _without_fallbacks_in_the_log(session), given.optimized(session) as placed:
        optimized = placed.optimized
        assignment = optimized.assignment
        data: dict[str, Any] = {
            "model": given.model,
            "assumed_shapes": placed.assumed,
            "layers": [{**record.to_json(), "reason": record.reason} for record in assignment],
            "backends": assignment.counts,
            "parts": assignment.parts,
            "copies": assignment.copies,
            "imports": assignment.imports,
            "removed": assignment.removed,
            "skipped": dict(assignment.skipped),
            "measured": [
                change
                for record in optimized.passes
                if record.name == "measure"
                for change in record.changes
            ],
        }
    failure = None
    if fail_on_split and len(data["backends"]) > 1:
        failure = CommandFailedError(
            f"the network is split over {len(data['backends'])} backends",
            exit_code=EXIT_MODEL,
            hints=["--layers shows which layers the first backend refused, and why"],
        )
    summary = for_commands(assignment.summary())
    session.answer(
        data,
        lambda renderer: _render(renderer, data, summary, all_layers, session.verbosity > 0),
        failure=failure,
    )


@contextlib.contextmanager
def _without_fallbacks_in_the_log(session: Session) -> Iterator[None]:
    """Keep refusals out of the log, as the answer lists them, unless log lines were asked for."""
    log = logging.getLogger("armnn_py.optimizer.fallbacks")
    before = log.level
    if session.log_level is None and session.verbosity <= 0:
        log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _render(
    renderer: Renderer, data: dict[str, Any], summary: str, all_layers: bool, more_rows: bool
) -> None:
    rows = data["layers"]
    if all_layers:
        renderer.table(
            [
                Column("layer"),
                Column("type"),
                Column("backend"),
                Column("sub-graph", right=True),
                Column("note"),
            ],
            [
                [r["layer"], r["type"], r["backend"] or "-", _number(r["part"]), note]
                for r, note in zip(rows, _notes(rows), strict=True)
            ],
        )
    else:
        parts = _parts(rows)
        shown = parts if more_rows else _largest(parts)
        renderer.table(
            [
                Column("sub-graph", right=True),
                Column("backend"),
                Column("layers", right=True),
                Column("run as"),
                Column("from", cut="end"),
                Column("to", cut="end"),
            ],
            shown,
        )
        if len(shown) < len(parts):
            others = Counter(part[1] for part in parts if part not in shown)
            counts = ", ".join(f"{backend} {count}" for backend, count in others.most_common())
            renderer.line(f"{len(parts) - len(shown)} smaller sub-graphs: {counts} (-v lists them)")
        for line in _reasons(rows):
            renderer.line(line)
    for line in data["measured"]:
        renderer.line(f"Measured: {line}")
    renderer.line(summary)
    if data["assumed_shapes"]:
        renderer.line(assumption(data["assumed_shapes"]))


def _number(part: int | None) -> str:
    return "" if part is None else str(part)


def _notes(rows: list[dict[str, Any]]) -> list[str]:
    """Return a note on each layer and its backend; a note like the one above becomes a mark."""
    notes = ["; ".join(text for text in (row["note"], row["reason"]) if text) for row in rows]
    before = ["", *notes]
    return [
        _DITTO if note and note == last else note for note, last in zip(notes, before, strict=False)
    ]


def _largest(parts: list[list[str]]) -> list[list[str]]:
    """Return the rows of the sub-graphs with the most layers, in the order in which they run."""
    if len(parts) <= _MOST_PARTS:
        return parts
    by_size = sorted(range(len(parts)), key=lambda n: -int(parts[n][2]))
    return [parts[n] for n in sorted(by_size[:_MOST_PARTS])]


def _parts(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Return a row for each sub-graph, in the order in which they run."""
    members: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for row in rows:
        if row["part"] is not None and not row["inserted"]:
            members.setdefault((row["part"], row["backend"]), []).append(row)
    return [
        [_number(part), backend, str(len(own)), _run_as(own), own[0]["layer"], own[-1]["layer"]]
        for (part, backend), own in sorted(members.items())
    ]


def _run_as(rows: list[dict[str, Any]]) -> str:
    """Return how a sub-graph runs: its number of compiled layers and of layers as they are."""
    ran = {row["run_by"]: row["run_as"] for row in rows}
    kinds = Counter("compiled" if kind == _COMPILED else "" for kind in ran.values())
    texts = [f"{kinds['compiled']} compiled"] if kinds["compiled"] else []
    if kinds[""]:
        texts.append(counted(kinds[""], "layer"))
    return ", ".join(texts)


def _reasons(rows: list[dict[str, Any]]) -> list[str]:
    """Return why layers have their backends: those that were asked for, then those refused.

    A line for a type and reason, most first. A layer that a pass fused into another counts as that
    one, since backends were asked about that one only. Layers of a compiled sub-graph count one by
    one.
    """
    asked = [row for row in rows if _was_asked_for(row)]
    refused = [row for row in rows if not _was_asked_for(row)]
    lines = []
    for heading, some in (
        ("Placed by a hint or rule:", asked),
        ("Refused by an earlier choice:", refused),
    ):
        grouped = _grouped(some)
        lines += [heading, *grouped] if grouped else []
    return lines


def _was_asked_for(row: dict[str, Any]) -> bool:
    """Say whether a rule or the layer's own hint chose the backend, not the order of backends."""
    hint = row.get("hint")
    return row.get("rule") is not None or (hint is not None and hint == row.get("backend"))


def _grouped(rows: list[dict[str, Any]]) -> list[str]:
    """Return a line for each type and reason of these layers."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row["reason"]:
            compiled = row["run_as"] == _COMPILED
            kind, name = ("type", "layer") if compiled else ("run_as", "run_by")
            groups.setdefault((row[kind], row["reason"]), {})[row[name]] = None
    return [
        f"  {len(names)}x {kind} ({'layer' if len(names) == 1 else 'first'}: {next(iter(names))}): "
        f"{reason}"
        for (kind, reason), names in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]
