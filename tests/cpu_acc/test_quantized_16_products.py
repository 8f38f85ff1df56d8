# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Products of numbers of 16 bits with weights of 8: large sums, and the specification."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann

from .products import W16, F, Family, byte_weights, random_product, word_info
from .quantized import check_equal, numbers, outputs_of, quantized_runtime, scale_in

__all__ = ["quantized_runtime"]

Q = ann.QuantizationInfo


@pytest.mark.parametrize("seed", range(20))
def test_sums_of_64_bits(quantized_runtime: ann.Runtime, seed: int) -> None:
    """Weights and depths that 32 bits do not hold."""
    rng = np.random.default_rng(seed)
    channels = int(rng.choice([300, 515, 520, 700]))
    shape = (1, int(rng.integers(1, 4)), int(rng.integers(1, 6)), channels)
    network = ann.Network()
    x = network.add_input("x", word_info(rng, shape)).output
    network.add_output("y", random_product(network, rng, x, shape, Family(W16), large=True))
    extreme = rng.choice([-32768, 32767], shape).astype(np.int16) if seed % 2 else None
    alike = np.full(shape, -32768, np.int16)
    given = {} if seed % 4 == 0 else {"x": alike if extreme is None else extreme}
    check_equal(quantized_runtime, network, rng, **given)


def fixed(real: float) -> tuple[int, int]:
    """TensorFlow Lite's QuantizeMultiplier: 31 bits and a shift to the left."""
    fraction, exponent = np.frexp(real)
    multiplier = round(float(fraction) * 2**31)
    return (2**30, int(exponent) + 1) if multiplier == 2**31 else (multiplier, int(exponent))


def rounded(total: int, multiplier: int, right: int) -> int:
    return (total * multiplier + (1 << (right - 1))) >> right


@pytest.mark.parametrize("depth", [8, 600])
def test_specification_of_a_convolution(quantized_runtime: ann.Runtime, depth: int) -> None:
    """TensorFlow Lite's int16x8: 64-bit sums by a factor of 16 bits, rounded once."""
    rng = np.random.default_rng(depth)
    scales = tuple(float(s) for s in np.exp(rng.uniform(-7, -3, 5)).astype(np.float32))
    w_info = ann.TensorInfo(
        (5, 1, 1, depth), ann.DataType.QSYMM_S8, quantization=Q(scales, (0,) * 5, 0)
    )
    x_info = word_info(rng, (1, 3, 7, depth), 0.0013)
    y_info = word_info(rng, (1, 3, 7, 5), 0.0013 * depth**0.5)
    weights = rng.integers(100, 128, w_info.static_shape).astype(np.int8)
    bias = rng.integers(-(2**33), 2**33, 5)
    network = ann.Network()
    x = network.add_input("x", x_info)
    constant = network.add_constant(weights, info=w_info)
    network.add_output("y", network.add_convolution2d(x, constant, bias, output_info=y_info))
    given = {"x": numbers(rng, x_info)}
    sums = given["x"].astype(np.int64) @ weights.reshape(5, depth).T.astype(np.int64) + bias
    expected = np.empty_like(sums)
    for o, scale in enumerate(scales):
        multiplier, shift = fixed(scale_in(x_info) * scale / scale_in(y_info))
        small = (multiplier + 2**15) >> 16 if multiplier < 0x7FFF0000 else 0x7FFF
        expected[..., o] = [
            [[rounded(int(t), small, 15 - shift) for t in line] for line in image]
            for image in sums[..., o]
        ]
    outputs, _ = outputs_of(quantized_runtime, network, given, ["CpuAcc"])
    np.testing.assert_array_equal(outputs["y"], np.clip(expected, -32768, 32767))
    assert len(np.unique(expected)) > 50


@pytest.mark.parametrize("depth", [8, 1200])
def test_specification_of_a_matrix(quantized_runtime: ann.Runtime, depth: int) -> None:
    """The scales' product in float32, a factor of 32 bits, rounded once."""
    rng = np.random.default_rng(depth)
    x_info, y_info = word_info(rng, (9, depth), 0.0021), word_info(rng, (9, 4), 0.01)
    w_info = ann.TensorInfo((4, depth), ann.DataType.QSYMM_S8, quantization=Q((0.013,), (0,)))
    weights = rng.integers(60, 128, (4, depth)).astype(np.int8)
    bias = rng.integers(-(2**33), 2**33, 4)
    network = ann.Network()
    x = network.add_input("x", x_info)
    constant = network.add_constant(weights, info=w_info)
    y = network.add_fully_connected(
        x, constant, bias, transpose_weight_matrix=True, output_info=y_info
    )
    network.add_output("y", y)
    given = {"x": numbers(rng, x_info)}
    sums = given["x"].astype(np.int64) @ weights.T.astype(np.int64) + bias
    real = float(np.float32(scale_in(x_info)) * np.float32(0.013)) / scale_in(y_info)
    multiplier, shift = fixed(real)
    expected = [[rounded(int(t), multiplier, 31 - shift) for t in row] for row in sums]
    outputs, _ = outputs_of(quantized_runtime, network, given, ["CpuAcc"])
    np.testing.assert_array_equal(outputs["y"], np.clip(expected, -32768, 32767))


def test_bounds_go_into_products(quantized_runtime: ann.Runtime) -> None:
    """A ReLU of the same scale is no operator of its own."""
    rng = np.random.default_rng(3)
    weights, info = byte_weights(rng, (8, 3, 3, 6), 0)
    result = word_info(rng, (1, 5, 5, 8), 0.02)
    network = ann.Network()
    x = network.add_input("x", word_info(rng, (1, 5, 5, 6), 0.001))
    y = network.add_convolution2d(
        x, network.add_constant(weights, info=info), padding="same", output_info=result
    )
    y = network.add_activation(y, F.BOUNDED_RELU, 6, 0, output_info=result)
    network.add_output("y", y)
    outputs = check_equal(quantized_runtime, network, rng)
    assert outputs["y"].min() == 0
    assert outputs["y"].max() == round(6 / 0.02)
