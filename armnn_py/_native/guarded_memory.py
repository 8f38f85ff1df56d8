# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory between pages that nobody may touch: who reads or writes beside it dies at once."""

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

__all__ = ["Place", "Region"]

Place = Literal["end", "start", "least", "middle"]
"""Where data lies in its pages: flush with the unreadable page behind it, flush with the one before
it, at an address that has the alignment that was asked for and no more, or far from both."""

_PAGE = mmap.PAGESIZE
_READ, _WRITE = 1, 2  # linux/mman-common.h


@functools.cache
def _mprotect() -> Callable[[int, int, int], int]:
    function = ctypes.CDLL(None, use_errno=True).mprotect
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


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
        What every byte is at first.
    readable
        So many bytes behind the array may be read: the unreadable page comes after them.

    An overrun that stays within the alignment's padding does not reach the page behind: `damage`
    finds it if it wrote.
    """

    __slots__ = ("_begin", "_map", "_pages", "_whole", "address", "poison", "size")

    def __init__(
        self, size: int, alignment: int, place: Place, poison: int, readable: int = 0
    ) -> None:
        self.size, self.poison = size, poison
        room = size + readable + {"least": 2 * alignment, "middle": 2 * _PAGE}.get(place, 0)
        self._pages = max(-(-room // _PAGE), 1) * _PAGE
        self._map = mmap.mmap(-1, self._pages + 2 * _PAGE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._begin = base + _PAGE
        if place == "end":
            self.address = (self._begin + self._pages - size - readable) & -alignment
        elif place == "start":
            self.address = self._begin
        elif place == "middle":
            self.address = self._begin + _PAGE
        else:
            self.address = self._begin + (0 if alignment >= _PAGE else alignment)
        self._whole: NDArray[np.uint8] = np.frombuffer(self._map, np.uint8, self._pages, _PAGE)
        self.fill()
        self._protect(base, _PAGE, 0)
        self._protect(self._begin + self._pages, _PAGE, 0)

    def fill(self) -> None:
        """Make every byte the poison again."""
        self._whole[:] = self.poison

    @staticmethod
    def _protect(address: int, size: int, access: int) -> None:
        if _mprotect()(address, size, access) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    def allow(self, *, read: bool, write: bool) -> None:
        """Say what may be done with the bytes."""
        self._protect(self._begin, self._pages, _READ * read | _WRITE * write)

    @property
    def _offset(self) -> int:
        return self.address - self._begin

    def view(self, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray[Any]:
        """Return the bytes as an array, without a copy."""
        data = self._whole[self._offset : self._offset + self.size]
        return data.view(dtype).reshape(tuple(shape))

    def damage(self) -> str:
        """Say where somebody wrote beside the bytes, in words; empty if nobody did."""
        before, behind = self._whole[: self._offset], self._whole[self._offset + self.size :]
        wrong = np.flatnonzero(behind != self.poison)
        if wrong.size:
            return f"{int(wrong[0])} bytes behind its end"
        wrong = np.flatnonzero(before != self.poison)
        return f"{before.size - int(wrong[-1])} bytes before its start" if wrong.size else ""
