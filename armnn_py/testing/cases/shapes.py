# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers whose cases differ in shape: ranks 0 to 8, empty dimensions, odd sizes, broadcasts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from armnn_py import descriptors as d
from armnn_py.backends.questions.examples import Example, Operand, Operands
from armnn_py.tensors import TensorInfo
from armnn_py.types import (
    ActivationFunction,
    BinaryOperation,
    ComparisonOperation,
    DataType,
    LayerType,
    PaddingMode,
    ReduceOperation,
    ScatterNdFunction,
    UnaryOperation,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = tuple[int, ...]

#: Each rank, sides that are no multiple of a vector, dimensions that are empty.
SHAPES: tuple[Shape, ...] = (
    (), (1,), (17,), (0,), (3, 5), (2, 0, 3), (2, 3, 7), (1, 5, 3, 9), (2, 1, 3, 2, 5),
    (1, 2, 1, 3, 2, 3), (2, 1, 2, 1, 2, 1, 3), (1, 2, 1, 2, 1, 2, 3, 1),
)  # fmt: skip
MORE_SHAPES: tuple[Shape, ...] = (
    (2,), (15,), (16,), (33,), (1023,), (1, 1), (7, 1), (64, 65), (0, 0), (3, 0), (5, 4, 3),
    (1, 1, 1, 1), (2, 7, 5, 31), (3, 1, 0, 2), (1,) * 8, (2, 2, 2, 2, 2, 2, 2, 2),
)  # fmt: skip
#: Two shapes that make one: a scalar, trailing and inner ones, ones on both sides, nothing.
BROADCASTS: tuple[tuple[Shape, Shape], ...] = (
    ((2, 3, 5), ()), ((2, 3, 5), (5,)), ((2, 3, 5), (3, 1)), ((4, 1, 5), (1, 3, 1)), ((1,), (7,)),
    ((2, 0, 3), (1, 1, 3)),
)  # fmt: skip
MORE_BROADCASTS: tuple[tuple[Shape, Shape], ...] = (
    ((), (3, 5)), ((5, 1), (2, 3, 1, 7)), ((1, 2, 1, 2, 1, 2, 3, 1), (1, 2, 1, 2, 1, 2, 1, 5)),
    ((16, 33), (16, 1)), ((16, 33), (33,)), ((0,), (1,)),
)  # fmt: skip


def shape_examples(of: Operands, *, full: bool) -> Iterator[Example]:
    """Give examples in the data type of ``of``."""
    shapes = SHAPES + (MORE_SHAPES if full else ())
    for shape in shapes:
        yield from _pointwise(of, shape, full=full)
        yield from _along_an_axis(of, shape, full=full)
        yield from _moved(of, shape)
    for left, right in BROADCASTS + (MORE_BROADCASTS if full else ()):
        yield from _broadcast(of, left, right, full=full)
    for batch, classes, boxes, most in (
        (1, 1, 1, 1),
        (3, 1, 33, 16),
        (1, 4, 70, 100),
        (2, 2, 0, 3),
    ):
        best = d.NonMaxSuppressionDescriptor(most, 0.25)
        operands = [of.x(batch, boxes, 4), of.x(batch, classes, boxes)]
        yield Example(LayerType.NON_MAX_SUPPRESSION, best, operands)


def _pointwise(of: Operands, shape: Shape, *, full: bool) -> Iterator[Example]:
    one, two = [of.x(*shape)], [of.x(*shape), of.x(*shape)]
    functions = ActivationFunction if full else (ActivationFunction.RELU, ActivationFunction.TANH)
    for function in functions:
        yield Example(LayerType.ACTIVATION, d.ActivationDescriptor(function, 1.0, 0.5), one)
    for unary in UnaryOperation if full else (UnaryOperation.ABS, UnaryOperation.EXP):
        yield Example(LayerType.ELEMENTWISE_UNARY, d.ElementwiseUnaryDescriptor(unary), one)
    for binary in BinaryOperation if full else (BinaryOperation.ADD, BinaryOperation.MUL):
        yield Example(LayerType.ELEMENTWISE_BINARY, d.ElementwiseBinaryDescriptor(binary), two)
    greater = d.ComparisonDescriptor(ComparisonOperation.GREATER)
    yield Example(LayerType.COMPARISON, greater, two)
    yield Example(LayerType.CAST, None, one, [TensorInfo(shape, DataType.FLOAT32)])
    condition = Operand(TensorInfo(shape, DataType.BOOLEAN))
    yield Example(LayerType.SELECT, None, [condition, *two])
    yield Example(LayerType.PRELU, None, two)


def _broadcast(of: Operands, left: Shape, right: Shape, *, full: bool) -> Iterator[Example]:
    both = [of.x(*left), of.x(*right)]
    with_constant = [of.x(*left), of.parameter(*right)]
    for binary in BinaryOperation if full else (BinaryOperation.ADD, BinaryOperation.SUB):
        descriptor = d.ElementwiseBinaryDescriptor(binary)
        yield Example(LayerType.ELEMENTWISE_BINARY, descriptor, both)
        yield Example(LayerType.ELEMENTWISE_BINARY, descriptor, with_constant)
    less = d.ComparisonDescriptor(ComparisonOperation.LESS)
    yield Example(LayerType.COMPARISON, less, both)
    yield Example(LayerType.PRELU, None, with_constant)
    condition = Operand(TensorInfo(right, DataType.BOOLEAN))
    yield Example(LayerType.SELECT, None, [condition, of.x(*left), of.x(*right)])


def _along_an_axis(of: Operands, shape: Shape, *, full: bool) -> Iterator[Example]:
    one, rank = [of.x(*shape)], len(shape)
    for axis in range(rank) if full else sorted({0, rank - 1} & set(range(rank))):
        yield Example(LayerType.SOFTMAX, d.SoftmaxDescriptor(1.0, axis), one)
        yield Example(LayerType.LOG_SOFTMAX, d.SoftmaxDescriptor(1.0, axis), one)
        yield Example(LayerType.ARG_MIN_MAX, d.ArgMinMaxDescriptor(axis=axis), one)
        for k in {min(3, shape[axis]), shape[axis]} if full else {min(3, shape[axis])}:
            for largest in (True, False):
                best = d.TopKDescriptor(k=k, axis=axis, largest=largest)
                yield Example(LayerType.TOP_K, best, one)
        for exclusive, reverse in ((False, False), (True, False), (False, True), (True, True)):
            sums = d.CumSumDescriptor(axis=axis, exclusive=exclusive, reverse=reverse)
            yield Example(LayerType.CUM_SUM, sums, one)
        yield Example(LayerType.REVERSE_V2, None, [*one, of.integers([axis])])
        for operation in ReduceOperation if full else (ReduceOperation.SUM, ReduceOperation.MAX):
            for keep in (False, True):
                descriptor = d.ReduceDescriptor(operation, keep, (axis,))
                yield Example(LayerType.REDUCE, descriptor, one)
    if rank:
        yield Example(LayerType.REDUCE, d.ReduceDescriptor(ReduceOperation.SUM), one)
        last = of.parameter(shape[-1]), of.parameter(shape[-1])
        yield Example(
            LayerType.LAYER_NORMALIZATION, d.LayerNormalizationDescriptor(), [*one, *last]
        )
        root = d.RmsNormalizationDescriptor()
        yield Example(LayerType.RMS_NORMALIZATION, root, [*one, last[0]])
        absent = d.LayerNormalizationDescriptor()  # without beta
        yield Example(LayerType.LAYER_NORMALIZATION, absent, [*one, last[0]])


def _moved(of: Operands, shape: Shape) -> Iterator[Example]:
    one, rank = [of.x(*shape)], len(shape)
    flat = (math.prod(shape),)
    yield Example(LayerType.RESHAPE, d.ReshapeDescriptor(flat), one)
    yield Example(LayerType.SHAPE, None, one)
    if not rank:
        return
    for order in _orders(rank):
        yield Example(LayerType.TRANSPOSE, d.PermuteDescriptor(order), one)
    for mode in PaddingMode:
        if mode is PaddingMode.CONSTANT or min(shape) > 1:
            pads = d.PadDescriptor(mode, (1,) * rank, (0,) * (rank - 1) + (1,), 0.5)
            yield Example(LayerType.PAD, pads, one)
    yield Example(LayerType.TILE, d.TileDescriptor((1,) * (rank - 1) + (3,)), one)
    begin, size = [0] * rank, list(shape)
    if shape[-1] > 1:
        begin[-1], size[-1] = 1, shape[-1] - 1
    yield Example(LayerType.SLICE, d.SliceDescriptor(tuple(begin), tuple(size)), one)
    steps = (1,) * (rank - 1) + (2,)
    strided = d.StridedSliceDescriptor(tuple(begin), tuple(shape), steps)
    yield Example(LayerType.STRIDED_SLICE, strided, one)
    for axis in range(rank):
        for groups in {count for count in (2, 3) if shape[axis] and not shape[axis] % count}:
            shuffle = d.ChannelShuffleDescriptor(groups, axis)
            yield Example(LayerType.CHANNEL_SHUFFLE, shuffle, one)
    for axis in sorted({0, rank - 1}):
        yield from _joined(of, shape, axis)


def _joined(of: Operands, shape: Shape, axis: int) -> Iterator[Example]:
    sizes = (shape[axis], 2, shape[axis] + 1)
    views, parts, at = [], [], 0
    for size in sizes:
        part = (*shape[:axis], size, *shape[axis + 1 :])
        origin = (0,) * axis + (at,) + (0,) * (len(shape) - axis - 1)
        views.append(d.View(origin, part))
        parts.append(of.x(*part))
        at += size
    whole = (*shape[:axis], at, *shape[axis + 1 :])
    yield Example(LayerType.CONCAT, d.ConcatDescriptor(axis, tuple(views)), parts)
    yield Example(LayerType.SPLITTER, d.SplitterDescriptor(axis, tuple(views)), [of.x(*whole)])
    if len(shape) < 8:
        stacked = d.StackDescriptor(axis, 2, shape)
        yield Example(LayerType.STACK, stacked, [of.x(*shape), of.x(*shape)])
    if not axis and 0 not in shape:
        last = shape[0] - 1
        for function in ScatterNdFunction:
            scattered = [of.x(*shape), of.integers([[last], [0]]), of.x(2, *shape[1:])]
            yield Example(LayerType.SCATTER_ND, d.ScatterNdDescriptor(function), scattered)
    if shape[axis]:
        last = shape[axis] - 1
        gather = d.GatherDescriptor(axis)
        yield Example(LayerType.GATHER, gather, [of.x(*shape), of.integers([0, last, -1, 0])])


def _orders(rank: int) -> Sequence[Shape]:
    turned = tuple(reversed(range(rank)))
    last_first = (rank - 1, *range(rank - 1))
    return [order for order, _ in itertools.groupby((turned, last_first))]
