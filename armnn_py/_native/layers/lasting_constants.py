# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Constants that stay as they are: backends find again what they made of them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.library import core

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["announce"]

#: By the id of an array that lives: what notices its end.
_announced: dict[int, weakref.ref[NDArray[Any]]] = {}


def announce(array: NDArray[Any]) -> None:
    """Let backends know that the bytes of a read-only array stay as long as the array.

    The array is dense. It is numbered until it is gone (``lasting_constants.h``), and by then
    nothing can have come to its address: numpy clears references before it frees memory. One whose
    memory is that of an array that can be written to has no number: a network that is made of it
    later may be made of other values.
    """
    key = id(array)
    if key in _announced or not array.nbytes or _may_change(array):
        return
    address, size, library = array.ctypes.data, array.nbytes, core()

    def gone(_: object, known: dict[int, Any] = _announced) -> None:
        known.pop(key, None)
        library.armnn_core_remove_lasting_constant(address, size)

    # One thread adds it: twice added would never be gone. No lock, which a fork could leave taken.
    seen = weakref.ref(array, gone)
    if _announced.setdefault(key, seen) is not seen:
        return
    if not library.armnn_core_add_lasting_constant(address, size):
        del _announced[key]


def _may_change(array: NDArray[Any]) -> bool:
    """Whether it, or an array that it is a view of, can be written to."""
    memory: object = array
    while isinstance(memory, np.ndarray):
        if memory.flags.writeable:
            return True
        memory = memory.base
    return False
