# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers with so much work that threads are at it at the same time: a millisecond each, in plain C.

Sides are odd, so that pieces of work end anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from armnn_py import descriptors as d
from armnn_py.backends.questions.examples import Example, Operands
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    DataLayout,
    LayerType,
    PaddingMethod,
    PoolingAlgorithm,
    ReduceOperation,
    UnaryOperation,
)

__all__ = ["large_examples"]

_ROWS, _COLUMNS = 521, 509


def large_examples(of: Operands) -> Iterator[Example]:
    """Give examples in the data type of ``of``."""
    yield from _matrices(of)
    for layout in (DataLayout.NHWC, DataLayout.NCHW):
        yield from _images(of, layout)


def _matrices(of: Operands) -> Iterator[Example]:
    x, row = of.x(_ROWS, _COLUMNS), of.parameter(_COLUMNS)
    yield Example(LayerType.ACTIVATION, d.ActivationDescriptor(ActivationFunction.TANH, 1, 1), [x])
    yield Example(LayerType.ACTIVATION, d.ActivationDescriptor(ActivationFunction.RELU), [x])
    exp = d.ElementwiseUnaryDescriptor(UnaryOperation.EXP)
    yield Example(LayerType.ELEMENTWISE_UNARY, exp, [x])
    add = d.ElementwiseBinaryDescriptor(BinaryOperation.ADD)
    yield Example(LayerType.ELEMENTWISE_BINARY, add, [x, x])
    yield Example(LayerType.ELEMENTWISE_BINARY, add, [x, row])
    for axis in (0, 1):
        yield Example(LayerType.SOFTMAX, d.SoftmaxDescriptor(1.0, axis), [x])
        yield Example(LayerType.LOG_SOFTMAX, d.SoftmaxDescriptor(1.0, axis), [x])
        total = d.ReduceDescriptor(ReduceOperation.SUM, False, (axis,))
        yield Example(LayerType.REDUCE, total, [x])
        yield Example(LayerType.ARG_MIN_MAX, d.ArgMinMaxDescriptor(axis=axis), [x])
        yield Example(LayerType.CUM_SUM, d.CumSumDescriptor(axis=axis), [x])
        yield Example(LayerType.TOP_K, d.TopKDescriptor(k=5, axis=axis), [x])
    normal = d.LayerNormalizationDescriptor()
    yield Example(LayerType.LAYER_NORMALIZATION, normal, [x, row, row])
    yield Example(LayerType.RMS_NORMALIZATION, d.RmsNormalizationDescriptor(), [x, row])
    yield Example(LayerType.TRANSPOSE, d.PermuteDescriptor((1, 0)), [x])
    dense = d.FullyConnectedDescriptor(True)
    known = [of.weights(_COLUMNS, 129), of.bias(129)]
    yield Example(LayerType.FULLY_CONNECTED, dense, [x, *known])
    product = d.BatchMatMulDescriptor()
    yield Example(LayerType.BATCH_MAT_MUL, product, [of.x(3, 67, 65), of.x(3, 65, 61)])
    rotary = d.RotaryEmbeddingDescriptor()
    yield Example(LayerType.ROTARY_EMBEDDING, rotary, [x, of.x(1, 251), of.x(1, 251)])
    heads = [of.x(1, 6, 131, 33), *[of.x(1, 2, 149, 33)] * 2]
    yield Example(LayerType.ATTENTION, d.AttentionDescriptor(0.2, causal=True), heads)


def _images(of: Operands, layout: DataLayout) -> Iterator[Example]:
    is_last = layout is DataLayout.NHWC

    def image(height: int, width: int, channels: int) -> tuple[int, ...]:
        return (1, height, width, channels) if is_last else (1, channels, height, width)

    x = of.x(*image(29, 31, 17))
    wide = d.Convolution2dDescriptor(1, 1, 1, 1, bias_enabled=True, data_layout=layout)
    weights = of.weights(19, 3, 3, 17) if is_last else of.weights(19, 17, 3, 3)
    yield Example(LayerType.CONVOLUTION2D, wide, [x, weights, of.bias(19)])
    narrow = d.Convolution2dDescriptor(data_layout=layout)
    weights = of.weights(19, 1, 1, 17) if is_last else of.weights(19, 17, 1, 1)
    yield Example(LayerType.CONVOLUTION2D, narrow, [x, weights])
    depthwise = d.DepthwiseConvolution2dDescriptor(
        1, 1, 1, 1, bias_enabled=True, data_layout=layout
    )
    known = [of.weights(1, 3, 3, 17), of.bias(17)]
    yield Example(LayerType.DEPTHWISE_CONVOLUTION2D, depthwise, [x, *known])
    for kind in (PoolingAlgorithm.MAX, PoolingAlgorithm.AVERAGE):
        pooling = d.Pooling2dDescriptor(
            kind, 1, 1, 1, 1, 3, 3, 1, 1, padding_method=PaddingMethod.EXCLUDE, data_layout=layout
        )
        yield Example(LayerType.POOLING2D, pooling, [x])
    yield Example(LayerType.RESIZE, d.ResizeDescriptor(47, 53, data_layout=layout), [x])
