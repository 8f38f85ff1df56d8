# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How much memory this process has taken."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from armnn_py._native.library import core


class _Mallinfo2(ctypes.Structure):
    """The result of mallinfo2(3)."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def heap_bytes() -> int:
    """Return the bytes that ``malloc`` gave and did not get back; 0 where it does not tell.

    glibc tells from 2.33 on, of all threads.
    """
    mallinfo2 = _mallinfo2()
    if mallinfo2 is None:
        return 0
    found = mallinfo2()
    return int(found.uordblks + found.hblkhd)


@functools.cache
def _mallinfo2() -> Callable[[], _Mallinfo2] | None:
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return None
    mallinfo2.restype = _Mallinfo2
    return mallinfo2


def python_bytes() -> int:
    """Return the bytes that Python took for objects of at most 512 bytes; 0 where it does not tell.

    CPython tells as ``sys._debugmallocstats`` does.
    """
    try:
        tell = ctypes.pythonapi._PyObject_DebugMallocStats
        library = ctypes.CDLL(None)
        library.open_memstream.restype = ctypes.c_void_p
    except AttributeError:
        return 0
    text, size = ctypes.c_void_p(), ctypes.c_size_t()
    stream = ctypes.c_void_p(library.open_memstream(ctypes.byref(text), ctypes.byref(size)))
    if not stream:
        return 0
    tell(stream)
    library.fclose(stream)
    told = ctypes.string_at(text, size.value)
    library.free(text)
    found = re.search(rb"^\d+ arenas \* \d+ bytes/arena += +([\d,]+)$", told, re.MULTILINE)
    return int(found[1].replace(b",", b"")) if found else 0


def allocated_bytes() -> int:
    """Return the bytes in memory that the host gave to backends and that were not freed."""
    return int(core().armnn_core_allocated_bytes())


def give_back_freed() -> None:
    """Return freed pages of the C library's heap to the system, where it can: malloc_trim(3)."""
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def address_bytes() -> int:
    """Return the size of the address space that is in use: proc(5), statm."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * mmap.PAGESIZE


class Resident(NamedTuple):
    """Bytes of a process that are in memory: private ones, and pages of files."""

    anonymous: int
    files: int

    @classmethod
    def now(cls) -> Resident:
        """Ask the system: proc(5), statm."""
        _, resident, files, *_ = Path("/proc/self/statm").read_text(encoding="ascii").split()
        size = mmap.PAGESIZE
        return cls((int(resident) - int(files)) * size, int(files) * size)


def peak_bytes() -> int:
    """Return the most memory that this process had at one time: proc(5), VmHWM."""
    return _kib_of("/proc/self/status", "VmHWM:") * 1024


def proportional_bytes(process: int) -> int:
    """Return a process's share of memory, pages of several processes in parts; 0 if it is gone."""
    try:
        return _kib_of(f"/proc/{process}/smaps_rollup", "Pss:") * 1024
    except OSError:
        return 0


def _kib_of(path: str, name: str) -> int:
    lines = Path(path).read_text(encoding="ascii").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), 0)


def resident_of(address: int, size: int) -> int:
    """Return how many bytes of a range are in memory: proc(5), pagemap; all, if it is not told."""
    page = mmap.PAGESIZE
    first, end = address // page, -(-(address + size) // page)
    try:
        with Path("/proc/self/pagemap").open("rb", buffering=0) as entries:
            entries.seek(first * 8)
            found = entries.read((end - first) * 8)
    except OSError:
        return size
    present: int = sum(entry >> 63 for (entry,) in struct.iter_unpack("=Q", found))
    return min(present * page, size)
