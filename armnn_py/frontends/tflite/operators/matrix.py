# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Fully connected layers and products of matrices."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.descriptors import (
    BatchMatMulDescriptor,
    DynamicQuantizeDescriptor,
    FullyConnectedDescriptor,
)
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    dtype_of,
    quantization_of,
    shape_of,
)
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.operators.convolution import bias_of, weights_of
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import LayerType


@operator("FULLY_CONNECTED")
def _fully_connected(view: OperatorView) -> Value:
    if view.choice("weights_format", "FullyConnectedOptionsWeightsFormat") != "DEFAULT":
        raise Unsupported("shuffled weights")
    outputs, inputs = view.need_rank(2, 1)
    emit, x = view.emit, view.value(0)
    shape = shape_of(x)
    if not inputs or math.prod(shape) % inputs:
        raise ParseError(f"an input of {shape} for weights of {view.shape(1)}")
    keeps = bool(view.option("keep_num_dims", False))
    if keeps and (not shape or shape[-1] != inputs):
        raise ParseError(f"an input of {shape} for weights of {view.shape(1)}")
    if not keeps and (len(shape) != 2 or shape[1] != inputs):
        x = emit.reshape(x, (math.prod(shape) // inputs, inputs), "rows")
    bias = bias_of(view, 2, outputs, x)
    weights = view.value(1)
    if _is_hybrid(x, weights):
        assert isinstance(weights, Known)
        return view.activated(_hybrid_product(view, x, weights, bias))
    descriptor = FullyConnectedDescriptor(
        bias_enabled=bias is not None, transpose_weight_matrix=True
    )
    operands = [x, weights_of(view, 1, x), bias]
    made = view.layer(LayerType.FULLY_CONNECTED, operands, descriptor, name=view.part("product"))
    return view.activated(made)


def _is_hybrid(x: Value, weights: Value) -> bool:
    """Whether weights of 8 bits meet real numbers, which are then quantised row by row."""
    quantization = quantization_of(weights)
    return (
        dtype_of(x) == np.float32
        and isinstance(weights, Known)
        and weights.dtype == np.int8
        and quantization is not None
        and not any(quantization.zero_points)
    )


def _hybrid_product(view: OperatorView, x: Value, weights: Known, bias: Value | None) -> Value:
    """Multiply in whole numbers: each row of ``x`` has a scale that follows from its range."""
    emit = view.emit
    quantization = weights.quantization
    assert quantization is not None
    symmetric = not view.option("asymmetric_quantize_inputs", False)
    descriptor = DynamicQuantizeDescriptor(rows=True, symmetric=symmetric)
    with emit.below("hybrid"):
        made = emit.layers(LayerType.DYNAMIC_QUANTIZE, [x], descriptor, name="levels")
        levels, scale, point = made.outputs
        matrix = Known(np.ascontiguousarray(weights.array.T))
        operands: list[Value | None] = [levels, matrix, None if symmetric else point]
        sums = emit.layer(LayerType.MAT_MUL_INTEGER, operands, name="sums")
        real = emit.mul(emit.cast(sums, np.float32, "real"), scale, "rows")
    factors = Known(np.array(quantization.scales, np.float32))
    if bias is None:
        return emit.mul(real, factors, view.part("product"))
    return emit.add(emit.mul(real, factors, "product"), bias, view.part("biased"))


@operator("BATCH_MATMUL")
def _batch_matmul(view: OperatorView) -> Value:
    descriptor = BatchMatMulDescriptor(
        transpose_x=bool(view.option("adj_x", False)), transpose_y=bool(view.option("adj_y", False))
    )
    x = view.value(0)
    return view.layer(LayerType.BATCH_MAT_MUL, [x, weights_of(view, 1, x)], descriptor)
