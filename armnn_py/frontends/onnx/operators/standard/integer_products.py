# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DynamicQuantizeLinear, MatMulInteger and ConvInteger: exact sums of products of 8-bit levels.

ConvInteger over images with known weights is a MatMulInteger of what the window sees. In groups,
over lines and volumes, with large windows, and with weights that are computed, it is computed in
float32: products of levels less their zero points are whole numbers below 2**16, and float32 has
whole numbers up to 2**24 exactly, in whatever order they are added. Longer sums are added in parts,
each of which stays within; the parts are added as int32. Weights tell how many parts are needed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.descriptors import DynamicQuantizeDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.common.windows import MOST_TAPS, patches
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.standard.quantization import centred
from armnn_py.frontends.onnx.operators.windows.convolution import convolve
from armnn_py.frontends.onnx.operators.windows.windows import window_of
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_EXACT = 2**24
_MOST_LEVEL = 255
_MOST_PARTS = 64


@operator("DynamicQuantizeLinear", since=11)
def _dynamic_quantize_linear(view: NodeView) -> Sequence[Value]:
    return dynamic_levels(view, view.value(0))


def dynamic_levels(view: NodeView, x: Value, name: str = "") -> Sequence[Value]:
    """Return levels of real numbers, their scale and their zero point."""
    descriptor = DynamicQuantizeDescriptor()
    return view.emit.layers(LayerType.DYNAMIC_QUANTIZE, [x], descriptor, name=name).outputs


@operator("MatMulInteger", since=10)
def _mat_mul_integer(view: NodeView) -> Value:
    return multiply_levels(view, [view.value(index) for index in (0, 1)], (2, 3))


def multiply_levels(
    view: NodeView, operands: Sequence[Value], points: Sequence[int], name: str = ""
) -> Value:
    """Return the int32 product of matrices less their zero points, which are ``points``."""
    emit = view.emit
    shapes = [shape_of(value) for value in operands]
    if not all(shapes):
        raise ParseError("an operand is a scalar, expected a vector or matrices")
    # A vector is a matrix of one row, or of one column.
    wide = [shape if len(shape) > 1 else (1, *shape) for shape in shapes[:1]]
    wide += [shape if len(shape) > 1 else (*shape, 1) for shape in shapes[1:]]
    matrices: list[Value | None] = [
        emit.reshape(value, shape, f"matrix_{index}")
        for index, (value, shape) in enumerate(zip(operands, wide, strict=True))
    ]
    for index, point in enumerate(points):
        column = index == 0
        matrices.append(_zero_point(view, point, wide[index], column))
    is_vector = 1 in map(len, shapes)
    made = name or ("product" if is_vector else "")
    y: Value = emit.layer(LayerType.MAT_MUL_INTEGER, matrices, name=made)
    if not is_vector:
        return y
    (x_shape, y_shape), whole = shapes, shape_of(y)
    kept = whole[:-2] + whole[-2:-1] * (len(x_shape) > 1) + whole[-1:] * (len(y_shape) > 1)
    return emit.reshape(y, kept)


def _zero_point(
    view: NodeView, index: int, shape: tuple[int, ...], is_column: bool
) -> Value | None:
    """Return a zero point as the layer has it: of one row of matrices it lies in a column."""
    if not view.has(index):
        return None
    value = view.value(index)
    own = shape_of(value)
    if is_column and len(own) == 1 and own != (1,):
        if own != shape[-2:-1]:
            raise ParseError(f"zero points of shape {own} do not fit matrices of shape {shape}")
        return view.emit.reshape(value, (*own, 1), f"zero_point_{index}")
    return value


@operator("ConvInteger", since=10)
def _conv_integer(view: NodeView) -> Value:
    """Convolve with some elements of each filter at a time, the others being zeros, unless it is a
    product of matrices.
    """
    emit = view.emit
    if _is_product(view):
        return _product_of_patches(view)
    x, y = centred(view, 0, 2, None), centred(view, 1, 3, 0)
    shape = shape_of(y)
    depth = int(np.prod(shape[1:]))
    weights = _weights(view)
    if weights is None:
        ends = _ends_of_any(depth)
    else:
        ends = _ends(np.abs(weights).reshape(shape[0], depth).T)
    if len(ends) <= 1:
        return emit.cast(convolve(view.over([x, y])), np.int32)
    sums = []
    for index, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        mask = np.zeros(depth, np.float32)
        mask[begin:end] = 1
        with emit.below(f"part{index}"):
            some = emit.mul(y, Known(mask.reshape(1, *shape[1:])), "weights")
            sums.append(convolve(view.over([x, some])))
    return _total(view, sums)


