# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Small networks, run on CpuAcc and on CpuRef, and the rows of a profile for their layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import OptimizerOptions

from .saving import check_saved

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Make = Callable[[ann.Network, ann.OutputSlot, Any], ann.OutputSlot]

F = ann.ActivationFunction
NCHW, NHWC = ann.DataLayout.NCHW, ann.DataLayout.NHWC
LAYOUTS = [pytest.param(NCHW, id="nchw"), pytest.param(NHWC, id="nhwc")]


def values_of(seed: int, *shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def inputs_of(network: ann.Network) -> dict[str, NDArray[np.float32]]:
    return {
        name: values_of(number, *info.static_shape)
        for number, (name, info) in enumerate(network.inputs.items())
    }


def run(
    runtime: ann.Runtime, network: ann.Network, backends: list[str]
) -> tuple[dict[str, NDArray[Any]], list[str], ann.OptimizedNetwork]:
    """Outputs for fixed inputs, and the rows of a profile: fused layers joined by " + ".

    Without the optimiser's own passes, so that the fusions are those of the backend.
    """
    inputs = inputs_of(network)
    optimized = ann.optimize(
        network, backends, runtime=runtime, options=OptimizerOptions(simplify=False)
    )
    with runtime.load_network(optimized) as net:
        with net.profile() as profile:
            outputs = {name: np.array(array) for name, array in net.run(inputs).items()}
        # The time of a part that is not its operators' has a row by the backend's name.
        rows = [row.layer for row in profile.layers if not row.layer.startswith("CpuAcc: ")]
    if "CpuAcc" in backends:
        check_saved(runtime, optimized, inputs, outputs)
    return outputs, rows, optimized


def check(runtime: ann.Runtime, network: ann.Network) -> list[str]:
    """Same outputs as CpuRef; returns the profile's rows of CpuAcc."""
    expected, _, _ = run(runtime, network, ["CpuRef"])
    outputs, rows, optimized = run(runtime, network, ["CpuAcc", "CpuRef"])
    assert {row.backend for row in optimized.assignment if row.backend} == {"CpuAcc"}
    assert_close(outputs, expected)
    return rows


def assert_close(outputs: dict[str, NDArray[Any]], expected: dict[str, NDArray[Any]]) -> None:
    assert outputs.keys() == expected.keys()
    for name, value in expected.items():
        largest = max(float(np.abs(value).max()), 1e-3)
        np.testing.assert_allclose(outputs[name], value, rtol=1e-4, atol=2e-6 * largest)


def image(network: ann.Network, layout: ann.DataLayout, *, channels: int = 12) -> ann.OutputSlot:
    shape = (2, channels, 9, 10) if layout == NCHW else (2, 9, 10, channels)
    return network.add_input("x", ann.TensorInfo(shape)).output


def convolution(
    network: ann.Network,
    x: ann.OutputSlot,
    layout: ann.DataLayout,
    outputs: int = 20,
    *,
    kernel: int = 3,
    name: str = "conv",
    **options: Any,
) -> ann.OutputSlot:
    shape = x.info.static_shape
    inputs = shape[1] if layout == NCHW else shape[3]
    weights = values_of(7, outputs, inputs, kernel, kernel) / 6
    if layout == NHWC:
        weights = weights.transpose(0, 2, 3, 1)
    options = {"padding": "same"} | options
    return network.add_convolution2d(
        x,
        np.ascontiguousarray(weights),
        values_of(8, outputs),
        data_layout=layout,
        name=name,
        **options,
    ).output


def per_channel(layout: ann.DataLayout, channels: int, seed: int) -> NDArray[np.float32]:
    shape = (1, channels, 1, 1) if layout == NCHW else (1, 1, 1, channels)
    return values_of(seed, channels).reshape(shape)


def chain(*makes: Make) -> Make:
    def make(network: ann.Network, x: ann.OutputSlot, layout: Any) -> ann.OutputSlot:
        for one in makes:
            x = one(network, x, layout)
        return x

    return make


def function(kind: F, a: float = 0.0, b: float = 0.0, name: str = "") -> Make:
    return lambda network, x, _: network.add_activation(x, kind, a, b, name=name).output


def swish(network: ann.Network, x: ann.OutputSlot, _: Any) -> ann.OutputSlot:
    gate = network.add_activation(x, F.SIGMOID, name="gate")
    return network.add_multiplication(x, gate, name="product").output


def hard_swish(network: ann.Network, x: ann.OutputSlot, _: Any) -> ann.OutputSlot:
    """As it is exported by frameworks that have no operator for it."""
    three = network.add_addition(x, np.full((1,), 3, np.float32), name="three")
    gate = network.add_activation(three, F.BOUNDED_RELU, 6, 0, name="gate")
    product = network.add_multiplication(x, gate, name="product")
    return network.add_division(product, np.full((1,), 6, np.float32), name="six").output


def hard_sigmoid_gate(network: ann.Network, x: ann.OutputSlot, _: Any) -> ann.OutputSlot:
    line = network.add_activation(x, F.LINEAR, 1 / 6, 0.5, name="line")
    gate = network.add_activation(line, F.BOUNDED_RELU, 1, 0, name="gate")
    return network.add_multiplication(gate, x, name="product").output


def batch_normalization(network: ann.Network, x: ann.OutputSlot, layout: Any) -> ann.OutputSlot:
    channels = x.info.static_shape[1 if layout == NCHW else 3]
    return network.add_batch_normalization(
        x,
        values_of(1, channels),
        np.abs(values_of(2, channels)) + 0.5,
        values_of(3, channels),
        values_of(4, channels),
        data_layout=layout,
        name="norm",
    ).output


def scale(network: ann.Network, x: ann.OutputSlot, layout: Any) -> ann.OutputSlot:
    channels = x.info.static_shape[1 if layout == NCHW else 3]
    return network.add_multiplication(x, per_channel(layout, channels, 5), name="scale").output


def shift(network: ann.Network, x: ann.OutputSlot, layout: Any) -> ann.OutputSlot:
    channels = x.info.static_shape[1 if layout == NCHW else 3]
    return network.add_subtraction(per_channel(layout, channels, 6), x, name="shift").output


RELU = function(F.RELU, name="relu")
