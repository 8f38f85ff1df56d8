# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Libraries of backends, shared by all runtimes of the process and counted."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from armnn_py._native import dynamic_library

if TYPE_CHECKING:
    from armnn_py.backends.discovery import FileIdentity

__all__ = ["LOADING", "SharedLibrary", "acquire", "mapped_libraries", "release"]

#: Held while backends are opened, created, destroyed and closed: the header promises backends that
#: these happen one at a time. Re-entrant, because a failing load closes what it has made so far.
LOADING = threading.RLock()


@dataclass(slots=True)
class SharedLibrary:
    """One opened file. ``users`` counts backend instances and loads under way."""

    path: str
    identity: FileIdentity
    handle: int
    users: int = 0
    stays_mapped: bool = False


_libraries: dict[FileIdentity, SharedLibrary] = {}


def acquire(path: str, identity: FileIdentity) -> SharedLibrary:
    """Open a file, or count one more user of it; call with ``LOADING`` held.

    Raises
    ------
    OSError
        It cannot be opened, in the system's words.
    """
    library = _libraries.get(identity)
    if library is None:
        library = SharedLibrary(path, identity, _open(path))
        _libraries[identity] = library
    library.users += 1
    return library


def _open(path: str) -> int:
    """Open a file that is not open yet, even if an older one of the same name is.

    The system's loader goes by the name first: after an upgrade it would hand out the library that
    was there before, as long as a runtime uses that. Another spelling of the path prevents it.
    """
    folder, _, name = path.rpartition("/")
    others = {library.handle for library in _libraries.values()}
    handle = dynamic_library.open_library(path)
    for attempt in range(1, len(others) + 1):
        if handle not in others:
            break
        dynamic_library.close_library(handle)
        handle = dynamic_library.open_library(f"{folder}{'/.' * attempt}/{name}")
    return handle


def release(library: SharedLibrary, *, unloadable: bool) -> None:
    """Count one user less, and close the file after the last; call with ``LOADING`` held.

    One user that says the library is not unloadable keeps it mapped for the life of the process.
    """
    library.users -= 1
    library.stays_mapped |= not unloadable
    if library.users == 0 and not library.stays_mapped:
        del _libraries[library.identity]
        # Threads of the pool may still have to call the library when they end.
        dynamic_library.stop_threads()
        dynamic_library.close_library(library.handle)


def mapped_libraries() -> dict[str, int]:
    """Return path and number of users of each library that is open now."""
    with LOADING:
        return {library.path: library.users for library in _libraries.values()}
