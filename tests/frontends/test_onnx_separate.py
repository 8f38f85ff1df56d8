# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Large initializers that are read past protobuf: the same networks and errors as by protobuf."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends import import_model
from armnn_py.frontends.common.source import ModelData, open_source
from armnn_py.frontends.onnx import separate as separate_module
from armnn_py.frontends.onnx.model import load_model
from armnn_py.frontends.onnx.separate import LARGE, separate
from armnn_py.frontends.onnx.tensors import Unreadable
from armnn_py.network import ConstantLayer

R = np.random.default_rng(5)
LENGTH = 2


def number(value: int) -> bytes:
    """A varint."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def field(tag: int, contents: bytes, kind: int = LENGTH) -> bytes:
    length = number(len(contents)) if kind == LENGTH else b""
    return number(tag << 3 | kind) + length + contents


def tensor(name: str, values: np.ndarray) -> TensorProto:
    return numpy_helper.from_array(values, name)


def model_of(*tensors: TensorProto) -> onnx.ModelProto:
    """A Concat of tensors, so that each is used."""
    reads = [one.name for one in tensors]
    graph = helper.make_graph(
        [
            helper.make_node("Concat", reads, ["all"], axis=0, name="concat"),
            helper.make_node("Add", ["all", "x"], ["y"], name="add"),
        ],
        "graph",
        [helper.make_tensor_value_info("x", tensors[0].data_type, (1,))],
        [helper.make_tensor_value_info("y", tensors[0].data_type, None)],
        initializer=list(tensors),
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def floats(count: int) -> np.ndarray:
    return R.standard_normal(count).astype(np.float32)


def constants_of(model: bytes | Path) -> dict[str, Any]:
    given = open_source(model if isinstance(model, bytes) else str(model), None)
    return load_model(given).constants


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small models and tensors are read so, too."""
    monkeypatch.setattr("armnn_py.frontends.onnx.reading._WORTH_WHILE", 0)
    monkeypatch.setattr(separate_module, "LARGE", 48)


# ---- What stays in the file ----------------------------------------------------------------------


@pytest.mark.parametrize("from_file", [True, False])
def test_large_tensors_are_no_part_of_the_message(tmp_path: Path, from_file: bool) -> None:
    values = [floats(LARGE), floats(3), floats(LARGE // 4), floats(LARGE // 4 - 1)]
    data = model_of(*(tensor(f"t{i}", one) for i, one in enumerate(values))).SerializeToString()
    (tmp_path / "m.onnx").write_bytes(data)
    given = tmp_path / "m.onnx" if from_file else data
    with open_source(given, None).open() as opened:
        found = separate(opened)
        assert found is not None
        contents, parts = found
        assert sorted(parts) == [0, 2]
        assert len(contents) < LARGE + 1000
        read = onnx.ModelProto.FromString(contents).graph.initializer
        assert [len(one.raw_data) for one in read] == [0, 12, 0, LARGE - 4]
        for number, part in parts.items():
            array = np.empty_like(values[number])
            assert part.fill(array.view(np.uint8).data) == array.nbytes
            np.testing.assert_array_equal(array, values[number])
    constants = constants_of(given)
    for i, one in enumerate(values):
        np.testing.assert_array_equal(constants[f"t{i}"].array, one)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.bool_, np.int8, np.uint64])
def test_types_of_large_tensors(tmp_path: Path, dtype: Any) -> None:
    values = R.integers(0, 2, 2**19).astype(dtype)
    file = tmp_path / "m.onnx"
    file.write_bytes(model_of(tensor("t", values)).SerializeToString())
    np.testing.assert_array_equal(constants_of(file)["t"].array, values)


