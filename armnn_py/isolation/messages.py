# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Messages between a host and a worker, over one stream socket.

A request is pickled by the host: its kind, its payload, and arrays apart in a sealed file in
memory, which the worker maps. Worker and backend are not trusted: an answer is JSON, and nothing
of it is executed.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import pickle
import socket
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

_HEADER = struct.Struct("=QI")
_ALIGNMENT = 64
#: No answer is as long: more is damage.
_LONGEST_ANSWER = 1 << 28


class Request:
    """A request that can be sent to several workers, one after another.

    Parameters
    ----------
    kind
        What is asked, see ``docs/isolation.md``.
    payload
        Anything that can be pickled.
    files
        Descriptors that the worker gets as well; they stay the caller's.
    """

    def __init__(self, kind: str, payload: Any = None, files: tuple[int, ...] = ()) -> None:
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps((kind, payload), protocol=5, buffer_callback=buffers.append)
        views = [buffer.raw() for buffer in buffers]
        places, end = [], 0
        for view in views:
            places.append((end, view.nbytes))
            end += -(-max(view.nbytes, 1) // _ALIGNMENT) * _ALIGNMENT
        self._memory: int | None = None
        if views:
            self._memory = _sealed_file(views, places, end)
        self.kind = kind
        self._places = places
        self._data = pickle.dumps((places, data))
        self._files = files

    def send(self, connection: socket.socket) -> None:
        """Send it; raises `OSError` if the worker is gone."""
        own = () if self._memory is None else (self._memory,)
        files = [*own, *self._files]
        header = _HEADER.pack(len(self._data), len(files))
        if files:
            socket.send_fds(connection, [header], files)
        else:
            connection.sendall(header)
        connection.sendall(self._data)

    @property
    def payload(self) -> Any:
        """A copy of the payload, whose arrays lie in the request's file."""
        return _unpack(self._data, [] if self._memory is None else [os.dup(self._memory)])[1]

    def arrays(self, sizes: Container[int]) -> list[memoryview]:
        """Its arrays of some sizes in bytes, read-only, where the worker has them."""
        if self._memory is None or not any(size in sizes for _, size in self._places):
            return []
        views = _mapped(os.dup(self._memory), self._places)
        return [view for view in views if view.nbytes in sizes]

    def __del__(self) -> None:
        if getattr(self, "_memory", None) is not None:
            os.close(self._memory)  # type: ignore[arg-type]


def _sealed_file(views: list[memoryview], places: list[tuple[int, int]], size: int) -> int:
    """A file in memory with the bytes of arrays, sealed against any change."""
    file = os.memfd_create("armnn_py", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.truncate(file, size)
        for view, (offset, _) in zip(views, places, strict=True):
            done = 0
            while done < view.nbytes:
                done += os.pwrite(file, view[done:], offset + done)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, seals)
    except BaseException:
        os.close(file)
        raise
    return file


def receive_request(connection: socket.socket) -> tuple[str, Any, list[int]]:
    """Receive a request in a worker: its kind, payload and descriptors.

    Raises
    ------
    EOFError
        The host is gone.
    """
    header, files, _, _ = socket.recv_fds(connection, _HEADER.size, 4)
    if not header:
        raise EOFError
    header += _receive(connection, _HEADER.size - len(header))
    size, count = _HEADER.unpack(header)
    data = _receive(connection, size)
    if len(files) != count:
        raise EOFError
    kind, payload = _unpack(data, files)
    return kind, payload, list(files)


def _unpack(data: bytes, files: list[int]) -> tuple[str, Any]:
    """Kind and payload of a request; takes the file of its arrays out of ``files``."""
    places, pickled = pickle.loads(data)
    buffers: list[memoryview] = []
    if places:
        buffers = _mapped(files.pop(0), places)
    kind, payload = pickle.loads(pickled, buffers=buffers)
    return kind, payload


def _mapped(file: int, places: Sequence[tuple[int, int]]) -> list[memoryview]:
    """Parts of a file, mapped as long as one of them is needed; closes the descriptor."""
    view = memoryview(mmap.mmap(file, 0, prot=mmap.PROT_READ))
    os.close(file)
    return [view[offset : offset + length] for offset, length in places]


def send_answer(connection: socket.socket, answer: dict[str, Any]) -> None:
    """Send an answer from a worker."""
    data = json.dumps(answer).encode()
    connection.sendall(_HEADER.pack(len(data), 0) + data)


def receive_answer(connection: socket.socket) -> dict[str, Any]:
    """Receive an answer in the host.

    Raises
    ------
    EOFError
        The worker is gone.
    ValueError
        The bytes are not an answer.
    """
    size, _ = _HEADER.unpack(_receive(connection, _HEADER.size))
    if size > _LONGEST_ANSWER:
        raise ValueError(f"an answer of {size} bytes")
    answer = json.loads(_receive(connection, size))
    if not isinstance(answer, dict):
        raise ValueError("an answer that is not an object")
    return answer


def _receive(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = connection.recv(min(size - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)
