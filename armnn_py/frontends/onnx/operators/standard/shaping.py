# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that change or tell a shape, and those that make values without any input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axes
from armnn_py.frontends.common.known import known_numbers
from armnn_py.frontends.common.values import Known, Unsupported, Value
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.file.element_types import dtype_of_number, element_type_name
from armnn_py.symbolic import is_symbolic
from armnn_py.types import ComparisonOperation


@operator("Identity")
def _identity(view: NodeView) -> Value:
    return view.value(0)


@operator("Constant")
def _constant(view: NodeView) -> Value:
    attributes = view.node.attributes
    for name in ("value", "sparse_value"):
        if name in attributes:
            tensor = view.tensor(name)
            assert tensor is not None
            return Known(tensor)
    if "value_float" in attributes:
        return Known(np.array(view.number("value_float"), np.float32))
    if "value_int" in attributes:
        return Known(np.array(view.integer("value_int"), np.int64))
    if "value_floats" in attributes:
        return Known(np.array(view.floats("value_floats"), np.float32))
    if "value_ints" in attributes:
        return Known(np.array(view.ints("value_ints"), np.int64))
    if "value_string" in attributes:
        return Known(np.array(view.text("value_string"), object))
    if "value_strings" in attributes:
        return Known(np.array(view.texts("value_strings"), object))
    kinds = ", ".join(attributes) or "no value"
    raise Unsupported(f"a constant given as {kinds}")


@operator("ConstantOfShape", since=9)
def _constant_of_shape(view: NodeView) -> Value:
    shape = view.integers(0, "shape")
    value = view.tensor("value")
    value = np.zeros(1, np.float32) if value is None else value
    if value.size != 1 or min(shape, default=0) < 0:
        raise ParseError(
            f"a fill of {value.size} values for shape {shape} is not one value and sizes of at "
            "least 0"
        )
    return view.emit.broadcast_to(Known(value.reshape(())), shape)


@operator("Shape")
def _shape(view: NodeView) -> Value:
    rank = view.rank(0)
    start = view.integer("start") if "start" in view.node.attributes else None
    end = view.integer("end") if "end" in view.node.attributes else None
    first, last, _ = slice(start, end).indices(rank)
    return known_numbers(view.shape(0)[first:last], np.int64)


@operator("Size")
def _size(view: NodeView) -> Value:
    return known_numbers(math.prod(view.shape(0)), np.int64)


