# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Colours of boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armnn_py.pictures.drawing import Drawing

#: Light backgrounds for black text, told apart with any kind of colour vision (after Paul Tol's
#: "light"); the order puts the most different ones first.
_COLOURS = ("#77aadd", "#eedd88", "#ffaabb", "#44bb99", "#ee8866", "#99ddff", "#bbcc33", "#aaaa00")

#: Boxes without a backend, the marks of copies, and groups beyond the palette.
FRAME, MARK, OTHER = "#ffffff", "#222222", "#dddddd"

#: From no time to the longest: ever darker, for any kind of colour vision.
HEAT = ("#fffff5", "#fed976", "#f46d43")


def key_of(drawing: Drawing, colour: str) -> dict[str, str]:
    """Return the colour of each group that the legend lists."""
    names = list(drawing.groups(colour))
    return {name: _COLOURS[n] if n < len(_COLOURS) else OTHER for n, name in enumerate(names)}


def colours_of(drawing: Drawing, colour: str) -> dict[int, str]:
    """Return the background of each box, by its id."""
    key = key_of(drawing, colour)
    most = largest_share(drawing)
    found = {}
    for box in drawing.boxes:
        group = box.operator if colour == "type" else box.backend or ""
        if box.kind in ("copy", "import"):
            found[box.id] = MARK if box.kind == "copy" else FRAME
        elif colour == "time":
            is_timed = box.seconds is not None and most > 0
            found[box.id] = heat_of(drawing.share(box) / most) if is_timed else FRAME
        else:
            found[box.id] = key.get(group, FRAME)
    return found


def largest_share(drawing: Drawing) -> float:
    """Return the share of the box that takes the most time."""
    return max((drawing.share(box) for box in drawing.boxes), default=0.0)


def heat_of(part: float) -> str:
    """Return the colour of a time that is ``part`` of the longest."""
    at = min(max(part, 0.0), 1.0) * (len(HEAT) - 1)
    low = min(int(at), len(HEAT) - 2)
    ends = ([int(colour[n : n + 2], 16) for n in (1, 3, 5)] for colour in HEAT[low : low + 2])
    mixed = (round(a + (b - a) * (at - low)) for a, b in zip(*ends, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)
