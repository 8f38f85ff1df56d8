# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Builders of Slice and StridedSlice."""

from __future__ import annotations

from collections.abc import Sequence

from armnn_py.descriptors import ReshapeDescriptor, StridedSliceDescriptor
from armnn_py.errors import InvalidArgumentError
from armnn_py.network.builders.arguments import integer, integers
from armnn_py.network.core import NetworkCore
from armnn_py.network.layer import Layer, Source
from armnn_py.network.storage import check_name
from armnn_py.tensors import MAX_DIMENSIONS
from armnn_py.types import LayerType

__all__ = ["SlicingBuilders"]


class SlicingBuilders(NetworkCore):
    """Layers that cut; ``name=`` and ``backend=`` as everywhere."""

    __slots__ = ()

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
