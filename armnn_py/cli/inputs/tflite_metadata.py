# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Labels and the normalisation of pictures out of the metadata of a TensorFlow Lite model.

Files beside the model are a zip archive behind it. The rest is a flatbuffer of the schema
``metadata_schema.fbs`` of tflite-support, of which the tables here name what is read.
"""

from __future__ import annotations

import contextlib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py._native.memory.owned import map_file
from armnn_py.frontends.tflite.reading import Reader

if TYPE_CHECKING:
    from armnn_py.frontends.common.values import Array

_MOST_BYTES = 1 << 20
_TABLES = {
    "Notes": ": : : graphs:[Graph",
    "Graph": ": : inputs:[Tensor",
    "Tensor": ": : : : units:[Unit",
    "Unit": "options_type:B options:Normalization",
    "Normalization": "mean:[f std:[f",
}
_NORMALIZATION = 1


class ModelNotes(Struct, frozen=True):
    """A model's metadata on its first input and its classes.

    ``mean`` and ``std`` are for ``(pixel - mean) / std``; each field is empty if it is not known.
    """

    labels: tuple[str, ...] = ()
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()


def read_notes(path: Path) -> ModelNotes:
    """Read the notes of a model; of another file, or a damaged one, they are empty."""
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    with contextlib.suppress(Exception):  # they are optional, and readers may raise anything
        with path.open("rb") as file:
            if file.read(8)[4:] != b"TFL3":
                return ModelNotes()
            mean, std = _normalization(map_file(file.fileno(), str(path)))
        if any(value == 0 for value in std) or len(mean) != len(std):
            mean = std = ()
    return ModelNotes(_labels(path), mean, std)


def _labels(path: Path) -> tuple[str, ...]:
    """Return the lines of the one text file behind the model."""
    with contextlib.suppress(Exception), zipfile.ZipFile(path) as archive:
        texts = [one for one in archive.infolist() if one.filename.endswith(".txt")]
        if len(texts) == 1 and texts[0].file_size <= _MOST_BYTES:
            lines = archive.read(texts[0]).decode("utf-8").splitlines()
            while lines and not lines[-1].strip():
                lines.pop()
            return tuple(line.strip() for line in lines)
    return ()


def _normalization(data: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
    model = Reader(data).root()
    for entry in model.get("metadata"):
        if entry.get("name") != "TFLITE_METADATA":
            continue
        notes = model.get("buffers")[entry.get("buffer")].array("data")
        for graph in Reader(notes, _TABLES).first("Notes").get("graphs")[:1]:
            for tensor in graph.get("inputs")[:1]:
                for unit in tensor.get("units"):
                    if unit.get("options_type") == _NORMALIZATION:
                        found = unit.get("options")
                        return found.get("mean")[:4], found.get("std")[:4]
    return (), ()
