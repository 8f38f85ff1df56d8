# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Pooling over windows and over whole planes.

No layer has the second output of MaxPool, the place of each largest element in the whole input. The
windows are gathered side by side, so that ArgMinMax finds the largest of each. Padding reads the
first element of its window once more: a number below all elements need not exist. A window of
padding alone reads the lowest number there is, which lies behind the elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import structs

from armnn_py.descriptors import DepthwiseConvolution2dDescriptor, Pooling2dDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import counted
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.emit.arithmetic import is_narrow
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.common.windows import Window
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.windows.windows import window_of
from armnn_py.types import (
    ArgMinMaxFunction,
    BinaryOperation,
    DataLayout,
    DataType,
    LayerType,
    OutputShapeRounding,
    PaddingMethod,
    PoolingAlgorithm,
    ReduceOperation,
    UnaryOperation,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.frontends.common.emit.emitter import Emitter


def _window(view: NodeView) -> Window:
    kernel = view.ints("kernel_shape")
    if kernel is None:
        raise ParseError("attribute 'kernel_shape' is missing")
    if view.rank(0) < 3:
        raise ParseError(f"the input has {view.rank(0)} dimensions, expected at least 3")
    return window_of(view, kernel, view.shape(0)[2:], ceil=bool(view.integer("ceil_mode")))


@operator("MaxPool")
def _max_pool(view: NodeView) -> Value | Sequence[Value]:
    by_columns = view.flag("storage_order")
    window, is_ceil = _window(view), bool(view.integer("ceil_mode"))
    # The layer has 0 for a window that reads no element.
    if view.wants(1) or window.sees_padding_alone(window.output_size(ceil=is_ceil)):
        made = max_pool_with_indices(
            view.emit, view.value(0), window, ceil=is_ceil, by_columns=by_columns
        )
        return made if view.wants(1) else made[0]
    return _pool(view, PoolingAlgorithm.MAX, PaddingMethod.EXCLUDE)


def average_pool(view: NodeView) -> Value:
    """Convert an AveragePool."""
    counts = view.integer("count_include_pad")
    method = PaddingMethod.IGNORE_VALUE if counts else PaddingMethod.EXCLUDE
    return _pool(view, PoolingAlgorithm.AVERAGE, method)


operator("AveragePool")(average_pool)


def _pool(view: NodeView, algorithm: PoolingAlgorithm, method: PaddingMethod) -> Value:
    emit, window = view.emit, _window(view)
    is_ceil = bool(view.integer("ceil_mode"))
    batch, channels, *size = view.shape(0)
    result = (batch, channels, *window.output_size(ceil=is_ceil))
    # The extremes of small integers are exact as floats.
    x = emit.cast(view.value(0), np.float32, "float") if is_narrow(view.value(0)) else view.value(0)
    if len(size) == 1:
        x = emit.reshape(x, (batch, channels, 1, *size), "plane")
        y = _pool_plane(view, x, window.as_plane(), algorithm, method, is_ceil, "pool")
    elif len(size) == 2:
        y = _pool_plane(view, x, window, algorithm, method, is_ceil)
    elif len(size) == 3:
        y = _by_planes(
            view,
            x,
            window,
            lambda part, planes, name: _pool_plane(
                view, part, planes, algorithm, method, is_ceil, name
            ),
        )
    else:
        raise Unsupported(f"{len(size)} spatial dimensions (1 to 3 are supported)")
    return emit.cast(emit.reshape(y, result, "shape"), view.dtype(0), "narrow")


def _by_planes(
    view: NodeView, x: Value, window: Window, pool: Callable[[Value, Window, str], Value]
) -> Value:
    """Pool a volume: a box is separable, so planes come first, then depth."""
    emit = view.emit
    batch, channels, *size = shape_of(x)
    planes = emit.reshape(x, (batch, channels * size[0], *size[1:]), "planes")
    x = pool(planes, _part(window, (1, 2)), "plane_pool")
    rest = math.prod(shape_of(x)[2:])
    columns = emit.reshape(x, (batch * channels, 1, size[0], rest), "columns")
    depth = _part(window, (0,)).as_plane()
    turned = structs.replace(
        depth,
        size=(size[0], rest),
        **{k: getattr(depth, k)[::-1] for k in ("kernel", "stride", "dilation")},
        before=depth.before[::-1],
        after=depth.after[::-1],
    )
    return pool(columns, turned, "depth_pool")


def _part(window: Window, axes: Sequence[int]) -> Window:
    def pick(values: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(values[axis] for axis in axes)

    return Window(
        pick(window.size),
        pick(window.kernel),
        pick(window.stride),
        pick(window.dilation),
        pick(window.before),
        pick(window.after),
    )


def _pool_plane(
    view: NodeView,
    x: Value,
    window: Window,
    algorithm: PoolingAlgorithm,
    method: PaddingMethod,
    is_ceil: bool,
    name: str = "",
) -> Value:
    size = window.output_size(ceil=is_ceil)
    floor = window.output_size(ceil=False)
    rounding = OutputShapeRounding.FLOOR
    if size != floor:
        rounding = OutputShapeRounding.CEILING
        # The layer rounds both dimensions in one direction, and counts windows that start in the
        # padding. A dimension that must get no further window loses the padding behind its last.
        window = structs.replace(
            window,
            after=tuple(
                a if s != f else _exact_after(window, axis, f)
                for axis, (a, s, f) in enumerate(zip(window.after, size, floor, strict=True))
            ),
        )
    if min(window.after) < 0:
        window, x = _cropped(view, window, x)
    descriptor = Pooling2dDescriptor(
        pool_type=algorithm,
        **window.descriptor_fields(),
        pool_height=window.kernel[0],
        pool_width=window.kernel[1],
        output_shape_rounding=rounding,
        padding_method=method,
        data_layout=DataLayout.NCHW,
    )
    return view.emit.layer(LayerType.POOLING2D, [x], descriptor, name=name)


def _exact_after(window: Window, axis: int, count: int) -> int:
    """Return the padding behind with which ``count`` windows fit without a rest."""
    span = (count - 1) * window.stride[axis] + window.extent[axis]
    return span - window.size[axis] - window.before[axis]


def _cropped(view: NodeView, window: Window, x: Value) -> tuple[Window, Value]:
    """Replace negative padding by cutting elements off that no window reads."""
    shape = list(shape_of(x))
    for axis, after in enumerate(window.after):
        shape[2 + axis] += min(after, 0)
    cut = view.emit.slice(x, [0] * len(shape), shape, "crop")
    size = tuple(s + min(a, 0) for s, a in zip(window.size, window.after, strict=True))
    return structs.replace(window, size=size, after=tuple(max(a, 0) for a in window.after)), cut


@operator("LpPool", since=2)
def _lp_pool(view: NodeView) -> Value:
    # (sum |x|^p)^(1/p); the sum is a depthwise convolution with ones.
    emit, window, p = view.emit, _window(view), view.integer("p", 2)
    batch, channels, *size = view.shape(0)
    if len(size) > 3:
        raise Unsupported(f"{len(size)} spatial dimensions (1 to 3 are supported)")
    result = (batch, channels, *window.output_size(ceil=bool(view.integer("ceil_mode"))))
    after = tuple(_exact_after(window, axis, n) for axis, n in enumerate(result[2:]))
    window = structs.replace(window, after=after)
    x = _power(view, view.value(0), p)
    if len(size) == 3:
        total = _by_planes(view, x, window, lambda *part: _sum_planes(view, *part))
    else:
        if len(size) == 1:
            x, window = emit.reshape(x, (batch, channels, 1, *size), "plane"), window.as_plane()
        total = _sum_planes(view, x, window, "sum")
    return emit.reshape(_root(view, total, p), result, "shape")


def _sum_planes(view: NodeView, x: Value, window: Window, name: str) -> Value:
    if min(window.after) < 0:
        window, x = _cropped(view, window, x)
    ones = Known(np.ones((1, *window.kernel, shape_of(x)[1]), view.dtype(0)))
    descriptor = DepthwiseConvolution2dDescriptor(
        **window.descriptor_fields(), data_layout=DataLayout.NCHW
    )
    return view.emit.layer(LayerType.DEPTHWISE_CONVOLUTION2D, [x, ones], descriptor, name=name)


def _power(view: NodeView, x: Value, p: int) -> Value:
    emit = view.emit
    if p < 1:
        raise ParseError(f"attribute 'p' is {p}, expected at least 1")
    if p == 2:
        return emit.mul(x, x, "square")
    size = emit.unary(UnaryOperation.ABS, x, "abs")
    return size if p == 1 else emit.binary(BinaryOperation.POWER, size, emit.scalar(p, x), "power")


def _root(view: NodeView, x: Value, p: int) -> Value:
    emit = view.emit
    if p == 1:
        return x
    if p == 2:
        return emit.unary(UnaryOperation.SQRT, x)
    return emit.binary(BinaryOperation.POWER, x, emit.scalar(1 / p, x))


def _plane_axes(view: NodeView) -> tuple[int, ...]:
    if view.rank(0) < 3:
        raise ParseError(f"the input has {view.rank(0)} dimensions, expected at least 3")
    return tuple(range(2, view.rank(0)))


@operator("GlobalAveragePool", "GlobalMaxPool")
def _global_pool(view: NodeView) -> Value:
    axes = _plane_axes(view)
    is_max = view.node.op_type == "GlobalMaxPool"
    if view.rank(0) != 4:
        operation = ReduceOperation.MAX if is_max else ReduceOperation.MEAN
        return view.emit.reduce(operation, view.value(0), axes, True)
    height, width = view.shape(0)[2:]
    descriptor = Pooling2dDescriptor(
        pool_type=PoolingAlgorithm.MAX if is_max else PoolingAlgorithm.AVERAGE,
        pool_height=height,
        pool_width=width,
        data_layout=DataLayout.NCHW,
    )
    return view.emit.layer(LayerType.POOLING2D, [view.value(0)], descriptor)


@operator("GlobalLpPool", since=2)
def _global_lp_pool(view: NodeView) -> Value:
    axes, p = _plane_axes(view), view.integer("p", 2)
    powers = _power(view, view.value(0), p)
    total = view.emit.reduce(ReduceOperation.SUM, powers, axes, True, "" if p == 1 else "sum")
    return _root(view, total, p)


def max_pool_with_indices(
    emit: Emitter, x: Value, window: Window, *, ceil: bool, by_columns: bool
) -> list[Value]:
    """Return the largest elements of windows, and their places as int64.

    Parameters
    ----------
    x
        ``(N, C, ...)``.
    ceil
        Round the number of windows up.
    by_columns
        Count places of a channel with the first spatial dimension running fastest.
    """
    batch, channels, *size = shape_of(x)
    result = (batch, channels, *window.output_size(ceil=ceil))
    lines, inside = batch * channels, math.prod(size)
    places, outside = _places(window, result[2:])
    count, kernel = places.shape
    rows_of = positions_of(count)
    first_inside = np.argmin(outside, axis=1)
    firsts = np.where(outside.all(axis=1), inside, places[rows_of, first_inside])
    places = np.where(outside, firsts[:, np.newaxis], places)
    dtype = dtype_of(x)
    lowest = (np.finfo if dtype.kind == "f" else np.iinfo)(dtype).min  # as in onnxruntime
    padding = Known(np.full((counted(int(lines)), 1), lowest, dtype))
    flat = emit.concat([emit.reshape(x, (lines, inside), "channels"), padding], 1, "padded")
    read = Known(places.astype(np.int32).reshape(-1))
    windows = emit.reshape(
        emit.gather(flat, read, 1, "windows_flat"), (lines, count, kernel), "windows"
    )
    largest = emit.reduce(ReduceOperation.MAX, windows, [2], False, "largest")
    first = emit.arg(ArgMinMaxFunction.MAX, windows, 2, DataType.SIGNED64, "first")
    rows = Known((positions_of(count) * kernel).reshape(1, -1))
    places = np.minimum(places, inside - 1)
    table = _by_columns(places, size) if by_columns else places
    found = emit.gather(
        Known(table.reshape(-1)), emit.add(first, rows, "entry"), 0, "place_in_channel"
    )
    starts = Known((positions_of(int(lines)) * int(inside)).reshape(-1, 1))
    indices = emit.add(found, starts, "place")
    return [emit.reshape(largest, result), emit.reshape(indices, result, "indices")]


def _places(window: Window, result: Sequence[int]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Places in a channel ``(windows, kernel)`` by rows, and which of them are padding."""
    rank = len(result)
    axes = []
    for d in range(rank):
        starts = positions_of(result[d]) * window.stride[d] - window.before[d]
        steps = positions_of(window.kernel[d]) * window.dilation[d]
        axes.append(starts[:, np.newaxis] + steps)
    shape = [*result, *window.kernel]
    counted(math.prod(shape))
    places, outside = np.zeros(shape, np.int64), np.zeros(shape, bool)
    for d, along in enumerate(axes):
        form = [1] * (2 * rank)
        form[d], form[rank + d] = along.shape
        wide = along.reshape(form)
        outside = outside | (wide < 0) | (wide >= window.size[d])
        places = places * window.size[d] + wide
    count = math.prod(result)
    return places.reshape(count, -1), outside.reshape(count, -1)


def _by_columns(places: NDArray[Any], size: Sequence[int]) -> NDArray[Any]:
    """The same places where the first dimension runs fastest."""
    coordinates = np.unravel_index(places, tuple(size))
    return np.asarray(np.ravel_multi_index(coordinates, tuple(size), order="F"))
