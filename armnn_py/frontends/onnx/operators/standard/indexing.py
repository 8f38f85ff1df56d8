# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reading and writing elements at given positions.

A Gather layer reads along one dimension. The operators that index several at once become a Gather
of the flat tensor at positions that are computed from the indices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.values import Array, Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.symbolic import is_symbolic
from armnn_py.types import ComparisonOperation, LayerType, ScatterNdFunction

_GATHER_LIMIT = 2**31
#: A diagonal as far from the corner as this lies outside of every tensor.
_FURTHEST = 2**30


@operator("Gather")
def _gather(view: NodeView) -> Value:
    emit, shape = view.emit, view.shape(0)
    axis = view.axis("axis", 0, view.rank(0))
    _check_indices(view)
    indices = view.known(1)
    if indices is None or indices.ndim or isinstance(view.value(0), Known):
        return emit.gather(view.value(0), view.value(1), axis)
    # One known index is a slice, which backends can do without copying.
    index = int(indices)
    if not -shape[axis] <= index < shape[axis]:
        raise ParseError(f"index {index} is outside dimension {axis} of {shape[axis]} elements")
    begin = [index % shape[axis] if d == axis else 0 for d in range(len(shape))]
    size = [1 if d == axis else dim for d, dim in enumerate(shape)]
    part = emit.slice(view.value(0), begin, size, "slice")
    return emit.reshape(part, [dim for d, dim in enumerate(shape) if d != axis])


def _check_indices(view: NodeView) -> None:
    if view.dtype(1).kind not in "iu":
        raise ParseError(f"the indices are {view.dtype(1)}, expected int32 or int64")


def _resolved(indices: Array, limits: Sequence[int]) -> Array:
    """Return known indices as int32, counted from the front; ``limits`` is per last dimension."""
    limit = np.array(limits, np.int32)
    if ((indices < -limit) | (indices >= limit)).any():
        raise ParseError(f"an index is outside the dimensions {list(limits)}")
    return np.where(indices < 0, indices + limit, indices).astype(np.int32)


def _strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]


def _check_size(shape: Sequence[int]) -> None:
    if math.prod(shape) >= _GATHER_LIMIT:
        raise Unsupported(f"{math.prod(shape)} elements, positions are 32-bit")


@operator("GatherND", since=11)
def _gather_nd(view: NodeView) -> Value:
    emit, shape = view.emit, view.shape(0)
    batch = view.integer("batch_dims")
    indices = view.shape(1)
    _check_indices(view)
    if not indices or not 0 <= batch < min(len(indices), len(shape) + 1):
        raise ParseError(f"batch_dims is {batch}, which does not fit shapes {shape} and {indices}")
    depth = indices[-1]
    if depth < 1 or batch + depth > len(shape) or shape[:batch] != indices[:batch]:
        raise ParseError(f"indices of shape {indices} do not fit {shape} with batch_dims {batch}")
    places = None if any(map(is_symbolic, shape)) else view.known(1)
    if places is None:
        return emit.layer(LayerType.GATHER_ND, [view.value(0), _with_batch(view, batch)])
    _check_size(shape)
    indexed, rest = shape[batch : batch + depth], shape[batch + depth :]
    # View the tensor as rows, one for each index.
    found = _resolved(places, indexed)
    positions = (found * np.array(_strides(indexed), np.int32)).sum(-1, dtype=np.int32)
    if batch:
        count = math.prod(shape[:batch])
        start = positions_of(count, np.int32) * np.int32(math.prod(indexed))
        positions = positions + start.reshape(*shape[:batch], *[1] * (len(indices) - 1 - batch))
    rows = emit.reshape(view.value(0), (math.prod(shape[: batch + depth]), *rest), "rows")
    return emit.gather(rows, Known(positions), 0)


def _with_batch(view: NodeView, batch: int) -> Value:
    """Return the index vectors with the place of each in the batch before them."""
    if not batch:
        return view.value(1)
    outer = view.shape(1)[:-1]
    emit, dtype = view.emit, view.dtype(1)
    lanes = [
        emit.broadcast_to(
            emit.reshape(
                emit.count_up(size, dtype, name="lane"),
                [size if d == axis else 1 for d in range(len(outer) + 1)],
                "lanes",
            ),
            (*outer, 1),
            "places",
        )
        for axis, size in enumerate(outer[:batch])
    ]
    return emit.concat([*lanes, view.value(1)], len(outer), "vectors")


