# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Positions of tensor data in a file whose message was parsed without them."""

from __future__ import annotations

from msgspec import Struct, field

from armnn_py.frontends.common.source import Part


class NodeParts(Struct, frozen=True):
    """Positions of a node's attribute data that its message lacks, by attribute number."""

    tensors: dict[int, Part] = field(default_factory=dict)
    bodies: dict[int, GraphParts] = field(default_factory=dict)


class GraphParts(Struct, frozen=True):
    """Positions of a graph's tensor data that its message lacks."""

    initializers: dict[int, Part] = field(default_factory=dict)
    """By number of the initializer."""
    nodes: dict[int, NodeParts] = field(default_factory=dict)
    """By number of the node."""
