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
from .instruction_sets import DOT_ISAS, MATRIX_ISA
from .operators import HEADERS, Operators, address, tensor

Product: Any = HEADERS.structs["quantized_convolution"]
Pair: Any = HEADERS.structs["quantized_binary"]
Pooling: Any = HEADERS.structs["quantized_pooling"]
Table: Any = HEADERS.structs["table"]
X_POINT, Y_POINT = 7, -20
TILES = tuple(
    name.removeprefix("ARMNN_ACC_TILES_").lower()
    for name in HEADERS.enums["tiles"]
    if not name.endswith(("_INT16", "_MATRICES"))  # those have tests of their own
)
MATRICES = list(HEADERS.enums["tiles"]).index("ARMNN_ACC_TILES_MATRICES")


def bytes_of(
    rng: np.random.Generator, shape: tuple[int, ...], how: int, data_type: Any = np.int8
) -> np.ndarray:
    array = laid_out(shape, how, data_type)
    least = np.iinfo(data_type).min
    array[...] = rng.integers(least, least + 256, shape)
    return array


def quantized(array: np.ndarray, point: int, scale: float = 0.1) -> Any:
    result = tensor(array)
    result.element.scale, result.element.zero_point = scale, point
    return result


def scaled(values: np.ndarray, multiplier: int, right: int) -> np.ndarray:
    """Rounded twice: halves upwards, then away from zero."""
    high = (values * multiplier + 2**30) >> 31
    half = (1 << right) >> 1
    rounded: np.ndarray = (high + np.where(high < 0, half - (right > 0), half)) >> right
    return rounded


def stored(levels: np.ndarray, low: int = -128, high: int = 127) -> np.ndarray:
    numbers: np.ndarray = np.clip(levels + Y_POINT, low, high).astype(np.int8)
    return numbers


