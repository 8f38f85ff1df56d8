# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers over images and matrices: odd sizes, padding, strides, dilation, groups, absent biases."""

from __future__ import annotations

from collections.abc import Iterator

from armnn_py import descriptors as d
from armnn_py.backends.questions.examples import Example, Operand, Operands
from armnn_py.types import (
    DataLayout,
    LayerType,
    PaddingMethod,
    PoolingAlgorithm,
    ResizeMethod,
)

__all__ = ["window_examples"]

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
    for transposed in (False, True):
        shape = (19, 17) if transposed else (17, 19)
        for bias in (False, True):
            descriptor = d.FullyConnectedDescriptor(bias, transposed)
            known = [of.weights(*shape), *([of.bias(19)] if bias else [])]
            yield Example(LayerType.FULLY_CONNECTED, descriptor, [of.x(3, 17), *known])
            computed = [Operand(operand.info) for operand in known]
            open_weights = d.FullyConnectedDescriptor(bias, transposed, constant_weights=False)
            yield Example(LayerType.FULLY_CONNECTED, open_weights, [of.x(3, 17), *computed])
    for left, right, turn in (
        ((5, 7), (7, 3), False),
        ((2, 3, 5, 7), (3, 7, 9), False),
        ((2, 1, 17), (2, 16, 17), True),
        ((3, 0), (0, 2), False),
    ):
        product = d.BatchMatMulDescriptor(transpose_y=turn)
        yield Example(LayerType.BATCH_MAT_MUL, product, [of.x(*left), of.x(*right)])
