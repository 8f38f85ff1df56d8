# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of layers that join, split and repeat."""

from __future__ import annotations

import reprlib
from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import (
    BroadcastToDescriptor,
    ConcatDescriptor,
    SplitterDescriptor,
    StackDescriptor,
    View,
)
from armnn_py.errors import InvalidArgumentError
from armnn_py.network.builders.arguments import from_front, integers, sources
from armnn_py.network.core import MOST_OPERANDS, NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.tensors import parse_static_shape
from armnn_py.types import LayerType


class JoiningBuilders(NetworkCore):
    """Layers that join and split; ``name=`` and ``backend=`` as everywhere."""

    __slots__ = ()

    def add_concat(
        self,
        inputs: Sequence[Source],
        axis: int,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a concatenation, as numpy.concatenate: Arm NN's Concat.

        Parameters
        ----------
        inputs
            At least one; equal in type and, except along ``axis``, in shape.
        axis
            The axis along which they follow each other; negative counts from the end.

        Returns
        -------
        Layer
            One output.

        Raises
        ------
        LayerValidationError
            The inputs do not fit together.
        InvalidArgumentError
            The axis is outside the input's dimensions.
        """
        operands = [self._resolve(source) for source in sources(inputs, "add_concat()")]
        views: list[View] = []
        where = 0
        if operands:
            rank = operands[0].info.rank
            where = from_front(axis, rank, "add_concat()")
            start = 0
            for operand in operands:
                shape = operand.info.static_shape
                origin = tuple(start if i == where else 0 for i in range(len(shape)))
                views.append(View(origin, shape))
                start += shape[where] if where < len(shape) else 0
        descriptor = ConcatDescriptor(where, tuple(views))
        return self._add(LayerType.CONCAT, operands, descriptor, None, name, backend)

    def add_split(
        self,
        x: Source,
        parts: int | Sequence[int],
        axis: int,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Cut a tensor along one axis: Arm NN's Splitter.

        Parameters
        ----------
        x
            The tensor to cut.
        parts
            Number of equal parts, or the size of each.
        axis
            The axis along which it is cut; negative counts from the end.

        Returns
        -------
        Layer
            One output for each part: ``layer.outputs[i]``.

        Raises
        ------
        InvalidArgumentError
            The parts do not make up the whole, or the axis is outside the input.
        """
        operand = self._resolve(x)
        shape = operand.info.static_shape
        where = from_front(axis, len(shape), "add_split()")
        sizes = _part_sizes(parts, shape[where], where)
        views = []
        start = 0
        for size in sizes:
            origin = tuple(start if i == where else 0 for i in range(len(shape)))
            views.append(View(origin, (*shape[:where], size, *shape[where + 1 :])))
            start += size
        descriptor = SplitterDescriptor(where, tuple(views))
        return self.add_layer(LayerType.SPLITTER, [operand], descriptor, name=name, backend=backend)

    def add_stack(
        self,
        inputs: Sequence[Source],
        axis: int = 0,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Add a stack along a new axis, as numpy.stack: Arm NN's Stack.

        Parameters
        ----------
        inputs
            At least one; all equal in shape and type.
        axis
            Index of the new axis; negative counts from the end of the output.

        Returns
        -------
        Layer
            One output with a dimension more.

        Raises
        ------
        LayerValidationError
            The inputs differ.
        InvalidArgumentError
            The axis is outside the input's dimensions.
        """
        operands = [self._resolve(source) for source in sources(inputs, "add_stack()")]
        shape = operands[0].info.static_shape if operands else ()
        where = from_front(axis, len(shape) + 1, "add_stack()")
        descriptor = StackDescriptor(where, len(operands), shape)
        return self._add(LayerType.STACK, operands, descriptor, None, name, backend)

    def add_broadcast_to(
        self,
        x: Source,
        shape: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Repeat dimensions of size 1, as numpy.broadcast_to: Arm NN's BroadcastTo.

        Parameters
        ----------
        x
            The tensor to repeat.
        shape
            Shape of the output.

        Returns
        -------
        Layer
            One output of that shape.

        Raises
        ------
        LayerValidationError
            The input does not broadcast to it.
        InvalidArgumentError
            The shape is not valid.
        """
        descriptor = BroadcastToDescriptor(parse_static_shape(shape))
        return self._add(LayerType.BROADCAST_TO, [x], descriptor, None, name, backend)


def _part_sizes(parts: int | Sequence[int], dim: int, axis: int) -> tuple[int, ...]:
    if isinstance(parts, bool):
        raise InvalidArgumentError(f"add_split(): parts {parts} given, an integer expected")
    if isinstance(parts, (int, np.integer)):
        count = int(parts)
        if not 1 <= count <= MOST_OPERANDS or dim % count:
            raise InvalidArgumentError(
                f"add_split(): {dim} elements along axis {axis} do not divide into {count} "
                "equal parts",
                hints=["give the size of each part"],
            )
        return (dim // count,) * count
    # There may be more parts than a shape has dimensions.
    sizes = integers(parts, "add_split(): parts", most=MOST_OPERANDS)
    if sizes and min(sizes) < 0:
        raise InvalidArgumentError(
            f"add_split(): parts {reprlib.repr(parts)} given, sizes expected"
        )
    if sum(sizes) != dim or not sizes:
        raise InvalidArgumentError(
            f"add_split(): parts of {', '.join(map(str, sizes))} are {sum(sizes)} elements, "
            f"{dim} expected along axis {axis}"
        )
    return sizes
