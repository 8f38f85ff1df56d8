# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of the commands that run many cases, or choose them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from armnn_py.types import DataType, LayerType

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


def _layers(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[LayerType, ...]:
    from armnn_py.testing.cases import layer_type_of

    found = []
    for name in given:
        layer_type = layer_type_of(name)
        if layer_type is None:
            raise click.BadParameter(f"'{name}' is not a layer; docs/layers.md lists all")
        found.append(layer_type)
    return tuple(found)


def _types(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[DataType, ...]:
    shown = {data_type.described: data_type for data_type in DataType}
    by_name = {data_type.label: data_type for data_type in DataType} | shown
    for name in given:
        if name.lower() not in by_name:
            raise click.BadParameter(f"'{name}' given, one of {', '.join(shown)} expected")
    return tuple(by_name[name.lower()] for name in given)


def case_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose cases of the kit."""
    for option in reversed(_CASES):
        command = option(command)
    return command


_CASES: tuple[Decorator, ...] = (
    click.option(
        "--level", type=click.Choice(["quick", "full"]), default="quick", show_default=True,
        help="How many cases: quick is for each change, full for a release.",
    ),
    click.option(
        "--layer", "layers", metavar="T", multiple=True, callback=_layers,
        help="Only this layer type, repeatable.",
    ),
    click.option(
        "--type", "types", metavar="T", multiple=True, callback=_types,
        help="Only this data type, repeatable.",
    ),
    click.option(
        "--seed", type=click.IntRange(0, 2**32 - 1), default=0, show_default=True, metavar="N",
        help="Values and random networks are drawn from it.",
    ),
)  # fmt: skip
