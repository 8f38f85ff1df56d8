# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sequences of tensors and optional values: all that is known of them is known at import."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.sequence import TensorList
from armnn_py.frontends.onnx.convert.table import operator

_LENGTH = "length of a sequence"
#: Each tensor of a sequence is an output of a layer.
_MOST_TENSORS = 2**14


@operator("SequenceEmpty")
def _sequence_empty(view: NodeView) -> TensorList:
    return TensorList(())


@operator("SequenceConstruct")
def _sequence_construct(view: NodeView) -> TensorList:
    values = view.values()
    if len({dtype_of(value) for value in values}) > 1:
        raise ParseError("the tensors of a sequence have different types")
    return TensorList(tuple(values))


@operator("SequenceInsert")
def _sequence_insert(view: NodeView) -> TensorList:
    items = list(view.sequence(0).items)
    place = _place(view, 2, len(items), len(items)) if view.has(2) else len(items)
    items.insert(place, view.value(1))
    return TensorList(tuple(items))


@operator("SequenceErase")
def _sequence_erase(view: NodeView) -> TensorList:
    items = list(view.sequence(0).items)
    del items[_place(view, 1, len(items), len(items) - 1) if view.has(1) else -1]
    return TensorList(tuple(items))


@operator("SequenceAt")
def _sequence_at(view: NodeView) -> Value:
    items = view.sequence(0).items
    return items[_place(view, 1, len(items), len(items) - 1)]


@operator("SequenceLength")
def _sequence_length(view: NodeView) -> Value:
    return Known(np.array(len(view.sequence(0).items), np.int64))


@operator("ConcatFromSequence")
def _concat_from_sequence(view: NodeView) -> Value:
    items, emit = view.sequence(0).items, view.emit
    if not items:
        raise ParseError("the sequence is empty, expected tensors to concatenate")
    rank = len(view.over([items[0]]).shape(0))
    if not view.integer("new_axis"):
        return emit.concat(list(items), normal_axis(view.integer("axis"), rank))
    axis = normal_axis(view.integer("axis"), rank + 1)
    wide = []
    for index, item in enumerate(items):
        shape = list(view.over([item]).shape(0))
        shape.insert(axis, 1)
        wide.append(emit.reshape(item, shape, f"item_{index}"))
    return emit.concat(wide, axis)


@operator("SplitToSequence")
def _split_to_sequence(view: NodeView) -> TensorList:
    emit, x, shape = view.emit, view.value(0), view.shape(0)
    axis = view.axis("axis", 0, len(shape))
    size = shape[axis]
    sizes = _sizes(view, size)
    if min(sizes, default=0) < 0 or sum(sizes) != size:
        raise ParseError(f"pieces of {sizes} do not make up a dimension of {size}")
    pieces = emit.split(x, sizes, axis, "pieces") if sizes else []
    if not view.has(1) and not view.integer("keepdims", 1):
        flat = [*shape[:axis], *shape[axis + 1 :]]
        pieces = [emit.reshape(piece, flat, f"item_{i}") for i, piece in enumerate(pieces)]
    return TensorList(tuple(pieces))


def _sizes(view: NodeView, size: int) -> Sequence[int]:
    split = view.constant(1, _LENGTH) if view.has(1) else np.array(1)
    if split.ndim:
        return [int(one) for one in split]
    step = int(split)
    if step < 1:
        raise ParseError(f"the pieces have {step} elements, expected at least 1")
    count = -(-size // step)
    if count > _MOST_TENSORS:
        raise Unsupported(f"a sequence of {count} tensors (at most {_MOST_TENSORS} are supported)")
    return [min(step, size - start) for start in range(0, size, step)]


def _place(view: NodeView, index: int, count: int, last: int) -> int:
    """Return a place in a sequence of ``count`` tensors, at most ``last``."""
    place = int(view.constant(index, "place in a sequence").reshape(()))
    found = place + count if place < 0 else place
    if not 0 <= found <= last:
        raise ParseError(f"position {place} is outside a sequence of {count} tensors")
    return found


# ---- Optional values -----------------------------------------------------------------------------


@operator("OptionalHasElement", since=15)
def _optional_has_element(view: NodeView) -> Value:
    return Known(np.array(view.count > 0))


@operator("OptionalGetElement", since=15)
def _optional_get_element(view: NodeView) -> Value | TensorList:
    return view.anything(0)
