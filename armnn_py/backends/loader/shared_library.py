# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Libraries of backends, shared by all runtimes of the process and counted.

A library is identified by the inspected file, not by its path, and opened by a descriptor of that
file where it can be; :mod:`armnn_py.backends.loader.elf` tells which changes between inspecting and
opening are caught.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections.abc import Callable
from functools import partial

from msgspec import Struct

from armnn_py._native.process import noted_calls
from armnn_py._native.table import dynamic_library
from armnn_py.backends.loader.elf import FileState
from armnn_py.text import printable

_log = logging.getLogger("armnn_py.backends")

#: Held while backends are opened, created, destroyed and closed: the header promises that these
#: happen one at a time. Re-entrant, because a failing load closes what it has made so far.
LOADING = threading.RLock()


def _forks_wait_for(lock: threading.RLock) -> None:
    """Take a lock for the time of each fork, but of one that had begun before this is called."""
    holders: list[int] = []

    def before() -> None:
        lock.acquire()
        holders.append(threading.get_ident())

    def after() -> None:
        if holders and holders[-1] == threading.get_ident():
            holders.pop()
            lock.release()

    os.register_at_fork(before=before, after_in_parent=after, after_in_child=after)


_forks_wait_for(LOADING)

# Device and inode. A mapped file keeps its inode, so no other file can get it. True: in a namespace
# of its own.
_Identity = tuple[int, int, bool]


class FileChangedError(Exception):
    """The file at a path is not, or no longer, the one that was inspected."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class SharedLibrary(Struct, eq=False):
    """One opened file. ``users`` counts backend instances and loads under way.

    ``descriptor`` is the one that it was opened by, -1 if it was by name.
    """

    path: str
    identity: _Identity
    handle: int
    descriptor: int = -1
    users: int = 0
    stays_mapped: bool = False


_libraries: dict[_Identity, SharedLibrary] = {}


def acquire(
    path: str, inspected: FileState, *, by_name: bool = True, private: bool = False
) -> SharedLibrary:
    """Open the file that was inspected, or count one more user of it; call with ``LOADING`` held.

    Call it in a `deferred_interrupts` block: Ctrl-C between two lines would leave the file open.

    Parameters
    ----------
    path
        Where it lies.
    inspected
        What it was like.
    by_name
        Whether the system's loader gets its path, else a descriptor of the very file.
    private
        Whether the libraries that it needs are opened for it alone.

    Raises
    ------
    FileChangedError
        ``path`` now leads to another file, or the file was written to.
    OSError
        It cannot be opened, in the system's words.
    """
    identity = inspected.device, inspected.inode, private
    library = _libraries.get(identity)
    if library is None:
        descriptor = -1 if by_name else _open_descriptor(path, inspected)
        try:
            handle = _open(path, inspected, descriptor, private=private)
        except BaseException:
            _close_descriptor(descriptor, identity)
            raise
        library = SharedLibrary(path, identity, handle, descriptor)
        _libraries[identity] = library
    library.users += 1
    return library


def is_open(inspected: FileState) -> bool:
    """Whether the file is open in this process already; the answer may be old."""
    return any(
        (inspected.device, inspected.inode, private) in _libraries for private in (False, True)
    )


def share(library: SharedLibrary) -> None:
    """Count one more user of an open library, who must call `release`; with ``LOADING`` held."""
    library.users += 1


def _check_unchanged(file: str | int, inspected: FileState) -> None:
    try:
        state = FileState.of(os.stat(file))
    except OSError:
        raise FileChangedError("vanished", "was removed while it was being loaded") from None
    if state != inspected:
        raise FileChangedError("changed", "was replaced or written to while it was being loaded")


def _open_descriptor(path: str, inspected: FileState) -> int:
    """Return a descriptor of the inspected file, or -1 where there are no names of descriptors."""
    _check_unchanged(path, inspected)
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        _check_unchanged(descriptor, inspected)
        if os.path.exists(f"/proc/{os.getpid()}/fd/{descriptor}"):
            return descriptor
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return -1


def _close_descriptor(descriptor: int, identity: _Identity) -> None:
    """Close what `_open_descriptor` returned, unless a backend did, and it is another file's."""
    with contextlib.suppress(OSError):
        status = os.fstat(descriptor)
        if descriptor >= 0 and (status.st_dev, status.st_ino) == identity[:2]:
            os.close(descriptor)


def _open(path: str, inspected: FileState, descriptor: int, *, private: bool) -> int:
    """Open a file that is not open yet, even if an older one of the same name is.

    The system's loader compares names first: after an upgrade it would return the old library while
    a runtime uses that. Another spelling of the path prevents it.
    """
    if descriptor >= 0:
        open_it = partial(dynamic_library.open_descriptor, descriptor, path, private=private)
        return _open_unchanged(descriptor, inspected, open_it)
    open_library = partial(dynamic_library.open_library, private=private)
    folder, _, name = path.rpartition("/")
    others = {library.handle for library in _libraries.values()}
    handle = _open_unchanged(path, inspected, partial(open_library, path))
    for attempt in range(1, len(others) + 1):
        if handle not in others:
            break
        dynamic_library.close_library(handle)
        other = f"{folder}{'/.' * attempt}/{name}"
        handle = _open_unchanged(path, inspected, partial(open_library, other))
    return handle


def _open_unchanged(file: str | int, inspected: FileState, open_it: Callable[[], int]) -> int:
    """Open a file; check before and after that it is the inspected one."""
    _check_unchanged(file, inspected)
    handle = open_it()
    try:
        _check_unchanged(file, inspected)
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
        # Threads of the pool may call the library in their exit hooks.
        dynamic_library.stop_threads()
        if dynamic_library.has_signal_handlers(library.handle):
            library.stays_mapped = True
            words = "%s: stays open: it handles a signal, though its backend is gone"
            _log.warning(words, printable(library.path))
            return
        del _libraries[library.identity]
        with noted_calls.Steps() as steps:
            steps.begin(f"the closing of {library.path}")
            dynamic_library.close_library(library.handle)
        _close_descriptor(library.descriptor, library.identity)


def mapped_libraries() -> dict[str, int]:
    """Return path and number of users of each library that is open now."""
    with LOADING:
        return {library.path: library.users for library in _libraries.values()}