@operator("Reshape")
def _reshape(view: NodeView) -> Value:
    # In version 1 the shape is an attribute.
    target = view.ints("shape")
    if target is None:
        target = view.integers(1, "shape")
    shape = view.shape(0)
    if not view.integer("allowzero"):
        if any(not dim and index >= len(shape) for index, dim in enumerate(target)):
            raise ParseError(f"shape {target} copies a dimension that {shape} does not have")
        target = [dim if dim else shape[index] for index, dim in enumerate(target)]
    if target.count(-1) > 1 or min(target, default=0) < -1:
        raise ParseError(f"target shape {target} has more than one -1, or a size below that")
    if -1 in target:
        known, count = math.prod(dim for dim in target if dim != -1), math.prod(shape)
        if not known or count % known:
            raise ParseError(f"shape {shape} does not divide into {target}")
        target = [count // known if dim == -1 else dim for dim in target]
    return view.emit.reshape(view.value(0), target)


@operator("Flatten")
def _flatten(view: NodeView) -> Value:
    shape, rank = view.shape(0), view.rank(0)
    axis = view.integer("axis", 1)
    if not -rank <= axis <= rank:
        raise ParseError(f"axis {axis} is outside a tensor of {rank} dimensions")
    axis = axis + rank if axis < 0 else axis
    target = (math.prod(shape[:axis]), math.prod(shape[axis:]))
    return view.emit.reshape(view.value(0), target)


def _axes(view: NodeView) -> list[int] | None:
    """Return axes: an attribute before version 13, an operand since."""
    axes = view.ints("axes")
    return view.integers(1, "axes") if axes is None and view.has(1) else axes


@operator("Squeeze")
def _squeeze(view: NodeView) -> Value:
    shape, axes = view.shape(0), _axes(view)
    if axes is None:
        gone: Sequence[int] = [axis for axis, dim in enumerate(shape) if dim == 1]
    else:
        gone = normal_axes(axes, len(shape))
        if any(shape[axis] != 1 for axis in gone):
            raise ParseError(f"axes {axes} of shape {shape} do not all have size 1")
    kept = [dim for axis, dim in enumerate(shape) if axis not in gone]
    return view.emit.reshape(view.value(0), kept)


@operator("Unsqueeze")
def _unsqueeze(view: NodeView) -> Value:
    axes = _axes(view)
    if axes is None:
        raise ParseError("axes are missing")
    rank = view.rank(0) + len(axes)
    new = normal_axes(axes, rank)
    old = iter(view.shape(0))
    return view.emit.reshape(
        view.value(0), [1 if axis in new else next(old) for axis in range(rank)]
    )


@operator("Transpose")
def _transpose(view: NodeView) -> Value:
    order = view.ints("perm")
    return view.emit.transpose(view.value(0), range(view.rank(0))[::-1] if order is None else order)


def _dropout_check(view: NodeView) -> None:
    if view.version < 7 and "is_test" in view.node.attributes and not view.integer("is_test"):
        raise Unsupported("training mode (is_test is 0)")


@operator("Dropout", check=_dropout_check)
def _dropout(view: NodeView) -> Sequence[Value]:
    if view.has(2):
        training = bool(view.constant(2, "training_mode").any())
        ratio = float(view.constant(1, "ratio").reshape(-1)[0]) if view.has(1) else 0.5
        if training and ratio:
            raise Unsupported("training mode")
    x = view.value(0)
    if not view.wants(1):
        return [x]
    kept = Known(np.array(True)) if view.version >= 10 else view.emit.scalar(1, x)
    return [x, view.emit.broadcast_to(kept, view.shape(0), "mask")]


@operator("DepthToSpace")
def _depth_to_space(view: NodeView) -> Value:
    emit, block = view.emit, view.integer("blocksize")
    batch, channels, height, width = _image(view, block)
    if channels % block**2:
        raise ParseError(f"{channels} channels do not divide into blocks of {block}x{block}")
    depth = channels // block**2
    mode = view.text("mode", "DCR")
    if mode == "DCR":
        parts, order = (batch, block, block, depth, height, width), (0, 3, 4, 1, 5, 2)
    elif mode == "CRD":
        parts, order = (batch, depth, block, block, height, width), (0, 1, 4, 2, 5, 3)
    else:
        raise ParseError(f"attribute 'mode' is '{mode}', which is unknown")
    turned = emit.transpose(emit.reshape(view.value(0), parts, "blocks"), order, "transposed")
    return emit.reshape(turned, (batch, depth, height * block, width * block))


@operator("SpaceToDepth")
def _space_to_depth(view: NodeView) -> Value:
    emit, block = view.emit, view.integer("blocksize")
    batch, channels, height, width = _image(view, block)
    if height % block or width % block:
        raise ParseError(f"an image of {height}x{width} does not divide into blocks of {block}")
    high, wide = height // block, width // block
    parts = (batch, channels, high, block, wide, block)
    orders = {"DCR": (0, 3, 5, 1, 2, 4), "CRD": (0, 1, 3, 5, 2, 4)}
    mode = view.text("mode", "DCR")
    if mode not in orders:
        raise ParseError(f"attribute 'mode' is '{mode}', which is unknown")
    blocks = emit.reshape(view.value(0), parts, "blocks")
    turned = emit.transpose(blocks, orders[mode], "transposed")
    return emit.reshape(turned, (batch, channels * block**2, high, wide))


def _image(view: NodeView, block: int) -> tuple[int, ...]:
    if view.rank(0) != 4 or block < 1:
        raise ParseError(
            f"blocks of {block} do not fit an input of {view.rank(0)} dimensions, expected at "
            "least 1 and 4"
        )
    return view.shape(0)


@operator("Range", since=11)
def _range(view: NodeView) -> Value:
    start, limit, delta = (
        view.single(index, what) for index, what in enumerate(("start", "limit", "delta"))
    )
    if delta == 0:
        raise ParseError("the delta of the range is 0")
    if any(map(is_symbolic, (start, limit, delta))):
        found = _range_of_sizes(view, start, limit, delta)
        if found is not None:
            return found
        start, limit, delta = (view.dtype(0).type(one).item() for one in (start, limit, delta))
    count = max(math.ceil((limit - start) / delta), 0)
    if not view.emit.foldable([], (count,), np.dtype(np.float64)):
        raise Unsupported(f"a range of {count} numbers")
    numbers = start + np.arange(count) * delta
    return Known(np.asarray(numbers).astype(view.dtype(0)))


def _range_of_sizes(view: NodeView, start: Any, limit: Any, delta: Any) -> Value | None:
    """Return a range of integers, some of which are sizes; None where some have fractions."""
    dtype = view.dtype(0)
    if dtype not in (np.int32, np.int64, np.float32, np.float64):
        return None
    if not all(is_symbolic(one) or float(one).is_integer() for one in (start, limit, delta)):
        return None
    first, last, step = (one if is_symbolic(one) else int(one) for one in (start, limit, delta))
    number = (last - first + step - 1) // step if step > 0 else (first - last - step - 1) // -step
    counting = dtype if dtype.kind == "i" else np.dtype(np.int32)
    emit = view.emit
    return emit.cast(
        emit.count_up(number if number > 0 else 0, counting, start=first, step=step), dtype, "real"
    )


@operator("EyeLike", since=9)
def _eye_like(view: NodeView) -> Value:
    number = view.integer("dtype")
    dtype = dtype_of_number(number) if number else view.dtype(0)
    if dtype is None:
        raise Unsupported(f"{element_type_name(number)} values")
    if view.rank(0) != 2 or not view.emit.foldable([], view.shape(0), dtype):
        raise ParseError(f"a tensor of shape {view.shape(0)} is not a matrix of affordable size")
    rows, columns = view.shape(0)
    if is_symbolic(rows) or is_symbolic(columns):
        emit, counting = view.emit, np.dtype(np.int32)
        row = emit.count_up(rows, counting, start=view.integer("k"), name="rows")
        place = emit.count_up(columns, counting, name="columns")
        is_diagonal = emit.compare(
            ComparisonOperation.EQUAL, place, emit.reshape(row, (rows, 1), "column"), "diagonal"
        )
        return emit.cast(is_diagonal, dtype)
    return Known(np.eye(rows, columns, k=view.integer("k"), dtype=dtype))
