# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers at the edges of what their descriptors allow: inner axes, several axes, far indices."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

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
    OutputShapeRounding,
    PaddingMethod,
    PaddingMode,
    PoolingAlgorithm,
    ReduceOperation,
    ResizeMethod,
    ScatterNdFunction,
    UnaryOperation,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WHOLE = (
    DataType.SIGNED32, DataType.SIGNED64, DataType.UNSIGNED16, DataType.UNSIGNED32,
    DataType.UNSIGNED64,
)  # fmt: skip
_FLOATS = (DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64)
#: Ways to pool that tell padding from elements.
_POOLINGS = (
    (PoolingAlgorithm.MAX, PaddingMethod.EXCLUDE),
    (PoolingAlgorithm.AVERAGE, PaddingMethod.EXCLUDE),
    (PoolingAlgorithm.AVERAGE, PaddingMethod.IGNORE_VALUE),
    (PoolingAlgorithm.L2, PaddingMethod.IGNORE_VALUE),
)
_LAYOUTS = (DataLayout.NHWC, DataLayout.NCHW)


def edge_examples(of: Operands) -> Iterator[Example]:
    """Give examples in the data type of ``of``."""
    yield from _indexed(of)
    yield from _moved(of)
    yield from _along_axes(of)
    yield from _products(of)
    yield from _rows(of)
    for layout in _LAYOUTS:
        for make in (_images, _poolings, _transposed, _resizes):
            yield from make(of, layout)
    for layout in (DataLayout.NDHWC, DataLayout.NCDHW):
        for kind, method in _POOLINGS:  # corners of the output see padding only
            pooling = d.Pooling3dDescriptor(
                kind, *(1, 1, 1, 1, 1, 1), padding_method=method, data_layout=layout
            )
            shape = (1, 1, 2, 1, 3) if layout is DataLayout.NDHWC else (1, 3, 1, 2, 1)
            yield Example(LayerType.POOLING3D, pooling, [of.x(*shape)])


def _indexed(of: Operands) -> Iterator[Example]:
    x = of.x(3, 4, 5)
    for axis, indices in ((1, [[0, -1], [3, 2]]), (2, [-2]), (0, [2, 0, 2, 1])):
        for places in _places(of, indices):
            yield Example(LayerType.GATHER, d.GatherDescriptor(axis), [x, places])
    for vectors in ([[[0, 1], [2, -1]]], [[2, 3, 4], [-3, -4, -5]], [[1], [0], [-1]]):
        for places in _places(of, vectors):
            yield Example(LayerType.GATHER_ND, None, [x, places])
    for function in ScatterNdFunction:
        scatter = d.ScatterNdDescriptor(function)
        for places in _places(of, [[0, 1], [2, -1], [0, 1]]):
            yield Example(LayerType.SCATTER_ND, scatter, [x, places, of.x(3, 5)])
    for axis in (0, 1, -1):
        marked = [of.integers([[0, 3], [-1, 9]]), of.x(), of.x()]
        yield Example(LayerType.ONE_HOT, d.OneHotDescriptor(4, axis), marked)
    yield Example(LayerType.REVERSE_V2, None, [x, of.integers([2, -3])])


def _places(of: Operands, indices: list[Any]) -> Iterator[Operand]:
    """Give indices that are known, and that are computed, in both types."""
    known = of.integers(indices)
    yield known
    for data_type in (DataType.SIGNED32, DataType.SIGNED64):
        array = np.array(indices, data_type.numpy)
        yield Operand(TensorInfo(array.shape, data_type), False, array)


