# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Optimises anew those parts of a saved network that backends refuse, and nothing else."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from msgspec import structs

from armnn_py.errors import BackendError
from armnn_py.network import ConstantLayer
from armnn_py.optimizer.assignment.assign import assign_nodes
from armnn_py.optimizer.assignment.assignment_draft import AssignmentDraft
from armnn_py.optimizer.graph import NO_PIN, Origin
from armnn_py.optimizer.reports.report_records import LayerNotes
from armnn_py.optimizer.subgraphs.optimize_subgraphs import number_subgraphs, optimize_subgraphs
from armnn_py.text import counted, printable, quoted
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from armnn_py.backends import ModelOptions
    from armnn_py.backends.backend import Backend
    from armnn_py.network import OutputSlot
    from armnn_py.optimizer.graph import Graph, Node, Value
    from armnn_py.optimizer.reports.report_layer import LayerAssignment
    from armnn_py.optimizer.run_passes import PassRecord
    from armnn_py.optimizer.subgraphs.source_network import SourceNetwork

_log = logging.getLogger("armnn_py.optimizer")
_MOST_NAMES = 60


class Rebuilt:
    """The result of optimising sub-graphs anew.

    Attributes
    ----------
    kept
        The nodes that are as they were saved.
    records
        The backends' changes.
    """

    def __init__(
        self, graph: Graph, kept: set[Node], draft: AssignmentDraft, records: list[PassRecord]
    ) -> None:
        self.kept = kept
        self.records = records
        self._draft = draft
        self._notes = LayerNotes()
        self._node_of: dict[int, tuple[Node, Origin]] = {}
        for node in graph.nodes:
            for origin in node.origins:
                self._node_of.setdefault(origin.guid, (node, origin))

    def row(self, saved: LayerAssignment) -> LayerAssignment:
        """The record of a layer of the user's network as it is now; the file is set later."""
        if saved.guid is None or not saved.backend:
            return saved
        if saved.guid not in self._node_of:
            return structs.replace(
                saved, backend="", part=None, note="removed", rule=None, run_by="", run_as=""
            )
        node, origin = self._node_of[saved.guid]
        if node in self.kept:
            return saved if node.is_host else structs.replace(saved, part=node.part)
        placed = self._draft.origins.get(origin) or self._draft.nodes.get(node)
        return structs.replace(
            saved,
            backend=node.backend or "",
            refusals=saved.refusals if placed is None else placed.refusals,
            part=node.part,
            note=self._notes.note(origin, node),
            rule=saved.rule if node.backend == saved.backend else None,
            run_by=node.name,
            run_as=node.shown_type.label,
        )


def restore_origins(
    nodes: Mapping[Node, tuple[int, ...]], assignment: Sequence[LayerAssignment]
) -> None:
    """Let each node stand for layers of the user's network, by their guids, as after `optimize`."""
    rows = {row.guid: row for row in assignment if row.guid is not None}
    kinds = {kind.label: kind for kind in LayerType}
    for node, guids in nodes.items():
        node.origins = tuple(
            Origin(guid, rows[guid].layer, kinds.get(rows[guid].type, node.type))
            if guid in rows
            else Origin(guid, node.name, node.type)
            for guid in guids
        )


def expand(graph: Graph, node: Node, source: SourceNetwork) -> list[Node]:
    """Replace a compiled layer by the layers that it was made from, which have no backend.

    Raises
    ------
    BackendError
        They read tensors that the compiled layer did not need, or make other ones than it; the
        graph is as it was.
    """
    operands: dict[int, Value] = {}
    for index, number in enumerate(source.border.inputs):
        value = node.inputs[index] if index < len(node.inputs) else None
        if number >= 0 and value is not None:
            operands[number] = value
    inputs = [x for x in source.network.layers if x.type is LayerType.INPUT]
    if any(number not in operands for number in range(len(inputs))):
        raise BackendError(
            f"the layers of the compiled sub-graph '{node.name}' read tensors that are not there",
            hints=["optimize() the model anew and save it again"],
        )
    _check_outputs(node, source)
    value_of: dict[OutputSlot, Value] = {
        layer.outputs[0]: operands[number] for number, layer in enumerate(inputs)
    }
    made: list[Node] = []
    guids: list[int] = []
    ends = 0
    for layer, guid in zip(source.network.layers, source.guids, strict=True):
        if layer.type is LayerType.INPUT:
            continue
        if isinstance(layer, ConstantLayer):
            info = layer.outputs[0].info
            value = graph.add_constant(layer.value, info, name=layer.name, near=node)
            value_of[layer.outputs[0]] = value
            continue
        if layer.type is LayerType.OUTPUT:
            (slot,) = layer.inputs
            assert slot is not None
            graph.replace(node.outputs[source.border.outputs[ends]], value_of[slot])
            ends += 1
            continue
        new = graph.add(
            layer.type,
            [None if slot is None else value_of[slot] for slot in layer.inputs],
            layer.descriptor,
            name=layer.name,
            near=node,
            infos=[slot.info for slot in layer.outputs],
        )
        new.backend = None
        value_of.update(zip(layer.outputs, new.outputs, strict=True))
        made.append(new)
        guids.append(guid)
    _share_origins(node, made, guids)
    graph.remove(node)
    return made