@pytest.mark.parametrize("kind", [TensorProto.INT4, TensorProto.UINT4, TensorProto.BFLOAT16])
def test_large_tensors_of_small_types(tmp_path: Path, kind: int) -> None:
    count = 2**20
    stored = R.integers(0, 64, count * 2 if kind == TensorProto.BFLOAT16 else count // 2)
    one = TensorProto(
        name="t", data_type=kind, dims=[count], raw_data=stored.astype(np.uint8).tobytes()
    )
    file = tmp_path / "m.onnx"
    file.write_bytes(model_of(one).SerializeToString())
    expected = numpy_helper.to_array(one)
    np.testing.assert_array_equal(
        constants_of(file)["t"].array.astype(np.float32), expected.astype(np.float32)
    )


def test_a_network_from_a_file_with_a_large_tensor(tmp_path: Path) -> None:
    values = floats(2**17)
    model = model_of(tensor("t", values))
    file = tmp_path / "m.onnx"
    file.write_bytes(model.SerializeToString())
    for given in (str(file), file.read_bytes(), io.BytesIO(file.read_bytes()), model):
        network = import_model(given)
        arrays = [one.value for one in network.layers if isinstance(one, ConstantLayer)]
        assert any(np.array_equal(one, values) for one in arrays)
        assert all(not one.flags.writeable for one in arrays)


# ---- Files that change or lie --------------------------------------------------------------------


def test_a_file_that_is_cut_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "m.onnx"
    file.write_bytes(model_of(tensor("t", floats(2**18))).SerializeToString())

    def cut(data: ModelData) -> Any:
        found = separate(data)
        os.truncate(file, 2**19)
        return found

    monkeypatch.setattr(separate_module, "separate", cut)
    with pytest.raises(ann.ParseError, match="'t' has the wrong amount of data") as caught:
        import_model(file)
    assert caught.value.path == str(file)


def test_a_large_tensor_of_another_size_than_its_shape(tmp_path: Path) -> None:
    one = tensor("t", floats(2**17))
    one.dims[0] += 1
    file = tmp_path / "m.onnx"
    file.write_bytes(model_of(one).SerializeToString())
    with pytest.raises(ann.ParseError, match="'t' has the wrong amount of data") as caught:
        import_model(file)
    assert f"stored: {2**19} bytes" in str(caught.value)


def rebuilt(change: Callable[[list[bytes]], list[bytes]]) -> bytes:
    """A model whose graph's fields were changed; the last one is the large initializer."""
    model = model_of(tensor("t", floats(160)))
    graph = model.graph
    fields = [field(1, one.SerializeToString()) for one in graph.node]
    fields += [field(11, one.SerializeToString()) for one in graph.input]
    fields += [field(12, one.SerializeToString()) for one in graph.output]
    fields = change([*fields, field(5, graph.initializer[0].SerializeToString())])
    model.ClearField("graph")
    return bytes(model.SerializeToString()) + field(7, b"".join(fields))


def named(name: str, *fields: bytes) -> bytes:
    """A tensor of one dimension."""
    return field(5, b"".join([field(8, name.encode()), b"\x10\x01", *fields]))


RAW = floats(160).tobytes()  # a length of two bytes, 80 05
DIMS = b"\x08\xa0\x01"

UNUSUAL: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "as it is": lambda fields: fields,
    "the initializer first": lambda fields: fields[::-1],
    "data before the shape": lambda f: [*f[:-1], named("t", field(9, RAW), DIMS)],
    "a packed shape": lambda f: [*f[:-1], named("t", field(1, b"\xa0\x01"), field(9, RAW))],
    "data twice": lambda f: [*f[:-1], named("t", DIMS, field(9, RAW), field(9, RAW[::-1]))],
    "data as a number": lambda f: [*f[:-1], named("t", DIMS, field(9, b"\x01", 0), field(9, RAW))],
    "an unknown field": lambda f: [*f[:-1], named("t", field(99, RAW[:64]), DIMS, field(9, RAW))],
    "fields of fixed size": lambda f: [
        *f[:-1],
        named("t", field(98, b"12345678", 1), field(97, b"1234", 5), DIMS, field(9, RAW)),
    ],
    "a group": lambda f: [*f[:-1], named("t", b"\xa3\x06\xa4\x06", DIMS, field(9, RAW))],
    "a group that does not end": lambda f: [*f[:-1], named("t", b"\xa3\x06", DIMS, field(9, RAW))],
    "field 0": lambda f: [*f[:-1], named("t", b"\x02\x00", DIMS, field(9, RAW))],
    "a kind that there is not": lambda f: [*f[:-1], named("t", b"\x0f", DIMS, field(9, RAW))],
    "a tag longer than needed": lambda f: [*f[:-1], named("t", DIMS, b"\xca\x00\x80\x05" + RAW)],
    "a length longer than needed": lambda f: [*f[:-1], named("t", DIMS, b"\x4a\x80\x85\x00" + RAW)],
    "a length of ten bytes": lambda f: [
        *f[:-1],
        named("t", DIMS, b"\x4a\x80\x85" + b"\x80" * 7 + b"\x00" + RAW),
    ],
    "a length that is too large": lambda f: [*f[:-1], named("t", DIMS, b"\x4a\x81\x05" + RAW)],
    "a huge length": lambda f: [*f[:-1], named("t", DIMS, b"\x4a" + b"\xff" * 9 + b"\x01" + RAW)],
    "a number without end": lambda f: [*f[:-1], named("t", b"\x10" + b"\xff" * 11, field(9, RAW))],
    "it ends inside of a number": lambda f: [*f, b"\x80"],
    "it ends inside of a length": lambda f: [*f, b"\x2a\x80"],
    "an initializer past the graph": lambda f: [*f, b"\x2a\xff\x01" + bytes(60)],
    "an initializer as a number": lambda f: [*f[:-1], b"\x28\x01", f[-1]],
    "two initializers of a name": lambda f: [*f, f[-1]],
    "external and raw": lambda f: [
        *f[:-1],
        named("t", DIMS, b"\x70\x01", field(9, RAW)),
    ],
    "floats beside raw": lambda f: [*f[:-1], named("t", DIMS, field(4, RAW[:64]), field(9, RAW))],
    "a name that is no text": lambda f: [*f[:-1], field(5, b"\x42\x01\xff" + field(9, RAW))],
}


