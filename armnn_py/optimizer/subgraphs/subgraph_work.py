# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A sub-graph that a backend is asked to replace, and its answer carried out."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from armnn_py._native.layers.optimization_sink import optimize_subgraph
from armnn_py._native.layers.reusable import plain_subgraph
from armnn_py._native.layers.subgraph import ABSENT, BOUNDARY, CONSTANT, LayerData, SubgraphData
from armnn_py.errors import InternalError
from armnn_py.optimizer.subgraphs.check_answer import border_of, find_fault, readers_of
from armnn_py.optimizer.subgraphs.compiled_source import CompiledSource
from armnn_py.text import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from armnn_py._native.layers.optimization_sink import OptimizationAnswer, SubstitutionData
    from armnn_py._native.layers.subgraph import Slot
    from armnn_py._native.table.option_structs import NativeModelOptions
    from armnn_py.backends.backend import Backend
    from armnn_py.backends.options.model_options import ModelOptions
    from armnn_py.optimizer.graph import Graph, Node, Value
    from armnn_py.optimizer.placing.placement_record import PlacementRecord
    from armnn_py.optimizer.subgraphs.subgraph_selection import SubgraphView
    from armnn_py.tensors import TensorInfo

_log = logging.getLogger("armnn_py.optimizer")


def subgraph_data(graph: Graph, view: SubgraphView) -> SubgraphData:
    """A view of a graph as plain data; layers are numbered in its order."""
    slot_of: dict[Value, Slot] = {
        value: (BOUNDARY, index) for index, value in enumerate(view.inputs)
    }
    layers = []
    for number, node in enumerate(view.nodes):
        inputs: list[Slot] = []
        for index, value in enumerate(node.inputs):
            if value is None:
                inputs.append((ABSENT, index))
            elif value.constant is not None:
                inputs.append((CONSTANT, index))
            else:
                inputs.append(slot_of[value])
        slot_of.update((value, (number, value.index)) for value in node.outputs)
        layers.append(
            LayerData(
                node.type,
                node.name,
                node.descriptor,
                tuple(inputs),
                tuple(None if value is None else value.info for value in node.inputs),
                tuple(node.constants),
                tuple(value.info for value in node.outputs),
                node.blob,
                graph.guids.of(node),
            )
        )
    return SubgraphData(
        tuple(layers),
        tuple(value.info for value in view.inputs),
        tuple(slot_of[value] for value in view.outputs),
    )


def ask(
    backend: Backend, data: SubgraphData, options: NativeModelOptions | None
) -> OptimizationAnswer:
    """Return a backend's answer for a sub-graph, which is not yet checked.

    Raises
    ------
    InvalidArgumentError
        The runtime of the backend is closed.
    BackendError
        As `optimize_subgraph`.
    """
    with backend.in_use():
        return optimize_subgraph(
            data,
            backend.id,
            backend.api,
            backend.instance,
            options,
            retain=backend.retain,
            release=backend.release,
        )


class SubgraphWork:
    """The state of one call of `optimize_subgraphs`; ``settled`` are nodes that a backend has seen.

    It adds those that backends make, and takes away those that they give back.
    """

    def __init__(
        self,
        graph: Graph,
        options: ModelOptions | None,
        replace: Callable[[list[Node], str, str], None],
        record: PlacementRecord | None,
        refusal_level: int,
        settled: set[Node],
    ) -> None:
        self.graph = graph
        self._record = record
        self._refusal_level = refusal_level
        self._options = options
        self._replace = replace
        #: Nodes that their backend has seen, or made.
        self.settled = settled
        #: Sentences by backend.
        self.changes: dict[str, list[str]] = {}
        self._had: dict[Node, set[str]] = {}

    def optimize(self, backend: Backend, view: SubgraphView) -> None:
        """One sub-graph: ask, check, carry out."""
        data = traced = subgraph_data(self.graph, view)
        if self._record is not None:
            data = plain_subgraph(traced)
        log = self.changes.setdefault(backend.id, [])
        options = None if self._options is None else self._options.of(backend)
        answer = ask(backend, data, options)
        if self._record is not None:
            self._record.answered(backend.id, traced, answer)
        fault = find_fault(data, answer)
        if fault is not None:
            self._give_back(backend, list(view.nodes), fault, log)
            return
        self.graph.stage = f"backend {backend.id}"
        log += _Substituter(self.graph, backend.id, view, data, self.settled).carry_out(answer)
        for layers, reason in answer.untouched:
            if reason:
                names = _quoted(view.nodes[number] for number in layers)
                _log.info("backend '%s' leaves %s as they are: %s", backend.id, names, reason)
        for layers, reason in answer.failed:
            nodes = [view.nodes[number] for number in layers]
            self._give_back(backend, nodes, reason or "no reason given", log)

    def _give_back(self, backend: Backend, nodes: list[Node], reason: str, log: list[str]) -> None:
        names = _quoted(nodes)
        words = "backend '%s' does not run %s: %s"
        _log.log(self._refusal_level, words, backend.id, names, reason)
        log.append(f"{names} given back: {reason}")
        self.settled.difference_update(nodes)
        for node in nodes:
            self._had.setdefault(node, set()).add(backend.id)
        self._replace(nodes, backend.id, f"optimize_subgraph_view of '{backend.id}': {reason}")
        for node in nodes:
            if node in self.graph and node.backend in self._had[node]:
                raise InternalError(f"layer '{node.name}' went back to '{node.backend}'")


