# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Helpers of passes for layers that move elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armnn_py.descriptors import PermuteDescriptor
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.tensors.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.optimizer.graph import Graph, Node, Value


def only_input(node: Node) -> Value:
    """Return the first operand of a node, which must be there."""
    value = node.inputs[0]
    assert value is not None
    return value


def keeps_values(node: Node) -> bool:
    """Whether a layer that moves elements leaves their type and their meaning as they are.

    With scales along an axis the answer is no, unchecked.
    """
    before, after = only_input(node).info, node.output.info
    return (
        before.data_type is after.data_type
        and before.quantization == after.quantization
        and (before.quantization is None or before.quantization.axis is None)
    )


def has_one_meaning(info: TensorInfo) -> bool:
    """Whether scales, if any, hold for the whole tensor."""
    return info.quantization is None or info.quantization.axis is None


def sources_of(node: Node) -> tuple[int, ...] | None:
    """Return the input dimension of each output dimension; None if not a Transpose."""
    descriptor = node.descriptor
    return descriptor.mappings if isinstance(descriptor, PermuteDescriptor) else None


def inverse(sources: Sequence[int]) -> tuple[int, ...]:
    """Return the inverse of a permutation."""
    result = [0] * len(sources)
    for target, source in enumerate(sources):
        result[source] = target
    return tuple(result)


def moves_nothing(info: TensorInfo, sources: Sequence[int]) -> bool:
    """Whether a permutation of a tensor moves only dimensions of 1, and so no element."""
    shape = info.static_shape
    moved = [source for source in sources if shape[source] != 1]
    return moved == sorted(moved)


def permuted_info(info: TensorInfo, sources: Sequence[int]) -> TensorInfo:
    """Return the info of a permuted tensor; scales along an axis go with it."""
    shape = [info.shape[source] for source in sources]
    scales = info.quantization
    if scales is None or scales.axis is None:
        return info.with_shape(shape)
    moved = QuantizationInfo(scales.scales, scales.zero_points, inverse(sources)[scales.axis])
    return TensorInfo(shape, info.data_type, moved)


def permuted_constant(graph: Graph, value: Value, sources: tuple[int, ...]) -> Value:
    """Add the permuted values of a constant, which may lack leading dimensions of 1."""
    assert value.constant is not None
    shape = (1,) * (len(sources) - value.info.rank) + value.info.static_shape
    given, kind = value.constant, value.info.data_type

    numbers = unpack(given, kind, shape) if kind.is_packed else given.reshape(shape)
    array = np.ascontiguousarray(numbers.transpose(sources))
    if kind.is_packed:
        array = pack(array, kind)
    info = permuted_info(value.info.with_shape(shape), sources)
    return graph.add_constant(array, info, name=value.node.name, near=value.node)
