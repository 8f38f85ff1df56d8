# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The directory at the end of a zip archive, read where the file lies in memory.

``zipfile`` reads it as well; importing it, with the compressors and paths that it imports, takes
longer than loading a network does.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Entry", "read_directory"]

_END = struct.Struct("<4s4H2IH")  # APPNOTE.TXT, 4.3.16: at the end of the file, before a comment
_END_MARK = b"PK\x05\x06"
_END64_LOCATOR = struct.Struct("<4sIQI")  # 4.3.15: just before it, in archives beyond 4 GiB
_END64_LOCATOR_MARK = b"PK\x06\x07"
_END64 = struct.Struct("<4sQ2H2I4Q")  # 4.3.14
_END64_MARK = b"PK\x06\x06"
_ENTRY = struct.Struct("<4s6H3I5H2I")  # 4.3.12
_ENTRY_MARK = b"PK\x01\x02"
_EXTRA_HEAD = struct.Struct("<HH")  # 4.5.1: kind and size of an extra field
_ZIP64_EXTRA = 1
_IN_ZIP64 = 2**32 - 1  # the value of what stands in the extra field
_LONGEST_COMMENT = 2**16 - 1
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Entry:
    """What the directory says of one member: nothing of it was looked at."""

    name: str
    is_plain: bool
    """It is neither compressed nor encrypted."""
    crc: int
    stored_size: int
    size: int
    header_offset: int


def read_directory(memory: memoryview, most: int) -> list[Entry]:
    """Return the members of an archive.

    Parameters
    ----------
    memory
        The bytes of the file.
    most
        How many members it may have.

    Raises
    ------
    ValueError
        It has no directory, a damaged one, or too many members.
    """
    begin, size, count = _find_directory(memory)
    if begin + size > len(memory):
        raise ValueError("its directory is not where it should be")
    if count > most:
        raise ValueError(f"it has {count} members")
    entries = list(_entries(memory[begin : begin + size]))
    if len(entries) != count:
        raise ValueError(f"its directory has {len(entries)} members of {count}")
    return entries


def _find_directory(memory: memoryview) -> tuple[int, int, int]:
    """Return where the directory begins, its size, and how many members it has."""
    tail = max(0, len(memory) - _END.size - _LONGEST_COMMENT)
    found = memory[tail:].tobytes().rfind(_END_MARK)
    at = tail + found
    if found < 0 or at + _END.size > len(memory):
        raise ValueError("it has no directory")
    _, _, _, _, count, size, begin, _ = _END.unpack_from(memory, at)
    locator = at - _END64_LOCATOR.size
    if locator >= 0 and memory[locator : locator + 4] == _END64_LOCATOR_MARK:
        _, _, at64, _ = _END64_LOCATOR.unpack_from(memory, locator)
        if at64 + _END64.size > locator or memory[at64 : at64 + 4] != _END64_MARK:
            raise ValueError("its directory is damaged")
        *_, count, size, begin = _END64.unpack_from(memory, at64)
    return begin, size, count


def _entries(directory: memoryview) -> Iterator[Entry]:
    at = 0
    while at < len(directory):
        name_at = at + _ENTRY.size
        if name_at > len(directory) or directory[at : at + 4] != _ENTRY_MARK:
            raise ValueError("its directory is damaged")
        (
            _, _, _, flags, method, _, _, crc, stored, size,
            name_size, extra_size, comment_size, _, _, _, offset,
        ) = _ENTRY.unpack_from(directory, at)  # fmt: skip
        extra_at = name_at + name_size
        at = extra_at + extra_size + comment_size
        if at > len(directory):
            raise ValueError("its directory is damaged")
        name = (
            directory[name_at:extra_at]
            .tobytes()
            .decode("utf-8" if flags & _UTF8_NAME else "latin-1")
        )
        size, stored, offset = _zip64(
            directory[extra_at : extra_at + extra_size], [size, stored, offset]
        )
        yield Entry(name, method == 0 and not flags & _ENCRYPTED, crc, stored, size, offset)


def _zip64(extra: memoryview, sizes: list[int]) -> list[int]:
    """Put in what is too large for four bytes: it stands in an extra field, in this order."""
    if _IN_ZIP64 not in sizes:
        return sizes
    while len(extra) >= _EXTRA_HEAD.size:
        kind, length = _EXTRA_HEAD.unpack_from(extra)
        field = extra[_EXTRA_HEAD.size : _EXTRA_HEAD.size + length]
        if kind == _ZIP64_EXTRA and len(field) >= 8 * sizes.count(_IN_ZIP64):
            values = iter(struct.unpack_from(f"<{sizes.count(_IN_ZIP64)}Q", field))
            return [next(values) if value == _IN_ZIP64 else value for value in sizes]
        extra = extra[_EXTRA_HEAD.size + length :]
    raise ValueError("the size of a member is missing")
