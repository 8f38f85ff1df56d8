# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Relocations of a shared object: addresses that the loader writes to, and code it runs first.

The system's loader writes to the address of each relocation and calls each initialiser. Blank
pages, as an interrupted copy leaves them, make these addresses wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from armnn_py.backends.elf_image import PT_DYNAMIC, Image, Tag, damaged
from armnn_py.backends.elf_symbols import (
    SYMBOL_SIZE,
    check_symbols,
    check_versions,
    count_symbols,
    lie_in,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["check"]

_DF_TEXTREL = 4
_RELA = np.dtype([("where", np.uint64), ("info", np.uint64), ("addend", np.int64)])
_WORD = np.dtype(np.uint64)
_CODE_SIZE = 16
_HASH_HEAD = 16
# More than any library is known to have: those beyond are not checked.
_MAX_RELOCATIONS = 1 << 22
_MAX_FUNCTIONS = 1 << 10

# Machine: numbers of the relocations "own address plus addend", "ask the function there" and
# "descriptor of a thread's variable" (0: it has none), which has two words. Only machines with
# addends in the table and without function descriptors; for others only the sizes of the tables are
# checked.
_KINDS = {
    22: (12, 61, 0),  # s390x
    62: (8, 37, 36),  # x86_64
    183: (1027, 1032, 1031),  # aarch64
    243: (3, 58, 12),  # riscv64
    258: (3, 12, 14),  # loongarch64
}

Entries = Mapping[int, int]
Addresses: TypeAlias = "NDArray[np.uint64]"


@dataclass(slots=True, eq=False)
class _Findings:
    """Symbols, addresses and functions that the relocations use."""

    used: NDArray[np.bool_]
    writable: list[tuple[int, int]]
    in_use: list[tuple[int, int]]
    lists: list[tuple[int, int]]
    covered: list[Addresses] = field(default_factory=list)
    functions: list[Addresses] = field(default_factory=list)


def check(image: Image, entries: Entries) -> None:
    """Check everything that the system's loader reaches from the checked dynamic section.

    Raises
    ------
    ElfError
        A damaged entry would end the process.
    """
    known, most = count_symbols(image, entries)
    if image.machine not in _KINDS:
        return
    if entries.get(Tag.PLTREL, Tag.RELA) != Tag.RELA:
        raise damaged("the relocations of calls are of no known kind")
    lists = [
        (entries[tag], entries[tag] + min(entries.get(size, 0), 8 * _MAX_RELOCATIONS))
        for tag, size in (
            (Tag.INIT_ARRAY, Tag.INIT_ARRAYSZ),
            (Tag.FINI_ARRAY, Tag.FINI_ARRAYSZ),
        )
        if tag in entries
    ]
    may_write_to_code = Tag.TEXTREL in entries or entries.get(Tag.FLAGS, 0) & _DF_TEXTREL
    writable = image.spans(writable=not may_write_to_code)
    in_use = _tables_in_use(image, entries, known, writable)
    findings = _Findings(np.zeros(most, np.bool_), writable, in_use, lists)
    _check_table(image, entries, findings)
    _check_calls(image, entries, findings)
    if Tag.RELR in entries:
        _check_packed(image, entries, findings)
    used = np.nonzero(findings.used)[0]
    check_symbols(image, entries, known, used)
    check_versions(image, entries, known, used)
    _check_functions(image, entries, findings)


def _tables_in_use(
    image: Image, entries: Entries, known: int, writable: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Return the writable spans that the system's loader reads while it relocates."""
    sizes = (
        (Tag.STRTAB, entries.get(Tag.STRSZ, 0)),
        (Tag.SYMTAB, SYMBOL_SIZE * known),
        (Tag.VERSYM, 2 * known),
        (Tag.HASH, _HASH_HEAD),
        (Tag.GNU_HASH, _HASH_HEAD),
        (Tag.RELA, entries.get(Tag.RELASZ, 0)),
        (Tag.RELR, entries.get(Tag.RELRSZ, 0)),
        (Tag.JMPREL, entries.get(Tag.PLTRELSZ, 0)),
    )
    spans = [(entries[tag], entries[tag] + size) for tag, size in sizes if tag in entries]
    spans += [
        (segment.address, segment.address + segment.memory_size)
        for segment in image.segments
        if segment.type == PT_DYNAMIC
    ]
    return [
        (start, end)
        for start, end in spans
        if any(start < last and end > first for first, last in writable)
    ]


def _check_table(image: Image, entries: Entries, findings: _Findings) -> None:
    count = min(entries.get(Tag.RELASZ, 0) // _RELA.itemsize, _MAX_RELOCATIONS)
    relative_count = entries.get(Tag.RELACOUNT, 0)
    for block in image.blocks(entries.get(Tag.RELA, 0), _RELA, count, "the table of relocations"):
        kinds = _check_block(image, block, findings)
        if (kinds[: max(relative_count, 0)] != _KINDS[image.machine][0]).any():
            raise damaged("a relocation is blank or of the wrong kind")
        relative_count -= block.size


def _check_calls(image: Image, entries: Entries, findings: _Findings) -> None:
    size = entries.get(Tag.PLTRELSZ, 0)
    if size % _RELA.itemsize:
        raise damaged("the size of the table of relocations of calls makes no sense")
    count = min(size // _RELA.itemsize, _MAX_RELOCATIONS)
    what = "the table of relocations of calls"
    for block in image.blocks(entries.get(Tag.JMPREL, 0), _RELA, count, what):
        if (_check_block(image, block, findings) == 0).any():
            raise damaged("a relocation of a call is blank")


def _check_block(image: Image, block: NDArray[np.void], findings: _Findings) -> NDArray[np.uint64]:
    """Check a piece of a table; return the kinds of the relocations."""
    relative, ask, descriptor = _KINDS[image.machine]
    where, info = block["where"], block["info"]
    kinds = info & np.uint64(0xFFFFFFFF)
    if not (lie_in(where, findings.writable) | (kinds == 0)).all():
        raise damaged("a relocation leads to memory that may not be written to")
    words = where[kinds == relative]
    if not lie_in(words + np.uint64(7), findings.writable).all():
        raise damaged("a relocation leads to memory that may not be written to")
    if descriptor:
        _check_not_in_use(where[kinds == descriptor] + np.uint64(8), findings)
    _check_not_in_use(where[kinds != 0], findings)
    symbols = (info >> np.uint64(32))[kinds != relative].astype(np.int64)
    if symbols.size:
        if int(symbols.max()) >= findings.used.size:
            raise damaged("a relocation needs a symbol that does not exist")
        findings.used[symbols] = True
    asked = block["addend"][kinds == ask]
    if asked.size:
        findings.functions.append(asked.astype(np.uint64))
    for start, end in findings.lists:
        inside = (where >= start) & (where < end)
        if inside.any():
            findings.covered.append(where[inside])
            own = block["addend"][inside & (kinds == relative)]
            findings.functions.append(own.astype(np.uint64))
    return kinds


def _check_not_in_use(where: Addresses, findings: _Findings) -> None:
    """Refuse words that overwrite what the system's loader reads meanwhile."""
    spans = [(max(start - 7, 0), end) for start, end in findings.in_use]
    if lie_in(where, spans).any():
        raise damaged("a relocation overwrites a table of the file that the loader reads meanwhile")


def _check_packed(image: Image, entries: Entries, findings: _Findings) -> None:
    """Check packed relocations: an address, then bit maps of the words after it."""
    count = min(entries.get(Tag.RELRSZ, 0) // _WORD.itemsize, _MAX_RELOCATIONS)
    if count == 0:
        return
    words = image.array(entries[Tag.RELR], _WORD, count, "the table of packed relocations")
    is_map = (words & np.uint64(1)).astype(np.bool_)
    if is_map[0]:
        raise damaged("the packed relocations begin nowhere")
    index = np.arange(count)
    start = np.maximum.accumulate(np.where(is_map, 0, index))
    bases = words[start]
    if not lie_in(bases[~is_map], findings.writable).all():
        raise damaged("packed relocations lead to memory that may not be written to")
    # The map's bit 1 is the word after the address, bit 63 the 63rd; each map covers 63 words.
    skipped = (index - start - 1)[is_map].astype(np.uint64) * np.uint64(63)
    maps = words[is_map]
    last = bases[is_map] + np.uint64(8) * (skipped + _highest_bit(maps))
    if not lie_in(last[maps > 1] + np.uint64(7), findings.writable).all():
        raise damaged("packed relocations lead to memory that may not be written to")
    _check_not_in_use(bases[~is_map], findings)
    first = bases[is_map] + np.uint64(8) * skipped
    for table, end in findings.in_use:
        # Only maps that reach the table are gone through.
        near = (first < end) & (first + np.uint64(64 * 8) > max(table - 7, 0))
        for bit in range(1, 64) if near.any() else ():
            is_set = (maps[near] >> np.uint64(bit)) & np.uint64(1) == 1
            _check_not_in_use(first[near][is_set] + np.uint64(8 * bit), findings)


def _highest_bit(words: Addresses) -> Addresses:
    # In halves: a double holds fewer than 64 bits.
    high, low = words >> np.uint64(32), words & np.uint64(0xFFFFFFFF)
    bits = np.where(high > 0, np.frexp(high.astype(float))[1] + 32, np.frexp(low.astype(float))[1])
    highest: Addresses = (bits - 1).astype(np.uint64)
    return highest


def _check_functions(image: Image, entries: Entries, findings: _Findings) -> None:
    """Check code that runs without being called: initialisers, finalisers, functions that choose.

    Relocations set their addresses; without one, the loader would call a wrong address.
    """
    covered = _distinct(findings.covered)
    for start, end in findings.lists:
        slots = np.arange(start, end, 8, dtype=_WORD)
        bare = ~_are_among(slots, covered)
        if not bare.any():
            continue
        if Tag.RELR not in entries:
            raise damaged("an initialiser or finaliser is not relocated")
        values = image.array(start, _WORD, slots.size, "the table of initialisers")
        findings.functions.append(values[bare])
    functions = _distinct(findings.functions)
    if not lie_in(functions, image.spans(code=True)).all():
        raise damaged("an initialiser or finaliser is no code")
    named = [entries[tag] for tag in (Tag.INIT, Tag.FINI) if tag in entries]
    for address in [*named, *functions[:_MAX_FUNCTIONS].tolist()]:
        size = min(_CODE_SIZE, image.room(address))
        # On none of these machines does a function begin with a zero instruction.
        if not any(image.read(address, size, "an initialiser")):
            raise damaged("an initialiser or finaliser is blank")


# Like numpy.unique and numpy.isin, but these import numpy.ma, which takes longer than all checks of
# a file.


def _distinct(pieces: list[Addresses]) -> Addresses:
    """Return all addresses in order, each once."""
    found = np.sort(np.concatenate([np.empty(0, _WORD), *pieces]))
    is_first = np.ones(found.size, np.bool_)
    is_first[1:] = found[1:] != found[:-1]
    distinct: Addresses = found[is_first]
    return distinct


def _are_among(addresses: Addresses, known: Addresses) -> NDArray[np.bool_]:
    """Say which addresses are among ``known``, a sorted array."""
    if not known.size:
        return np.zeros(addresses.shape, np.bool_)
    places = np.minimum(np.searchsorted(known, addresses), known.size - 1)
    among: NDArray[np.bool_] = known[places] == addresses
    return among