def _is_product(view: NodeView) -> bool:
    """Whether the window's products are those of one matrix, which is known."""
    if view.rank(0) != 4 or view.rank(1) != 4 or view.integer("group", 1) != 1:
        return False
    if view.known(1) is None or (view.has(3) and view.known(3) is None):
        return False
    one = not view.has(2) or math.prod(view.shape(2)) == 1
    return one and math.prod(view.shape(1)[2:]) <= MOST_TAPS


def _product_of_patches(view: NodeView) -> Value:
    emit = view.emit
    batch, channels, *size = view.shape(0)
    outputs, inputs, *kernel = view.shape(1)
    if channels != inputs:
        raise ParseError(f"weights of shape {view.shape(1)} do not fit {channels} channels")
    window = window_of(view, kernel, size)
    taps = math.prod(kernel) * inputs
    weights = view.derived(
        1, "columns", lambda array: array.transpose(2, 3, 1, 0).reshape(taps, outputs)
    )
    point: Value = Known(np.zeros((), dtype_of(view.value(0))))
    points: list[Value | None] = [None, view.value(3) if view.has(3) else None]
    if view.has(2):
        points[0] = point = emit.reshape(view.value(2), (), "zero_point")
    pixels = emit.transpose(view.value(0), (0, 2, 3, 1), "pixels")
    rows = patches(emit, pixels, window, point)
    sums = emit.layer(LayerType.MAT_MUL_INTEGER, [rows, weights, *points], name="sums")
    shape = (batch, *window.output_size(ceil=False), outputs)
    return emit.transpose(emit.reshape(sums, shape, "image"), (0, 3, 1, 2))


def _weights(view: NodeView) -> NDArray[Any] | None:
    """Return the second operand without its zero point, int64; None if it is not known."""
    weights = view.known(1)
    if weights is None:
        return None
    if not view.has(3):
        return weights.astype(np.int64)
    point = view.known(3)
    if point is None or point.size != 1:
        return None
    return weights.astype(np.int64) - point.astype(np.int64).reshape(())


def _ends(sums: NDArray[Any]) -> list[int]:
    """Return where parts end: ``sums`` has the magnitudes of [elements, outputs]."""
    total = np.cumsum(sums, 0, dtype=np.int64) * _MOST_LEVEL
    ends: list[int] = []
    before: Any = 0
    while not ends or ends[-1] < len(sums):
        fits = (total - before).max(1, initial=0) <= _EXACT
        begin = ends[-1] if ends else 0
        # Magnitudes never fall: what is behind the first that does not fit does not fit, either.
        end = begin + max(1, int(np.count_nonzero(fits[begin:])))
        ends.append(min(end, len(sums)))
        if ends[-1] < len(sums):
            before = total[ends[-1] - 1]
        elif not len(sums):
            break
    return _checked(ends)


def _ends_of_any(depth: int) -> list[int]:
    """Return where parts end if the levels may be any."""
    step = _EXACT // (_MOST_LEVEL * _MOST_LEVEL)
    return _checked([*range(step, depth, step), depth])


def _checked(ends: list[int]) -> list[int]:
    if len(ends) > _MOST_PARTS:
        raise Unsupported(f"sums of {ends[-1]} products (in {len(ends)} parts)")
    return ends


def _total(view: NodeView, parts: Sequence[Value]) -> Value:
    emit = view.emit
    total = emit.cast(parts[0], np.int32, "whole_part0")
    for index, part in enumerate(parts[1:], 1):
        last = index == len(parts) - 1
        whole = emit.cast(part, np.int32, f"whole_part{index}")
        total = emit.add(total, whole, "" if last else f"sum{index}")
    return total
