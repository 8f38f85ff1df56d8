# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py backends check``, ``test``, ``export-cases`` and ``report``: loading, and the kit."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import structs

from armnn_py.backends.loader.checking import check_file
from armnn_py.cli.app import (
    EXIT_BACKEND,
    EXIT_CONFORMANCE,
    CommandFailedError,
    Session,
    backend_values,
    with_session,
)
from armnn_py.cli.case_options import case_options, jobs_option, report_option, timeout_option
from armnn_py.cli.completion import offer_backends
from armnn_py.cli.help import Command
from armnn_py.cli.render import Column, Renderer, shortened
from armnn_py.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.testing import Report
    from armnn_py.testing.deep import DeepFailure
    from armnn_py.types import DataType, LayerType


_MOST_CHANGES = 20
_OUTCOMES = ("passed", "failed", "crashed", "hung", "refused", "untried")
_NOT_RUN = {"refused", "untried"}


def _part(_context: click.Context, _parameter: click.Parameter, given: str) -> tuple[int, int]:
    number, mark, count = given.partition("/")
    if not (mark and number.isdecimal() and count.isdecimal()):
        raise click.BadParameter(f"'{given}' is not K/N, as 2/5 for the second of five parts")
    return int(number), int(count)


def _references(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> dict[str, str]:
    for one in given:
        if "=" not in one:
            raise click.BadParameter(f"'{one}' is not OPERATOR=MODULE:FUNCTION")
    if given:
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    return dict(one.split("=", 1) for one in given)


@click.command(cls=Command)
@click.argument("backend", metavar="FILE|ID", shell_complete=offer_backends)
@case_options
@timeout_option(10, "For each step; one that takes longer hangs.")
@jobs_option
@click.option(
    "--part", metavar="K/N", callback=_part, default="1/1",
    help="Only every Nth case, from the Kth on: for several machines, or times.",
)  # fmt: skip
@report_option("FILE", "Write everything to a .json file, or as JUnit XML to a .xml file.")
@click.option(
    "--repro", type=click.Path(), metavar="DIR",
    help="For each failure: its arrays, a program that shows it, and a line for gdb.",
)  # fmt: skip
@click.option(
    "--expect", type=click.Path(), metavar="FILE.toml",
    help="Known failures and refusals: only what is not as the file says fails.",
)  # fmt: skip
@click.option(
    "--model", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
    help="Test the layers of this model, with its shapes and constants, and all of it compiled.",
)  # fmt: skip
@click.option(
    "--shape", "shapes", multiple=True, metavar="NAME=1x3x640x640",
    help="Shape of an input of the model with free dimensions, repeatable.",
)  # fmt: skip
@click.option(
    "--reference", "references", multiple=True, metavar="OPERATOR=MODULE:FUNCTION",
    callback=_references,
    help="Python function that computes an operator of the model without a layer; FILE.py for "
    "MODULE works too, repeatable.",
)  # fmt: skip
@backend_values
@with_session
def test(
    session: Session,
    *,
    backend: str,
    level: Any,
    layers: tuple[LayerType, ...],
    types: tuple[DataType, ...],
    seed: int,
    timeout: float,
    jobs: int | None,
    part: tuple[int, int],
    report: str | None,
    repro: str | None,
    expect: str | None,
    model: str | None,
    shapes: tuple[str, ...],
    references: dict[str, str],
) -> None:
    """Test the backend of FILE, or ID, with every layer that it takes; exit 5 if something fails.

    The same if it takes no layer at all: then nothing was tested. Each case has a process of its
    own: a crash or a hang is that case's result.
    """
    from armnn_py.testing import check_conformance

    check_report_name(report)
    name = os.path.basename(backend)  # noqa: PTH119
    with session.progress(f"testing {name}", 1.0) as bar:
        found = check_conformance(
            backend,
            level=level,
            layers=layers,
            types=types,
            seed=seed,
            timeout=timeout,
            jobs=jobs,
            part=part,
            repro=repro,
            expect=expect,
            folders=session.backend_paths,
            options=_options_of(session, backend),
            model=model,
            shapes=_shapes_of(shapes),
            references=references,
            on_progress=lambda done, total: bar.to(done / max(total, 1)),
        )
    note = ""
    if model is not None:
        note = "Only this model: no other layers, options, bounded shapes, blobs, lives"
    elif layers or types:
        note = "Only these layers or types: no random networks, options, bounded shapes"
    hints = [] if repro is not None else ["--repro DIR writes a program for each failure"]
    answer_report(session, found, report, note, hints, is_expected=expect is not None)


def check_report_name(report: str | None) -> None:
    """Refuse the name of a report that says no form."""
    if report is not None and not report.endswith((".json", ".xml")):
        raise click.BadParameter(f"'{report}' is neither a .json nor a .xml file")


def answer_report(
    session: Session,
    found: Report,
    report: str | None,
    note: str,
    hints: Sequence[str],
    *,
    is_expected: bool,
) -> None:
    """Write and show what was found; exit 5 unless it is as it should be, or is expected.

    ``note`` says what was left out, ``hints`` are for a failure.
    """
    if report is not None:
        found.write(report)
    data = found.as_dict()
    failure = None
    if not found.changes and not found.executed:
        failure = CommandFailedError(
            f"backend '{found.backend}' was not tested: it took none of the layers",
            exit_code=EXIT_CONFORMANCE,
            hints=["--report FILE.json has the reasons; --model FILE tests StandIn layers"],
        )
    elif found.changes:
        words = counted(len(found.changes), "result")
        what = "not as expected" if is_expected else "wrong"
        failure = CommandFailedError(
            f"backend '{found.backend}': {words} {what}", exit_code=EXIT_CONFORMANCE, hints=hints
        )

    def render(renderer: Renderer) -> None:
        _render(renderer, data)
        if note:
            renderer.line(note)

    session.answer(data, render, failure=failure)


def _shapes_of(given: tuple[str, ...]) -> dict[str, list[int]]:
    from armnn_py.cli.networks import parse_shapes  # late: it brings numpy

    found = {}
    for name, dims in parse_shapes(given).items():
        if name is None:
            raise click.BadParameter("--shape: the name of the input is missing: NAME=1x3x640x640")
        found[name] = dims
    return found


def _options_of(session: Session, backend: str) -> dict[str, Any] | None:
    """Return the options of the command line that are this backend's, as texts."""
    given = session.backend_options
    if not given:
        return None
    if backend in given:
        return {name: str(value) for name, value in given[backend].items()}
    (values,) = list(given.values())[:1]  # a file's id is not known yet
    return {name: str(value) for name, value in values.items()}


def _render(renderer: Renderer, data: dict[str, Any]) -> None:
    rows = [row for row in data["matrix"] if not {*row["counts"]} <= _NOT_RUN]
    shown = [one for one in _OUTCOMES if any(row["counts"].get(one) for row in rows)]
    renderer.table(
        [Column("layer"), Column("type"), *(Column(outcome, right=True) for outcome in shown),
         Column("speed", right=True), Column("reason", cut="end")],
        [
            [row["layer"], row["type"], *(str(row["counts"].get(one, "-")) for one in shown),
             "-" if row["speed"] is None else f"{row['speed']:g}x", row["reason"]]
            for row in rows
        ],
    )  # fmt: skip
    wholly = sorted({row["layer"] for row in data["matrix"] if set(row["counts"]) == {"refused"}}
                    - {row["layer"] for row in data["matrix"]
                       if set(row["counts"]) != {"refused"}})  # fmt: skip
    untried = [row for row in data["matrix"] if "untried" in row["counts"]]
    features = [name.strip("()") for name in wholly if name.startswith("(")]
    layers = [name for name in wholly if not name.startswith("(")]
    slow = [
        f"{row['layer']} of {row['type']} ({row['speed']:g}x)"
        for row in data["matrix"]
        if row["speed"] is not None and row["speed"] < 1
    ]
    if slow:
        renderer.line(f"Slower than CpuRef: {', '.join(slow)}")
    if layers:
        renderer.line(f"Refused in each type: {', '.join(layers)}")
    if features:
        renderer.line(f"Not there: {', '.join(features)}")
    for row in untried:
        renderer.line(f"Not tried, so untested: {row['layer'].strip('()')}: {row['reason']}")
    for change in data["changes"][:_MOST_CHANGES]:
        message = shortened(change["message"], 300)
        renderer.line(f"{change['outcome']}: {change['case']} ({change['group']}): {message}")
    others = len(data["changes"]) - _MOST_CHANGES
    if others > 0:
        renderer.line(f"and {others} more; --report FILE.json has all")
    counts = ", ".join(f"{data['counts'][one]} {one}" for one in _OUTCOMES if one in data["counts"])
    renderer.line(f"{data['backend']}, level {data['level']}: {counts or 'nothing to test'}")
    if data["model"] is not None:
        renderer.line(
            "model: {layers} layers, {different} different, {tried} tried".format(**data["model"])
        )
    if data["compiled"] is not None:
        renderer.line(f"compiled: {counted(data['compiled'], 'sub-graph')} of two layers and more")
    if not data["executed"]:
        renderer.line("No layer was run on the backend")


@click.command(cls=Command)
@click.argument("file", type=click.Path())
@click.option(
    "--timeout", type=click.FloatRange(0.1, 86400), default=10, show_default=True,
    metavar="SECONDS", help="For each step; one that takes longer fails.",
)  # fmt: skip
@click.option("--deep", is_flag=True, help="Then run small networks on it, until it is destroyed.")
@with_session
def check(session: Session, file: str, timeout: float, *, deep: bool) -> None:
    """Take FILE through every step of loading; exit 4 if one fails."""
    name = Path(file).name
    with session.progress(f"loading {name}"):
        verdict, steps = check_file(file, timeout=timeout)
    failures: list[DeepFailure] = []
    if deep and verdict.status == "loaded":
        from armnn_py.testing.deep import check_deep

        with session.progress(f"running small networks on {name}"):
            more, failures = check_deep(file, timeout=timeout)
        steps += more
    rows = [{"step": s.step, "result": s.result, "detail": s.detail} for s in steps]
    data = {
        "file": file,
        "loads": verdict.status == "loaded",
        "steps": rows,
        "verdict": verdict.as_dict(),
        "failures": [structs.asdict(one) for one in failures],
    }

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("step"), Column("result", verdict=True), Column("detail")],
            [[row["step"], row["result"], row["detail"]] for row in rows],
        )
        if verdict.hint:
            renderer.line(f"hint: {verdict.hint}")

    failure = None
    if verdict.status != "loaded":
        failure = CommandFailedError(
            f"'{file}' does not load, step {verdict.stage}: {verdict.reason}",
            exit_code=EXIT_BACKEND,
        )
    elif failures:
        first, *others = failures
        failure = CommandFailedError(
            f"'{file}' loads; step {first.step}: {first.network or verdict.id}: {first.message}",
            details=[f"step {one.step}: {one.network}: {one.message}" for one in others],
            exit_code=EXIT_BACKEND,
            hints=["'armnn-py backends test FILE' tests each layer, and writes programs that fail"],
        )
    session.answer(data, render, failure=failure)


