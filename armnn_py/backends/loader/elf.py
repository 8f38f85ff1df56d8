# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Check a shared object as data, before any of its code can run.

``dlopen`` maps the sizes in the program headers: it dies with SIGBUS if the file is shorter, and
with SIGSEGV if the dynamic section is blank. So the headers and the dynamic section are checked
here, and a file for another machine gets a clear message. Relocations, symbols and code are not
checked: the probe in another process opens the file and tells what comes of it.

``dlopen`` opens the file once more: by a descriptor, so that it is the checked file whatever its
name leads to by then; or by its name, if the path may matter to the file (``$ORIGIN``, ``dladdr``).
Immediately before and after, :class:`FileState` tells whether it is still the checked file. Not
caught are a file cut while ``dlopen`` maps it, and one overwritten with the same size and time of
change, which some file systems count in hundredths of a second. By its name only: a file replaced
in the microseconds until ``dlopen`` opens it runs before it is refused, or ends the process if it
is cut.
"""

from __future__ import annotations

import functools
import mmap
import os
import struct
import sys
from typing import NamedTuple

from msgspec import Struct, field

from armnn_py.backends.loader.elf_image import (
    PT_DYNAMIC,
    PT_LOAD,
    ElfError,
    Image,
    Segment,
    damaged,
    read_exactly,
    read_names,
)
from armnn_py.interrupts import deferred_interrupts

__all__ = ["ElfError", "ElfInfo", "FileState", "inspect", "process_machine"]

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
_ET_DYN = 3
_PT_TLS = 7
_PT_GNU_EH_FRAME, _PT_GNU_STACK = 0x6474E550, 0x6474E551
_PT_GNU_RELRO, _PT_GNU_PROPERTY = 0x6474E552, 0x6474E553
_PF_X = 1
# Read from mapped memory: if one lies in no loadable segment, a segment was lost.
_MAPPED = (_PT_TLS, _PT_GNU_EH_FRAME, _PT_GNU_PROPERTY)
_EHDR_SIZE, _PHDR_SIZE = 64, 56
_MAX_IMAGE = 1 << 40
#: Files have a dozen; each question about an address goes through all of them.
_MAX_HEADERS = 256


class FileState(NamedTuple):
    """Identity of a file, with the size and time that a write changes."""

    device: int
    inode: int
    size: int
    modified_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileState:
        """Return the state in a result of ``os.stat()`` or ``os.fstat()``."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


class ElfInfo(Struct, frozen=True):
    """Machine, state and the names of other libraries in a checked file."""

    machine: str
    state: FileState
    needed: tuple[str, ...] = field(default=())
    soname: str = ""
    run_paths: tuple[str, ...] = ()
    asks_where_it_lies: bool = True


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

    Parameters
    ----------
    path
        The file, without links.

    Raises
    ------
    ElfError
        The file is not a shared object, one of another machine, cut short or damaged.
    OSError
        The file cannot be read.
    """
    with deferred_interrupts():  # Ctrl-C before the ``try`` would leave it open
        # Without O_NONBLOCK a pipe that has replaced the file would make us wait.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            return _inspect(descriptor, FileState.of(os.fstat(descriptor)))
        finally:
            os.close(descriptor)


def _inspect(descriptor: int, state: FileState) -> ElfInfo:
    size = state.size
    head = read_exactly(descriptor, min(_EHDR_SIZE, size), 0)
    order, header = _check_head(head, size)
    phoff, phentsize, phnum = header
    if phentsize != _PHDR_SIZE or not 0 < phnum <= _MAX_HEADERS:
        raise damaged(f"{phnum} program headers of {phentsize} bytes")
    if phoff + phnum * _PHDR_SIZE > size:
        raise _cut("program headers end", phoff + phnum * _PHDR_SIZE, size)
    table = read_exactly(descriptor, phnum * _PHDR_SIZE, phoff)
    segments = []
    for type_, flags, offset, address, _, file_size, memory_size, align in struct.iter_unpack(
        f"{order}IIQQQQQQ", table
    ):
        segments.append(Segment(type_, flags, offset, address, file_size, memory_size, align))
    _check_segments(segments, size)
    _check_stack(segments)
    return ElfInfo(process_machine(), state, *read_names(Image(descriptor, order, segments)))


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
        raise damaged(f"ELF head of class {elf_class}, byte order {data}, version {version}")
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


def _check_segments(segments: list[Segment], size: int) -> None:
    loads = [segment for segment in segments if segment.type == PT_LOAD]
    if not loads:
        raise damaged("no loadable segment")
    needed = max(
        segment.offset + segment.file_size
        for segment in segments
        if segment.type in (PT_LOAD, PT_DYNAMIC)
    )
    if needed > size:
        raise _cut("its segments end", needed, size)
    end = 0
    for segment in loads:
        if (
            segment.file_size > segment.memory_size
            # Only writable memory may be larger than its bytes in the file.
            or (segment.file_size != segment.memory_size and not segment.flags & 2)
            or segment.flags & ~7
            or segment.align & (segment.align - 1)
            or (segment.align and (segment.address - segment.offset) % segment.align)
            or segment.address < end
        ):
            raise damaged("a loadable segment makes no sense")
        end = segment.address + segment.memory_size
    for segment in segments:
        if segment.type == _PT_GNU_RELRO and not any(
            load.address <= segment.address
            and segment.address + segment.memory_size <= _page_end(load.address + load.memory_size)
            for load in loads
        ):
            raise damaged("it protects memory that it does not have")
        if segment.type in _MAPPED and not any(
            load.holds(segment.address, segment.file_size) for load in loads
        ):
            raise damaged("a part of it lies outside its loadable segments")
    if end > _MAX_IMAGE:
        raise damaged(f"its segments span {end} bytes")


def _check_stack(segments: list[Segment]) -> None:
    """Refuse a file for which the system's loader would let all stacks of the program be executed.

    That is what protects programs with mistakes from those who know them. Newer C libraries refuse
    such files themselves.
    """
    stack_flags = [segment.flags for segment in segments if segment.type == _PT_GNU_STACK]
    if not stack_flags or stack_flags[-1] & _PF_X:
        raise ElfError(
            "elf-executable-stack",
            "it would make the stacks of the whole program executable",
            "link it with -Wl,-z,noexecstack, and give assembler sources a section .note.GNU-stack",
        )


def _page_end(address: int) -> int:
    return -(-address // mmap.PAGESIZE) * mmap.PAGESIZE


def _cut(what: str, expected: int, size: int) -> ElfError:
    return ElfError(
        "elf-cut",
        f"the file is cut short: {what} at byte {expected}, the file has {size}",
        "copy or download the file again",
    )
