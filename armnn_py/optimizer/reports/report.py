# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend of each layer, with notes and refusals, and the memory in which each tensor lies."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from msgspec import Struct

from armnn_py.later import public_class
from armnn_py.optimizer.reports.report_layer import LayerAssignment
from armnn_py.optimizer.reports.report_records import records_of
from armnn_py.text import counted, html_table, printable, text_table
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Network, NetworkStorage
    from armnn_py.optimizer.assignment.assignment_draft import AssignmentDraft
    from armnn_py.optimizer.graph import Graph


@public_class
class Assignment(Sequence[LayerAssignment]):
    """The backends of all layers of a network, but its Inputs, Outputs and Constants.

    In the order of the network that was given to `optimize`; an inserted layer comes before the
    first layer that runs after it.
    """

    __slots__ = ("_by_name", "_records", "_why_stages", "is_pending", "skipped", "stages")

    def __init__(
        self,
        records: Sequence[LayerAssignment] = (),
        *,
        is_pending: bool = False,
        stages: int = 0,
        why_stages: str = "data decide shapes",
    ) -> None:
        self._records = tuple(records)
        #: Whether the layers are not known yet: the network has free dimensions.
        self.is_pending = is_pending
        #: In how many stages the network runs; 0: it is one plan.
        self.stages = stages
        self._why_stages = why_stages
        #: Backends of the list, by id, that may be absent and are, and why.
        self.skipped: Mapping[str, str] = {}
        ranked = sorted(self._records, key=lambda record: record.inserted)  # stable
        self._by_name = {record.layer: record for record in reversed(ranked)}

    @classmethod
    def from_graph(
        cls,
        graph: Graph,
        network: Network,
        draft: AssignmentDraft,
        backends: Mapping[str, Backend],
    ) -> Assignment:
        """The report on a graph that is ready to run.

        Parameters
        ----------
        graph
            With a backend for each node.
        network
            The user's network, whose layers are listed.
        draft
            Why each layer got its backend.
        backends
            All loaded backends by id.
        """
        return cls(records_of(graph, network, draft, backends))

    def with_skipped(self, skipped: Mapping[str, str]) -> Assignment:
        """Return a report on the same layers that says which backends were skipped, and why."""
        report = copy.copy(self)
        report.skipped = dict(skipped)
        return report

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
            The network has no layer of this name, or it is an Input, Output or Constant.
        """
        return self._by_name[layer]

    @property
    def layers(self) -> tuple[LayerAssignment, ...]:
        """The records of the user's own layers, inserted ones left out."""
        return tuple(record for record in self._records if not record.inserted)

    @property
    def counts(self) -> dict[str, int]:
        """Layers of the user's network on each backend, most first."""
        return dict(Counter(r.backend for r in self.layers if r.backend).most_common())

    @property
    def removed(self) -> int:
        """Number of layers of the user's network that were taken out."""
        return sum(1 for record in self.layers if not record.backend)

    @property
    def parts(self) -> int:
        """Number of sub-graphs; where they are not known, one more than changes of backend."""
        numbers = {record.part for record in self._records if record.part is not None}
        if numbers:
            return len(numbers)
        ids = [record.backend for record in self.layers if record.backend]
        return sum(1 for n, backend in enumerate(ids) if n == 0 or backend != ids[n - 1])

    @property
    def copies(self) -> int:
        """MemCopy layers: values that are copied from one backend's memory to another's."""
        return self._inserted("MemCopy")

    @property
    def imports(self) -> int:
        """MemImport layers: values whose memory another backend takes over."""
        return self._inserted("MemImport")

    def _inserted(self, layer_type: str) -> int:
        return sum(1 for r in self._records if r.inserted and r.type == layer_type)

    def summary(self) -> str:
        """One line: ``4 of 4 layers assigned: AcmeNpu 3, CpuRef 1; 3 sub-graphs, 2 copies``."""
        skipped = f"; not loaded and skipped: {', '.join(self.skipped)}" if self.skipped else ""
        return self._layers_in_words() + skipped

    def _layers_in_words(self) -> str:
        if self.is_pending and self.stages:
            number = counted(self.stages, "stage")
            return f"known after the first run: {number}, because {self._why_stages}"
        if self.is_pending:
            return "known after the first run, or bind shapes: load(..., shapes=...)"
        counts = self.counts
        assigned = sum(counts.values())
        if not self.layers:
            return "no layers"
        text = f"{assigned} of {assigned} layers assigned"
        if counts:
            text += ": " + ", ".join(f"{backend} {n}" for backend, n in counts.items())
        copies = f"{self.copies} {'copy' if self.copies == 1 else 'copies'}"
        text += f"; {counted(self.parts, 'sub-graph')}, {copies} between backends"
        if self.imports:
            text += f", {counted(self.imports, 'import')}"
        if self.removed:
            text += f"; {counted(self.removed, 'layer')} taken out"
        return text

    def to_json(self) -> list[dict[str, Any]]:
        """All records as JSON-able values."""
        return [record.to_json() for record in self._records]

    def to_html(self, title: str = "Assignment") -> str:
        """A page of its own, with every layer in the colour of its backend."""
        return page_of(self._records, self.counts, self.summary(), title)

    def _rows(self) -> list[tuple[str, ...]]:
        head = ("layer", "type", "backend", "sub-graph", "notes and refusals")
        return [
            head,
            *(
                (r.layer, r.type, r.backend or "-", "" if r.part is None else str(r.part), r.remark)
                for r in self._records
            ),
        ]

    def __str__(self) -> str:
        if not self._records:
            return self.summary()
        return f"{text_table(self._rows(), right=(3,))}\n{self.summary()}"

    def __repr__(self) -> str:
        return f"<Assignment: {self.summary()}>"

    def _repr_html_(self) -> str:
        return html_table(self._rows(), f"Assignment: {self.summary()}")


