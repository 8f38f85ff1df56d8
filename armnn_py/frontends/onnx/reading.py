# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From bytes to a parsed ``ModelProto``, with every way they can be bad as a `ParseError`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import SHOWN_LENGTH
from armnn_py.frontends.common.source import ModelSource
from armnn_py.frontends.onnx.schema import model_class

if TYPE_CHECKING:
    import onnx

__all__ = ["protobuf_text", "read_model"]

_PROTOBUF_LIMIT = 2**31 - 1


def protobuf_text(value: str | bytes, what: str) -> str:
    """Return a string field; protobuf hands over ``bytes`` where the text is not UTF-8."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise ParseError(f"{what} {value[:SHOWN_LENGTH]!r} is not UTF-8 text") from None
    return value


def read_model(source: ModelSource) -> onnx.ModelProto:
    """Read and parse a model, unless it is parsed already.

    Raises
    ------
    ParseError
        The model cannot be read, is empty, too large for protobuf, or not an ONNX model.
    ModelError
        The package ``onnx`` cannot be imported.
    """
    model: onnx.ModelProto = _parsed(source) if source.message is None else source.message
    if not model.HasField("graph"):
        raise ParseError(
            f"'{source.name}' is not an ONNX model: it has no graph",
            path=source.path_text,
            details=[_size_line(source)] if source.message is None else [],
        )
    return model


def _parsed(source: ModelSource) -> onnx.ModelProto:
    kind = model_class()
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    size = source.size()
    if size > _PROTOBUF_LIMIT:
        raise ParseError(
            f"model '{source.name}' has {size} bytes, protobuf allows {_PROTOBUF_LIMIT}",
            path=source.path_text,
            hints=["save it with external data: onnx.save(..., save_as_external_data=True)"],
        )
    data = source.read()
    try:
        model: onnx.ModelProto = kind.FromString(data)
    except (DecodeError, ValueError, RecursionError, MemoryError) as error:
        text = str(error).strip()
        raise ParseError(
            f"'{source.name}' is not an ONNX model, or is damaged",
            path=source.path_text,
            details=[_size_line(source), *([f"protobuf: {text}"] if text else [])],
            hints=["check the file's size against the original: a copy may have been cut short"],
        ) from error
    return model


def _size_line(source: ModelSource) -> str:
    return f"{'given' if source.path is None else 'file'}: {source.size()} bytes"
