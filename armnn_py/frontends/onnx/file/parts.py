# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Where the data of tensors are in a file whose message was parsed without them."""

from __future__ import annotations

from dataclasses import dataclass, field

from armnn_py.frontends.common.source import Part

__all__ = ["GraphParts", "NodeParts"]


@dataclass(frozen=True, slots=True)
class NodeParts:
    """Where the data of a node's attributes are that its message lacks, by their number."""

    tensors: dict[int, Part] = field(default_factory=dict)
    bodies: dict[int, GraphParts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GraphParts:
    """Where the data of a graph's tensors are that its message lacks."""

    initializers: dict[int, Part] = field(default_factory=dict)
    """By number of the initializer."""
    nodes: dict[int, NodeParts] = field(default_factory=dict)
    """By number of the node."""
