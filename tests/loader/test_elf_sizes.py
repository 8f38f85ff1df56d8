# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tables of absurd sizes: holes of a sparse file take no room, and hours or all memory to read."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from armnn_py.backends.loader import elf, elf_image
from armnn_py.backends.loader.elf import ElfError

from .harness import Load, Workshop, only
from .test_elf import (
    P_FILESZ,
    P_MEMSZ,
    P_OFFSET,
    P_VADDR,
    PHNUM,
    PHOFF,
    PT_LOAD,
    SO,
    change_tag,
    field,
    header,
    segment,
)

STRTAB, STRSZ = 5, 10
PT_GNU_RELRO = 0x6474E552
MIB = 1 << 20
HOLE = 1 << 38
#: Bytes in front of the hole for what a test puts there.
ROOM = 1 << 22


@pytest.fixture(scope="session")
def image(workshop: Workshop) -> bytes:
    return workshop.build("SILENT_LIBRARY").read_bytes()


class Reads:
    """The reads of a file."""

    def __init__(self) -> None:
        self.count = self.bytes = self.largest = 0


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """Counts what the inspection reads; it may not get more than a test can wait for."""
    seen, read_exactly = Reads(), elf_image.read_exactly

    def read(descriptor: int, size: int, offset: int) -> bytes:
        seen.count += 1
        seen.bytes += size
        seen.largest = max(seen.largest, size)
        assert seen.count <= 200_000, "too many reads"
        assert seen.bytes <= 1024 * MIB, "too many bytes"
        return read_exactly(descriptor, size, offset)

    monkeypatch.setattr(elf_image, "read_exactly", read)
    return seen


def with_hole(path: Path, image: bytes, begin: bytes = b"") -> tuple[bytearray, int]:
    """A file whose last segment has ``begin`` and then nothing for long; its address."""
    changed = bytearray(image)
    at = header(image, PT_LOAD, -1)
    offset, address = (struct.unpack_from("<Q", image, at + k)[0] for k in (P_OFFSET, P_VADDR))
    size = struct.unpack_from("<Q", image, at + P_MEMSZ)[0]
    behind = -(-size // 4096) * 4096
    for name in (P_FILESZ, P_MEMSZ):
        segment(PT_LOAD, name, HOLE, -1)(changed)
    del changed[offset + behind :]
    changed += bytes(offset + behind - len(changed)) + begin
    path.write_bytes(changed)
    os.truncate(path, offset + HOLE)
    return changed, address + behind


def rewrite(path: Path, changed: bytearray, upto: int = ROOM) -> None:
    with path.open("r+b") as stream:
        stream.write(changed[:upto])


def outcome_of(path: Path) -> str:
    try:
        elf.inspect(str(path))
    except ElfError as error:
        return error.reason
    return "passed"


def test_a_table_of_names_without_end(tmp_path: Path, image: bytes, reads: Reads) -> None:
    path = tmp_path / SO
    names = bytearray(image)
    for tag in (STRTAB, STRSZ):
        change_tag(tag, 1 << 63)(names)
    at = names.find(struct.pack("<qQ", STRTAB, 1 << 63))
    begin = struct.unpack_from("<Q", image, at + 8)[0]
    size = struct.unpack_from("<Q", image, names.find(struct.pack("<qQ", STRSZ, 1 << 63)) + 8)[0]
    changed, address = with_hole(path, image, image[begin : begin + size])
    change_tag(STRTAB, address)(changed)
    change_tag(STRSZ, HOLE // 2)(changed)
    rewrite(path, changed)
    assert outcome_of(path) == "passed"
    assert elf.inspect(str(path)).asks_where_it_lies  # nobody has looked
    assert reads.largest <= 16 * MIB


def test_program_headers_by_the_thousand(load: Load, tmp_path: Path, image: bytes) -> None:
    """Each question about an address goes through all of them."""
    first, count = *struct.unpack_from("<Q", image, PHOFF), *struct.unpack_from("<H", image, PHNUM)
    relro = header(image, PT_GNU_RELRO)
    table = image[first : first + 56 * count] + image[relro : relro + 56] * 60_000
    changed = bytearray(image + table)
    struct.pack_into("<Q", changed, PHOFF, len(image))
    struct.pack_into("<H", changed, PHNUM, count + 60_000)
    (tmp_path / SO).write_bytes(changed)
    verdict = only(load(tmp_path))
    assert (verdict.status, verdict.code) == ("refused", "elf-damaged")
    assert f"{count + 60_000} program headers" in verdict.reason


def test_needed_libraries_by_the_thousand(tmp_path: Path, image: bytes) -> None:
    path = tmp_path / SO
    dynamic = field(image, 2, P_OFFSET), field(image, 2, P_FILESZ)
    old = image[dynamic[0] : sum(dynamic)]
    needed = old[:16] * 60_000  # the first entry names a library
    changed, address = with_hole(path, image, needed + old)
    for name, value in ((P_VADDR, address), (P_FILESZ, len(needed + old)), (P_MEMSZ, 1)):
        segment(2, name, value)(changed)
    rewrite(path, changed)
    assert outcome_of(path).startswith("damaged: ")
