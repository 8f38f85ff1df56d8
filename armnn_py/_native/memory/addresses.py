# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Addresses of arrays, faster than by ``array.ctypes``, and memory whose address costs less."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

_addressof = ctypes.addressof

#: The address of a buffer of a `buffer_kind`.
address_of_buffer = ctypes.addressof


#: A buffer that lies where a dense array does; TypeError or ValueError for one that is read-only,
#: not contiguous, without elements, or of a dtype that buffers do not know.
buffer_over: Callable[[Any], ctypes.c_char] = ctypes.c_char.from_buffer


def buffer_kind(size: int) -> type[ctypes.Array[ctypes.c_char]]:
    """Return what makes buffers of so many bytes, all zero, when it is called."""
    return ctypes.c_char * size


def address_of(array: np.ndarray) -> int:
    """The address of a dense array's data; fast for writable arrays."""
    try:
        return _addressof(buffer_over(array))
    except (TypeError, ValueError):  # read-only, or without elements
        address: int = array.ctypes.data
        return address
