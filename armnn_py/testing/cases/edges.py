# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers at the edges of what their descriptors allow: inner axes, several axes, far indices."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armnn_py import descriptors as d
from armnn_py.backends.questions.examples import Example, Operand, Operands
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    ActivationFunction,
    ArgMinMaxFunction,
    BinaryOperation,
    ComparisonOperation,
    DataLayout,
    DataType,
    LayerType,
    NormalizationAlgorithmChannel,
    NormalizationAlgorithmMethod,
    PaddingMode,
    PoolingAlgorithm,
    ReduceOperation,
    ScatterNdFunction,
    UnaryOperation,
)

__all__ = ["edge_examples", "large_moves"]

#: Means of integers are rounded as LiteRT does it, which the check of rounding takes for an error.
_REDUCTIONS = tuple(one for one in ReduceOperation if one is not ReduceOperation.MEAN)
_LAYOUTS = (DataLayout.NHWC, DataLayout.NCHW)


def edge_examples(of: Operands) -> Iterator[Example]:
    """Give examples in the data type of ``of``."""
    yield from _indexed(of)
    yield from _moved(of)
    yield from _along_axes(of)
    yield from _products(of)
    yield from _rows(of)
    yield from _at_the_limits(of)
    for layout in _LAYOUTS:
        yield from _images(of, layout)


def _indexed(of: Operands) -> Iterator[Example]:
    x = of.x(3, 4, 5)
    for axis, indices in ((1, [[0, -1], [3, 2]]), (2, [-2]), (0, [2, 0, 2, 1])):
        yield Example(LayerType.GATHER, d.GatherDescriptor(axis), [x, of.integers(indices)])
    for places in ([[[0, 1], [2, -1]]], [[2, 3, 4], [-3, -4, -5]]):
        yield Example(LayerType.GATHER_ND, None, [x, of.integers(places)])
    twice = of.integers([[0, 1], [2, -1], [0, 1]])
    for function in ScatterNdFunction:
        scatter = d.ScatterNdDescriptor(function)
        yield Example(LayerType.SCATTER_ND, scatter, [x, twice, of.x(3, 5)])
    for axis in (0, 1, -1):
        marked = [of.integers([[0, 3], [-1, 9]]), of.x(), of.x()]
        yield Example(LayerType.ONE_HOT, d.OneHotDescriptor(4, axis), marked)
    yield Example(LayerType.REVERSE_V2, None, [x, of.integers([2, -3])])


def _moved(of: Operands) -> Iterator[Example]:
    x = of.x(3, 4, 5)
    for before, after in (((2, 0, 0), (1, 0, 0)), ((0, 0, 2), (0, 0, 1)), ((1, 0, 2), (0, 3, 1))):
        for mode in PaddingMode:
            yield Example(LayerType.PAD, d.PadDescriptor(mode, before, after, 1.0), [x])
    yield Example(LayerType.PAD, d.PadDescriptor(), [of.x()])
    yield Example(LayerType.TILE, d.TileDescriptor((2, 1, 3)), [x])
    yield Example(LayerType.BROADCAST_TO, d.BroadcastToDescriptor((2, 3, 4, 5)), [of.x(3, 1, 5)])
    yield Example(LayerType.SLICE, d.SliceDescriptor((1, 0, 2), (2, 4, 1)), [x])
    for begin, end, stride in (
        ((5, -2, 3), (-9, 9, 0), (-2, 1, -1)),
        ((0, 1, -9), (3, 4, 9), (2, 3, 4)),
        ((2, 2, 2), (0, 2, 5), (1, 1, 1)),
    ):
        cut = d.StridedSliceDescriptor(begin, end, stride)
        yield Example(LayerType.STRIDED_SLICE, cut, [x])
    for order in ((1, 0, 2), (0, 2, 1), (2, 1, 0), (1, 2, 0)):
        yield Example(LayerType.TRANSPOSE, d.PermuteDescriptor(order), [x])
    yield Example(LayerType.CHANNEL_SHUFFLE, d.ChannelShuffleDescriptor(3, 1), [of.x(2, 6, 5)])
    views = (d.View((0, 0, 0), (3, 2, 5)), d.View((0, 2, 0), (3, 2, 5)))
    halves = [of.x(3, 2, 5)] * 2
    yield Example(LayerType.CONCAT, d.ConcatDescriptor(1, views), halves)
    yield Example(LayerType.SPLITTER, d.SplitterDescriptor(1, views), [x])
    overlap = (d.View((0, 1, 1), (2, 3, 3)), d.View((1, 0, 0), (2, 4, 5)))
    yield Example(LayerType.SPLITTER, d.SplitterDescriptor(-1, overlap), [x])
    yield Example(LayerType.STACK, d.StackDescriptor(1, 2, (3, 2, 5)), halves)


