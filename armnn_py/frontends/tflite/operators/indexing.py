# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reading and writing by index."""

from __future__ import annotations

import numpy as np

from armnn_py.descriptors import OneHotDescriptor, ScatterNdDescriptor, TopKDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axis
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of
from armnn_py.frontends.tflite.node import OperatorView, same_type
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import BinaryOperation, LayerType, ScatterNdFunction


def _indices(view: OperatorView, index: int) -> Value:
    """Return an operand of indices, narrow ones as 32-bit integers.

    Negative ones do not count from the end, as in layers, but lie outside.
    """
    value = view.value(index)
    if dtype_of(value).kind not in "iu":
        raise ParseError(f"indices of {dtype_of(value)}, integers expected")
    if dtype_of(value).itemsize <= 2:
        value = view.emit.cast(value, np.int32, "indices")
    return view.emit.from_start(value)


@operator("GATHER")
def _gather(view: OperatorView) -> Value:
    axis = normal_axis(int(view.option("axis", 0)), view.rank(0))
    batch = normal_axis(int(view.option("batch_dims", 0)), view.rank(1) + 1)
    if not batch:
        return view.emit.gather(view.value(0), _indices(view, 1), axis)
    if axis != batch or view.shape(0)[:batch] != view.shape(1)[:batch]:
        raise Unsupported(f"batch_dims {batch} with axis {axis}")
    places = view.known(1)
    if places is None:
        raise Unsupported(f"batch_dims {batch} with indices computed at run time")
    lanes = np.indices(places.shape)[:batch]
    vectors = np.stack([*lanes, places], -1).astype(np.int32)
    return _gathered(view, Known(vectors))


@operator("GATHER_ND")
def _gather_nd(view: OperatorView) -> Value:
    return _gathered(view, _indices(view, 1))


def _gathered(view: OperatorView, indices: Value) -> Value:
    x = view.value(0)
    if isinstance(x, Known) and isinstance(indices, Known) and x.quantization is None:
        places = tuple(np.moveaxis(indices.array, -1, 0))
        limits = x.array.shape[: len(places)]
        if any((p >= n).any() for p, n in zip(places, limits, strict=True)):
            raise ParseError("an index lies outside of the value")
        shape = (*indices.array.shape[:-1], *x.array.shape[len(places) :])
        if view.emit.movable([x], shape):
            return Known(np.asarray(x.array[places]))
    return view.layer(LayerType.GATHER_ND, [x, indices])


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
        raise ParseError(f"a box of {size} at {view.shape(2)} numbers in {shape}")
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
