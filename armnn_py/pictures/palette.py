# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Colours of boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armnn_py.pictures.drawing import Drawing

__all__ = ["FRAME", "MARK", "OTHER", "colours_of", "key_of"]

#: Light backgrounds for black text, told apart with any kind of colour vision (after Paul Tol's
#: "light"); the order puts the most different ones first.
_COLOURS = ("#77aadd", "#eedd88", "#ffaabb", "#44bb99", "#ee8866", "#99ddff", "#bbcc33", "#aaaa00")

#: What is no layer of a backend's, the marks of copies, and groups beyond the palette.
FRAME, MARK, OTHER = "#ffffff", "#222222", "#dddddd"


def key_of(drawing: Drawing, colour: str) -> dict[str, str]:
    """Return the colour of each group that the legend lists."""
    names = list(drawing.groups(colour))
    return {name: _COLOURS[n] if n < len(_COLOURS) else OTHER for n, name in enumerate(names)}


def colours_of(drawing: Drawing, colour: str) -> dict[int, str]:
    """Return the background of each box, by its id."""
    key = key_of(drawing, colour)
    found = {}
    for box in drawing.boxes:
        group = box.type if colour == "type" else box.backend or ""
        if box.kind in ("copy", "import"):
            found[box.id] = MARK if box.kind == "copy" else FRAME
        else:
            found[box.id] = key.get(group, FRAME)
    return found
