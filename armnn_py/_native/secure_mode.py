# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whether the system began this process in secure mode: set-user-id or file capabilities."""

from __future__ import annotations

import ctypes
import functools

_AT_SECURE = 23  # of the auxiliary vector, see getauxval(3)


@functools.cache
def began_secure() -> bool:
    """Ask the auxiliary vector of the process."""
    find = getattr(ctypes.CDLL(None), "getauxval", None)
    if find is None:
        return False
    find.restype, find.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    return bool(find(_AT_SECURE))
