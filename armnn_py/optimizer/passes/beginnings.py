# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that passes begin at, told without the modules of the passes.

Each function may say yes where the pass then finds nothing, never no where it finds something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.descriptors import ActivationDescriptor, ElementwiseBinaryDescriptor
from armnn_py.types import ActivationFunction, BinaryOperation, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Node

_SHAPES = frozenset({LayerType.RANK, LayerType.SHAPE})


def has_operands_of_unequal_rank(node: Node) -> bool:
    """Whether operands get leading dimensions of 1."""
    if FACTS[node.type].shape != "broadcast":
        return False
    return len({value.info.rank for value in node.inputs if value is not None}) > 1


def is_known(node: Node) -> bool:
    """Whether the layer reads constants alone, or is about a shape alone."""
    return node.type in _SHAPES or (
        bool(node.inputs)
        and all(value is None or value.constant is not None for value in node.inputs)
    )


def multiplies(node: Node) -> bool:
    """Whether the layer is a product."""
    d = node.descriptor
    return isinstance(d, ElementwiseBinaryDescriptor) and d.operation is BinaryOperation.MUL


def is_affine(node: Node) -> bool:
    """Whether a layer of the types with factors and summands has constant ones."""
    d = node.descriptor
    if isinstance(d, ActivationDescriptor):
        return d.function is ActivationFunction.LINEAR
    if isinstance(d, ElementwiseBinaryDescriptor):
        return any(array is not None for array in node.constants)
    return True