# Those that are read past protobuf all the same.
USUAL = {
    "as it is",
    "the initializer first",
    "data before the shape",
    "a packed shape",
    "data as a number",
    "an unknown field",
    "fields of fixed size",
    "field 0",
    "an initializer as a number",
    "two initializers of a name",
    "external and raw",
    "floats beside raw",
    "a name that is no text",
}


def outcome(model: bytes) -> Any:
    """Weights, or the error's text."""
    try:
        found = constants_of(model)
    except ann.ArmnnError as error:
        return type(error), str(error)
    return {
        name: one.reason
        if isinstance(one, Unreadable)
        else (one.dtype, one.shape, one.array.tobytes())
        for name, one in found.items()
    }


def by_protobuf(model: bytes) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(separate_module, "separate", lambda data: None)
        return outcome(model)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("name", UNUSUAL)
def test_what_is_unusual_is_read_as_by_protobuf(name: str) -> None:
    model = rebuilt(UNUSUAL[name])
    assert (separate(ModelData(None, model)) is not None) == (name in USUAL)
    assert outcome(model) == by_protobuf(model)


@pytest.mark.usefixtures("always")
def test_two_graphs_are_one() -> None:
    one = rebuilt(lambda fields: fields)
    assert separate(ModelData(None, one)) is not None
    model = one + field(7, named("u", DIMS, field(9, RAW)))
    assert separate(ModelData(None, model)) is None
    assert outcome(model) == by_protobuf(model)


@pytest.mark.usefixtures("always")
def test_damaged_models_are_read_as_by_protobuf() -> None:
    draw = random.Random(11)
    whole = model_of(tensor("a", floats(40)), tensor("b", floats(2)), tensor("c", floats(99)))
    data = whole.SerializeToString()
    assert separate(ModelData(None, data)) is not None
    taken = 0
    for _ in range(1500):
        damaged = bytearray(data)
        for _ in range(draw.choice((1, 1, 2, 5))):
            place = draw.randrange(len(damaged))
            kind = draw.randrange(4)
            if kind == 0:
                damaged[place] = draw.randrange(256)
            elif kind == 1:
                damaged[place] ^= 1 << draw.randrange(8)
            elif kind == 2:
                del damaged[place : place + draw.randrange(1, 9)]
            else:
                damaged[place:place] = draw.randbytes(draw.randrange(1, 4))
        model = bytes(damaged)
        taken += separate(ModelData(None, model)) is not None
        assert outcome(model) == by_protobuf(model)
    assert taken > 400
