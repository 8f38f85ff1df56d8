# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The verdict on each file of a search: the record behind reports, errors and commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, overload

from msgspec import Struct

from armnn_py.backends.loader.steps import Stage
from armnn_py.later import public_class
from armnn_py.text import printable

if TYPE_CHECKING:
    from armnn_py.backends.probe.findings import ProbeFinding

__all__ = ["LoadReport", "Place", "RefusedError", "Stage", "Status", "Verdict", "printable"]

Status = Literal["loaded", "refused", "skipped", "unavailable", "duplicate"]


class RefusedError(Exception):
    """A step of loading failed, with all that its verdict says."""

    def __init__(
        self,
        stage: Stage,
        code: str,
        reason: str,
        hint: str = "",
        status: Status = "refused",
    ) -> None:
        super().__init__(reason)
        self.stage, self.code, self.reason, self.hint = stage, code, reason, hint
        self.status: Status = status


@public_class
@dataclass(frozen=True, slots=True)
class Verdict:
    """The result for one file, one backend without a file, or one unusable search folder.

    Attributes
    ----------
    place
        Origin of the backend: ``python``, ``isolated`` (a worker has it), ``static``,
        ``argument``, ``environment``, ``compiled-in``, ``entry-point <distribution>/<name>`` or
        ``bundled``.
    path
        The file as found; the folder if that is unusable; ``<vendor>_<name>`` of a statically
        linked backend; module and class of one written in Python.
    real_path
        The file after following links, once that is known.
    id, version
        The backend's own answers, once it was asked; ``version`` is that of the backend API.
    status
        ``loaded``, ``refused``, ``skipped`` (not named like a backend), ``unavailable`` (no device
        here) or ``duplicate`` (same file or same id as one before).
    stage
        The step that gave the verdict; ``create`` for a loaded backend.
    code
        A fixed word for programs, e.g. ``symbol-missing``; ``ok`` for a loaded backend.
    reason, hint
        A sentence that says what happened, and a remedy; both may be empty.
    probe
        The findings of the probe in another process: how far it came, how it ended, its last
        words, its load time; None if it was not tried.
    """

    place: str
    path: str
    real_path: str | None
    id: str | None
    version: str | None
    status: Status
    stage: Stage
    code: str
    reason: str
    hint: str
    probe: ProbeFinding | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as a dictionary, ready for JSON."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["probe"] = None if self.probe is None else self.probe.as_dict()
        return values

    def __str__(self) -> str:
        name = f" '{self.id}'" if self.id else ""
        version = f" (API {self.version})" if self.version else ""
        reason = f", {self.stage}: {self.reason}" if self.reason else ""
        return printable(f"{self.path}: {self.status}{name}{version}{reason}")


class Place(Struct, frozen=True):
    """A search folder; ``place`` is its origin, ``reason`` why it was not searched, or ""."""

    place: str
    path: str
    reason: str
    entries: int

    @property
    def usable(self) -> bool:
        """Whether the folder was searched."""
        return not self.reason


@public_class
class LoadReport(Sequence[Verdict]):
    """All verdicts of one search, in the order of the search.

    Attributes
    ----------
    places
        The folders of the search, in order.
    """

    __slots__ = ("_verdicts", "places")

    def __init__(self, verdicts: Iterable[Verdict] = (), places: Iterable[Place] = ()) -> None:
        self._verdicts = tuple(verdicts)
        self.places = tuple(places)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Verdict, ...]: ...
    def __getitem__(self, index: int | slice) -> Verdict | tuple[Verdict, ...]:
        return self._verdicts[index]

    def __len__(self) -> int:
        return len(self._verdicts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LoadReport):
            return NotImplemented
        return self._verdicts == other._verdicts

    def __hash__(self) -> int:
        return hash(self._verdicts)

    def with_status(self, status: Status) -> tuple[Verdict, ...]:
        """Return the verdicts of one status."""
        return tuple(verdict for verdict in self._verdicts if verdict.status == status)

    @property
    def loaded(self) -> tuple[Verdict, ...]:
        """Verdicts of the backends that loaded."""
        return self.with_status("loaded")

    @property
    def refused(self) -> tuple[Verdict, ...]:
        """Verdicts of files and folders that were refused."""
        return self.with_status("refused")

    def about(self, backend_id: str) -> tuple[Verdict, ...]:
        """Return the verdicts of files with that id, or with it in their name."""
        marker = f"_{backend_id}_backend.so"
        return tuple(
            verdict
            for verdict in self._verdicts
            if verdict.id == backend_id or (verdict.id is None and marker in verdict.path)
        )

    def as_dicts(self) -> list[dict[str, Any]]:
        """Return the verdicts as dictionaries, ready for JSON."""
        return [verdict.as_dict() for verdict in self._verdicts]

    def __repr__(self) -> str:
        counts: dict[str, int] = {}
        for verdict in self._verdicts:
            counts[verdict.status] = counts.get(verdict.status, 0) + 1
        text = ", ".join(f"{count} {status}" for status, count in counts.items())
        return f"<LoadReport {text or 'nothing found'}>"

    def __str__(self) -> str:
        lines = []
        for verdict in self._verdicts:
            lines.append(str(verdict))
            if verdict.hint:
                lines.append(printable(f"  hint: {verdict.hint}"))
        return "\n".join(lines) or "no backend files found"

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            "<tr>"
            + "".join(
                f"<td>{escape(printable(text or ''))}</td>"
                for text in (v.status, v.id, v.version, v.path, v.reason, v.hint)
            )
            + "</tr>"
            for v in self._verdicts
        )
        head = "<th>status<th>id<th>API<th>file<th>reason<th>hint"
        return f"<table><tr>{head}</tr>{rows}</table>"
