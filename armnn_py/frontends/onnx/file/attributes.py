# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Attributes of a node as plain Python values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.onnx.file.graph_node import AttributeReference, Body
from armnn_py.frontends.onnx.file.parts import GraphParts, NodeParts
from armnn_py.frontends.onnx.file.reading import protobuf_text
from armnn_py.frontends.onnx.file.sparse import read_sparse
from armnn_py.frontends.onnx.file.tensors import Unreadable, read_tensor

if TYPE_CHECKING:
    import onnx

    from armnn_py.frontends.common.source import Part

__all__ = ["read_attributes"]

BodyReader = Callable[[Any, str, GraphParts], Body]
"""Reads the graph in the attribute of this name."""

_NO_PARTS = NodeParts()


def read_attributes(
    attributes: Iterable[onnx.AttributeProto],
    folder: str | None,
    what: str,
    read_body: BodyReader | None = None,
    parts: NodeParts | None = None,
) -> dict[str, Any]:
    """Return attributes by name: int, float, str, array, or a list of these, `Body` for a graph.

    One that refers to an attribute of the function around is an `AttributeReference`. ``parts``:
    data that the messages lack.

    Raises
    ------
    ParseError
        An attribute is named twice, has no value, or holds a damaged tensor.
    """
    found: dict[str, Any] = {}
    parts = parts or _NO_PARTS
    for number, attribute in enumerate(attributes):
        name = protobuf_text(attribute.name, f"attribute of {what}")
        if name in found:
            raise ParseError(f"{what} has the attribute {quoted(name)} twice")
        where = f"attribute {quoted(name)} of {what}"
        if attribute.ref_attr_name:
            found[name] = AttributeReference(protobuf_text(attribute.ref_attr_name, where))
        elif int(attribute.type) == _GRAPH and read_body is not None:
            found[name] = read_body(attribute.g, name, parts.bodies.get(number) or GraphParts())
        else:
            found[name] = _value(attribute, folder, where, parts.tensors.get(number))
    return found


def _value(attribute: onnx.AttributeProto, folder: str | None, what: str, part: Part | None) -> Any:
    kind = int(attribute.type)
    if kind == _UNDEFINED:  # files of IR version 1 do not state it
        kind = next((number for number in _FIELDS if _is_set(attribute, number)), kind)
    if kind == _TENSOR:
        return read_tensor(attribute.t, folder, what, part=part)
    if kind == _SPARSE_TENSOR:
        return read_sparse(attribute.sparse_tensor, folder, what)
    reader = _READERS.get(kind)
    if reader is not None:
        return reader(attribute)
    if kind == _UNDEFINED:
        raise ParseError(f"{what} has no value")
    return Unreadable(f"{what} has a value of another kind ({kind})")


# AttributeProto.AttributeType
_UNDEFINED = 0
_FLOAT, _INT, _STRING, _TENSOR = 1, 2, 3, 4
_FLOATS, _INTS, _STRINGS = 6, 7, 8
_GRAPH = 5
_SPARSE_TENSOR = 11

_FIELDS = {
    _FLOAT: "f",
    _INT: "i",
    _STRING: "s",
    _TENSOR: "t",
    _FLOATS: "floats",
    _INTS: "ints",
    _STRINGS: "strings",
}


def _is_set(attribute: onnx.AttributeProto, kind: int) -> bool:
    field = _FIELDS[kind]
    return bool(getattr(attribute, field)) if kind >= _FLOATS else attribute.HasField(field)


def _text(value: bytes) -> str | bytes:
    """Return a string attribute; custom operators keep binary data in some."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value


_READERS: dict[int, Callable[[Any], Any]] = {
    _FLOAT: lambda a: float(a.f),
    _INT: lambda a: int(a.i),
    _STRING: lambda a: _text(bytes(a.s)),
    _FLOATS: lambda a: [float(value) for value in a.floats],
    _INTS: lambda a: [int(value) for value in a.ints],
    _STRINGS: lambda a: [_text(bytes(value)) for value in a.strings],
}
