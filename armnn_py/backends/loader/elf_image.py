# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The bytes of a shared object by the addresses that the system's loader will give them.

Everything is read from one open file, never mapped: if the file is cut meanwhile, a read is short;
a process that had mapped it would die.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

PT_LOAD, PT_DYNAMIC = 1, 2
_PF_R = 4


class Tag:
    """Tags of the entries of the dynamic section: plain numbers, whose names are never shown."""

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


_PF_X, _PF_W = 1, 2
_OWN_PLACE = (b"ORIGIN", b"dladdr", b"dlinfo")
_ENTRY = 16
_SYMBOL = 24
#: Bytes of a section that has some dozens of entries.
_MAX_DYNAMIC = 1 << 16
_MAX_NAME = 4096
#: Bytes of names that are searched, a piece at a time.
_MAX_SEARCHED = 1 << 26
_PIECE = 1 << 20

# Table: (its name, tag of its size or None, size of one element).
_TABLES = {
    Tag.HASH: ("symbol hash", None, 8),
    Tag.GNU_HASH: ("symbol hash", None, 16),
    Tag.RELA: ("relocations", Tag.RELASZ, 24),
    Tag.REL: ("relocations", Tag.RELSZ, 16),
    Tag.RELR: ("relocations", Tag.RELRSZ, 8),
    Tag.JMPREL: ("relocations of calls", Tag.PLTRELSZ, 8),
    Tag.INIT_ARRAY: ("initialisers", Tag.INIT_ARRAYSZ, 8),
    Tag.FINI_ARRAY: ("finalisers", Tag.FINI_ARRAYSZ, 8),
    Tag.VERSYM: ("symbol versions", None, 2),
    Tag.VERNEED: ("needed versions", None, 16),
    Tag.VERDEF: ("defined versions", None, 20),
}
_ELEMENT_SIZES = {Tag.SYMENT: _SYMBOL, Tag.RELAENT: 24, Tag.RELENT: 16, Tag.RELRENT: 8}
_COMPANIONS = {
    Tag.RELA: (Tag.RELAENT,),
    Tag.REL: (Tag.RELENT,),
    Tag.RELR: (Tag.RELRENT,),
    Tag.JMPREL: (Tag.PLTREL,),
    Tag.VERNEED: (Tag.VERNEEDNUM, Tag.VERSYM),
    Tag.VERDEF: (Tag.VERDEFNUM,),
}
# Entry: the table that it belongs to. If the table is missing, its tag was damaged.
_SERVANTS = {
    Tag.RELASZ: Tag.RELA,
    Tag.RELAENT: Tag.RELA,
    Tag.RELACOUNT: Tag.RELA,
    Tag.RELSZ: Tag.REL,
    Tag.RELENT: Tag.REL,
    Tag.RELCOUNT: Tag.REL,
    Tag.RELRSZ: Tag.RELR,
    Tag.PLTRELSZ: Tag.JMPREL,
    Tag.PLTREL: Tag.JMPREL,
    Tag.INIT_ARRAYSZ: Tag.INIT_ARRAY,
    Tag.FINI_ARRAYSZ: Tag.FINI_ARRAY,
    Tag.VERNEEDNUM: Tag.VERNEED,
    Tag.VERDEFNUM: Tag.VERDEF,
}
_RUN_PATHS = (Tag.RPATH, Tag.RUNPATH)
#: The libraries that are loaded with a file; of filters it gets symbols that it exports itself.
_LIBRARIES = (Tag.NEEDED, Tag.AUXILIARY, Tag.FILTER)
_NAMES = (Tag.SONAME, Tag.RPATH, Tag.RUNPATH)


class DynamicNames(NamedTuple):
    """Names in a dynamic section.

    Attributes
    ----------
    needed
        The libraries that are loaded with it: needed ones and filters.
    soname
        Its own name, or empty.
    run_paths
        Its RPATH and RUNPATH, as far as it has them.
    asks_where_it_lies
        Whether the path that it is opened by may matter to it: one of its names has ``ORIGIN``, or
        it calls ``dladdr`` or ``dlinfo``.
    """

    needed: tuple[str, ...]
    soname: str
    run_paths: tuple[str, ...]
    asks_where_it_lies: bool


