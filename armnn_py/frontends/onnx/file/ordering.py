# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The order of nodes: each after what it reads, and only those that an output depends on."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from armnn_py.errors import ParseError
from armnn_py.frontends.common.quoting import quoted
from armnn_py.frontends.onnx.file.graph_node import Node
from armnn_py.text import first_of


def sort_nodes(nodes: Sequence[Node], known: Collection[str], outputs: Sequence[str]) -> list[Node]:
    """Return nodes in an order in which they can be computed, the file's own where it is one.

    Raises
    ------
    ParseError
        A value is made twice, or never, or needs itself.
    """
    maker: dict[str, Node] = {}
    for node in nodes:
        for name in filter(None, node.outputs):
            if name in maker:
                raise ParseError(
                    f"two nodes compute value {quoted(name)}",
                    node=node.name,
                    details=[f"by {maker[name].label}", f"by {node.label}"],
                )
            if name in known:
                raise ParseError(
                    f"value {quoted(name)} of {node.label} is a graph input or initializer already",
                    node=node.name,
                )
            maker[name] = node
    for node in nodes:
        for name in filter(None, node.reads):
            if name not in maker and name not in known:
                raise ParseError(
                    f"{node.label} reads {quoted(name)}, but no node computes it", node=node.name
                )
    for name in outputs:
        if name not in maker and name not in known:
            raise ParseError(f"no node computes output {quoted(name)}")
    return _sorted(nodes, maker)


def _sorted(nodes: Sequence[Node], maker: dict[str, Node]) -> list[Node]:
    missing: dict[int, int] = {}
    readers: dict[int, list[Node]] = {node.index: [] for node in nodes}
    for node in nodes:
        makers = {maker[name].index for name in node.reads if name in maker}
        missing[node.index] = len(makers)
        for index in makers:
            readers[index].append(node)
    ordered: list[Node] = []
    # Nodes of a file that is in order must keep that order. So they are taken in file order, and a
    # node that had to wait for a later one is taken as soon as that is.
    done: set[int] = set()
    for start in nodes:
        ready = [start] if not missing[start.index] and start.index not in done else []
        while ready:
            node = ready.pop()
            done.add(node.index)
            ordered.append(node)
            for reader in readers[node.index]:
                missing[reader.index] -= 1
                if not missing[reader.index] and reader.index < start.index:
                    ready.append(reader)
    if len(ordered) != len(nodes):
        stuck = [node for node in nodes if node.index not in done]
        raise ParseError(
            "the graph has a cycle: a value depends on itself",
            node=stuck[0].name,
            details=first_of((node.label for node in stuck), 6),
        )
    return ordered


def live_nodes(nodes: Sequence[Node], outputs: Sequence[str]) -> list[Node]:
    """Return the nodes that an output depends on; ``nodes`` are in order."""
    needed = set(outputs)
    live: list[Node] = []
    for node in reversed(nodes):
        if any(name in needed for name in node.outputs):
            live.append(node)
            needed.update(filter(None, node.reads))
    live.reverse()
    return live