class _Substituter:
    """Carries out a checked answer."""

    def __init__(
        self,
        graph: Graph,
        backend_id: str,
        view: SubgraphView,
        data: SubgraphData,
        settled: set[Node],
    ) -> None:
        self._graph = graph
        self._backend_id = backend_id
        self._view = view
        self._data = data
        self._settled = settled
        self._constants: dict[int, Value] = {
            id(value.constant): value
            for node in view.nodes
            for value in node.inputs
            if value is not None and value.constant is not None
        }
        #: By value: its replacement, which may itself be replaced.
        self._instead: dict[Value, Value] = {}

    def carry_out(self, answer: OptimizationAnswer) -> list[str]:
        """Change the graph; returns a sentence for each change."""
        log = []
        gone: list[int] = []
        for substitution in answer.substitutions:
            log.append(self._substitute(substitution))
            gone += substitution.layers
        readers = readers_of(self._data)
        for part in answer.deleted:
            for source, target in zip(*border_of(self._data, part, readers), strict=True):
                self._instead[self._value(target)] = self._value(source)
            log.append(f"{_quoted(self._view.nodes[number] for number in part)} deleted")
            gone += part
        for old in self._instead:
            new = old
            while new in self._instead:
                new = self._instead[new]
            self._graph.replace(old, new)
        for number in sorted(gone, reverse=True):
            self._graph.remove(self._view.nodes[number])
        return log

    def _value(self, slot: Slot) -> Value:
        layer, index = slot
        if layer == BOUNDARY:
            return self._view.inputs[index]
        return self._view.nodes[layer].outputs[index]

    def _substitute(self, substitution: SubstitutionData) -> str:
        old = [self._view.nodes[number] for number in substitution.layers]
        # The originals' infos: those that went through C have scales rounded to float32.
        infos: dict[Slot, TensorInfo] = {}
        for before, after in substitution.outputs:
            infos.setdefault(after, self._value(before).info)
        nodes: list[Node] = []
        for number, layer in enumerate(substitution.replacement):
            inputs = [
                self._operand(layer, index, nodes, substitution, old[0])
                for index in range(len(layer.inputs))
            ]
            node = self._graph.add(
                layer.type,
                inputs,
                layer.descriptor,
                name=layer.name or f"{self._backend_id} {old[0].name}",
                near=old[0],
                infos=[
                    infos.get((number, slot), info) for slot, info in enumerate(layer.output_infos)
                ],
            )
            node.backend = self._backend_id
            node.blob = layer.blob
            node.is_replacement = True
            if layer.blob is not None and len(substitution.replacement) == 1:
                node.source = CompiledSource(self._data, substitution)
            nodes.append(node)
        self._settled.update(nodes)
        heir: dict[Node, Node] = {}
        for before, (layer_number, slot) in substitution.outputs:
            self._instead[self._value(before)] = nodes[layer_number].outputs[slot]
            heir.setdefault(self._value(before).node, nodes[layer_number])
        sentence = f"{_quoted(old)} became {_quoted(nodes)}"
        heirs: dict[Node, list[Node]] = {}
        for node in old:
            heirs.setdefault(heir.get(node, nodes[-1]), []).append(node)
        for new, nodes_before in heirs.items():
            self._graph.adopt(new, *nodes_before)
        return sentence

    def _operand(
        self,
        layer: LayerData,
        index: int,
        nodes: list[Node],
        substitution: SubstitutionData,
        near: Node,
    ) -> Value | None:
        source, slot = layer.inputs[index]
        if source == ABSENT:
            return None
        if source == BOUNDARY:
            return self._value(substitution.inputs[slot])
        if source != CONSTANT:
            return nodes[source].outputs[slot]
        array, info = layer.constants[index], layer.input_infos[index]
        assert array is not None
        assert info is not None
        return self._constant(array, info, f"{layer.name} operand {index}", near)

    def _constant(self, array: NDArray[Any], info: TensorInfo, name: str, near: Node) -> Value:
        known = self._constants.get(id(array))
        if known is not None and known.info == info:
            return known
        return self._graph.add_constant(array, info, name=name, near=near)


def _quoted(nodes: Iterable[Node]) -> str:
    return quoted((node.name for node in nodes), most=4)
