# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The reader of ONNX files against the protobuf package: it reads what that reads."""

from __future__ import annotations

import os
import random
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper, numpy_helper

from armnn_py.frontends.onnx import proto, wire

FLOAT = TensorProto.FLOAT


@pytest.fixture
def read(tmp_path: Path) -> Callable[[bytes], Any]:
    """Parse bytes; gives all that was found."""

    def call(data: bytes) -> Any:
        path = tmp_path / "model.onnx"
        path.write_bytes(data)
        descriptor = os.open(path, os.O_RDONLY)
        try:
            source = wire.Source(descriptor, len(data))
            return plain(proto.parse(source, proto.Model(), 0, len(data)))
        finally:
            os.close(descriptor)

    return call


def number(value: float) -> Any:
    return "nan" if value != value else value


def plain(model: proto.Model) -> Any:
    """What the importer can see of a message, as values that can be compared."""

    def of(value: Any) -> Any:
        match value:
            case proto.Type():
                if value.value is None:
                    return None
                return [value.value[0], of(value.value[1])]
            case proto.Tensor():
                raw = None
                if value.raw_data is not None:
                    source, (begin, end) = value.raw_data
                    memory = bytearray(end - begin)
                    source.read_into((begin, end), memoryview(memory))
                    raw = bytes(memory)
                members = {name: of(getattr(value, name)) for name in TENSOR}
                data = {name: [number(n) for n in value.elements(name).tolist()] for name in DATA}
                return {**members, **data, "raw_data": raw}
            case proto.Attribute():
                members = {name: of(getattr(value, name)) for name in ATTRIBUTE}
                return {**members, "floats": [number(n) for p in value.floats for n in p.tolist()]}
            case proto.Message():
                names = {name for name, _, _ in value.FIELDS.values()}
                return {name: of(getattr(value, name)) for name in sorted(names)}
            case list():
                return [of(member) for member in value]
            case float():
                return number(value)
        return value

    return of(model)


TENSOR = ("dims", "data_type", "name", "external_data", "data_location")
DATA = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data")
ATTRIBUTE = ("name", "f", "i", "s", "t", "ints", "strings", "type")


def theirs(model: onnx.ModelProto) -> Any:
    """The same of what the protobuf package reads."""

    def optional(message: Any, field: str, of: Callable[[Any], Any] = lambda value: value) -> Any:
        return of(getattr(message, field)) if message.HasField(field) else None

    def entry(message: Any) -> Any:
        return {"key": message.key, "value": message.value}

    def tensor(message: Any) -> Any:
        return {
            "dims": list(message.dims),
            "data_type": message.data_type,
            "name": message.name,
            "external_data": [entry(one) for one in message.external_data],
            "data_location": message.data_location,
            **{name: [number(n) for n in getattr(message, name)] for name in DATA},
            "raw_data": optional(message, "raw_data"),
        }

    def attribute(message: Any) -> Any:
        return {
            "name": message.name,
            "f": optional(message, "f", number),
            "i": optional(message, "i"),
            "s": optional(message, "s"),
            "t": optional(message, "t", tensor),
            "ints": list(message.ints),
            "strings": list(message.strings),
            "type": message.type,
            "floats": [number(n) for n in message.floats],
        }

    def node(message: Any) -> Any:
        return {
            "input": list(message.input),
            "output": list(message.output),
            "name": message.name,
            "op_type": message.op_type,
            "attribute": [attribute(one) for one in message.attribute],
            "domain": message.domain,
        }

    def dimension(message: Any) -> Any:
        which = message.WhichOneof("value")
        return {"value": None if which is None else getattr(message, which)}

    def shape(message: Any) -> Any:
        return {"dim": [dimension(one) for one in message.dim]}

    def kind(message: Any) -> Any:
        which = message.WhichOneof("value")
        if which is None:
            return None
        if which != "tensor_type":
            return [which, None]
        inner = message.tensor_type
        return [which, {"elem_type": inner.elem_type, "shape": optional(inner, "shape", shape)}]

    def info(message: Any) -> Any:
        return {"name": message.name, "type": optional(message, "type", kind)}

    def graph(message: Any) -> Any:
        return {
            "node": [node(one) for one in message.node],
            "initializer": [tensor(one) for one in message.initializer],
            "input": [info(one) for one in message.input],
            "output": [info(one) for one in message.output],
            "sparse_initializer": [
                {"values": optional(one, "values", tensor)} for one in message.sparse_initializer
            ],
        }

    return {
        "ir_version": model.ir_version,
        "graph": optional(model, "graph", graph),
        "opset_import": [{"domain": o.domain, "version": o.version} for o in model.opset_import],
        "functions": [{"name": f.name, "domain": f.domain} for f in model.functions],
    }


