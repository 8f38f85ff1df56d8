# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The steps of `optimize` for a network whose shapes are known, in Arm NN's order."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py._native.stoppable_work import stoppable_work
from armnn_py.backends import ModelOptions
from armnn_py.errors import NoBackendForLayerError
from armnn_py.garbage import without_collections
from armnn_py.optimizer.assignment.assign import assign_nodes, follow_layouts, ranks_of_layers
from armnn_py.optimizer.assignment.assignment_draft import AssignmentDraft
from armnn_py.optimizer.assignment.candidates import pin_nodes
from armnn_py.optimizer.connect_backends import connect_backends
from armnn_py.optimizer.graph import NO_PIN, Graph
from armnn_py.optimizer.lowering.decompose import lower_control_flow, lower_matrices
from armnn_py.optimizer.lowering.layouts import tidy
from armnn_py.optimizer.passes import SIMPLIFYING, Pass, PassLog
from armnn_py.optimizer.passes.base import late
from armnn_py.optimizer.placing.placed_network import PlacedNetwork
from armnn_py.optimizer.reports.report import Assignment
from armnn_py.optimizer.run_passes import PassRecord, run_passes
from armnn_py.optimizer.subgraphs.optimize_subgraphs import number_subgraphs, optimize_subgraphs
from armnn_py.stopping import check_stopped
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence, Set

    from armnn_py.backends.backend import Backend
    from armnn_py.network import Network
    from armnn_py.optimizer.graph import Node
    from armnn_py.optimizer.host import Host
    from armnn_py.optimizer.options import OptimizerOptions
    from armnn_py.optimizer.placing.placement_record import PlacementRecord


_log = logging.getLogger("armnn_py.optimizer")

REDUCE_FP32_TO_FP16 = Pass(
    "reduce-fp32-to-fp16",
    "Compute in float16 inside of the network",
    late("..lowering.reduce_precision", function="reduce_fp32_to_fp16"),
)
CANCEL_INVERSE_CONVERSIONS = Pass(
    "cancel-inverse-conversions",
    "Conversions between float16 and float32 that undo each other go",
    late("..lowering.reduce_precision", function="cancel_inverse_conversions"),
    frozenset({LayerType.CAST}),
)


def place_network(
    network: Network,
    backends: Sequence[Backend],
    host: Host,
    options: OptimizerOptions,
    *,
    fallback_level: int = logging.WARNING,
    bounded: bool = False,
) -> PlacedNetwork:
    """Simplify a copy of a network, give each layer a backend, connect their memory.

    ``fallback_level`` is the level of the one log record on refused layers. ``bounded``: shapes are
    upper bounds, so that no layers are compiled together and all tensors lie in host memory.

    Raises
    ------
    GraphValidationError
        The network is not well formed.
    NoBackendForLayerError
        No listed backend takes a layer.
    BackendError
        Tensors cannot get from one backend to another.
    """
    with without_collections():
        simple = simplify_network(network, backends, host, options, bounded=bounded)
        return place_simplified(simple, backends, host, options, fallback_level=fallback_level)


def write_out(graph: Graph) -> None:
    """Write out the layers of a graph that backends never see."""
    types = {node.type for node in graph}
    if types.isdisjoint((LayerType.SWITCH, LayerType.MERGE, LayerType.BATCH_MAT_MUL)):
        return

    if not types.isdisjoint((LayerType.SWITCH, LayerType.MERGE)):
        lower_control_flow(graph)
    if LayerType.BATCH_MAT_MUL in types:
        lower_matrices(graph)


class SimplifiedNetwork(Struct, frozen=True):
    """A network after the passes that need no backends.

    Attributes
    ----------
    network
        The user's network.
    graph
        Its graph after the passes; sizes may be symbolic.
    records
        Their changes.
    bounded
        Whether shapes are upper bounds.
    """

    network: Network
    graph: Graph
    records: tuple[PassRecord, ...]
    bounded: bool


def simplify_network(
    network: Network,
    backends: Sequence[Backend],
    host: Host,
    options: OptimizerOptions,
    *,
    bounded: bool = False,
) -> SimplifiedNetwork:
    """Run the passes that need no backends on a copy of a network; sizes may be symbolic.

    Raises
    ------
    GraphValidationError
        The network is not well formed.
    """
    network.check_wiring()
    graph = Graph.from_network(network)
    pipeline = _Pipeline(network, graph, backends, host, options, bounded)
    pipeline.simplify()
    return SimplifiedNetwork(network, graph, tuple(pipeline.records), bounded)


