# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reading and writing by index."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.descriptors import OneHotDescriptor, ScatterNdDescriptor, TopKDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.values import Known, Value, dtype_of, quantization_of, shape_of
from armnn_py.frontends.tflite.node import OperatorView, same_type
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import BinaryOperation, LayerType, ScatterNdFunction


def _indices(view: OperatorView, index: int) -> Value:
    """Return an operand of indices, narrow ones as 32-bit integers.

    Negative ones do not count from the end, as in layers, but lie outside.
    """
    value = view.value(index)
    if dtype_of(value).kind not in "iu":
        raise ParseError(f"the indices are {dtype_of(value)}, expected integers")
    if dtype_of(value).itemsize <= 2:
        value = view.emit.cast(value, np.int32, "indices")
    return view.emit.from_start(value)


@operator("GATHER")
def _gather(view: OperatorView) -> Value:
    axis = normal_axis(int(view.option("axis", 0)), view.rank(0))
    batch = normal_axis(int(view.option("batch_dims", 0)), view.rank(1) + 1)
    if not batch:
        return view.emit.gather(view.value(0), _indices(view, 1), axis)
    if axis < batch or view.shape(0)[:batch] != view.shape(1)[:batch]:
        raise ParseError(
            f"batch_dims {batch} and axis {axis} do not fit shape {view.shape(0)} and indices of "
            f"shape {view.shape(1)}, expected equal batches before the axis"
        )
    return _gather_in_batches(view, axis, batch)


def _gather_in_batches(view: OperatorView, axis: int, batch: int) -> Value:
    """Gather by pairs of a batch and an index, with the axis moved behind the batches."""
    emit, shape, places = view.emit, view.shape(0), view.shape(1)
    batches, middle = shape[:batch], shape[batch:axis]
    count, inner = math.prod(batches), math.prod(places[batch:])
    order = (*range(batch), axis, *range(batch, axis), *range(axis + 1, len(shape)))
    x = emit.transpose(view.value(0), order, "axis_first")
    rest = (*middle, *shape[axis + 1 :])
    x = emit.reshape(x, (count, shape[axis], *rest), "batches")
    indices = emit.cast(_indices(view, 1), np.int32, "indices")
    indices = emit.reshape(indices, (count, inner, 1), "columns")
    lanes = np.broadcast_to(np.arange(count, dtype=np.int32)[:, None, None], (count, inner, 1))
    pairs = emit.concat([Known(np.ascontiguousarray(lanes)), indices], 2, "pairs")
    found = _picked(view, x, pairs)
    found = emit.reshape(found, (*batches, *places[batch:], *rest), "picked")
    start = len(places)
    behind = start + len(middle)
    rank = len(shape_of(found))
    back = (*range(batch), *range(start, behind), *range(batch, start), *range(behind, rank))
    return emit.transpose(found, back)


@operator("GATHER_ND")
def _gather_nd(view: OperatorView) -> Value:
    return _picked(view, view.value(0), _indices(view, 1))


def _picked(view: OperatorView, x: Value, indices: Value) -> Value:
    """Gather by vectors of indices."""
    if isinstance(x, Known) and isinstance(indices, Known) and x.quantization is None:
        places = tuple(np.moveaxis(indices.array, -1, 0))
        limits = x.array.shape[: len(places)]
        if any((p >= n).any() for p, n in zip(places, limits, strict=True)):
            raise ParseError("an index is outside the tensor")
        shape = (*indices.array.shape[:-1], *x.array.shape[len(places) :])
        if view.emit.movable([x], shape):
            return Known(np.asarray(x.array[places]))
    return view.emit.layer(LayerType.GATHER_ND, [x, indices])


@operator("MATRIX_DIAG")
def _matrix_diag(view: OperatorView) -> Value:
    """Numbers along the diagonals of square matrices, stored zeros elsewhere."""
    shape = view.shape(0)
    if not shape:
        raise ParseError("the diagonal is a scalar, expected at least one dimension")
    x = view.emit.reshape(view.value(0), (*shape, 1), "columns")
    zero = np.zeros((1,) * (len(shape) + 1), dtype_of(x))
    info = None if quantization_of(x) is None else x.info.with_shape(zero.shape)
    return view.emit.where(Known(np.eye(shape[-1], dtype=bool)), x, Known(zero, info))


@operator("MATRIX_SET_DIAG")
def _matrix_set_diag(view: OperatorView) -> Value:
    """Matrices whose main diagonals are those that are given."""
    *outer, rows, columns = view.shape(0) if view.rank(0) >= 2 else (0, 0)
    least = min(rows, columns)
    if view.rank(0) < 2 or view.shape(1) != (*outer, least):
        raise ParseError(
            f"diagonals of shape {view.shape(1)} do not fit matrices of shape {view.shape(0)}"
        )
    place = (least, 1) if rows <= columns else (1, least)
    diagonal = view.emit.reshape(view.value(1), (*outer, *place), "diagonal")
    where = Known(np.eye(rows, columns, dtype=bool))
    return view.emit.where(where, diagonal, view.value(0))