_NOTE = "Only truth, numbers and memory: no threads, networks, options, blobs, lives"


@click.command("export-cases", cls=Command)
@click.argument("file", type=click.Path(dir_okay=False))
@case_options
@with_session
def export_cases(
    session: Session,
    *,
    file: str,
    level: Any,
    layers: tuple[LayerType, ...],
    types: tuple[DataType, ...],
    seed: int,
) -> None:
    """Write the cases of 'backends test' to FILE, for a machine without Python.

    There 'run_cases FILE BACKEND.so RESULTS' runs them; 'backends report RESULTS' judges here. The
    program is in the SDK.
    """
    from armnn_py.testing.board.case_file import export_cases as write
    from armnn_py.testing.board.case_file import order_of
    from armnn_py.testing.cases import all_cases

    with session.progress("writing cases"):
        cases = all_cases(level, seed=seed, layers=layers, types=types)
        write(file, cases, order_of(level, seed, layers, types))
    size = Path(file).stat().st_size
    session.answer(
        {"file": file, "cases": len(cases), "bytes": size},
        lambda renderer: renderer.line(f"{file}: {len(cases):,} cases, {size / 1e6:.0f} MB"),
    )


@click.command("report", cls=Command)
@click.argument("results", type=click.Path(exists=True, dir_okay=False))
@report_option("FILE", "Write everything to a .json file, or as JUnit XML to a .xml file.")
@click.option(
    "--expect", type=click.Path(), metavar="FILE.toml",
    help="Known failures and refusals: only what is not as the file says fails.",
)  # fmt: skip
@with_session
def report_results(
    session: Session, *, results: str, report: str | None, expect: str | None
) -> None:
    """Judge RESULTS of 'run_cases', as 'backends test' judges; exit 5 if something fails."""
    from armnn_py.testing.board.judging import judge

    check_report_name(report)
    with session.progress("comparing", 1.0) as bar:
        found = judge(
            results,
            expect=expect,
            on_progress=lambda done, total: bar.to(done / max(total, 1)),
        )
    answer_report(session, found, report, _NOTE, [], is_expected=expect is not None)
