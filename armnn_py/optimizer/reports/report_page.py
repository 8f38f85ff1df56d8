# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The assignment as one page of HTML that needs nothing beside itself."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from armnn_py.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.optimizer.reports.report_layer import LayerAssignment

__all__ = ["page_of"]

#: Light backgrounds that are told apart with any kind of colour vision (after Paul Tol's "light").
_COLOURS = (
    "#77aadd", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#ee8866", "#bbcc33", "#aaaa00",
)  # fmt: skip
_GONE = "#eeeeee"
_STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #111; background: #fff }
table { border-collapse: collapse }
th, td { text-align: left; padding: .2em .8em; border-bottom: 1px solid #ddd }
th { position: sticky; top: 0; background: #fff }
td.n { text-align: right }
tr.own td { font-style: italic }
span.key { padding: .2em .8em; margin-right: .8em }
"""


def page_of(
    records: Sequence[LayerAssignment], counts: Mapping[str, int], summary: str, title: str
) -> str:
    """Return the page; names may hold any text and are escaped.

    Parameters
    ----------
    records
        One for each row of the table.
    counts
        Layers of each backend.
    summary
        The line below the title.
    title
        Title of the page.
    """
    backends = dict.fromkeys(record.backend for record in records if record.backend)
    colour_of = {name: _COLOURS[n % len(_COLOURS)] for n, name in enumerate(backends)}
    keys = "".join(
        f'<span class="key" style="background:{colour}">{_text(name)} {counts.get(name, 0)}</span>'
        for name, colour in colour_of.items()
    )
    head = "".join(
        f"<th>{name}</th>"
        for name in ("layer", "type", "backend", "sub-graph", "notes and refusals")
    )
    rows = "\n".join(_row(record, colour_of.get(record.backend, _GONE)) for record in records)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{_text(title)}</h1>\n<p>{_text(summary)}</p>\n<p>{keys}</p>\n"
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n"
        f"</body>\n</html>\n"
    )


def _row(record: LayerAssignment, colour: str) -> str:
    own = ' class="own"' if record.inserted else ""
    part = "" if record.part is None else str(record.part)
    return (
        f"<tr{own}><td>{_text(record.layer)}</td><td>{_text(record.type)}</td>"
        f'<td style="background:{colour}">{_text(record.backend or "-")}</td>'
        f'<td class="n">{part}</td><td>{_text(record.remark)}</td></tr>'
    )


def _text(text: str) -> str:
    return html.escape(printable(text))
