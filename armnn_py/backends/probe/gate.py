# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From inspected files to findings: known ones from the cache, others by a trial.

No lock of the loader is held here: a file that hangs keeps only its own search waiting, for as long
as the time limit says.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from armnn_py._native.interrupts import deferred_interrupts
from armnn_py.backends import shared_library
from armnn_py.backends.elf import FileState
from armnn_py.backends.packaged import is_of_package
from armnn_py.backends.probe.identity import FileIdentity
from armnn_py.backends.shared_library import LOADING
from armnn_py.errors import InvalidArgumentError
from armnn_py.text import printable

if TYPE_CHECKING:
    from armnn_py.backends.inspection import InspectedFile
    from armnn_py.backends.probe.cache import ProbeCache

__all__ = ["DEFAULT_SECONDS", "Examiner", "check_seconds"]

_log = logging.getLogger("armnn_py.backends")

#: The time limit of a file if nobody gives one.
DEFAULT_SECONDS = 1.0

_MOST_SECONDS = 3600.0
#: A larger file is known by what the system says of it alone: a sparse one takes no room, and hours
#: to read.
_MOST_HASHED = 256 << 20

_is_told = False


def check_seconds(value: object) -> float | None:
    """Return the argument ``probe_seconds``.

    Raises
    ------
    InvalidArgumentError
        It is neither None nor a number from 0 to 3600.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidArgumentError(
            f"probe_seconds: {type(value).__name__} given, a number of seconds expected"
        )
    if not 0 <= value <= _MOST_SECONDS:
        raise InvalidArgumentError(
            f"probe_seconds: {value} given, a number from 0 to {_MOST_SECONDS:g} expected",
            hints=["0: files are opened without a trial in another process"],
        )
    return float(value)


class Examiner:
    """Finds out what is known of files, and tries those of which nothing is known.

    Parameters
    ----------
    seconds
        Time limit of each file; 0: no file is tried.
    folder
        The user's cache folder; None: findings are kept in memory.
    """

    def __init__(self, seconds: float, folder: str | None) -> None:
        self.seconds = seconds
        self._cache: ProbeCache | None = None
        self._folder = folder

    def look_up(self, files: Sequence[InspectedFile]) -> list[InspectedFile]:
        """Give files the findings that are known; return those that have to be tried."""
        if not self.seconds:
            return []
        unknown = []
        for file in files:
            identity = self._identity_of(file)
            if identity is None:
                continue
            file.finding = self._findings.find(identity, self.seconds)
            if file.finding is None and not shared_library.is_open(FileState(*identity[:4])):
                unknown.append(file)
        return unknown

    def try_out(self, files: Sequence[InspectedFile]) -> None:
        """Try files in another process, all at the same time, and keep what was found."""
        if not files:
            return
        with LOADING:
            from armnn_py.backends.probe.process import ProbeProgramError, try_files

        by_path = {file.candidate.real_path: file for file in files}
        contents: dict[str, str] = {}
        opened: dict[str, tuple[int, FileIdentity]] = {}

        def keep_hash(path: str, descriptor: int) -> None:
            is_small = opened[path][1].size <= _MOST_HASHED
            contents[path] = _content_hash(descriptor) if is_small else "-"
            os.close(descriptor)
            opened[path] = -1, opened[path][1]

        def open_each() -> Iterator[tuple[str, int]]:
            for path, file in by_path.items():
                with deferred_interrupts():  # Ctrl-C between two lines would leave it open
                    found = _open(path, file.state)
                    if found is not None:
                        opened[path] = found
                if found is not None:
                    _log.debug("trying %s in another process", printable(path))
                    yield path, found[0]

        try:
            with try_files(open_each(), self.seconds, keep_hash) as findings:
                for path, finding in findings:
                    if finding.stage == "start":
                        raise ProbeProgramError(f"the program ended before it opened '{path}'")
                    by_path[path].finding = finding
                    identity = opened[path][1]
                    # Somebody else may have ended the program: that is not kept.
                    if finding.ended != "gone" and _identity_at(path) == identity:
                        self._findings.put(identity, contents[path], finding)
                self._findings.save()
        except OSError as error:  # also where descriptors or processes have run out
            _tell_once(error)
            self._findings.save()
        finally:
            for descriptor, _ in opened.values():
                if descriptor >= 0:
                    os.close(descriptor)

    @property
    def _findings(self) -> ProbeCache:
        if self._cache is None:
            with LOADING:
                from armnn_py.backends.probe.cache import cache_of  # few programs have such files

            self._cache = cache_of(self._folder)
        return self._cache

    def _identity_of(self, file: InspectedFile) -> FileIdentity | None:
        """The identity of a file from outside of the package, or None."""
        path, state = file.candidate.real_path, file.state
        if state is None or is_of_package(path):
            return None
        identity = _identity_at(path)
        # Another file by now: the loader says so.
        return identity if identity is not None and FileState(*identity[:4]) == state else None


def _identity_at(path: str) -> FileIdentity | None:
    try:
        return FileIdentity.of(os.stat(path))
    except OSError:
        return None


def _open(path: str, state: FileState | None) -> tuple[int, FileIdentity] | None:
    """Open a file if it is still the one that was inspected."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    identity = FileIdentity.of(os.fstat(descriptor))
    if FileState(*identity[:4]) != state:
        os.close(descriptor)
        return None
    return descriptor, identity


def _content_hash(descriptor: int) -> str:
    """SHA-256 of a file, which is read while it is being tried."""
    with LOADING:
        from armnn_py.backends.trust.file_hash import sha256_of  # only where a file is new

    try:
        return sha256_of(descriptor)
    except OSError:
        return "-"


def _tell_once(error: OSError) -> None:
    global _is_told
    level = logging.DEBUG if _is_told else logging.WARNING
    _is_told = True
    _log.log(level, "backend files are opened without a trial in another process: %s", error)
