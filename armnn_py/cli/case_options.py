# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of the commands that run many cases, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

jobs_option: Decorator = click.option(
    "--jobs", type=click.IntRange(1, 1024), metavar="N",
    help="Processes at a time; as many as processors if not given.",
)  # fmt: skip


def timeout_option(default: float, words: str) -> Decorator:
    """Return ``--timeout SECONDS``; ``words`` are its help."""
    return click.option(
        "--timeout", type=click.FloatRange(0.1, 86400), default=default, show_default=True,
        metavar="SECONDS", help=words,
    )  # fmt: skip


def report_option(metavar: str, words: str) -> Decorator:
    """Return ``--report FILE``; ``words`` are its help."""
    return click.option("--report", type=click.Path(dir_okay=False), metavar=metavar, help=words)
