# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""QuantizeLinear and DequantizeLinear; quantised operators as float arithmetic.

One scale, known at import, makes a Quantize or Dequantize layer, and tensors that carry the scale;
an optimiser pass makes quantised layers of what lies between. Else numbers are computed: what
depends on weights alone at import.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.known import KnownBlocks, KnownReals
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    array_of,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.file.element_types import dtype_of_number, element_type_name, is_small
from armnn_py.frontends.onnx.file.levels import plain_levels, stated_info
from armnn_py.frontends.onnx.file.small_types import convert
from armnn_py.frontends.onnx.operators.standard.matrix import multiply
from armnn_py.frontends.onnx.operators.windows.convolution import convolve
from armnn_py.network import OutputSlot
from armnn_py.types import ActivationFunction, LayerType, UnaryOperation

_INTEGERS = ("int8", "uint8", "int16", "uint16", "int4", "uint4", "int2", "uint2")
_REALS = ("float16", "bfloat16")


@operator("DequantizeLinear", since=10)
def _dequantize_linear(view: NodeView) -> Value:
    return dequantize(view)


def dequantize(view: NodeView, *, axis: int | None = None) -> Value:
    """Convert a DequantizeLinear; ``axis`` is of several scales, else the attribute says it."""
    emit, x, scale = view.emit, view.value(0), view.value(1)
    if dtype_of(scale) != np.float32:
        if dtype_of(scale).name not in _REALS:
            raise Unsupported(f"a scale of {dtype_of(scale)}")
        wide = emit.cast(scale, np.float32, "scale_float")
        product = dequantize(view.over([x, wide, *view.values()[2:]]), axis=axis)
        return emit.cast(product, dtype_of(scale))
    blocks = _of_blocks(view, axis)
    if blocks is not None:
        return blocks
    given = quantization_of(x)
    info = stated_info(view, dtype_of(x), axis)
    if given is not None:
        if info is not None and info.quantization == given:
            return emit.layer(LayerType.DEQUANTIZE, [x])
        x = plain_levels(emit, x)
        view = view.over([x, *view.values()[1:]])
    factor, point = _spread(view, scale, "scale", axis), None
    if view.has(2):
        whole = emit.cast(view.value(2), np.float32, "zero_point_float")
        point = _spread(view, whole, "zero_point", axis)
    operands = [x, factor] if point is None else [x, factor, point]
    if info is not None and emit.foldable(operands, shape_of(x), np.dtype(np.float32)):
        return KnownReals(
            Known(array_of(x), info), array_of(factor), None if point is None else array_of(point)
        )
    real = emit.cast(x, np.float32, "float")
    if point is not None:
        real = emit.sub(real, point, "centred")
    return emit.mul(real, factor)