def _moved(of: Operands) -> Iterator[Example]:
    x = of.x(3, 4, 5)
    for before, after in (((2, 0, 0), (1, 0, 0)), ((0, 0, 2), (0, 0, 1)), ((1, 0, 2), (0, 3, 1))):
        for mode in PaddingMode:
            yield Example(LayerType.PAD, d.PadDescriptor(mode, before, after, 1.0), [x])
    beyond = d.PadDescriptor(PaddingMode.CONSTANT, (1,), (2,), -500.75)
    yield Example(LayerType.PAD, beyond, [of.x(3)])
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
    most, least = 2**63 - 1, -(2**63)
    for begin, end, stride, *masks in (
        ((1, 3, 4), (2, 9, -9), (1, 2, -2), 0b010, 0b101, 0),
        ((-1, 1, 0), (0, 3, 5), (1, 1, 2), 0, 0, 0b001),
        ((2, -2, 9), (3, 0, 0), (1, 1, -3), 0b100, 0b100, 0b011),
        ((most, least, 0), (least, most, 9), (-1, 2, most), 0, 0, 0),
    ):
        cut = d.StridedSliceDescriptor(begin, end, stride, masks[0], masks[1], masks[2])
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
        for operation in ReduceOperation:
            if operation is ReduceOperation.MEAN:
                continue  # of levels the check of rounding takes LiteRT's for wrong
            for keep in (False, True):
                reduction = d.ReduceDescriptor(operation, keep, axes)
                yield Example(LayerType.REDUCE, reduction, [x])
            reduction = d.ReduceDescriptor(operation, False, axes)
            yield Example(LayerType.REDUCE, reduction, [of.x(3, 0, 5)])
    for exclusive in (False, True):
        sums = d.CumSumDescriptor(1, exclusive, not exclusive)
        yield Example(LayerType.CUM_SUM, sums, [x])
    for least, most in ((0.0, 1.0), (-1.0, 2.5), (-4.0, -1.0), (0.5, 3.0)):
        steps = d.FakeQuantizationDescriptor(least, most)
        yield Example(LayerType.FAKE_QUANTIZATION, steps, [x])
    for beta in (0.25, -2.0, 0.0):
        for layer in (LayerType.SOFTMAX, LayerType.LOG_SOFTMAX):
            yield Example(layer, d.SoftmaxDescriptor(beta, 1), [x])
    yield Example(LayerType.SOFTMAX, d.SoftmaxDescriptor(1.0, 1), [of.x(2, 2053)])
    two = [of.parameter(4, 5)] * 2
    normal = d.LayerNormalizationDescriptor(axis=1)
    for known in (two, [of.parameter(5)], [of.parameter(4, 1), of.parameter(5)], []):
        yield Example(LayerType.LAYER_NORMALIZATION, normal, [x, *known])
    root = d.RmsNormalizationDescriptor(axis=1)
    yield Example(LayerType.RMS_NORMALIZATION, root, [x, two[0]])


def limit_examples(of: Operands) -> Iterator[Example]:
    """Give layers over the least and the greatest integers of a type, which wrap around."""
    values = _limits(of.type)
    x, y = (Operand(of.info(3, 4), False, array) for array in (values, values[::-1].copy()))
    for target in (*_FLOATS, *_WHOLE, DataType.BOOLEAN):
        yield Example(LayerType.CAST, None, [x], [TensorInfo((3, 4), target)])
    for largest in (False, True):
        yield Example(LayerType.TOP_K, d.TopKDescriptor(3, 1, largest), [x])
    for function in ArgMinMaxFunction:
        for axis in (0, 1):
            yield Example(LayerType.ARG_MIN_MAX, d.ArgMinMaxDescriptor(function, axis), [x])
    for axis in (0, 1):
        yield Example(LayerType.CUM_SUM, d.CumSumDescriptor(axis), [x])
    for comparison in ComparisonOperation:
        yield Example(LayerType.COMPARISON, d.ComparisonDescriptor(comparison), [x, y])


def number_examples(of: Operands) -> Iterator[Example]:
    """Give arithmetic with each pair of such numbers; of levels it says nothing."""
    values = _limits(of.type)
    if of.type.is_float:
        values[values == 0] = 3  # what 0 / 0 gives is for special values to find out
    column = Operand(of.info(12, 1), False, values.reshape(12, 1))
    row = Operand(of.info(1, 12), False, values.reshape(1, 12))
    for operation in BinaryOperation:
        binary = d.ElementwiseBinaryDescriptor(operation)
        yield Example(LayerType.ELEMENTWISE_BINARY, binary, [column, row])
    for function in UnaryOperation:
        unary = d.ElementwiseUnaryDescriptor(function)
        yield Example(LayerType.ELEMENTWISE_UNARY, unary, [row])
    for axes in ((0,), (1, 2)):
        mean = d.ReduceDescriptor(ReduceOperation.MEAN, False, axes)
        for shape in ((3, 4, 5), (3, 0, 5)):
            yield Example(LayerType.REDUCE, mean, [of.x(*shape)])


