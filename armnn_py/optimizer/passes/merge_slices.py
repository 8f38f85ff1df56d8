# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A Slice or StridedSlice of a Slice or StridedSlice reads from the first tensor.

Exporters cut one dimension at a time. With begins b and strides s, output element i of the second
cut is element ``b1 + s1 * (b2 + s2 * i)`` of the tensor that the first one cuts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from armnn_py.descriptors import SliceDescriptor, StridedSliceDescriptor
from armnn_py.optimizer.passes.base import PassLog, may_merge
from armnn_py.optimizer.passes.permutes.movement import keeps_values, only_input
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from armnn_py.optimizer.graph import Graph, Node


class _Cut(Struct, frozen=True):
    """First element and distance of elements along each dimension."""

    begin: tuple[int, ...]
    stride: tuple[int, ...]


def _cut(node: Node) -> _Cut | None:
    d = node.descriptor
    if len(node.outputs) != 1 or 0 in node.output.info.shape:
        return None
    if isinstance(d, SliceDescriptor):
        return _Cut(d.begin, (1,) * len(d.begin)) if keeps_values(node) else None
    if not isinstance(d, StridedSliceDescriptor) or not keeps_values(node):
        return None
    if d.shrink_axis_mask or d.ellipsis_mask or d.new_axis_mask or min(d.stride, default=1) < 1:
        return None
    begins = []
    for axis, (begin, dim) in enumerate(
        zip(d.begin, only_input(node).info.static_shape, strict=True)
    ):
        first = 0 if d.begin_mask >> axis & 1 else begin + dim if begin < 0 else begin
        begins.append(max(first, 0))
    return _Cut(tuple(begins), d.stride)


def run(graph: Graph, log: PassLog) -> None:
    """Run the pass."""
    # In topological order: the input of a cut is merged with its own source already.
    for node in graph.nodes:
        later = _cut(node) if node in graph else None
        before = None if later is None else only_input(node).node
        first = None if before is None else _cut(before)
        if later is None or before is None or first is None:
            continue
        if not may_merge(before, node):
            continue
        new = _merged(graph, before, node, first, later)
        if not log.runs_as_well([new], [node]):
            graph.remove(new)
            continue
        log.changed(f"'{node.name}' cuts from what '{before.name}' cuts from")
        graph.substitute(node, new)
        if not before.output.users:
            graph.adopt(new, before)
            graph.remove(before)


def _merged(graph: Graph, before: Node, node: Node, first: _Cut, later: _Cut) -> Node:
    begin = tuple(
        b1 + s1 * b2 for b1, s1, b2 in zip(first.begin, first.stride, later.begin, strict=True)
    )
    stride = tuple(s1 * s2 for s1, s2 in zip(first.stride, later.stride, strict=True))
    size = node.output.info.static_shape
    descriptor: SliceDescriptor | StridedSliceDescriptor
    if set(stride) <= {1}:
        layer_type, descriptor = LayerType.SLICE, SliceDescriptor(begin, size)
    else:
        ends = zip(begin, stride, size, strict=True)
        end = tuple(b + s * (count - 1) + 1 for b, s, count in ends)
        layer_type, descriptor = LayerType.STRIDED_SLICE, StridedSliceDescriptor(begin, end, stride)
    return graph.add(
        layer_type,
        [only_input(before)],
        descriptor,
        name=node.name,
        near=node,
        infos=[node.output.info],
    )
