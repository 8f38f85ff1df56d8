# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Damage to shared objects: in the tables that the system's loader follows."""

from __future__ import annotations

import random
import struct

__all__ = ["change_elf"]

_WORDS = (0, 1, 7, 8, 24, 64, 4095, 4096, 2**16, 2**31, 2**32 - 1, 2**40, 2**63 - 1, 2**64 - 1)
_HEAD, _PROGRAM_HEADER, _DYNAMIC_ENTRY = 64, 56, 16
_PT_LOAD, _PT_DYNAMIC = 1, 2
_ADDRESSES = range(4, 37)
"""Tags whose entries lead to tables, as DT_HASH, DT_SYMTAB and DT_RELA."""


def change_elf(seed: bytes, chance: random.Random) -> bytes:
    """Return a 64-bit little-endian file with changed numbers in its head or tables.

    Raises
    ------
    struct.error
        It is not such a file any more.
    """
    data = bytearray(seed)
    spans = _spans(seed)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        begin, end = chance.choice(spans)
        size = chance.choice((1, 2, 4, 8))
        at = begin + chance.randrange(max(1, (end - begin) // size)) * size
        old = int.from_bytes(data[at : at + size], "little")
        new = chance.choice((*_WORDS, old + 1, old - 1, old * 2, old ^ 1 << chance.randrange(64)))
        data[at : at + size] = (new % 2 ** (8 * size)).to_bytes(size, "little")
    return bytes(data)


def _spans(data: bytes) -> list[tuple[int, int]]:
    """Where the head, the program headers, the dynamic section and its tables lie."""
    table, count = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
    spans = [(0, _HEAD), (table, table + count * _PROGRAM_HEADER)]
    segments = [
        struct.unpack_from("<IIQQQQ", data, table + number * _PROGRAM_HEADER)
        for number in range(count)
    ]
    loads = [one for one in segments if one[0] == _PT_LOAD]
    for kind, _, offset, _, _, size in segments:
        if kind != _PT_DYNAMIC:
            continue
        spans += [(offset, offset + size)] * 2
        for at in range(offset, offset + size, _DYNAMIC_ENTRY):
            tag, value = struct.unpack_from("<QQ", data, at)
            for _, _, start, address, _, length in loads:
                if tag in _ADDRESSES and address <= value < address + length:
                    begin = start + value - address
                    spans.append((begin, min(begin + 512, start + length)))
    return [(begin, end) for begin, end in spans if begin < end <= len(data)] or [(0, _HEAD)]