def _of_blocks(view: NodeView, given: int | None) -> KnownBlocks | None:
    """Return known weights of 8 or 4 bits with a scale for each block, or of 4 bits in columns."""
    x, scale = view.value(0), view.value(1)
    point = view.value(2) if view.has(2) else None
    if not isinstance(x, Known) or not isinstance(scale, Known) or x.stated is not None:
        return None
    if x.dtype.name not in ("int4", "uint4", "int8", "uint8") or len(x.shape) != 2:
        return None
    if point is not None and (not isinstance(point, Known) or point.dtype != x.dtype):
        return None
    axis = view.axis("axis", 1, 2) if given is None else given
    block = view.integer("block_size") if given is None else 0
    if not block:
        if x.dtype.name not in ("int4", "uint4"):
            return None
        if scale.shape != (x.shape[axis],):  # one scale for all, or a wrong shape
            return None
        axis, block = 1 - axis, x.shape[1 - axis]
        count = scale.array.size
        grid = (1, count) if axis == 0 else (count, 1)
        scale = Known(scale.array.reshape(grid))
        point = None if point is None else Known(point.array.reshape(grid))
    expected = list(x.shape)
    expected[axis] = -(-x.shape[axis] // block)
    shapes = [scale.shape] if point is None else [scale.shape, point.shape]
    if any(shape != tuple(expected) for shape in shapes):
        return None
    return KnownBlocks(x, scale, point, axis, block)


def _spread(view: NodeView, parameter: Value, name: str, given: int | None = None) -> Value:
    """Shape a scale or zero point to broadcast: per tensor, per axis, or per block of an axis."""
    emit, shape, own = view.emit, view.shape(0), shape_of(parameter)
    if not own or own == (1,):
        return emit.reshape(parameter, (), name)
    axis = view.axis("axis", 1, len(shape)) if given is None else given
    block = view.integer("block_size") if given is None else 0
    if not block:
        if own != (shape[axis],):
            raise ParseError(f"{name} of shape {own} do not fit dimension {axis} of shape {shape}")
        wide = [dim if d == axis else 1 for d, dim in enumerate(shape)]
        return emit.reshape(parameter, wide, name)
    blocks = -(-shape[axis] // block)
    if own != (*shape[:axis], blocks, *shape[axis + 1 :]):
        raise ParseError(
            f"{name} of shape {own} in blocks of {block} do not fit a tensor of shape {shape}"
        )
    positions = Known((positions_of(shape[axis]) // block).astype(np.int32))
    return emit.gather(parameter, positions, axis, name)


@operator("QuantizeLinear", since=10)
def _quantize_linear(view: NodeView) -> Value:
    return quantize(view)


def quantize(view: NodeView, *, default: np.dtype[Any] | None = None) -> Value:
    """Convert a QuantizeLinear; without zero point the type is ``default``, or an attribute's."""
    emit = view.emit
    if view.has(2):
        target = dtype_of(view.value(2))
    elif default is not None:
        target = default
    else:
        number = view.integer("output_dtype") or 2  # uint8
        stated = dtype_of_number(number)
        if stated is None:
            raise Unsupported(f"quantisation to {element_type_name(number)}")
        target = stated
    info = stated_info(view, target)
    if info is not None and info.quantization is not None and info.quantization.axis is None:
        x = view.value(0)
        if isinstance(x, OutputSlot) and dtype_of(x) == np.float32:
            return emit.layer(LayerType.QUANTIZE, [x], output=info)
    real = emit.cast(view.value(0), np.float32, "float")
    scale = _spread(view, emit.cast(view.value(1), np.float32, "scale_float"), "scale")
    point = _spread(view, view.value(2), "zero_point") if view.has(2) else None
    return _levels(view, emit.div(real, scale, "steps"), point, target)


@operator("QLinearMatMul", since=10)
def _q_linear_mat_mul(view: NodeView) -> Value:
    if _are_single(view, (1, 2, 6, 7)) and _are_single(view, (4, 5)):
        with view.emit.below("float"):
            product = multiply(
                view.over([real_operand(view, 0, 1, 2), real_operand(view, 3, 4, 5)])
            )
        return quantize(view.over([product, view.value(6), view.value(7)]))
    product = multiply(view.over([centred(view, 0, 2, -2), centred(view, 3, 5, -1)]))
    factor = _factor(view, _aligned(view, 1, 0, -2), _aligned(view, 4, 3, -1), 6)
    point = view.emit.reshape(view.value(7), (), "zero_point")
    return _levels(view, view.emit.mul(product, factor, "steps"), point, dtype_of(view.value(7)))


def _are_single(view: NodeView, indices: Sequence[int]) -> bool:
    """Whether scales and zero points are known, and one for their whole tensor."""
    arrays = [view.known(index) for index in indices]
    return all(array is not None and array.size == 1 for array in arrays)


def real_operand(
    view: NodeView, index: int, scale: int, point: int, axis: int | None = None
) -> Value:
    """Dequantise an operand, whose zero point may be absent; ``axis`` is that of several scales."""
    with view.emit.below(f"input_{index}"):
        zero_point = view.value(point) if view.has(point) else None
        operands = [view.value(index), view.value(scale), zero_point]
        return dequantize(view.over(operands), axis=axis)


@operator("QLinearConv", since=10)
def _q_linear_conv(view: NodeView) -> Value:
    emit = view.emit
    if _are_single(view, (1, 2, 6, 7)) and view.known(4) is not None and view.known(5) is not None:
        return _quantized_convolution(view)
    operands: list[Value] = [centred(view, 0, 2, None), centred(view, 3, 5, 0)]
    if view.has(8):
        operands.append(emit.cast(view.value(8), np.float32, "bias_float"))
    sums = convolve(view.over(operands))
    factor = _factor(view, _aligned(view, 1, 0, None), _channels(view, 4), 6)
    point = emit.reshape(view.value(7), (), "zero_point")
    return _levels(view, emit.mul(sums, factor, "steps"), point, dtype_of(view.value(7)))


def _quantized_convolution(view: NodeView) -> Value:
    """A Conv between DequantizeLinear and QuantizeLinear."""
    emit = view.emit
    with emit.below("float"):
        operands = [real_operand(view, 0, 1, 2), real_operand(view, 3, 4, 5, 0)]
        if view.has(8):
            step = emit.mul(view.value(1), view.value(4), "bias_step")
            whole = emit.cast(view.value(8), np.float32, "bias_float")
            operands.append(emit.mul(whole, step, "bias"))
        sums = convolve(view.over(operands))
    return quantize(view.over([sums, view.value(6), view.value(7)]))


def _limits(dtype: np.dtype[Any]) -> Any:
    """Return the ``min`` and ``max`` of integers."""
    if not is_small(dtype):
        return np.iinfo(dtype)
    import ml_dtypes

    return ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]


def _levels(view: NodeView, steps: Value, point: Value | None, target: np.dtype[Any]) -> Value:
    """Round numbers of steps, half to even, add the zero point, and saturate."""
    emit = view.emit
    if target.name not in _INTEGERS:
        if not is_small(target) or target.name == "bfloat16":
            raise Unsupported(f"quantisation to {target}")
        # A zero point of floating-point numbers is 0.
        return convert(emit, steps, target, bool(view.integer("saturate", 1)))
    ends = _limits(target)
    whole = emit.unary(UnaryOperation.ROUND, steps, "whole")
    if point is not None:
        whole = emit.add(whole, emit.cast(point, np.float32, "zero_point_float"), "shifted")
    limit = ActivationFunction.BOUNDED_RELU
    limited = emit.activation(limit, whole, float(ends.max), float(ends.min), "saturated")
    return convert(emit, limited, target)


def centred(view: NodeView, index: int, zero_point: int, axis: int | None) -> Value:
    """Return levels as float32, without their zero point."""
    emit = view.emit
    real = emit.cast(view.value(index), np.float32, f"float_{index}")
    if not view.has(zero_point):
        return real
    point = emit.cast(_aligned(view, zero_point, index, axis), np.float32, f"zero_point_{index}")
    return emit.sub(real, point, f"centred_{index}")


def _aligned(view: NodeView, parameter: int, index: int, axis: int | None) -> Value:
    """Shape a scale or zero point of an operand to broadcast: one, or one for each of an axis."""
    value, rank = view.value(parameter), view.rank(index)
    shape = shape_of(value)
    if not shape or shape == (1,):
        return view.emit.reshape(value, (), f"parameter_{parameter}")
    if len(shape) == 1 and axis is not None:
        wide = [1] * rank
        wide[axis] = shape[0]
        return view.emit.reshape(value, wide, f"parameter_{parameter}")
    if len(shape) == rank:
        return value
    raise Unsupported(f"scales or zero points of shape {shape}")


def _channels(view: NodeView, parameter: int) -> Value:
    """Shape the scale of weights to multiply the sums of a convolution."""
    shape = view.shape(parameter)
    size = shape[0] if shape else 1
    wide = (1, size, *[1] * (view.rank(0) - 2))
    return view.emit.reshape(view.value(parameter), wide, "weights_scale")


def _factor(view: NodeView, first: Value, second: Value, output: int) -> Value:
    """Return the product of the scales of the operands over that of the output."""
    emit = view.emit
    one, other = (emit.cast(value, np.float32) for value in (first, second))
    scale = emit.cast(emit.reshape(view.value(output), (), "output_scale"), np.float32)
    return emit.div(emit.mul(one, other, "scales"), scale, "factor")
