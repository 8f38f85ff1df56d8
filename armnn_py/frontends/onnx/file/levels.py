# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors that carry a scale, and their levels as the plain integers of ONNX.

ONNX tensors have no scale: QuantizeLinear and DequantizeLinear name it. Here the tensor between
them carries it. To every other operator such a tensor is one of integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.frontends.common.values import Known, Value, quantization_of, shape_of
from armnn_py.network import OutputSlot
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import ActivationFunction, DataType, LayerType, UnaryOperation

if TYPE_CHECKING:
    from armnn_py.frontends.common.emit.emitter import Emitter
    from armnn_py.frontends.onnx.convert.node import NodeView

_TYPES = {
    "uint8": DataType.QASYMM_U8,
    "int8": DataType.QASYMM_S8,
    "int16": DataType.QSYMM_S16,
}


def stated_info(
    view: NodeView, levels: np.dtype[Any], given: int | None = None
) -> TensorInfo | None:
    """Return type and scales of the quantised tensor of a QuantizeLinear or DequantizeLinear.

    ``given`` is the axis of several scales, else the attribute says it.

    None if a tensor cannot carry them: scales that are computed at run time, of blocks, not above
    0 or not float32, zero points of 16-bit numbers, other types than int8, uint8 and int16.
    """
    scale, point = view.known(1), view.known(2) if view.has(2) else np.zeros((), levels)
    data_type = _TYPES.get(levels.name)
    if scale is None or point is None or data_type is None or scale.dtype != np.float32:
        return None
    shape = view.shape(0)
    scales, points = scale.reshape(-1), np.broadcast_to(point, scale.shape).reshape(-1)
    if view.integer("block_size") or not np.all(np.isfinite(scales) & (scales > 0)):
        return None
    if data_type is DataType.QSYMM_S16 and points.any():
        return None
    axis = None
    if scales.size != 1:
        axis = view.axis("axis", 1, len(shape)) if given is None else given
        if scale.ndim != 1 or shape[axis] != scales.size:
            return None
        if data_type is DataType.QASYMM_S8 and not points.any():
            data_type = DataType.QSYMM_S8  # weights
    quantization = QuantizationInfo(tuple(scales.tolist()), tuple(points.tolist()), axis)
    return TensorInfo(shape, data_type, quantization)


def plain_levels(emit: Emitter, value: Value) -> Value:
    """Return the levels of a tensor with a scale as integers; another value as it is."""
    if not isinstance(value, OutputSlot):
        return value
    quantization = quantization_of(value)
    if quantization is None:
        return value
    scale, point = quantization.scale, quantization.zero_point
    dtype = value.info.dtype
    real = emit.layer(LayerType.DEQUANTIZE, [value], name="real")
    # (q - point) * scale is rounded, and rounded again when divided: off by far less than a half.
    steps = emit.div(real, Known(np.array(scale, np.float32)), "steps")
    whole = emit.unary(UnaryOperation.ROUND, steps, "whole")
    shifted = emit.add(whole, Known(np.array(point, np.float32)), "shifted")
    ends = np.iinfo(dtype)
    limited = emit.activation(
        ActivationFunction.BOUNDED_RELU, shifted, ends.max, ends.min, "saturated"
    )
    assert shape_of(limited) == shape_of(value)
    return emit.cast(limited, dtype, "levels")
