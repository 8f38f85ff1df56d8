# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Labels and the normalisation of pictures out of the metadata of a TensorFlow Lite model.

Files beside the model are a zip archive behind it. The rest is a flatbuffer of the schema
``metadata_schema.fbs`` of tflite-support, whose fields are counted here.
"""

from __future__ import annotations

import contextlib
import importlib
import mmap
import zipfile
from pathlib import Path
from typing import Any

from msgspec import Struct

__all__ = ["ModelNotes", "read_notes"]

_MOST_BYTES = 1 << 20
_SUBGRAPHS, _INPUTS, _UNITS = 3, 2, 4  # fields of the model, a sub-graph and a tensor
_OPTIONS_TYPE, _OPTIONS, _NORMALIZATION = 0, 1, 1  # of a process unit
_MEAN, _STD = 0, 1


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
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                mean, std = _normalization(data)
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


def _normalization(data: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    from flatbuffers import encode, number_types
    from flatbuffers.table import Table

    def member(table: Any, field: int) -> Any:
        return table.Offset(4 + 2 * field)

    def tables(table: Any, field: int) -> list[Any]:
        place = member(table, field)
        if not place:
            return []
        start = table.Vector(place)
        return [
            Table(table.Bytes, table.Indirect(start + 4 * n)) for n in range(table.VectorLen(place))
        ]

    def floats(table: Any, field: int) -> tuple[float, ...]:
        place = member(table, field)
        if not place:
            return ()
        start, kind = table.Vector(place), number_types.Float32Flags
        return tuple(
            float(table.Get(kind, start + 4 * n)) for n in range(min(table.VectorLen(place), 4))
        )

    model = importlib.import_module("tflite").Model.GetRootAsModel(data, 0)
    for index in range(model.MetadataLength()):
        entry = model.Metadata(index)
        if entry.Name() != b"TFLITE_METADATA":
            continue
        buffer = model.Buffers(entry.Buffer()).DataAsNumpy().tobytes()
        root = Table(buffer, encode.Get(number_types.UOffsetTFlags.packer_type, buffer, 0))
        for graph in tables(root, _SUBGRAPHS)[:1]:
            for tensor in tables(graph, _INPUTS)[:1]:
                for unit in tables(tensor, _UNITS):
                    kind, options = member(unit, _OPTIONS_TYPE), member(unit, _OPTIONS)
                    if not kind or not options:
                        continue
                    kind = unit.Get(number_types.Uint8Flags, unit.Pos + kind)
                    if kind == _NORMALIZATION:
                        found = Table(buffer, unit.Indirect(unit.Pos + options))
                        return floats(found, _MEAN), floats(found, _STD)
    return (), ()
