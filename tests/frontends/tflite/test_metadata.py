# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Labels and normalisation of a model's own metadata in `run`, and quantised inputs as floats."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import pytest

from armnn_py.cli.inputs.pictures import ModelNotes, read_notes

LABELS = ["red", "green", "blue"]


def vector_of(writer: flatbuffers.Builder, *tables: int) -> int:
    writer.StartVector(4, len(tables), 4)
    for table in reversed(tables):
        writer.PrependUOffsetTRelative(table)
    return int(writer.EndVector())


def table_of(writer: flatbuffers.Builder, fields: int, slot: int, value: int) -> int:
    writer.StartObject(fields)
    writer.PrependUOffsetTRelativeSlot(slot, value, 0)
    return int(writer.EndObject())


def metadata(mean: list[float], std: list[float]) -> bytes:
    """A model's metadata by the schema metadata_schema.fbs of tflite-support."""
    writer = flatbuffers.Builder(256)
    means = writer.CreateNumpyVector(np.float32(mean))
    deviations = writer.CreateNumpyVector(np.float32(std))
    writer.StartObject(2)
    writer.PrependUOffsetTRelativeSlot(0, means, 0)
    writer.PrependUOffsetTRelativeSlot(1, deviations, 0)
    options = writer.EndObject()
    writer.StartObject(2)
    writer.PrependUint8Slot(0, 1, 0)  # NormalizationOptions
    writer.PrependUOffsetTRelativeSlot(1, options, 0)
    unit = writer.EndObject()
    tensor = table_of(writer, 7, 4, vector_of(writer, unit))
    graph = table_of(writer, 9, 2, vector_of(writer, tensor))
    writer.Finish(table_of(writer, 8, 3, vector_of(writer, graph)), b"M001")
    return bytes(writer.Output())


@pytest.fixture
def model(builder: Any, tmp_path: Path) -> Path:
    """The largest of each channel of a picture of 2 x 2, with labels behind the model."""
    x = builder.tensor("x", (1, 2, 2, 3))
    y = builder.tensor("y", (1, 3))
    axes = builder.constant("axes", np.int32([1, 2]))
    builder.op("REDUCE_MAX", [x, axes], [y], ("ReducerOptions", {"keepDims": False}))
    builder.ends([x], [y])
    buffer = builder.schema.BufferT()
    buffer.data = np.frombuffer(metadata([127.5], [127.5]), np.uint8)
    entry = builder.schema.MetadataT()
    entry.name, entry.buffer = "TFLITE_METADATA", len(builder.model.buffers)
    builder.model.buffers.append(buffer)
    builder.model.metadata = [entry]
    path = tmp_path / "colours.tflite"
    path.write_bytes(builder.data())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("labels.txt", "\n".join(LABELS) + "\n")
    return path


def answer(*arguments: object) -> Any:
    command = [sys.executable, "-m", "armnn_py", *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def test_notes(model: Path) -> None:
    assert read_notes(model) == ModelNotes(tuple(LABELS), (127.5,), (127.5,))


def test_a_picture_is_normalised_and_classes_have_names(model: Path, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (2, 2), (255, 0, 51)).save(tmp_path / "p.png")
    words = ("run", model, "-i", tmp_path / "p.png", "-b", "CpuRef")
    (row,) = answer(*words)["outputs"]
    np.testing.assert_allclose(row["values"], [1.0, -1.0, -0.6], rtol=1e-6)
    assert [one["label"] for one in row["top"]] == ["red", "blue", "green"]
    (row,) = answer(*words, "--mean", "0")["outputs"]
    assert row["values"] == [255, 0, 51]


@pytest.mark.parametrize("size", [0, 7, 40, 200, 600])
def test_damage_is_not_an_error(model: Path, size: int) -> None:
    model.write_bytes(model.read_bytes()[:size])
    assert read_notes(model).labels == ()
    assert read_notes(model.with_name("missing")) == ModelNotes()


def test_real_numbers_for_quantised_tensors(builder: Any, tmp_path: Path) -> None:
    x = builder.tensor("x", (1, 4), np.int8, 0.5, 3)
    y = builder.tensor("y", (1, 4), np.int8, 0.5, 3)
    builder.op("RELU", [x], [y])
    builder.ends([x], [y])
    path = tmp_path / "relu.tflite"
    path.write_bytes(builder.data())
    real = tmp_path / "x.txt"
    real.write_text("-1.0 0.25 0.75 1000\n")  # halves of a step go to the even neighbour
    words = ("run", path, "-i", real, "--quantize", "-b", "CpuRef")
    (row,) = answer(*words)["outputs"]
    assert row["dtype"] == "float32"
    assert row["values"] == [0.0, 0.0, 1.0, 62.0]
    assert answer("run", path, "-i", real, "-b", "CpuRef")["ok"] is False
    document = answer("run", path, "--random", "0", "--quantize", "-b", "CpuRef")
    assert all(value % 0.5 == 0 and 0 <= value <= 1 for value in document["outputs"][0]["values"])
