# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How much memory this process has taken."""

from __future__ import annotations

import ctypes
import functools
import mmap
from collections.abc import Callable
from pathlib import Path

__all__ = ["address_bytes", "heap_bytes"]


class _Mallinfo2(ctypes.Structure):
    """What mallinfo2(3) answers."""

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


def address_bytes() -> int:
    """Return the size of the address space that is in use: proc(5), statm."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * mmap.PAGESIZE
