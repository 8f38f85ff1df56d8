# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The mark by which the file of a saved network is recognised."""

from __future__ import annotations

import os
import stat
from typing import Any

MIMETYPE = b"application/x-armnn-py-network"

MARK = (b"mimetype" + MIMETYPE)[:34]
"""Bytes from 30 on of such a file: its first member, as far as 64 bytes show it."""


def is_saved_network(model: Any) -> bool:
    """Whether this is the path of a file that `OptimizedNetwork.save` wrote, by its first bytes."""
    if not isinstance(model, str | os.PathLike):
        return False
    try:
        with open(model, "rb", opener=open_without_waiting) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return False
            head = stream.read(64)
    except (OSError, ValueError):
        return False  # whoever reads it says why it cannot be read
    return head[:4] == b"PK\x03\x04" and head[30:] == MARK


def open_without_waiting(path: str, flags: int) -> int:
    """An opener that a pipe does not hold up."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
