# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Libraries of backends, shared by all runtimes of the process and counted.

A library is identified by the inspected file, not by its path; :mod:`armnn_py.backends.elf` tells
which changes between inspecting and opening are caught.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from armnn_py._native import dynamic_library
from armnn_py.backends.elf import FileState

__all__ = [
    "LOADING",
    "FileChangedError",
    "SharedLibrary",
    "acquire",
    "is_open",
    "mapped_libraries",
    "release",
    "share",
]

#: Held while backends are opened, created, destroyed and closed: the header promises that these
#: happen one at a time. Re-entrant, because a failing load closes what it has made so far.
LOADING = threading.RLock()


# Device and inode. A mapped file keeps its inode, so no other file can get it.
_Identity = tuple[int, int]


class FileChangedError(Exception):
    """The file at a path is not, or no longer, the one that was inspected."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(slots=True, eq=False, repr=False)
class SharedLibrary:
    """One opened file. ``users`` counts backend instances and loads under way."""

    path: str
    identity: _Identity
    handle: int
    users: int = 0
    stays_mapped: bool = False


_libraries: dict[_Identity, SharedLibrary] = {}


def acquire(path: str, inspected: FileState) -> SharedLibrary:
    """Open the file that was inspected, or count one more user of it; call with ``LOADING`` held.

    Raises
    ------
    FileChangedError
        ``path`` now leads to another file, or the file was written to.
    OSError
        It cannot be opened, in the system's words.
    """
    identity = inspected.device, inspected.inode
    library = _libraries.get(identity)
    if library is None:
        library = SharedLibrary(path, identity, _open(path, inspected))
        _libraries[identity] = library
    library.users += 1
    return library


def is_open(inspected: FileState) -> bool:
    """Whether the file is open in this process already; the answer may be old."""
    return (inspected.device, inspected.inode) in _libraries


def share(library: SharedLibrary) -> None:
    """Count one more user of an open library, who must call `release`; with ``LOADING`` held."""
    library.users += 1


def _check_unchanged(path: str, inspected: FileState) -> None:
    try:
        state = FileState.of(os.stat(path))
    except OSError:
        raise FileChangedError("vanished", "was removed while it was being loaded") from None
    if state != inspected:
        raise FileChangedError("changed", "was replaced or written to while it was being loaded")


def _open(path: str, inspected: FileState) -> int:
    """Open a file that is not open yet, even if an older one of the same name is.

    The system's loader compares names first: after an upgrade it would return the old library while
    a runtime uses that. Another spelling of the path prevents it.
    """
    folder, _, name = path.rpartition("/")
    others = {library.handle for library in _libraries.values()}
    handle = _open_unchanged(path, inspected)
    for attempt in range(1, len(others) + 1):
        if handle not in others:
            break
        dynamic_library.close_library(handle)
        handle = _open_unchanged(f"{folder}{'/.' * attempt}/{name}", inspected)
    return handle


def _open_unchanged(path: str, inspected: FileState) -> int:
    """Open a file; check before and after that it is the inspected one."""
    _check_unchanged(path, inspected)
    handle = dynamic_library.open_library(path)
    try:
        _check_unchanged(path, inspected)
    except FileChangedError:
        dynamic_library.close_library(handle)
        raise
    return handle


def release(library: SharedLibrary, *, unloadable: bool) -> None:
    """Count one user less, and close the file after the last; call with ``LOADING`` held.

    After one call with ``unloadable`` false, it stays mapped for the life of the process.
    """
    library.users -= 1
    library.stays_mapped |= not unloadable
    if library.users == 0 and not library.stays_mapped:
        del _libraries[library.identity]
        # Threads of the pool may call the library in their exit hooks.
        dynamic_library.stop_threads()
        dynamic_library.close_library(library.handle)


def mapped_libraries() -> dict[str, int]:
    """Return path and number of users of each library that is open now."""
    with LOADING:
        return {library.path: library.users for library in _libraries.values()}
