# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The memory of each tensor, by the tensor handle factories of the backends that have layers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native.table.handle_registry import HandleRegistry
from armnn_py.optimizer.edges import connect_memory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py.backends.backend import Backend
    from armnn_py.optimizer.graph import Graph, Value


def connect_backends(
    graph: Graph, available: Mapping[str, Backend], *, imports: bool
) -> dict[Value, str]:
    """Choose memory by the factories of the backends that have layers; see `connect_memory`."""
    graph.stage = "connect-memory"
    used = dict.fromkeys(node.backend for node in graph if node.backend is not None)
    backends = [available[name] for name in used]
    if not any(backend.may_have_memory for backend in backends):
        return {}

    for backend in backends:
        backend.retain()
    try:
        registry = HandleRegistry(backends)
        try:
            wanted = {backend.id: registry.preferences(backend.id) for backend in backends}

            return connect_memory(graph, wanted, registry.factories, imports=imports)
        finally:
            registry.close()
    finally:
        for backend in backends:
            backend.release()
