# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Messages between a host and a worker, over one stream socket.

A request is pickled by the host: its kind and its payload. Arrays lie apart, in files that the
worker maps: where they are if the host has mapped them from a file, others in a sealed file in
memory. Worker and backend are not trusted: an answer is JSON, and nothing of it is executed.
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

    from armnn_py._native.memory.owned import MappedFile

_HEADER = struct.Struct("=QI")
_ALIGNMENT = 64
#: Mapped files of one request: a network has its weights in one.
_MOST_FILES = 2
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
    given
        Descriptors that the worker gets as well; they stay the caller's.
    """

    def __init__(self, kind: str, payload: Any = None, given: tuple[int, ...] = ()) -> None:
        buffers: list[pickle.PickleBuffer] = []
        data = pickle.dumps((kind, payload), protocol=5, buffer_callback=buffers.append)
        #: Of each array: number of its file, offset and size; the last file is in memory.
        self._places: list[tuple[int, int, int]] = []
        self._own: list[int] = []
        numbers: dict[MappedFile, int] = {}
        copied: list[tuple[int, memoryview]] = []
        end = 0
        for view in (buffer.raw() for buffer in buffers):
            place = self._place_in_file(view, numbers)
            if place is None:
                place = -1, end
                copied.append((end, view))
                end += -(-max(view.nbytes, 1) // _ALIGNMENT) * _ALIGNMENT
            self._places.append((*place, view.nbytes))
        if buffers:
            self._own.append(_sealed_file(copied, max(end, 1)))
        self.kind = kind
        self._data = pickle.dumps((len(self._own), self._places, data))
        self._given = given

    def _place_in_file(
        self, view: memoryview, numbers: dict[MappedFile, int]
    ) -> tuple[int, int] | None:
        """Number of the mapped file that has an array, and offset; None: it lies elsewhere."""
        if not view.nbytes:
            return None

        import numpy as np  # not in a command that only lists backends

        from armnn_py._native.memory.owned import mapped_file_at

        address = int(np.frombuffer(view, np.uint8).__array_interface__["data"][0])
        file = mapped_file_at(address, view.nbytes)
        if file is not None and file not in numbers and len(numbers) < _MOST_FILES:
            descriptor = file.open()
            if descriptor is not None:
                numbers[file] = len(self._own)
                self._own.append(descriptor)
        if file is None or file not in numbers:
            return None
        return numbers[file], address - file.address

    def send(self, connection: socket.socket) -> None:
        """Send it; raises `OSError` if the worker is gone."""
        files = [*self._own, *self._given]
        header = _HEADER.pack(len(self._data), len(files))
        if files:
            socket.send_fds(connection, [header], files)
        else:
            connection.sendall(header)
        connection.sendall(self._data)

    @property
    def payload(self) -> Any:
        """A copy of the payload, whose arrays lie in the request's files."""
        return _unpack(self._data, [os.dup(file) for file in self._own])[1]

    def arrays(self, sizes: Container[int]) -> list[memoryview]:
        """Its arrays in memory of some sizes in bytes, read-only, where the worker has them."""
        places = [one for one in self._places if one[0] == -1 and one[2] in sizes]
        return _mapped([os.dup(self._own[-1])], places) if places else []

    def __del__(self) -> None:
        for file in getattr(self, "_own", ()):
            os.close(file)


def _sealed_file(views: list[tuple[int, memoryview]], size: int) -> int:
    """A file in memory with the bytes of arrays, sealed against any change."""
    file = os.memfd_create("armnn_py", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.truncate(file, size)
        for offset, view in views:
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
    header, files, _, _ = socket.recv_fds(connection, _HEADER.size, 2 + _MOST_FILES)
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
    """Kind and payload of a request; takes the files of its arrays out of ``files``."""
    count, places, pickled = pickle.loads(data)
    own, files[:] = files[:count], files[count:]
    kind, payload = pickle.loads(pickled, buffers=_mapped(own, places))
    return kind, payload


def _mapped(files: Sequence[int], places: Sequence[tuple[int, int, int]]) -> list[memoryview]:
    """Parts of files, mapped as long as one of them is needed; closes the descriptors."""
    views = []
    for file in files:
        views.append(memoryview(mmap.mmap(file, 0, prot=mmap.PROT_READ)))
        os.close(file)
    return [views[number][offset : offset + length] for number, offset, length in places]


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