@operator("GatherElements", since=11)
def _gather_elements(view: NodeView) -> Value:
    emit, shape, target = view.emit, view.shape(0), view.shape(1)
    axis = view.axis("axis", 0, len(shape))
    _check_indexed(shape, target, axis)
    positions = _positions(view, shape, target, axis)
    flat = emit.reshape(view.value(0), (math.prod(shape),), "flat")
    return emit.gather(flat, positions, 0)


def _check_indexed(shape: Sequence[int], target: Sequence[int], axis: int) -> None:
    if len(target) != len(shape) or any(
        t > s for d, (t, s) in enumerate(zip(target, shape, strict=True)) if d != axis
    ):
        raise ParseError(f"indices of shape {target} do not fit {shape} along dimension {axis}")
    _check_size(shape)


def _positions(view: NodeView, shape: Sequence[int], target: Sequence[int], axis: int) -> Value:
    """Return the flat position in ``shape`` of each element that operand 1 of ``target`` names."""
    emit, stride = view.emit, _strides(shape)[axis]
    _check_indices(view)
    own = _own_positions(emit, target, shape, axis)
    known = None if is_symbolic(shape[axis]) or is_symbolic(stride) else view.known(1)
    if known is not None:
        found: Value = Known(_resolved(known, (shape[axis],)) * np.int32(stride))
    elif not math.prod(target):
        return Known(np.zeros(target, np.int32))
    elif own is None and math.prod(shape) == shape[axis]:
        return view.value(1)
    else:
        # Reading the positions of a table refuses indices that lie outside of the dimension.
        table = emit.count_up(shape[axis], np.dtype(np.int32), step=stride, name="table")
        found = emit.gather(table, view.value(1), 0, "scaled")
    return found if own is None else emit.add(found, own, "positions")


def _own_positions(
    emit: Emitter, target: Sequence[int], shape: Sequence[int], axis: int
) -> Value | None:
    """Return the flat position of each element, with index 0 along ``axis``."""
    total: Value | None = None
    for d, stride in enumerate(_strides(shape)):
        if d != axis and target[d] != 1:
            lane = emit.reshape(
                emit.count_up(target[d], np.dtype(np.int32), step=stride, name="lane"),
                [target[d] if e == d else 1 for e in range(len(shape))],
                "lanes",
            )
            total = lane if total is None else emit.add(total, lane, "own")
    return total


_REDUCTIONS = {
    "none": ScatterNdFunction.UPDATE,
    "add": ScatterNdFunction.ADD,
    "mul": ScatterNdFunction.MUL,
    "max": ScatterNdFunction.MAX,
    "min": ScatterNdFunction.MIN,
}


def _reduction(view: NodeView) -> ScatterNdFunction:
    name = view.text("reduction", "none")
    if name not in _REDUCTIONS:
        raise ParseError(f"attribute 'reduction' is '{name}', which is unknown")
    return _REDUCTIONS[name]


@operator("ScatterND", since=11)
def _scatter_nd(view: NodeView) -> Value:
    shape, function = view.shape(0), _reduction(view)
    _check_indices(view)
    indices = view.known(1)
    if indices is None or function is not ScatterNdFunction.UPDATE:
        x, places, updates = view.value(0), view.value(1), view.value(2)
        return view.emit.scatter_nd(x, places, updates, function)
    depth = indices.shape[-1] if indices.ndim else 0
    if not 1 <= depth <= len(shape):
        raise ParseError(f"indices of shape {indices.shape} do not fit {shape}")
    found = _resolved(indices, shape[:depth])
    rows = (found * np.array(_strides(shape[:depth]), np.int32)).sum(-1).reshape(-1)
    row = math.prod(shape[depth:])
    positions = (rows[:, np.newaxis] * row + positions_of(row)).reshape(-1)
    return _scatter(view, positions)


@operator("ScatterElements", "Scatter", since=9)
def _scatter_elements(view: NodeView) -> Value:
    emit, shape, function = view.emit, view.shape(0), _reduction(view)
    axis = view.axis("axis", 0, len(shape))
    target = view.shape(1)
    if target != view.shape(2):
        raise ParseError(f"indices of shape {target} do not fit updates of shape {view.shape(2)}")
    _check_indexed(shape, target, axis)
    positions = _positions(view, shape, target, axis)
    if isinstance(positions, Known) and function is ScatterNdFunction.UPDATE:
        return _scatter(view, positions.array.reshape(-1))
    count = math.prod(target)
    flat = emit.reshape(view.value(0), (math.prod(shape),), "flat")
    places = emit.reshape(positions, (count, 1), "places")
    updates = emit.reshape(view.value(2), (count,), "updates")
    return emit.reshape(emit.scatter_nd(flat, places, updates, function, "scatter"), shape)


