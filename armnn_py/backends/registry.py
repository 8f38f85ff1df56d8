# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""All backends of one runtime."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar, overload

from armnn_py.backends.backend import Backend
from armnn_py.backends.devices import count_of, no_device, not_made
from armnn_py.backends.loader.admission import ids_of
from armnn_py.backends.loader.opening import open_device
from armnn_py.backends.loader.shared_library import LOADING
from armnn_py.backends.loader.verdict import LoadReport, RefusedError, printable
from armnn_py.device_ids import device_id, split_id, split_optional
from armnn_py.errors import BackendNotFoundError, near_names
from armnn_py.interrupts import deferred_interrupts
from armnn_py.later import public_class
from armnn_py.ownership import Closing, Owner

_log = logging.getLogger("armnn_py.backends")
_Default = TypeVar("_Default")
#: Ids of a list that are not loaded, and why.
Skipped = Mapping[str, str]


@public_class
class BackendRegistry(
    Closing,
    Owner,
    Mapping[str, Backend],
    instead="a process makes its own Runtime, and shares it between threads",
):
    """The backends of one runtime: ids to :class:`Backend`, in the order in which they loaded.

    The instance for another device than a backend's first is made when it is asked for, by
    ``backends["AcmeNpu:1"]``, and counts from then on; ``in`` says whether an id can be asked for.
    ``"AcmeNpu:0"`` is ``"AcmeNpu"``.

    Attributes
    ----------
    load_report
        A verdict on every file and folder of the search.
    """

    __slots__ = ("_backends", "load_report")
    __hash__ = object.__hash__

    def __init__(self, backends: Mapping[str, Backend], load_report: LoadReport) -> None:
        self._backends = dict(backends)
        self.load_report = load_report

    @property
    def isolated(self) -> dict[str, Any]:
        """The backends that run in worker processes: ids to `armnn_py.isolation` objects."""
        return {
            name: one.source.python_table.serving[one.device_index]
            for name, one in list(self._backends.items())
            if one.source.python_table is not None and one.place == "isolated"
        }

    def __getitem__(self, backend_id: str) -> Backend:
        backend = self._backends.get(backend_id)
        if backend is None:
            backend = self._instance_of(backend_id)
        return backend

    def _instance_of(self, backend_id: str) -> Backend:
        """Return the instance that an id with an index names; make it on the first call."""
        name, index = _split(backend_id)
        first = self._backends.get(name)
        if first is None:
            raise self.not_found(backend_id)
        if index == 0:
            return first
        with first.in_use(), LOADING, deferred_interrupts():
            known = self._backends.get(backend_id)
            if known is not None:  # made meanwhile, by another thread
                return known
            if index >= first.source.device_count():
                raise self.not_found(backend_id)
            try:
                backend = open_device(first.source, index)
            except RefusedError as refusal:
                raise not_made(first, backend_id, refusal) from None
            self._backends[backend_id] = backend
        _log.info("backend '%s' made", printable(backend_id))
        return backend

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._backends))  # another thread may ask for a device

    def __len__(self) -> int:
        return len(self._backends)

    def __contains__(self, backend_id: object) -> bool:
        if backend_id in self._backends:
            return True
        name, index = _split(backend_id)
        first = self._backends.get(name)
        return first is not None and (index == 0 or index < count_of(first))

    def __eq__(self, other: object) -> bool:
        return self is other

    @overload
    def get(self, key: str, /) -> Backend | None: ...
    @overload
    def get(self, key: str, /, default: Backend | _Default) -> Backend | _Default: ...
    def get(self, key: str, /, default: Any = None) -> Any:
        """Return the backend, or ``default`` if it is not loaded."""
        if key not in self:
            return default
        return self[key]

    @property
    def by_preference(self) -> tuple[str, ...]:
        """The ids by declared score, highest first; equal ones in load order, references last.

        Each backend once, with its first device: others are used by those who name them.
        """

        def rank(name: str) -> tuple[bool, int]:
            backend = self._backends[name]
            return backend.is_reference, -backend.score

        return tuple(sorted(self._firsts, key=rank))

    @property
    def _firsts(self) -> dict[str, Backend]:
        """The backends by id, without those for other devices."""
        return {name: one for name, one in list(self._backends.items()) if not one.device_index}

    @property
    def all_ids(self) -> tuple[str, ...]:
        """Every id that can be asked for: those of all devices of all backends."""
        return tuple(
            device_id(name, index)
            for name, backend in self._firsts.items()
            for index in range(count_of(backend))
        )

    @property
    def reference(self) -> Backend | None:
        """The first that declares itself a reference, as CpuRef does; None if none is loaded."""
        return next((one for one in self._backends.values() if one.is_reference), None)

    def present(self, listed: Iterable[str], *, asked_by: str = "") -> tuple[list[str], Skipped]:
        """Split a list of ids into those that are loaded, and those that may be absent and are.

        Returns
        -------
        list
            The ids that can be asked for, in their order and without ``?``.
        Skipped
            For each other id, which ended in ``?``, why it is not loaded.

        Raises
        ------
        BackendNotFoundError
            An id without ``?`` is not loaded.
        """
        present: list[str] = []
        skipped: dict[str, str] = {}
        for entry in listed:
            name, is_optional = split_optional(entry)
            if name in self:
                present.append(name)
            elif is_optional:
                skipped[name] = self._why_absent(name)
            else:
                raise self.not_found(name, asked_by=asked_by)
        return present, skipped

    def _why_absent(self, backend_id: str) -> str:
        name, index = _split(backend_id)
        if name in self._backends:
            return f"'{name}' has no device {index}"
        about = self.load_report.about(name)
        if not about:
            return "no file of a backend has this id"
        return f"{about[0].status}, {about[0].stage}: {about[0].reason}"

    def not_found(self, backend_id: str, *, asked_by: str = "") -> BackendNotFoundError:
        """Return the error for an id that is not loaded, with the verdicts about it."""
        name, index = _split(backend_id)
        if name in self._backends:
            return no_device(
                self._backends[name],
                index,
                loaded=self,
                report=self.load_report,
                asked_by=asked_by,
            )
        report = self.load_report
        about = report.about(name)
        details = [f"asked for by: {asked_by}"] if asked_by else []
        not_opened = [
            name
            for verdict in report
            if verdict.code == "not-asked-for"
            for name in (ids_of(verdict.path)[:1] if verdict.id is None else (verdict.id,))
        ]
        known = sorted({*self, *not_opened})
        details.append(f"there are: {', '.join(map(printable, known)) or 'none'}")
        details += [str(verdict) for verdict in about or report.refused]
        for place in report.places:
            if place.usable:
                details.append(f"looked in: {printable(place.path)} ({place.place})")
        near = near_names(backend_id, [*self.all_ids, *not_opened])
        hints = [verdict.hint for verdict in about if verdict.hint]
        if near and not about:
            hints = [f"did you mean '{near[0]}'?"]
        return BackendNotFoundError(
            f"backend '{printable(str(backend_id))}' is not loaded",
            backend=backend_id,
            loaded=tuple(self),
            verdicts=tuple(report),
            details=details,
            hints=hints or ["'armnn-py backends list' shows every file that was met"],
        )

    def close(self) -> None:
        """Destroy the backends, last first, and close libraries without users; may be repeated.

        Networks of the runtime must be gone.
        """
        with LOADING:
            for backend in reversed(self._backends.values()):
                backend.close()

    def quiesce(self) -> None:
        """At the end of the process, tell backends that are still in use to finish and rest."""
        for backend in list(self._backends.values()):
            backend.quiesce()

    def __repr__(self) -> str:
        return f"<BackendRegistry {', '.join(self._backends) or 'empty'}>"


def _split(backend_id: object) -> tuple[str, int]:
    """Return the backend and the index that a key names; ("", 0) if it is not a string."""
    return split_id(backend_id) if isinstance(backend_id, str) else ("", 0)


def nameable_ids(backends: Mapping[str, Any]) -> list[str]:
    """The ids that can be asked for, of a registry or of some of its backends."""
    return list(backends.all_ids if isinstance(backends, BackendRegistry) else backends)
