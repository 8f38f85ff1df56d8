# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers of numbers of 16 bits but for products: CpuRef's bits, the specification, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import optimize

from .products import W16, word_info
from .quantized import (
    S8,
    U8,
    check_equal,
    info_of,
    numbers,
    outputs_of,
    quantized_runtime,
    scale_in,
)
from .test_quantized_16_products import fixed
from .test_quantized_products import high_product, shift_right

__all__ = ["quantized_runtime"]

B = ann.BinaryOperation
Q = ann.QuantizationInfo

SHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 5, 7, 19), (2, 5, 7, 19)),
    ((2, 5, 7, 19), (19,)),
    ((2, 5, 7, 19), (2, 1, 1, 19)),
    ((2, 5, 7, 19), (2, 5, 7, 1)),
    ((1,), (130,)),
    ((3, 1, 4), (1, 5, 1)),
    ((1, 1), (1, 1)),
]


@pytest.mark.parametrize("operation", [B.ADD, B.SUB, B.MUL])
@pytest.mark.parametrize("seed", range(len(SHAPES) * 2))
def test_two_operands(quantized_runtime: ann.Runtime, operation: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shapes = SHAPES[seed % len(SHAPES)]
    scales = [0.001, 0.001 * float(rng.choice([1, 0.2, 3, 1e-4]))]
    network = ann.Network()
    x, y = (
        network.add_input(name, word_info(rng, shape, scale))
        for name, shape, scale in zip("xy", shapes, scales, strict=True)
    )
    largest = scales[0] * scales[1] * 20000 if operation == B.MUL else max(scales)
    shape = np.broadcast_shapes(*shapes)
    result = word_info(rng, shape, largest * float(rng.choice([0.3, 1, 2, 40])))
    z = network.add_elementwise_binary(x, y, operation, output_info=result)
    network.add_output("z", z)
    given = {name: numbers(rng, info) for name, info in network.inputs.items()}
    given["x"].flat[0] = given["y"].flat[0] = -32768
    check_equal(quantized_runtime, network, rng, **given)


@pytest.mark.parametrize("operation", [B.ADD, B.SUB, B.MUL])
def test_specification_of_two_operands(quantized_runtime: ann.Runtime, operation: Any) -> None:
    """TensorFlow Lite's ADD, SUB and MUL of int16: sums have 15 bits behind the point."""
    rng = np.random.default_rng(0)
    s_x, s_y = (float(np.float32(s)) for s in (0.0013, 0.0007))
    out = 0.0021 if operation != B.MUL else 0.02
    infos = [word_info(rng, (3, 70), s) for s in (s_x, s_y, out)]
    s_z = scale_in(infos[2])
    network = ann.Network()
    x, y = (network.add_input(name, info) for name, info in zip("xy", infos, strict=False))
    z = network.add_elementwise_binary(x, y, operation, output_info=infos[2])
    network.add_output("z", z)
    given = {name: numbers(rng, info) for name, info in network.inputs.items()}

    def scaled(value: int, factor: tuple[int, int]) -> int:
        multiplier, shift = factor
        return shift_right(high_product(value, multiplier), -int(shift))

    twice = 2 * max(s_x, s_y)
    terms = [fixed(s / twice) for s in (s_x, s_y)]
    if operation == B.MUL:
        factor = fixed(float(np.float32(s_x) * np.float32(s_y) / np.float32(s_z)))
    else:
        factor = fixed(twice / (2**15 * s_z))
    expected = []
    for a, b in zip(given["x"].flat, given["y"].flat, strict=True):
        p, q = (scaled(int(v) << 15, term) for v, term in zip((a, b), terms, strict=True))
        value = int(a) * int(b) if operation == B.MUL else p + q if operation == B.ADD else p - q
        expected.append(scaled(value, factor))
    outputs, _ = outputs_of(quantized_runtime, network, given, ["CpuAcc"])
    np.testing.assert_array_equal(
        outputs["z"].ravel(), np.clip(expected, -32768, 32767).astype(np.int16)
    )


@pytest.mark.parametrize("axes", [(1, 2), (3,), (0,), (2, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("keep", [True, False])
def test_means(quantized_runtime: ann.Runtime, axes: tuple[int, ...], keep: bool) -> None:
    rng = np.random.default_rng(len(axes))
    shape = (2, 5, 6, 37)
    kept = tuple(1 if d in axes else side for d, side in enumerate(shape) if keep or d not in axes)
    network = ann.Network()
    x = network.add_input("x", word_info(rng, shape, 0.002))
    y = network.add_reduce(
        x,
        ann.ReduceOperation.MEAN,
        axes,
        keep_dims=keep,
        output_info=word_info(rng, kept, 0.0003),
    )
    network.add_output("y", y)
    check_equal(quantized_runtime, network, rng)


@pytest.mark.parametrize("data_type", [S8, U8])
def test_scales_that_change(quantized_runtime: ann.Runtime, data_type: Any) -> None:
    """From 8 bits to 16, to another scale, and back."""
    rng = np.random.default_rng(0)
    network = ann.Network()
    info = info_of(rng, (3, 5, 130), data_type, 0.05)
    x = network.add_input("x", info)
    y = network.add_quantize(x, W16, Q((0.0007,), (0,)))
    network.add_output("wide", y)
    z = network.add_quantize(y, W16, Q((0.0003,), (0,)))
    network.add_output("other", z)
    assert info.quantization is not None
    network.add_output("narrow", network.add_quantize(z, data_type, info.quantization))
    check_equal(quantized_runtime, network, rng)


def test_real_numbers(quantized_runtime: ann.Runtime) -> None:
    rng = np.random.default_rng(0)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((7, 133)))
    q = network.add_quantize(x, W16, Q((0.001,), (0,)))
    network.add_output("q", q)
    network.add_output("y", network.add_dequantize(q))
    values = rng.normal(0, 20, (7, 133)).astype(np.float32)
    values.flat[:6] = [np.nan, np.inf, -np.inf, 0.0005, 0.0015, -0.0]
    outputs = check_equal(quantized_runtime, network, rng, x=values)
    steps = np.nan_to_num(np.rint(values / np.float32(0.001)), nan=0, posinf=4e4, neginf=-4e4)
    expected = np.clip(steps, -32768, 32767).astype(np.int16)
    np.testing.assert_array_equal(outputs["q"], expected)
    np.testing.assert_array_equal(outputs["y"], np.float32(0.001) * expected.astype(np.float32))


def refusal(runtime: ann.Runtime, network: ann.Network) -> str:
    with pytest.raises(ann.NoBackendForLayerError) as caught:
        optimize(network, ["CpuAcc"], runtime=runtime)
    return "; ".join((caught.value.message, *caught.value.details))


def test_refusals(runtime: ann.Runtime) -> None:
    rng = np.random.default_rng(0)
    shape = (1, 4, 4, 8)

    def made(add: Any, other: ann.TensorInfo | None = None) -> str:
        network = ann.Network()
        x = network.add_input("x", word_info(rng, shape, 0.01))
        y = network.add_input("y", other or word_info(rng, shape, 0.02))
        network.add_output("z", add(network, x, y))
        return refusal(runtime, network)

    out = word_info(rng, shape, 0.01)
    said = made(lambda n, x, y: n.add_elementwise_binary(x, y, B.MAXIMUM, output_info=out))
    assert "has no kernel for quantised numbers" in said
    said = made(lambda n, x, y: n.add_resize(x, (8, 8), ann.ResizeMethod.BILINEAR))
    assert "no kernel for quantised int16" in said
    small = word_info(rng, (1, 1, 1, 8), 0.01)
    said = made(
        lambda n, x, y: n.add_reduce(
            x, ann.ReduceOperation.MAX, (1, 2), keep_dims=True, output_info=small
        )
    )
    assert "Max has no kernel for quantised int16" in said
    weights = rng.integers(0, 255, (8, 1, 1, 8)).astype(np.uint8)
    w_info = ann.TensorInfo(weights.shape, U8, quantization=Q((0.01,), (120,)))
    said = made(
        lambda n, x, y: n.add_convolution2d(
            x, n.add_constant(weights, info=w_info), output_info=out
        )
    )
    assert (
        "the weights are quantised uint8, the kernel for quantised int16 takes zero points of 0"
        in said
    )
