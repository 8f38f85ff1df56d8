# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The statements of a backend's file, read without running its code: ``loading_time.h``."""

from __future__ import annotations

import struct

from armnn_py.backends.loader.elf_image import ElfError, read_exactly

MOST_SECONDS = 60.0

_PT_NOTE = 4
_NAME, _TYPE = b"armnn\0\0\0", 1
_MOST_HEADERS, _MOST_BYTES = 256, 1 << 16
_EHDR_SIZE, _PHDR_SIZE = 64, 56


def loading_seconds(descriptor: int) -> float:
    """Return the time that an open file wants for loading, 0 if it states none.

    Damage is not reported here: such a file states nothing.
    """
    try:
        head = read_exactly(descriptor, _EHDR_SIZE, 0)
        if head[:6] not in (b"\x7fELF\x02\x01", b"\x7fELF\x02\x02"):
            return 0.0
        order = "<" if head[5] == 1 else ">"
        (start,) = struct.unpack_from(f"{order}Q", head, 32)
        size, count = struct.unpack_from(f"{order}HH", head, 54)
        if size != _PHDR_SIZE or count > _MOST_HEADERS:
            return 0.0
        table = read_exactly(descriptor, count * size, start)
        for kind, _, offset, _, _, length, _, _ in struct.iter_unpack(f"{order}IIQQQQQQ", table):
            if kind == _PT_NOTE and length <= _MOST_BYTES:
                stated = _stated(read_exactly(descriptor, length, offset), order)
                if stated is not None:
                    return min(float(stated), MOST_SECONDS)
    except (ElfError, OSError, OverflowError, struct.error):
        pass
    return 0.0


def _stated(notes: bytes, order: str) -> int | None:
    """Return the number in the note of ``loading_time.h`` among others."""
    place = 0
    while place + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from(f"{order}III", notes, place)
        begin = place + 12 + (name_size + 3) // 4 * 4
        name = notes[place + 12 : begin]
        if (name, kind, size) == (_NAME, _TYPE, 4) and begin + 4 <= len(notes):
            (seconds,) = struct.unpack_from(f"{order}I", notes, begin)
            return int(seconds)
        place = begin + (size + 3) // 4 * 4
    return None
