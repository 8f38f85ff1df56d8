# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Addresses of arrays, faster than by ``array.ctypes``, and memory whose address costs less."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["address_of", "address_of_buffer", "buffer_kind"]

_addressof = ctypes.addressof
_from_buffer = ctypes.c_char.from_buffer


#: The address of a buffer of a `buffer_kind`.
address_of_buffer = ctypes.addressof


def buffer_kind(size: int) -> type[ctypes.Array[ctypes.c_char]]:
    """Return what makes buffers of so many bytes, all zero, when it is called."""
    return ctypes.c_char * size


def address_of(array: np.ndarray) -> int:
    """The address of a dense array's data; fast for writable arrays."""
    try:
        return _addressof(_from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # read-only, or without elements
        address: int = array.ctypes.data
        return address
