# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A drawing as SVG that needs nothing beside itself: no script, no font, no style sheet."""

from __future__ import annotations

import html
from bisect import bisect_right
from string import ascii_lowercase
from typing import TYPE_CHECKING

from armnn_py.pictures.frames import frames_of
from armnn_py.pictures.layout import BOX_WIDTH, ROW, Layout, lay_out
from armnn_py.pictures.palette import FRAME, MARK, colours_of, key_of
from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.pictures.drawing import Box, Drawing, Wire
    from armnn_py.pictures.frames import Frame

__all__ = ["to_svg"]

_HEIGHT, _MARK = 38.0, 7.0  # of a box; half of a mark's
_MARGIN, _MIN_WIDTH = 24.0, 640.0
_CHARACTER = 7.2  # of the summary, on the average
_REASONS = 10
_STYLE = (
    "text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:11px;fill:#111}"
    ".t{font-weight:600;font-size:12px}.h{font-weight:600;font-size:17px}.s{font-size:13px}.r{font-size:12px}"
    ".p{font-size:10px;fill:#333}.f{stroke:#444;stroke-width:1.2;stroke-dasharray:5 3}"
    ".w{fill:none;stroke:#666;stroke-width:1.2}"
    ".b{stroke:#444;stroke-width:1}"
)


def to_svg(drawing: Drawing, *, colour: str = "backend") -> str:
    """Return a drawing as an SVG document.

    Parameters
    ----------
    drawing
        What `drawing_of` gives.
    colour
        What boxes are coloured by: ``"backend"`` or ``"type"``.
    """
    layout = lay_out(
        {box.id: 2 * _MARK if _is_mark(box) else BOX_WIDTH for box in drawing.boxes},
        [(wire.source, wire.target) for wire in drawing.wires],
        min_width=_MIN_WIDTH,
    )
    legend, top = _legend(drawing, colour, layout.width)
    colours = colours_of(drawing, colour)
    boxes = {box.id: box for box in drawing.boxes}
    letters = dict(zip(drawing.reasons, ascii_lowercase, strict=False))
    frames = frames_of(drawing.boxes, layout.places, layout.columns, (BOX_WIDTH + 14, _HEIGHT + 14))
    width, height = layout.width + 2 * _MARGIN, top + layout.height + _MARGIN
    wires = (
        _wire(wire, route, layout, boxes)
        for wire, route in zip(drawing.wires, layout.routes, strict=True)
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            f"<title>{_text(drawing.title)}</title>",
            f"<style>{_STYLE}</style>",
            '<defs><marker id="tip" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" '
            'markerHeight="6" orient="auto"><path d="M0 0 L6 3 L0 6 z" fill="#666"/></marker>'
            "</defs>",
            f'<rect width="{width:.0f}" height="{height:.0f}" fill="#fff"/>',
            *legend,
            f'<g transform="translate({_MARGIN:g} {top:g})">',
            *(_frame(frame, colours[frame.boxes[0]], colour) for frame in frames),
            *wires,
            *(
                _box(box, layout.places[box.id], colours[box.id], letters.get(box.reason, ""))
                for box in drawing.boxes
            ),
            "</g>",
            "</svg>\n",
        ]
    )


def _is_mark(box: Box) -> bool:
    return box.kind in ("copy", "import")


def _legend(drawing: Drawing, colour: str, width: float) -> tuple[list[str], float]:
    """Return title, summary and what the colours mean, and where the network may begin."""
    lines = [f'<text class="h" x="{_MARGIN:g}" y="34">{_text(_cut(drawing.title, 60))}</text>']
    top = 34.0
    for line in _folded(drawing.summary, width):
        top += 20
        lines.append(f'<text class="s" x="{_MARGIN:g}" y="{top:g}">{_text(line)}</text>')
    keys = key_of(drawing, colour)
    items = [
        (f'<rect class="b" width="14" height="14" rx="3" fill="{keys[name]}"/>',
         f"{_cut(name, 40)}: {counted(count, 'layer')}")
        for name, count in drawing.groups(colour).items()
    ]  # fmt: skip
    for kind, words in (("copy", ("copy", "copies")), ("import", ("import", "imports"))):
        count = sum(1 for box in drawing.boxes if box.kind == kind)
        if count:
            items.append((_mark(kind, 7, 7), f"{count} {words[count > 1]} between backends"))
    x, y = _MARGIN, top + 18
    for symbol, text in items:
        taken = 20 + 7.5 * len(text) + 18
        if x > _MARGIN and x + taken > width:
            x, y = _MARGIN, y + 22
        lines.append(
            f'<g class="key" transform="translate({x:g} {y:g})">{symbol}'
            f'<text class="s" x="20" y="12">{_text(text)}</text></g>'
        )
        x += taken
    y += 18
    reasons = list(drawing.reasons.items())
    if reasons:
        y += 18
        lines.append(
            f'<text class="t" x="{_MARGIN:g}" y="{y:g}">Why not on an earlier choice:</text>'
        )
    for (reason, count), letter in zip(reasons[:_REASONS], ascii_lowercase, strict=False):
        y += 17
        boxes = f"{count} box{'' if count == 1 else 'es'}"
        shown = _cut(reason, max(40, int(width / _CHARACTER) - 16))
        lines.append(
            f'<text class="r" x="{_MARGIN:g}" y="{y:g}"><tspan font-weight="600">{letter}</tspan>'
            f"  {boxes}: {_text(shown)}<title>{_text(reason)}</title></text>"
        )
    return lines, y + 24


