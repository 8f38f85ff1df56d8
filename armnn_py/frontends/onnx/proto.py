# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The messages of an ONNX file, as far as the importer looks at them.

Names and numbers of the fields are those of ``onnx.proto``. As protocol buffers want it: what is
not known is skipped, a single value that comes twice counts as it comes last, a single message that
comes twice is one with the fields of both.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from armnn_py.frontends.onnx.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    DamagedError,
    Source,
    Span,
    varints,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Attribute",
    "Dimension",
    "Entry",
    "Function",
    "Graph",
    "Message",
    "Model",
    "Node",
    "OperatorSet",
    "Shape",
    "SparseTensor",
    "Tensor",
    "TensorType",
    "Type",
    "ValueInfo",
    "parse",
]

#: Gives the new value of a field: from what it was, wire type and contents.
Read = Callable[[Source, Any, int, Any], Any]
#: By number: the name of a field, how it is read, and its default.
Fields = Mapping[int, tuple[str, Read, Any]]

_MANY: Any = object()


class _Skip(Exception):  # noqa: N818
    """A field of another wire type than it should have counts as one that is not known."""


def _signed(value: int, bits: int = 64) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _int64(source: Source, old: Any, kind: int, value: Any) -> int:
    if kind != VARINT:
        raise _Skip
    return _signed(value)


def _int32(source: Source, old: Any, kind: int, value: Any) -> int:
    if kind != VARINT:
        raise _Skip
    return _signed(value, 32)


def _enum(last: int) -> Read:
    """A number from 0 to ``last``; another one is as if it were not there."""

    def read(source: Source, old: Any, kind: int, value: Any) -> int:
        number = _int32(source, old, kind, value)
        if not 0 <= number <= last:
            raise _Skip
        return number

    return read


def _float(source: Source, old: Any, kind: int, value: Any) -> float:
    if kind != FIXED32:
        raise _Skip
    number: float = struct.unpack("<f", source.read(value))[0]
    return number


def _bytes(source: Source, old: Any, kind: int, value: Any) -> bytes:
    if kind != BYTES:
        raise _Skip
    return bytes(source.read(value))


def _string(source: Source, old: Any, kind: int, value: Any) -> str | bytes:
    data = _bytes(source, old, kind, value)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data


def _span(source: Source, old: Any, kind: int, value: Any) -> Span:
    if kind != BYTES:
        raise _Skip
    place: Span = value
    return place


def _place(source: Source, old: Any, kind: int, value: Any) -> tuple[Source, Span]:
    return source, _span(source, old, kind, value)


def _nothing() -> None:
    return None


def _message(make: Callable[[], Message]) -> Read:
    def read(source: Source, old: Any, kind: int, value: Any) -> Message:
        return parse(source, make() if old is None else old, *_span(source, old, kind, value))

    return read


def _many(read_one: Read) -> Read:
    def read(source: Source, old: list[Any], kind: int, value: Any) -> list[Any]:
        old.append(read_one(source, None, kind, value))
        return old

    return read


def _numbers(source: Source, old: list[int], kind: int, value: Any) -> list[int]:
    """Signed numbers, one by one or many in a field."""
    if kind == BYTES:
        old += varints(source.read(value)).astype(np.int64).tolist()
    else:
        old.append(_int64(source, None, kind, value))
    return old


def _array(dtype: type[np.generic]) -> Read:
    """Elements of a tensor, one by one or many in a field; the value is a list of arrays."""
    stored = np.dtype(dtype)
    fixed = {4: FIXED32, 8: FIXED64}[stored.itemsize] if stored.kind == "f" else None

    def read(source: Source, old: list[Any], kind: int, value: Any) -> list[Any]:
        if kind == BYTES and fixed is None:
            old.append(varints(source.read(value)).astype(stored))
        elif kind in (BYTES, fixed):
            data = source.read(value)
            if len(data) % stored.itemsize:
                raise DamagedError("a packed field ends inside of a number")
            old.append(np.frombuffer(data, stored.newbyteorder("<")))
        elif kind == VARINT and fixed is None:
            old.append(np.array([value], np.uint64).astype(stored))
        else:
            raise _Skip
        return old

    return read


def _one_of(which: str, make: Callable[[], Message | None]) -> Read:
    """A member of a group of which the last one counts; the value is its name and message."""

    def read(source: Source, old: Any, kind: int, value: Any) -> tuple[str, Message | None]:
        span = _span(source, old, kind, value)
        message = old[1] if old is not None and old[0] == which else make()
        return which, message if message is None else parse(source, message, *span)

    return read


class Message:
    """A message; a field that the file does not have has its default."""

    FIELDS: ClassVar[Fields] = {}

    def __init__(self) -> None:
        for name, _, default in self.FIELDS.values():
            setattr(self, name, [] if default is _MANY else default)


_M = TypeVar("_M", bound=Message)


def parse(source: Source, message: _M, begin: int, end: int) -> _M:
    """Read a message; fields of it that were read before are kept.

    Raises
    ------
    DamagedError
        The bytes from ``begin`` to ``end`` are no message.
    """
    fields = message.FIELDS
    for number, kind, value in source.fields(begin, end):
        field = fields.get(number)
        if field is None:
            continue
        name, read, _ = field
        try:
            new = read(source, getattr(message, name), kind, value)
        except _Skip:
            continue
        setattr(message, name, new)
    return message


class Entry(Message):
    """StringStringEntryProto."""

    key: str | bytes
    value: str | bytes
    FIELDS: ClassVar[Fields] = {1: ("key", _string, ""), 2: ("value", _string, "")}


