# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From a graph that is ready to run to a record for each layer of the user's network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.reports.report_layer import LayerAssignment
from armnn_py.text import counted
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer, Network
    from armnn_py.optimizer.assignment.assignment_draft import AssignmentDraft
    from armnn_py.optimizer.graph import Graph, Node, Origin


def records_of(
    graph: Graph, network: Network, draft: AssignmentDraft, backends: Mapping[str, Backend]
) -> list[LayerAssignment]:
    """One record for each layer of ``network`` that is not the host's, and each inserted layer."""
    notes = LayerNotes()
    files = {name: _file_of(backend) for name, backend in backends.items()}
    node_of: dict[int, Node] = {}
    origin_of: dict[int, Origin] = {origin.guid: origin for origin in graph.removed}
    inserted: list[Node] = []
    before: dict[int, list[Node]] = {}
    for node in graph.nodes:
        for origin in node.origins:
            node_of.setdefault(origin.guid, node)
            origin_of[origin.guid] = origin
        if node.origins:
            before.setdefault(min(origin.guid for origin in node.origins), []).extend(inserted)
            inserted = []
        elif not node.is_host:
            inserted.append(node)
    records: list[LayerAssignment] = []
    for layer in network.layers:
        records += [_inserted(node, draft, files) for node in before.get(layer.guid, ())]
        if FACTS[layer.type].host:
            continue
        known = origin_of.get(layer.guid)
        found = node_of.get(layer.guid)
        if known is None or found is None:
            stage = "" if known is None else graph.removed.get(known, "")
            note = f"removed by {stage}" if stage else "removed"
            records.append(_gone(layer, note))
        elif found.is_host:
            records.append(_gone(layer, f"became {found.shown_type.label} '{found.name}'"))
        else:
            records.append(_running(layer, known, found, draft, files, notes))
    return records + [_inserted(node, draft, files) for node in inserted]


def _file_of(backend: Backend) -> str | None:
    return None if backend.file is None else str(backend.file)


def _gone(layer: Layer, note: str) -> LayerAssignment:
    return LayerAssignment(
        layer.guid, layer.name, layer.shown_type.label, "", None, layer.backend_hint, note=note
    )


def _running(
    layer: Layer,
    origin: Origin,
    node: Node,
    draft: AssignmentDraft,
    files: Mapping[str, str | None],
    notes_on: LayerNotes,
) -> LayerAssignment:
    placed = draft.origins.get(origin) or draft.nodes.get(node)
    backend = node.backend or ""
    notes = [notes_on.note(origin, node)]
    if placed is not None and placed.backend == backend:
        notes.append(placed.note)
    return LayerAssignment(
        layer.guid,
        layer.name,
        layer.shown_type.label,
        backend,
        files.get(backend),
        layer.backend_hint,
        () if placed is None else placed.refusals,
        node.part,
        "; ".join(note for note in notes if note),
        placed.rule if placed is not None and placed.backend == backend else None,
        run_by=node.name,
        run_as=node.shown_type.label,
    )


def _inserted(
    node: Node, draft: AssignmentDraft, files: Mapping[str, str | None]
) -> LayerAssignment:
    placed = draft.nodes.get(node)
    backend = node.backend or ""
    return LayerAssignment(
        None,
        node.name,
        node.shown_type.label,
        backend,
        files.get(backend),
        None,
        () if placed is None else placed.refusals,
        node.part,
        inserted=True,
        run_by=node.name,
        run_as=node.shown_type.label,
    )


class LayerNotes:
    """Notes on layers; kept by node, because a node may stand for many layers."""

    def __init__(self) -> None:
        self._compiled: dict[Node, str] = {}
        self._main: dict[Node, Origin] = {}

    def note(self, origin: Origin, node: Node) -> str:
        """The note on a layer that ``node`` stands for."""
        if node.type is LayerType.PRE_COMPILED:
            if node not in self._compiled:
                self._compiled[node] = _compiled(node)
            return self._compiled[node]
        if node not in self._main:
            self._main[node] = _main_origin(node)
        if origin == self._main[node]:
            is_same = origin.type is node.shown_type and not node.is_replacement
            return "" if is_same else f"runs as {node.shown_type.label} '{node.name}'"
        how = "merged" if origin.type is node.shown_type else "fused"
        return f"{how} into '{node.name}'"


def _compiled(node: Node) -> str:
    others = sum(1 for other in node.origins if not FACTS[other.type].host) - 1
    company = f" with {counted(others, 'other layer')}" if others else ""
    return f"compiled{company} into '{node.name}'"


def _main_origin(node: Node) -> Origin:
    """The layer that a node continues: the one of its name or type, or else the first."""
    return min(
        node.origins,
        key=lambda o: ((o.name != node.name) + (o.type is not node.shown_type), FACTS[o.type].host),
    )
