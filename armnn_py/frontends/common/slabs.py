# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory for the weights of a model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from armnn_py._native.memory.large_pages import LARGE_PAGE
from armnn_py.tensors.memory import ALIGNMENT, aligned_empty

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Empty: TypeAlias = "Callable[[tuple[int, ...], np.dtype[Any]], NDArray[Any]]"

_BYTE = np.dtype(np.uint8)
_SLAB = 4 * LARGE_PAGE
_SMALL = 2**14


class Slabs:
    """Arrays cut from blocks that are large enough for large pages.

    Touching fresh memory takes longer than copying weights into it, and each of a network's arrays
    alone is too small for numpy to ask for large pages. A block lives until the last of its arrays
    is gone: small ones, which often outlive the large ones, get memory of their own. So do arrays
    in the first few megabytes: a small model has no more.
    """

    __slots__ = ("_before", "_slab", "_used")

    def __init__(self) -> None:
        self._before = 0
        self._slab: NDArray[np.uint8] | None = None
        self._used = 0

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
        """Return an array that is not initialised, aligned to `ALIGNMENT`."""
        size = math.prod(shape) * dtype.itemsize
        if self._before < LARGE_PAGE or not _SMALL <= size <= _SLAB // 2:
            self._before += size
            return aligned_empty(shape, dtype)
        if self._slab is None or self._used + size > _SLAB:
            self._slab = aligned_empty((_SLAB,), _BYTE, LARGE_PAGE)
            self._used = 0
        first = self._used
        self._used = -(-(first + size) // ALIGNMENT) * ALIGNMENT
        return self._slab[first : first + size].view(dtype).reshape(shape)
