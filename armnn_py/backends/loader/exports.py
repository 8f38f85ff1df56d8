# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The names that a shared object exports, from its section headers.

For advice only: a file may have no section headers, and nothing depends on them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

__all__ = ["exported_names"]

_SHDR_SIZE, _SYMBOL_SIZE = 64, 24
_SHT_DYNSYM = 11
_LOCAL = 0
_MAX_FILE = 1 << 30
# Linkers give every library these, whatever its visibility.
_OF_THE_LINKER = {"_init", "_fini", "_edata", "_end", "__bss_start", "__end__", "__bss_start__",
                  "__bss_end__", "_bss_end__"}  # fmt: skip


def exported_names(path: str) -> list[str]:
    """Return the names that a 64-bit file exports, without the linker's; [] if unknown."""
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_FILE)
        return sorted(set(_names(data)) - _OF_THE_LINKER)
    except (OSError, struct.error, ValueError, IndexError):
        return []


def _names(data: bytes) -> Iterator[str]:
    order = "<" if data[5] == 1 else ">"
    (offset,) = struct.unpack_from(f"{order}Q", data, 40)
    size, count = struct.unpack_from(f"{order}HH", data, 58)
    if size != _SHDR_SIZE:
        return
    sections = [
        struct.unpack_from(f"{order}IIQQQQIIQQ", data, offset + index * size)
        for index in range(count)
    ]
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind != _SHT_DYNSYM:
            continue
        strings = sections[link][4]
        for at in range(start, start + length, _SYMBOL_SIZE):
            name, info, other, section = struct.unpack_from(f"{order}IBBH", data, at)
            # Defined here and not hidden.
            if section and info >> 4 != _LOCAL and other & 3 not in (1, 2):
                begin = strings + name
                yield data[begin : data.index(b"\0", begin)].decode("utf-8", "backslashreplace")
