# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models that are not files: bytes, open files and messages, and the folder of their weights."""

from __future__ import annotations

import contextlib
import copy
import io
import mmap
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import armnn_py as ann

FLOAT = TensorProto.FLOAT
W = np.float32([[1, -2, 3, -4]])
X = np.float32([[1, 1, 1, 1]])


@pytest.fixture
def model(models: Any) -> onnx.ModelProto:
    """Relu(x + w) over a free batch."""
    nodes = [helper.make_node("Add", ["x", "w"], ["s"]), helper.make_node("Relu", ["s"], ["y"])]
    shape = (["batch", 4], FLOAT)
    return models.build(nodes, {"x": shape}, {"y": shape}, {"w": W})


@pytest.fixture
def files() -> Iterator[contextlib.ExitStack]:
    """What is closed after the test."""
    with contextlib.ExitStack() as stack:
        yield stack


class Pipe:
    """What only reads, as an answer from the network."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self) -> bytes:
        return self.data


def mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as stream:
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)


FORMS: dict[str, Callable[[Path], Any]] = {
    "bytes": Path.read_bytes,
    "bytearray": lambda path: bytearray(path.read_bytes()),
    "memoryview": lambda path: memoryview(path.read_bytes()),
    "BytesIO": lambda path: io.BytesIO(path.read_bytes()),
    "open file": lambda path: path.open("rb"),
    "what only reads": lambda path: Pipe(path.read_bytes()),
    "mapped": mapped,
    "message": onnx.load,
}


@pytest.fixture
def give(
    model: onnx.ModelProto, tmp_path: Path, files: contextlib.ExitStack
) -> Callable[[str], Any]:
    """Hand the model over in one of the forms."""

    def give(form: str) -> Any:
        (tmp_path / "net.v2.onnx").write_bytes(model.SerializeToString())
        given = FORMS[form](tmp_path / "net.v2.onnx")
        return files.enter_context(given) if hasattr(given, "close") else given

    return give


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str, give: Callable[[str], Any]) -> None:
    network = ann.import_model(give(form))
    assert network.name == ("net.v2" if form == "open file" else "graph")
    assert network.is_dynamic
    with ann.load(give(form), backends="CpuRef") as net:
        np.testing.assert_array_equal(net.run(X)["y"], np.maximum(X + W, 0))


@pytest.mark.parametrize("form", ["bytes", "open file", "message"])
def test_networks_travel_and_are_specialized(form: str, give: Callable[[str], Any]) -> None:
    network = ann.import_model(give(form))
    for other in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network)):
        static = other.specialize({"x": (3, 4)})
        assert static.outputs["y"].shape == (3, 4)
        (constant,) = [layer for layer in static.layers if layer.name == "w"]
        np.testing.assert_array_equal(constant.value, W)


def test_a_message_is_left_as_it_was(model: onnx.ModelProto) -> None:
    before = model.SerializeToString()
    ann.import_model(model, shapes={"x": (1, 4)})
    assert model.SerializeToString() == before


def test_a_file_is_read_from_its_position(model: onnx.ModelProto) -> None:
    stream = io.BytesIO(b"head" + model.SerializeToString())
    stream.seek(4)
    assert list(ann.import_model(stream).inputs) == ["x"]
    with pytest.raises(ann.ParseError, match="model '<BytesIO>' is empty"):
        ann.import_model(stream)


def test_a_graph_without_name() -> None:
    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"])],
        "",
        [helper.make_tensor_value_info("x", FLOAT, [1])],
        [helper.make_tensor_value_info("y", FLOAT, [1])],
    )
    assert ann.import_model(helper.make_model(graph)).name == "network"


# ---- The format ---------------------------------------------------------------------------------


def test_a_stated_format(model: onnx.ModelProto, tmp_path: Path) -> None:
    data = model.SerializeToString()
    assert list(ann.import_model(data, format="onnx").inputs) == ["x"]
    assert list(ann.import_model(model, format="onnx").inputs) == ["x"]
    with pytest.raises(ann.ParseError, match="'<bytes>' is damaged, or was cut short") as damaged:
        ann.import_model(data, format="tflite")
    assert "does not begin as a TensorFlow Lite model" in str(damaged.value)
    with pytest.raises(ann.ModelFormatError) as caught:
        ann.import_model(model, format="tflite")
    assert str(caught.value) == "'<ModelProto>' is ONNX, but format='tflite' is given"
    with pytest.raises(ann.UnknownNameError, match="model format 'onx' is not known") as unknown:
        ann.import_model(data, format="onx")
    assert "onnx" in str(unknown.value)
    (tmp_path / "odd").write_bytes(b"\x12\x01a" + data)  # the producer before the version
    with pytest.raises(ann.ParseError, match="'odd' is in no format that can be imported"):
        ann.import_model(tmp_path / "odd")
    assert list(ann.import_model(tmp_path / "odd", format="onnx").inputs) == ["x"]


def test_foreign_bytes_are_named() -> None:
    with pytest.raises(ann.ParseError, match="'<bytes>' is damaged, or was cut short"):
        ann.import_model(b"\x1c\0\0\0TFL3" + bytes(50))
    with pytest.raises(ann.ParseError, match="'<BytesIO>' is a zip archive"):
        ann.import_model(io.BytesIO(b"PK\x03\x04" + bytes(60)))
    with pytest.raises(ann.ParseError, match="'<bytes>' is in no format that can be imported"):
        ann.import_model(bytes(range(100, 200)))


# ---- What cannot be read ------------------------------------------------------------------------


def test_damaged_bytes() -> None:
    with pytest.raises(ann.ParseError) as caught:
        ann.import_model(b"\x08\x08\x3a\x05abc")
    assert caught.value.message == "'<bytes>' is not an ONNX model, or is damaged"
    assert caught.value.details[0] == "given: 7 bytes"
    assert caught.value.path is None
    with pytest.raises(ann.ParseError, match="'<ModelProto>' is not an ONNX model: it has no gra"):
        ann.import_model(onnx.ModelProto())
    with pytest.raises(ann.ParseError, match="model '<bytes>' is empty"):
        ann.import_model(b"")


def test_files_that_do_not_read(model: onnx.ModelProto, tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(model.SerializeToString())
    with (
        (tmp_path / "net.onnx").open() as text,
        pytest.raises(ann.InvalidArgumentError, match=r"'net\.onnx' reads as str, expected bytes"),
    ):
        ann.import_model(text)  # type: ignore[arg-type]
    stream = (tmp_path / "net.onnx").open("rb")
    stream.close()
    with pytest.raises(ann.ParseError, match=r"cannot read model 'net\.onnx': read of closed file"):
        ann.import_model(stream)


@pytest.mark.parametrize("given", [3, None, ["model.onnx"], onnx.GraphProto()])
def test_invalid_models(given: Any) -> None:
    with pytest.raises(ann.InvalidArgumentError) as caught:
        ann.load(given)
    assert str(caught.value) == (
        f"model is of type {type(given).__name__}, expected a path, bytes, a binary file or an "
        "onnx.ModelProto"
    )


def test_file_options_are_refused_with_a_network(tmp_path: Path) -> None:
    network = ann.Network()
    for arguments in ({"format": "onnx"}, {"data_folder": tmp_path}):
        with pytest.raises(ann.InvalidArgumentError, match="given with a Network"):
            ann.load(network, **arguments)


# ---- External data ------------------------------------------------------------------------------


@pytest.fixture
def external(model: onnx.ModelProto, tmp_path: Path) -> Path:
    """The same model with its weights in a file beside it."""
    onnx.save(
        model, tmp_path / "net.onnx", save_as_external_data=True, location="w.bin", size_threshold=0
    )
    return tmp_path / "net.onnx"


def test_weights_in_a_folder_that_is_named(external: Path, tmp_path: Path) -> None:
    for given in (external.read_bytes(), onnx.load(external, load_external_data=False)):
        network = ann.import_model(given, data_folder=tmp_path, shapes={"x": (1, 4)})
        np.testing.assert_array_equal(network.layer("w").value, W)
        with ann.load(given, "CpuRef", data_folder=str(tmp_path)) as net:
            np.testing.assert_array_equal(net.run(X)["y"], np.maximum(X + W, 0))
    elsewhere = tmp_path / "elsewhere" / "net.onnx"
    elsewhere.parent.mkdir()
    external.rename(elsewhere)
    with pytest.raises(ann.ParseError, match=r"external data file 'w\.bin' is missing"):
        ann.import_model(elsewhere)
    assert ann.import_model(elsewhere, data_folder=tmp_path).is_dynamic


def test_weights_in_no_folder(external: Path) -> None:
    with external.open("rb") as stream:
        for given in (external.read_bytes(), stream, onnx.load(external, load_external_data=False)):
            with pytest.raises(ann.ParseError) as caught:
                ann.import_model(given)
            assert str(caught.value) == (
                "initializer 'w' is stored in 'w.bin', and the model in memory has no folder\n"
                "hint: data_folder=... names the folder of 'w.bin'"
            )
    assert ann.import_model(onnx.load(external)).is_dynamic  # onnx read the weights


def test_invalid_data_folder(model: onnx.ModelProto, external: Path) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="is not a folder"):
        ann.import_model(model, data_folder=external)
    with pytest.raises(ann.InvalidArgumentError, match="data_folder is of type int"):
        ann.import_model(model, data_folder=3)  # type: ignore[arg-type]
