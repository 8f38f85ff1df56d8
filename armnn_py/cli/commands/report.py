# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py report``: one page about a model, for a browser."""

from __future__ import annotations

import importlib
import platform
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

import armnn_py
from armnn_py._native import self_check
from armnn_py._version import __version__
from armnn_py.cli.app import Session, with_session
from armnn_py.cli.completion import offer
from armnn_py.cli.drawn import examine, examined_options
from armnn_py.cli.help import Command
from armnn_py.cli.model_arguments import ModelArguments, model_arguments
from armnn_py.errors import InvalidArgumentError
from armnn_py.pictures.explorer import scope_of
from armnn_py.pictures.palette import key_of
from armnn_py.runtime.plan.memory_plan import UsageRecord, plan_arena
from armnn_py.text import format_bytes, install_hint, printable

if TYPE_CHECKING:
    from armnn_py.cli.drawn import Examined
    from armnn_py.comparing.layers import LayerDifference
    from armnn_py.pictures import Box, Drawing


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


_DEEPEST = 5


def page_of(found: Examined, model: str) -> str:
    """Return the page about an examined model.

    Raises
    ------
    InvalidArgumentError
        The package jinja2 is not installed.
    """
    try:
        jinja2 = importlib.import_module("jinja2")
    except ModuleNotFoundError:
        raise InvalidArgumentError(
            "a report needs the package jinja2", hints=[install_hint("jinja2", "report")]
        ) from None
    pages = jinja2.Environment(
        loader=jinja2.PackageLoader("armnn_py.cli.pages", "."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    pages.filters["bytes"] = format_bytes
    text: str = pages.get_template("report.html.j2").render(_data(found, model))
    return text


def _data(found: Examined, model: str) -> dict[str, Any]:
    drawing = found.drawing
    rows = _rows(found)
    return {
        "model": printable(model),
        "title": printable(drawing.title),
        "summary": drawing.summary,
        "legend": key_of(drawing, "backend"),
        "reasons": {printable(why): count for why, count in drawing.reasons.items()},
        "ports": [box for box in drawing.boxes if box.kind in ("input", "output")],
        "rows": rows,
        "run_ms": None if drawing.run_seconds is None else drawing.run_seconds * 1e3,
        "flame": _flame(rows),
        "timed": sum(row["share"] for row in rows),
        "memory": _memory(drawing),
        "holders": [] if found.memory is None else found.memory.rows(),
        "has_reasons": any(row["reason"] for row in rows),
        "comparison": found.comparison,
        "facts": _facts(found),
    }


def _facts(found: Examined) -> dict[str, str]:
    features = " ".join(self_check.cpu_feature_names())
    return {
        "machine": f"{platform.system()} {platform.release()} {platform.machine()} {features}",
        "threads": str(armnn_py.get_num_threads()),
        "armnn_py": __version__,
        "Python, NumPy": f"{platform.python_version()}, {np.__version__}",
        "backends": ", ".join(found.backends),
    }


def _rows(found: Examined) -> list[dict[str, Any]]:
    """Return a row for each box; ``start`` and ``share`` are per cent of the run."""
    drawing = found.drawing
    colours = key_of(drawing, "backend")
    start = 0.0
    rows = []
    for number, box in enumerate(drawing.boxes):
        share = drawing.share(box) * 100
        error = found.errors.get(box.id)
        rows.append(
            {
                "id": box.id,
                "number": number,
                "title": printable(f"{box.title} {box.fused}".rstrip()),
                "name": printable(box.name),
                "scope": scope_of(box),
                "kind": box.kind,
                "backend": box.backend or "",
                "colour": colours.get(box.backend or "", "#eee"),
                "reason": printable(box.reason),
                "ms": None if box.seconds is None else box.seconds * 1e3,
                "start": start,
                "share": share,
                "bytes": sum(box.sizes),
                "errors": {} if error is None else _errors(error),
                "lines": box.describe(),
                "reads": [wire.source for wire in drawing.wires if wire.target == box.id],
                "feeds": [wire.target for wire in drawing.wires if wire.source == box.id],
            }
        )
        start += share
    return rows


def _errors(found: LayerDifference) -> dict[str, dict[str, Any]]:
    """Return both errors of a tensor with finite numbers alone, as JSON wants them."""
    errors = {}
    for side, one in (("own", found.own), ("accumulated", found.accumulated)):
        text = f"{one.relative:.1e}" + ("" if one.quanta is None else f", {one.quanta} quanta")
        errors[side] = {
            "text": text,
            "order": min(one.relative, 1e30),
            "worst": one.worst,
            "full": f"{side} error: {one.relative:.2e} of the largest expected magnitude, "
            f"{one.beyond:.2%} beyond the tolerance. {one.worst}",
        }
    return errors


def _flame(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the run as bars: neighbours with a common scope are one bar, kernels the last row."""
    bars = []
    timed = [row for row in rows if row["share"]]
    for level in range(_DEEPEST):
        scopes = ((row["scope"].split("/")[: level + 1], row) for row in timed)
        for scope, members in groupby(scopes, lambda pair: pair[0]):
            group = [row for _, row in members]
            if len(scope) > level and scope[0]:
                share = sum(row["share"] for row in group)
                bars.append({**group[0], "level": level, "text": scope[-1], "share": share,
                             "colour": "#dde"})  # fmt: skip
    last = max((bar["level"] + 1 for bar in bars), default=0)
    return bars + [{**row, "level": last, "text": row["title"]} for row in timed]


def _memory(drawing: Drawing) -> dict[str, Any]:
    """Return the tensors between kernels as rectangles: steps by bytes of one arena."""
    steps = {box.id: number for number, box in enumerate(drawing.boxes)}
    last: dict[tuple[int, int], int] = {}
    for wire in drawing.wires:
        key = (wire.source, wire.output)
        last[key] = max(last.get(key, 0), steps[wire.target])
    made: list[tuple[Box, int]] = [
        (box, output)
        for box in drawing.boxes
        for output, size in enumerate(box.sizes)
        if size and box.kind not in ("input", "output")
    ]
    records = [
        UsageRecord(steps[box.id], last.get((box.id, n), steps[box.id]), box.sizes[n])
        for box, n in made
    ]
    plan = plan_arena(records)
    return {
        "steps": len(steps),
        "bytes": plan.size,
        "tensors": [
            {"id": box.id, "text": printable(f"{box.name}: {box.outputs[n]}"), "first": one.first,
             "last": one.last, "offset": offset, "size": one.size}
            for (box, n), one, offset in zip(made, records, plan.offsets, strict=True)
        ],
    }  # fmt: skip
