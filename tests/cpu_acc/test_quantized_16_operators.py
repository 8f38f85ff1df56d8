# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of numbers of 16 bits on tensors with gaps that end at unreadable pages.

Expected values are the integer arithmetic of TensorFlow Lite's 16x8 specification in numpy.
"""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann

from .guarded import laid_out
from .operators import HEADERS, Operators, address, tensor
from .test_quantized_operators import Pair, Pooling, Product, quantized, scaled

WORD = int(ann.DataType.QSYMM_S16)
TILES = list(HEADERS.enums["tiles"]).index("ARMNN_ACC_TILES_INT16")


def words(rng: np.random.Generator, shape: tuple[int, ...], how: int) -> np.ndarray:
    array = laid_out(shape, how, np.int16)
    array[...] = rng.integers(-32768, 32768, shape)
    return array


def word(array: np.ndarray) -> object:
    result = quantized(array, 0)
    result.element.type = WORD
    return result


def test_elements_are_of_16_bits() -> None:
    made = tensor(np.zeros((2, 3), np.int16))
    assert made.element.size == 2


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("depthwise", [False, True])
@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize(
    ("kernel", "stride", "pad", "channels", "outputs"),
    [
        ((1, 1), 1, 0, 16, 32),
        ((1, 1), 1, 0, 7, 5),
        ((1, 1), 2, 0, 9, 17),
        ((3, 3), 1, 1, 3, 16),
        ((3, 3), 2, 1, 33, 40),
        ((3, 3), 1, 0, 19, 70),
        ((3, 3), 1, 2, 200, 33),
        ((5, 3), 1, 2, 70, 1),
        ((5, 5), 2, 2, 65, 2),
    ],
)
def test_products(
    operators: Operators,
    quantized_isa: str,
    kernel: tuple[int, int],
    stride: int,
    pad: int,
    channels: int,
    outputs: int,
    how: int,
    depthwise: bool,
    wide: bool,
) -> None:
    rng = np.random.default_rng(how)
    x = words(rng, (2, 9, 8, channels), how)
    outputs = channels if depthwise else outputs
    most = 128 if wide else 30
    weights = rng.integers(-most, most, (outputs, *kernel, 1 if depthwise else channels))
    weights = weights.astype(np.int8)
    padded = np.pad(x.astype(np.int64), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    views = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(1, 2))
    seen = views[:, ::stride, ::stride].transpose(0, 1, 2, 4, 5, 3)
    if depthwise:
        sums = np.einsum("nyxklc,ckl->nyxc", seen, weights[..., 0].astype(np.int64))
    else:
        sums = np.einsum("nyxklc,oklc->nyxo", seen, weights.astype(np.int64))
    bias = rng.integers(-9999, 9999, outputs) + (2**33 if wide else 0)
    halves = [(bias & 0xFFFFFFFF).astype(np.uint32), (bias >> 32).astype(np.int32)]
    rights = rng.integers(9, 14, outputs) + (6 if wide else 0)
    multipliers = rng.integers(2**14, 2**15, outputs)
    factors = np.stack([multipliers, 16 - rights], axis=1).astype(np.int32)
    half = 1 << (rights + 14)
    levels = ((sums + bias) * multipliers + half) >> (rights + 15)
    y = laid_out(sums.shape, (how + 1) % 3, np.int16)
    points = np.zeros(outputs, np.int32)
    what = Product(
        input=word(x),
        output=word(y),
        weights=quantized(weights, 0),
        weight_zero_points=address(points),
        bias=address(halves[0]),
        bias_above=address(halves[1]),
        factors=address(factors),
        rounding=1,  # ARMNN_ACC_ROUND_ONCE
        has_wide_sums=wide,
        kernel_y=kernel[0],
        kernel_x=kernel[1],
        stride_y=stride,
        stride_x=stride,
        dilation_y=1,
        dilation_x=1,
        pad_top=pad,
        pad_left=pad,
        groups=channels if depthwise else 1,
        low=-30000,
        high=29000,
    )
    if depthwise:
        name = operators.run("quantized_depthwise", quantized_isa, what)
    else:
        name = operators.run("quantized_tiles", quantized_isa, what, TILES)
    assert ("_wide_" in name) == wide
    np.testing.assert_array_equal(y, np.clip(levels, -30000, 29000))
    assert len(np.unique(levels)) > 3


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("operation", [0, 1, 2])
@pytest.mark.parametrize("shapes", [((5, 7, 33), (5, 7, 33)), ((5, 7, 1), (5, 7, 33)), ((4, 3, 70),
                                    (1, 1, 70))])  # fmt: skip
def test_two_operands(
    operators: Operators,
    quantized_isa: str,
    how: int,
    operation: int,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    rng = np.random.default_rng(how)
    a, b = (words(rng, shape, how) for shape in shapes)
    operations = (ann.BinaryOperation.ADD, ann.BinaryOperation.SUB, ann.BinaryOperation.MUL)
    kind = operations[operation]
    is_product = kind == ann.BinaryOperation.MUL
    shape = np.broadcast_shapes(*shapes)
    y = laid_out(shape, (how + 1) % 3, np.int16)
    out = (1500000000, 15 if is_product else 14)
    p, q = a.astype(np.int64), b.astype(np.int64)
    if is_product:
        value = p * q
    else:
        left, right = scaled(p << 15, 2**30, 0), scaled(q << 15, 1700000000, 2)
        value = left + right if kind == ann.BinaryOperation.ADD else left - right
    expected = np.clip(scaled(value, *out), -32768, 32767)
    what = Pair(left=word(a), right=word(b), output=word(y), low=-32768, high=32767)
    what.operation = int(kind)
    what.left_factor.multiplier, what.left_factor.shift = 2**30, 0
    what.right_factor.multiplier, what.right_factor.shift = 1700000000, -2
    what.factor.multiplier, what.factor.shift = out[0], -out[1]
    operators.run("quantized_binary", quantized_isa, what)
    np.testing.assert_array_equal(y, np.broadcast_to(expected, shape))


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("channels", [1, 3, 64, 70])
@pytest.mark.parametrize("method", [ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE])
def test_pooling(
    operators: Operators, quantized_isa: str, how: int, channels: int, method: ann.PoolingAlgorithm
) -> None:
    rng = np.random.default_rng(how)
    x = words(rng, (2, 6, 8, channels), how)
    y = laid_out((2, 3, 4, channels), (how + 1) % 3, np.int16)
    blocks = x.reshape(2, 3, 2, 4, 2, channels).astype(np.float64)
    if method == ann.PoolingAlgorithm.MAX:
        expected = blocks.max(axis=(2, 4))
    else:
        mean = blocks.mean(axis=(2, 4))
        expected = np.sign(mean) * np.floor(np.abs(mean) + 0.5)
    what = Pooling(
        input=word(x),
        output=word(y),
        method=int(method),
        kernel_y=2,
        kernel_x=2,
        stride_y=2,
        stride_x=2,
        dilation_y=1,
        dilation_x=1,
    )
    operators.run("quantized_pooling", quantized_isa, what)
    np.testing.assert_array_equal(y, expected.astype(np.int16))
