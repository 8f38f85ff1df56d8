# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py demo``: a small real network that travels with the package, on real samples."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import click
import numpy as np

import armnn_py
from armnn_py._native.library import core_path
from armnn_py.cli.app import Session, backend_option, with_session
from armnn_py.cli.help import Command
from armnn_py.cli.render import Column, Renderer, format_duration

_FOLDER = Path(__file__).parents[2] / "demo"
_ACROSS = 4


@click.command(cls=Command)
@click.option(
    "--count",
    type=click.IntRange(min=1),
    metavar="N",
    default=8,
    show_default=True,
    help="How many of the pictures to draw.",
)
@backend_option
@with_session
def demo(session: Session, count: int, backends: tuple[str, ...]) -> None:
    """Read handwritten digits that the network was not trained on."""
    with np.load(_FOLDER / "digits_held_out.npz") as samples:
        images, labels = samples["images"], samples["labels"]
    network = armnn_py.import_model(_FOLDER / "digits.onnx")
    with (
        session.runtime(backends or None) as runtime,
        armnn_py.load(network, list(backends) or None, runtime=runtime) as loaded,
    ):
        start = time.perf_counter()
        outputs = [
            loaded.run({"image": image[None, None].astype(np.float32)})["probabilities"][0]
            for image in images
        ]
        seconds = (time.perf_counter() - start) / len(images)
        layers = [
            {"layer": record.layer, "type": record.type, "backend": record.backend,
             "file": record.file}
            for record in loaded.assignment
        ]  # fmt: skip
    readings = [
        {"digit": int(label), "read": int(output.argmax()), "probability": float(output.max())}
        for label, output in zip(labels, outputs, strict=True)
    ]
    right = sum(reading["digit"] == reading["read"] for reading in readings)
    data: dict[str, Any] = {
        "samples": len(images), "right": right, "accuracy": right / len(images),
        "seconds_each": seconds, "readings": readings[:count], "layers": layers,
    }  # fmt: skip
    session.answer(data, lambda renderer: _render(renderer, data, images[:count]))


def _render(renderer: Renderer, data: dict[str, Any], images: np.ndarray[Any, Any]) -> None:
    readings = data["readings"]
    for first in range(0, len(images), _ACROSS):
        chosen = range(first, min(first + _ACROSS, len(images)))
        for row in range(images.shape[1]):
            renderer.line("   ".join(_draw(images[i, row]) for i in chosen).rstrip())
        renderer.line("   ".join(_caption(readings[i]).ljust(16) for i in chosen).rstrip())
        renderer.line()
    renderer.table(
        [Column("layer"), Column("type"), Column("backend")],
        [[row["layer"], row["type"], row["backend"]] for row in data["layers"]],
    )
    for backend, file in {row["backend"]: row["file"] for row in data["layers"]}.items():
        renderer.line(f"{backend}: {file or f'linked into {core_path()}'}")
    renderer.line(
        f"{data['right']} of {data['samples']} pictures read right ({data['accuracy']:.1%}), "
        f"{format_duration(data['seconds_each'])} each; none of them was trained on"
    )


def _draw(pixels: np.ndarray[Any, Any]) -> str:
    try:
        shades = " ░▒▓█"
        shades.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        shades = " .:*#"
    return "".join(shades[(int(pixel) * 4 + 8) // 16] * 2 for pixel in pixels)


def _caption(reading: dict[str, Any]) -> str:
    text = f"{reading['read']} ({reading['probability']:.0%})"
    return text if reading["read"] == reading["digit"] else f"{text}, is {reading['digit']}"
