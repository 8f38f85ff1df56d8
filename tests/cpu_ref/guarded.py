# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Memory that notices when somebody writes beside it.

In a process with the address sanitizer (a backend built with it, and its runtime preloaded) the
guards are poisoned, too, so that it also notices when somebody reads there.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

GUARD = 256
POISON = 0xCB

_PROCESS = ctypes.CDLL(None)
_FORBID = getattr(_PROCESS, "__asan_poison_memory_region", None)
_ALLOW = getattr(_PROCESS, "__asan_unpoison_memory_region", None)
for _function in (_FORBID, _ALLOW):
    if _function is not None:
        _function.restype, _function.argtypes = None, [ctypes.c_void_p, ctypes.c_size_t]


class Guarded:
    """Memory for one array: 64-byte aligned, poisoned, with guards before and behind."""

    def __init__(self, shape: Sequence[int], dtype: Any) -> None:
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
        self.size = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        self.buffer = np.full(self.size + 2 * GUARD + 64, POISON, np.uint8)
        self.start = GUARD + (-(self.buffer.ctypes.data + GUARD)) % 64

        self._forbid_guards()

    def __del__(self) -> None:
        self._allow_guards()

    def _forbid_guards(self) -> None:
        if _FORBID is not None:
            base, end = self.buffer.ctypes.data, self.start + self.size
            _FORBID(base, self.start)
            _FORBID(base + end, self.buffer.size - end)

    def _allow_guards(self) -> None:
        if _ALLOW is not None:
            _ALLOW(self.buffer.ctypes.data, self.buffer.size)

    @property
    def address(self) -> int:
        return self.buffer.ctypes.data + self.start

    @property
    def array(self) -> np.ndarray:
        data = self.buffer[self.start : self.start + self.size]
        return data.view(self.dtype).reshape(self.shape)

    def check(self) -> None:
        self._allow_guards()
        rest = (self.buffer[: self.start], self.buffer[self.start + self.size :])
        assert all((part == POISON).all() for part in rest), "the kernel wrote outside its output"
        self._forbid_guards()
