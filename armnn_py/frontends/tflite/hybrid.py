# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Hybrid operators: weights of 8 bits meet real numbers, which are quantised in each run.

Sums of products are whole numbers: of MatMulInteger, or of a layer of float32 that is given whole
numbers and whose sums are small enough for it to have them exactly.
"""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from armnn_py.descriptors import DynamicQuantizeDescriptor
from armnn_py.frontends.common.values import Known, Value, dtype_of, quantization_of
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.types import LayerType, RowRounding

#: Products of a level less its zero point and a weight that float32 sums without rounding.
MOST_EXACT_PRODUCTS = 2**24 // (255 * 128)


def is_hybrid(weights: Value, x: Value, axis: int = 0) -> TypeGuard[Known]:
    """Whether weights of 8 bits, with scales of outputs, meet real numbers.

    ``axis`` is the dimension of the weights that counts outputs.
    """
    quantization = quantization_of(weights)
    return (
        dtype_of(x) == np.float32
        and isinstance(weights, Known)
        and weights.dtype == np.int8
        and quantization is not None
        and quantization.axis in (None, axis)
        and not any(quantization.zero_points)
    )


def row_rounding(view: OperatorView, weights: Value) -> RowRounding:
    """Return what a recurrent layer with such weights does to the rows that it multiplies."""
    if not is_hybrid(weights, view.value(0)):
        return RowRounding.NONE
    asymmetric = view.option("asymmetric_quantize_inputs", False)
    return RowRounding.ASYMMETRIC if asymmetric else RowRounding.SYMMETRIC


def hybrid_levels(
    view: OperatorView, rows: Value, *, symmetric: bool
) -> tuple[Value, Value, Value | None]:
    """Return levels of each row, their scales, and their zero points, if they have such."""
    descriptor = DynamicQuantizeDescriptor(rows=True, symmetric=symmetric)
    with view.emit.below("hybrid"):
        made = view.emit.layers(LayerType.DYNAMIC_QUANTIZE, [rows], descriptor, name="levels")
    levels, scale, point = made.outputs
    return levels, scale, None if symmetric else point


def hybrid_sums(
    view: OperatorView,
    levels: Value,
    point: Value | None,
    scale: Value,
    weights: Known,
    matrix: Known,
    bias: Value | None,
    name: str,
) -> Value:
    """Multiply in whole numbers: ``matrix`` has the levels of ``weights``.

    The last layer gets the name.
    """
    emit, quantization = view.emit, weights.quantization
    assert quantization is not None
    with emit.below("hybrid"):
        sums = emit.layer(LayerType.MAT_MUL_INTEGER, [levels, matrix, point], name="sums")
        real = emit.mul(emit.cast(sums, np.float32, "real"), scale, "rows")
    factors = Known(np.array(quantization.scales, np.float32))
    if bias is None:
        return emit.mul(real, factors, name)
    return emit.add(emit.mul(real, factors, "scaled"), bias, name)


def hybrid_numbers(view: OperatorView, rows: Value) -> tuple[Value, Value]:
    """Return levels of each row less their zero point, in float32, and their scales."""
    emit = view.emit
    levels, scale, point = hybrid_levels(view, rows, symmetric=False)
    assert point is not None
    with emit.below("hybrid"):
        wide = emit.cast(levels, np.float32, "wide_levels")
        return emit.sub(wide, emit.cast(point, np.float32, "wide_points"), "numbers"), scale
