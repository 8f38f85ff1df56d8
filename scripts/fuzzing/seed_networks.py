# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Small networks whose compiled programs have operators of every kind that is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import armnn_py as ann
from armnn_py.types import (
    ActivationFunction,
    ArgMinMaxFunction,
    BinaryOperation,
    ComparisonOperation,
    DataType,
    PaddingMode,
    PoolingAlgorithm,
    ReduceOperation,
    ResizeMethod,
    UnaryOperation,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NETWORKS"]

BYTES, WORDS = DataType.QASYMM_S8, DataType.QSYMM_S16


def _numbers(*shape: int) -> Any:
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def _stored(shape: tuple[int, ...], data_type: DataType = BYTES) -> ann.TensorInfo:
    point = 0 if data_type is WORDS else 3
    return ann.TensorInfo(shape, data_type, ann.QuantizationInfo((0.05,), (point,)))


def _kernel(network: ann.Network, *shape: int, axis: int = 0) -> Any:
    values = (_numbers(*shape) * 60).astype(np.int8)
    scales = tuple(np.linspace(0.01, 0.02, shape[axis]).tolist())
    info = ann.TensorInfo(shape, DataType.QSYMM_S8, ann.QuantizationInfo(scales, (), axis))
    return network.add_constant(values, info=info)


def convolutions(network: ann.Network) -> list[Any]:
    """Direct, by Winograd's algorithm, depthwise, separable, in groups, transposed."""
    x = network.add_input("x", ann.TensorInfo((1, 6, 6, 3)))
    y = network.add_convolution2d(x, _numbers(4, 3, 3, 3), np.ones(4, np.float32), padding=1)
    y = network.add_activation(y, ActivationFunction.RELU)
    z = network.add_depthwise_convolution2d(y, _numbers(1, 3, 3, 4), padding=1)
    z = network.add_convolution2d(z, _numbers(4, 1, 1, 4))
    z = network.add_addition(z, y)
    z = network.add_convolution2d(z, _numbers(4, 3, 2, 2), groups=2, stride=2)
    return [network.add_transpose_convolution2d(z, _numbers(3, 2, 2, 4), stride=2)]


def blocks(network: ann.Network) -> list[Any]:
    """A block of MobileNet, and a transposed convolution whose windows overlap."""
    x = network.add_input("x", ann.TensorInfo((1, 64, 64, 4)))
    y = network.add_convolution2d(x, _numbers(176, 1, 1, 4), np.ones(176, np.float32))
    y = network.add_activation(y, ActivationFunction.RELU)
    y = network.add_depthwise_convolution2d(y, _numbers(1, 3, 3, 176), padding=1)
    y = network.add_convolution2d(y, _numbers(4, 1, 1, 176))
    y = network.add_slice(y, (0, 0, 0, 0), (1, 4, 4, 4))
    return [network.add_transpose_convolution2d(y, _numbers(2, 3, 3, 4), stride=2)]


def angles(network: ann.Network) -> list[Any]:
    """Pairs of halves turned by angles."""
    x = network.add_input("x", ann.TensorInfo((2, 5, 8)))
    left, right = (network.add_slice(x, (0, 0, at), (2, 5, 4)) for at in (0, 4))
    turned = network.add_concat(
        [network.add_elementwise_unary(right, UnaryOperation.NEG), left], axis=2
    )
    cosine = network.add_multiplication(x, _numbers(1, 5, 8))
    return [network.add_addition(cosine, network.add_multiplication(turned, _numbers(1, 5, 8)))]


def windows(network: ann.Network) -> list[Any]:
    x = network.add_input("x", ann.TensorInfo((1, 6, 6, 4)))
    y = network.add_pooling2d(x, PoolingAlgorithm.MAX, 2, stride=1, padding=1)
    y = network.add_pooling2d(y, PoolingAlgorithm.AVERAGE, 3)
    y = network.add_pad(y, [(0, 0), (1, 1), (1, 0), (0, 0)], mode=PaddingMode.REFLECT)
    return [network.add_pad(y, [(0, 0), (1, 0), (0, 1), (0, 0)], 0.5)]


def resizes(network: ann.Network) -> list[Any]:
    x = network.add_input("x", ann.TensorInfo((1, 3, 4, 2)))
    stored = network.add_quantize(x, BYTES, ann.QuantizationInfo((0.05,), (3,)))
    return [
        network.add_resize(x, (5, 6), ResizeMethod.BILINEAR, half_pixel_centers=True),
        network.add_resize(x, (2, 7)),
        network.add_resize(stored, (6, 5), ResizeMethod.BILINEAR),
    ]


def attention(network: ann.Network) -> list[Any]:
    x = network.add_input("x", ann.TensorInfo((2, 5, 8)))
    query, key, value = (
        network.add_fully_connected(x, _numbers(8, 8) + np.float32(i)) for i in range(3)
    )
    scores = network.add_batch_mat_mul(query, key, transpose_y=True)
    scores = network.add_softmax(network.add_multiplication(scores, np.float32(0.35)))
    y = network.add_batch_mat_mul(scores, value)
    y = network.add_layer_normalization(network.add_addition(y, x), _numbers(8), _numbers(8))
    return [network.add_rms_normalization(y, _numbers(8))]


def transformer(network: ann.Network) -> list[Any]:
    x = network.add_input("x", ann.TensorInfo((2, 4, 5, 8)))
    shared = network.add_slice(x, (0, 0, 0, 0), (2, 2, 5, 8))
    turned = network.add_rotary_embedding(x, _numbers(5, 4), _numbers(5, 4), interleaved=True)
    mask = network.add_comparison(_numbers(5, 5), np.float32(0), ComparisonOperation.GREATER)
    y = network.add_attention(turned, shared, shared, mask, scale=0.35, softcap=3.0)
    return [network.add_attention(y, shared, shared, scale=0.35, causal=True)]


def elements(network: ann.Network) -> list[Any]:
    x = network.add_input("x", ann.TensorInfo((3, 5)))
    y = network.add_elementwise_binary(x, _numbers(5), BinaryOperation.SUB)
    y = network.add_activation(y, ActivationFunction.SIGMOID)
    y = network.add_elementwise_binary(y, _numbers(3, 1), BinaryOperation.POWER)
    y = network.add_elementwise_binary(y, x, BinaryOperation.MAXIMUM)
    whole = network.add_cast(
        network.add_elementwise_unary(x, UnaryOperation.ABS), DataType.SIGNED32
    )
    whole = network.add_elementwise_binary(whole, np.full(5, 3, np.int32), BinaryOperation.MUL)
    whole = network.add_elementwise_unary(whole, UnaryOperation.NEG)
    less = network.add_comparison(x, y, ComparisonOperation.LESS)
    return [network.add_select(less, x, y), network.add_cast(whole, DataType.SIGNED64)]


def reductions(network: ann.Network) -> list[Any]:
    x = network.add_input("x", ann.TensorInfo((2, 3, 5)))
    whole = network.add_cast(x, DataType.SIGNED32)
    return [
        network.add_reduce(x, ReduceOperation.MEAN, [1], keep_dims=True),
        network.add_reduce(x, ReduceOperation.PROD, [0, 2]),
        network.add_reduce(whole, ReduceOperation.MAX, [2]),
        network.add_arg_min_max(x, ArgMinMaxFunction.MAX, 1),
        network.add_log_softmax(x, axis=1),
        network.add_l2_normalization(network.add_reshape(x, (1, 2, 3, 5))),
    ]


def moves(network: ann.Network) -> list[Any]:
    x = network.add_input("x", ann.TensorInfo((4, 6)))
    places = network.add_input("places", ann.TensorInfo((3,), DataType.SIGNED32))
    rows = network.add_gather(x, places)
    y = network.add_concat([rows, network.add_slice(x, (1, 0), (2, 6))], 0)
    y = network.add_transpose(y, (1, 0))
    updated = network.add_scatter_nd(
        x, network.add_reshape(places, (3, 1)), network.add_multiplication(rows, np.float32(2))
    )
    return [network.add_strided_slice(y, (0, 0), (6, 5), (2, 3)), updated]


def bytes_of_convolutions(network: ann.Network) -> list[Any]:
    x = network.add_input("x", _stored((1, 6, 6, 4)))
    y = network.add_convolution2d(
        x, _kernel(network, 4, 3, 3, 4), padding=1, output_info=_stored((1, 6, 6, 4))
    )
    y = network.add_elementwise_binary(y, x, BinaryOperation.ADD, output_info=_stored((1, 6, 6, 4)))
    y = network.add_depthwise_convolution2d(
        y, _kernel(network, 1, 3, 3, 4, axis=3), output_info=_stored((1, 4, 4, 4))
    )
    y = network.add_pooling2d(y, PoolingAlgorithm.AVERAGE, 2, output_info=_stored((1, 2, 2, 4)))
    z = network.add_transpose_convolution2d(
        y, _kernel(network, 2, 2, 2, 4), stride=2, output_info=_stored((1, 4, 4, 2))
    )
    return [network.add_dequantize(z)]


def bytes_normalized(network: ann.Network) -> list[Any]:
    """A batch normalisation between two scales."""
    x = network.add_input("x", _stored((1, 4, 4, 3)))
    y = network.add_batch_normalization(
        network.add_dequantize(x), *(np.full(3, i + 1, np.float32) for i in range(4))
    )
    return [network.add_quantize(y, BYTES, ann.QuantizationInfo((0.04,), (1,)))]


def bytes_of_products(network: ann.Network) -> list[Any]:
    x = network.add_input("x", _stored((3, 6)))
    y = network.add_fully_connected(x, _kernel(network, 6, 4, axis=1), output_info=_stored((3, 4)))
    z = network.add_batch_mat_mul(x, x, transpose_y=True, output_info=_stored((3, 3)))
    z = network.add_softmax(z, output_info=_stored((3, 3)))
    return [
        network.add_reduce(z, ReduceOperation.MEAN, [1], output_info=_stored((3,))),
        network.add_reduce(y, ReduceOperation.MAX, [0], output_info=_stored((4,))),
    ]


def tables(network: ann.Network) -> list[Any]:
    """Functions of 8 and 16 bits, and sums and products of 16."""
    x = network.add_input("x", _stored((2, 9)))
    words = network.add_input("words", _stored((2, 9), WORDS))
    y = network.add_activation(
        x, ActivationFunction.TANH, a=1.0, b=1.0, output_info=_stored((2, 9))
    )
    z = network.add_activation(
        words, ActivationFunction.SIGMOID, output_info=_stored((2, 9), WORDS)
    )
    z = network.add_elementwise_binary(
        z, words, BinaryOperation.ADD, output_info=_stored((2, 9), WORDS)
    )
    z = network.add_elementwise_binary(
        z, words, BinaryOperation.MUL, output_info=_stored((2, 9), WORDS)
    )
    return [y, z]


NETWORKS: dict[str, Callable[[ann.Network], list[Any]]] = {
    make.__name__: make
    for make in (
        convolutions, blocks, windows, resizes, attention, angles, transformer, elements,
        reductions, moves,
        bytes_of_convolutions, bytes_normalized, bytes_of_products, tables,
    )
}  # fmt: skip
