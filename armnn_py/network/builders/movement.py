# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of layers that move and cut elements."""

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
    StridedSliceDescriptor,
)
from armnn_py.errors import InvalidArgumentError
from armnn_py.network.builders.arguments import from_front, integer, integers, pairs
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, OutputSlot, Source
from armnn_py.network.storage import check_name
from armnn_py.tensors import MAX_DIMENSIONS, format_shape, parse_static_shape
from armnn_py.types import LayerType, PaddingMode


class MovementBuilders(NetworkCore):
    """Layers that move or cut elements; ``name=`` and ``backend=`` as everywhere."""

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

    def add_strided_slice(
        self,
        x: Source,
        begin: Sequence[int],
        end: Sequence[int],
        stride: Sequence[int] | None = None,
        *,
        begin_mask: int = 0,
        end_mask: int = 0,
        shrink_axis_mask: int = 0,
        ellipsis_mask: int = 0,
        new_axis_mask: int = 0,
        name: str | None = None,
        backend: str | None = None,
    ) -> Layer:
        """Cut with steps, as numpy's ``x[begin:end:stride]``: TensorFlow's strided_slice.

        Parameters
        ----------
        x
            The tensor to cut. Dimensions behind the last one given are kept whole.
        begin, end, stride
            For each dimension; negative positions count from the end, positions outside are
            moved to the border, a negative stride goes backwards.
        begin_mask, end_mask
            Bit i: dimension i starts, or ends, at the border.
        shrink_axis_mask
            Bit i: dimension i is ``begin[i]`` alone and vanishes.
        ellipsis_mask
            Bit i: entry i stands for all dimensions that the others do not name.
        new_axis_mask
            Bit i: entry i is a new dimension of size 1; a Reshape layer makes it.

        Returns
        -------
        Layer
            One output.

        Raises
        ------
        LayerValidationError
            An index lies outside.
        InvalidArgumentError
            The sequences differ in length, a stride is 0, or there are too many entries.
        """
        operand = self._resolve(x)
        rank = operand.info.rank
        starts = integers(begin, "begin", most=_MOST_ENTRIES)
        stops = integers(end, "end", most=_MOST_ENTRIES)
        strides = (
            (1,) * len(starts) if stride is None else integers(stride, "stride", most=_MOST_ENTRIES)
        )
        if not len(starts) == len(stops) == len(strides):
            raise InvalidArgumentError(
                f"add_strided_slice(): {len(starts)} begins, {len(stops)} ends and {len(strides)} "
                "strides given, equally many expected"
            )
        of_entries = (
            integer(begin_mask, "begin_mask"),
            integer(end_mask, "end_mask"),
            integer(shrink_axis_mask, "shrink_axis_mask"),
        )
        plan = _plan(
            len(starts),
            rank,
            integer(ellipsis_mask, "ellipsis_mask"),
            integer(new_axis_mask, "new_axis_mask"),
            of_entries[2],
        )
        masks = [0, 0, 0]
        begins, ends, steps = [0] * rank, [0] * rank, [1] * rank
        for axis, entry in enumerate(plan.sources):
            if entry is None:
                masks[0] |= 1 << axis
                masks[1] |= 1 << axis
                continue
            begins[axis], ends[axis], steps[axis] = starts[entry], stops[entry], strides[entry]
            for which, mask in enumerate(of_entries):
                masks[which] |= (mask >> entry & 1) << axis
        descriptor = StridedSliceDescriptor(
            tuple(begins),
            tuple(ends),
            tuple(steps),
            begin_mask=masks[0],
            end_mask=masks[1],
            shrink_axis_mask=masks[2],
        )
        if not plan.new_axes:
            return self._add(LayerType.STRIDED_SLICE, [operand], descriptor, None, name, backend)
        if rank - masks[2].bit_count() + len(plan.new_axes) > MAX_DIMENSIONS:
            raise InvalidArgumentError(
                f"add_strided_slice(): the output would have more than {MAX_DIMENSIONS} dimensions"
            )
        inner = None if name is None else f"{check_name(name, 'layer')}.slice"
        cut = self._add(LayerType.STRIDED_SLICE, [operand], descriptor, None, inner, backend)
        shape = list(cut.output.info.static_shape)
        for position in plan.new_axes:
            shape.insert(position, 1)
        return self.add_layer(
            LayerType.RESHAPE, [cut], ReshapeDescriptor(tuple(shape)), name=name, backend=backend
        )


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


# At most an entry for each dimension of the input, one for each new dimension, and an ellipsis.
_MOST_ENTRIES = 2 * MAX_DIMENSIONS + 1


class _Plan:
    """The entry for each dimension of the input, and the indices of new dimensions."""

    __slots__ = ("new_axes", "sources")

    def __init__(self) -> None:
        self.sources: list[int | None] = []
        self.new_axes: list[int] = []


def _plan(entries: int, rank: int, ellipsis_mask: int, new_axis_mask: int, shrink: int) -> _Plan:
    for what, mask in (("ellipsis", ellipsis_mask), ("new axis", new_axis_mask)):
        if mask < 0 or mask >> entries:
            raise InvalidArgumentError(f"add_strided_slice(): {what} mask {mask} has no entry")
    if ellipsis_mask & (ellipsis_mask - 1):
        raise InvalidArgumentError("add_strided_slice(): several ellipses given, one expected")
    named = sum(
        not (ellipsis_mask >> entry & 1 or new_axis_mask >> entry & 1) for entry in range(entries)
    )
    if named > rank:
        raise InvalidArgumentError(
            f"add_strided_slice(): {named} dimensions given, the input has {rank}"
        )
    plan = _Plan()
    made = 0  # dimensions of the output so far
    for entry in range(entries):
        if ellipsis_mask >> entry & 1:
            plan.sources += [None] * (rank - named)
            made += rank - named
        elif new_axis_mask >> entry & 1:
            plan.new_axes.append(made)
            made += 1
        else:
            plan.sources.append(entry)
            made += not shrink >> entry & 1
    plan.sources += [None] * (rank - len(plan.sources))
    return plan