def place_simplified(
    simple: SimplifiedNetwork,
    backends: Sequence[Backend],
    host: Host,
    options: OptimizerOptions,
    *,
    fallback_level: int = logging.WARNING,
    record: PlacementRecord | None = None,
) -> PlacedNetwork:
    """Give each layer a backend and connect their memory; the graph is used up.

    Parameters and errors are those of `place_network`; where sizes are symbolic, ``record`` gets
    what the backends were asked.
    """
    pipeline = _Pipeline(simple.network, simple.graph, backends, host, options, simple.bounded)
    pipeline.records += simple.records
    pipeline.record = record
    return pipeline.run(fallback_level)


class _Pipeline:
    """The steps for one network."""

    def __init__(
        self,
        network: Network,
        graph: Graph,
        backends: Sequence[Backend],
        host: Host,
        options: OptimizerOptions,
        bounded: bool,
    ) -> None:
        self.network = network
        self.bounded = bounded
        self.backends = backends
        self.host = host
        self.available = host.backends
        self.options = options
        self.model_options = ModelOptions(options.model_options, self.available)
        self.graph = graph
        self.records: list[PassRecord] = []
        self.record: PlacementRecord | None = None
        self._is_placed = False

    def run(self, fallback_level: int) -> PlacedNetwork:
        try:
            return self._run(fallback_level)
        finally:
            self.graph.drop_contents()

    def simplify(self) -> None:
        """Write out what backends never see, then run the passes that need no backends."""
        write_out(self.graph)
        if self.options.placement is not None:
            pin_nodes(self.graph, self.options.placement)
        if self.options.simplify and not self.options.debug:
            with ranks_of_layers(
                self.graph,
                self.backends,
                self.available,
                rules=self.options.placement,
                model_options=self.model_options,
            ) as rank_of:
                self._passes(SIMPLIFYING, rank_of)
        if self.options.reduce_fp32_to_fp16 and self._has_fp16():
            self._passes([REDUCE_FP32_TO_FP16])

    def _run(self, fallback_level: int) -> PlacedNetwork:
        self.graph.stage = "assign-backends"
        draft = self._assign(AssignmentDraft())
        self._is_placed = True
        if self.options.strategy == "measure":
            self._measure(draft)
        if self.record is not None and draft.with_preferences:
            self.record.is_complete = False  # who wants other layouts is asked more
        self._follow_layouts(draft)
        self._passes([CANCEL_INVERSE_CONVERSIONS])
        with stoppable_work():
            self._compile_parts(draft)
        check_stopped()  # a backend that was given up has refused its layers
        if self.options.debug:
            self._insert_debug_layers(draft)
        memory = {}
        if not self.bounded:
            imports = self.options.import_memory
            memory = connect_backends(self.graph, self.available, imports=imports)
        network, layer_of = self.graph.to_network()
        network.metadata = self.network.metadata
        backends: list[str | None] = [None] * len(network.layers)
        for node, layer in layer_of.items():
            backends[layer.guid] = node.backend
        draft.report_fallbacks(fallback_level)
        assignment = Assignment.from_graph(self.graph, self.network, draft, self.available)
        passes = tuple(self.records)
        blobs = {layer_of[node].guid: node.blob for node in layer_of if node.blob is not None}
        return PlacedNetwork(
            network,
            tuple(backends),
            lambda: assignment,
            blobs,
            {(layer_of[v.node].guid, v.index): name for v, name in memory.items()},
            lambda: passes,
            self.model_options,
            {layer.guid: tuple(o.guid for o in node.origins) for node, layer in layer_of.items()},
            tuple(self.graph.guids.of(node) for node in layer_of),
            {layer.guid: node.source for node, layer in layer_of.items() if node.source},
            frozenset(layer.guid for node, layer in layer_of.items() if node.is_replacement),
        )

    def _assign(
        self,
        draft: AssignmentDraft,
        only: Set[Node] | None = None,
        excluded: Mapping[Node, Mapping[str, str]] | None = None,
    ) -> AssignmentDraft:
        log = PassLog()
        draft = assign_nodes(
            self.graph,
            self.backends,
            self.available,
            rules=self.options.placement,
            log=log,
            only=only,
            excluded=excluded,
            draft=draft,
            model_options=self.model_options,
            record=self.record,
        )
        if log.changes:
            self.records.append(PassRecord(self.graph.stage, tuple(log.changes)))
        return draft

    def _follow_layouts(self, draft: AssignmentDraft) -> None:
        """Convert layers to the layouts that their backends want."""
        self.graph.stage = "preferred-layouts"
        changes = follow_layouts(
            self.graph, self.backends, self.available, draft, model_options=self.model_options
        )
        if changes:
            self.records.append(PassRecord(self.graph.stage, tuple(changes)))

    def _measure(self, draft: AssignmentDraft) -> None:
        """Move layers to their fastest backends; rules and hints are kept."""
        from armnn_py.optimizer.measuring.assign_by_time import assign_by_time

        ways = assign_by_time(
            self.graph,
            self.backends,
            draft,
            self.options,
            self.model_options,
            measure=self.host.measure,
        )
        self.records.append(PassRecord("measure", tuple(ways)))

    def _compile_parts(self, draft: AssignmentDraft) -> None:
        """Let backends replace their sub-graphs; layers that they give back are assigned anew."""
        refused: dict[Node, dict[str, str]] = {}

        def replace(nodes: list[Node], backend: str, reason: str) -> None:
            for node in nodes:
                refused.setdefault(node, {})[backend] = reason
            self._assign(draft, set(nodes), refused)

        # A hint or a rule may have brought in backends that are not in the list.
        used = {node.backend for node in self.graph if node.backend is not None}
        listed = {backend.id: backend for backend in self.backends}
        others = [self.available[name] for name in self.available if name not in listed]
        candidates = [*self.backends, *(backend for backend in others if backend.id in used)]
        if self.options.compile_parts and not (self.bounded or self.options.debug):
            self.records += optimize_subgraphs(
                self.graph, candidates, self.model_options, replace=replace, record=self.record
            )
            if refused and draft.with_preferences and tidy(self.graph):
                number_subgraphs(self.graph)
        else:
            number_subgraphs(self.graph)
        if self.options.validate:
            self._passes([])

    def _passes(
        self, passes: Sequence[Pass], rank_of: Callable[[Node], int | None] | None = None
    ) -> None:
        self.records += run_passes(
            self.graph,
            passes,
            disabled=self.options.disabled_passes,
            evaluate=self.host.evaluate,
            rank_of=rank_of,
            validate=self.options.validate,
            placed=self._is_placed,
        )

    def _has_fp16(self) -> bool:
        """Whether the first backend computes in float16; if not, the option has no effect."""
        first = self.backends[0]
        if first.capabilities.get("HasFp16") is True:
            return True
        _log.warning(
            "reduce_fp32_to_fp16 has no effect: backend '%s' does not declare HasFp16", first.id
        )
        return False

    def _insert_debug_layers(self, draft: AssignmentDraft) -> None:
        """Insert Debug layers, on the reference or else on the first backend that takes them."""
        self.graph.stage = "insert-debug-layers"
        reference = self.available.reference

        inserted = insert_debug_layers(
            self.graph, backend=None if reference is None else reference.id
        )
        names = tuple(f"'{node.name}' inserted" for node in inserted)
        self.records.append(PassRecord(self.graph.stage, names))
        if reference is None:
            try:
                self._assign(draft, set(inserted))
            except NoBackendForLayerError as error:
                raise NoBackendForLayerError(
                    "debug=True: no listed backend runs Debug layers",
                    layers=error.layers,
                    hints=["CpuRef runs them: Runtime(bundled_backends=True) loads it"],
                ) from None


# Behind a Debug layer, backends could not pack a constant in advance.
_SILENT = (LayerType.CONSTANT, LayerType.DEBUG, LayerType.OUTPUT)


def insert_debug_layers(graph: Graph, *, backend: str | None) -> list[Node]:
    """Put a Debug layer named ``debug <layer> (<slot>)`` behind each output.

    Parameters
    ----------
    graph
        Changed in place; layers have their backends.
    backend
        Id of the backend that runs the Debug layers; None: they are assigned afterwards.

    Returns
    -------
    list of Node
        The new layers.
    """
    added = []
    for node in graph.nodes:
        if node.type in _SILENT:
            continue
        for value in node.outputs:
            if value.info.data_type.is_packed:  # which no array holds
                continue
            name = f"debug {node.name} ({value.index})"
            debug = graph.add(LayerType.DEBUG, [value], name=name, near=node, infos=[value.info])
            debug.pin, debug.backend = NO_PIN, backend
            graph.replace(value, debug.output)
            added.append(debug)
    return added
