# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a file to a `Model`, with every way a file can be bad as a `ParseError`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from armnn_py.errors import ParseError
from armnn_py.frontends.onnx.proto import Model, parse
from armnn_py.frontends.onnx.wire import DamagedError, Source

__all__ = ["open_model", "protobuf_text", "quoted"]

_PROTOBUF_LIMIT = 2**31 - 1
_SHOWN_LENGTH = 100


def quoted(name: object) -> str:
    """Return a name from a file in quotes, printable and of sane length."""
    text = str(name)
    if len(text) > _SHOWN_LENGTH:
        text = f"{text[:_SHOWN_LENGTH]}..."
    if not text.isprintable():
        text = text.encode("unicode_escape").decode("ascii")
    return f"'{text}'"


def protobuf_text(value: str | bytes, what: str) -> str:
    """Return a string field; it is ``bytes`` where the file has no UTF-8."""
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            raise ParseError(f"{what} {value[:_SHOWN_LENGTH]!r} is not UTF-8 text") from None
    return value


@contextlib.contextmanager
def open_model(path: Path) -> Iterator[Model]:
    """Read what a model file says; its weights can be read as long as the block lasts.

    Raises
    ------
    ParseError
        The file cannot be read, is empty, too large for protobuf, or not an ONNX model.
    """
    try:
        with path.open("rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            yield _parse(path, Source(file.fileno(), size))
    except OSError as error:
        raise ParseError(
            f"cannot read model '{path.name}': {error.strerror or error}", path=str(path)
        ) from error


def _parse(path: Path, source: Source) -> Model:
    size = source.size
    if size > _PROTOBUF_LIMIT:
        raise ParseError(
            f"model '{path.name}' has {size} bytes, protobuf allows {_PROTOBUF_LIMIT}",
            path=str(path),
            hints=["save it with external data: onnx.save(..., save_as_external_data=True)"],
        )
    if not size:
        raise ParseError(f"model '{path.name}' is empty", path=str(path))
    try:
        model = parse(source, Model(), 0, size)
    except (DamagedError, MemoryError) as error:
        raise ParseError(
            f"'{path.name}' is not an ONNX model, or is damaged",
            path=str(path),
            details=[f"file: {size} bytes", *([str(error)] if str(error) else [])],
            hints=["check the file's size against the original: a copy may have been cut short"],
        ) from error
    if model.graph is None:
        raise ParseError(
            f"'{path.name}' is not an ONNX model: it has no graph",
            path=str(path),
            details=[f"file: {size} bytes"],
        )
    return model
