# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From bytes to a parsed ``ModelProto``, with every way they can be bad as a `ParseError`.

Importing the whole package ``onnx`` takes longer than reading most models, so its generated module
of messages is loaded alone. Protobuf has one class for each message: these are the classes of
``onnx`` also for a program that imports it. The module does not stay in ``sys.modules``, where its
package is missing.

Large weights stay in the file until they are read into their arrays. Protobuf would copy them into
its messages, and once more for the caller. So the lengths of ``ModelProto``, ``GraphProto`` and its
large tensors are walked first (https://protobuf.dev/programming-guides/encoding): initializers,
attributes of nodes, and those of the graphs in attributes. Protobuf reads the same message with
these tensors' ``raw_data`` empty. Whatever is unusual is left to protobuf: it has the last word on
what is a model.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, TypeAlias

from armnn_py.errors import ModelError, ParseError
from armnn_py.frontends.common.quoting import SHOWN_LENGTH
from armnn_py.frontends.common.source import ModelData, ModelSource, Part
from armnn_py.frontends.onnx.file.parts import GraphParts, NodeParts

if TYPE_CHECKING:
    from collections.abc import Callable

    import onnx

_PROTOBUF_LIMIT = 2**31 - 1
_WORTH_WHILE = 2**18  # bytes: smaller models are read at once


def protobuf_text(value: str | bytes, what: str) -> str:
    """Return a string field; protobuf hands over ``bytes`` where the text is not UTF-8."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise ParseError(f"{what} {value[:SHOWN_LENGTH]!r} is not UTF-8 text") from None
    return value


@contextmanager
def read_model(source: ModelSource) -> Iterator[tuple[onnx.ModelProto, GraphParts]]:
    """Read and parse a model, unless it is parsed already.

    A context: inside of it, parts of the model can be read. These are the data of tensors whose
    ``raw_data`` is empty in the message although it is not in the file.

    Raises
    ------
    ParseError
        The model cannot be read, is empty, too large for protobuf, or not an ONNX model.
    ModelError
        The package ``onnx`` cannot be imported.
    """
    if source.message is not None:
        yield _with_graph(source.message, source), GraphParts()
        return
    kind = model_class()
    with source.open() as data:
        contents, parts = _contents(source, data)
        model = _with_graph(_parsed(kind, contents, source), source)
        del contents
        yield model, parts


def _with_graph(model: onnx.ModelProto, source: ModelSource) -> onnx.ModelProto:
    if not model.HasField("graph"):
        raise ParseError(
            f"'{source.name}' is not an ONNX model: it has no graph",
            path=source.path_text,
            details=[_size_line(source)] if source.message is None else [],
        )
    return model


def _contents(source: ModelSource, data: ModelData) -> tuple[bytes, GraphParts]:
    """Return what protobuf is to read, and what is left out of it."""
    if data.size > _PROTOBUF_LIMIT:
        raise ParseError(
            f"model '{source.name}' has {data.size} bytes, protobuf allows {_PROTOBUF_LIMIT}",
            path=source.path_text,
            hints=["save it with external data: onnx.save(..., save_as_external_data=True)"],
        )
    if data.size >= _WORTH_WHILE:
        try:
            found = separate(data)
        except OSError as error:
            raise source.unreadable(error) from error
        if found is not None:
            return found
    return source.read(), GraphParts()


def _parsed(kind: type[onnx.ModelProto], contents: bytes, source: ModelSource) -> onnx.ModelProto:
    from google.protobuf.message import DecodeError

    try:
        model: onnx.ModelProto = kind.FromString(contents)
    except (DecodeError, ValueError, RecursionError) as error:
        text = str(error).strip()
        if "alloc failed" in text:  # protobuf has no class of its own for this
            raise MemoryError(text) from error
        raise ParseError(
            f"'{source.name}' is not an ONNX model, or is damaged",
            path=source.path_text,
            details=[_size_line(source), *([f"protobuf: {text}"] if text else [])],
            hints=["check the file's size against the original: a copy may have been cut short"],
        ) from error
    return model


def _size_line(source: ModelSource) -> str:
    return f"{'given' if source.path is None else 'file'}: {source.size()} bytes"


_GENERATED = "onnx.onnx_ml_pb2"
#: protobuf's C code loses the error of an allocation that failed. It raises `SystemError`, or says
#: one of these of the bytes of the module itself.
_LOST = ("Couldn't parse file content", "out of memory")


@functools.cache
def model_class() -> type[onnx.ModelProto]:
    """Return the class ``onnx.ModelProto``.

    Raises
    ------
    ModelError
        The package ``onnx``, or the package ``protobuf`` below it, cannot be imported.
    MemoryError
        Memory ran out in the import.
    """
    try:
        found = None if "onnx" in sys.modules else _from_generated_module()
        if found is None:
            import onnx

            found = onnx.ModelProto
    except Exception as error:  # versions that do not fit raise all kinds of errors
        if isinstance(error, SystemError) or any(words in str(error) for words in _LOST):
            raise MemoryError(f"the Python package 'onnx' cannot be imported: {error}") from error
        raise ModelError(
            "the Python package 'onnx' cannot be imported",
            details=[f"{type(error).__name__}: {error}"],
            hints=["pip install --upgrade onnx protobuf"],
        ) from error
    assert isinstance(found, type)
    return found


def _from_generated_module() -> Any:
    """Return the class, or ``None`` where the package is laid out in another way."""
    package = importlib.util.find_spec("onnx")
    folders = package.submodule_search_locations if package is not None else None
    spec = PathFinder.find_spec(_GENERATED, folders) if folders else None
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, "ModelProto", None)


LARGE = 2**14
"""Bytes of a tensor from which it is worth while."""

_WINDOW = 2**13
_LONGEST_HEADER = 20  # of a field: a tag and a length
_DEEPEST = 16  # of graphs inside each other
_VARINT, _FIXED_64, _LENGTH, _FIXED_32 = 0, 1, 2, 5

# Tags of fields that are taken apart, all of them of kind _LENGTH: of a model, a graph, a node, an
# attribute and a tensor.
_GRAPH = 7 << 3 | _LENGTH
_NODE = 1 << 3 | _LENGTH
_INITIALIZER = 5 << 3 | _LENGTH
_ATTRIBUTE = 5 << 3 | _LENGTH
_ATTRIBUTE_TENSOR = 5 << 3 | _LENGTH
_ATTRIBUTE_GRAPH = 6 << 3 | _LENGTH
_RAW_DATA = 9 << 3 | _LENGTH

_Pieces: TypeAlias = "list[bytes | range]"
_Reader: TypeAlias = "Callable[[int, int, int], _Pieces]"


class _UnusualError(Exception):
    pass


def separate(data: ModelData) -> tuple[bytes, GraphParts] | None:
    """Return a model without its large tensors' data, and where these are.

    Returns
    -------
    tuple or None
        A ``ModelProto`` whose large tensors have ``raw_data`` without bytes, and the places of the
        bytes. None if most of the model is something else, or anything is unusual, as a length that
        cannot be.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    walk = _Walk(data)
    try:
        pieces = walk.model()
    except (_UnusualError, IndexError):  # IndexError: it ends inside of a field
        return None
    if 2 * walk.found < data.size:
        return None
    return b"".join(walk.bytes_of(piece) for piece in pieces), walk.parts


class _Walk:
    """Finds pieces of a model: new bytes, or a range of bytes that stay as they are."""

    def __init__(self, data: ModelData) -> None:
        self.parts = GraphParts()
        self.found = 0  # bytes of parts
        self._depth = 0
        self._data = data
        self._window = b""
        self._first = 0  # where the window begins

    def model(self) -> _Pieces:
        return self._members(
            0, self._data.size, {_GRAPH: lambda *at: self._graph(self.parts, *at)}, once=True
        )

    def _members(
        self, place: int, end: int, readers: dict[int, _Reader], *, once: bool = False
    ) -> _Pieces:
        """Return the pieces of a message, none if it stays as it is.

        Its large members of these tags are read by these, which are given the number among the
        members of the tag; ``once``: there is at most one.
        """
        pieces: _Pieces = []
        kept = place
        counts = dict.fromkeys(readers, 0)
        while place < end:
            tag, start, stop = self._field(place, end)
            if tag in counts:
                number = counts[tag]
                if once and number:  # protobuf merges several
                    raise _UnusualError
                counts[tag] = number + 1
                if stop - start >= LARGE and (found := readers[tag](start, stop, number)):
                    pieces += range(kept, place), *_message(tag, found)
                    kept = stop
            place = stop
        return [*pieces, range(kept, end)] if pieces else []

    def _graph(self, parts: GraphParts, place: int, end: int, _: int) -> _Pieces:
        if self._depth == _DEEPEST:
            raise _UnusualError
        self._depth += 1
        readers: dict[int, _Reader] = {
            _INITIALIZER: lambda *at: self._tensor(parts.initializers, *at),
            _NODE: lambda *at: self._node(parts, *at),
        }
        pieces = self._members(place, end, readers)
        self._depth -= 1
        return pieces

    def _node(self, parts: GraphParts, place: int, end: int, number: int) -> _Pieces:
        found = parts.nodes[number] = NodeParts()
        return self._members(place, end, {_ATTRIBUTE: lambda *at: self._attribute(found, *at)})

    def _attribute(self, parts: NodeParts, place: int, end: int, number: int) -> _Pieces:
        body = parts.bodies[number] = GraphParts()
        readers: dict[int, _Reader] = {
            _ATTRIBUTE_TENSOR: lambda start, stop, _: self._tensor(
                parts.tensors, start, stop, number
            ),
            _ATTRIBUTE_GRAPH: lambda *at: self._graph(body, *at),
        }
        return self._members(place, end, readers, once=True)

    def _tensor(self, parts: dict[int, Part], place: int, end: int, number: int) -> _Pieces:
        first, found = place, None
        while place < end:
            tag, start, stop = self._field(place, end)
            if tag == _RAW_DATA:
                if found is not None:  # the last one counts
                    raise _UnusualError
                found = place, start, stop
            place = stop
        if found is None or found[2] - found[1] < LARGE:
            return []
        before, start, stop = found
        parts[number] = Part(self._data, start, stop - start)
        self.found += stop - start
        return [range(first, before), *_message(_RAW_DATA, []), range(stop, end)]

    def _field(self, place: int, end: int) -> tuple[int, int, int]:
        """Return the tag of a field, where its contents begin, and where they end."""
        index = place - self._first
        if not 0 <= index <= len(self._window) - _LONGEST_HEADER:
            self._window, self._first, index = self._data.read(place, _WINDOW), place, 0
        window = self._window
        tag, index = _varint(window, index)
        kind = tag & 7
        if kind == _LENGTH:
            before = index
            length, index = _varint(window, index)
            if index - before > 5:  # protobuf counts in 32 bits
                raise _UnusualError
            start = self._first + index
            stop = start + length
        else:
            start = self._first + index
            if kind == _VARINT:
                stop = self._first + _varint(window, index)[1]
            elif kind == _FIXED_32:
                stop = start + 4
            elif kind == _FIXED_64:
                stop = start + 8
            else:  # groups, which proto3 lacks, and kinds that there are not
                raise _UnusualError
        if stop > end:
            raise _UnusualError
        return tag, start, stop

    def bytes_of(self, piece: bytes | range) -> bytes:
        if isinstance(piece, bytes):
            return piece
        return self._data.read(piece.start, len(piece)) if piece else b""


def _varint(window: bytes, index: int) -> tuple[int, int]:
    """Return a number and its end; an encoding longer than needed, which writers avoid, is unusual.

    So the tag of a field that is written anew is the one that was read.
    """
    byte = window[index]
    if byte < 0x80:
        return byte, index + 1
    value, shift = byte & 0x7F, 7
    while True:
        index += 1
        byte = window[index]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
        if shift > 63:
            raise _UnusualError
    if not byte:
        raise _UnusualError
    return value, index + 1


def _message(tag: int, pieces: _Pieces) -> _Pieces:
    """Return the pieces of a field that is a message of these pieces."""
    length = sum(map(len, pieces))
    header = bytearray((tag,))
    while length > 0x7F:
        header.append(length & 0x7F | 0x80)
        length >>= 7
    header.append(length)
    return [bytes(header), *pieces]
