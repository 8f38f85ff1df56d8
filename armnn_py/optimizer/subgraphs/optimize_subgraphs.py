# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each backend gets its sub-graphs whole, and may replace them by layers of its own."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from armnn_py._native.growth import why_not_shown
from armnn_py.optimizer.run_passes import PassRecord
from armnn_py.optimizer.subgraphs.subgraph_selection import SubgraphView, select_subgraphs, view_of
from armnn_py.optimizer.subgraphs.subgraph_work import SubgraphWork

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Set

    from armnn_py.backends.backend import Backend
    from armnn_py.backends.options.model_options import ModelOptions
    from armnn_py.optimizer.graph import Graph, Node
    from armnn_py.optimizer.placing.placement_record import PlacementRecord


def optimize_subgraphs(
    graph: Graph,
    backends: Sequence[Backend],
    model_options: ModelOptions | None = None,
    *,
    replace: Callable[[list[Node], str, str], None],
    settled: Set[Node] = frozenset(),
    refusal_level: int = logging.WARNING,
    record: PlacementRecord | None = None,
) -> list[PassRecord]:
    """Let each backend optimise its sub-graphs, and number the resulting ones.

    Parameters
    ----------
    graph
        Every node that is not the host's has its backend; changed in place.
    backends
        All backends that have layers or may get some, best first; they work in this order.
    model_options
        Options of this model for the backends.
    replace
        Called with nodes that a backend gives back, its id and the reason: assigns other backends
        to just these nodes, none that had the node before. Raises if no other backend takes one.
    settled
        Nodes that no backend gets to see, because one has compiled or seen them before.
    refusal_level
        The level of the log records on layers that a backend gives back.
    record
        Notes sub-graphs and answers, where sizes are symbolic.

    Returns
    -------
    list of PassRecord
        One for each backend that was asked.

    Raises
    ------
    NoBackendForLayerError
        From ``replace``.
    """
    work: SubgraphWork | None = None
    seen = set(settled)
    while True:
        idle = True
        for backend in backends:
            own = {
                node
                for node in graph.nodes
                if node.backend == backend.id
                and node not in seen
                and not why_not_shown(backend.api, node.type, node.descriptor, node.infos)
            }
            if not own:
                continue
            idle = False
            seen |= own
            if backend.api.optimize_subgraph_view:
                if work is None:
                    # Late: its ten modules are for backends that replace layers.

                    work = SubgraphWork(graph, model_options, replace, record, refusal_level, seen)
                for view in select_subgraphs(graph, own.__contains__):
                    work.optimize(backend, view_of(view.nodes))
        if idle:
            break
    number_subgraphs(graph)
    changes = {} if work is None else work.changes
    return [PassRecord(f"sub-graphs of {name}", tuple(log)) for name, log in changes.items()]


def number_subgraphs(graph: Graph) -> None:
    """Give each node the number of its sub-graph: the maximal groups of all backends, in order."""
    order = {node: index for index, node in enumerate(graph.nodes)}
    subgraphs: list[SubgraphView] = []
    for owner in dict.fromkeys(node.backend for node in order if not node.is_host):
        subgraphs += select_subgraphs(graph, lambda node, owner=owner: node.backend == owner)  # type: ignore[misc]
    for number, view in enumerate(sorted(subgraphs, key=lambda view: order[view.nodes[0]])):
        for node in view.nodes:
            node.part = number
