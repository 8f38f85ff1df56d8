# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From bytes to a parsed ``ModelProto``, with every way they can be bad as a `ParseError`.

Importing the whole package ``onnx`` takes longer than reading most models, so its generated module
of messages is loaded alone. Protobuf has one class for each message: these are the classes of
``onnx`` also for a program that imports it. The module does not stay in ``sys.modules``, where its
package is missing.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from armnn_py.errors import ModelError, ParseError
from armnn_py.frontends.common.quoting import SHOWN_LENGTH
from armnn_py.frontends.common.source import ModelData, ModelSource
from armnn_py.frontends.onnx.file.parts import GraphParts
from armnn_py.frontends.onnx.file.separate import separate

if TYPE_CHECKING:
    import onnx

__all__ = ["model_class", "protobuf_text", "read_model"]

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
