# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A file of the user's cache folder with the ends of workers, and the backends in quarantine.

A backend that a runtime abandoned stays in quarantine while its file, the libraries that it
brought, the variables of the system's loader and the kernel are the same. `release` lifts it.
Without a usable cache folder nothing is kept; nothing here raises `OSError`.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, structs

from armnn_py.cache_files import check_own_folder, locked, read_file, replace_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from armnn_py.isolation.events import WorkerEvent

_log = logging.getLogger("armnn_py.isolation")
#: Seconds that a record is kept.
KEPT_SECONDS = 7 * 24 * 3600
_MOST_BYTES = 1 << 20
_MOST_RECORDS = 500
_PATIENCE = 0.2
_LOADER_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "GLIBC_TUNABLES")


class Death(Struct, frozen=True):
    """One end of a worker.

    Attributes
    ----------
    time
        Seconds since the epoch.
    backend, file
        Its id and its shared object.
    reason
        How the worker ended.
    state
        Of file, libraries, variables and kernel, see `state_of`.
    is_last
        Whether the backend was abandoned and is in quarantine.
    recording
        The file with the last call; empty if no call was recorded.
    """

    time: float
    backend: str
    file: str
    reason: str
    state: str
    is_last: bool
    recording: str = ""


def state_of(libraries: Iterable[str]) -> str:
    """Return a hash of the files of libraries, the loader's variables and the kernel."""
    parts = [os.uname().release, *(os.environ.get(name, "") for name in _LOADER_VARIABLES)]
    for path in sorted(set(libraries)):
        try:
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            continue
        parts.append(f"{path} {status.st_ino} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


class Deaths:
    """The records of a cache folder. With None as the folder nothing is kept."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._path = None if folder is None else os.path.join(folder, "worker-ends.json")  # noqa: PTH118

    def recent(self) -> list[Death]:
        """The records of the last week, oldest first."""
        if self._path is None:
            return []
        try:
            data = read_file(self._path, _MOST_BYTES, own=True)
            records = msgspec.json.decode(data, type=list[Death])
        except (OSError, ValueError):  # msgspec.ValidationError is one
            return []
        now = time.time()
        return [one for one in records if now - one.time < KEPT_SECONDS]

    def note(self, event: WorkerEvent, state: str, *, is_last: bool) -> None:
        """Add the end of a worker."""
        death = Death(
            event.time, event.backend, event.file or "", event.reason, state, is_last,
            event.recording or "",
        )  # fmt: skip
        self._change(lambda records: [*records, death][-_MOST_RECORDS:])

    def quarantine(self, backend: str, state: str) -> Death | None:
        """The record for which a backend is in quarantine, or None."""
        for one in reversed(self.recent()):
            if one.backend == backend and one.state == state and one.is_last:
                return one
        return None

    def release(self, backend: str) -> int:
        """Lift the quarantine of a backend; returns how many records said so."""
        found: list[Death] = []

        def changed(records: list[Death]) -> list[Death]:
            found[:] = [one for one in records if one.backend == backend and one.is_last]
            return [structs.replace(r, is_last=r.is_last and r not in found) for r in records]

        self._change(changed)
        return len(found)

    def _change(self, changed: Callable[[list[Death]], list[Death]]) -> None:
        if self._folder is None or self._path is None:
            return
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)  # noqa: PTH103
            check_own_folder(self._folder)
            with locked(self._folder, patience=_PATIENCE) as is_locked:
                if is_locked:
                    replace_file(self._path, msgspec.json.encode(changed(self.recent())))
        except OSError as error:
            _log.info("ends of workers are not kept: %s", error)
