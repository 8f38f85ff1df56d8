# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tables and lines on a terminal or in a pipe; rich is imported here and for progress alone, late.

On a terminal tables have rules and colour and fold to its width. One of fewer than 60 columns gets
``name: value`` lines instead. In a pipe tables are plain text that is never cut. Texts from outside
(names, paths, reasons) are shown as they are: never as markup, and control characters only in
escaped form.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import Literal, TextIO

from msgspec import Struct

_RULE_BELOW_HEAD = "    \n    \n ── \n    \n    \n    \n    \n    \n"
_PADDING = 3
_LEAST_CUT = {"end": 12, "middle": 24, "start": 12}
_LEAST_WIDTH = 60
_WIDTH_OF_PIPES = 100_000
_STYLES = {
    "ok": "green",
    "loaded": "green",
    "warning": "yellow",
    "skipped": "yellow",
    "duplicate": "yellow",
    "unavailable": "yellow",
    "note": "cyan",
    "failed": "red",
    "refused": "red",
    "died": "red",
    "timed out": "red",
}


class Column(Struct, frozen=True):
    """One column: its head, and whether it holds numbers (right-aligned) or verdicts (coloured).

    Cells of a column that is ``whole`` stay on one line even on a narrow terminal. Those of one
    that is ``cut`` lose their end, middle or start there, so that a row stays one line.
    """

    name: str
    right: bool = False
    verdict: bool = False
    whole: bool = False
    cut: Literal["", "end", "middle", "start"] = ""


class Renderer:
    """Writes to one stream.

    Parameters
    ----------
    stream
        The stream for the answer.
    color
        ``auto`` (a terminal gets colour; ``NO_COLOR`` and ``FORCE_COLOR`` decide first),
        ``always`` or ``never``.
    """

    def __init__(self, stream: TextIO | None = None, *, color: str = "auto") -> None:
        self.stream = stream if stream is not None else sys.stdout
        forced = color == "always" or (color == "auto" and bool(os.environ.get("FORCE_COLOR")))
        refused = color == "never" or (color == "auto" and "NO_COLOR" in os.environ)
        self.is_terminal = self.stream.isatty()
        self.has_color = not refused and (forced or self.is_terminal)

    def line(self, text: str = "") -> None:
        """Write one line as it is."""
        print(printable(text, keep="\n"), file=self.stream)

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
        """Write a table; cells are plain text."""
        width = _width_of(self.stream) if self.is_terminal else _WIDTH_OF_PIPES
        if os.environ.get("COLUMNS", "").isdigit():
            width = max(int(os.environ["COLUMNS"]), 20)
        rows = [[printable(cell) for cell in row] for row in rows]
        widths = _widths(columns, rows)
        needed = sum(widths) + _PADDING * (len(columns) - 1)
        if width < _LEAST_WIDTH and needed > width and len(columns) > 2:
            lines = _blocks(columns, rows)
        elif needed <= width and not (self.has_color or self.is_terminal):
            lines = _plain_lines(columns, rows, widths)  # rich's, in a tenth of its time
        else:
            lines = self._rich_lines(columns, rows, width)
        self.stream.write("".join(f"{line.rstrip()}\n" for line in lines))

    def _rich_lines(
        self, columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int
    ) -> list[str]:
        from rich.box import Box  # a table in a pipe does without
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        buffer = io.StringIO()
        if self.is_terminal:
            rows = _cut(columns, rows, width)
        console = Console(
            file=buffer,
            width=width,
            height=100_000,  # with a width alone, a dumb terminal's 80 columns would win
            force_terminal=self.has_color,
            color_system="standard" if self.has_color else None,
            legacy_windows=False,
        )
        table = Table(
            box=Box(_RULE_BELOW_HEAD) if self.is_terminal else None,
            show_edge=False,
            pad_edge=False,
            padding=(0, _PADDING, 0, 0) if not self.is_terminal else (0, 1),
            header_style="bold",
        )
        for column, widest in zip(columns, _widths(columns, rows), strict=True):
            is_whole = column.whole or (self.is_terminal and bool(column.cut))
            table.add_column(
                Text(column.name),
                justify="right" if column.right else "left",
                overflow="fold",
                min_width=widest if is_whole else None,
                no_wrap=is_whole,
            )
        for row in rows:
            table.add_row(
                *(
                    Text(cell, style=_STYLES.get(cell, "") if column.verdict else "")
                    for column, cell in zip(columns, row, strict=True)
                )
            )
        console.print(table, soft_wrap=False, highlight=False)
        return buffer.getvalue().splitlines()


