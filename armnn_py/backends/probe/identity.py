# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whether a file is still the one that was tried, without reading it."""

from __future__ import annotations

import os
from typing import NamedTuple

from armnn_py.backends.elf import FileState

__all__ = ["FileIdentity"]


class FileIdentity(NamedTuple):
    """A file and its state, by what the system says of it."""

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, status: os.stat_result) -> FileIdentity:
        """Return the identity in a result of ``os.stat()`` or ``os.fstat()``."""
        return cls(
            status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        )

    @property
    def state(self) -> FileState:
        """What the loader compares before and after it opens the file."""
        return FileState(*self[:4])
