# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory between guard pages: a read or write beside it ends the process at once."""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Place = Literal["end", "start", "least", "middle"]
"""Where data lies in its pages: flush with the unreadable page behind it, flush with the one before
it, at an address that has the alignment that was asked for and no more, or far from both."""

_PAGE = mmap.PAGESIZE
_READ, _WRITE = 1, 2  # linux/mman-common.h


_MOST_FREE = 64  # mappings of a size that wait for their next use


@functools.cache
def _mprotect() -> Callable[[int, int, int], int]:
    # Other threads need not be let in for a call that takes no time.
    function = ctypes.PyDLL(None, use_errno=True).mprotect
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


def _protect(address: int, size: int, access: int) -> None:
    if _mprotect()(address, size, access) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class _Pages:
    """Some pages between two guard pages."""

    __slots__ = ("_map", "access", "begin", "bytes", "size")

    def __init__(self, size: int) -> None:
        self._map = mmap.mmap(-1, size + 2 * _PAGE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.begin, self.size = base + _PAGE, size
        self.bytes: NDArray[np.uint8] = np.frombuffer(self._map, np.uint8, size, _PAGE)
        self.access = _READ | _WRITE
        _protect(base, _PAGE, 0)
        _protect(self.begin + size, _PAGE, 0)

    def allow(self, access: int) -> None:
        """Say what may be done with them."""
        _protect(self.begin, self.size, access)
        self.access = access


#: What regions that are gone have left, by size: to map pages anew takes longer than most calls.
_free: dict[int, list[_Pages]] = {}


class Region:
    """Pages of its own for the bytes of one array, an unreadable page before and one behind.

    Parameters
    ----------
    size
        Bytes.
    alignment
        A power of two, at most a page: the address is a multiple of it.
    place
        See `Place`.
    poison
        The first value of every byte.
    readable
        So many bytes behind the array may be read: the unreadable page comes after them.

    An overrun that stays within the alignment's padding does not reach the page behind: `damage`
    finds it if it wrote.
    """

    __slots__ = ("_pages", "_whole", "address", "poison", "size")

    def __init__(
        self, size: int, alignment: int, place: Place, poison: int, readable: int = 0
    ) -> None:
        self.size, self.poison = size, poison
        room = size + readable + {"least": 2 * alignment, "middle": 2 * _PAGE}.get(place, 0)
        pages = max(-(-room // _PAGE), 1) * _PAGE
        try:
            self._pages = _free[pages].pop()
        except LookupError:
            self._pages = _Pages(pages)
        self._whole, begin = self._pages.bytes, self._pages.begin
        if place == "end":
            self.address = (begin + pages - size - readable) & -alignment
        elif place == "start":
            self.address = begin
        elif place == "middle":
            self.address = begin + _PAGE
        else:
            self.address = begin + (0 if alignment >= _PAGE else alignment)
        self.fill()

    def __del__(
        self, free: dict[int, list[_Pages]] = _free, most: int = _MOST_FREE, page: int = _PAGE,
        usable: int = _READ | _WRITE,
    ) -> None:  # fmt: skip
        """Leave the pages to the next region, unless they were taken away.

        At the end of the interpreter the names of this module may be None already.
        """
        pages = getattr(self, "_pages", None)
        if pages is not None and pages.access == usable:
            waiting = free.setdefault(pages.size, [])
            if len(waiting) < most and pages.size <= most * page:
                waiting.append(pages)

    def fill(self) -> None:
        """Make every byte the poison again."""
        self._whole[:] = self.poison

    def allow(self, *, read: bool, write: bool) -> None:
        """Say what may be done with the bytes."""
        self._pages.allow(_READ * read | _WRITE * write)

    @property
    def _offset(self) -> int:
        return self.address - self._pages.begin

    def view(self, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray[Any]:
        """Return the bytes as an array, without a copy."""
        data = self._whole[self._offset : self._offset + self.size]
        return data.view(dtype).reshape(tuple(shape))

    def damage(self) -> str:
        """Describe the writes beside the bytes; empty without any."""
        before, behind = self._whole[: self._offset], self._whole[self._offset + self.size :]
        wrong = np.flatnonzero(behind != self.poison)
        if wrong.size:
            return f"{int(wrong[0])} bytes behind its end"
        wrong = np.flatnonzero(before != self.poison)
        return f"{before.size - int(wrong[-1])} bytes before its start" if wrong.size else ""
