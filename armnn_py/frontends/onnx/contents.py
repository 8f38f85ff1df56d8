# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The bytes of a model file, read while Python imports what is to parse them.

A large file takes as long to read as the modules take to import, and reading leaves Python free.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from armnn_py.errors import ParseError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FileContents"]

_PROTOBUF_LIMIT = 2**31 - 1
_LARGE = 2**20


class FileContents:
    """Begins to read a file; `take` waits for its bytes, and raises what went wrong.

    Parameters
    ----------
    path
        The file.
    meanwhile
        Whether there is something to do until `take`: a large file is then read by a thread.

    Raises
    ------
    ParseError
        There is no file, or it is larger than protobuf allows.
    """

    __slots__ = ("_data", "_error", "_path", "_thread")

    def __init__(self, path: Path, *, meanwhile: bool) -> None:
        self._path = path
        self._data = b""
        self._error: OSError | MemoryError | None = None
        self._thread: threading.Thread | None = None
        size = self._size()
        if size > _PROTOBUF_LIMIT:
            raise ParseError(
                f"model '{path.name}' has {size} bytes, protobuf allows {_PROTOBUF_LIMIT}",
                path=str(path),
                hints=["save it with external data: onnx.save(..., save_as_external_data=True)"],
            )
        if meanwhile and size >= _LARGE:
            thread = threading.Thread(target=self._read, name="armnn_py reads a model", daemon=True)
            with contextlib.suppress(RuntimeError):  # the process may have no more threads
                thread.start()
                self._thread = thread
        if self._thread is None:
            self._read()

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except OSError as error:
            raise self._unreadable(error) from error

    def _read(self) -> None:
        try:
            self._data = self._path.read_bytes()
        except (OSError, MemoryError) as error:
            self._error = error

    def take(self) -> bytes:
        """Return the bytes, once.

        Raises
        ------
        ParseError
            The file cannot be read, or is empty.
        """
        if self._thread is not None:
            self._thread.join()
        if isinstance(self._error, OSError):
            raise self._unreadable(self._error) from self._error
        if self._error is not None:
            raise self._error
        data, self._data = self._data, b""  # they are needed no longer than to be parsed
        if not data:
            raise ParseError(f"model '{self._path.name}' is empty", path=str(self._path))
        return data

    def _unreadable(self, error: OSError) -> ParseError:
        return ParseError(
            f"cannot read model '{self._path.name}': {error.strerror or error}",
            path=str(self._path),
        )
