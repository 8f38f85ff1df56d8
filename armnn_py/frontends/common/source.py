# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The source of a model: a file, bytes in memory, or a message that is parsed already."""

from __future__ import annotations

import io
import os
import stat
from typing import Any

from msgspec import Struct

from armnn_py.errors import InvalidArgumentError, ModelFileNotFoundError, ParseError

_HEAD_SIZE = 64
_BUFFERS = (bytes, bytearray, memoryview)


class ModelSource(Struct, frozen=True):
    """A model as it was given; its format is not yet known."""

    name: str
    """Name in messages: that of the file, or ``<bytes>`` and the like."""
    title: str
    """Name of the file without its suffix; empty for a model without a file."""
    path: str | None
    """The file, unless the model is in memory."""
    folder: str | None
    """Folder of the files that the model may refer to; ``None``: it may refer to none."""
    contents: bytes | None = None
    message: Any = None
    """The parsed model, as an object of its format's package; then nothing is read."""

    @property
    def path_text(self) -> str | None:
        """The path as errors have it."""
        return self.path

    def head(self) -> bytes:
        """Return the first bytes, by which a format is recognised.

        Raises
        ------
        ParseError
            The model is empty, or the file cannot be read or is not a regular file (opening a pipe
            would wait).
        """
        if self.path is None:
            head = (self.contents or b"")[:_HEAD_SIZE]
        else:
            try:
                mode = os.stat(self.path).st_mode
                if not stat.S_ISREG(mode):
                    what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
                    raise ParseError(f"model '{self.name}' is {what}", path=self.path_text)
                with open(self.path, "rb") as stream:
                    head = stream.read(_HEAD_SIZE)
            except (OSError, ValueError) as error:
                raise self.unreadable(error) from error
        if not head:
            raise ParseError(f"model '{self.name}' is empty", path=self.path_text)
        return head

    def size(self) -> int:
        """Return how many bytes there are to read.

        Raises
        ------
        ParseError
            The file cannot be read.
        """
        if self.path is None:
            return len(self.contents or b"")
        try:
            return os.stat(self.path).st_size
        except OSError as error:
            raise self.unreadable(error) from error

    def read(self) -> bytes:
        """Return all bytes.

        Raises
        ------
        ParseError
            The model is empty, or the file cannot be read.
        """
        if self.path is None:
            data = self.contents
        else:
            try:
                from armnn_py._native.memory.large_pages import read_bytes

                data = read_bytes(self.path)
            except OSError as error:
                raise self.unreadable(error) from error
        if not data:
            raise ParseError(f"model '{self.name}' is empty", path=self.path_text)
        return data

    def open(self) -> ModelData:
        """Return the bytes for reading in parts.

        Raises
        ------
        ParseError
            The file cannot be read.
        """
        if self.path is None:
            return ModelData(None, self.contents or b"")
        try:
            return ModelData(os.open(self.path, os.O_RDONLY | os.O_CLOEXEC))
        except OSError as error:
            raise self.unreadable(error) from error

    def unreadable(self, error: OSError | ValueError) -> ParseError:
        """Return the error for one of the system."""
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        kind = ModelFileNotFoundError if isinstance(error, FileNotFoundError) else ParseError
        return kind(
            f"cannot read model '{self.name}': {reason}",
            path=self.path_text,
            details=[f"path: {self.path_text!r}"],
        )


class ModelData:
    """The bytes of a model, of which any can be read; a context that closes the file.

    They are read, not mapped: of a file that somebody makes shorter meanwhile there are fewer, and
    the program goes on.

    Parameters
    ----------
    file
        Descriptor of a file, which it closes, or ``None``.
    contents
        The bytes of a model without a file.
    """

    __slots__ = ("_contents", "_file", "size")

    def __init__(self, file: int | None, contents: bytes = b"") -> None:
        self._file = file
        self._contents = memoryview(contents)
        self.size = len(contents) if file is None else os.fstat(file).st_size

    def __enter__(self) -> ModelData:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def read(self, offset: int, size: int) -> bytes:
        """Return bytes from a place; fewer at the end."""
        if self._file is not None:
            return os.pread(self._file, size, offset)
        return bytes(self._contents[offset : offset + size])

    def fill(self, target: memoryview, offset: int) -> int:
        """Write bytes from a place on to ``target``; return how many there were."""
        if self._file is None:
            found = self._contents[offset : offset + len(target)]
            target[: len(found)] = found
            return len(found)
        done = 0
        while done < len(target):
            count = os.preadv(self._file, [target[done:]], offset + done)
            if not count:
                break
            done += count
        return done


