# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sample_Npu: chains and terms, compiled and layer by layer; the kit tries single layers.

Results are compared with those of CpuRef, whose kernels share no line with this backend's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import armnn_py as ann

from .npu_device import Device, part_of
from .npu_networks import (
    BOUNDED,
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
