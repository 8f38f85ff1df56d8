# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Fully connected layers and products of matrices."""

from __future__ import annotations

import math

import numpy as np

from armnn_py.descriptors import BatchMatMulDescriptor, FullyConnectedDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import Known, Unsupported, Value, shape_of
from armnn_py.frontends.tflite.hybrid import hybrid_levels, hybrid_sums, is_hybrid
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
        raise ParseError(f"an input of shape {shape} does not fit weights of shape {view.shape(1)}")
    keeps = bool(view.option("keep_num_dims", False))
    if keeps and (not shape or shape[-1] != inputs):
        raise ParseError(f"an input of shape {shape} does not fit weights of shape {view.shape(1)}")
    if not keeps and (len(shape) != 2 or shape[1] != inputs):
        x = emit.reshape(x, (math.prod(shape) // inputs, inputs), "rows")
    bias = bias_of(view, 2, outputs, x)
    weights = view.value(1)
    if is_hybrid(weights, x):
        symmetric = not view.option("asymmetric_quantize_inputs", False)
        levels, scale, point = hybrid_levels(view, x, symmetric=symmetric)
        matrix, name = Known(np.ascontiguousarray(weights.array.T)), view.part("product")
        return view.activated(hybrid_sums(view, levels, point, scale, weights, matrix, bias, name))
    descriptor = FullyConnectedDescriptor(
        bias_enabled=bias is not None, transpose_weight_matrix=True
    )
    operands = [x, weights_of(view, 1, x), bias]
    made = view.layer(LayerType.FULLY_CONNECTED, operands, descriptor, name=view.part("product"))
    return view.activated(made)


@operator("BATCH_MATMUL")
def _batch_matmul(view: OperatorView) -> Value:
    descriptor = BatchMatMulDescriptor(
        transpose_x=bool(view.option("adj_x", False)), transpose_y=bool(view.option("adj_y", False))
    )
    x = view.value(0)
    return view.layer(LayerType.BATCH_MAT_MUL, [x, weights_of(view, 1, x)], descriptor)