def windows(x: np.ndarray, kernel: tuple[int, int], stride: int, pad: int) -> np.ndarray:
    """[n, oh, ow, ky, kx, c] of levels, padding being 0."""
    padded = np.pad(x.astype(np.int64) - X_POINT, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    views: np.ndarray = np.lib.stride_tricks.sliding_window_view(padded, kernel, axis=(1, 2))
    return views[:, ::stride, ::stride].transpose(0, 1, 2, 4, 5, 3)


@pytest.mark.parametrize("by", ["choice", "depthwise", *TILES])
@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize(
    ("kernel", "stride", "pad", "channels", "outputs"),
    [
        ((1, 1), 1, 0, 16, 32),
        ((1, 1), 1, 0, 7, 5),
        ((1, 1), 2, 0, 9, 17),
        ((3, 3), 1, 1, 3, 16),
        ((3, 3), 2, 1, 33, 40),
        ((3, 3), 1, 1, 16, 16),
        ((3, 3), 1, 0, 19, 70),
        ((3, 3), 1, 2, 200, 33),
        ((5, 3), 1, 2, 70, 1),
        ((5, 5), 1, 2, 18, 3),
        ((5, 5), 2, 2, 65, 2),
    ],
)
def test_products(
    operators: Operators,
    quantized_isa: str,
    by: str,
    how: int,
    kernel: tuple[int, int],
    stride: int,
    pad: int,
    channels: int,
    outputs: int,
) -> None:
    name = check_product(operators, quantized_isa, by, how, kernel, stride, pad, channels, outputs)
    if by in TILES:
        assert ("_dot_" in name or "_mmla_" in name) == (by == "bytes")
        assert ("_narrow__" in name) == (by == "narrow_pairs")
    else:
        squares = kernel == (3, 3) and stride == 1 and channels >= 16 and by == "choice"
        assert ("winograd" in name) == (squares and quantized_isa not in DOT_ISAS)


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("kernel", [(1, 1), (3, 3), (2, 5)])
@pytest.mark.parametrize(
    ("sides", "stride", "channels", "outputs"),
    [
        ((16, 16), 1, 64, 32),  # whole tiles, whole panels, whole matrices
        ((12, 14), 1, 72, 33),  # rows of half a tile are a line
        ((11, 13), 1, 80, 7),  # and are not
        ((14, 16), 2, 96, 70),
        ((9, 10), 1, 256, 9),
    ],
)
def test_products_of_matrices(
    operators: Operators,
    how: int,
    dilation: int,
    kernel: tuple[int, int],
    sides: tuple[int, int],
    stride: int,
    channels: int,
    outputs: int,
) -> None:
    """The instructions in C, which end the process where a processor would."""
    case = MatrixProduct(how, kernel, sides, stride, dilation, channels, outputs)
    for maker, arguments in (("quantized_tiles", (MATRICES,)), ("quantized_convolution", ())):
        name = operators.run(maker, MATRIX_ISA, case.what, *arguments)
        assert name == "armnn_s8_matrix_gemm__amx"
        np.testing.assert_array_equal(case.y, case.expected)
        case.y[...] = 0


@pytest.mark.parametrize(
    ("channels", "sides"),
    [
        (60, (8, 8)),  # 15 groups of depths
        (212, (8, 8)),  # 53 of them: no equal matrices
        (64, (3, 5)),  # 15 rows
    ],
)
def test_products_too_small_for_matrices(
    operators: Operators, channels: int, sides: tuple[int, int]
) -> None:
    case = MatrixProduct(0, (1, 1), (sides[0] - 2, sides[1] - 2), 1, 1, channels, 5)
    assert "_matrix_" not in operators.run("quantized_convolution", MATRIX_ISA, case.what)
    np.testing.assert_array_equal(case.y, case.expected)


class MatrixProduct:
    """A convolution with a padding of 1, its output and what numpy expects of it."""

    def __init__(
        self,
        how: int,
        kernel: tuple[int, int],
        sides: tuple[int, int],
        stride: int,
        dilation: int,
        channels: int,
        outputs: int,
    ) -> None:
        rng = np.random.default_rng(channels)
        x = bytes_of(rng, (1, *sides, channels), how, np.uint8 if how == 1 else np.int8)
        weights = rng.integers(-128, 128, (outputs, *kernel, channels)).astype(np.int8)
        reach = ((kernel[0] - 1) * dilation + 1, (kernel[1] - 1) * dilation + 1)
        seen = windows(x, reach, stride, 1)[..., ::dilation, ::dilation, :]
        bias = rng.integers(-9999, 9999, outputs).astype(np.int32)
        sums = np.einsum("nyxklc,oklc->nyxo", seen, weights.astype(np.int64)) + bias
        self.expected = stored(scaled(sums, 2**30 + 98765, 11))
        self.y = laid_out(sums.shape, (how + 1) % 3, np.int8)
        points = np.zeros(outputs, np.int32)
        factors = np.tile(np.array([2**30 + 98765, -11], np.int32), (outputs, 1))
        self._alive = (x, weights, bias, points, factors)
        self.what = Product(
            input=quantized(x, X_POINT),
            output=quantized(self.y, Y_POINT),
            weights=quantized(weights, 0),
            weight_zero_points=address(points),
            bias=address(bias),
            factors=address(factors),
            kernel_y=kernel[0],
            kernel_x=kernel[1],
            stride_y=stride,
            stride_x=stride,
            dilation_y=dilation,
            dilation_x=dilation,
            pad_top=1,
            pad_left=1,
            groups=1,
            low=-128,
            high=127,
        )


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("pad", [0, 1])
@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("channels", [1, 31, 32, 40, 63, 64, 65, 96, 97, 130])
def test_windows_of_a_channel(
    operators: Operators, quantized_isa: str, channels: int, stride: int, pad: int, how: int
) -> None:
    """Products of bytes take 64 channels at a time, or 32 of two lines."""
    name = check_product(
        operators, quantized_isa, "depthwise", how, (3, 3), stride, pad, channels, channels
    )
    assert name == (
        f"armnn_s8_depthwise{'_bytes' * (quantized_isa == 'avx512vnni')}__{quantized_isa}"
    )


def check_product(
    operators: Operators,
    quantized_isa: str,
    by: str,
    how: int,
    kernel: tuple[int, int],
    stride: int,
    pad: int,
    channels: int,
    outputs: int,
) -> str:
    """Compare one operator with numpy, and return the name of its kernel."""
    rng = np.random.default_rng(how)
    depthwise = by == "depthwise"
    x = bytes_of(rng, (2, 9, 8, channels), how, np.uint8 if how == 1 else np.int8)
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
    if by in TILES:
        name = operators.run("quantized_tiles", quantized_isa, what, TILES.index(by))
    else:
        maker = "quantized_depthwise" if depthwise else "quantized_convolution"
        name = operators.run(maker, quantized_isa, what)
    np.testing.assert_array_equal(y, stored(levels, -100, 90))
    if y.base is not None and (how + 1) % 3:
        y[...] = 5
        assert (y.base == 5).all(), "the operator wrote beside its output"
    return name


def weights_by_size(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """By how much of them products of bytes in 16 bits do not hold."""
    small = np.clip(np.round(rng.standard_normal(shape) * 15), -127, 127)
    some = small.copy()
    some[rng.random(shape) < 0.02] = 127
    some[shape[0] // 2, :5, ..., 0] = -128
    kinds = {
        "small": np.clip(small, -32, 32),
        "some": some,
        "large": rng.choice([-128, -127, 127], shape),
        "ends": np.full(shape, 127),
    }
    return kinds[kind].astype(np.int8)


@pytest.mark.parametrize("kind", ["small", "some", "large", "ends"])
@pytest.mark.parametrize(
    ("kernel", "channels", "outputs", "sides"),
    [(1, 64, 40, (5, 7)), (1, 67, 5, (4, 4)), (1, 1100, 17, (7, 7)), (3, 12, 33, (6, 9))],
)
def test_products_of_small_weights(
    operators: Operators,
    quantized_isa: str,
    kernel: int,
    channels: int,
    outputs: int,
    sides: tuple[int, int],
    kind: str,
) -> None:
    """Images of the ends of bytes, with the weights whose products in 16 bits would saturate."""
    rng = np.random.default_rng(1)
    x = laid_out((1, *sides, channels), 0, np.uint8)
    x[...] = rng.choice([0, 1, 254, 255, 255], x.shape)
    weights = weights_by_size(rng, kind, (outputs, kernel, kernel, channels))
    seen = windows(x, (kernel, kernel), 1, 0)
    sums = np.einsum("nyxklc,oklc->nyxo", seen, weights.astype(np.int64))
    right = int(np.ceil(np.log2(np.abs(sums).max() / 300)))
    y = laid_out(sums.shape, 0, np.int8)
    points = np.zeros(outputs, np.int32)
    factors = np.tile(np.array([2**30 + 98765, -right], np.int32), (outputs, 1))
    what = Product(
        input=quantized(x, X_POINT),
        output=quantized(y, Y_POINT),
        weights=quantized(weights, 0),
        weight_zero_points=address(points),
        factors=address(factors),
        kernel_y=kernel,
        kernel_x=kernel,
        **{f"{name}_{axis}": 1 for name in ("stride", "dilation") for axis in "yx"},
        groups=1,
    )
    for low in (-128, Y_POINT):  # all numbers, and those that a ReLU leaves
        what.low, what.high = low, 127
        expected = stored(scaled(sums, 2**30 + 98765, right), low, 127)
        for run in ("bytes", "choice"):
            y[...] = 3
            if run == "bytes":
                operators.run("quantized_tiles", quantized_isa, what, TILES.index("bytes"))
            else:
                name = operators.run("quantized_convolution", quantized_isa, what)
                if quantized_isa in ("avx2", "avx512") and channels > 100:
                    assert ("_dot_" in name) == (kind in ("small", "some"))
            np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("shape", [(3, 5, 1), (2, 3, 15), (2, 3, 64), (4, 4, 100)])
def test_elements(
    operators: Operators, quantized_isa: str, shape: tuple[int, ...], how: int
) -> None:
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
    operators.run("quantized_binary", quantized_isa, what)
    products = (x.astype(np.int64) - X_POINT) * (y.astype(np.int64) - 3)
    np.testing.assert_array_equal(z, stored(scaled(products, 1500000000, 6)))
    table = Table(input=quantized(x, 0), output=quantized(z, 0))
    table.table[:] = [(7 * i + 3) % 256 for i in range(256)]
    operators.run("table", quantized_isa, table)
    np.testing.assert_array_equal(z, (7 * x.view(np.uint8).astype(int) + 3).astype(np.int8))


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("count", [1, 15, 63, 64, 65, 127, 128, 129, 300, 511])
def test_tables(operators: Operators, quantized_isa: str, count: int, how: int) -> None:
    """Every byte in every place of a vector, and rests of one."""
    rng = np.random.default_rng(how)
    x = laid_out((256, 1, count), how, np.int8)
    x[...] = (np.arange(256)[:, None, None] + np.arange(count)).astype(np.int8)
    z = laid_out(x.shape, (how + 1) % 3, np.int8)
    what = Table(input=quantized(x, 0), output=quantized(z, 0))
    what.table[:] = rng.integers(0, 256, 256)
    operators.run("table", quantized_isa, what)
    expected = np.array(what.table[:], np.uint8).view(np.int8)[x.view(np.uint8)]
    np.testing.assert_array_equal(z, expected)


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("method", ["MAX", "AVERAGE"])
def test_pooling(operators: Operators, quantized_isa: str, method: str, how: int) -> None:
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
    operators.run("quantized_pooling", quantized_isa, what)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("how", [0, 1, 2])
@pytest.mark.parametrize("columns", [1, 15, 64, 77])
def test_quantize_and_back(
    operators: Operators, quantized_isa: str, columns: int, how: int
) -> None:
    rng = np.random.default_rng(how)
    x = laid_out((3, 5, columns), how)
    x[...] = rng.normal(size=x.shape) * 8
    y, z = laid_out(x.shape, (how + 1) % 3, np.int8), laid_out(x.shape, (how + 2) % 3)
    operators.run(
        "quantize", quantized_isa, HEADERS.structs["quantize"](tensor(x), quantized(y, Y_POINT))
    )
    np.testing.assert_array_equal(y, stored(np.rint(x / np.float32(0.1))))
    operators.run(
        "dequantize", quantized_isa, HEADERS.structs["dequantize"](quantized(y, Y_POINT), tensor(z))
    )
    np.testing.assert_array_equal(z, np.float32(0.1) * (y.astype(np.float32) - Y_POINT))


@pytest.mark.parametrize("ends", [True, False])
def test_products_of_bytes(operators: Operators, quantized_isa: str, ends: bool) -> None:
    """The instruction, or what stands for it: nothing saturates, and sums wrap."""
    rng = np.random.default_rng(int(ends))
    first = np.int8 if operators.takes_signed_bytes(quantized_isa) else np.uint8
    sums = rng.integers(-(2**31), 2**31, 512, np.int32)

    def sides(data_type: Any, count: int) -> np.ndarray:
        limits = np.iinfo(data_type)
        if ends:
            values = rng.choice([limits.min, limits.max], (512, count))
        else:
            values = rng.integers(limits.min, limits.max + 1, (512, count))
        return np.ascontiguousarray(values.astype(data_type))

    for what, types, count in (("bytes", (first, np.int8), 4), ("pairs", (np.int16, np.int16), 2)):
        x, weights = (sides(data_type, count) for data_type in types)
        expected = sums + np.sum(x.astype(np.int64) * weights, axis=1)
        np.testing.assert_array_equal(
            operators.dot(quantized_isa, what, sums, x, weights),
            expected.astype(np.uint64).astype(np.uint32).view(np.int32),
        )


def test_weights_that_need_nine_bits(operators: Operators, quantized_isa: str) -> None:
    """Bytes of weights cannot hold their levels: pairs do."""
    rng = np.random.default_rng(4)
    x = bytes_of(rng, (1, 2, 3, 13), 0)
    weights = rng.integers(0, 256, (5, 1, 1, 13)).astype(np.uint8)
    for point, fits in ((128, True), (127, False), (3, False)):
        weights[0, 0, 0, :2] = [0, 255]
        levels = weights.astype(np.int64) - point
        sums = np.einsum("nyxc,oc->nyxo", x.astype(np.int64) - X_POINT, levels[:, 0, 0])
        y = np.zeros(sums.shape, np.int8)
        points = np.full(5, point, np.int32)
        factors = np.tile(np.array([2**30 + 12345, -8], np.int32), (5, 1))
        what = Product(
            input=quantized(x, X_POINT),
            output=quantized(y, Y_POINT),
            weights=quantized(weights, point),
            weight_zero_points=address(points),
            factors=address(factors),
            **{f"{name}_{axis}": 1 for name in ("kernel", "stride", "dilation") for axis in "yx"},
            groups=1,
            low=-128,
            high=127,
        )
        for kind in ("narrow_pairs", "bytes"):
            y[...] = 0
            name = operators.run("quantized_tiles", quantized_isa, what, TILES.index(kind))
            assert (name != "unsupported") == fits
            if not fits:
                continue
            np.testing.assert_array_equal(y, stored(scaled(sums, 2**30 + 12345, 8)))
        y[...] = 0
        operators.run("quantized_convolution", quantized_isa, what)
        np.testing.assert_array_equal(y, stored(scaled(sums, 2**30 + 12345, 8)))
