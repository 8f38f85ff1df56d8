# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A drawing as text for Graphviz, and as the picture that its ``dot`` makes of that."""

from __future__ import annotations

import subprocess
import textwrap
from typing import TYPE_CHECKING

from armnn_py.errors import InvalidArgumentError
from armnn_py.pictures.palette import colours_of, key_of
from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from armnn_py.pictures.drawing import Box, Drawing, Wire

_WIDTH = 60
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
        f"  label={_quoted(*_heading(drawing, colour))};",
        '  labelloc=t; labeljust=l; ranksep=0.3; fontname="sans-serif";',
        '  node [fontname="sans-serif", style=filled, shape=box];',
        '  edge [fontname="sans-serif", fontsize=9];',
        *_legend(drawing, colour),
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


def to_svg(drawing: Drawing, *, colour: str = "backend") -> str:
    """Return a drawing as the SVG that Graphviz makes of `to_dot`.

    Raises
    ------
    InvalidArgumentError
        Graphviz is not installed, or refuses the drawing.
    """
    try:
        made = subprocess.run(
            ["dot", "-Tsvg"],
            input=to_dot(drawing, colour=colour),
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise InvalidArgumentError(
            "no program 'dot' here, which makes the .svg file",
            hints=[
                "apt install graphviz",
                "'armnn-py report MODEL -o FILE.html' needs no other program",
            ],
        ) from None
    if made.returncode:
        raise InvalidArgumentError("'dot' makes no picture", details=made.stderr.splitlines()[:3])
    return made.stdout


def _heading(drawing: Drawing, colour: str) -> list[str]:
    lines = [drawing.title, *textwrap.wrap(drawing.summary, _WIDTH, break_on_hyphens=False)]
    if colour == "time" and drawing.run_seconds is not None:
        lines.append(f"{drawing.run_seconds * 1e3:.3f} ms a run")
    for why, count in drawing.reasons.items():
        lines += textwrap.wrap(f"{counted(count, 'kernel')}: {why}", _WIDTH)
    return lines


def _legend(drawing: Drawing, colour: str) -> list[str]:
    """Return a box for each colour, in the first row."""
    groups = drawing.groups(colour)
    noun = "kernel" if colour == "type" else "layer"
    return [
        f"  key{n} [label={_quoted(f'{name}: {counted(groups[name], noun)}')}, "
        f'fillcolor="{filled}", style="filled,rounded", fontsize=10];'
        for n, (name, filled) in enumerate(key_of(drawing, colour).items())
        if colour != "time"
    ]


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
