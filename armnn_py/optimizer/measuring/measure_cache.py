# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Measured times on disk, one file for each kind of machine."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import hashlib
import json
import logging
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from armnn_py import environment
from armnn_py._native.library import core, core_path
from armnn_py.cache_files import UnfitFileError, locked, read_file, replace_file
from armnn_py.errors import BackendError
from armnn_py.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.backends.backend import Backend

_log = logging.getLogger("armnn_py.optimizer")
_FORMAT = 1
_MOST_ENTRIES = 50_000
_MOST_BYTES = 16 << 20
#: Seconds to wait for another process that writes.
_PATIENCE = 1.0
#: Seconds: no measurement takes longer, and sums of such times stay finite.
_LONGEST = 1e6


def digest(value: object) -> str:
    """A short name for a value; unequal values have different names.

    It may hold numbers, texts, bytes, None, enumerations, dataclasses, structs, lists and tuples.
    """
    return hashlib.sha256(repr(_plain(value)).encode()).hexdigest()[:32]


def _plain(value: object) -> object:
    """The value without classes whose ``repr`` leaves something out."""
    if isinstance(value, enum.Enum):
        return type(value).__name__, value.name
    if isinstance(value, Struct):
        return type(value).__name__, *map(_plain, structs.astuple(value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = (_plain(getattr(value, field.name)) for field in dataclasses.fields(value))
        return type(value).__name__, *own
    if isinstance(value, (list, tuple)):
        return tuple(_plain(one) for one in value)
    return value


def backend_identity(backend: Backend) -> tuple[Any, ...]:
    """The key of a time measured on a backend: its id, version, file, options and device."""
    file = Path(core_path() if backend.file is None else backend.file)
    try:
        status = file.stat()
        content: tuple[Any, ...] = (str(file), status.st_size, status.st_mtime_ns)
    except OSError:
        content = (str(file),)
    options = tuple(sorted(backend.options.items()))
    try:
        device = backend.device
    except BackendError:
        device = None
    facts = None if device is None else (device.name, device.driver_version, device.memory_size)
    return backend.id, str(backend.version), backend.vendor_version, content, options, facts


class MeasureCache:
    """Seconds by key, in a file; one that cannot be read counts as empty.

    A damaged file is logged once, as a warning, and rewritten.

    Parameters
    ----------
    place
        True for the user's cache folder, a folder, or None (or False) to keep nothing.
    """

    def __init__(self, place: str | os.PathLike[str] | bool | None) -> None:
        folder = environment.cache_folder() if place is True else place or None
        self.file = None if folder is None else Path(folder) / f"measurements-{machine_name()}.json"
        self._is_told = False
        self._known = self._read()
        self._new: dict[str, float] = {}
        self._unsteady: set[str] = set()

    @property
    def unsteady_count(self) -> int:
        """How many of the new times are not kept."""
        return len(self._unsteady)

    def get(self, key: str) -> float | None:
        """The seconds, or None."""
        return self._known.get(key)

    def is_new(self, key: str) -> bool:
        """Whether the seconds were put since the last `save`."""
        return key in self._new

    def put(self, key: str, seconds: float, *, is_steady: bool = True) -> None:
        """Remember seconds; `save` writes steady ones."""
        self._known[key] = self._new[key] = seconds
        if is_steady:
            self._unsteady.discard(key)
        else:
            self._unsteady.add(key)

    def save(self) -> None:
        """Write new times beside those that other processes wrote meanwhile, in one step."""
        new = {key: self._new[key] for key in self._new if key not in self._unsteady}
        if self.file is None or not new:
            return
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.file.parent, patience=_PATIENCE) as is_locked:
                if not is_locked:
                    raise UnfitFileError("another process holds the lock of its folder")
                self._replace(self.file, {**self._read(), **new})
        except OSError as error:
            _log.warning(
                "measured times are not kept in '%s': %s",
                printable(str(self.file)),
                error.strerror or error,
            )
        self._new = {}

    @staticmethod
    def _replace(file: Path, times: dict[str, float]) -> None:
        kept = dict(list(times.items())[-_MOST_ENTRIES:])
        document = json.dumps({"format": _FORMAT, "seconds": kept}, indent=0)
        replace_file(file, document.encode())

    def _read(self) -> dict[str, float]:
        if self.file is None:
            return {}
        try:
            return _times_of(json.loads(read_file(self.file, _MOST_BYTES, own=True)))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            if not self._is_told:
                self._is_told = True
                words = getattr(error, "strerror", None) or error
                _log.warning(
                    "measured times in '%s' are not used: %s", printable(str(self.file)), words
                )
            return {}


def _times_of(document: Any) -> dict[str, float]:
    """The times in a file of this format; invalid ones are left out.

    Raises
    ------
    ValueError
        It is not such a file. A file of another format belongs to another version: no times.
    """
    if isinstance(document, dict) and document.get("format") not in (None, _FORMAT):
        return {}
    if not isinstance(document, dict) or not isinstance(document.get("seconds"), dict):
        raise ValueError("it is not a file of measured times")
    return {key: value for key, value in document["seconds"].items() if _is_time(value)}


def _is_time(value: Any) -> bool:
    """Whether a value from a file is a valid time; 0 is never written."""
    return isinstance(value, float) and 0 < value < _LONGEST


def machine_name() -> str:
    """A name for processor and number of threads."""
    return digest((platform.machine(), processor_name(), core().armnn_core_thread_count()))[:16]


def processor_name() -> str:
    """The processor as the system names it, a line for each kind of core."""
    with contextlib.suppress(OSError):
        lines: Sequence[str] = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
        wanted = ("model name", "Hardware", "CPU part")
        found = dict.fromkeys(line for line in lines if line.startswith(wanted))
        if found:
            return "\n".join(found)
    return platform.processor()