def _folded(summary: str, width: float) -> list[str]:
    """Lines that fit, broken where a summary has its semicolons."""
    lines: list[str] = []
    for piece in summary.split("; "):
        if lines and (len(lines[-1]) + 2 + len(piece)) * _CHARACTER < width:
            lines[-1] += f"; {piece}"
        else:
            lines.append(piece)
    return lines


def _frame(frame: Frame, background: str, colour: str) -> str:
    """A part that is drawn as several boxes."""
    fill = background if colour == "backend" else FRAME
    return (
        f'<rect class="f" x="{frame.left:.1f}" y="{frame.top:.1f}" rx="10" '
        f'width="{frame.right - frame.left:.1f}" height="{frame.bottom - frame.top:.1f}" '
        f'fill="{fill}" fill-opacity=".3"><title>part {frame.part}</title></rect>'
    )


def _box(box: Box, place: tuple[float, float], colour: str, why: str) -> str:
    x, y = place
    title = _text("\n".join(box.describe()), keep="\n")
    head = f'<g class="{box.kind}" id="n{box.id}"><title>{title}</title>'
    if _is_mark(box):
        return f"{head}{_mark(box.kind, x, y)}</g>"
    rounded = 6 if box.kind == "layer" else _HEIGHT / 2
    part = "" if box.part is None else f"part {box.part}"
    left, top, pad = x - BOX_WIDTH / 2, y - _HEIGHT / 2, 8 if box.kind == "layer" else 18
    several = counted(len(box.layers), "layer") if len(box.layers) > 1 else ""
    if why:  # the letter of the reason above
        part = f"{part}, {why}" if part else why
    labels = "".join(
        f'<text class="p" text-anchor="end" x="{left + BOX_WIDTH - 7:.1f}" y="{top + y:.1f}">'
        f"{text}</text>"
        for text, y in ((part, 14), (several, 30))
        if text
    )
    return (
        f'{head}<rect class="b" x="{left:.1f}" y="{top:.1f}" width="{BOX_WIDTH:g}" '
        f'height="{_HEIGHT:g}" rx="{rounded:g}" fill="{colour}"/>'
        f'<text class="t" x="{left + pad:.1f}" y="{top + 15:.1f}">'
        f"{_text(_cut(box.type, 18 if part else 24))}</text>{labels}"
        f'<text x="{left + pad:.1f}" y="{top + 30:.1f}">'
        f"{_text(_cut(box.name, 20 if several else 28))}</text></g>"
    )


def _mark(kind: str, x: float, y: float) -> str:
    if kind == "copy":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_MARK:g}" fill="{MARK}"/>'
    points = f"{x:.1f},{y - _MARK:.1f} {x + _MARK:.1f},{y:.1f} {x:.1f},{y + _MARK:.1f} "
    return (
        f'<polygon points="{points}{x - _MARK:.1f},{y:.1f}" fill="{FRAME}" stroke="{MARK}" '
        'stroke-width="2"/>'
    )


def _wire(
    wire: Wire,
    route: Sequence[tuple[float, float]],
    layout: Layout,
    boxes: Mapping[int, Box],
) -> str:
    """Return a line that curves between rows, and goes up beside a column to begin the next."""
    (x, y), last = route[0], len(route) - 1
    y += _half(boxes[wire.source])
    path = [f"M{x:.1f} {y:.1f}"]
    for n, (to_x, centre) in enumerate(route[1:], 1):
        to_y = centre - (_half(boxes[wire.target]) if n == last else ROW / 2 - 6)
        if to_y > y:
            half = (to_y - y) / 2
            path.append(
                f"C{x:.1f} {y + half:.1f} {to_x:.1f} {to_y - half:.1f} {to_x:.1f} {to_y:.1f}"
            )
        else:
            # Each tensor has its own track between the columns.
            column = layout.columns[bisect_right(layout.columns, to_x) - 1]
            track = column - 10 - 4 * (wire.source % 7)
            path.append(f"V{y + 8:.1f} H{track:.1f} V{to_y - 8:.1f} H{to_x:.1f} V{to_y:.1f}")
        if n < last:
            path.append(f"V{centre + ROW / 2 - 6:.1f}")
        x, y = to_x, centre + ROW / 2 - 6
    memory = f", in memory of {wire.memory}" if wire.memory else ""
    return (
        f'<path class="w" d="{" ".join(path)}" marker-end="url(#tip)">'
        f"<title>{_text(wire.tensor + memory)}</title></path>"
    )


def _half(box: Box) -> float:
    return _MARK if _is_mark(box) else _HEIGHT / 2


def _cut(text: str, length: int) -> str:
    """Shorten in the middle: names mostly differ at their ends."""
    text = printable(text)
    if len(text) <= length:
        return text
    return f"{text[: length // 2 - 1]}…{text[len(text) - (length - length // 2) :]}"


def _text(text: str, *, keep: str = "") -> str:
    lines = text.split(keep) if keep else [text]
    return (keep or "").join(html.escape(printable(line)) for line in lines)
