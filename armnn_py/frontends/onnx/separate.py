# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Weights that stay in the model's file until they are read into their arrays.

Protobuf reads all bytes of a model, copies them into its messages, and copies each tensor again for
who asks: three times the weights in memory. Here the lengths of ``ModelProto``, ``GraphProto`` and
its large initializers are walked first (https://protobuf.dev/programming-guides/encoding), and
protobuf reads the same message with these initializers' ``raw_data`` empty. Whatever is unusual is
left to protobuf: it has the last word on what is a model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.frontends.common.source import Part

if TYPE_CHECKING:
    from armnn_py.frontends.common.source import ModelData

__all__ = ["LARGE", "separate"]

LARGE = 2**14
"""Bytes of a tensor from which it is worth while."""

_WINDOW = 2**13
_LONGEST_HEADER = 20  # of a field: a tag and a length
_VARINT, _FIXED_64, _LENGTH, _FIXED_32 = 0, 1, 2, 5

# Tags of fields that are taken apart, all of them of kind _LENGTH.
_GRAPH = 7 << 3 | _LENGTH
_INITIALIZER = 5 << 3 | _LENGTH
_RAW_DATA = 9 << 3 | _LENGTH


class _UnusualError(Exception):
    pass


def separate(data: ModelData) -> tuple[bytes, dict[int, Part]] | None:
    """Return a model without its large initializers' data, and where these are.

    Returns
    -------
    tuple or None
        A ``ModelProto`` whose large initializers have ``raw_data`` without bytes, and the places of
        the bytes by number of the initializer. None if most of the model is something else, or
        anything is unusual, as a length that cannot be.

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
    if 2 * sum(part.size for part in walk.parts.values()) < data.size:
        return None
    return b"".join(walk.bytes_of(piece) for piece in pieces), walk.parts


class _Walk:
    """Finds pieces of a model: new bytes, or a range of bytes that stay as they are."""

    def __init__(self, data: ModelData) -> None:
        self.parts: dict[int, Part] = {}
        self._data = data
        self._window = b""
        self._first = 0  # where the window begins

    def model(self) -> list[bytes | range]:
        pieces: list[bytes | range] = []
        place, kept, size = 0, 0, self._data.size
        seen = False
        while place < size:
            tag, start, stop = self._field(place, size)
            if tag == _GRAPH:
                if seen:  # protobuf merges several
                    raise _UnusualError
                seen = True
                pieces += range(kept, place), *_message(tag, self._graph(start, stop))
                kept = stop
            place = stop
        return [*pieces, range(kept, size)]

    def _graph(self, place: int, end: int) -> list[bytes | range]:
        pieces: list[bytes | range] = []
        kept, count = place, 0
        while place < end:
            tag, start, stop = self._field(place, end)
            if tag == _INITIALIZER:
                if stop - start >= LARGE and (tensor := self._tensor(start, stop, count)):
                    pieces += range(kept, place), *_message(tag, tensor)
                    kept = stop
                count += 1
            place = stop
        return [*pieces, range(kept, end)]

    def _tensor(self, place: int, end: int, number: int) -> list[bytes | range]:
        """Return the pieces of an initializer, none if it stays as it is."""
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
        self.parts[number] = Part(self._data, start, stop - start)
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
    """Return a number and where it ends; one longer than needed, which nobody writes, is unusual.

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


def _message(tag: int, pieces: list[bytes | range]) -> list[bytes | range]:
    """Return the pieces of a field that is a message of these pieces."""
    length = sum(map(len, pieces))
    header = bytearray((tag,))
    while length > 0x7F:
        header.append(length & 0x7F | 0x80)
        length >>= 7
    header.append(length)
    return [bytes(header), *pieces]
