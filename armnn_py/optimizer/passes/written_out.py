# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that one layer is written out in, if a backend that comes first takes all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.descriptors import (
    ConcatDescriptor,
    ElementwiseBinaryDescriptor,
    ReshapeDescriptor,
    SliceDescriptor,
    View,
)
from armnn_py.tensors import TensorInfo
from armnn_py.types import BinaryOperation, DataType, LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from armnn_py.descriptors import Descriptor
    from armnn_py.optimizer.graph import Graph, Node, Value
    from armnn_py.optimizer.passes.base import PassLog


def has_earlier_backend(node: Node, log: PassLog) -> bool:
    """Whether a backend comes before those that take the layer. Ask this before any size."""
    return log.rank_of is not None and log.rank_of(node) != 0 and not node.pin.backends


class WrittenOut:
    """The layers that a layer becomes; their names begin with its name."""

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph = graph
        self.node = node
        self._made: list[Node] = []
        self._constants: dict[str, Value] = {}

    def write_out(self) -> Sequence[Value]:
        """Make the layers; return what replaces the last outputs of the layer."""
        raise NotImplementedError

    def replace(self, log: PassLog) -> bool:
        """Replace the layer if an earlier backend takes all layers that it becomes."""
        assert log.rank_of is not None
        graph, node, rank = self.graph, self.node, log.rank_of(self.node)
        found = self.write_out()
        ranks = [log.rank_of(made) for made in self._made]
        if any(one is None or (rank is not None and one >= rank) for one in ranks):
            for made in reversed(self._made):
                graph.remove(made)
            return False
        for old, new in zip(node.outputs[-len(found) :], found, strict=True):
            graph.replace(old, new)
        graph.adopt(found[-1].node, node)
        graph.remove(node)
        return True

    # ---- Layers ---------------------------------------------------------------------------------

    def add(
        self, kind: LayerType, title: str, inputs: Sequence[Value], descriptor: Descriptor | None
    ) -> Value:
        """Add a layer with one output."""
        name = f"{self.node.name}/{title}"
        node = self.graph.add(kind, [*inputs], descriptor, name=name, near=self.node)
        self._made.append(node)
        return node.output

    def binary(self, title: str, operation: BinaryOperation, a: Value, b: Value) -> Value:
        """Add an operation on two values."""
        descriptor = ElementwiseBinaryDescriptor(operation)
        return self.add(LayerType.ELEMENTWISE_BINARY, title, [a, b], descriptor)

    def reshape(self, title: str, x: Value, shape: tuple[int, ...]) -> Value:
        """Give a value a shape, unless it has it."""
        if shape == x.info.static_shape:
            return x
        return self.add(LayerType.RESHAPE, title, [x], ReshapeDescriptor(shape))

    def slice(self, title: str, x: Value, begin: tuple[int, ...], size: tuple[int, ...]) -> Value:
        """Cut a box out of a value, unless it is all of it."""
        if size == x.info.static_shape:
            return x
        return self.add(LayerType.SLICE, title, [x], SliceDescriptor(begin, size))

    def join(self, title: str, parts: Sequence[Value], axis: int) -> Value:
        """Join values along an axis."""
        if len(parts) == 1:
            return parts[0]
        views, begin = [], [0] * len(parts[0].info.static_shape)
        for part in parts:
            views.append(View(tuple(begin), part.info.static_shape))
            begin[axis] += part.info.static_shape[axis]
        return self.add(LayerType.CONCAT, title, parts, ConcatDescriptor(axis, tuple(views)))

    # ---- Operands -------------------------------------------------------------------------------

    def input(self, place: int) -> Value:
        """Return an operand that is there."""
        value = self.node.inputs[place]
        assert value is not None
        return value

    def known(self, title: str, make: Callable[[], NDArray[Any]]) -> Value:
        """Return a constant, made once for each title; reals are of the layer's type."""
        if title not in self._constants:
            array = np.asarray(make())
            data_type = self.node.outputs[-1].info.data_type
            if array.dtype == np.bool_:
                data_type = DataType.BOOLEAN
            info = TensorInfo(array.shape, data_type)
            array = np.ascontiguousarray(array, info.dtype)
            name = f"{self.node.name}/{title}"
            self._constants[title] = self.graph.add_constant(array, info, name=name, near=self.node)
        return self._constants[title]