@operator("EMBEDDING_LOOKUP")
def _embedding_lookup(view: OperatorView) -> Value:
    """Take rows of a table; those of 8 bits become real numbers where the output has such."""
    view.need_rank(1)
    narrow = view.is_quantized(1) and view.output_dtype() == np.float32
    table = view.real(1, "table") if narrow else view.value(1)
    return view.emit.gather(table, _indices(view, 0), 0)


@operator("DYNAMIC_UPDATE_SLICE")
def _dynamic_update_slice(view: OperatorView) -> Value:
    """Write a box over elements; one that would stand out begins where it just fits."""
    emit, x, box = view.emit, view.value(0), view.value(1)
    shape, size = view.shape(0), view.shape(1)
    too_large = len(size) != len(shape) or any(s > d for s, d in zip(size, shape, strict=True))
    if too_large or view.shape(2) != (len(shape),):
        raise ParseError(
            f"an update of shape {size} at {view.shape(2)} start indices does not fit in shape "
            f"{shape}"
        )
    same_type(x, box)
    cut = [axis for axis, dim in enumerate(shape) if size[axis] != dim]
    if not cut:
        return box
    depth = cut[-1] + 1
    start = emit.slice(emit.cast(view.value(2), np.int32, "start"), (0,), (depth,), "start_of_rows")
    last = np.array([dim - s for dim, s in zip(shape, size, strict=True)][:depth], np.int32)
    start = emit.binary(
        BinaryOperation.MAXIMUM, start, Known(np.zeros(depth, np.int32)), "not_before"
    )
    start = emit.binary(BinaryOperation.MINIMUM, start, Known(last), "not_behind")
    rows = np.moveaxis(np.indices(size[:depth], np.int32), 0, -1)
    places = emit.add(Known(np.ascontiguousarray(rows)), start, "places")
    return emit.scatter_nd(x, places, box, ScatterNdFunction.UPDATE)


@operator("SCATTER_ND")
def _scatter_nd(view: OperatorView) -> Value:
    shape = Known(np.array(view.integers(2, "shape"), np.int32))
    descriptor = ScatterNdDescriptor(function=ScatterNdFunction.ADD, input_enabled=False)
    return view.layer(LayerType.SCATTER_ND, [shape, _indices(view, 0), view.value(1)], descriptor)


@operator("SPARSE_TO_DENSE")
def _sparse_to_dense(view: OperatorView) -> Value:
    """Numbers at the places that indices name, a default elsewhere."""
    emit, shape = view.emit, view.integers(1, "shape")
    places = _indices(view, 0)
    if len(shape_of(places)) < 2:  # of a vector, or one place
        rows = math.prod(shape_of(places)) if len(shape) == 1 else 1
        places = emit.reshape(places, (rows, len(shape)), "places")
    count = shape_of(places)[0]
    if shape_of(places) != (count, len(shape)) or min(shape, default=0) < 0:
        raise ParseError(f"indices of shape {view.shape(0)} do not fit a tensor of shape {shape}")
    same_type(view.value(2), view.value(3))
    values = emit.broadcast_to(view.value(2), (count,), "values")
    start = emit.broadcast_to(emit.reshape(view.value(3), ()), shape, "default")
    return emit.scatter_nd(start, places, values, ScatterNdFunction.UPDATE)


_SEGMENTS = {
    "MAX": ScatterNdFunction.MAX,
    "MIN": ScatterNdFunction.MIN,
    "PROD": ScatterNdFunction.MUL,
    "SUM": ScatterNdFunction.ADD,
}


@operator(*(f"UNSORTED_SEGMENT_{name}" for name in _SEGMENTS))
def _unsorted_segment(view: OperatorView) -> Value:
    """Combine elements of each segment; a segment without elements has the neutral number."""
    emit, shape, places = view.emit, view.shape(0), view.shape(1)
    function = _SEGMENTS[view.op.name.rpartition("_")[2]]
    if shape[: len(places)] != places:
        raise ParseError(
            f"segment ids of shape {places} are not a prefix of the data's shape {shape}"
        )
    dtype = dtype_of(view.value(0))
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    result = (view.integer(2, "number of segments"), *shape[len(places) :])
    neutral = {"MAX": limits.min, "MIN": limits.max, "MUL": 1, "ADD": 0}[function.name]
    initial = Known(np.broadcast_to(np.array(neutral, dtype), result))
    count = math.prod(places)
    values = emit.reshape(view.value(0), (count, *shape[len(places) :]), "elements")
    indices = emit.reshape(_indices(view, 1), (count, 1), "segments")
    return emit.scatter_nd(initial, indices, values, function)


@operator("ONE_HOT")
def _one_hot(view: OperatorView) -> Value:
    depth = view.integer(1, "depth")
    on_value, off_value = view.value(2), view.value(3)
    same_type(on_value, off_value)
    axis = normal_axis(int(view.option("axis", -1)), view.rank(0) + 1)
    descriptor = OneHotDescriptor(depth=depth, axis=axis)
    return view.layer(LayerType.ONE_HOT, [_indices(view, 0), on_value, off_value], descriptor)


@operator("TOPK_V2")
def _top_k(view: OperatorView) -> list[Value]:
    descriptor = TopKDescriptor(k=view.integer(1, "k"), axis=-1)
    made = view.layers(LayerType.TOP_K, [view.value(0)], descriptor, outputs=(0, 1))
    return [*made.outputs]