def many_sided() -> onnx.ModelProto:
    """A model with a field of every kind that is read."""
    sparse = helper.make_sparse_tensor(
        numpy_helper.from_array(np.float32([1, 2]), "sparse"),
        numpy_helper.from_array(np.array([0, 2]), "places"),
        [4],
    )
    tensors = [
        numpy_helper.from_array(np.arange(6000, dtype=np.float32).reshape(60, 100), "large"),
        numpy_helper.from_array(np.zeros((0, 3), np.int64), "nothing"),
        helper.make_tensor("floats", FLOAT, [3], [1.5, -2.0, float("nan")]),
        helper.make_tensor("halves", TensorProto.FLOAT16, [2], [1.5, -2.0]),
        helper.make_tensor("small", TensorProto.INT8, [3], [-1, 0, 127]),
        helper.make_tensor("wide", TensorProto.INT64, [4], [-1, 2**62, -(2**63), 5]),
        helper.make_tensor("unsigned", TensorProto.UINT64, [2], [2**64 - 1, 3]),
        helper.make_tensor("doubles", TensorProto.DOUBLE, [2], [1e300, -0.0]),
    ]
    outside = TensorProto(name="outside", data_type=1, dims=[2], data_location=1)
    outside.external_data.add(key="location", value="weights.bin")
    attributes = {
        "number": 3,
        "negative": -3,
        "real": 0.25,
        "text": "Grüße",
        "bytes": b"\xff\xfe",
        "numbers": [1, -2, 3],
        "reals": [0.5, -1.0],
        "texts": ["a", "b"],
        "tensor": tensors[2],
        "graph": helper.make_graph([], "inner", [], []),
    }
    graph = helper.make_graph(
        [
            helper.make_node("Odd", ["x", "", "large"], ["y"], name="node", **attributes),
            helper.make_node("Other", ["y"], ["z"], domain="com.example"),
        ],
        "graph",
        [
            helper.make_tensor_value_info("x", FLOAT, ["n", 3, None]),
            helper.make_tensor_sequence_value_info("sequence", FLOAT, None),
        ],
        [
            helper.make_tensor_value_info("y", FLOAT, None),
            helper.make_tensor_value_info("z", TensorProto.INT32, []),
        ],
        [*tensors, outside],
        sparse_initializer=[sparse],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.example", 1)]
    body = [helper.make_node("Relu", ["a"], ["b"])]
    function = helper.make_function("com.example", "Act", ["a"], ["b"], body, opsets[:1])
    return helper.make_model(graph, opset_imports=opsets, functions=[function], ir_version=8)


def test_a_model_with_everything(read: Any) -> None:
    model = many_sided()
    data = model.SerializeToString()
    assert len(data) > 1 << 14  # more than is looked at in one piece
    assert read(data) == theirs(model)


def varint(value: int) -> bytes:
    octets = []
    while value >= 0x80:
        octets.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*octets, value])


def field(number: int, kind: int, contents: bytes) -> bytes:
    """A field as it is on the wire."""
    size = varint(len(contents)) if kind == wire.BYTES else b""
    return varint(number << 3 | kind) + size + contents


