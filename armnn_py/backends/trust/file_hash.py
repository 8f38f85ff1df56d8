# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The hash by which lock files know the bytes of a file."""

from __future__ import annotations

import hashlib
import os

_CHUNK = 1 << 20


def sha256_of(descriptor: int) -> str:
    """Return the SHA-256 of a file in hexadecimal digits; where the descriptor is stays.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    result, at = hashlib.sha256(), 0
    while part := os.pread(descriptor, _CHUNK, at):
        result.update(part)
        at += len(part)
    return result.hexdigest()
