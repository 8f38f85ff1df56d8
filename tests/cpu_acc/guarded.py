# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arrays that end at an unreadable page: an access behind them ends the process."""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

_PROCESS = ctypes.CDLL(None, use_errno=True)
_PROCESS.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_NOTHING = 0


def guarded(
    shape: Sequence[int], fill: float = float("nan"), dtype: Any = np.float32
) -> np.ndarray:
    """One unreadable page in front and one right behind the last element."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    pages = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = mmap.mmap(-1, pages + 2 * mmap.PAGESIZE)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (base, base + mmap.PAGESIZE + pages):
        assert _PROCESS.mprotect(page, mmap.PAGESIZE, _NOTHING) == 0
    start = mmap.PAGESIZE + pages - size
    array = np.frombuffer(memory, dtype, offset=start, count=size // np.dtype(dtype).itemsize)
    array = array.reshape(tuple(shape))
    array[...] = fill
    return array


def laid_out(shape: Sequence[int], how: int, dtype: Any = np.float32) -> np.ndarray:
    """An array of ``shape``: dense (0), with gaps along the last dimension (1) or a middle one (2).

    With gaps it is a part of a guarded array whose other elements hold 5.
    """
    sides, middle = list(shape), len(shape) // 2
    if how == 0:
        return guarded(sides, 5, dtype)
    axis = len(sides) - 1 if how == 1 else middle
    sides[axis] += 3
    whole = guarded(sides, 5, dtype)
    part = [slice(None)] * len(sides)
    part[axis] = slice(2, 2 + shape[axis])
    return whole[tuple(part)]


def random_like(rng: np.random.Generator, shape: Sequence[int], how: int) -> np.ndarray:
    """The same with normally distributed values."""
    array = laid_out(shape, how)
    array[...] = rng.standard_normal(tuple(shape))
    return array
