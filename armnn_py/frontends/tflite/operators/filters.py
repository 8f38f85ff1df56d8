# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Filters over time: units that weigh what filters made of the last inputs, which a variable keeps.

In integers they are LiteRT's to the last bit: products and sums of 32 bits, which wrap around, are
brought to the state's 16 bits and to the output's 8 by factors of float32.
"""

from __future__ import annotations

import math

import numpy as np

from armnn_py.descriptors import (
    DepthwiseConvolution2dDescriptor,
    FullyConnectedDescriptor,
)
from armnn_py.errors import ParseError
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.tflite.hybrid import hybrid_levels, hybrid_sums, is_hybrid
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.network import VariableLayer
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import DataLayout, DataType, LayerType, ReduceOperation

#: Operands of the operator.
_OF_INPUT, _OF_TIME, _BIAS, _STATE = 1, 2, 3, 4


@operator("SVDF")
def _filters(view: OperatorView) -> Value:
    batch, size = view.need_rank(2)
    (filters, steps), rank = view.need_rank(2, _OF_TIME), int(view.option("rank"))
    of_input = view.need_rank(2, _OF_INPUT)
    if of_input != (filters, size) or rank < 1 or not steps or filters % rank:
        raise ParseError(
            f"weights {of_input} and {(filters, steps)} of rank {rank} do not fit {size} inputs"
        )
    units = filters // rank
    if view.has(_BIAS) and view.shape(_BIAS) != (units,):
        raise ParseError(f"a bias of shape {view.shape(_BIAS)} does not fit {units} units")
    variable = view.variable(_STATE)
    if variable is None:
        raise Unsupported("a state that is not a variable")
    if variable.output.info.shape != (batch, filters * steps):
        raise ParseError(
            f"the state is {variable.output.info!r}, expected {batch}x{filters * steps}"
        )
    if dtype_of(view.value(0)) == np.int8:
        return _in_integers(view, variable, units)
    if dtype_of(view.value(0)) != np.float32:
        raise Unsupported(f"{dtype_of(view.value(0))} values")
    memory, of_time = _memory(view, variable, _filtered(view)), _weights(view, _OF_TIME)
    if not view.has(_BIAS):
        return view.activated(_sums(view, memory, of_time, units, view.part("sums")))
    sums = _sums(view, memory, of_time, units, "sums_of_parts")
    return view.activated(view.emit.add(sums, view.real(_BIAS, "bias"), view.part("sums")))


def _memory(view: OperatorView, variable: VariableLayer, newest: Value) -> Value:
    """Return what the filters made in the last steps, [N, F, T]; the variable keeps it."""
    emit, (batch, filters) = view.emit, shape_of(newest)
    steps = view.shape(_OF_TIME)[1]
    memory = emit.reshape(newest, (batch, filters, 1), "newest")
    if steps > 1:
        seen = emit.reshape(variable.output, (batch, filters, steps), "seen")
        later = emit.slice(seen, (0, 0, 1), (batch, filters, steps - 1), "later")
        memory = emit.concat([later, memory], 2, "memory")
    kept = emit.reshape(memory, (batch, filters * steps), "kept")
    emit.network.assign(variable, emit.slot(kept))
    return memory


def _sums(view: OperatorView, memory: Value, of_time: Value, units: int, name: str) -> Value:
    """Return the sums over the steps of the filters of each unit, [N, U]."""
    batch, filters, steps = shape_of(memory)
    parts = view.emit.mul(memory, of_time, "parts")
    of_unit = (batch, units, filters // units * steps)
    parts = view.emit.reshape(parts, of_unit, "parts_of_units")
    return view.emit.reduce(ReduceOperation.SUM, parts, (2,), False, name)


# ---- In floats ----------------------------------------------------------------------------------


def _weights(view: OperatorView, index: int) -> Value:
    """Return weights; those of 8 bits become real."""
    is_quantized = view.is_quantized(index)
    return view.real(index, f"weights{index}") if is_quantized else view.value(index)


def _filtered(view: OperatorView) -> Value:
    """Return what the filters make of the newest input; LiteRT rounds it for weights of 8 bits."""
    x, weights = view.value(0), view.value(_OF_INPUT)
    if is_hybrid(weights, x) and _has_one_scale(weights):
        symmetric = not view.option("asymmetric_quantize_inputs", False)
        levels, scale, point = hybrid_levels(view, x, symmetric=symmetric)
        matrix = Known(np.ascontiguousarray(weights.array.T))
        return hybrid_sums(view, levels, point, scale, weights, matrix, None, "filters")
    weigh = FullyConnectedDescriptor(transpose_weight_matrix=True)
    operands = [x, _weights(view, _OF_INPUT)]
    return view.emit.layer(LayerType.FULLY_CONNECTED, operands, weigh, name="filters")


def _has_one_scale(value: Value) -> bool:
    quantization = quantization_of(value)
    return quantization is not None and len(quantization.scales) == 1


# ---- In integers --------------------------------------------------------------------------------


def _in_integers(view: OperatorView, variable: VariableLayer, units: int) -> Value:
    """Convert the kernel of 8 bits, whose state has 16.

    RELU is no more than saturation to it: the output's zero point is the least level.
    """
    if view.fused != "RELU":
        raise Unsupported(f"8 bits with activation {view.fused or 'NONE'}, LiteRT knows RELU alone")
    emit, x, of_input, of_time = view.emit, *(view.value(index) for index in range(3))
    state, output = variable.output.info, view.info((shape_of(x)[0], units))
    x_scale = _scale("the input", x.info, DataType.QASYMM_S8)
    input_scale = _scale("weights of the input", of_input.info, DataType.QASYMM_S8)
    time_scale = _scale("weights of time", of_time.info, DataType.QSYMM_S16)
    state_scale = _scale("the state", state, DataType.QSYMM_S16)
    output_scale = _scale("the output", output, DataType.QASYMM_S8)
    bias = view.optional(_BIAS)
    if bias is not None and dtype_of(bias) != np.int32:
        raise Unsupported(f"8 bits with a bias of {dtype_of(bias)}")
    with np.errstate(over="ignore", under="ignore"):
        into_state = x_scale * input_scale / state_scale
        into_output = state_scale * time_scale / output_scale
    operands = [x, emit.transpose(of_input, (1, 0), "matrix"), _zero_point(x.info)]
    products = emit.layer(LayerType.MAT_MUL_INTEGER, operands, name="products")
    levels = TensorInfo(shape_of(products), state.data_type, state.quantization)
    newest = _rescaled(emit, products, into_state, levels, "filters")
    memory = emit.cast(_memory(view, variable, newest), np.int32, "numbers")
    sums = _sums(view, memory, emit.cast(of_time, np.int32, "times"), units, "sums_of_parts")
    if bias is not None:
        sums = emit.add(sums, bias, "sums")
    return _rescaled(emit, sums, into_output, output, "")


def _scale(what: str, info: TensorInfo, data_type: DataType) -> np.float32:
    """Return the one scale of a tensor that must have this type."""
    quantization = info.quantization
    if info.data_type is not data_type or quantization is None or len(quantization.scales) != 1:
        raise Unsupported(
            f"8 bits with {what} {info!r}, one scale of {data_type.described} expected"
        )
    return np.float32(quantization.scale)


def _zero_point(info: TensorInfo) -> Known:
    assert info.quantization is not None
    return Known(np.array(info.quantization.zero_points, info.dtype))


def _rescaled(
    emit: Emitter, numbers: Value, factor: np.float32, info: TensorInfo, name: str
) -> Value:
    """Return whole numbers of 32 bits times a factor as levels of ``info``, saturated.

    The layer that does so is a window of one zero, whose bias they are: a bias counts in the scale
    of the input, here the factor, times that of the weights, here the output's.
    """
    assert info.quantization is not None
    count = math.prod(info.static_shape)
    row = (1, 1, 1, count)

    def zeros(data_type: DataType, scale: float) -> Known:
        made = TensorInfo(row, data_type, QuantizationInfo((scale,)))
        return Known(np.zeros(row, made.dtype), made)

    with emit.below(name or "output"):
        operands = [
            zeros(info.data_type, float(factor)),
            zeros(DataType.QASYMM_S8, info.quantization.scale),
            emit.reshape(numbers, (count,), "numbers"),
        ]
        made = emit.layer(
            LayerType.DEPTHWISE_CONVOLUTION2D,
            operands,
            DepthwiseConvolution2dDescriptor(bias_enabled=True, data_layout=DataLayout.NHWC),
            name="levels",
            output=TensorInfo(row, info.data_type, info.quantization),
        )
    return emit.reshape(made, info.static_shape, name)
