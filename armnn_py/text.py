# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Text of messages with names that users or files chose."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def counted(count: int, noun: str) -> str:
    """Return ``1 layer`` or ``2 layers``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def with_article(noun: str) -> str:
    """Return ``an option`` or ``a layer``; goes by the first letter."""
    return f"an {noun}" if noun[:1] in "AEIOUaeiou" else f"a {noun}"


def install_hint(package: str, extra: str) -> str:
    """Return how to get a package that an extra of this project installs, which no index has."""
    return f'pip install {package}, or pip install ".[{extra}]" in a clone of armnn_py'


def quoted(names: Iterable[str], *, most: int | None = None) -> str:
    """Return ``'a', 'b' and 'c'``; of more than ``most`` names the first ones."""
    shown = [f"'{name}'" for name in names]
    if most is not None and len(shown) > most:
        shown = [*shown[: most - 1], f"{len(shown) - most + 1} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def first_of(lines: Iterable[str], most: int = 16) -> list[str]:
    """Return the first ``most`` lines, and one that counts the others."""
    shown = list(lines)
    left = len(shown) - most
    return [*shown[:most], f"and {left} more"] if left > 0 else shown


def shortened(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters: of a longer one, begin and end."""
    if len(text) <= most:
        return text
    mark = f" ... ({len(text) - most:,} characters and more) ... "
    rest = max(most - len(mark), 2)
    return f"{text[: rest - rest // 3]}{mark}{text[len(text) - rest // 3 :]}"


def text_table(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> str:
    """Return rows, the head among them, as aligned columns; ``right`` are those of numbers."""
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return "\n".join(
        "   ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in shown
    )


def html_table(rows: Sequence[Sequence[str]], title: str, *, limit: int = 200) -> str:
    """Return the same as HTML below a title; of a long table, its first rows."""
    from html import escape  # of tables alone, which few programs ask for

    def line(tag: str, row: Sequence[str]) -> str:
        cells = (f"<{tag}>{escape(printable(cell))}</{tag}>" for cell in row)
        return f"<tr>{''.join(cells)}</tr>"

    head, *body = rows
    lines = "".join(line("td", row) for row in body[:limit])
    left = len(body) - limit
    more = f"<p>{counted(left, 'more row')}</p>" if left > 0 else ""
    return (
        f"<p><b>{escape(printable(title))}</b></p>"
        f"<table><thead>{line('th', head)}</thead><tbody>{lines}</tbody></table>{more}"
    )


def printable(text: str) -> str:
    """Return ``text`` with everything that could disturb a terminal or a log line escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def format_bytes(count: int) -> str:
    """Return a size in B, KiB, MiB or GiB."""
    if count < 1024:
        return f"{count} B"
    size, unit = count / 1024, "KiB"
    for larger in ("MiB", "GiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.1f} {unit}"
