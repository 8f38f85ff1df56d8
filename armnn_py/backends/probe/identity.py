# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whether a file is still the one that was tried, where that can be without reading it.

The times of a file say so unless it was changed just before it was looked at: a second change may
get the same times, as the clocks of file systems move in steps. Of such a file the bytes count.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from armnn_py.backends.loader.elf import FileState
from armnn_py.backends.trust.file_hash import sha256_of
from armnn_py.interrupts import deferred_interrupts

#: Steps of clocks, in nanoseconds: a tick of the kernel, and the whole seconds of some systems.
_FINE_STEP = 20_000_000
_COARSE_STEP = 2_000_000_000
#: More bytes are not read: to try such a file anew takes less time.
_MOST_BYTES = 1 << 18


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
        """The properties of a file that the loader compares before and after it opens it."""
        return FileState(*self[:4])

    @property
    def is_fresh(self) -> bool:
        """Whether it was changed so lately that a change to come may get the same times."""
        is_coarse = self.changed_ns % 1_000_000_000 == 0
        step = _COARSE_STEP if is_coarse else _FINE_STEP
        return time.time_ns() - self.changed_ns < step


def content_of(path: str) -> str | None:
    """Return the SHA-256 of a file's bytes; None if it cannot be read, or is too large for that."""
    with deferred_interrupts():  # Ctrl-C before the second ``try`` would leave it open
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            try:
                is_large = os.fstat(descriptor).st_size > _MOST_BYTES
                return None if is_large else sha256_of(descriptor)
            finally:
                os.close(descriptor)
        except OSError:
            return None