def _along_axes(of: Operands) -> Iterator[Example]:
    x = of.x(3, 4, 5)
    for function in ArgMinMaxFunction:
        place = d.ArgMinMaxDescriptor(function, 1, DataType.SIGNED64)
        yield Example(LayerType.ARG_MIN_MAX, place, [x])
    for largest in (False, True):
        best = d.TopKDescriptor(2, 1, largest, output_type=DataType.SIGNED64)
        yield Example(LayerType.TOP_K, best, [x])
    for axes in ((1,), (0, 2), (1, 2), (0, 1)):
        for operation in _REDUCTIONS:
            for keep in (False, True):
                reduction = d.ReduceDescriptor(operation, keep, axes)
                yield Example(LayerType.REDUCE, reduction, [x])
    for exclusive in (False, True):
        sums = d.CumSumDescriptor(1, exclusive, not exclusive)
        yield Example(LayerType.CUM_SUM, sums, [x])
    for least, most in ((0.0, 1.0), (-1.0, 2.5), (-4.0, -1.0), (0.5, 3.0)):
        steps = d.FakeQuantizationDescriptor(least, most)
        yield Example(LayerType.FAKE_QUANTIZATION, steps, [x])
    for beta in (0.25, -2.0, 0.0):
        for layer in (LayerType.SOFTMAX, LayerType.LOG_SOFTMAX):
            yield Example(layer, d.SoftmaxDescriptor(beta, 1), [x])
    two = [of.parameter(4, 5)] * 2
    yield Example(LayerType.LAYER_NORMALIZATION, d.LayerNormalizationDescriptor(axis=1), [x, *two])
    root = d.RmsNormalizationDescriptor(axis=1)
    yield Example(LayerType.RMS_NORMALIZATION, root, [x, two[0]])


def _at_the_limits(of: Operands) -> Iterator[Example]:
    """Give layers over the least and the greatest integers of a type, which wrap around."""
    dtype = of.type.numpy
    ends = np.iinfo(dtype) if of.type in (DataType.SIGNED32, DataType.SIGNED64) else np.iinfo("i1")
    numbers = [ends.min, ends.max, 0, -1, ends.min + 1, 1, ends.max, ends.min, 7, -7, 2, 31]
    values = np.array(numbers).astype(dtype).reshape(3, 4)
    x, y = (Operand(of.info(3, 4), False, array) for array in (values, values[::-1].copy()))
    for largest in (False, True):
        yield Example(LayerType.TOP_K, d.TopKDescriptor(3, 1, largest), [x])
    for function in ArgMinMaxFunction:
        for axis in (0, 1):
            yield Example(LayerType.ARG_MIN_MAX, d.ArgMinMaxDescriptor(function, axis), [x])
    for axis in (0, 1):
        yield Example(LayerType.CUM_SUM, d.CumSumDescriptor(axis), [x])
    for operation in (BinaryOperation.ADD, BinaryOperation.SUB, BinaryOperation.MUL):
        binary = d.ElementwiseBinaryDescriptor(operation)
        yield Example(LayerType.ELEMENTWISE_BINARY, binary, [x, y])
    for comparison in ComparisonOperation:
        yield Example(LayerType.COMPARISON, d.ComparisonDescriptor(comparison), [x, y])


def _products(of: Operands) -> Iterator[Example]:
    for left, right, turned in (
        ((5, 3), (7, 5), (True, True)),
        ((2, 1, 3, 5), (4, 5, 2), (False, False)),
        ((9, 40), (40, 33), (False, False)),
        ((9, 40), (33, 40), (False, True)),
    ):
        product = d.BatchMatMulDescriptor(*turned)
        yield Example(LayerType.BATCH_MAT_MUL, product, [of.x(*left), of.x(*right)])
    for rows in ((3,), (), (2, 3)):
        out = (*rows, 4)
        x, y = of.x(*rows, 5), of.parameter(5, 4)
        sums = [TensorInfo(out, DataType.SIGNED32)]
        for points in ([of.parameter()], [None, of.parameter()], [of.parameter()] * 2):
            yield Example(LayerType.MAT_MUL_INTEGER, None, [x, y, *points], sums)
    for shape, inputs in (((2, 3, 4, 5), 60), ((2, 3, 4, 5), 5), ((6,), 6)):
        dense = d.FullyConnectedDescriptor(True)
        known = [of.weights(inputs, 7), of.bias(7)]
        yield Example(LayerType.FULLY_CONNECTED, dense, [of.x(*shape), *known])
    for axis, scales in ((-1, (4, 2)), (0, (2, 6))):
        blocks = d.DequantizeBlocksDescriptor(axis, 3 if axis else 2)
        known = [of.parameter(4, 6), Operand(TensorInfo(scales), is_constant=True)]
        for points in ([], [of.parameter(*scales)]):
            real = [TensorInfo((4, 6))]
            yield Example(LayerType.DEQUANTIZE_BLOCKS, blocks, [*known, *points], real)