def read_names(image: Image) -> DynamicNames:
    """Check the dynamic section; return the names in it.

    Parameters
    ----------
    image
        The open file.

    Raises
    ------
    ElfError
        It is missing, or an entry of it is damaged.
    """
    dynamic = [segment for segment in image.segments if segment.type == PT_DYNAMIC]
    if len(dynamic) != 1 or dynamic[0].file_size == 0:
        raise damaged("no dynamic section, so nothing can be linked")
    if dynamic[0].file_size > _MAX_DYNAMIC:
        raise damaged(f"a dynamic section of {dynamic[0].file_size} bytes")
    section = dynamic[0]
    # The system's loader reads it in mapped memory, and writes to it if its flags allow that.
    home = image.home(section.address, section.file_size)
    if home is None or (section.flags & _PF_W and not home.flags & _PF_W):
        raise damaged("the dynamic section lies outside the file")
    size = section.file_size // _ENTRY * _ENTRY
    data = image.read(section.address, size, "the dynamic section")
    entries: dict[int, int] = {}
    needed: list[int] = []
    for tag, value in struct.iter_unpack(f"{image.order}qQ", data):
        if tag == Tag.NULL:
            break
        if tag in _LIBRARIES:
            needed.append(value)
        entries[tag] = value
    else:
        raise damaged("the dynamic section has no end")
    _check_tables(entries, image)
    size = _check_strings(entries, image)
    named = [*needed, *(entries[tag] for tag in _NAMES if tag in entries)]
    if any(value >= size for value in named):
        raise damaged("the name of a needed library is missing")
    names = tuple(_text(image, entries, at) for at in needed)
    if not all(names):
        raise damaged("the name of a needed library is blank")
    soname = _text(image, entries, entries[Tag.SONAME]) if Tag.SONAME in entries else ""
    paths = (_text(image, entries, entries[tag]) for tag in _RUN_PATHS if tag in entries)
    run_paths = tuple(path for path in paths if path)
    return DynamicNames(names, soname, run_paths, _asks_where_it_lies(image, entries, size))


def _asks_where_it_lies(image: Image, entries: dict[int, int], size: int) -> bool:
    """Search the table of names; one that is too long counts as if it had such a name."""
    if size > _MAX_SEARCHED:
        return True
    end = b""
    for at in range(0, size, _PIECE):
        piece = image.read(entries[Tag.STRTAB] + at, min(_PIECE, size - at), "its table of names")
        if any(word in end + piece for word in _OWN_PLACE):
            return True
        end = piece[-max(map(len, _OWN_PLACE)) :]
    return False


def _check_tables(entries: dict[int, int], image: Image) -> None:
    if any(tag in entries and master not in entries for tag, master in _SERVANTS.items()):
        raise damaged("a table is missing from the dynamic section")
    if Tag.HASH not in entries and Tag.GNU_HASH not in entries:
        raise damaged("there is no table to find symbols with")
    for count, table, element in ((Tag.RELACOUNT, Tag.RELASZ, 24), (Tag.RELCOUNT, Tag.RELSZ, 16)):
        if entries.get(count, 0) * element > entries.get(table, 0):
            raise damaged("there are fewer relocations than their number says")
    for tag, (name, size_tag, element) in _TABLES.items():
        if tag not in entries:
            continue
        size = element if size_tag is None else entries.get(size_tag, -1)
        companions = _COMPANIONS.get(tag, ())
        if size < 0 or size % element or any(other not in entries for other in companions):
            raise damaged(f"the size of the table of {name} makes no sense")
        if size and image.home(entries[tag], size) is None:
            raise damaged(f"the table of {name} lies outside the file")
    for tag, element in _ELEMENT_SIZES.items():
        if entries.get(tag, element) != element:
            raise damaged(f"a table has elements of {entries[tag]} bytes")
    if entries.get(Tag.PLTREL, Tag.RELA) not in (Tag.RELA, Tag.REL):
        raise damaged("the relocations of calls are of no known kind")
    for tag in (Tag.INIT, Tag.FINI):
        code = image.home(entries[tag], 1) if tag in entries else None
        if tag in entries and (code is None or not code.flags & _PF_X):
            raise damaged("an initialiser or finaliser is not code")
    if Tag.PLTGOT in entries and image.home(entries[Tag.PLTGOT], 0) is None:
        raise damaged("the table of addresses lies outside the file")


def _check_strings(entries: dict[int, int], image: Image) -> int:
    """Check the tables of names and symbols; return the size of the table of names."""
    size = entries.get(Tag.STRSZ, 0)
    names = entries.get(Tag.STRTAB, -1)
    symbols = image.home(entries.get(Tag.SYMTAB, -1), _SYMBOL)
    if size == 0 or symbols is None or image.home(names, size) is None:
        raise damaged("the dynamic section names no symbols")
    what = "its table of names"
    if any(image.read(at, 1, what) != b"\0" for at in (names, names + size - 1)):
        raise damaged("its table of names is blank or cut")
    return size


def _text(image: Image, entries: dict[int, int], at: int) -> str:
    """Return the name at offset ``at`` of the table of names, which ends with a zero."""
    size = min(_MAX_NAME, entries[Tag.STRSZ] - at)
    data = image.read(entries[Tag.STRTAB] + at, size, "its table of names")
    return os.fsdecode(data.partition(b"\0")[0])
