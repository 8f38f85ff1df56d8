# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DequantizeLinear as float arithmetic; for weights it is computed at import."""

from __future__ import annotations

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.frontends.onnx.table import operator


@operator("DequantizeLinear", since=10)
def _dequantize_linear(view: NodeView) -> Value:
    emit, x, scale = view.emit, view.value(0), view.value(1)
    if dtype_of(scale) != np.float32:
        raise Unsupported(f"a scale of {dtype_of(scale)}")
    real = emit.cast(x, np.float32, "float")
    if view.has(2):
        point = emit.cast(view.value(2), np.float32, "zero_point_float")
        real = emit.sub(real, _spread(view, point, "zero_point"), "centred")
    return emit.mul(real, _spread(view, scale, "scale"))


def _spread(view: NodeView, parameter: Value, name: str) -> Value:
    """Shape a scale or zero point to broadcast: per tensor, per axis, or per block of an axis."""
    emit, shape, own = view.emit, view.shape(0), shape_of(parameter)
    if not own or own == (1,):
        return emit.reshape(parameter, (), name)
    axis, block = view.axis("axis", 1, len(shape)), view.integer("block_size")
    if not block:
        if own != (shape[axis],):
            raise ParseError(f"{name} of shape {own} for dimension {axis} of shape {shape}")
        wide = [dim if d == axis else 1 for d, dim in enumerate(shape)]
        return emit.reshape(parameter, wide, name)
    blocks = -(-shape[axis] // block)
    if own != (*shape[:axis], blocks, *shape[axis + 1 :]):
        raise ParseError(f"{name} of shape {own} in blocks of {block} for shape {shape}")
    positions = Known((np.arange(shape[axis]) // block).astype(np.int32))
    return emit.gather(parameter, positions, axis, name)
