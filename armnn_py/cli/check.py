# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py check``: would a model run here, and where."""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from collections.abc import Iterator
from typing import Any

import rich_click as click

from armnn_py.cli.app import EXIT_MODEL, CommandFailedError, Session, with_session
from armnn_py.cli.model_arguments import ModelArguments, model_arguments
from armnn_py.cli.networks import assumption
from armnn_py.cli.render import Column, Renderer
from armnn_py.text import counted

__all__ = ["check"]

_COMPILED = "PreCompiled"


@click.command()
@model_arguments
@click.option(
    "--layers",
    "all_layers",
    is_flag=True,
    help="List every layer; otherwise each part of the network, as a backend gets it, is a row.",
)
@click.option("--fail-on-split", is_flag=True, help="Exit 3 unless one backend runs everything.")
@with_session
def check(
    session: Session, *, given: ModelArguments, all_layers: bool, fail_on_split: bool
) -> None:
    """Place every layer of MODEL without running it; exit 3 if a layer has no backend."""
    with _without_fallbacks_in_the_log(session), given.optimized(session) as (optimized, assumed):
        assignment = optimized.assignment
        data: dict[str, Any] = {
            "model": given.model,
            "assumed_shapes": assumed,
            "layers": [{**record.to_json(), "reason": record.reason} for record in assignment],
            "backends": assignment.counts,
            "parts": assignment.parts,
            "copies": assignment.copies,
            "imports": assignment.imports,
            "removed": assignment.removed,
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
    summary = assignment.summary()
    session.answer(
        data, lambda renderer: _render(renderer, data, summary, all_layers), failure=failure
    )


@contextlib.contextmanager
def _without_fallbacks_in_the_log(session: Session) -> Iterator[None]:
    """The answer has what was refused; only who asks for log lines gets it there as well."""
    log = logging.getLogger("armnn_py.optimizer.fallbacks")
    before = log.level
    if session.log_level is None and session.verbosity <= 0:
        log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


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
                Column("run as"),
                Column("from"),
                Column("to"),
            ],
            _parts(rows),
        )
        for line in _reasons(rows):
            renderer.line(line)
    for line in data["measured"]:
        renderer.line(f"Measured: {line}")
    renderer.line(summary)
    if data["assumed_shapes"]:
        renderer.line(assumption(data["assumed_shapes"]))


def _number(part: int | None) -> str:
    return "" if part is None else str(part)


def _remark(row: dict[str, Any]) -> str:
    return "; ".join(text for text in (row["note"], row["reason"]) if text)


def _parts(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Return a row for each part, in the order in which they run."""
    members: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for row in rows:
        if row["part"] is not None and not row["inserted"]:
            members.setdefault((row["part"], row["backend"]), []).append(row)
    return [
        [_number(part), backend, str(len(own)), _run_as(own), own[0]["layer"], own[-1]["layer"]]
        for (part, backend), own in sorted(members.items())
    ]


def _run_as(rows: list[dict[str, Any]]) -> str:
    """Return what is left of the layers of a part when it runs."""
    ran = {row["run_by"]: row["run_as"] for row in rows}
    kinds = Counter("compiled" if kind == _COMPILED else "" for kind in ran.values())
    texts = [f"{kinds['compiled']} compiled"] if kinds["compiled"] else []
    if kinds[""]:
        texts.append(counted(kinds[""], "layer"))
    return ", ".join(texts)


def _reasons(rows: list[dict[str, Any]]) -> list[str]:
    """Return why layers are not on an earlier choice: a line for a type and reason, most first.

    What was fused into another layer was not asked about, but that one was; of a compiled part each
    layer was.
    """
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        if row["reason"]:
            compiled = row["run_as"] == _COMPILED
            kind, name = ("type", "layer") if compiled else ("run_as", "run_by")
            groups.setdefault((row[kind], row["reason"]), {})[row[name]] = None
    lines = [
        f"  {len(names)}x {kind} ({'layer' if len(names) == 1 else 'first'}: {next(iter(names))}): "
        f"{reason}"
        for (kind, reason), names in sorted(groups.items(), key=lambda group: -len(group[1]))
    ]
    return ["Why not an earlier choice:", *lines] if lines else []
