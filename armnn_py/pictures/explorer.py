# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A drawing as a file of Google's Model Explorer, and figures of its boxes as overlays.

The forms are those of ``graph_builder.py`` and ``node_data_builder.py`` of its package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.pictures.palette import HEAT, key_of
from armnn_py.text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py.pictures.drawing import Box, Drawing

#: The id of the only graph in a file.
GRAPH = "armnn_py"


def to_explorer(drawing: Drawing) -> dict[str, Any]:
    """Return the drawing as a collection of one graph, folded by the scopes in layers' names.

    Parameters
    ----------
    drawing
        A drawing from `drawing_of`.

    Returns
    -------
    dict
        JSON-able; a file of it is opened by ``model-explorer FILE.json``.
    """
    readers: dict[int, list[dict[str, str]]] = {}
    for wire in drawing.wires:
        readers.setdefault(wire.target, []).append(
            {
                "sourceNodeId": str(wire.source),
                "sourceNodeOutputId": str(wire.output),
                "targetNodeInputId": str(wire.input),
            }
        )
    nodes = [
        {
            "id": str(box.id),
            "label": printable(f"{box.title} {box.fused}".rstrip()),
            "namespace": scope_of(box),
            "attrs": [{"key": key, "value": printable(value)} for key, value in _facts(box)],
            "incomingEdges": readers.get(box.id, []),
            "outputsMetadata": [
                {"id": str(number), "attrs": [{"key": "shape", "value": tensor}]}
                for number, tensor in enumerate(box.outputs)
            ],
        }
        for box in drawing.boxes
    ]
    summary = {"": {"network": printable(drawing.title), "assignment": drawing.summary}}
    graph = {"id": GRAPH, "nodes": nodes, "groupNodeAttributes": summary}
    return {"label": printable(drawing.title), "graphs": [graph]}


def to_overlays(drawing: Drawing, errors: Mapping[int, float]) -> dict[str, dict[str, Any]]:
    """Return node data by title: backends, time, output bytes, quantisation and errors.

    Parameters
    ----------
    drawing
        A drawing from `drawing_of`.
    errors
        A comparison's error of boxes, by their id; nothing without a comparison.
    """
    key = key_of(drawing, "backend")
    boxes = drawing.boxes
    texts = {
        "backend": {box.id: box.backend for box in boxes if box.backend},
        "not on an earlier choice": {box.id: box.reason for box in boxes if box.reason},
        "fused kernel": {box.id: box.fused for box in boxes if box.fused},
        "scale, zero point": {b.id: "; ".join(b.quantization) for b in boxes if b.quantization},
    }
    figures: dict[str, Mapping[int, float]] = {  # the last one is shown first
        "bytes of outputs": {box.id: sum(box.sizes) for box in boxes if any(box.sizes)},
        "ms a run": {box.id: box.seconds * 1e3 for box in boxes if box.seconds is not None},
        "relative error": errors,
    }
    found: dict[str, dict[str, Any]] = {}
    for title, words in texts.items():
        results: dict[str, dict[str, Any]] = {
            str(number): {"value": printable(word), "bgColor": key.get(word, HEAT[1])}
            for number, word in words.items()
        }
        found[title] = {"results": results}
    for title, values in figures.items():
        gradient: list[dict[str, Any]] = [
            {"stop": n / 2, "bgColor": colour} for n, colour in enumerate(HEAT)
        ]
        results = {str(number): {"value": _short(value)} for number, value in values.items()}
        found[title] = {"results": results, "gradient": gradient}
    return {title: {GRAPH: data} for title, data in found.items() if data["results"]}


def _short(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.4g}")


def scope_of(box: Box) -> str:
    """Return the folders that the name of a layer has: ``encoder/0`` of ``/encoder/0/Conv``."""
    if box.kind in ("input", "output"):
        return ""
    parts = [part for part in printable(box.name).split("/") if part]
    return "/".join(parts[:-1])


def _facts(box: Box) -> list[tuple[str, str]]:
    facts = {
        "name": box.name,
        "type": box.type,
        "backend": box.backend or "",
        "sub-graph": "" if box.part is None else str(box.part),
        "why here": box.reason,
        "layers": ", ".join(box.layers),
        "reads": ", ".join(text or "-" for text in box.inputs),
        "makes": ", ".join(box.outputs),
        "scale, zero point": "; ".join(box.quantization),
        "ms a run": "" if box.seconds is None else f"{box.seconds * 1e3:.3f}",
    }
    return [(key, value) for key, value in facts.items() if value]