class Tensor(Message):
    """TensorProto; ``raw_data`` is where the bytes lie in ``source``."""

    dims: list[int]
    data_type: int
    name: str | bytes
    raw_data: tuple[Source, Span] | None
    external_data: list[Entry]
    data_location: int
    FIELDS: ClassVar[Fields] = {
        1: ("dims", _numbers, _MANY),
        2: ("data_type", _int32, 0),
        4: ("float_data", _array(np.float32), _MANY),
        5: ("int32_data", _array(np.int32), _MANY),
        7: ("int64_data", _array(np.int64), _MANY),
        8: ("name", _string, ""),
        9: ("raw_data", _place, None),
        10: ("double_data", _array(np.float64), _MANY),
        11: ("uint64_data", _array(np.uint64), _MANY),
        13: ("external_data", _many(_message(Entry)), _MANY),
        14: ("data_location", _enum(1), 0),
    }

    def elements(self, field: str) -> NDArray[Any]:
        """The numbers of a ``*_data`` field."""
        parts = getattr(self, field)
        return np.concatenate(parts) if parts else np.empty(0, np.int32)


class SparseTensor(Message):
    """SparseTensorProto."""

    values: Tensor | None
    FIELDS: ClassVar[Fields] = {1: ("values", _message(Tensor), None)}


class Attribute(Message):
    """AttributeProto; graphs in it are skipped."""

    name: str | bytes
    f: float | None
    i: int | None
    s: bytes | None
    t: Tensor | None
    floats: list[NDArray[np.float32]]
    ints: list[int]
    strings: list[bytes]
    type: int
    FIELDS: ClassVar[Fields] = {
        1: ("name", _string, ""),
        2: ("f", _float, None),
        3: ("i", _int64, None),
        4: ("s", _bytes, None),
        5: ("t", _message(Tensor), None),
        7: ("floats", _array(np.float32), _MANY),
        8: ("ints", _numbers, _MANY),
        9: ("strings", _many(_bytes), _MANY),
        20: ("type", _enum(14), 0),
    }


class Node(Message):
    """NodeProto."""

    input: list[str | bytes]
    output: list[str | bytes]
    name: str | bytes
    op_type: str | bytes
    attribute: list[Attribute]
    domain: str | bytes
    FIELDS: ClassVar[Fields] = {
        1: ("input", _many(_string), _MANY),
        2: ("output", _many(_string), _MANY),
        3: ("name", _string, ""),
        4: ("op_type", _string, ""),
        5: ("attribute", _many(_message(Attribute)), _MANY),
        7: ("domain", _string, ""),
    }


class Dimension(Message):
    """TensorShapeProto.Dimension; ``value`` is a number or a name, whichever comes last."""

    value: int | str | bytes | None
    FIELDS: ClassVar[Fields] = {1: ("value", _int64, None), 2: ("value", _string, None)}


class Shape(Message):
    """TensorShapeProto."""

    dim: list[Dimension]
    FIELDS: ClassVar[Fields] = {1: ("dim", _many(_message(Dimension)), _MANY)}


class TensorType(Message):
    """TypeProto.Tensor."""

    elem_type: int
    shape: Shape | None
    FIELDS: ClassVar[Fields] = {1: ("elem_type", _int32, 0), 2: ("shape", _message(Shape), None)}


class Type(Message):
    """TypeProto; ``value`` is the name of the kind of type, and what is known of it."""

    value: tuple[str, TensorType | None] | None
    FIELDS: ClassVar[Fields] = {
        1: ("value", _one_of("tensor_type", TensorType), None),
        4: ("value", _one_of("sequence_type", _nothing), None),
        5: ("value", _one_of("map_type", _nothing), None),
        7: ("value", _one_of("opaque_type", _nothing), None),
        8: ("value", _one_of("sparse_tensor_type", _nothing), None),
        9: ("value", _one_of("optional_type", _nothing), None),
    }


class ValueInfo(Message):
    """ValueInfoProto."""

    name: str | bytes
    type: Type | None
    FIELDS: ClassVar[Fields] = {1: ("name", _string, ""), 2: ("type", _message(Type), None)}


class Graph(Message):
    """GraphProto."""

    node: list[Node]
    initializer: list[Tensor]
    input: list[ValueInfo]
    output: list[ValueInfo]
    sparse_initializer: list[SparseTensor]
    FIELDS: ClassVar[Fields] = {
        1: ("node", _many(_message(Node)), _MANY),
        5: ("initializer", _many(_message(Tensor)), _MANY),
        11: ("input", _many(_message(ValueInfo)), _MANY),
        12: ("output", _many(_message(ValueInfo)), _MANY),
        15: ("sparse_initializer", _many(_message(SparseTensor)), _MANY),
    }


class OperatorSet(Message):
    """OperatorSetIdProto."""

    domain: str | bytes
    version: int
    FIELDS: ClassVar[Fields] = {1: ("domain", _string, ""), 2: ("version", _int64, 0)}


class Function(Message):
    """FunctionProto."""

    name: str | bytes
    domain: str | bytes
    FIELDS: ClassVar[Fields] = {1: ("name", _string, ""), 10: ("domain", _string, "")}


class Model(Message):
    """ModelProto."""

    ir_version: int
    graph: Graph | None
    opset_import: list[OperatorSet]
    functions: list[Function]
    FIELDS: ClassVar[Fields] = {
        1: ("ir_version", _int64, 0),
        7: ("graph", _message(Graph), None),
        8: ("opset_import", _many(_message(OperatorSet)), _MANY),
        25: ("functions", _many(_message(Function)), _MANY),
    }
