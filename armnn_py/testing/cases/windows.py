# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers over images and matrices: odd sizes, padding, strides, dilation, groups; large ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from armnn_py import descriptors as d
from armnn_py.backends.questions.examples import Example, Operand, Operands
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    DataLayout,
    DataType,
    LayerType,
    PaddingMethod,
    PoolingAlgorithm,
    ReduceOperation,
    ResizeMethod,
    ScatterNdFunction,
    UnaryOperation,
)

_NCHW, _NHWC = DataLayout.NCHW, DataLayout.NHWC


def window_examples(of: Operands, *, full: bool) -> Iterator[Example]:
    """Give examples in the data type of ``of``."""
    for layout in (_NHWC, _NCHW):
        yield from _convolutions(of, layout, full=full)
        yield from _depthwise(of, layout)
        yield from _transposed(of, layout)
        yield from _poolings(of, layout, full=full)
        yield from _resizes(of, layout)
    for layout in (DataLayout.NDHWC, DataLayout.NCDHW):
        yield from _volumes(of, layout, full=full)
    yield from _matrices(of)


def _image(layout: DataLayout, n: int, h: int, w: int, c: int) -> tuple[int, ...]:
    return (n, h, w, c) if layout is _NHWC else (n, c, h, w)


def _weights(layout: DataLayout, o: int, h: int, w: int, i: int) -> tuple[int, ...]:
    return (o, h, w, i) if layout is _NHWC else (o, i, h, w)


