# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The debug option: a Debug layer behind each output of each layer.

A Debug layer passes its input through and logs of it: name, shape, least, greatest and mean
value. The reference backend has it. Of elements of less than a byte it tells nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.optimizer.graph import NO_PIN
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node

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
