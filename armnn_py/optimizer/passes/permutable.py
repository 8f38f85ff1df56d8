# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that may as well work on permuted operands, and their parameters if they do.

That are the elementwise layers, and those that name dimensions in their parameters. A reduction
that drops dimensions makes the same tensor of a permuted operand if those that are left keep their
order.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from armnn_py.descriptors import (
    ConcatDescriptor,
    GatherDescriptor,
    MeanDescriptor,
    PadDescriptor,
    ReduceDescriptor,
    SliceDescriptor,
    SoftmaxDescriptor,
    SplitterDescriptor,
    StridedSliceDescriptor,
    View,
)
from armnn_py.optimizer.passes.movement import POINTWISE, has_one_meaning, inverse
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.descriptors import Descriptor
    from armnn_py.optimizer.graph import Node, Value

__all__ = [
    "absorbs",
    "is_permutable",
    "is_permuted_operand",
    "permuted_operands",
    "with_permuted_operands",
]

_NAMING = frozenset(
    {
        LayerType.CONCAT,
        LayerType.GATHER,
        LayerType.LOG_SOFTMAX,
        LayerType.MEAN,
        LayerType.PAD,
        LayerType.REDUCE,
        LayerType.SLICE,
        LayerType.SOFTMAX,
        LayerType.SPLITTER,
        LayerType.STRIDED_SLICE,
    }
)


def is_permutable(node: Node) -> bool:
    """Whether a layer makes the permuted result of permuted operands, whatever the permutation."""
    rank = node.outputs[0].info.rank if node.outputs else 0
    if rank < 2 or (node.type not in POINTWISE and node.type not in _NAMING):
        return False
    d = node.descriptor
    if isinstance(d, (MeanDescriptor, ReduceDescriptor)) and not d.keep_dims:
        return False
    if isinstance(d, StridedSliceDescriptor) and (
        d.shrink_axis_mask or d.ellipsis_mask or d.new_axis_mask
    ):
        return False
    if isinstance(d, GatherDescriptor) and not _picks(node):
        return False
    if any(value.info.rank != rank or not has_one_meaning(value.info) for value in node.outputs):
        return False
    return all(
        has_one_meaning(value.info)
        and (value.info.rank == rank or (value.constant is not None and node.type in POINTWISE))
        for value in permuted_operands(node)
    )


def _picks(node: Node) -> bool:
    indices = node.inputs[1]
    return indices is not None and indices.info.rank == 1


def permuted_operands(node: Node) -> list[Value]:
    """Return the operands of a permutable layer that are permuted if its result is."""
    inputs = node.inputs[:1] if node.type is LayerType.GATHER else node.inputs
    return [value for value in inputs if value is not None]


def is_permuted_operand(node: Node, index: int) -> bool:
    """Whether an operand of a permutable layer is one of `permuted_operands`."""
    return index == 0 or node.type is not LayerType.GATHER


def absorbs(node: Node, sources: Sequence[int]) -> bool:
    """Whether a layer makes the same result, not permuted, of a permuted operand."""
    d = node.descriptor
    if not isinstance(d, (MeanDescriptor, ReduceDescriptor)) or d.keep_dims:
        return False
    value = node.inputs[0]
    if value is None or value.info.rank != len(sources) or not has_one_meaning(value.info):
        return False
    dropped = {axis % len(sources) for axis in d.axes} or set(range(len(sources)))
    kept = [source for source in sources if source not in dropped]
    return kept == sorted(kept)


def with_permuted_operands(
    d: Descriptor | None, sources: Sequence[int], rank: int
) -> Descriptor | None:
    """Return the parameters for operands whose dimension i is now what ``sources[i]`` was.

    ``rank`` is that of the operands.
    """
    place = inverse(sources)  # where each dimension is now
    if isinstance(d, ConcatDescriptor):
        return dataclasses.replace(d, axis=place[d.axis], views=_views(d, sources))
    if isinstance(d, SplitterDescriptor):
        axis = d.axis if d.axis < 0 else place[d.axis]
        return dataclasses.replace(d, axis=axis, views=_views(d, sources))
    if isinstance(d, (SoftmaxDescriptor, GatherDescriptor)):
        return dataclasses.replace(d, axis=place[d.axis % rank])
    if isinstance(d, (MeanDescriptor, ReduceDescriptor)):
        return dataclasses.replace(d, axes=tuple(sorted(place[axis % rank] for axis in d.axes)))
    if isinstance(d, PadDescriptor):
        return dataclasses.replace(
            d,
            pad_before=tuple(d.pad_before[source] for source in sources),
            pad_after=tuple(d.pad_after[source] for source in sources),
        )
    if isinstance(d, SliceDescriptor):
        return dataclasses.replace(
            d,
            begin=tuple(d.begin[source] for source in sources),
            size=tuple(d.size[source] for source in sources),
        )
    if isinstance(d, StridedSliceDescriptor):
        return dataclasses.replace(
            d,
            begin=tuple(d.begin[source] for source in sources),
            end=tuple(d.end[source] for source in sources),
            stride=tuple(d.stride[source] for source in sources),
            begin_mask=_mask(d.begin_mask, sources),
            end_mask=_mask(d.end_mask, sources),
        )
    return d


def _views(d: ConcatDescriptor | SplitterDescriptor, sources: Sequence[int]) -> tuple[View, ...]:
    return tuple(
        View(
            tuple(view.origin[source] for source in sources),
            tuple(view.size[source] for source in sources),
        )
        for view in d.views
    )


def _mask(mask: int, sources: Sequence[int]) -> int:
    return sum(1 << index for index, source in enumerate(sources) if mask >> source & 1)
