# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A drawing as SVG that needs nothing beside itself: no script, no font, no style sheet."""

from __future__ import annotations

import html
from bisect import bisect_right
from string import ascii_lowercase
from typing import TYPE_CHECKING

from armnn_py.pictures.layout import BOX_WIDTH, Layout, frames_of, lay_out
from armnn_py.pictures.palette import FRAME, MARK, colours_of, heat_of, key_of, largest_share
from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from armnn_py.pictures.drawing import Box, Drawing, Wire
    from armnn_py.pictures.layout import Frame

__all__ = ["to_svg"]

_LINE, _MARK = 15.0, 7.0  # between lines of a box; half of a mark's height
_MARGIN, _MIN_WIDTH = 24.0, 640.0
_TALLEST, _BETWEEN = 3 * _LINE + 8, 34.0  # of a box; between the tallest of two rows
_CHARACTER = 7.2  # of the summary, on the average; then of texts in boxes
_BOLD, _NORMAL, _SMALL = 7.7, 6.4, 5.8
_REASONS = 10
_STYLE = (
    "text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:11px;fill:#111}"
    ".t{font-weight:600;font-size:12px}.h{font-weight:600;font-size:17px}.s{font-size:13px}.r{font-size:12px}"
    ".p,.l,.o{font-size:10px;fill:#333}.l{fill:#555}.o{fill:#fff;stroke:#fff;stroke-width:3px}"
    ".n{fill:#333}.f{stroke:#444;stroke-width:1.2;stroke-dasharray:5 3}"
    ".w{fill:none;stroke:#666;stroke-width:1.2}"
    ".b{stroke:#444;stroke-width:1}"
)


def to_svg(drawing: Drawing, *, colour: str = "backend") -> str:
    """Return a drawing as an SVG document.

    Parameters
    ----------
    drawing
        A drawing from `drawing_of`.
    colour
        Colour of boxes by: ``"backend"``, ``"type"`` or ``"time"``.
    """
    layout = lay_out(
        {box.id: 2 * _MARK if _is_mark(box) else BOX_WIDTH for box in drawing.boxes},
        [(wire.source, wire.target) for wire in drawing.wires],
        min_width=_MIN_WIDTH,
        pitch=2 * max((_half(box) for box in drawing.boxes), default=0.0) + _BETWEEN,
    )
    legend, top = _legend(drawing, colour, layout.width)
    colours = colours_of(drawing, colour)
    boxes = {box.id: box for box in drawing.boxes}
    letters = dict(zip(drawing.reasons, ascii_lowercase, strict=False))
    frames = frames_of(
        drawing.boxes, layout.places, layout.columns, (BOX_WIDTH + 14, _TALLEST + 14)
    )
    width, height = layout.width + 2 * _MARGIN, top + layout.height + _MARGIN
    wires = [
        _wire(wire, route, layout, boxes)
        for wire, route in zip(drawing.wires, layout.routes, strict=True)
    ]
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
                _box(
                    box,
                    layout.places[box.id],
                    colours[box.id],
                    _remarks(drawing, box, letters.get(box.reason, "")),
                )
                for box in drawing.boxes
            ),
            *_labels(drawing, layout, boxes),
            "</g>",
            "</svg>\n",
        ]
    )


def _is_mark(box: Box) -> bool:
    return box.kind in ("copy", "import")


def _legend(drawing: Drawing, colour: str, width: float) -> tuple[list[str], float]:
    """Return title, summary and legend, and the height at which the network begins."""
    lines = [f'<text class="h" x="{_MARGIN:g}" y="34">{_text(_cut(drawing.title, 60))}</text>']
    top = 34.0
    for line in _folded(drawing.summary, width):
        top += 20
        lines.append(f'<text class="s" x="{_MARGIN:g}" y="{top:g}">{_text(line)}</text>')
    items = _scale(drawing) if colour == "time" else _keys(drawing, colour)
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


def _keys(drawing: Drawing, colour: str) -> list[tuple[str, str]]:
    """Return symbol and words of each group."""
    keys = key_of(drawing, colour)
    noun = "layer" if colour == "backend" else "box"
    return [
        (_swatch(keys[name]), f"{_cut(name, 40)}: {counted(count, noun)}".replace("boxs", "boxes"))
        for name, count in drawing.groups(colour).items()
    ]


def _scale(drawing: Drawing) -> list[tuple[str, str]]:
    """Return the legend of the colours of times."""
    most = largest_share(drawing)
    whole = drawing.run_seconds or 0.0
    shares = [(part, f"{100 * most * part:.1f} %") for part in (0.0, 0.25, 0.5, 0.75, 1.0)]
    items = [(_swatch(heat_of(part)), text) for part, text in shares]
    return [*items[:-1], (items[-1][0], f"{items[-1][1]} of {_milliseconds(whole)} a run")]


def _swatch(colour: str) -> str:
    return f'<rect class="b" width="14" height="14" rx="3" fill="{colour}"/>'


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3f} ms" if seconds < 0.01 else f"{seconds * 1e3:.1f} ms"


def _folded(summary: str, width: float) -> list[str]:
    """Return lines that fit, broken at the semicolons of a summary."""
    lines: list[str] = []
    for piece in summary.split("; "):
        if lines and (len(lines[-1]) + 2 + len(piece)) * _CHARACTER < width:
            lines[-1] += f"; {piece}"
        else:
            lines.append(piece)
    return lines


