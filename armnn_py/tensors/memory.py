# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arrays whose memory starts where backends want it."""

from __future__ import annotations

import math
import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALIGNMENT = 64
"""Bytes: a cache line, and the widest vector there is. The backend API promises it for constants
and what the host makes; few backends that import memory want more."""


def aligned_empty(
    shape: tuple[int, ...], dtype: np.dtype[Any], alignment: int = ALIGNMENT
) -> NDArray[Any]:
    """Return an array of any contents whose data starts at a multiple of ``alignment`` bytes.

    It can be written to, while its base cannot: once it is read-only, nothing can any more.
    """
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + alignment, np.uint8)
    start = -memory.__array_interface__["data"][0] % alignment
    array: NDArray[Any] = memory[start : start + size].view(dtype).reshape(shape)
    memory.flags.writeable = False
    return array


def aligned_zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return a read-only array of zeros; its pages take no memory until they are read."""
    size = math.prod(shape) * dtype.itemsize
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    pages = mmap.mmap(-1, size or 1, flags=flags, prot=mmap.PROT_READ)
    return np.frombuffer(pages, np.uint8, size).view(dtype).reshape(shape)


def aligned_copy(value: NDArray[Any], alignment: int = ALIGNMENT) -> NDArray[Any]:
    """Return ``value`` itself if it is dense and aligned, otherwise a read-only copy that is."""
    if value.flags.c_contiguous and value.ctypes.data % alignment == 0:
        return value
    copy = aligned_empty(value.shape, value.dtype, alignment)
    copy[...] = value
    copy.flags.writeable = False
    return copy
