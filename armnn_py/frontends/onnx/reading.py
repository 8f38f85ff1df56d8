# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a file to a parsed ``ModelProto``, with every way a file can be bad as a `ParseError`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import SHOWN_LENGTH
from armnn_py.frontends.onnx.contents import read_contents
from armnn_py.frontends.onnx.schema import model_class

if TYPE_CHECKING:
    import onnx

__all__ = ["protobuf_text", "read_model"]


def protobuf_text(value: str | bytes, what: str) -> str:
    """Return a string field; protobuf hands over ``bytes`` where the text is not UTF-8."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise ParseError(f"{what} {value[:SHOWN_LENGTH]!r} is not UTF-8 text") from None
    return value


def read_model(path: Path) -> onnx.ModelProto:
    """Read and parse a model file.

    Raises
    ------
    ParseError
        The file cannot be read, is empty, too large for protobuf, or not an ONNX model.
    ModelError
        The package ``onnx`` cannot be imported.
    """
    kind = model_class()
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    data = read_contents(path)
    try:
        model: onnx.ModelProto = kind.FromString(data)
    except (DecodeError, ValueError, RecursionError, MemoryError) as error:
        text = str(error).strip()
        raise ParseError(
            f"'{path.name}' is not an ONNX model, or is damaged",
            path=str(path),
            details=[f"file: {len(data)} bytes", *([f"protobuf: {text}"] if text else [])],
            hints=["check the file's size against the original: a copy may have been cut short"],
        ) from error
    if not model.HasField("graph"):
        raise ParseError(
            f"'{path.name}' is not an ONNX model: it has no graph",
            path=str(path),
            details=[f"file: {len(data)} bytes"],
        )
    return model
