# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Bytes that are real numbers only for a scale and a shift of each channel: numpy's levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import OptimizerOptions, optimize

from .quantized import S8, U8, info_of, numbers, outputs_of, quantized_runtime, reference_outputs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["quantized_runtime"]

F = ann.ActivationFunction
BOUNDS = {"none": (-np.inf, np.inf), "relu": (0.0, np.inf), "bounded": (-0.5, 1.5)}


def chain(
    rng: np.random.Generator, shape: tuple[int, ...], seed: int, bounds: str
) -> tuple[ann.Network, Any, Any]:
    """Bytes to bytes, and what numpy knows of it: (network, last output, steps of a byte)."""
    network = ann.Network()
    source = info_of(rng, shape, (S8, U8)[seed % 2], 0.05)
    result = info_of(rng, shape, (S8, U8)[seed // 2 % 2], 0.04)
    scale = rng.normal(size=shape[-1]).astype(np.float32)
    shift = rng.normal(size=shape[-1]).astype(np.float32)
    real = network.add_dequantize(network.add_input("x", source))
    real = network.add_multiplication(real, network.add_constant(scale))
    real = network.add_addition(real, network.add_constant(shift))
    low, high = BOUNDS[bounds]
    if bounds == "relu":
        real = network.add_activation(real, F.RELU)
    elif bounds == "bounded":
        real = network.add_activation(real, F.BOUNDED_RELU, a=high, b=low)
    assert result.quantization is not None
    last = network.add_quantize(real, result.data_type, result.quantization, name="last")

    def steps(x: NDArray[Any]) -> NDArray[Any]:
        assert source.quantization is not None
        assert result.quantization is not None
        levels = x.astype(np.float64) - source.quantization.zero_points[0]
        values = np.clip(levels * source.quantization.scales[0] * scale + shift, low, high)
        ends = np.iinfo(result.dtype)
        point = result.quantization.zero_points[0]
        return np.clip(values / result.quantization.scales[0] + point, ends.min, ends.max)

    return network, last, steps


@pytest.mark.parametrize("shape", [(2, 5, 7, 33), (40, 64), (3, 11, 100), (1, 1), (2, 3, 16)])
@pytest.mark.parametrize("bounds", list(BOUNDS))
def test_scales_and_shifts_of_bytes(
    quantized_runtime: ann.Runtime, shape: tuple[int, ...], bounds: str
) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        network, last, steps = chain(rng, shape, seed, bounds)
        network.add_output("y", last)
        given = {"x": numbers(rng, network.inputs["x"])}
        outputs, _ = outputs_of(quantized_runtime, network, given, ["CpuAcc"])
        assert np.abs(outputs["y"] - steps(given["x"])).max() < 0.5 + 1e-3


def kernels_of(runtime: ann.Runtime, network: ann.Network, given: dict[str, Any]) -> list[str]:
    options = OptimizerOptions(simplify=False)
    optimized = optimize(network, ["CpuAcc"], runtime=runtime, options=options)
    with runtime.load_network(optimized) as net, net.profile() as profile:
        net.run(given)
    return [str(row.kernel) for row in profile.layers]


def test_one_kernel_for_all(quantized_runtime: ann.Runtime) -> None:
    rng = np.random.default_rng(0)
    network, last, _ = chain(rng, (5, 64), 0, "relu")
    network.add_output("y", last)
    kernels = kernels_of(quantized_runtime, network, {"x": numbers(rng, network.inputs["x"])})
    assert sum("s8_affine" in kernel for kernel in kernels) == 1
    assert not any("quantize" in kernel for kernel in kernels)


def test_real_numbers_that_others_read_are_made(quantized_runtime: ann.Runtime) -> None:
    rng = np.random.default_rng(1)
    network = ann.Network()
    real = network.add_dequantize(network.add_input("x", info_of(rng, (9, 40), S8, 0.1)))
    scaled = network.add_multiplication(real, network.add_constant(np.full(40, 3.0, np.float32)))
    result = info_of(rng, (9, 40), S8, 0.2)
    assert result.quantization is not None
    network.add_output("y", network.add_quantize(scaled, S8, result.quantization))
    network.add_output("z", network.add_activation(scaled, F.TANH))
    given = {"x": numbers(rng, network.inputs["x"])}
    outputs, _ = outputs_of(quantized_runtime, network, given, ["CpuAcc"])
    expected = reference_outputs(quantized_runtime, network, given)
    np.testing.assert_allclose(outputs["z"], expected["z"], atol=1e-6)
    np.testing.assert_array_equal(outputs["y"], expected["y"])


def test_numbers_that_are_not_finite_stay_real(quantized_runtime: ann.Runtime) -> None:
    rng = np.random.default_rng(2)
    network = ann.Network()
    real = network.add_dequantize(network.add_input("x", info_of(rng, (9, 8), S8, 0.1)))
    scale = np.array([1, np.inf, -np.inf, np.nan, 0, 1, 2, 3], np.float32)
    scaled = network.add_multiplication(real, network.add_constant(scale))
    result = info_of(rng, (9, 8), S8, 0.2)
    assert result.quantization is not None
    network.add_output("y", network.add_quantize(scaled, S8, result.quantization))
    given = {"x": numbers(rng, network.inputs["x"])}
    kernels = kernels_of(quantized_runtime, network, given)
    assert not any("s8_affine" in kernel for kernel in kernels)


def test_channels_of_a_part(quantized_runtime: ann.Runtime) -> None:
    """What is joined is written where it belongs, in rows that lie apart."""
    rng = np.random.default_rng(3)
    network, last, steps = chain(rng, (4, 3, 5, 32), 0, "none")
    info = last.output.info
    other = network.add_input("other", info)
    network.add_output("y", network.add_concat([other, last], axis=3))
    given = {name: numbers(rng, info) for name, info in network.inputs.items()}
    outputs, _ = outputs_of(quantized_runtime, network, given, ["CpuAcc"])
    np.testing.assert_array_equal(outputs["y"][..., :32], given["other"])
    assert np.abs(outputs["y"][..., 32:] - steps(given["x"])).max() < 0.5 + 1e-3
