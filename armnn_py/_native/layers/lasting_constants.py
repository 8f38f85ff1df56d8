# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Constants that stay as they are: backends find again what they made of them."""

from __future__ import annotations

import functools
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py._native.library import core
from armnn_py._native.memory.owned import owner_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["announce"]

#: By the id of an array that lives: what notices its end, and what owns its number.
_announced: dict[int, tuple[weakref.ref[NDArray[Any]], object]] = {}


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
    library = core()
    owned = library.armnn_core_new_constant()
    if not owned:
        return
    # At the end of the array, ``pop`` drops the owner: no Python code, so no handler of a signal.
    seen = weakref.ref(array, functools.partial(_announced.pop, key))
    entry = seen, owner_of(owned)
    # One thread adds it: twice added would never be gone. No lock, which a fork could leave taken.
    if _announced.setdefault(key, entry) is not entry:
        return
    if not library.armnn_core_begin_constant(owned, array.ctypes.data, array.nbytes):
        del _announced[key]


def _may_change(array: NDArray[Any]) -> bool:
    """Whether it, or an array that it is a view of, can be written to."""
    memory: object = array
    while isinstance(memory, np.ndarray):
        if memory.flags.writeable:
            return True
        memory = memory.base
    return False