def _convolutions(of: Operands, layout: DataLayout, *, full: bool) -> Iterator[Example]:
    # height, width, channels, outputs, kernel, stride, dilation, padding, groups, bias
    forms = [
        (5, 7, 3, 5, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 1, True),
        (9, 6, 1, 1, (3, 2), (2, 3), (1, 1), (0, 1, 2, 0), 1, False),
        (9, 9, 2, 3, (3, 3), (1, 1), (2, 3), (2, 2, 3, 3), 1, True),
        (4, 5, 4, 6, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 2, True),
        (1, 1, 17, 19, (1, 1), (1, 1), (1, 1), (0, 0, 0, 0), 1, False),
        (3, 4, 70, 5, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 1, True),  # 630 products
        (3, 5, 3, 67, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 1, True),
    ]
    if full:
        forms += [
            (13, 11, 16, 32, (1, 1), (2, 2), (1, 1), (0, 0, 0, 0), 1, True),
            (7, 7, 6, 6, (5, 5), (1, 1), (1, 1), (2, 2, 2, 2), 3, True),
            (6, 6, 4, 4, (3, 3), (3, 2), (2, 1), (1, 0, 0, 1), 4, False),
            (17, 15, 8, 24, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), 1, True),
        ]
    for h, w, c, o, kernel, stride, dilation, pads, groups, bias in forms:
        descriptor = d.Convolution2dDescriptor(
            *pads, stride[1], stride[0], dilation[1], dilation[0], bias, layout, groups
        )
        shape = _weights(layout, o, *kernel, c // groups)
        known = [of.weights(*shape), *([of.bias(o)] if bias else [])]
        x = of.x(*_image(layout, 2, h, w, c))
        yield Example(LayerType.CONVOLUTION2D, descriptor, [x, *known])
        computed = [Operand(operand.info) for operand in known]
        yield Example(LayerType.CONVOLUTION2D, descriptor, [x, *computed])


def _depthwise(of: Operands, layout: DataLayout) -> Iterator[Example]:
    for c, times, kernel, stride, dilation, bias in (
        (3, 1, (3, 3), (1, 1), (1, 1), True),
        (5, 2, (3, 2), (2, 1), (1, 1), False),
        (17, 1, (3, 3), (1, 2), (2, 2), True),
        (67, 1, (3, 3), (1, 1), (1, 1), True),
    ):
        descriptor = d.DepthwiseConvolution2dDescriptor(
            1, 1, 1, 1, stride[1], stride[0], dilation[1], dilation[0], bias, layout
        )
        known = [of.weights(1, *kernel, c * times), *([of.bias(c * times)] if bias else [])]
        x = of.x(*_image(layout, 1, 7, 8, c))
        yield Example(LayerType.DEPTHWISE_CONVOLUTION2D, descriptor, [x, *known])


def _transposed(of: Operands, layout: DataLayout) -> Iterator[Example]:
    for stride, pad, bias in (((1, 1), 0, True), ((2, 3), 1, False)):
        descriptor = d.TransposeConvolution2dDescriptor(
            pad_left=pad, pad_right=pad, pad_top=pad, pad_bottom=pad,
            stride_x=stride[1], stride_y=stride[0], bias_enabled=bias, data_layout=layout,
        )  # fmt: skip
        known = [of.weights(*_weights(layout, 5, 3, 3, 3)), *([of.bias(5)] if bias else [])]
        x = of.x(*_image(layout, 1, 4, 5, 3))
        yield Example(LayerType.TRANSPOSE_CONVOLUTION2D, descriptor, [x, *known])


def _poolings(of: Operands, layout: DataLayout, *, full: bool) -> Iterator[Example]:
    kinds = tuple(PoolingAlgorithm)
    for kind in kinds if full else kinds[:2]:
        for method in PaddingMethod:
            descriptor = d.Pooling2dDescriptor(
                kind, 1, 0, 1, 1, 3, 2, 2, 1, padding_method=method, data_layout=layout
            )
            x = of.x(*_image(layout, 2, 5, 7, 3))
            yield Example(LayerType.POOLING2D, descriptor, [x])


def _volumes(of: Operands, layout: DataLayout, *, full: bool) -> Iterator[Example]:
    is_last = layout is DataLayout.NDHWC
    # sides, channels, outputs, kernel, stride, dilation, padding, bias
    forms = [
        ((3, 5, 4), 3, 5, (3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1, 1, 1, 1), True),
        ((4, 5, 6), 2, 1, (2, 3, 1), (2, 1, 3), (1, 1, 1), (0, 1, 1, 0, 0, 1), False),
        ((5, 4, 4), 1, 3, (2, 2, 2), (1, 1, 1), (3, 2, 1), (0, 0, 0, 0, 0, 0), True),
    ]
    if full:
        forms.append(((1, 7, 9), 16, 17, (1, 3, 3), (1, 2, 1), (1, 1, 1), (1, 1, 1, 1, 0, 0), True))
    for sides, c, o, kernel, stride, dilation, pads, bias in forms:
        convolution = d.Convolution3dDescriptor(
            *pads, *stride[::-1], *dilation[::-1], bias_enabled=bias, data_layout=layout
        )
        shape = (1, *sides, c) if is_last else (1, c, *sides)
        known = [of.weights(*kernel, c, o), *([of.bias(o)] if bias else [])]
        yield Example(LayerType.CONVOLUTION3D, convolution, [of.x(*shape), *known])
    for kind in PoolingAlgorithm:
        for method in PaddingMethod:
            pooling = d.Pooling3dDescriptor(
                kind, 1, 0, 1, 1, 0, 1, 3, 2, 2, 2, 1, 2, padding_method=method, data_layout=layout
            )
            shape = (2, 4, 5, 6, 3) if is_last else (2, 3, 4, 5, 6)
            yield Example(LayerType.POOLING3D, pooling, [of.x(*shape)])


def _resizes(of: Operands, layout: DataLayout) -> Iterator[Example]:
    for method in ResizeMethod:
        for align, half in ((False, False), (True, False), (False, True)):
            descriptor = d.ResizeDescriptor(
                7, 5, method, layout, align_corners=align, half_pixel_centers=half
            )
            yield Example(LayerType.RESIZE, descriptor, [of.x(*_image(layout, 1, 3, 4, 3))])


def _matrices(of: Operands) -> Iterator[Example]:
    for (depth, width), transposed in itertools.product(((17, 19), (607, 5)), (False, True)):
        shape = (width, depth) if transposed else (depth, width)
        for bias in (False, True):
            descriptor = d.FullyConnectedDescriptor(bias, transposed)
            known = [of.weights(*shape), *([of.bias(width)] if bias else [])]
            yield Example(LayerType.FULLY_CONNECTED, descriptor, [of.x(3, depth), *known])
            computed = [Operand(operand.info) for operand in known]
            open_weights = d.FullyConnectedDescriptor(bias, transposed, constant_weights=False)
            yield Example(LayerType.FULLY_CONNECTED, open_weights, [of.x(3, depth), *computed])
    for left, right, turn in (
        ((5, 7), (7, 3), False),
        ((2, 3, 5, 7), (3, 7, 9), False),
        ((2, 1, 17), (2, 16, 17), True),
        ((3, 0), (0, 2), False),
    ):
        product = d.BatchMatMulDescriptor(transpose_y=turn)
        yield Example(LayerType.BATCH_MAT_MUL, product, [of.x(*left), of.x(*right)])


def long_sum_examples(of: Operands) -> Iterator[Example]:
    """Give more than 4096 products of 8 bits, whose sums need more than 24 bits."""
    depth = 9 * 456
    most, least = int(np.iinfo(of.type.numpy).max), int(np.iinfo(of.type.numpy).min)
    rows = np.array([[most, most], [least, least], [most, least]], of.type.numpy)
    x = np.tile(rows, (1, depth // 2))
    weights = of.weights(depth, 2).info
    ends = np.iinfo(weights.dtype)
    columns = np.tile(np.array([ends.max, ends.min], weights.dtype), (depth, 1))
    made = QuantizationInfo((34.0,), ((most + least + 1) // 2,))

    def out(*shape: int) -> list[TensorInfo]:
        return [TensorInfo(shape, of.type, made)]

    known = [Operand(of.info(3, depth), False, x), Operand(weights, True, columns)]
    yield Example(LayerType.FULLY_CONNECTED, d.FullyConnectedDescriptor(), known, out(3, 2))
    filters = Operand(of.weights(2, 3, 3, 456).info, True, columns.T.reshape(2, 3, 3, 456).copy())
    images = Operand(of.info(3, 3, 3, 456), False, x.reshape(3, 3, 3, 456))
    window = d.Convolution2dDescriptor(data_layout=_NHWC)
    yield Example(LayerType.CONVOLUTION2D, window, [images, filters], out(3, 1, 1, 2))
    right = Operand(of.info(depth, 3), False, x.T.copy())
    product = d.BatchMatMulDescriptor()
    yield Example(LayerType.BATCH_MAT_MUL, product, [known[0], right], out(3, 3))


_LARGE_ROWS, _COLUMNS = 521, 509


def large_examples(of: Operands) -> Iterator[Example]:
    """Give examples in the data type of ``of``."""
    yield from _large_matrices(of)
    for layout in (DataLayout.NHWC, DataLayout.NCHW):
        yield from _large_images(of, layout)


def _large_matrices(of: Operands) -> Iterator[Example]:
    x, row = of.x(_LARGE_ROWS, _COLUMNS), of.parameter(_COLUMNS)
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


def _large_images(of: Operands, layout: DataLayout) -> Iterator[Example]:
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


def large_moves(of: Operands) -> Iterator[Example]:
    """Give layers that move or convert so many elements that threads are at it together."""
    x = of.x(131, 33, 9)
    rows = [of.x(131, 1, 9), of.x(33, 1)]
    binary = d.ElementwiseBinaryDescriptor(BinaryOperation.SUB)
    yield Example(LayerType.ELEMENTWISE_BINARY, binary, rows)
    yield Example(LayerType.COMPARISON, d.ComparisonDescriptor(), rows)
    yield Example(LayerType.CAST, None, [x], [TensorInfo((131, 33, 9), DataType.SIGNED32)])
    chosen = Operand(TensorInfo((131, 33, 9), DataType.BOOLEAN))
    yield Example(LayerType.SELECT, None, [chosen, x, of.x(33, 1)])
    yield Example(LayerType.FAKE_QUANTIZATION, d.FakeQuantizationDescriptor(), [x])
    floor = d.ElementwiseUnaryDescriptor(UnaryOperation.FLOOR)
    yield Example(LayerType.ELEMENTWISE_UNARY, floor, [x])
    slope = d.ActivationDescriptor(ActivationFunction.LEAKY_RELU, 0.5)
    yield Example(LayerType.ACTIVATION, slope, [x])
    yield Example(LayerType.PAD, d.PadDescriptor(pad_before=(2, 0, 1), pad_after=(0, 3, 1)), [x])
    yield Example(LayerType.TILE, d.TileDescriptor((1, 3, 2)), [x])
    yield Example(LayerType.TRANSPOSE, d.PermuteDescriptor((2, 0, 1)), [x])
    yield Example(LayerType.SLICE, d.SliceDescriptor((3, 1, 2), (127, 31, 7)), [x])
    cut = d.StridedSliceDescriptor((130, 0, 8), (0, 33, 0), (-1, 2, -3))
    yield Example(LayerType.STRIDED_SLICE, cut, [x])
    far = of.integers([130, 0, -1, 64] * 40)
    yield Example(LayerType.GATHER, d.GatherDescriptor(0), [x, far])
    yield Example(LayerType.GATHER, d.GatherDescriptor(1), [x, of.integers([32, 0, -1, 7])])
    yield Example(LayerType.REVERSE_V2, None, [x, of.integers([0, 2])])
    yield Example(LayerType.CHANNEL_SHUFFLE, d.ChannelShuffleDescriptor(3, 1), [x])
    places = of.integers([[1], [1], [130], [0], [1]])
    for function in (ScatterNdFunction.UPDATE, ScatterNdFunction.ADD):
        scatter = d.ScatterNdDescriptor(function)
        yield Example(LayerType.SCATTER_ND, scatter, [x, places, of.x(5, 33, 9)])
    for operation in (ReduceOperation.SUM, ReduceOperation.MEAN):
        for axes in ((1,), (0, 2)):
            reduction = d.ReduceDescriptor(operation, False, axes)
            yield Example(LayerType.REDUCE, reduction, [x])
    views = (d.View((0, 0, 0), (131, 20, 9)), d.View((0, 20, 0), (131, 13, 9)))
    parts = [of.x(131, 20, 9), of.x(131, 13, 9)]
    yield Example(LayerType.CONCAT, d.ConcatDescriptor(1, views), parts)
    yield Example(LayerType.SPLITTER, d.SplitterDescriptor(1, views), [x])
    blocks = d.SpaceToBatchNdDescriptor((2, 3), (1, 0), (0, 0), DataLayout.NHWC)
    yield Example(LayerType.SPACE_TO_BATCH_ND, blocks, [of.x(1, 65, 63, 9)])
