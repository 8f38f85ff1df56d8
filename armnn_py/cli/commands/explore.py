# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py explore``: a model in Google's Model Explorer, with our figures as overlays."""

from __future__ import annotations

import importlib
import json
import tempfile
from pathlib import Path

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.drawn import examine, examined_options
from armnn_py.cli.help import Command
from armnn_py.cli.model_arguments import ModelArguments, model_arguments
from armnn_py.errors import InvalidArgumentError
from armnn_py.pictures import to_explorer, to_overlays
from armnn_py.text import install_hint


@click.command(cls=Command)
@model_arguments
@examined_options
@click.option(
    "--port", type=click.IntRange(1, 65535), metavar="N", default=8080, show_default=True,
    help="Port on this machine; if 8080 is in use, the next free one.",
)  # fmt: skip
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@with_session
def explore(
    session: Session,
    *,
    given: ModelArguments,
    reference: str | None,
    no_run: bool,
    port: int,
    no_open: bool,
) -> None:
    """Serve MODEL on loopback in Google's Model Explorer until Ctrl-C.

    Its node data are backends and reasons, fused kernels, times, bytes, quantisation and errors.
    """
    if session.as_json:
        raise click.UsageError("explore has no --json; 'armnn-py graph --format json' has the data")
    try:
        explorer = importlib.import_module("model_explorer")
    except ModuleNotFoundError:
        raise InvalidArgumentError(
            "explore needs the package ai-edge-model-explorer",
            hints=[
                install_hint("ai-edge-model-explorer", "explore"),
                "'armnn-py report MODEL' writes a page without it",
            ],
        ) from None
    found = examine(session, given, reference, runs=not no_run)
    errors = {box: min(row.own.relative, 1e30) for box, row in found.errors.items()}
    with tempfile.TemporaryDirectory(prefix="armnn-py-") as folder:
        path = Path(folder) / f"{Path(given.model).stem}.json"
        path.write_text(json.dumps(to_explorer(found.drawing)), encoding="utf-8")
        config = explorer.config()
        config.add_model_from_path(str(path))
        for title, data in to_overlays(found.drawing, errors).items():
            config.add_node_data(title, json.dumps(data))
        explorer.visualize_from_config(
            config, host="localhost", port=port, no_open_in_browser=no_open
        )
