# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py conformance``: test data of model formats through import, optimiser and run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from armnn_py.cli.app import (
    EXIT_CONFORMANCE,
    CommandFailedError,
    Session,
    backend_option,
    with_session,
)
from armnn_py.cli.case_options import jobs_option, report_option, timeout_option
from armnn_py.cli.help import Group
from armnn_py.cli.render import Column, Renderer, shortened
from armnn_py.testing.onnx_suite import score_onnx
from armnn_py.testing.onnx_suite.score import write_expected
from armnn_py.text import counted

_MOST_REASONS = 15
_MOST_LOST = 20


@click.group(cls=Group)
def conformance() -> None:
    """Run the test data of a model format's own project."""


@conformance.command()
@click.option(
    "--data", type=click.Path(exists=True, file_okay=False), metavar="DIR",
    help="Test data with a folder for each family; default: those of the package onnx.",
)  # fmt: skip
@click.option(
    "--filter", "contains", default="", metavar="TEXT",
    help="Only cases with this text in FAMILY/NAME.",
)  # fmt: skip
@click.option(
    "--expect", type=click.Path(dir_okay=False), metavar="FILE",
    help="Titles of cases, a line each: those that do not pass are an error.",
)  # fmt: skip
@click.option(
    "--update", is_flag=True, help="Write the cases that pass to the file of --expect instead."
)
@report_option("FILE.json", "Write every case with its outcome to a file.")
@timeout_option(120, "For each case.")
@jobs_option
@backend_option
@with_session
def onnx(
    session: Session,
    *,
    data: str | None,
    contains: str,
    expect: str | None,
    update: bool,
    report: str | None,
    timeout: float,
    jobs: int | None,
    backends: tuple[str, ...],
) -> None:
    """Run the ONNX project's backend test data; exit 5 if a case of --expect does not pass.

    Each model is loaded and run on recorded inputs, as a program of yours would do it. One that is
    refused in words is not applicable.
    """
    if update and expect is None:
        raise click.UsageError("--update needs --expect FILE, which it writes")
    with session.progress("running ONNX test data", 1.0) as bar:
        score = score_onnx(
            data=data,
            backends=backends,
            contains=contains,
            expect=None if update else expect,
            jobs=jobs,
            timeout=timeout,
            folders=session.backend_paths,
            options={
                backend: {name: str(value) for name, value in values.items()}
                for backend, values in session.backend_options.items()
            },
            on_progress=lambda done, total: bar.to(done / total),
        )
    document = score.as_dict()
    if update and expect is not None:
        write_expected(expect, score)
    if report is not None:
        Path(report).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    failure = None
    if score.lost:
        failure = CommandFailedError(
            f"{counted(len(score.lost), 'case')} of {expect} did not pass",
            exit_code=EXIT_CONFORMANCE,
        )
    session.answer(document, lambda renderer: _render(renderer, document), failure=failure)


def _render(renderer: Renderer, data: dict[str, Any]) -> None:
    renderer.table(
        [Column("family"), *(Column(one, right=True) for one in
         ("cases", "passed", "failed", "not applicable"))],
        [[row["family"], *(str(row[one]) for one in
          ("cases", "passed", "failed", "not_applicable"))] for row in data["families"]],
    )  # fmt: skip
    if data["reasons"]:
        renderer.table(
            [Column("cases", right=True), Column("outcome"), Column("reason", cut="end")],
            [[str(row["cases"]), row["outcome"], row["reason"]]
             for row in data["reasons"][:_MOST_REASONS]],
        )  # fmt: skip
    others = len(data["reasons"]) - _MOST_REASONS
    if others > 0:
        renderer.line(f"and {counted(others, 'other reason')}; --report FILE.json has every case")
    messages = {f"{row['family']}/{row['name']}": row["message"] for row in data["cases"]}
    for title in data["lost"][:_MOST_LOST]:
        renderer.line(f"lost: {title}: {shortened(messages.get(title, 'no such case'), 200)}")
    if len(data["lost"]) > _MOST_LOST:
        renderer.line(f"and {len(data['lost']) - _MOST_LOST} more")
    count = len(data["cases"])
    passed = sum(row["passed"] for row in data["families"])
    on = ", ".join(data["backends"]) or "all backends"
    renderer.line(f"{passed} of {counted(count, 'case')} passed on {on}, onnx {data['version']}")
