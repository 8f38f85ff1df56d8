# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The bytes of a shared object by the addresses that the system's loader will give them.

Everything is read from one open file, never mapped: if the file is cut meanwhile, a read is short;
a process that had mapped it would die.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from msgspec import Struct

PT_LOAD, PT_DYNAMIC = 1, 2
_PF_R = 4


class Tag:
    """Tags of the entries of the dynamic section: plain numbers, since nobody shows their names."""

    NULL = 0
    NEEDED = 1
    PLTRELSZ = 2
    PLTGOT = 3
    HASH = 4
    STRTAB = 5
    SYMTAB = 6
    RELA = 7
    RELASZ = 8
    RELAENT = 9
    STRSZ = 10
    SYMENT = 11
    INIT = 12
    FINI = 13
    SONAME = 14
    RPATH = 15
    REL = 17
    RELSZ = 18
    RELENT = 19
    PLTREL = 20
    JMPREL = 23
    INIT_ARRAY = 25
    FINI_ARRAY = 26
    INIT_ARRAYSZ = 27
    FINI_ARRAYSZ = 28
    RUNPATH = 29
    RELRSZ = 35
    RELR = 36
    RELRENT = 37
    GNU_HASH = 0x6FFFFEF5
    VERSYM = 0x6FFFFFF0
    RELACOUNT = 0x6FFFFFF9
    RELCOUNT = 0x6FFFFFFA
    VERDEF = 0x6FFFFFFC
    VERDEFNUM = 0x6FFFFFFD
    VERNEED = 0x6FFFFFFE
    VERNEEDNUM = 0x6FFFFFFF
    AUXILIARY = 0x7FFFFFFD
    FILTER = 0x7FFFFFFF


class ElfError(Exception):
    """A file that must not be given to the system's loader."""

    def __init__(self, code: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


def damaged(what: str) -> ElfError:
    """Return the error for a damaged file."""
    return ElfError("elf-damaged", f"damaged: {what}", "copy or download the file again")


def read_exactly(descriptor: int, size: int, offset: int) -> bytes:
    """Read ``size`` bytes that were in the file when it was opened.

    Raises
    ------
    ElfError
        It has become shorter since.
    """
    data = os.pread(descriptor, size, offset)
    if len(data) < size:
        raise ElfError(
            "elf-cut",
            f"the file became shorter while it was read: {len(data)} of {size} bytes "
            f"are left at byte {offset}",
            "put new versions of a backend in place by renaming them, not by writing into the file",
        )
    return data


class Segment(Struct, frozen=True):
    """A program header."""

    type: int
    flags: int
    offset: int
    address: int
    file_size: int
    memory_size: int
    align: int

    def holds(self, address: int, size: int) -> bool:
        """Say whether ``size`` bytes at ``address`` come from the file."""
        return self.address <= address and address + size <= self.address + self.file_size


class Image(Struct, frozen=True):
    """An open file, how its numbers are written (``<`` or ``>``), and its segments."""

    descriptor: int
    order: str
    segments: Sequence[Segment]

    def home(self, address: int, size: int) -> Segment | None:
        """Return the loaded segment whose file bytes include ``size`` bytes at ``address``."""
        for segment in self.segments:
            if segment.type == PT_LOAD and segment.flags & _PF_R and segment.holds(address, size):
                return segment
        return None

    def read(self, address: int, size: int, what: str) -> bytes:
        """Read bytes of the table ``what``.

        Raises
        ------
        ElfError
            They lie outside the file, or the file was cut meanwhile.
        """
        home = self.home(address, size)
        if home is None:
            raise damaged(f"{what} lies outside the file")
        return read_exactly(self.descriptor, size, home.offset + address - home.address)
