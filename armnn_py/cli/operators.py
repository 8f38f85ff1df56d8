# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py operators``: the operators that a model may have."""

from __future__ import annotations

import rich_click as click

from armnn_py.cli.app import Session, with_session
from armnn_py.cli.render import Column, Renderer

__all__ = ["operators"]


@click.command()
@with_session
def operators(session: Session) -> None:
    """List the ONNX operators that are imported, by family."""
    from armnn_py.frontends.onnx.table import NEWEST_VERSION, operators_by_family

    families = operators_by_family()
    count = sum(map(len, families.values()))

    def render(renderer: Renderer) -> None:
        renderer.table(
            [Column("family"), Column("operators")],
            [[name.replace("_", " "), ", ".join(names)] for name, names in families.items()],
        )
        renderer.line(f"{count} operators of standard ONNX, operator sets 1 to {NEWEST_VERSION}")

    data = {"format": "ONNX", "newest_operator_set": NEWEST_VERSION, "families": families}
    session.answer(data, render)