def in_tensor(contents: bytes) -> bytes:
    """The file of a model with one initializer."""
    return field(7, 2, field(5, 2, contents))


def in_attribute(contents: bytes) -> bytes:
    return field(7, 2, field(1, 2, field(5, 2, contents)))


def in_type(contents: bytes) -> bytes:
    return field(7, 2, field(11, 2, field(2, 2, contents)))


def group(number: int, contents: bytes) -> bytes:
    return field(number, 3, contents) + field(number, 4, b"")


MINUS_ONE = b"\xff" * 9 + b"\x01"
ODD = {
    "dims one by one": in_tensor(field(1, 0, b"\x05") + field(1, 0, b"\x06")),
    "dims packed": in_tensor(field(1, 2, b"\x05\x96\x01")),
    "dims both ways": in_tensor(field(1, 2, b"\x05") + field(1, 0, b"\x06") + field(1, 2, b"")),
    "a negative dim": in_tensor(field(1, 0, MINUS_ONE)),
    "a negative dim, packed": in_tensor(field(1, 2, MINUS_ONE + b"\x03")),
    "numbers longer than they need be": in_tensor(field(1, 0, b"\x85\x80\x00")),
    "bits beyond 64": in_tensor(field(1, 0, b"\xff" * 9 + b"\x7f")),
    "int32 of 64 bits": in_tensor(field(2, 0, varint(2**40 + 7))),
    "int32 that wraps": in_tensor(field(2, 0, varint(2**31))),
    "packed int32 that wraps": in_tensor(field(5, 2, varint(2**32 - 1) + varint(2**40 + 7))),
    "floats one by one": in_tensor(field(4, 5, struct.pack("<f", 1.5))),
    "floats packed": in_tensor(field(4, 2, struct.pack("<2f", 1.5, -2))),
    "doubles both ways": in_tensor(
        field(10, 1, struct.pack("<d", 1.5)) + field(10, 2, struct.pack("<d", 2.5))
    ),
    "uint64": in_tensor(field(11, 2, varint(2**64 - 1)) + field(11, 0, b"\x01")),
    "an unknown place of data": in_tensor(field(14, 0, b"\x09")),
    "raw data twice": in_tensor(field(9, 2, b"abcd") + field(9, 2, b"ef")),
    "empty raw data": in_tensor(field(9, 2, b"")),
    "fields of other wire types": in_tensor(
        field(1, 5, b"abcd") + field(2, 2, b"x") + field(9, 0, b"\x01") + field(4, 0, b"\x01")
    ),
    "unknown fields": in_tensor(
        field(99, 0, b"\x01")
        + field(99, 1, bytes(8))
        + field(99, 2, b"xyz")
        + field(99, 5, bytes(4))
    ),
    "an unknown group": in_tensor(
        group(77, field(1, 0, b"\x07") + group(3, b"")) + field(2, 0, b"\x01")
    ),
    "an unknown attribute type": in_attribute(field(20, 0, varint(99))),
    "an attribute type that wraps": in_attribute(field(20, 0, varint(2**32 + 1))),
    "a known, then an unknown attribute type": in_attribute(
        field(20, 0, b"\x02") + field(20, 0, varint(99))
    ),
    "an attribute's tensor in two parts": in_attribute(
        field(5, 2, field(1, 0, b"\x02")) + field(5, 2, field(1, 0, b"\x03") + field(8, 2, b"t"))
    ),
    "strings that are no text": in_attribute(field(1, 2, b"ok") + field(9, 2, b"\xff\xfe")),
    "a graph in two parts": field(7, 2, field(1, 2, b"")) + field(7, 2, field(1, 2, b"")),
    "a sequence behind a tensor": in_type(field(1, 2, field(1, 0, b"\x01")) + field(4, 2, b"")),
    "a tensor behind a sequence": in_type(field(4, 2, b"") + field(1, 2, field(1, 0, b"\x01"))),
    "a tensor in two parts": in_type(
        field(1, 2, field(1, 0, b"\x01")) + field(1, 2, field(2, 2, field(1, 2, b"")))
    ),
    "a tensor around a sequence": in_type(
        field(1, 2, field(1, 0, b"\x01")) + field(4, 2, b"") + field(1, 2, b"")
    ),
    "a name behind a number": in_type(
        field(1, 2, field(2, 2, field(1, 2, field(1, 0, b"\x03") + field(2, 2, b"n"))))
    ),
    "a number behind a name": in_type(
        field(1, 2, field(2, 2, field(1, 2, field(2, 2, b"n") + field(1, 0, b"\x03"))))
    ),
    "nothing": b"",
}


