# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A drawing as text for Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.pictures.palette import colours_of
from armnn_py.text import printable

if TYPE_CHECKING:
    from armnn_py.pictures.drawing import Box, Drawing, Wire

__all__ = ["to_dot"]

_SHAPES = {"input": "ellipse", "output": "ellipse", "copy": "circle", "import": "diamond"}


def to_dot(drawing: Drawing, *, colour: str = "backend") -> str:
    """Return a drawing in Graphviz' language.

    Parameters
    ----------
    drawing
        A drawing from `drawing_of`.
    colour
        Colour of boxes by: ``"backend"``, ``"type"`` or ``"time"``.
    """
    colours = colours_of(drawing, colour)
    lines = [
        f"digraph {_quoted(drawing.title)} {{",
        f"  label={_quoted(f'{drawing.title}: {drawing.summary}')};",
        "  labelloc=t;",
        '  node [fontname="sans-serif", style=filled, shape=box];',
        '  edge [fontname="sans-serif", fontsize=9];',
        *_clusters(drawing),
        *(f"  n{box.id} [{_attributes(box, colours)}];" for box in drawing.boxes),
        *(
            f"  n{wire.source} -> n{wire.target} "
            f"[label={_quoted(_shape(wire))}, tooltip={_quoted(wire.tensor)}];"
            for wire in drawing.wires
        ),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _clusters(drawing: Drawing) -> list[str]:
    """Return a frame for each sub-graph that is drawn as several boxes."""
    if drawing.parts < 2:
        return []
    members: dict[int, list[Box]] = {}
    for box in drawing.boxes:
        if box.part is not None and box.kind == "layer":
            members.setdefault(box.part, []).append(box)
    return [
        f'  subgraph cluster_part{part} {{ style="rounded,dashed"; '
        f"label={_quoted(f'part {part}: {own[0].backend}')}; "
        + " ".join(f"n{box.id};" for box in own)
        + " }"
        for part, own in members.items()
        if len(own) > 1
    ]


def _attributes(box: Box, colours: dict[int, str]) -> str:
    shape = _SHAPES.get(box.kind)
    if box.kind in ("copy", "import"):
        label = '""'
    else:
        label = _quoted(*filter(None, [box.title, box.fused, box.name]))
    fields = [
        f"label={label}",
        f'fillcolor="{colours[box.id]}"',
        f"tooltip={_quoted(*box.describe())}",
    ]
    if shape:
        fields.append(f"shape={shape}")
    if box.kind in ("copy", "import"):
        fields.append("width=0.15, fixedsize=true")
    return ", ".join(fields)


def _shape(wire: Wire) -> str:
    return wire.tensor.removeprefix("float32 ")


def _quoted(*lines: str) -> str:
    escaped = (printable(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
