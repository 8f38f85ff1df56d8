# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Addresses of arrays, faster than by ``array.ctypes``."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["address_of"]

_addressof = ctypes.addressof
_from_buffer = ctypes.c_char.from_buffer


def address_of(array: np.ndarray) -> int:
    """The address of a dense array's data; fast for writable arrays."""
    try:
        return _addressof(_from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # read-only, or without elements
        address: int = array.ctypes.data
        return address