def _frame(frame: Frame, background: str, colour: str) -> str:
    """Return the frame of a sub-graph that is drawn as several boxes."""
    fill = background if colour == "backend" else FRAME
    return (
        f'<rect class="f" x="{frame.left:.1f}" y="{frame.top:.1f}" rx="10" '
        f'width="{frame.right - frame.left:.1f}" height="{frame.bottom - frame.top:.1f}" '
        f'fill="{fill}" fill-opacity=".3"><title>part {frame.part}</title></rect>'
    )


def _remarks(drawing: Drawing, box: Box, why: str) -> list[str]:
    """Return the texts at the right of a box's lines."""
    part = f"part {box.part}" if box.part is not None and drawing.parts > 1 else ""
    first = ", ".join(filter(None, [part, why]))  # the letter of the reason above
    if drawing.run_seconds is not None and box.seconds:
        return [first, f"{_milliseconds(box.seconds)}, {100 * drawing.share(box):.1f} %"]
    several = len(box.layers) > max(len(box.operators), 1)
    return [first, counted(len(box.layers), "layer") if several else ""]


def _lines(box: Box) -> list[str]:
    """Return the texts at the left: operation, fused operations, name."""
    return [box.title, *filter(None, [box.fused]), box.name]


def _box(box: Box, place: tuple[float, float], colour: str, remarks: Sequence[str]) -> str:
    x, y = place
    title = _text("\n".join(box.describe()), keep="\n")
    head = f'<g class="{box.kind}" id="n{box.id}"><title>{title}</title>'
    if _is_mark(box):
        return f"{head}{_mark(box.kind, x, y)}</g>"
    lines, half = _lines(box), _half(box)
    rounded = 6.0 if box.kind == "layer" else half
    left, top, pad = x - BOX_WIDTH / 2, y - half, 8 if box.kind == "layer" else 18
    # The last line has the second remark, since it is the shortest.
    right = [remarks[0], *[""] * (len(lines) - 2), remarks[1]]
    labels = "".join(
        _line(line, remark, left + pad, left + BOX_WIDTH - 7, top + _LINE * (n + 1), kind)
        for n, (line, remark, kind) in enumerate(
            zip(lines, right, ["t", *[""] * (len(lines) - 2), "n"], strict=True)
        )
    )
    return (
        f'{head}<rect class="b" x="{left:.1f}" y="{top:.1f}" width="{BOX_WIDTH:g}" '
        f'height="{2 * half:g}" rx="{rounded:g}" fill="{colour}"/>{labels}</g>'
    )


def _line(text: str, remark: str, left: float, right: float, y: float, kind: str) -> str:
    """Return a line of a box; a text that would run into its remark is cut."""
    room = right - left - (len(remark) * _SMALL + 6 if remark else 0)
    shown = _cut(text, int(room / (_BOLD if kind == "t" else _NORMAL)))
    style = f' class="{kind}"' if kind else ""
    aside = (
        f'<text class="p" text-anchor="end" x="{right:.1f}" y="{y:.1f}">{_text(remark)}</text>'
        if remark
        else ""
    )
    return f'<text{style} x="{left:.1f}" y="{y:.1f}">{_text(shown)}</text>{aside}'


def _labels(drawing: Drawing, layout: Layout, boxes: Mapping[int, Box]) -> Iterator[str]:
    """Give the shape of each tensor, once, where its first wire leaves its box."""
    labelled: dict[int, dict[int, str]] = {}
    for wire in drawing.wires:
        labelled.setdefault(wire.source, {}).setdefault(wire.output, wire.tensor)
    for source, tensors in labelled.items():
        x, y = layout.places[source]
        # Several outputs of one shape, as of a Splitter, are one label.
        texts = dict.fromkeys(tensor.removeprefix("float32 ") for tensor in tensors.values())
        text = next(iter(texts)) + (", ..." if len(texts) > 1 else "")
        if not _is_mark(boxes[source]):
            where = f'x="{x + 5:.1f}" y="{y + _half(boxes[source]) + 12:.1f}"'
            # The white outline is a text of its own: few renderers know paint-order.
            for name in ("o", "l"):
                yield f'<text class="{name}" {where}>{_text(_cut(text, 24))}</text>'


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
        to_y = centre - (_half(boxes[wire.target]) if n == last else layout.pitch / 2 - 6)
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
            path.append(f"V{centre + layout.pitch / 2 - 6:.1f}")
        x, y = to_x, centre + layout.pitch / 2 - 6
    memory = f", in memory of {wire.memory}" if wire.memory else ""
    return (
        f'<path class="w" d="{" ".join(path)}" marker-end="url(#tip)">'
        f"<title>{_text(wire.tensor + memory)}</title></path>"
    )


def _half(box: Box) -> float:
    return _MARK if _is_mark(box) else (_LINE * len(_lines(box)) + 8) / 2


def _cut(text: str, length: int) -> str:
    """Shorten in the middle: names mostly differ at their ends."""
    text = printable(text)
    if len(text) <= length:
        return text
    return f"{text[: length // 2 - 1]}…{text[len(text) - (length - length // 2) :]}"


def _text(text: str, *, keep: str = "") -> str:
    lines = text.split(keep) if keep else [text]
    return (keep or "").join(html.escape(printable(line)) for line in lines)
