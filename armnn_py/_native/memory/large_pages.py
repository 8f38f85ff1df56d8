# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files read into memory of large pages.

Fresh memory costs a page fault per 4 KiB, and for a file that lies in the page cache these take
three times as long as the copying. Memory that the kernel may give in pages of 2 MiB has one fault
for 512. Memory of Python's own objects is not marked so; that of large numpy arrays is.
"""

from __future__ import annotations

import ctypes
import mmap
import os

LARGE_PAGE = 2 << 20
"""Bytes of a large page: on x86-64, and on AArch64 where small ones have 4 KiB."""

_ADVICE = getattr(mmap, "MADV_HUGEPAGE", None)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the contents of a file, as ``Path.read_bytes`` does.

    Raises
    ------
    OSError
        The file cannot be read.
    MemoryError
        It is too large for the memory.
    """
    with open(path, "rb", buffering=0) as stream:
        size = os.fstat(stream.fileno()).st_size
        if _ADVICE is None or size < 2 * LARGE_PAGE:
            return stream.read()
        contents: bytes = _uninitialized(None, size)
        address = address_of_bytes(contents)
        _advise(address, size, _ADVICE)
        rest = memoryview((ctypes.c_char * size).from_address(address)).cast("B")
        while rest and (count := stream.readinto(rest)):
            rest = rest[count:]
        # Somebody may have written to the file meanwhile.
        return contents[: size - len(rest)] if rest else contents + stream.read()


def _advise(address: int, size: int, advice: int) -> None:
    """Mark the large pages that lie in a range; a kernel that has none changes nothing."""
    first = -(-address // LARGE_PAGE) * LARGE_PAGE
    end = (address + size) // LARGE_PAGE * LARGE_PAGE
    if end > first:
        _madvise(first, end - first, advice)


# Bytes made without contents may be filled while no other code has them ("The Python/C API", "Bytes
# Objects").
_uninitialized = ctypes.pythonapi.PyBytes_FromStringAndSize
_uninitialized.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t]
_uninitialized.restype = ctypes.py_object
address_of_bytes = ctypes.pythonapi.PyBytes_AsString
address_of_bytes.argtypes = [ctypes.py_object]
address_of_bytes.restype = ctypes.c_void_p
_madvise = ctypes.CDLL(None).madvise
_madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
