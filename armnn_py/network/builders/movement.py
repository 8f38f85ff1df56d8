# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of layers that move, join and repeat elements."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import (
    ChannelShuffleDescriptor,
    PadDescriptor,
    ReshapeDescriptor,
)
from armnn_py.errors import InvalidArgumentError
from armnn_py.network.builders.arguments import from_front, integers, pairs
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, OutputSlot, Source
from armnn_py.tensors import MAX_DIMENSIONS, format_shape, parse_static_shape
from armnn_py.types import LayerType, PaddingMode

__all__ = ["MovementBuilders"]


class MovementBuilders(NetworkCore):
    """Layers that move elements; ``name=`` and ``backend=`` as everywhere."""

    __slots__ = ()

    def add_reshape(
        self,
        x: Source,
        shape: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Give a tensor another shape, as numpy.reshape: Arm NN's Reshape.

        Parameters
        ----------
        x
            The tensor to reshape.
        shape
            The new shape; one dimension may be -1, which is worked out.

        Returns
        -------
        Layer
            One output of as many elements.

        Raises
        ------
        LayerValidationError
            The number of elements differs.
        InvalidArgumentError
            The shape is not valid.
        """
        operand = self._resolve(x)
        target = _completed(shape, operand.info.static_shape)
        descriptor = ReshapeDescriptor(target)
        return self._add(LayerType.RESHAPE, [operand], descriptor, None, name, backend)

    def add_pad(
        self,
        x: Source,
        padding: Sequence[tuple[int, int]],
        value: float = 0.0,
        mode: PaddingMode = PaddingMode.CONSTANT,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Put elements around a tensor, as numpy.pad: Arm NN's Pad.

        Parameters
        ----------
        x
            The tensor to pad.
        padding
            (before, after) for each dimension.
        value
            Value of constant padding; for a quantised input the number that is stored, as in Arm
            NN: its zero point means 0.
        mode
            Constant, reflect or symmetric.

        Returns
        -------
        Layer
            One output, larger by the padding.

        Raises
        ------
        LayerValidationError
            The pairs do not fit the dimensions, or mirrored padding is longer than the input.
        InvalidArgumentError
            A pad is negative.
        """
        before, after = pairs(padding, "padding")
        descriptor = PadDescriptor(mode, before, after, value)
        return self._add(LayerType.PAD, [x], descriptor, None, name, backend)

    def add_reverse_v2(
        self,
        x: Source,
        axes: Sequence[int] | Layer | OutputSlot,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Reverse dimensions, as numpy.flip: Arm NN's ReverseV2.

        Parameters
        ----------
        x
            The tensor to reverse.
        axes
            The dimensions to reverse, ``SIGNED32``.

        Returns
        -------
        Layer
            One output like ``x``.

        Raises
        ------
        LayerValidationError
            An axis is outside the input's dimensions, or is named twice.
        """
        operand = self._resolve(x)
        if not isinstance(axes, (Layer, OutputSlot)):
            rank = operand.info.rank
            numbers = [
                from_front(axis, rank, "add_reverse_v2()") for axis in integers(axes, "axes")
            ]
            source: Source = np.array(numbers, np.int32)
        else:
            source = axes
        return self._add(LayerType.REVERSE_V2, [operand, source], None, None, name, backend)

    def add_channel_shuffle(
        self,
        x: Source,
        groups: int,
        axis: int,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Mix groups of channels: Arm NN's ChannelShuffle (Android NNAPI's definition).

        Parameters
        ----------
        x
            The tensor whose channels are mixed.
        groups
            Number of groups.
        axis
            Dimension of the channels.

        Returns
        -------
        Layer
            One output like ``x``.

        Raises
        ------
        LayerValidationError
            The channels do not divide into groups.
        InvalidArgumentError
            The axis is outside the input's dimensions.
        """
        operand = self._resolve(x)
        where = from_front(axis, operand.info.rank, "add_channel_shuffle()")
        descriptor = ChannelShuffleDescriptor(groups, where)
        return self._add(LayerType.CHANNEL_SHUFFLE, [operand], descriptor, None, name, backend)


def _completed(shape: Sequence[int], given: tuple[int, ...]) -> tuple[int, ...]:
    """Return a target shape whose -1, if any, is worked out."""
    try:
        dims = [operator.index(dim) for dim in itertools.islice(shape, MAX_DIMENSIONS + 1)]
    except TypeError:
        return parse_static_shape(shape)
    if -1 not in dims:
        return parse_static_shape(dims)
    free = dims.index(-1)
    rest = dims[:free] + dims[free + 1 :]
    known = math.prod(parse_static_shape(rest, what="shape (beside one -1)"))
    count = math.prod(given)
    if known == 0 or count % known:
        raise InvalidArgumentError(
            f"add_reshape(): -1 in {tuple(dims)} cannot be worked out of {count} elements",
            details=[f"input: {format_shape(given)}"],
        )
    dims[free] = count // known
    return parse_static_shape(dims)
