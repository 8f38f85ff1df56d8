# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The wire format of protocol buffers, read where it lies in a file.

After the "Encoding" page of the Protocol Buffers documentation. Only the small parts of a file are
looked at; of the large ones, which are the weights, it is noted where they are, and they are read
once, to the place where they stay.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BYTES", "FIXED32", "FIXED64", "VARINT", "DamagedError", "Source", "Span", "varints"]

#: Types of a field on the wire.
VARINT, FIXED64, BYTES, _BEGIN_GROUP, _END_GROUP, FIXED32 = range(6)

_WINDOW = 1 << 14
_LONGEST_VARINT = 10
_DEEPEST_GROUP = 100
_MOST_AT_ONCE = 1 << 30
_PART = 1 << 20

#: Where bytes lie: begin and end.
Span = tuple[int, int]


class DamagedError(Exception):
    """The bytes are no message; says why."""


class Source:
    """An open file, read in pieces.

    Parameters
    ----------
    descriptor
        Of the file; whoever opened it closes it.
    size
        Bytes of the file.
    """

    __slots__ = ("_base", "_data", "_descriptor", "_usable", "size")

    def __init__(self, descriptor: int, size: int) -> None:
        self.size = size
        self._descriptor = descriptor
        self._base = 0
        self._data = b""
        self._usable = -1  # the last place in the window from which a number fits into it

    def _look_at(self, position: int) -> None:
        data = os.pread(self._descriptor, _WINDOW, position)
        self._base = position
        at_end = position + len(data) >= self.size
        self._usable = len(data) - (0 if at_end else _LONGEST_VARINT)
        self._data = data + bytes(_LONGEST_VARINT)  # so that no number runs over its end

    def varint(self, position: int, end: int) -> tuple[int, int]:
        """The unsigned number at ``position``, and where the next thing begins."""
        index = position - self._base
        if not 0 <= index <= self._usable:
            self._look_at(position)
            index = 0
        data = self._data
        value = data[index]
        if value < 0x80:
            position += 1
        else:
            value &= 0x7F
            for length in range(1, _LONGEST_VARINT):
                byte = data[index + length]
                value |= (byte & 0x7F) << 7 * length
                if byte < 0x80:
                    break
            else:
                raise DamagedError(f"byte {position}: a number of more than 10 bytes")
            position += length + 1
            value &= 0xFFFF_FFFF_FFFF_FFFF
        if position > end:
            raise DamagedError(f"byte {end}: the message ends inside of a number")
        return value, position

    def fields(self, begin: int, end: int) -> Iterator[tuple[int, int, Any]]:
        """Number, wire type and contents of each field: an unsigned number, or a `Span`."""
        position = begin
        groups: list[int] = []
        while position < end:
            start = position
            tag, position = self.varint(position, end)
            number, kind = tag >> 3, tag & 7
            if number == 0 or tag >= 1 << 32:
                raise DamagedError(f"byte {start}: a field of number {number}")
            value: Any
            if kind == VARINT:
                value, position = self.varint(position, end)
            elif kind == BYTES:
                length, position = self.varint(position, end)
                value = (position, position + length)
                position += length
            elif kind == FIXED32:
                value = (position, position + 4)
                position += 4
            elif kind == FIXED64:
                value = (position, position + 8)
                position += 8
            elif kind == _BEGIN_GROUP and len(groups) < _DEEPEST_GROUP:
                groups.append(number)
                continue
            elif kind == _END_GROUP and groups and groups[-1] == number:
                groups.pop()
                continue
            else:
                raise DamagedError(f"byte {start}: a field of wire type {kind}")
            if position > end:
                raise DamagedError(f"byte {start}: field {number} ends behind its message")
            if not groups:
                yield number, kind, value
        if groups:
            raise DamagedError(f"byte {end}: the message ends inside of group {groups[-1]}")

    def read(self, span: Span) -> bytes | bytearray:
        """The bytes of a span."""
        begin, end = span
        index = begin - self._base
        if index >= 0 and index + end - begin <= len(self._data) - _LONGEST_VARINT:
            return self._data[index : index + end - begin]
        data = bytearray(end - begin)
        self.read_into(span, memoryview(data))
        return data

    def read_into(self, span: Span, target: memoryview) -> None:
        """Read a span into memory of its size."""
        position, end = span
        done = 0
        while position < end:
            count = os.preadv(self._descriptor, [target[done : done + _MOST_AT_ONCE]], position)
            if count == 0:
                raise DamagedError(f"byte {position}: the file ends")
            done += count
            position += count


def varints(data: bytes | bytearray) -> NDArray[np.uint64]:
    """The numbers of a packed field."""
    octets = np.frombuffer(data, np.uint8)
    parts = [np.empty(0, np.uint64)]
    begin = 0
    while begin < octets.size:  # in parts: what is computed on the way takes many times the room
        end = min(begin + _PART, octets.size)
        last = np.flatnonzero(octets[begin:end] < 0x80)
        if not last.size:
            raise DamagedError("a packed field has no end of a number where one must be")
        end = begin + int(last[-1]) + 1
        parts.append(_numbers(octets[begin:end], last))
        begin = end
    return np.concatenate(parts)


def _numbers(octets: NDArray[np.uint8], last: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Whole numbers, of which these are the last octets."""
    first = np.concatenate(([0], last[:-1] + 1))
    lengths = last - first + 1
    if int(lengths.max()) > _LONGEST_VARINT:
        raise DamagedError("a packed number of more than 10 bytes")
    place = np.arange(octets.size) - np.repeat(first, lengths)
    bits = (octets & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    numbers: NDArray[np.uint64] = np.bitwise_or.reduceat(bits, first)
    return numbers
