# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py operators``: the operators that a model may have."""

from __future__ import annotations

from typing import Any

import click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.render import Column, Renderer
from armnn_py.frontends.onnx.convert import table as onnx_table
from armnn_py.frontends.tflite import table as tflite_table


@click.command(cls=Command)
@click.option(
    "--format", "name", type=click.Choice(["onnx", "tflite"]), default="onnx", show_default=True,
    help="Format of the models.",
)  # fmt: skip
@with_session
def operators(session: Session, name: str) -> None:
    """List the operators that are imported, by family."""
    data = _onnx() if name == "onnx" else _tflite()
    families = data["families"]
    count = sum(map(len, families.values()))

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("family"), Column("operators")],
            [[name.replace("_", " "), ", ".join(names)] for name, names in families.items()],
        )
        newest = data.get("newest_operator_set")
        of = (
            f"standard ONNX, operator sets 1 to {newest}, and com.microsoft"
            if newest
            else data["format"]
        )
        renderer.line(f"{count} operators of {of}")

    session.answer(data, render)


def _onnx() -> dict[str, Any]:
    families = onnx_table.operators_by_family()
    newest = onnx_table.NEWEST_VERSION
    return {"format": "ONNX", "newest_operator_set": newest, "families": families}


def _tflite() -> dict[str, Any]:
    return {"format": "TensorFlow Lite", "families": tflite_table.operators_by_family()}
