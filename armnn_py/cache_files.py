# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Files in a cache folder: read without trust, replaced in one step, locked between processes.

A cache may hold anything: a pipe, a link to a device, somebody else's file, a file of
any size. None of it may stop a program or make it believe what others wrote.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from typing import TYPE_CHECKING

from armnn_py.interrupts import deferred_interrupts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROOT = 0
#: Seconds between two tries to get a lock.
_PAUSE = 0.002


class UnfitFileError(OSError):
    """There is a file, but not one that a cache writes."""


def read_file(path: str | os.PathLike[str], most_bytes: int, *, own: bool = False) -> bytes:
    """Return the bytes of a regular file; never waits for a writer.

    Parameters
    ----------
    path
        The file; links are followed.
    most_bytes
        A larger file is refused.
    own
        True: refuse it also if other users own it or its folder, or may write to them; see
        `check_own` and `check_own_folder`.

    Raises
    ------
    UnfitFileError
        It is not such a file.
    OSError
        It cannot be read; ``FileNotFoundError`` if it does not exist.
    """
    # Without O_NONBLOCK a pipe would make us wait.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
    with deferred_interrupts():  # Ctrl-C before the ``try`` would leave it open
        handle = os.open(path, flags)
        try:
            if own:
                check_own_folder(os.path.dirname(os.fspath(path)) or ".")  # noqa: PTH120
            return _read(handle, most_bytes, own=own)
        finally:
            os.close(handle)


def _read(handle: int, most_bytes: int, *, own: bool) -> bytes:
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise UnfitFileError("it is not a regular file")
    if status.st_size > most_bytes:
        raise UnfitFileError(f"it has {status.st_size} bytes, at most {most_bytes} expected")
    if own:
        check_own(status)
    parts = []
    rest = status.st_size
    while rest > 0 and (part := os.read(handle, rest)):
        parts.append(part)
        rest -= len(part)
    return b"".join(parts)


def check_own(status: os.stat_result) -> None:
    """Check that this user or root owns a file, and that other users cannot write to it.

    Raises
    ------
    UnfitFileError
        Another user wrote it, or could have.
    """
    if status.st_uid not in (_ROOT, os.geteuid()):
        raise UnfitFileError(f"it belongs to user {status.st_uid}")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UnfitFileError("other users may write to it")


def check_own_folder(folder: str | os.PathLike[str]) -> None:
    """Check that this user or root owns a folder, and that it is not writable for everybody.

    A sticky folder is refused as well: every user can create files in it.

    Raises
    ------
    UnfitFileError
        Other users can put their files there.
    OSError
        It cannot be looked at.
    """
    status = os.stat(folder)  # noqa: PTH116
    if status.st_uid not in (_ROOT, os.geteuid()):
        raise UnfitFileError(f"its folder belongs to user {status.st_uid}")
    if status.st_mode & stat.S_IWOTH:
        raise UnfitFileError("every user may write to its folder")


def replace_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file of the user's own, so that readers see the old bytes or the new ones.

    Raises
    ------
    OSError
        It cannot be written; what was there before stays.
    """
    target = os.fspath(path)
    other = f"{target}.{os.getpid()}.{time.monotonic_ns():x}.tmp"
    handle = os.open(other, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]
        finally:
            os.close(handle)
        os.replace(other, target)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(other)  # noqa: PTH108
        raise


def append_to_file(
    path: str | os.PathLike[str], data: bytes, is_meant: Callable[[os.stat_result], bool]
) -> os.stat_result | None:
    """Add to the end of a file that was read before; with the folder `locked`.

    A reader may see a part of the data, and a full disk may leave one.

    Parameters
    ----------
    path
        The file; a link is not followed.
    data
        The bytes to add.
    is_meant
        Whether the file that is opened is still the one that was read.

    Returns
    -------
    os.stat_result or None
        The file's state afterwards; None if it is not the one that was meant.

    Raises
    ------
    OSError
        It cannot be opened or written to.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY
    handle = os.open(path, flags)
    try:
        if not is_meant(os.fstat(handle)):
            return None
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
        return os.fstat(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def locked(folder: str | os.PathLike[str], *, patience: float | None = None) -> Iterator[bool]:
    """Keep other processes from reading, adding to and replacing a file of a folder.

    The folder is locked, not the file, which is replaced. Where the file system has no locks, the
    last of two simultaneous saves wins.

    Parameters
    ----------
    folder
        It must be there.
    patience
        Seconds to wait for the lock; None: as long as it takes.

    Yields
    ------
    bool
        False if another process has had the lock all that time.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        yield _lock(handle, patience)
    finally:
        os.close(handle)


def _lock(handle: int, patience: float | None) -> bool:
    try:
        if patience is None:
            fcntl.flock(handle, fcntl.LOCK_EX)
            return True
        end = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= end:
                    return False
                time.sleep(_PAUSE)
            else:
                return True
    except OSError:
        return True  # no locks there
