# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The dynamic section of a shared object: addresses and sizes that the system's loader believes.

It follows them without a look at where they lead, so a flipped bit there ends the process. Every
table must lie in the loaded part of the file, and every entry must bring its companions.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["PT_DYNAMIC", "PT_LOAD", "ElfError", "Segment", "read_needed"]

PT_LOAD, PT_DYNAMIC = 1, 2
_PF_X, _PF_W, _PF_R = 1, 2, 4
_ENTRY = 16
_SYMBOL = 24
_MAX_DYNAMIC = 1 << 20
_MAX_STRINGS = 1 << 26

(_NULL, _NEEDED, _PLTRELSZ, _PLTGOT, _HASH, _STRTAB, _SYMTAB) = range(7)
(_RELA, _RELASZ, _RELAENT, _STRSZ, _SYMENT, _INIT, _FINI) = range(7, 14)
_SONAME, _RPATH, _REL, _RELSZ, _RELENT, _PLTREL, _JMPREL = 14, 15, 17, 18, 19, 20, 23
_INIT_ARRAY, _FINI_ARRAY, _INIT_ARRAYSZ, _FINI_ARRAYSZ, _RUNPATH = 25, 26, 27, 28, 29
_RELRSZ, _RELR, _RELRENT = 35, 36, 37
_GNU_HASH, _VERSYM, _RELACOUNT, _RELCOUNT = 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFF9, 0x6FFFFFFA
_VERDEF, _VERDEFNUM, _VERNEED, _VERNEEDNUM = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
_AUXILIARY, _FILTER = 0x7FFFFFFD, 0x7FFFFFFF

# Table: (its name, tag of its size or None, size of one element).
_TABLES = {
    _HASH: ("symbol hash", None, 8),
    _GNU_HASH: ("symbol hash", None, 16),
    _RELA: ("relocations", _RELASZ, 24),
    _REL: ("relocations", _RELSZ, 16),
    _RELR: ("relocations", _RELRSZ, 8),
    _JMPREL: ("relocations of calls", _PLTRELSZ, 8),
    _INIT_ARRAY: ("initialisers", _INIT_ARRAYSZ, 8),
    _FINI_ARRAY: ("finalisers", _FINI_ARRAYSZ, 8),
    _VERSYM: ("symbol versions", None, 2),
    _VERNEED: ("needed versions", None, 16),
    _VERDEF: ("defined versions", None, 20),
}
_ELEMENT_SIZES = {_SYMENT: _SYMBOL, _RELAENT: 24, _RELENT: 16, _RELRENT: 8}
_COMPANIONS = {
    _RELA: (_RELAENT,),
    _REL: (_RELENT,),
    _JMPREL: (_PLTREL,),
    _VERNEED: (_VERNEEDNUM, _VERSYM),
    _VERDEF: (_VERDEFNUM,),
}
# What makes sense only beside a table: if that is missing, its tag was damaged.
_SERVANTS = {
    _RELASZ: _RELA,
    _RELAENT: _RELA,
    _RELACOUNT: _RELA,
    _RELSZ: _REL,
    _RELENT: _REL,
    _RELCOUNT: _REL,
    _RELRSZ: _RELR,
    _PLTRELSZ: _JMPREL,
    _PLTREL: _JMPREL,
    _INIT_ARRAYSZ: _INIT_ARRAY,
    _FINI_ARRAYSZ: _FINI_ARRAY,
    _VERNEEDNUM: _VERNEED,
    _VERDEFNUM: _VERDEF,
}
_NAMES = (_SONAME, _RPATH, _RUNPATH, _AUXILIARY, _FILTER)