def _scatter(view: NodeView, positions: Array) -> Value:
    """Write the updates at known flat positions: a Gather from the data and the updates."""
    emit, shape = view.emit, view.shape(0)
    count = math.prod(shape)
    if positions.size != math.prod(view.shape(2)):
        raise ParseError(
            f"{math.prod(view.shape(2))} updates do not fit {positions.size} positions"
        )
    _check_size((count + positions.size,))
    source = positions_of(count, np.int32)
    source[positions] = count + np.arange(positions.size, dtype=np.int32)
    both = emit.concat(
        [
            emit.reshape(view.value(0), (count,), "flat"),
            emit.reshape(view.value(2), (positions.size,), "updates"),
        ],
        0,
        "both",
    )
    return emit.gather(both, Known(source.reshape(shape)), 0)


@operator("Trilu", since=14)
def _trilu(view: NodeView) -> Value:
    shape = view.shape(0)
    if len(shape) < 2:
        raise ParseError(f"the input has {len(shape)} dimensions, expected at least 2")
    k = view.integers(1, "diagonal")[0] if view.has(1) else 0
    if not view.emit.foldable([], shape[-2:], np.dtype(np.int64)):
        raise Unsupported(f"a triangle of {shape[-2]}x{shape[-1]} elements")
    rows, columns = shape[-2:]
    k = max(-_FURTHEST, min(k, _FURTHEST))
    kept = _triangle(view.emit, rows, columns, k, is_upper=bool(view.integer("upper", 1)))
    x = view.value(0)
    return view.emit.where(kept, x, view.emit.scalar(0, x))


def _triangle(emit: Emitter, rows: int, columns: int, k: int, *, is_upper: bool) -> Value:
    """Return where a triangle is, which is computed when the network runs if shapes change it."""
    if is_symbolic(rows) or is_symbolic(columns):
        dtype = np.dtype(np.int32)
        row = emit.reshape(emit.count_up(rows, dtype, start=k, name="rows"), (rows, 1), "column")
        column = emit.count_up(columns, dtype, name="columns")
        order = (
            ComparisonOperation.GREATER_OR_EQUAL if is_upper else ComparisonOperation.LESS_OR_EQUAL
        )
        return emit.compare(order, column, row, "triangle")
    if not rows or not columns:  # the other one may be any number
        return Known(np.zeros((rows, columns), np.bool_))
    below = np.tri(rows, columns, k - 1 if is_upper else k, dtype=np.bool_)
    return Known(~below if is_upper else below)


@operator("OneHot", since=9)
def _one_hot(view: NodeView) -> Value:
    emit, indices = view.emit, view.value(0)
    given = view.single(1, "depth")
    depth = given if is_symbolic(given) else int(given)
    rank = view.rank(0) + 1
    axis = view.axis("axis", -1, rank)
    values = view.value(2)
    if shape_of(values) != (2,) or depth < 1:
        raise ParseError(
            f"values of shape {shape_of(values)} and depth {depth} are not an on and off value and "
            "a positive depth"
        )
    # Index i becomes row i of an identity matrix, with the two given values for 0 and 1.
    dtype = dtype_of(indices)
    if dtype.kind == "f" or dtype.itemsize < 4:
        indices = emit.cast(indices, np.int32, "indices")
    elif dtype.kind == "u":
        indices = emit.cast(indices, np.int64, "indices")
    numbers = emit.count_up(depth, dtype_of(indices), name="numbers")
    classes = emit.reshape(numbers, [depth if d == axis else 1 for d in range(rank)], "classes")
    wide = [*view.shape(0)]
    wide.insert(axis, 1)
    spread = emit.reshape(indices, wide, "spread")
    hit = emit.compare(ComparisonOperation.EQUAL, spread, classes, "hit")
    off, on = emit.split(values, [1, 1], 0, "values")
    if view.version < 11:  # there, negative indices are outside
        return emit.where(hit, on, off)
    back = emit.sub(classes, emit.scalar(depth, indices), "from_end")
    hit_back = emit.compare(ComparisonOperation.EQUAL, spread, back, "hit_from_end")
    inner = emit.where(hit_back, on, off, "negative")
    return emit.where(hit, on, inner)
