# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py backends export-cases`` and ``report``: the kit on a machine without Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.case_options import case_options, report_option
from armnn_py.cli.commands.backends_test import answer_report, check_report_name
from armnn_py.cli.help import Command

if TYPE_CHECKING:
    from armnn_py.types import DataType, LayerType

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
