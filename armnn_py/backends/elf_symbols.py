# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Symbols of a shared object: the tables that find them, their names and their versions.

A damaged table would make the loader's search read beyond it, or never end.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from armnn_py.backends.elf_image import Image, Tag, damaged

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SYMBOL_SIZE", "check_symbols", "check_versions", "count_symbols", "lie_in"]

SYMBOL_SIZE = 24
_HASH, _SYMBOLS, _VERSIONS = "the symbol hash", "the table of symbols", "the table of versions"
_EM_S390 = 22
_STT_GNU_IFUNC = 10
# No library has as many symbols or buckets; only the first _MAX_CHECKED symbols are checked.
_MAX_SYMBOLS = 1 << 24
_MAX_CHECKED = 1 << 21
#: Versions of all lists together that are checked.
_MAX_VERSIONS = 1 << 12

Entries = Mapping[int, int]
Words: TypeAlias = "NDArray[np.uint32]"


# ---- Finding symbols ----------------------------------------------------------------------------


def count_symbols(image: Image, entries: Entries) -> tuple[int, int]:
    """Check the hash table; return its number of symbols, and the most that the file can hold.

    Raises
    ------
    ElfError
        A search in the hash table would leave it.
    """
    most = min(image.room(entries[Tag.SYMTAB]) // SYMBOL_SIZE, _MAX_SYMBOLS)
    if Tag.GNU_HASH in entries:
        known = _gnu_hash(image, entries[Tag.GNU_HASH])
    elif image.machine == _EM_S390:  # its tables have elements of another size
        known = 0
    else:
        known = _plain_hash(image, entries[Tag.HASH])
    if known > most:
        raise damaged("the symbol hash knows of more symbols than there are")
    return known, most


def _words(image: Image, address: int, count: int) -> Words:
    return image.array(address, np.dtype(np.uint32), count, _HASH)


def _gnu_hash(image: Image, address: int) -> int:
    bucket_count, first, filter_size, _ = (int(word) for word in _words(image, address, 4))
    if not 0 < bucket_count < _MAX_SYMBOLS or filter_size == 0 or filter_size & (filter_size - 1):
        raise damaged("the symbol hash is blank or makes no sense")
    buckets = address + 16 + 8 * filter_size
    used = _words(image, buckets, bucket_count)
    used = used[used > 0]
    if not used.size:
        return 0
    last = int(used.max())
    if int(used.min()) < first:
        raise damaged("the symbol hash points before its symbols")
    # Every search ends at the end of the last bucket's chain, or before.
    chain = buckets + 4 * bucket_count + 4 * (last - first)
    left = min(image.room(chain) // 4, _MAX_SYMBOLS)
    size = 64
    while left > 0:
        size = min(4 * size, left)
        (ends,) = np.nonzero(_words(image, chain, size) & 1)
        if ends.size:
            return last + int(ends[0]) + 1
        last, chain, left = last + size, chain + 4 * size, left - size
    raise damaged("the symbol hash has no end")


def _plain_hash(image: Image, address: int) -> int:
    bucket_count, count = (int(word) for word in _words(image, address, 2))
    if not 0 < bucket_count < _MAX_SYMBOLS or count > _MAX_SYMBOLS:
        raise damaged("the symbol hash is blank or makes no sense")
    links = _words(image, address + 8, bucket_count + count)
    links = links[links > 0]
    if links.size and int(links.max()) >= count:
        raise damaged("the symbol hash points behind its symbols")
    # In an endless chain two links lead to one symbol.
    if links.size and int(np.bincount(links).max()) > 1:
        raise damaged("the symbol hash has no end")
    return count


# ---- Symbols ------------------------------------------------------------------------------------


def check_symbols(image: Image, entries: Entries, known: int, used: NDArray[np.int64]) -> None:
    """Check the symbols of the hash table, and those that relocations use.

    Raises
    ------
    ElfError
        A name lies outside the table of names, or a used symbol is blank.
    """
    count = min(max(known, int(used[-1]) + 1 if used.size else 0), _MAX_CHECKED)
    layout = np.dtype(
        [
            ("name", np.uint32),
            ("info", np.uint8),
            ("other", np.uint8),
            ("section", np.uint16),
            ("value", np.uint64),
            ("size", np.uint64),
        ]
    )
    symbols = image.array(entries[Tag.SYMTAB], layout, count, _SYMBOLS)
    if count and int(symbols["name"].max()) >= entries[Tag.STRSZ]:
        raise damaged("the name of a symbol is missing")
    info = symbols["info"]
    chosen = symbols[(info & 15 == _STT_GNU_IFUNC) & (symbols["section"] != 0)]["value"]
    if chosen.size and not lie_in(chosen, image.spans(code=True)).all():
        raise damaged("a function that chooses another is no code")
    needed = symbols[used[used < count]][1 if used.size and used[0] == 0 else 0 :]
    # A symbol from another library cannot be local: such an entry is blank.
    if ((needed["section"] == 0) & (needed["info"] >> 4 == 0)).any():
        raise damaged("a symbol is blank")


def lie_in(addresses: NDArray[np.uint64], spans: list[tuple[int, int]]) -> NDArray[np.bool_]:
    """Say which addresses lie in one of the spans of memory."""
    inside = np.zeros(addresses.shape, np.bool_)
    for start, end in spans:
        inside |= (addresses >= start) & (addresses < end)
    return inside


# ---- Versions -----------------------------------------------------------------------------------


def check_versions(image: Image, entries: Entries, known: int, used: NDArray[np.int64]) -> None:
    """Check the versions of symbols; arguments and errors as of :func:`check_symbols`."""
    if Tag.VERSYM not in entries:
        return
    highest = max(_needed_versions(image, entries), _defined_versions(image, entries))
    count = min(max(known, int(used[-1]) + 1 if used.size else 0), _MAX_CHECKED)
    versions = image.array(entries[Tag.VERSYM], np.dtype(np.uint16), count, _VERSIONS) & 0x7FFF
    # 0 and 1 are no versions: they stand for "local" and "without a version".
    if count and int(versions.max()) > max(highest, 1):
        raise damaged("the version of a symbol is missing")


def _needed_versions(image: Image, entries: Entries) -> int:
    """Follow the list of needed versions; return the highest number."""
    highest, left = 0, _MAX_VERSIONS
    for at, record in _records(image, entries, Tag.VERNEED, "HHIII"):
        version, _, name, first, _ = record
        if version != 1 or name >= entries[Tag.STRSZ]:
            raise damaged("a needed version makes no sense")
        if image.read(entries[Tag.STRTAB] + name, 1, _VERSIONS) == b"\0":
            raise damaged("the library of a needed version has no name")
        chain = _chain(image, at + first, "IHHII", left)
        left -= len(chain)
        for _, (_, _, number, text, _) in chain:
            if text >= entries[Tag.STRSZ]:
                raise damaged("the name of a needed version is missing")
            highest = max(highest, number & 0x7FFF)
    return highest


def _defined_versions(image: Image, entries: Entries) -> int:
    """Follow the list of defined versions; return the highest number."""
    highest = 0
    for at, record in _records(image, entries, Tag.VERDEF, "HHHHIII"):
        version, _, number, _, _, first, _ = record
        (text,) = struct.unpack(f"{image.order}I", image.read(at + first, 4, _VERSIONS))
        if version != 1 or text >= entries[Tag.STRSZ]:
            raise damaged("a defined version makes no sense")
        highest = max(highest, number & 0x7FFF)
    return highest


def _records(
    image: Image, entries: Entries, tag: int, layout: str
) -> list[tuple[int, tuple[Any, ...]]]:
    return _chain(image, entries[tag], layout) if tag in entries else []


def _chain(
    image: Image, address: int, layout: str, most: int = _MAX_VERSIONS
) -> list[tuple[int, tuple[Any, ...]]]:
    """Return address and fields of each record, as far as ``most`` goes.

    The last field is the distance to the next one.
    """
    record = struct.Struct(image.order + layout)
    found: list[tuple[int, tuple[Any, ...]]] = []
    while len(found) < most:
        fields = record.unpack(image.read(address, record.size, _VERSIONS))
        found.append((address, fields))
        if fields[-1] == 0:
            break
        address += fields[-1]
    return found