@pytest.mark.parametrize("what", ODD)
def test_odd_files(read: Any, what: str) -> None:
    data = ODD[what]
    assert read(data) == theirs(onnx.ModelProto.FromString(data))


BAD = {
    "field number 0": field(0, 0, b"\x01"),
    "wire type 6": field(9, 6, b""),
    "wire type 7": field(9, 7, b""),
    "the end of no group": field(9, 4, b""),
    "the end of another group": field(9, 3, field(8, 4, b"")),
    "a group without end": field(9, 3, field(1, 0, b"\x01")),
    "a number of 11 bytes": field(9, 0, b"\xff" * 10 + b"\x01"),
    "a number without end": b"\x48\xff",
    "a length behind the end": b"\x3a\x05abc",
    "a fixed number behind the end": b"\x4d\x00\x00",
    "a message behind its parent": b"\x3a\x02\x0a\x05" + bytes(20),
    "half a packed float": in_tensor(field(4, 2, b"abc")),
    "half a packed number": in_tensor(field(1, 2, b"\x05\x85")),
    "a packed number of 11 bytes": in_tensor(field(7, 2, b"\xff" * 10 + b"\x01")),
}


@pytest.mark.parametrize("what", BAD)
def test_damaged_files(read: Any, what: str) -> None:
    with pytest.raises(DecodeError):
        onnx.ModelProto.FromString(BAD[what])
    with pytest.raises(wire.DamagedError):
        read(BAD[what])


@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_change(read: Any, seed: int) -> None:
    """What protobuf accepts is read in the same way; more may be accepted, but nothing crashes."""
    chance = random.Random(seed)
    model = many_sided()
    del model.graph.initializer[0]  # so that most changes hit something
    sound = model.SerializeToString()
    equal = refused = 0
    for _ in range(300):
        data = bytearray(sound)
        for _ in range(chance.choice((1, 1, 1, 3))):
            place = chance.randrange(len(data))
            match chance.randrange(3):
                case 0:
                    data[place] = chance.randrange(256)
                case 1:
                    del data[place : place + chance.randint(1, 4)]
                case 2:
                    data[place:place] = chance.randbytes(chance.randint(1, 4))
        try:
            expected = theirs(onnx.ModelProto.FromString(bytes(data)))
        except DecodeError:
            expected = None
        try:
            found = read(bytes(data))
        except wire.DamagedError:
            assert expected is None, bytes(data)
            refused += 1
            continue
        if expected is not None:
            assert found == expected, bytes(data)
            equal += 1
    assert equal > 20
    assert refused > 50


def test_many_packed_numbers(read: Any) -> None:
    """More than are unpacked in one part."""
    values = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 300_000)
    values[::3] >>= 50
    values[1::3] = 0
    tensor = helper.make_tensor("many", TensorProto.INT64, [values.size], values.tolist())
    data = in_tensor(tensor.SerializeToString())
    assert read(data)["graph"]["initializer"][0]["int64_data"] == values.tolist()


def test_numbers_at_every_place_of_the_window(read: Any) -> None:
    """A number may lie across the end of what was read of the file so far."""
    for padding in range((1 << 14) - 24, (1 << 14) + 2):
        data = field(14, 2, bytes(padding)) + field(1, 0, varint(2**62 + padding))
        assert read(data)["ir_version"] == 2**62 + padding
