# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Constants that stay as they are: backends find again what they made of them."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from armnn_py._native.library import core

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["announce"]

#: By the id of an array that lives: what notices its end.
_announced: dict[int, weakref.ref[NDArray[Any]]] = {}


def announce(array: NDArray[Any]) -> None:
    """Let backends know that the bytes of a read-only array stay as long as the array.

    The array is dense. It is numbered until it is gone (``lasting_constants.h``), and by then
    nothing can have come to its address: numpy clears references before it frees memory.
    """
    key = id(array)
    if key in _announced or array.flags.writeable or not array.nbytes:
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