def _rows(of: Operands) -> Iterator[Example]:
    """Give layers of more elements than are converted to float32 at a time."""
    x = of.x(3, 701)
    slope = d.ActivationDescriptor(ActivationFunction.LEAKY_RELU, 0.5)
    yield Example(LayerType.ACTIVATION, slope, [x])
    root = d.ElementwiseUnaryDescriptor(UnaryOperation.ABS)
    yield Example(LayerType.ELEMENTWISE_UNARY, root, [x])
    binary = d.ElementwiseBinaryDescriptor(BinaryOperation.MAXIMUM)
    yield Example(LayerType.ELEMENTWISE_BINARY, binary, [x, of.x(3, 1)])
    yield Example(LayerType.CAST, None, [x], [TensorInfo((3, 701))])
    yield Example(LayerType.DEQUANTIZE, None, [x], [TensorInfo((3, 701))])
    real = Operand(TensorInfo((3, 701)))
    yield Example(LayerType.QUANTIZE, None, [real], [of.info(3, 701)])


def _images(of: Operands, layout: DataLayout) -> Iterator[Example]:
    is_last = layout is DataLayout.NHWC

    def image(n: int, height: int, width: int, channels: int) -> Operand:
        shape = (n, height, width, channels) if is_last else (n, channels, height, width)
        return of.x(*shape)

    x = image(2, 5, 7, 6)
    for channel in NormalizationAlgorithmChannel:
        for method in NormalizationAlgorithmMethod:
            response = d.NormalizationDescriptor(channel, method, 3, 0.5, 0.75, 2.0, layout)
            yield Example(LayerType.NORMALIZATION, response, [x])
    instance = d.InstanceNormalizationDescriptor(1.5, 0.5, 0.25, layout)
    batch = d.BatchNormalizationDescriptor(0.25, layout)
    unit = d.L2NormalizationDescriptor(0.25, layout)
    for channels in (6, 70):
        one = image(2, 5, 7, channels)
        yield Example(LayerType.INSTANCE_NORMALIZATION, instance, [one])
        four = [of.parameter(channels)] * 4
        yield Example(LayerType.BATCH_NORMALIZATION, batch, [one, *four])
        yield Example(LayerType.L2_NORMALIZATION, unit, [one])
    for kind in PoolingAlgorithm:
        pooling = d.Pooling2dDescriptor(
            kind, 1, 2, 0, 1, 3, 2, 3, 3, data_layout=layout, dilation_x=2
        )
        yield Example(LayerType.POOLING2D, pooling, [x])
    for stride in (1, 2):
        one_each = d.Convolution2dDescriptor(
            1, 0, 2, 1, stride, stride, bias_enabled=True, data_layout=layout, groups=6
        )
        weights = of.weights(12, 2, 3, 1) if is_last else of.weights(12, 1, 2, 3)
        for known in ([weights, of.bias(12)], [Operand(weights.info), Operand(of.bias(12).info)]):
            yield Example(LayerType.CONVOLUTION2D, one_each, [x, *known])
    to_batch = d.SpaceToBatchNdDescriptor((2, 3), (1, 2), (2, 3), layout)
    yield Example(LayerType.SPACE_TO_BATCH_ND, to_batch, [x])
    to_space = d.BatchToSpaceNdDescriptor((2, 3), (1, 2), (2, 1), layout)
    yield Example(LayerType.BATCH_TO_SPACE_ND, to_space, [image(12, 5, 7, 2)])
    nothing = d.SpaceToBatchNdDescriptor((2, 3), (1, 2), (1, 1), layout)
    yield Example(LayerType.SPACE_TO_BATCH_ND, nothing, [image(2, 0, 0, 2)])
    line = of.x(2, 5, 3) if is_last else of.x(2, 3, 5)
    to_batch = d.SpaceToBatchNdDescriptor((2,), (2,), (1,), layout)
    yield Example(LayerType.SPACE_TO_BATCH_ND, to_batch, [line])
    to_space = d.BatchToSpaceNdDescriptor((2,), (1,), (3,), layout)
    yield Example(LayerType.BATCH_TO_SPACE_ND, to_space, [line])
    yield Example(LayerType.DEPTH_TO_SPACE, d.SpaceDepthDescriptor(3, layout), [image(2, 2, 3, 18)])
    yield Example(LayerType.SPACE_TO_DEPTH, d.SpaceDepthDescriptor(3, layout), [image(2, 6, 3, 2)])


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
