# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Findings on disk: a file that was tried is not tried again while nothing has changed.

A finding holds for one state of the file (device, inode, size, times of change, and where those
were too new to tell, the hash of its bytes), of the libraries that were loaded with it and of the
environment variables that its code asked for, on one kind of processor, for one release of the
host. What refuses a file holds for an hour at most: a driver may have been mended meanwhile that no
finding knows of.

One line for each file: device and inode, the entry as JSON, a checksum. New lines are added at the
end, and the last one of a file counts; when too many are old, all are written anew.
"""

from __future__ import annotations

import binascii
import itertools
import json
import logging
import os
import time
from collections.abc import Iterable
from typing import TypeAlias

import msgspec

from armnn_py._native import self_check
from armnn_py._version import __version__
from armnn_py.backends.probe.findings import CALLS, Library, ProbeFinding
from armnn_py.backends.probe.identity import FileIdentity, content_of
from armnn_py.backends.probe.program import ProbeProgramError, program_path
from armnn_py.cache_files import UnfitFileError, append_to_file, locked, read_file, replace_file
from armnn_py.text import printable

_log = logging.getLogger("armnn_py.backends")

_FORMAT = 4
#: Lines that may be old, besides one for each entry, before the file is written anew.
_SPARE_LINES = 32
_MOST_BYTES = 8 << 20
#: What a file that is written anew may have, so that there is room for new lines.
_MOST_REWRITTEN = _MOST_BYTES // 2
#: Seconds that a finding holds which refuses a file.
BAD_SECONDS = 3600
#: Seconds to wait for another process that writes.
_PATIENCE = 0.05
#: Variables that the system's loader reads by itself.
_LOADER_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "GLIBC_TUNABLES")

_Key: TypeAlias = tuple[int, int]


class _Entry(msgspec.Struct, frozen=True):
    identity: FileIdentity
    content: str | None  # the hash; None: the times of the file say enough
    when: int
    environment: tuple[tuple[str, int | None], ...]
    finding: ProbeFinding


class ProbeCache:
    """Findings by file, in memory and in a file of the user's cache folder.

    Parameters
    ----------
    folder
        None: in memory only.
    """

    def __init__(self, folder: str | None) -> None:
        self._header = _header()
        name = f"probes-{os.uname().machine}-{self_check.cpu_features():x}.txt"
        self._file = None if folder is None else os.path.join(folder, name)
        #: By device and inode; a line of the file until somebody asks for that one.
        self._entries: dict[_Key, _Entry | str] = {}
        self._seen: FileIdentity | None = None
        self._line_count: int | None = None  # of the file as it was seen; None: not one of ours
        self._is_told = False
        self._new: dict[_Key, _Entry] = {}
        self._sums: dict[str, int | None] = {}  # of this search

    def find(self, identity: FileIdentity, seconds: float, path: str) -> ProbeFinding | None:
        """Return the finding on a file if it still holds; ``seconds`` is the limit of a new one.

        The file is read at ``path`` only if its times cannot tell whether it is the same.
        """
        entry = self._entry(identity[:2])
        if entry is None or entry.identity != identity:
            return None
        finding = entry.finding
        if not finding.is_good:
            age = time.time() - entry.when
            if not 0 <= age < BAD_SECONDS:
                return None
            if finding.ended == "time" and finding.limit_seconds < seconds:
                return None
        if any(self._sum_of(name) != known for name, known in entry.environment):
            return None
        if not all(map(_is_there, finding.libraries)):
            return None
        if entry.content is not None:
            if content_of(path) != entry.content:
                return None
            if not identity.is_fresh:  # from now on its times tell
                settled = _Entry(identity, None, entry.when, entry.environment, finding)
                self._entries[identity[:2]] = self._new[identity[:2]] = settled
        return finding

    def _sum_of(self, name: str) -> int | None:
        """As the function of that name; most files ask for the same few variables."""
        if name not in self._sums:
            self._sums[name] = _sum_of(name)
        return self._sums[name]

    def _entry(self, key: _Key) -> _Entry | None:
        entry = self._entries.get(key)
        if isinstance(entry, str):
            entry = _entry_of(entry)
            if entry is None:
                self._entries.pop(key, None)
            else:
                self._entries[key] = entry
        return entry

    def put(
        self, identity: FileIdentity, finding: ProbeFinding, content: str | None = None
    ) -> None:
        """Remember a finding; `save` writes it. ``content``: the hash, for a file that is fresh."""
        if not finding.is_whole:
            return
        names = dict.fromkeys((*_LOADER_VARIABLES, *finding.variables))
        environment = tuple((name, _sum_of(name)) for name in names)
        entry = _Entry(identity, content, int(time.time()), environment, finding)
        self._entries[identity[:2]] = self._new[identity[:2]] = entry

    def refresh(self) -> None:
        """Read what other processes have written since the last time."""
        self._sums = {}
        if self._file is None:
            return
        try:
            seen = FileIdentity.of(os.stat(self._file))
        except OSError:  # a folder that is not there, or was emptied
            seen = None
        if seen != self._seen:
            self._entries = {**self._read(), **self._new}
            self._seen = seen

    def save(self) -> None:
        """Write new findings beside those of other processes; a failure is logged."""
        if self._file is None or not self._new:
            return
        folder = os.path.dirname(self._file)
        try:
            if not os.path.isdir(folder):
                os.makedirs(folder, mode=0o700, exist_ok=True)
            with locked(folder, patience=_PATIENCE) as is_locked:
                if not is_locked:
                    return  # the next one does it
                self.refresh()
                if not self._append(self._file):
                    self._rewrite(self._file)
        except OSError as error:
            # A finding is not needed: a file that nothing is known of is tried again.
            level = logging.DEBUG if self._is_told else logging.INFO
            self._is_told = True
            place, words = printable(folder), error.strerror or error
            _log.log(level, "findings on backend files are not kept in '%s': %s", place, words)
        self._new = {}

    def _append(self, file: str) -> bool:
        """Add lines for new entries to the file that was read, unless too many are old."""
        lines = _lines_of(self._new.values())
        most = 2 * len(self._entries) + _SPARE_LINES
        count = None if self._line_count is None else self._line_count + len(lines)
        data = _bytes_of(lines)
        if count is None or count > most or self._seen is None:
            return False
        if self._seen.size + len(data) > _MOST_BYTES:
            return False
        status = append_to_file(file, data, lambda status: FileIdentity.of(status) == self._seen)
        if status is None:
            return False
        self._seen, self._line_count = FileIdentity.of(status), count
        return True

    def _rewrite(self, file: str) -> None:
        entries = [entry for key in list(self._entries) if (entry := self._entry(key))]
        lines = _lines_of(sorted(entries, key=lambda one: one.when, reverse=True))
        totals = itertools.accumulate(map(len, lines))
        count = sum(total < _MOST_REWRITTEN for total in totals)
        replace_file(file, _bytes_of([self._header, *reversed(lines[:count])]))
        self._seen, self._line_count = FileIdentity.of(os.stat(file)), count

    def _read(self) -> dict[_Key, _Entry | str]:
        self._line_count = None
        if self._file is None:
            return {}
        try:
            data = read_file(self._file, _MOST_BYTES, own=True)
            header, *lines = data.decode("ascii").split("\n")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            if not self._is_told:
                self._is_told = True
                words = error if isinstance(error, (UnfitFileError, ValueError)) else error.strerror
                _log.warning("findings in '%s' are not used: %s", self._file, words)
            return {}
        if header != self._header:
            return {}  # of another release of this package, or of a program that was exchanged
        entries: dict[_Key, _Entry | str] = {}
        for line in lines:
            key = _key_of(line)
            if key is not None:
                entries[key] = line
        if lines and not lines[-1]:  # else the last line was cut
            self._line_count = len(lines) - 1
        return entries


_caches: dict[str | None, ProbeCache] = {}


def cache_of(folder: str | None) -> ProbeCache:
    """Return the one cache of a folder in this process, brought up to date."""
    cache = _caches.get(folder)
    if cache is None or cache._header != _header():
        cache = _caches[folder] = ProbeCache(folder)
    cache.refresh()
    return cache


def _header() -> str:
    try:
        program = os.stat(program_path())
        of_program = f"{program.st_size} {program.st_mtime_ns}"
    except (OSError, ProbeProgramError):
        of_program = "none"
    return f"armnn_py probes {_FORMAT} {__version__} {of_program}"


def _sum_of(name: str) -> int | None:
    """A number for the value of a variable; None if it is not set."""
    value = os.environ.get(name)
    return None if value is None else binascii.crc32(os.fsencode(value))


def _is_there(library: Library) -> bool:
    try:
        status = os.stat(library.path)
    except (OSError, ValueError):
        return False
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns) == (
        library.device,
        library.inode,
        library.size,
        library.modified_ns,
    )


# ---- Lines --------------------------------------------------------------------------------------


def _bytes_of(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _lines_of(entries: Iterable[_Entry]) -> list[str]:
    return [_line_of(entry) for entry in entries]


def _line_of(entry: _Entry) -> str:
    # Names of files need not be UTF-8, which msgspec's own JSON refuses.
    text = json.dumps(msgspec.to_builtins(entry), separators=(",", ":"))
    line = f"{entry.identity.device}:{entry.identity.inode}\t{text}"
    return f"{line}\t{binascii.crc32(line.encode()):x}"


def _key_of(line: str) -> _Key | None:
    """The device and inode that a line is about; None if it is damaged."""
    text, _, sum_of_line = line.rpartition("\t")
    if f"{binascii.crc32(text.encode()):x}" != sum_of_line:
        return None
    try:
        device, inode = text.partition("\t")[0].split(":")
        return int(device), int(inode)
    except ValueError:
        return None


def _entry_of(line: str) -> _Entry | None:
    """The entry in a line that is not damaged; None if it makes no sense."""
    try:
        entry = msgspec.convert(json.loads(line.split("\t")[1]), _Entry)
    except (ValueError, RecursionError):  # msgspec's errors are ValueErrors
        return None
    stages = (entry.finding.stage, *(stage for _, stage in entry.finding.happenings))
    return entry if CALLS.keys() >= set(stages) else None
