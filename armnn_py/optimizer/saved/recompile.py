# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A compiled layer of a saved network is compiled again, from the layers beside it in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native.optimization_sink import optimize_subgraph
from armnn_py.errors import BackendError
from armnn_py.optimizer.check_answer import find_fault
from armnn_py.optimizer.compiled_source import compiled_blob
from armnn_py.optimizer.optimize_subgraphs import subgraph_data
from armnn_py.optimizer.subgraph_selection import SubgraphView
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.blob import NativeBlob
    from armnn_py._native.model_options import NativeModelOptions
    from armnn_py.backends.backend import Backend
    from armnn_py.network import Layer
    from armnn_py.optimizer.graph import Graph, Node
    from armnn_py.optimizer.source_network import Border

__all__ = ["compile_again"]


def compile_again(
    graph: Graph,
    nodes: Sequence[Node],
    border: Border,
    layer: Layer,
    backend: Backend,
    options: NativeModelOptions | None,
    versions: Sequence[str],
) -> NativeBlob:
    """Let a backend compile the source of a layer to just such a layer as before.

    Parameters
    ----------
    graph, nodes
        The source, and its layers that are not the host's.
    border
        That of the source.
    layer
        The compiled layer.
    backend
        It takes each of the nodes.
    options
        Those of the model for the backend.
    versions
        For errors: how the backend differs from the one that the network was saved with.

    Raises
    ------
    BackendError
        It does not.
    """
    view = SubgraphView(
        tuple(nodes),
        tuple(node.output for node in graph.nodes if node.type is LayerType.INPUT),
        tuple(
            value
            for node in graph.nodes
            if node.type is LayerType.OUTPUT
            for value in node.inputs
            if value is not None
        ),
    )
    data = subgraph_data(graph, view)
    with backend.in_use():
        answer = optimize_subgraph(
            data,
            backend.id,
            backend.api,
            backend.instance,
            options,
            retain=backend.retain,
            release=backend.release,
        )
    fault = find_fault(data, answer)
    if fault is not None:
        raise BackendError(
            f"backend '{backend.id}' does not compile the sub-graph of layer '{layer.name}' "
            f"again: {fault}",
            details=versions,
            hints=["optimize() the model anew and save it again"],
        )
    return compiled_blob(answer, data, border, layer, backend.id)
