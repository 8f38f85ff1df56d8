# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What is unusual or damaged is read past protobuf as by protobuf: the same models and errors."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.frontends.common.source import ModelData
from armnn_py.frontends.common.values import Known
from armnn_py.frontends.onnx.file import reading
from armnn_py.frontends.onnx.file.graph_node import Body, Node
from armnn_py.frontends.onnx.file.reading import separate
from armnn_py.frontends.onnx.file.tensors import Unreadable
from tests.frontends.separate_models import branching, floats, model_of, read, tensor

if TYPE_CHECKING:
    import onnx

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


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small models and tensors are also read so."""
    monkeypatch.setattr("armnn_py.frontends.onnx.file.reading._WORTH_WHILE", 0)
    monkeypatch.setattr(reading, "LARGE", 48)


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
    "a name that is not a text": lambda f: [*f[:-1], field(5, b"\x42\x01\xff" + field(9, RAW))],
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
    "a name that is not a text",
}


def constant_of(*attribute: bytes) -> bytes:
    """A model of one Constant node, whose attribute has these fields."""
    value = field(5, field(1, b"value") + b"".join(attribute))
    node = field(1, field(2, b"y") + field(3, b"node") + field(4, b"Constant") + value)
    graph = field(7, node + field(12, field(1, b"y")))
    return b"\x08\x08" + graph + field(8, b"\x10\x11")


TENSOR, GRAPH = b"\xa0\x01\x04", b"\xa0\x01\x05"  # the type of an attribute
VALUE = field(5, DIMS + b"\x10\x01" + field(9, RAW))
BODY = field(6, named("t", DIMS, field(9, RAW)) + field(12, field(1, b"t")))

UNUSUAL_ATTRIBUTES: dict[str, tuple[bytes, ...]] = {
    "as it is": (VALUE, TENSOR),
    "the type first": (TENSOR, VALUE),
    "no type": (VALUE,),
    "the type of a number": (VALUE, b"\xa0\x01\x02"),
    "a tensor twice": (VALUE, VALUE, TENSOR),
    "a tensor and a rest of it": (VALUE, field(5, b"\x08\x01"), TENSOR),
    "a graph": (BODY, GRAPH),
    "a graph twice": (BODY, BODY, GRAPH),
    "a graph and an output of it": (BODY, field(6, field(12, field(1, b"t"))), GRAPH),
    "a tensor beside a graph": (VALUE, BODY, TENSOR),
    "a graph beside a tensor": (VALUE, BODY, GRAPH),
    "a tensor as a number": (b"\x28\x01", VALUE, TENSOR),
    "a list of tensors": (field(10, DIMS + b"\x10\x01" + field(9, RAW)), b"\xa0\x01\x09"),
    "another size than its shape": (field(5, b"\x08\x03\x10\x01" + field(9, RAW)), TENSOR),
    "data twice": (field(5, DIMS + b"\x10\x01" + field(9, RAW) + field(9, RAW)), TENSOR),
    "no data": (field(5, DIMS + b"\x10\x01"), field(99, RAW), TENSOR),
    "elements of 4 bits": (field(5, b"\x08\x80\x0a\x10\x16" + field(9, RAW)), TENSOR),
}
USUAL_ATTRIBUTES = UNUSUAL_ATTRIBUTES.keys() - {
    "a tensor twice",
    "a tensor and a rest of it",
    "a graph twice",
    "a graph and an output of it",
    "a list of tensors",
    "data twice",
    "no data",
}


def plain(value: Any) -> Any:
    """What equals only the same weights, attributes and nodes."""
    if isinstance(value, Unreadable):
        return value.reason
    if isinstance(value, Known):
        return plain(value.array)
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, Node):
        return value.label, value.inputs, value.outputs, plain(value.attributes)
    if isinstance(value, Body):
        return value.inputs, value.outputs, plain(value.nodes), plain(value.constants)
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return repr(value)


def outcome(model: bytes) -> Any:
    """Weights and nodes, or the error's text."""
    try:
        found = read(model)
    except ann.ArmnnError as error:
        return type(error), str(error)
    return plain(found.constants), plain(found.nodes)


def by_protobuf(model: bytes) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "separate", lambda data: None)
        return outcome(model)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("name", UNUSUAL)
def test_unusual_encodings_are_read_as_by_protobuf(name: str) -> None:
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
@pytest.mark.parametrize("name", UNUSUAL_ATTRIBUTES)
def test_unusual_attributes_are_read_as_by_protobuf(name: str) -> None:
    model = constant_of(*UNUSUAL_ATTRIBUTES[name])
    assert (separate(ModelData(None, model)) is not None) == (name in USUAL_ATTRIBUTES)
    assert outcome(model) == by_protobuf(model)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("depth", [1, 15, 16, 40, 5000])
def test_graphs_inside_each_other_are_read_as_by_protobuf(depth: int) -> None:
    graph = named("t", DIMS, field(9, RAW))
    for _ in range(depth):
        inner = field(1, b"body") + b"\xa0\x01\x05" + field(6, graph)
        graph = field(1, field(2, b"y") + field(4, b"If") + field(5, inner))
    model = b"\x08\x08" + field(7, graph + field(12, field(1, b"y"))) + field(8, b"\x10\x11")
    assert (separate(ModelData(None, model)) is not None) == (depth < 16)
    assert outcome(model) == by_protobuf(model)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize(
    "whole",
    [
        model_of(tensor("a", floats(40)), tensor("b", floats(2)), tensor("c", floats(99))),
        model_of(tensor("a", floats(40)), constants={"b": floats(2), "c": floats(99)}),
        branching(floats(60), floats(50)),
    ],
    ids=["initializers", "constants", "branches"],
)
def test_damaged_models_are_read_as_by_protobuf(whole: onnx.ModelProto) -> None:
    draw = random.Random(11)
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
