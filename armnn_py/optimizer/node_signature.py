# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A node of a graph as the question that its backend answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.backends.layer_support import LayerSignature
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Node

__all__ = ["node_signature"]


def node_signature(node: Node) -> LayerSignature:
    """Everything that a backend's answer about a node may depend on."""
    return LayerSignature(
        node.type,
        node.descriptor,
        tuple(None if value is None else value.info for value in node.inputs),
        tuple(value.info for value in node.outputs),
        tuple(value is not None and value.node.type is LayerType.CONSTANT for value in node.inputs),
    )