#: Light backgrounds that are told apart with any kind of colour vision (after Paul Tol's "light").
_COLOURS = (
    "#77aadd", "#eedd88", "#ffaabb", "#99ddff", "#44bb99", "#ee8866", "#bbcc33", "#aaaa00",
)  # fmt: skip
_GONE = "#eeeeee"
_STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; color: #111; background: #fff }
table { border-collapse: collapse }
th, td { text-align: left; padding: .2em .8em; border-bottom: 1px solid #ddd }
th { position: sticky; top: 0; background: #fff }
td.n { text-align: right }
tr.own td { font-style: italic }
span.key { padding: .2em .8em; margin-right: .8em }
"""


def page_of(
    records: Sequence[LayerAssignment], counts: Mapping[str, int], summary: str, title: str
) -> str:
    """Return the page; names may hold any text and are escaped.

    Parameters
    ----------
    records
        One for each row of the table.
    counts
        Layers of each backend.
    summary
        The line below the title.
    title
        Title of the page.
    """
    backends = dict.fromkeys(record.backend for record in records if record.backend)
    colour_of = {name: _COLOURS[n % len(_COLOURS)] for n, name in enumerate(backends)}
    keys = "".join(
        f'<span class="key" style="background:{colour}">{_text(name)} {counts.get(name, 0)}</span>'
        for name, colour in colour_of.items()
    )
    head = "".join(
        f"<th>{name}</th>"
        for name in ("layer", "type", "backend", "sub-graph", "notes and refusals")
    )
    rows = "\n".join(_row(record, colour_of.get(record.backend, _GONE)) for record in records)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>{_text(title)}</h1>\n<p>{_text(summary)}</p>\n<p>{keys}</p>\n"
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n"
        f"</body>\n</html>\n"
    )


def _row(record: LayerAssignment, colour: str) -> str:
    own = ' class="own"' if record.inserted else ""
    part = "" if record.part is None else str(record.part)
    return (
        f"<tr{own}><td>{_text(record.layer)}</td><td>{_text(record.type)}</td>"
        f'<td style="background:{colour}">{_text(record.backend or "-")}</td>'
        f'<td class="n">{part}</td><td>{_text(record.remark)}</td></tr>'
    )


def _text(text: str) -> str:
    import html

    return html.escape(printable(text))


class TensorMemory(Struct, frozen=True):
    """The memory of one tensor.

    Attributes
    ----------
    layer
        Name of the layer that makes it; for a copy or import, the layer that was inserted for it.
    output
        Index of the layer's output.
    type
        Arm NN's name of the layer's type: ``"MemCopy"`` and ``"MemImport"`` are the moves.
    factory
        Id of the tensor handle factory; empty for memory of the host.
    source
        For a copy or import, the factory that the tensor comes from, empty for the host; None for a
        tensor that is computed.
    """

    layer: str
    output: int
    type: str
    factory: str
    source: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The record as JSON-able values."""
        return {
            "layer": self.layer,
            "output": self.output,
            "type": self.type,
            "factory": self.factory,
            "source": self.source,
        }

    def __str__(self) -> str:
        place = self.factory or "host"
        if self.source is not None:
            return f"{self.type} '{self.layer}': {self.source or 'host'} -> {place}"
        return f"{self.type} '{self.layer}' ({self.output}): {place}"


def memory_records(
    network: NetworkStorage, memory: Mapping[tuple[int, int], str]
) -> tuple[TensorMemory, ...]:
    """All tensors that lie in memory of backends, and all that are moved, in the network's order.

    Parameters
    ----------
    network
        The network that is run.
    memory
        By (guid, index of the output): the factory of each tensor that is not in host memory.
    """
    records = []
    for layer in network.layers:
        source = None
        if FACTS[layer.type].moves_memory and layer.inputs[0] is not None:
            slot = layer.inputs[0]
            source = memory.get((slot.layer.guid, slot.index), "")
        for slot in layer.outputs:
            factory = memory.get((layer.guid, slot.index), "")
            if factory or source is not None:
                records.append(TensorMemory(layer.name, slot.index, layer.label, factory, source))
    return tuple(records)
