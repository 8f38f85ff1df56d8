# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of quantised bytes on tensors with gaps that end at unreadable pages.

Expected values are the integer arithmetic of TensorFlow Lite's 8-bit specification in numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .guarded import laid_out
from .operators import HEADERS, Operators, address, tensor

Product: Any = HEADERS.structs["quantized_convolution"]
Pair: Any = HEADERS.structs["quantized_binary"]
Pooling: Any = HEADERS.structs["quantized_pooling"]
Table: Any = HEADERS.structs["table"]
X_POINT, Y_POINT = 7, -20


def bytes_of(rng: np.random.Generator, shape: tuple[int, ...], how: int) -> np.ndarray:
    array = laid_out(shape, how, np.int8)
    array[...] = rng.integers(-128, 128, shape)
    return array


def quantized(array: np.ndarray, point: int, scale: float = 0.1) -> Any:
    result = tensor(array)
    result.element.scale, result.element.zero_point = scale, point
    return result


def scaled(values: np.ndarray, multiplier: int, right: int) -> np.ndarray:
    """Rounded twice: halves upwards, then away from zero."""
    high = (values * multiplier + 2**30) >> 31
    half = (1 << right) >> 1
    return (high + np.where(high < 0, half - (right > 0), half)) >> right


def stored(levels: np.ndarray, low: int = -128, high: int = 127) -> np.ndarray:
    return np.clip(levels + Y_POINT, low, high).astype(np.int8)


def windows(x: np.ndarray, kernel: tuple[int, int], stride: int, pad: int) -> np.ndarray:
    """[n, oh, ow, ky, kx, c] of levels, padding being 0."""
    padded = np.pad(x.astype(np.int64) - X_POINT, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    views = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(1, 2))
    return views[:, ::stride, ::stride].transpose(0, 1, 2, 4, 5, 3)


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
        ((5, 3), 1, 2, 70, 1),
    ],
)
def test_products(
    operators: Operators,
    isa: str,
    depthwise: bool,
    how: int,
    kernel: tuple[int, int],
    stride: int,
    pad: int,
    channels: int,
    outputs: int,
) -> None:
    rng = np.random.default_rng(how)
    x = bytes_of(rng, (2, 9, 8, channels), how)
    outputs = channels if depthwise else outputs
    weights = rng.integers(-127, 128, (outputs, *kernel, 1 if depthwise else channels))
    weights = weights.astype(np.int8)
    seen = windows(x, kernel, stride, pad)
    if depthwise:
        sums = np.einsum("nyxklc,ckl->nyxc", seen, weights[..., 0].astype(np.int64))
    else:
        sums = np.einsum("nyxklc,oklc->nyxo", seen, weights.astype(np.int64))
    bias = rng.integers(-9999, 9999, outputs).astype(np.int32)
    rights = rng.integers(6, 12, outputs).astype(np.int32)
    multipliers = rng.integers(2**30, 2**31, outputs).astype(np.int32)
    factors = np.stack([multipliers, -rights], axis=1).astype(np.int32)
    levels = np.empty_like(sums)
    for o in range(outputs):
        levels[..., o] = scaled(sums[..., o] + int(bias[o]), int(multipliers[o]), int(rights[o]))
    y = laid_out(sums.shape, (how + 1) % 3, np.int8)
    points = np.zeros(outputs, np.int32)
    what = Product(
        input=quantized(x, X_POINT),
        output=quantized(y, Y_POINT),
        weights=quantized(weights, 0),
        weight_zero_points=address(points),
        bias=address(bias),
        factors=address(factors),
        kernel_y=kernel[0],
        kernel_x=kernel[1],
        stride_y=stride,
        stride_x=stride,
        dilation_y=1,
        dilation_x=1,
        pad_top=pad,
        pad_left=pad,
        groups=channels if depthwise else 1,
        low=-100,
        high=90,
    )
    name = "quantized_depthwise" if depthwise else "quantized_convolution"
    assert "s8" in operators.run(name, isa, what)
    np.testing.assert_array_equal(y, stored(levels, -100, 90))
    if y.base is not None and (how + 1) % 3:
        y[...] = 5
        assert (y.base == 5).all(), "the operator wrote beside its output"


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("shape", [(3, 5, 1), (2, 3, 15), (2, 3, 64), (4, 4, 100)])
def test_elements(operators: Operators, isa: str, shape: tuple[int, ...], how: int) -> None:
    rng = np.random.default_rng(how)
    x, y = bytes_of(rng, shape, how), bytes_of(rng, (1, 1, shape[2]), 0)
    z = laid_out(shape, (how + 1) % 3, np.int8)
    factor = HEADERS.structs["quantized_binary"]
    what = factor(
        left=quantized(x, X_POINT),
        right=quantized(y, 3),
        output=quantized(z, Y_POINT),
        operation=abi.ARMNN_BINARY_MUL,
        low=-128,
        high=127,
    )
    what.factor.multiplier, what.factor.shift = 1500000000, -6
    operators.run("quantized_binary", isa, what)
    products = (x.astype(np.int64) - X_POINT) * (y.astype(np.int64) - 3)
    np.testing.assert_array_equal(z, stored(scaled(products, 1500000000, 6)))
    table = Table(input=quantized(x, 0), output=quantized(z, 0))
    table.table[:] = [(7 * i + 3) % 256 for i in range(256)]
    operators.run("table", isa, table)
    np.testing.assert_array_equal(z, (7 * x.view(np.uint8).astype(int) + 3).astype(np.int8))


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("method", ["MAX", "AVERAGE"])
def test_pooling(operators: Operators, isa: str, method: str, how: int) -> None:
    rng = np.random.default_rng(how)
    x = bytes_of(rng, (2, 9, 8, 67), how)
    seen = windows(x, (3, 2), 2, 0)
    if method == "MAX":
        expected = seen.max(axis=(3, 4)) + X_POINT
    else:
        mean = (seen.mean(axis=(3, 4), dtype=np.float64)).astype(np.float32) + np.float32(X_POINT)
        expected = np.trunc(mean + np.copysign(np.float32(0.5), mean))
    y = laid_out(expected.shape, (how + 1) % 3, np.int8)
    what = Pooling(
        input=quantized(x, X_POINT),
        output=quantized(y, X_POINT),
        method=getattr(abi, f"ARMNN_POOLING_{method}"),
        kernel_y=3,
        kernel_x=2,
        stride_y=2,
        stride_x=2,
        dilation_y=1,
        dilation_x=1,
    )
    operators.run("quantized_pooling", isa, what)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("columns", [1, 15, 64, 77])
def test_quantize_and_back(operators: Operators, isa: str, columns: int, how: int) -> None:
    rng = np.random.default_rng(how)
    x = laid_out((3, 5, columns), how)
    x[...] = rng.normal(size=x.shape) * 8
    y, z = laid_out(x.shape, (how + 1) % 3, np.int8), laid_out(x.shape, (how + 2) % 3)
    operators.run("quantize", isa, HEADERS.structs["quantize"](tensor(x), quantized(y, Y_POINT)))
    np.testing.assert_array_equal(y, stored(np.rint(x / np.float32(0.1))))
    operators.run(
        "dequantize", isa, HEADERS.structs["dequantize"](quantized(y, Y_POINT), tensor(z))
    )
    np.testing.assert_array_equal(z, np.float32(0.1) * (y.astype(np.float32) - Y_POINT))
