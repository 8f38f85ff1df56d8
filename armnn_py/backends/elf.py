# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Look at a shared object as data, before any code of it can run.

``dlopen`` maps what the program headers promise and dies with SIGBUS when the file is shorter, and
with SIGSEGV when the dynamic section is blank. So everything that the system's loader relies on
without checking is checked here, and a file of another machine is told in words.
"""

from __future__ import annotations

import functools
import os
import struct
import sys
from dataclasses import dataclass, field

__all__ = ["ElfError", "ElfInfo", "inspect", "process_machine"]

_MACHINES = {
    2: "sparc",
    3: "i386",
    8: "mips",
    20: "ppc",
    21: "ppc64",
    22: "s390x",
    40: "arm",
    62: "x86_64",
    183: "aarch64",
    243: "riscv64",
    258: "loongarch64",
}
_TYPES = {1: "an object file (.o)", 2: "a program", 4: "a core dump"}
_FOREIGN_HEADS = (
    (b"MZ", "a Windows library"),
    (b"!<arch>", "a static library (.a)"),
    (b"\xcf\xfa\xed\xfe", "a macOS library"),
    (b"\xca\xfe\xba\xbe", "a macOS library"),
    (b"version https://git-lfs", "a Git LFS pointer; 'git lfs pull' fetches the file itself"),
    (b"#!", "a script"),
    (b"\x1f\x8b", "gzip data"),
    (b"PK", "a zip archive"),
)
_PT_LOAD, _PT_DYNAMIC = 1, 2
_ET_DYN = 3
_DT_NULL, _DT_NEEDED, _DT_STRTAB, _DT_SYMTAB, _DT_STRSZ = 0, 1, 5, 6, 10
_EHDR_SIZE, _PHDR_SIZE, _DYN_SIZE = 64, 56, 16
_MAX_DYNAMIC = 1 << 20
_MAX_STRINGS = 1 << 26
_MAX_IMAGE = 1 << 40


class ElfError(Exception):
    """A file that must not be given to the system's loader."""

    def __init__(self, code: str, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.hint = hint


@dataclass(frozen=True, slots=True)
class ElfInfo:
    """What the head of a shared object says."""

    machine: str
    needed: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class _Segment:
    type: int
    offset: int
    address: int
    file_size: int
    memory_size: int
    align: int


@functools.cache
def _process_head() -> tuple[int, int, int]:
    """ELF class, byte order and machine number of the running interpreter."""
    try:
        descriptor = os.open("/proc/self/exe", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # /proc is not mounted
        descriptor = os.open(sys.executable, os.O_RDONLY | os.O_CLOEXEC)
    try:
        head = os.read(descriptor, 20)
    finally:
        os.close(descriptor)
    order = "<" if head[5] == 1 else ">"
    return head[4], head[5], struct.unpack_from(f"{order}H", head, 18)[0]


def _machine_name(number: int) -> str:
    return _MACHINES.get(number, f"machine number {number}")


def process_machine() -> str:
    """Return the name of the machine that this process runs as, e.g. ``x86_64``."""
    return _machine_name(_process_head()[2])


def inspect(path: str) -> ElfInfo:
    """Check the regular file ``path``; raise :class:`ElfError` if it must not be opened.

    Raises
    ------
    ElfError
        The file is no shared object, one of another machine, cut short or damaged.
    OSError
        The file cannot be read.
    """
    # Without O_NONBLOCK a pipe put in the file's place meanwhile would keep us waiting.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        return _inspect(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)


def _inspect(descriptor: int, size: int) -> ElfInfo:
    head = os.pread(descriptor, _EHDR_SIZE, 0)
    order, header = _check_head(head, size)
    phoff, phentsize, phnum = header
    if phentsize != _PHDR_SIZE or not 0 < phnum < 0xFFFF:
        raise ElfError("elf-damaged", f"damaged: {phnum} program headers of {phentsize} bytes")
    if phoff + phnum * _PHDR_SIZE > size:
        raise _cut("program headers end", phoff + phnum * _PHDR_SIZE, size)
    table = os.pread(descriptor, phnum * _PHDR_SIZE, phoff)
    segments = []
    for type_, _, offset, address, _, file_size, memory_size, align in struct.iter_unpack(
        f"{order}IIQQQQQQ", table
    ):
        segments.append(_Segment(type_, offset, address, file_size, memory_size, align))
    _check_segments(segments, size)
    return ElfInfo(process_machine(), _read_needed(descriptor, order, segments))


def _check_head(head: bytes, size: int) -> tuple[str, tuple[int, int, int]]:
    if size == 0:
        raise ElfError("elf-empty", "the file is empty")
    if head[:4] != b"\x7fELF":
        for start, what in _FOREIGN_HEADS:
            if head.startswith(start):
                raise ElfError("not-elf", f"not a shared object but {what}")
        raise ElfError("not-elf", "not a shared object: no ELF head")
    if len(head) < _EHDR_SIZE:
        # A 32-bit head is shorter, but no useful file is that short.
        raise _cut("the ELF head ends", _EHDR_SIZE, size)
    elf_class, data, version = head[4], head[5], head[6]
    host_class, host_data, host_machine = _process_head()
    order = "<" if data == 1 else ">"
    type_, machine = struct.unpack_from(f"{order}HH", head, 16)
    if elf_class not in (1, 2) or data not in (1, 2) or version != 1:
        raise ElfError(
            "elf-damaged",
            f"damaged ELF head: class {elf_class}, byte order {data}, version {version}",
        )
    foreign = []
    if elf_class != host_class:
        foreign.append("32-bit" if elf_class == 1 else "64-bit")
    if data != host_data:
        foreign.append("little-endian" if data == 1 else "big-endian")
    if machine != host_machine or foreign:
        code = "elf-machine"
        if machine == host_machine:
            code = "elf-class" if elf_class != host_class else "elf-byte-order"
        built_for = " ".join([*foreign, _machine_name(machine)])
        raise ElfError(
            code,
            f"built for {built_for}, this process is {process_machine()}",
            f"install the backend's {process_machine()} build",
        )
    if type_ != _ET_DYN:
        what = _TYPES.get(type_, f"an ELF file of type {type_}")
        raise ElfError("elf-type", f"not a shared object but {what}", "link it with -shared")
    phoff, _, _, _, phentsize, phnum = struct.unpack_from(f"{order}QQIHHH", head, 32)
    return order, (phoff, phentsize, phnum)


def _check_segments(segments: list[_Segment], size: int) -> None:
    loads = [segment for segment in segments if segment.type == _PT_LOAD]
    if not loads:
        raise ElfError("elf-damaged", "damaged: no loadable segment")
    needed = max(
        segment.offset + segment.file_size
        for segment in segments
        if segment.type in (_PT_LOAD, _PT_DYNAMIC)
    )
    if needed > size:
        raise _cut("its segments end", needed, size)
    end = 0
    for segment in loads:
        if (
            segment.file_size > segment.memory_size
            or segment.align & (segment.align - 1)
            or (segment.align and (segment.address - segment.offset) % segment.align)
            or segment.address < end
        ):
            raise ElfError("elf-damaged", "damaged: a loadable segment makes no sense")
        end = segment.address + segment.memory_size
    if end > _MAX_IMAGE:
        raise ElfError("elf-damaged", f"damaged: its segments span {end} bytes")


def _read_needed(descriptor: int, order: str, segments: list[_Segment]) -> tuple[str, ...]:
    dynamic = [segment for segment in segments if segment.type == _PT_DYNAMIC]
    if len(dynamic) != 1 or dynamic[0].file_size > _MAX_DYNAMIC:
        raise ElfError("elf-damaged", "damaged: no dynamic section, so nothing can be linked")
    # The system's loader reads it where it is mapped; the header's own offset may say otherwise.
    offset = _file_offset(segments, dynamic[0].address, dynamic[0].file_size)
    if offset is None:
        raise ElfError("elf-damaged", "damaged: the dynamic section lies outside the file")
    data = os.pread(descriptor, dynamic[0].file_size, offset)
    entries: dict[int, int] = {}
    needed: list[int] = []
    for tag, value in struct.iter_unpack(f"{order}qQ", data[: len(data) // _DYN_SIZE * _DYN_SIZE]):
        if tag == _DT_NULL:
            break
        if tag == _DT_NEEDED:
            needed.append(value)
        entries[tag] = value
    else:
        raise ElfError("elf-damaged", "damaged: the dynamic section has no end")
    strings_size = entries.get(_DT_STRSZ, 0)
    strings_at = _file_offset(segments, entries.get(_DT_STRTAB, -1), strings_size)
    symbols_at = _file_offset(segments, entries.get(_DT_SYMTAB, -1), 24)
    if strings_at is None or symbols_at is None or not 0 < strings_size <= _MAX_STRINGS:
        raise ElfError("elf-damaged", "damaged: the dynamic section names no symbols")
    strings = os.pread(descriptor, strings_size, strings_at)
    if len(strings) < strings_size or strings[0] != 0 or strings[-1] != 0:
        raise ElfError("elf-damaged", "damaged: its table of names is blank or cut")
    if any(value >= strings_size for value in needed):
        raise ElfError("elf-damaged", "damaged: the name of a needed library is missing")
    return tuple(os.fsdecode(strings[at : strings.index(b"\0", at)]) for at in needed)


def _file_offset(segments: list[_Segment], address: int, size: int) -> int | None:
    for segment in segments:
        if (
            segment.type == _PT_LOAD
            and segment.address <= address
            and address + size <= segment.address + segment.file_size
        ):
            return segment.offset + address - segment.address
    return None


def _cut(what: str, expected: int, size: int) -> ElfError:
    return ElfError(
        "elf-cut",
        f"the file is cut short: {what} at byte {expected}, the file has {size}",
        "copy or download the file again",
    )