def _limits(data_type: DataType) -> NDArray[Any]:
    """Return 3x4 numbers, the ends of a type among them; of int8 where it has no integers."""
    whole = data_type.numpy if data_type in _WHOLE else np.dtype(np.int8)
    ends = np.iinfo(whole)
    least, most = int(ends.min), int(ends.max)
    numbers = [least, most, 0, most - 1, least + 1, 1, most, least, 7, most // 7, 2, 31]
    return np.array(numbers, whole).astype(data_type.numpy).reshape(3, 4)


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


def _image(of: Operands, layout: DataLayout, n: int, h: int, w: int, c: int) -> Operand:
    return of.x(n, h, w, c) if layout is DataLayout.NHWC else of.x(n, c, h, w)


def _images(of: Operands, layout: DataLayout) -> Iterator[Example]:
    is_last, image = layout is DataLayout.NHWC, functools.partial(_image, of, layout)
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


def _poolings(of: Operands, layout: DataLayout) -> Iterator[Example]:
    image = functools.partial(_image, of, layout)
    for kind, method in _POOLINGS:
        pooling = d.Pooling2dDescriptor(
            kind, 1, 2, 0, 1, 3, 2, 3, 3, OutputShapeRounding.FLOOR, method, layout, 2
        )
        yield Example(LayerType.POOLING2D, pooling, [image(2, 5, 7, 6)])
        for side, window, stride, pads in (
            (6, 3, 2, (0, 0, 0, 0)),  # the last windows reach beyond the image
            (4, 2, 3, (0, 2, 0, 2)),  # a window more would see padding only
            (2, 2, 2, (3, 3, 3, 3)),  # the first windows see padding only
        ):
            pooling = d.Pooling2dDescriptor(
                kind, *pads, window, window, stride, stride, OutputShapeRounding.CEILING, method,
                layout,
            )  # fmt: skip
            yield Example(LayerType.POOLING2D, pooling, [image(2, side, side, 3)])


def _transposed(of: Operands, layout: DataLayout) -> Iterator[Example]:
    is_last, image = layout is DataLayout.NHWC, functools.partial(_image, of, layout)
    for c, o, groups, sides, kernel, strides, dilations, pads, extra in (
        (4, 6, 2, (5, 3), (4, 2), (3, 2), (1, 1), (0, 1, 1, 2), (2, 0)),
        (6, 6, 6, (4, 4), (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), (0, 0)),
        (2, 3, 1, (4, 4), (3, 2), (2, 3), (2, 3), (2, 1, 1, 0), (0, 0)),
        (2, 3, 1, (3, 3), (2, 2), (5, 4), (1, 1), (0, 0, 0, 0), (0, 7)),
        (5, 4, 1, (1, 1), (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), (0, 0)),
        (2, 3, 1, (3, 3), (3, 3), (2, 2), (1, 1), (0, 0, 0, 0), (-5, -1)),
    ):
        scattered = d.TransposeConvolution2dDescriptor(
            *pads,
            strides[1],
            strides[0],
            True,
            layout,
            any(extra),
            dilations[1],
            dilations[0],
            groups,
        )
        out = [
            (n - 1) * step + (k - 1) * wide + 1 - sum(pads[place : place + 2]) + more
            for n, step, k, wide, place, more in zip(
                sides, strides, kernel, dilations, (2, 0), extra, strict=True
            )
        ]
        shape = (o, *kernel, c // groups) if is_last else (o, c // groups, *kernel)
        known = [of.weights(*shape), of.bias(o)]
        operands, wanted = [image(2, *sides, c), *known], image(2, out[0], out[1], o).info
        yield Example(LayerType.TRANSPOSE_CONVOLUTION2D, scattered, operands, [wanted])


def _resizes(of: Operands, layout: DataLayout) -> Iterator[Example]:
    image = functools.partial(_image, of, layout)
    for resized, target in ((image(1, 9, 12, 3), (4, 5)), (image(2, 1, 5, 3), (3, 1))):
        for resizing in ResizeMethod:
            for corners, half in itertools.product((False, True), repeat=2):
                resize = d.ResizeDescriptor(*target[::-1], resizing, layout, corners, half)
                yield Example(LayerType.RESIZE, resize, [resized])
