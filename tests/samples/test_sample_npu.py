# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Npu: what it computes, compiled and layer by layer, through the C interface itself.

Results are compared with those of CpuRef, whose kernels share no line with this backend's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .npu_device import Device, part_of
from .npu_networks import (
    BOUNDED,
    CONVOLUTIONS,
    NCHW,
    NHWC,
    RELU,
    check,
    convolution,
    image,
    numbers,
)


@pytest.fixture(scope="module")
def library(sample_backend: Callable[[str], Path]) -> Path:
    return sample_backend("sample_npu")


@pytest.fixture
def device(library: Path) -> Iterator[Device]:
    device = Device(library)
    yield device
    device.close()


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize(("channels", "kernel", "settings"), CONVOLUTIONS)
def test_convolution(
    device: Device,
    layout: ann.DataLayout,
    channels: tuple[int, int],
    kernel: tuple[int, int],
    settings: dict[str, Any],
) -> None:
    shape = image(layout, 2, channels[0], 9, 11)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    y = convolution(network, x, channels, kernel, layout=layout, **settings)
    network.add_output("y", y)
    check(device, network, {"x": numbers(*shape)})


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize("multiplier", [1, 3])
def test_depthwise(device: Device, layout: ann.DataLayout, multiplier: int) -> None:
    shape = image(layout, 2, 5, 8, 10)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    weights, bias = numbers(1, 3, 3, 5 * multiplier, seed=3), numbers(5 * multiplier, seed=4)
    y = network.add_depthwise_convolution2d(
        x, weights, bias, stride=(2, 1), padding="same", data_layout=layout
    )
    network.add_output("y", network.add_activation(y, RELU))
    check(device, network, {"x": numbers(*shape)})


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize("method", list(ann.PaddingMethod))
@pytest.mark.parametrize("kind", [ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE])
def test_pooling(
    device: Device,
    layout: ann.DataLayout,
    kind: ann.PoolingAlgorithm,
    method: ann.PaddingMethod,
) -> None:
    shape = image(layout, 2, 5, 9, 10)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    y = network.add_pooling2d(
        x, kind, (3, 2), stride=2, padding=(1, 1, 1, 0), padding_method=method, data_layout=layout
    )
    network.add_output("y", y)
    check(device, network, {"x": numbers(*shape)})


@pytest.mark.parametrize("transpose", [False, True])
def test_fully_connected(device: Device, transpose: bool) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3, 4, 5)))
    weights = numbers(20, 18, seed=2)
    y = network.add_fully_connected(
        x,
        np.ascontiguousarray(weights.T) if transpose else weights,
        numbers(18, seed=3),
        transpose_weight_matrix=transpose,
    )
    network.add_output("y", network.add_activation(y, BOUNDED, 1.0, -1.0))
    check(device, network, {"x": numbers(3, 4, 5)})


@pytest.mark.parametrize("layout", [NCHW, NHWC])
def test_residual_block_is_one_part(device: Device, layout: ann.DataLayout) -> None:
    shape = image(layout, 1, 16, 12, 10)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    y = convolution(network, x, (16, 16), layout=layout, padding="same")
    y = network.add_activation(y, RELU)
    y = convolution(network, y, (16, 16), layout=layout, padding="same", seed=5)
    y = network.add_addition(y, numbers(*image(layout, 1, 16, 1, 1), seed=7))
    y = network.add_addition(x, y)
    y = network.add_activation(y, BOUNDED, 3.0, 0.0)
    network.add_output("y", network.add_activation(y, BOUNDED, 2.0, -1.0))
    check(device, network, {"x": numbers(*shape)})


def test_value_with_two_readers_and_two_outputs(device: Device) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    a = convolution(network, x, (4, 8), padding="same")
    b = network.add_activation(a, RELU)
    c = network.add_addition(a, b)
    d = network.add_pooling2d(c, ann.PoolingAlgorithm.MAX, 2, data_layout=NCHW)
    network.add_output("b", b)
    network.add_output("c", c)
    network.add_output("d", network.add_addition(d, d))
    check(device, network, {"x": numbers(1, 4, 6, 6)})


@pytest.mark.parametrize("shape", [(1,), (6,), (1, 1, 5, 1), (4, 1, 1), (2, 4, 5, 6)])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_constant_terms(device: Device, shape: tuple[int, ...], first: bool, turned: bool) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 4, 5, 6)))
    y: Any = x
    if turned:  # the device has the value with its channels last
        y = network.add_pooling2d(x, ann.PoolingAlgorithm.MAX, 1, data_layout=NCHW)
    term = numbers(*shape, seed=8)
    y = network.add_addition(term, y) if first else network.add_addition(y, term)
    network.add_output("y", y)
    check(device, network, {"x": numbers(2, 4, 5, 6)})


def refusal(device: Device, build: Callable[[ann.Network], Any]) -> str | None:
    network = ann.Network()
    network.add_output("y", build(network))
    return device.refusal(part_of(network).layers[-1])


def test_refusals_say_why(device: Device) -> None:
    def source(network: ann.Network, name: str = "x", dtype: Any = "float32") -> Any:
        return network.add_input(name, ann.TensorInfo((1, 4, 4, 4), dtype))

    cases: list[tuple[Callable[[ann.Network], Any], str]] = [
        (lambda n: n.add_softmax(source(n)), "no instruction for this layer"),
        (lambda n: n.add_activation(source(n), ann.ActivationFunction.TANH), "only ReLu"),
        (lambda n: n.add_addition(source(n, dtype="int32"), source(n, "z", "int32")), "float32"),
        (lambda n: n.add_addition(source(n), numbers(4, 4)), "along one axis"),
        (
            lambda n: n.add_elementwise_binary(source(n), source(n, "z"), ann.BinaryOperation.MUL),
            "only Add",
        ),
        (
            lambda n: n.add_convolution2d(source(n), source(n, "w"), data_layout=NHWC),
            "must be constant",
        ),
        (
            lambda n: n.add_pooling2d(source(n), ann.PoolingAlgorithm.L2, 2, data_layout=NHWC),
            "only maximum and average",
        ),
    ]
    for build, words in cases:
        said = refusal(device, build)
        assert said is not None
        assert words in said
