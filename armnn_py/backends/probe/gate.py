# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From files to findings: known ones from the cache, others by a probe after the inspection.

No lock of the loader is held here: a file that hangs keeps only its own search waiting, for as long
as the time limit says.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from armnn_py.backends.loader import shared_library
from armnn_py.backends.loader.elf_notes import loading_seconds
from armnn_py.backends.loader.naming import is_of_package
from armnn_py.backends.loader.verdict import RefusedError
from armnn_py.backends.probe.cache import ProbeCache, cache_of
from armnn_py.backends.probe.identity import FileIdentity, content_of
from armnn_py.backends.probe.marks import OpeningMark
from armnn_py.backends.probe.process import ProbeProcess, try_files
from armnn_py.backends.probe.program import ProbeProgramError
from armnn_py.errors import InvalidArgumentError
from armnn_py.interrupts import deferred_interrupts
from armnn_py.text import printable

if TYPE_CHECKING:
    from armnn_py.backends.loader.inspection import InspectedFile
    from armnn_py.backends.probe.findings import ProbeFinding

_log = logging.getLogger("armnn_py.backends")

#: The default time limit of a file.
DEFAULT_SECONDS = 1.0

_MOST_SECONDS = 3600.0

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
            hints=["0: files are opened without a probe in another process"],
        )
    return float(value)


class Examiner:
    """Finds out what is known of files, and tries those of which nothing is known.

    Parameters
    ----------
    seconds
        Time limit of each file; 0: no file is tried. None: a second, or what the file states.
    folder
        The user's cache folder; None: findings are kept in memory.
    """

    def __init__(self, seconds: float | None, folder: str | None) -> None:
        self.seconds = DEFAULT_SECONDS if seconds is None else seconds
        self._heeds_files = seconds is None
        self._cache: ProbeCache | None = None
        self._folder = folder
        #: Of files whose times do not tell them from a later state: the hash, None if too large.
        self._contents: dict[str, str | None] = {}
        #: Of files that ended programs which opened them: how many of these in succession.
        self._ends: dict[str, int] = {}

    def examine(
        self, files: Sequence[InspectedFile], inspect: Callable[[InspectedFile], None]
    ) -> None:
        """Inspect files, and give them what is known of them, or what their probe finds.

        Parameters
        ----------
        files
            The files; those of the package are inspected only. One with a known finding that
            refuses it need not be read again.
        inspect
            Inspects a file. Meanwhile the program starts that will try the first one of which
            nothing is known.
        """
        unknown = self._look_up(files) if self.seconds else []
        with self._early_probe(unknown) as early:
            for file in files:
                inspect(file)
                _judge_mark(file, self._ends.get(file.candidate.real_path, 0))
                if file.identity is not None and not _is_fit(file):
                    file.finding = None  # the loader says that it is another one by now
            self._try_out([file for file in unknown if _is_fit(file)], early)

    def _look_up(self, files: Sequence[InspectedFile]) -> list[InspectedFile]:
        """Give files the findings that are known; return those that have to be tried."""
        unknown = []
        for file in files:
            path = file.candidate.real_path
            file.identity = None if is_of_package(path) else _identity_at(path)
            if file.identity is None:
                continue
            ends = self._look_at_mark(file, file.identity)
            if not ends:
                file.finding = self._findings.find(file.identity, self.seconds, path)
            if file.finding is None and (ends or not shared_library.is_open(file.identity.state)):
                unknown.append(file)
                if file.identity.is_fresh:  # read before it is tried: a later change shows
                    self._contents[path] = content_of(path)
        if self._cache is not None:
            self._cache.save()
        return unknown

    def _look_at_mark(self, file: InspectedFile, identity: FileIdentity) -> int:
        """Give a file its mark; return how many programs ended while they opened the file."""
        if self._folder is None:
            return 0
        file.mark = OpeningMark(self._folder, identity)
        ends = file.mark.count()
        if ends:
            self._ends[file.candidate.real_path] = ends
        return ends

    @contextlib.contextmanager
    def _early_probe(self, unknown: Sequence[InspectedFile]) -> Iterator[ProbeProcess | None]:
        """Start the program for the first file, which may prove unfit to be tried."""
        if not unknown:
            yield None
            return
        early = None
        try:
            with deferred_interrupts(), contextlib.suppress(OSError):  # `_try_out` tells why
                for file in unknown[:1]:
                    descriptor = _open(file)
                    if descriptor is None:
                        break
                    try:
                        limit = self._seconds_of(descriptor)
                        early = ProbeProcess(file.candidate.real_path, descriptor, limit)
                    finally:
                        os.close(descriptor)
            yield early
        finally:
            if early is not None and not early.has_begun:
                early.close()
                early.reap()

    def _try_out(self, files: Sequence[InspectedFile], early: ProbeProcess | None) -> None:
        """Try files in another process, all at the same time, and keep what was found."""
        if not files:
            return
        by_path = {file.candidate.real_path: file for file in files}
        opened: list[_Opened] = []

        def open_each(paths: Iterable[str]) -> Iterator[tuple[str, int, float]]:
            """Open one after the other: the program that tries a file has it by then."""
            for path in paths:
                file = by_path[path]
                with deferred_interrupts():  # Ctrl-C between two lines would leave it open
                    while opened:
                        opened.pop().close()
                    descriptor = _open(file)
                    if descriptor is not None:
                        opened.append(_Opened(descriptor))
                if descriptor is not None:
                    _log.debug("trying %s in another process", printable(path))
                    yield path, descriptor, self._seconds_of(descriptor)

        def try_each(paths: Iterable[str], early: ProbeProcess | None, *, again: bool) -> list[str]:
            """Try files; return those whose probe was ended with the program that watched it."""
            ended = []
            with try_files(open_each(paths), early) as findings:
                for path, finding in findings:
                    if finding.stage == "start":
                        raise ProbeProgramError(f"the program ended before it opened '{path}'")
                    by_path[path].finding = finding
                    if finding.ended == "gone":
                        ended.append(path)
                    if finding.ended != "gone" or again:
                        self._keep(by_path[path], finding)
                self._findings.save()
            return ended

        try:
            # Somebody else may have ended the program; who does it twice is the file.
            gone = try_each(by_path, early, again=False)
            if gone:
                try_each(gone, None, again=True)
        except OSError as error:  # also where descriptors or processes have run out
            _tell_once(error)
            self._findings.save()
        finally:
            for one in opened:
                one.close()

    def _seconds_of(self, descriptor: int) -> float:
        """Return the limit of an open file."""
        return max(self.seconds, loading_seconds(descriptor) if self._heeds_files else 0.0)

    def _keep(self, file: InspectedFile, finding: ProbeFinding) -> None:
        """Remember a finding if the file is still the one that was looked up."""
        path = file.candidate.real_path
        identity = _identity_at(path)
        if identity is None or identity != file.identity:
            return
        if path not in self._contents:
            self._findings.put(identity, finding)
        elif (content := self._contents[path]) is not None:
            self._findings.put(identity, finding, content)

    @property
    def _findings(self) -> ProbeCache:
        if self._cache is None:
            self._cache = cache_of(self._folder)
        return self._cache