class ElfError(Exception):
    """A file that must not be given to the system's loader."""

    def __init__(self, code: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Segment:
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


def read_needed(descriptor: int, order: str, segments: Sequence[Segment]) -> tuple[str, ...]:
    """Check the dynamic section; return the names of the needed libraries.

    Raises
    ------
    ElfError
        There is none, or something in it leads nowhere.
    """
    dynamic = [segment for segment in segments if segment.type == PT_DYNAMIC]
    if len(dynamic) != 1 or not 0 < dynamic[0].file_size <= _MAX_DYNAMIC:
        raise _damaged("no dynamic section, so nothing can be linked")
    section = dynamic[0]
    # The system's loader reads it where it is mapped, and writes to it if it may.
    home = _segment_of(segments, section.address, section.file_size)
    if home is None or (section.flags & _PF_W and not home.flags & _PF_W):
        raise _damaged("the dynamic section lies outside the file")
    size = section.file_size // _ENTRY * _ENTRY
    data = os.pread(descriptor, size, home.offset + section.address - home.address)
    entries: dict[int, int] = {}
    needed: list[int] = []
    for tag, value in struct.iter_unpack(f"{order}qQ", data[: len(data) // _ENTRY * _ENTRY]):
        if tag == _NULL:
            break
        if tag == _NEEDED:
            needed.append(value)
        entries[tag] = value
    else:
        raise _damaged("the dynamic section has no end")
    _check_tables(entries, segments)
    strings = _read_strings(descriptor, entries, segments)
    named = [*needed, *(entries[tag] for tag in _NAMES if tag in entries)]
    if any(value >= len(strings) for value in named):
        raise _damaged("the name of a needed library is missing")
    return tuple(os.fsdecode(strings[at : strings.index(b"\0", at)]) for at in needed)


def _check_tables(entries: dict[int, int], segments: Sequence[Segment]) -> None:
    if any(tag in entries and master not in entries for tag, master in _SERVANTS.items()):
        raise _damaged("a table is missing from the dynamic section")
    if _HASH not in entries and _GNU_HASH not in entries:
        raise _damaged("there is no table to find symbols with")
    for count, size, element in ((_RELACOUNT, _RELASZ, 24), (_RELCOUNT, _RELSZ, 16)):
        if entries.get(count, 0) * element > entries.get(size, 0):
            raise _damaged("there are fewer relocations than their number says")
    for tag, (name, size_tag, element) in _TABLES.items():
        if tag not in entries:
            continue
        size = element if size_tag is None else entries.get(size_tag, -1)
        companions = _COMPANIONS.get(tag, ())
        if size < 0 or size % element or any(other not in entries for other in companions):
            raise _damaged(f"the size of the table of {name} makes no sense")
        if size and _segment_of(segments, entries[tag], size) is None:
            raise _damaged(f"the table of {name} lies outside the file")
    for tag, element in _ELEMENT_SIZES.items():
        if entries.get(tag, element) != element:
            raise _damaged(f"a table has elements of {entries[tag]} bytes")
    if entries.get(_PLTREL, _RELA) not in (_RELA, _REL):
        raise _damaged("the relocations of calls are of no known kind")
    for tag in (_INIT, _FINI):
        code = _segment_of(segments, entries[tag], 1) if tag in entries else None
        if tag in entries and (code is None or not code.flags & _PF_X):
            raise _damaged("an initialiser or finaliser is no code")
    if _PLTGOT in entries and _segment_of(segments, entries[_PLTGOT], 0) is None:
        raise _damaged("the table of addresses lies outside the file")


def _read_strings(descriptor: int, entries: dict[int, int], segments: Sequence[Segment]) -> bytes:
    size = entries.get(_STRSZ, 0)
    home = _segment_of(segments, entries.get(_STRTAB, -1), size)
    symbols = _segment_of(segments, entries.get(_SYMTAB, -1), _SYMBOL)
    if home is None or symbols is None or not 0 < size <= _MAX_STRINGS:
        raise _damaged("the dynamic section names no symbols")
    strings = os.pread(descriptor, size, home.offset + entries[_STRTAB] - home.address)
    if len(strings) < size or strings[0] != 0 or strings[-1] != 0:
        raise _damaged("its table of names is blank or cut")
    return strings


def _segment_of(segments: Sequence[Segment], address: int, size: int) -> Segment | None:
    for segment in segments:
        if segment.type == PT_LOAD and segment.flags & _PF_R and segment.holds(address, size):
            return segment
    return None


def _damaged(what: str) -> ElfError:
    return ElfError("elf-damaged", f"damaged: {what}", "copy or download the file again")
