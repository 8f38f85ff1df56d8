# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of layers that move, join and repeat elements."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import (
    BroadcastToDescriptor,
    ChannelShuffleDescriptor,
    ConcatDescriptor,
    GatherDescriptor,
    PadDescriptor,
    PermuteDescriptor,
    ReshapeDescriptor,
    ScatterNdDescriptor,
    SplitterDescriptor,
    StackDescriptor,
    TileDescriptor,
    View,
)
from armnn_py.errors import InvalidArgumentError
from armnn_py.network.builders.arguments import pairs
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, OutputSlot, Source
from armnn_py.tensors import format_shape, parse_static_shape
from armnn_py.types import LayerType, PaddingMode, ScatterNdFunction

__all__ = ["MovementBuilders", "from_front"]


def from_front(axis: int, rank: int, what: str) -> int:
    """Return an axis counted from the front."""
    try:
        index = operator.index(axis)
    except TypeError:
        raise InvalidArgumentError(f"{what}: axis {axis!r} given, an integer expected") from None
    if not -rank <= index < rank:
        raise InvalidArgumentError(
            f"{what}: axis {index} given, "
            + (f"{-rank} to {rank - 1} expected" if rank else "but a scalar has no axis")
        )
    return index % rank


class MovementBuilders(NetworkCore):
    """Layers that move elements; ``name=`` and ``backend=`` as everywhere."""

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
            Along which they follow each other; negative counts from the end.

        Returns
        -------
        Layer
            One output.

        Raises
        ------
        LayerValidationError
            The inputs do not fit together.
        InvalidArgumentError
            There is no such axis.
        """
        operands = [self._resolve(source) for source in inputs]
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
            What is cut.
        parts
            Number of equal parts, or the size of each.
        axis
            Along which it is cut; negative counts from the end.

        Returns
        -------
        Layer
            One output for each part: ``layer.outputs[i]``.

        Raises
        ------
        InvalidArgumentError
            The parts do not make up the whole, or there is no such axis.
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
            Where the new axis goes; negative counts from the end of the output.

        Returns
        -------
        Layer
            One output with a dimension more.

        Raises
        ------
        LayerValidationError
            The inputs differ.
        InvalidArgumentError
            There is no such axis.
        """
        operands = [self._resolve(source) for source in inputs]
        shape = operands[0].info.static_shape if operands else ()
        where = from_front(axis, len(shape) + 1, "add_stack()")
        descriptor = StackDescriptor(where, len(operands), shape)
        return self._add(LayerType.STACK, operands, descriptor, None, name, backend)

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
            What is reshaped.
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
            The shape is none.
        """
        operand = self._resolve(x)
        target = _completed(shape, operand.info.static_shape)
        descriptor = ReshapeDescriptor(target)
        return self._add(LayerType.RESHAPE, [operand], descriptor, None, name, backend)

    def add_transpose(
        self,
        x: Source,
        permutation: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Reorder dimensions, as numpy.transpose: Arm NN's Transpose.

        Parameters
        ----------
        x
            What is transposed.
        permutation
            For each dimension of the output, which of the input it is.

        Returns
        -------
        Layer
            One output.

        Raises
        ------
        LayerValidationError
            The input has another number of dimensions.
        InvalidArgumentError
            It is no permutation.
        """
        descriptor = PermuteDescriptor(tuple(permutation))
        return self._add(LayerType.TRANSPOSE, [x], descriptor, None, name, backend)

    def add_permute(
        self,
        x: Source,
        mappings: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Reorder dimensions the other way round than `add_transpose`: Arm NN's Permute.

        Parameters
        ----------
        x
            What is permuted.
        mappings
            For each dimension of the input, which of the output it becomes.

        Returns
        -------
        Layer
            One output.

        Raises
        ------
        LayerValidationError
            The input has another number of dimensions.
        InvalidArgumentError
            It is no permutation.
        """
        descriptor = PermuteDescriptor(tuple(mappings))
        return self._add(LayerType.PERMUTE, [x], descriptor, None, name, backend)

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
            What is padded.
        padding
            (before, after) for each dimension.
        value
            What constant padding is; the real value for a quantised input.
        mode
            Constant, reflect or symmetric.

        Returns
        -------
        Layer
            One output, larger by the padding.

        Raises
        ------
        LayerValidationError
            The pairs do not fit the dimensions, or more is mirrored than there is.
        InvalidArgumentError
            A pad is negative.
        """
        before, after = pairs(padding, "padding")
        descriptor = PadDescriptor(mode, before, after, value)
        return self._add(LayerType.PAD, [x], descriptor, None, name, backend)

    def add_gather(
        self,
        params: Source,
        indices: Source,
        axis: int = 0,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Pick slices by index, as numpy.take: Arm NN's Gather.

        Parameters
        ----------
        params
            What is picked from.
        indices
            ``SIGNED32`` or ``SIGNED64`` of any shape; negative ones count from the end.
        axis
            Along which the indices count.

        Returns
        -------
        Layer
            One output, in whose shape that of the indices replaces ``axis``.

        Raises
        ------
        LayerValidationError
            Indices are no integers, or constant ones lie outside; there is no such axis.
        """
        descriptor = GatherDescriptor(axis)
        return self._add(LayerType.GATHER, [params, indices], descriptor, None, name, backend)

    def add_gather_nd(
        self,
        params: Source,
        indices: Source,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Pick slices by index vectors: TensorFlow's gather_nd, Arm NN's GatherNd.

        Parameters
        ----------
        params
            What is picked from.
        indices
            ``SIGNED32`` or ``SIGNED64``, [..., k], one index for each of the first k dimensions.

        Returns
        -------
        Layer
            One output of ``indices.shape[:-1] + params.shape[k:]``.

        Raises
        ------
        LayerValidationError
            Indices are no integers, too many, or constant ones lie outside.
        """
        return self._add(LayerType.GATHER_ND, [params, indices], None, None, name, backend)

    def add_scatter_nd(
        self,
        x: Source,
        indices: Source,
        updates: Source,
        function: ScatterNdFunction = ScatterNdFunction.UPDATE,
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Change slices of a tensor: TensorFlow's tensor_scatter_nd_*, Arm NN's ScatterNd.

        Parameters
        ----------
        x
            What is changed.
        indices
            ``SIGNED32`` or ``SIGNED64``, [..., k].
        updates
            ``indices.shape[:-1] + x.shape[k:]``.
        function
            How an update joins the value in its place.

        Returns
        -------
        Layer
            One output like ``x``.

        Raises
        ------
        LayerValidationError
            The operands do not fit together.
        """
        descriptor = ScatterNdDescriptor(function)
        return self._add(
            LayerType.SCATTER_ND, [x, indices, updates], descriptor, None, name, backend
        )

    def add_tile(
        self,
        x: Source,
        multiples: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Repeat a tensor, as numpy.tile: Arm NN's Tile.

        Parameters
        ----------
        x
            What is repeated.
        multiples
            How often, for each dimension.

        Returns
        -------
        Layer
            One output.

        Raises
        ------
        LayerValidationError
            There is not one multiple for each dimension.
        InvalidArgumentError
            A multiple is negative.
        """
        descriptor = TileDescriptor(tuple(multiples))
        return self._add(LayerType.TILE, [x], descriptor, None, name, backend)

    def add_broadcast_to(
        self,
        x: Source,
        shape: Sequence[int],
        *,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Repeat what has size 1, as numpy.broadcast_to: Arm NN's BroadcastTo.

        Parameters
        ----------
        x
            What is repeated.
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
            The shape is none.
        """
        descriptor = BroadcastToDescriptor(parse_static_shape(shape))
        return self._add(LayerType.BROADCAST_TO, [x], descriptor, None, name, backend)

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
            What is reversed.
        axes
            Which dimensions, ``SIGNED32``.

        Returns
        -------
        Layer
            One output like ``x``.

        Raises
        ------
        LayerValidationError
            There is no such axis, or it is named twice.
        """
        operand = self._resolve(x)
        if not isinstance(axes, (Layer, OutputSlot)):
            rank = operand.info.rank
            numbers = [from_front(axis, rank, "add_reverse_v2()") for axis in axes]
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
            What is mixed.
        groups
            How many groups the channels make.
        axis
            Which dimension the channels are.

        Returns
        -------
        Layer
            One output like ``x``.

        Raises
        ------
        LayerValidationError
            The channels do not divide into groups.
        InvalidArgumentError
            There is no such axis.
        """
        operand = self._resolve(x)
        where = from_front(axis, operand.info.rank, "add_channel_shuffle()")
        descriptor = ChannelShuffleDescriptor(groups, where)
        return self._add(LayerType.CHANNEL_SHUFFLE, [operand], descriptor, None, name, backend)


def _part_sizes(parts: int | Sequence[int], dim: int, axis: int) -> tuple[int, ...]:
    if isinstance(parts, bool):
        raise InvalidArgumentError(f"add_split(): parts {parts} given, an integer expected")
    if isinstance(parts, (int, np.integer)):
        count = int(parts)
        if count < 1 or dim % count:
            raise InvalidArgumentError(
                f"add_split(): {dim} elements along axis {axis} do not divide into {count} "
                "equal parts",
                hints=["give the size of each part"],
            )
        return (dim // count,) * count
    sizes = _sizes_of(parts)
    if sum(sizes) != dim or not sizes:
        raise InvalidArgumentError(
            f"add_split(): parts of {', '.join(map(str, sizes))} are {sum(sizes)} elements, "
            f"{dim} expected along axis {axis}"
        )
    return sizes


def _sizes_of(parts: Sequence[int]) -> tuple[int, ...]:
    """Check the sizes of parts, of which there may be more than a shape has dimensions."""
    try:
        sizes = tuple(operator.index(part) for part in parts)
    except TypeError:
        sizes = (-1,)
    if sizes and min(sizes) < 0:
        raise InvalidArgumentError(f"add_split(): parts {parts!r} given, sizes expected")
    return sizes


def _completed(shape: Sequence[int], given: tuple[int, ...]) -> tuple[int, ...]:
    """Return a target shape whose -1, if any, is worked out."""
    try:
        dims = [operator.index(dim) for dim in shape]
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