class _Opened:
    """A descriptor that is closed with its last reference: Ctrl-C may come where it is closed."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def close(self) -> None:
        """Close it, unless it is closed."""
        number, self._number = self._number, -1
        if number >= 0:
            os.close(number)

    __del__ = close


def _identity_at(path: str) -> FileIdentity | None:
    try:
        return FileIdentity.of(os.stat(path))
    except OSError:
        return None


def _judge_mark(file: InspectedFile, ends: int) -> None:
    """Warn of a file whose loading ended a program; refuse it after the second time."""
    if file.mark is None or file.refusal is not None or not ends:
        return
    if ends == 1:
        told = (
            "the last program that opened it ended before the backend was made: it is tried again"
        )
        file.warnings = (*file.warnings, told)
        return
    file.refusal = RefusedError(
        "open",
        "ended-programs",
        f"the last {ends} programs that opened it ended before the backend was made",
        f"report it to the backend's vendor; to open it again, remove '{file.mark.path}'",
    )


def _is_fit(file: InspectedFile) -> bool:
    """Whether the inspection let a file pass, and it was the one that was looked up.

    One that was not read, because of what is known of it, is not opened either.
    """
    if file.identity is None or file.refusal is not None:
        return False
    return file.state is None or file.state == file.identity.state


def _open(file: InspectedFile) -> int | None:
    """Open a file if it is still the one that was looked up."""
    try:
        descriptor = os.open(file.candidate.real_path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    if FileIdentity.of(os.fstat(descriptor)) != file.identity:
        os.close(descriptor)
        return None
    return descriptor


def _tell_once(error: OSError) -> None:
    global _is_told
    level = logging.DEBUG if _is_told else logging.WARNING
    _is_told = True
    _log.log(level, "backend files are opened without a probe in another process: %s", error)
