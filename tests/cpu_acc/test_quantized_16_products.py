# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Products of numbers of 16 bits with weights of 8: large sums, bounds, and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .products import W16, F, Family, byte_weights, int16_info, random_product
from .quantized import check_equal, quantized_runtime

__all__ = ["quantized_runtime"]

Q = ann.QuantizationInfo


@pytest.mark.parametrize("seed", range(20))
def test_sums_of_64_bits(quantized_runtime: ann.Runtime, seed: int) -> None:
    """Weights and depths that 32 bits do not hold."""
    rng = np.random.default_rng(seed)
    channels = int(rng.choice([300, 515, 520, 700]))
    shape = (1, int(rng.integers(1, 4)), int(rng.integers(1, 6)), channels)
    network = ann.Network()
    x = network.add_input("x", int16_info(rng, shape)).output
    network.add_output("y", random_product(network, rng, x, shape, Family(W16), large=True))
    extreme = rng.choice([-32768, 32767], shape).astype(np.int16) if seed % 2 else None
    alike = np.full(shape, -32768, np.int16)
    given = {} if seed % 4 == 0 else {"x": alike if extreme is None else extreme}
    check_equal(quantized_runtime, network, rng, **given)


def rounded(total: int, multiplier: int, right: int) -> int:
    return (total * multiplier + (1 << (right - 1))) >> right


def test_bounds_go_into_products(quantized_runtime: ann.Runtime) -> None:
    """A ReLU of the same scale is not an operator of its own."""
    rng = np.random.default_rng(3)
    weights, info = byte_weights(rng, (8, 3, 3, 6), 0)
    result = int16_info(rng, (1, 5, 5, 8), 0.02)
    network = ann.Network()
    x = network.add_input("x", int16_info(rng, (1, 5, 5, 6), 0.001))
    y = network.add_convolution2d(
        x, network.add_constant(weights, info=info), padding="same", output_info=result
    )
    y = network.add_activation(y, F.BOUNDED_RELU, 6, 0, output_info=result)
    network.add_output("y", y)
    outputs = check_equal(quantized_runtime, network, rng)
    assert outputs["y"].min() == 0
    assert outputs["y"].max() == round(6 / 0.02)


def refusal(runtime: ann.Runtime, network: ann.Network) -> str:
    with pytest.raises(ann.NoBackendForLayerError) as caught:
        ann.optimize(network, ["CpuAcc"], runtime=runtime)
    return "; ".join((caught.value.message, *caught.value.details))


def test_refusals(runtime: ann.Runtime) -> None:
    rng = np.random.default_rng(0)
    shape = (1, 4, 4, 8)

    def made(add: Any, other: ann.TensorInfo | None = None) -> str:
        network = ann.Network()
        x = network.add_input("x", int16_info(rng, shape, 0.01))
        y = network.add_input("y", other or int16_info(rng, shape, 0.02))
        network.add_output("z", add(network, x, y))
        return refusal(runtime, network)

    out, most = int16_info(rng, shape, 0.01), ann.BinaryOperation.MAXIMUM
    said = made(lambda n, x, y: n.add_elementwise_binary(x, y, most, output_info=out))
    assert "has no kernel for quantised numbers" in said
    said = made(lambda n, x, y: n.add_resize(x, (8, 8), ann.ResizeMethod.BILINEAR))
    assert "no kernel for quantised int16" in said
    small = int16_info(rng, (1, 1, 1, 8), 0.01)
    said = made(
        lambda n, x, y: n.add_reduce(
            x, ann.ReduceOperation.MAX, (1, 2), keep_dims=True, output_info=small
        )
    )
    assert "Max has no kernel for quantised int16" in said
    weights = rng.integers(0, 255, (8, 1, 1, 8)).astype(np.uint8)
    w_info = ann.TensorInfo(weights.shape, ann.DataType.QASYMM_U8, quantization=Q((0.01,), (120,)))
    said = made(
        lambda n, x, y: n.add_convolution2d(
            x, n.add_constant(weights, info=w_info), output_info=out
        )
    )
    assert (
        "the weights are quantised uint8, the kernel for quantised int16 takes zero points of 0"
        in said
    )