def _check_outputs(node: Node, source: SourceNetwork) -> None:
    """Check that the layers make each output of a compiled layer that is read, as it is stated."""
    infos = {
        place: slot.info
        for place, layer in zip(source.border.outputs, source.network.output_layers, strict=True)
        for slot in layer.inputs
        if slot is not None
    }
    for value in node.outputs:
        if value.users and infos.get(value.index) != value.info:
            made = infos.get(value.index)
            raise BackendError(
                f"output {value.index} of the compiled sub-graph '{node.name}' is {value.info!r}, "
                f"but its layers make {'nothing there' if made is None else repr(made)}",
                hints=["the file is damaged: optimize() the model anew and save it again"],
            )


def _share_origins(node: Node, made: Sequence[Node], guids: Sequence[int]) -> None:
    """Each layer stands for the one whose number it had, and for those fused into it after it."""
    origins, node.origins = node.origins, ()
    first = min(range(len(made)), key=guids.__getitem__)
    for origin in sorted(origins, key=lambda one: one.guid):
        before = [n for n, guid in enumerate(guids) if guid <= origin.guid]
        owner = made[max(before, key=guids.__getitem__) if before else first]
        owner.origins = (*owner.origins, origin)


def rebuild(
    graph: Graph,
    todo: Mapping[Node, Mapping[str, str]],
    candidates: Sequence[Backend],
    available: Mapping[str, Backend],
    model_options: ModelOptions,
) -> Rebuilt:
    """Assign backends to some nodes and let these compile them; all others stay as they are.

    Parameters
    ----------
    graph
        All other nodes have their backends.
    todo
        The nodes; for each, the backends that must not get it, with the reason.
    candidates
        The backends, best first.
    available
        All loaded backends by id.
    model_options
        Options of the model.

    Raises
    ------
    NoBackendForLayerError
        None of them takes a layer.
    """
    graph.stage = "load"
    kept = {node for node in graph.nodes if node not in todo}
    refused = {node: dict(reasons) for node, reasons in todo.items()}
    for node in todo:
        node.backend, node.is_replacement = None, False
        if node.pin.hint is not None and node.pin.hint not in available:
            node.pin = NO_PIN
    draft = AssignmentDraft()

    def assign(nodes: set[Node]) -> None:
        assign_nodes(
            graph, candidates, available,
            only=nodes, excluded=refused, draft=draft, model_options=model_options,
        )  # fmt: skip

    def replace(nodes: list[Node], backend: str, reason: str) -> None:
        for node in nodes:
            refused.setdefault(node, {})[backend] = reason
        assign(set(nodes))

    assign(set(todo))
    records = optimize_subgraphs(
        graph, candidates, model_options,
        replace=replace, settled=kept, refusal_level=logging.INFO,  # one warning tells of all
    )  # fmt: skip
    number_subgraphs(graph)
    return Rebuilt(graph, kept, draft, records)


def warn_of_changes(network: str, again: Mapping[str, str], anew: Mapping[str, str]) -> None:
    """Log one warning on all that was not taken as it was saved.

    Parameters
    ----------
    network
        The name of the network.
    again
        Compiled sub-graphs that were compiled again, to the same layer: name and reason.
    anew
        Sub-graphs and layers that were optimised anew: what, with its name, and reason.
    """
    lines = []
    for changed, what in ((again, "compiled again"), (anew, "optimised anew")):
        reasons: dict[str, list[str]] = {}
        for name, reason in changed.items():
            # Backends name the layer in their words: one line for each reason all the same.
            reasons.setdefault(reason.replace(f"'{name}'", "..."), []).append(name)
        for reason, names in reasons.items():
            told = reason.replace("...", f"'{names[0]}'") if len(names) == 1 else reason
            lines.append(
                f"  {what}: {printable(quoted(names, most=_MOST_NAMES))}: {printable(told)}"
            )
    if lines:
        count = counted(len(again) + len(anew), "part")
        _log.warning(
            "%s",
            "\n".join(
                [
                    f"saved network '{printable(network)}': {count} not taken as saved:",
                    *lines,
                    "  hint: optimize() the model anew and save it again",
                ]
            ),
        )