def _width_of(stream: TextIO) -> int:
    """Return the columns of a terminal, 80 where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):  # no terminal of the system
        return 80


def _blocks(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table as ``name: value``, for terminals that are too narrow for it."""
    lines: list[str] = []
    for row in rows:
        cells = zip(columns, row, strict=True)
        shown = [f"{one.name}: {cell}" if one.name else cell for one, cell in cells if cell]
        lines += [*([""] if lines else []), *shown[:1], *(f"  {line}" for line in shown[1:])]
    return lines


def _cells(text: str) -> int:
    """Return how many columns of a terminal a printable text takes."""
    if text.isascii():  # without an import for it
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    return [
        max([len(column.name), *(_cells(row[index]) for row in rows)])
        for index, column in enumerate(columns)
    ]


def _plain_lines(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], widths: Sequence[int]
) -> list[str]:
    lines = []
    for row in ([column.name for column in columns], *rows):
        cells = []
        for column, cell, width in zip(columns, row, widths, strict=True):
            rest = " " * (width - _cells(cell))
            cells.append(rest + cell if column.right else cell + rest)
        lines.append((" " * _PADDING).join(cells))
    return lines


def _cut(
    columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int
) -> Sequence[Sequence[str]]:
    """Shorten the cells of columns that may be cut until all fit side by side, if they can."""
    widths = _widths(columns, rows)
    cut = [index for index, column in enumerate(columns) if column.cut]
    least = {index: max(len(columns[index].name), _LEAST_CUT[columns[index].cut]) for index in cut}
    excess = sum(widths) + _PADDING * len(columns) - width
    while excess > 0 and any(widths[index] > least[index] for index in cut):
        widths[max(cut, key=lambda index: widths[index] - least[index])] -= 1
        excess -= 1
    return [
        [_shortest(cell, widths[n], columns[n].cut) for n, cell in enumerate(row)] for row in rows
    ]


def _shortest(cell: str, width: int, cut: str) -> str:
    if _cells(cell) <= width:
        return cell
    from rich.cells import set_cell_size

    if cut == "middle":
        head, rest = set_cell_size(cell, (width - 3) // 2), width - 3 - (width - 3) // 2
        return f"{head}...{set_cell_size(cell[::-1], rest)[::-1]}"
    if cut == "start":
        return f"...{set_cell_size(cell[::-1], width - 3)[::-1]}"
    return f"{set_cell_size(cell, width - 3)}..."


def printable(text: str, *, keep: str = "") -> str:
    """Return ``text`` with every control character but those in ``keep`` escaped."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text
    )


def words_of(error: Exception) -> str:
    """Return a library's message on a damaged file, short and with the kind of the error."""
    text = " ".join(str(error).split())
    if not isinstance(error, OSError | ValueError) or not text:
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return shortened(text, 300)


def shortened(text: str, size: int) -> str:
    """Return the first ``size`` characters of a text, with dots if there are more."""
    return text if len(text) <= size else f"{text[:size]}..."


def format_duration(seconds: float) -> str:
    """Return a duration with its unit; microseconds are kept below 10 ms."""
    if seconds < 0.01:
        return f"{seconds * 1e3:.3f} ms"
    if seconds < 1:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds:.2f} s"


def format_count(count: int) -> str:
    """Return a count with three digits and k, M or G."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return str(count)


def format_shape(shape: Sequence[int | None], names: Sequence[str | None] = ()) -> str:
    """Return ``1 x 3 x ? x width``; a tensor without dimensions is ``scalar``."""
    named = names or [None] * len(shape)
    dims = [(name or "?") if d is None else str(d) for d, name in zip(shape, named, strict=True)]
    return " x ".join(dims) or "scalar"
