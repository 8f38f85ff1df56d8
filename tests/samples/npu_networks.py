# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks and checks that the tests of Sample_Npu share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import armnn_py as ann

if TYPE_CHECKING:
    from numpy.typing import NDArray

NCHW, NHWC = ann.DataLayout.NCHW, ann.DataLayout.NHWC
RELU, BOUNDED = ann.ActivationFunction.RELU, ann.ActivationFunction.BOUNDED_RELU


def numbers(*shape: int, seed: int = 0) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def image(layout: ann.DataLayout, n: int, c: int, h: int, w: int) -> tuple[int, ...]:
    return (n, c, h, w) if layout is NCHW else (n, h, w, c)


def convolution(
    network: ann.Network,
    x: Any,
    channels: tuple[int, int],
    kernel: tuple[int, int] = (3, 3),
    *,
    layout: ann.DataLayout = NCHW,
    groups: int = 1,
    seed: int = 1,
    **settings: Any,
) -> Any:
    shape = image(layout, channels[1], channels[0] // groups, *kernel)
    weights, bias = numbers(*shape, seed=seed), numbers(channels[1], seed=seed + 1)
    return network.add_convolution2d(
        x, weights, bias, data_layout=layout, groups=groups, **settings
    )


def check(runtime: ann.Runtime, network: ann.Network, inputs: dict[str, NDArray[Any]]) -> None:
    """Compiled in one part and layer by layer, the device gives CpuRef's numbers."""
    with ann.load(network, ["CpuRef"]) as reference:
        expected = reference.run(inputs)
    for compile_parts in (True, False):
        options = ann.OptimizerOptions(simplify=False, compile_parts=compile_parts)
        placed = ann.optimize(network, ["Sample_Npu"], runtime=runtime, options=options)
        types = [layer.type for layer in placed.network.layers]
        assert types.count(ann.LayerType.PRE_COMPILED) == compile_parts
        with runtime.load_network(placed) as loaded:
            for name, result in loaded.run(inputs).items():
                scale = float(np.abs(expected[name]).max())
                np.testing.assert_allclose(result, expected[name], rtol=1e-4, atol=1e-5 * scale)


def small(seed: int = 1) -> ann.Network:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    y = network.add_activation(convolution(network, x, (4, 8), seed=seed), RELU)
    network.add_output("y", y)
    return network


def of_one(shape: tuple[int, ...], add: Callable[[ann.Network, Any], Any]) -> ann.Network:
    """A network of one layer, or of what ``add`` makes of the input."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    network.add_output("y", add(network, x))
    return network


def device_memory(device: int | None = None) -> list[int]:
    """Sizes of the regions of device memory that are there, of one device or of both."""
    name = f"memfd:sample_npu{'' if device is None else device}"
    found = []
    for link in Path("/proc/self/fd").iterdir():
        try:
            if name in str(link.readlink()):
                found.append(link.stat().st_size)
        except FileNotFoundError:
            continue
    return sorted(found)
