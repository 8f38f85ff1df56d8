# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Marks on disk: which files a program was opening when it ended.

A file can pass its probe by luck and end the program that opens it. A mark is written before the
program opens the file and removed when the backend is made, so that the next program knows. The
mark is locked meanwhile: one that is not locked was left by a program that ended.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from typing import TYPE_CHECKING

from armnn_py.cache_files import check_own, check_own_folder

if TYPE_CHECKING:
    from armnn_py.backends.probe.identity import FileIdentity

#: Seconds for which two ends in succession refuse a file.
HOLDS_SECONDS = 3600
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
_MOST_BYTES = 256


class OpeningMark:
    """The mark of one file; a ``with`` block around the opening of it keeps it written.

    Nothing here raises `OSError`: without a usable cache folder there are no marks.

    Parameters
    ----------
    folder
        The user's cache folder.
    identity
        The file's. What is known of another state of the file does not count.
    """

    def __init__(self, folder: str, identity: FileIdentity) -> None:
        self.path = os.path.join(folder, f"opening-{identity.device:x}-{identity.inode:x}.txt")
        self._identity = ":".join(map(str, identity))
        self._descriptor = -1

    def count(self) -> int:
        """Return how many programs in succession ended while they opened the file."""
        try:
            check_own_folder(os.path.dirname(self.path))
            descriptor = os.open(self.path, os.O_RDONLY | _FLAGS)
        except OSError:
            return 0
        try:
            check_own(os.fstat(descriptor))
            count = self._read(descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return max(count - 1, 0)  # a program is opening it now
            is_old = not 0 <= time.time() - os.fstat(descriptor).st_mtime < HOLDS_SECONDS
            return min(self._read(descriptor), 1 if is_old else count)
        except OSError:
            return 0
        finally:
            os.close(descriptor)

    def __enter__(self) -> None:
        count = self.count()
        try:
            folder = os.path.dirname(self.path)
            os.makedirs(folder, mode=0o700, exist_ok=True)
            check_own_folder(folder)
            self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
            check_own(os.fstat(self._descriptor))
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if self._is_ours():  # else it was removed meanwhile
                text = f"{self._identity} {count + 1}\n"
                os.ftruncate(self._descriptor, 0)
                os.pwrite(self._descriptor, text.encode(), 0)
        except OSError:  # also where another program is opening the file, and this is its mark
            self._close()

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            if self._is_ours():
                os.ftruncate(self._descriptor, 0)  # other processes may have the mark open
                os.unlink(self.path)
                self._close()
        self._descriptor = -1

    def _is_ours(self) -> bool:
        """Whether the descriptor is still the mark's: code of the file may have closed it."""
        if self._descriptor < 0:
            return False
        return os.path.samestat(os.fstat(self._descriptor), os.lstat(self.path))

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _read(self, descriptor: int) -> int:
        text = os.pread(descriptor, _MOST_BYTES, 0).decode("ascii", "replace")
        identity, _, count = text.strip().rpartition(" ")
        return int(count) if identity == self._identity and count.isdecimal() else 0
