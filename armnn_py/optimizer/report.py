# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which backend runs which layer, and why not an earlier choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from armnn_py.text import counted, html_table, text_table

__all__ = ["Assignment", "LayerAssignment"]


@dataclass(frozen=True, slots=True)
class LayerAssignment:
    """The place of one layer.

    Attributes
    ----------
    guid
        Number of the layer in its network: names may repeat.
    layer
        Name of the layer.
    type
        Arm NN's name of its type, e.g. ``"Convolution2d"``.
    backend
        Id of the backend that runs it.
    file
        Real path of that backend's shared object; None for one linked into the library.
    hint
        The backend that the layer itself asked for, or None.
    refusals
        Pairs (backend id, reason) of the choices tried before.
    """

    guid: int
    layer: str
    type: str
    backend: str
    file: str | None = None
    hint: str | None = None
    refusals: tuple[tuple[str, str], ...] = ()

    @property
    def reason(self) -> str:
        """In words: why the layer is where it is."""
        refused = "; ".join(f"{backend}: {reason}" for backend, reason in self.refusals)
        if self.hint is not None and self.backend == self.hint:
            return "asked for by the layer"
        return refused

    def to_json(self) -> dict[str, Any]:
        """The record as JSON-able values."""
        return {
            "guid": self.guid,
            "layer": self.layer,
            "type": self.type,
            "backend": self.backend,
            "file": self.file,
            "hint": self.hint,
            "refusals": [{"backend": b, "reason": r} for b, r in self.refusals],
        }


class Assignment(Sequence[LayerAssignment]):
    """The places of all layers of a network that a backend runs, in execution order."""

    __slots__ = ("_by_name", "_records", "is_pending")

    def __init__(
        self, records: Sequence[LayerAssignment] = (), *, is_pending: bool = False
    ) -> None:
        self._records = tuple(records)
        #: Whether the layers are not known yet: the network has free dimensions.
        self.is_pending = is_pending
        self._by_name = {record.layer: record for record in reversed(self._records)}

    @overload
    def __getitem__(self, index: int) -> LayerAssignment: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[LayerAssignment, ...]: ...
    def __getitem__(self, index: int | slice) -> LayerAssignment | tuple[LayerAssignment, ...]:
        return self._records[index]

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[LayerAssignment]:
        return iter(self._records)

    def of(self, layer: str) -> LayerAssignment:
        """The record of the layer with this name; of the first one, should names repeat.

        Raises
        ------
        KeyError
            If no backend runs a layer of this name.
        """
        return self._by_name[layer]

    @property
    def counts(self) -> dict[str, int]:
        """Layers on each backend, most first."""
        return dict(Counter(record.backend for record in self._records).most_common())

    def summary(self) -> str:
        """One line: ``51 layers on AcmeNpu, 2 layers on CpuRef``."""
        if self.is_pending:
            return "known after the first run, or bind shapes: load(..., shapes=...)"
        parts = [f"{counted(n, 'layer')} on {b}" for b, n in self.counts.items()]
        return ", ".join(parts) or "no layers"

    def to_json(self) -> list[dict[str, Any]]:
        """All records as JSON-able values."""
        return [record.to_json() for record in self._records]

    def _rows(self) -> list[tuple[str, ...]]:
        head = ("layer", "type", "backend", "why not an earlier choice")
        return [head, *((r.layer, r.type, r.backend, r.reason) for r in self._records)]

    def __str__(self) -> str:
        if not self._records:
            return self.summary()
        return f"{text_table(self._rows())}\n{self.summary()}"

    def __repr__(self) -> str:
        return f"<Assignment: {self.summary()}>"

    def _repr_html_(self) -> str:
        return html_table(self._rows(), f"Assignment: {self.summary()}")