class Part(Struct, frozen=True):
    """Bytes of a model that are read when they are wanted."""

    data: ModelData
    offset: int
    size: int

    def fill(self, target: memoryview) -> int:
        """Write the bytes to ``target``, which has their size; return how many there were."""
        return self.data.fill(target, self.offset)


def open_source(
    model: object, data_folder: str | os.PathLike[str] | None, *, is_message: bool = False
) -> ModelSource:
    """Return the source of a model that is given in any form.

    Parameters
    ----------
    model
        A path, bytes, a binary file that is read from its position to its end, or the message of a
        format.
    data_folder
        Folder of the files that the model refers to; by default the folder of the model's file.
    is_message
        Whether ``model`` is known to be a message.

    Raises
    ------
    InvalidArgumentError
        ``model`` has another type, or ``data_folder`` is not a folder.
    ParseError
        A binary file cannot be read.
    """
    folder = None if data_folder is None else _checked_folder(data_folder)
    if is_message:
        return ModelSource(f"<{type(model).__name__}>", "", None, folder, message=model)
    if isinstance(model, _BUFFERS):
        contents = model if isinstance(model, bytes) else bytes(model)
        return ModelSource(f"<{type(model).__name__}>", "", None, folder, contents)
    if isinstance(model, (str, os.PathLike)):
        path = _checked_path(model, "model path")
        name = os.path.basename(path.rstrip(os.sep)) or path
        return ModelSource(name, _stem(name), path, folder or os.path.dirname(path) or os.curdir)
    if callable(getattr(model, "read", None)):
        given = getattr(model, "name", None)  # a number if it was opened by its descriptor
        file = os.path.basename(given) if isinstance(given, str) else ""
        contents = _read_stream(model, file or f"<{type(model).__name__}>")
        if not file:
            return ModelSource(f"<{type(model).__name__}>", "", None, folder, contents)
        return ModelSource(file, _stem(file), None, folder, contents)
    raise InvalidArgumentError(
        f"model is of type {type(model).__name__}, expected a path, bytes, a binary file or an "
        "onnx.ModelProto"
    )


def _stem(name: str) -> str:
    return os.path.splitext(name)[0]


def _checked_path(path: str | os.PathLike[str], what: str) -> str:
    try:
        text = os.fspath(path)
    except TypeError as error:
        raise InvalidArgumentError(f"{what} {path!r}: {error}") from error
    if not isinstance(text, str):
        raise InvalidArgumentError(f"{what} {path!r}: a text expected")
    return text


def _checked_folder(folder: object) -> str:
    if not isinstance(folder, (str, os.PathLike)):
        raise InvalidArgumentError(
            f"data_folder is of type {type(folder).__name__}, expected a path",
            hints=["data_folder='models/net', the folder of the files that the model names"],
        )
    path = _checked_path(folder, "data_folder") or os.curdir
    if not os.path.isdir(path):
        raise InvalidArgumentError(f"data_folder '{folder}' is not a folder")
    return path


def _read_stream(stream: Any, name: str) -> bytes:
    try:
        # A model is binary: reading it as text would fail with an encoding error.
        contents = "" if isinstance(stream, io.TextIOBase) else stream.read()
    except (OSError, ValueError) as error:  # ValueError: the file is closed
        raise ParseError(f"cannot read model '{name}': {error}") from error
    if not isinstance(contents, _BUFFERS):
        raise InvalidArgumentError(
            f"model '{name}' reads as {type(contents).__name__}, expected bytes",
            hints=["open the file in binary mode: open(path, 'rb')"],
        )
    return contents if isinstance(contents, bytes) else bytes(contents)
