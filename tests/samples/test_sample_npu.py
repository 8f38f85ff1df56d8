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


@pytest.fixture
def runtime(sample_backend: Callable[[str], Path]) -> Iterator[ann.Runtime]:
    with ann.Runtime(sample_backend("sample_npu").parent) as runtime:
        yield runtime


@pytest.mark.parametrize("layout", [NCHW, NHWC])
def test_residual_block_is_one_part(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
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
    # Small: between the convolutions is nothing much larger than what is compared.
    check(runtime, network, {"x": numbers(*shape) / 10})


def test_value_with_two_readers_and_two_outputs(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    a = convolution(network, x, (4, 8), padding="same")
    b = network.add_activation(a, RELU)
    c = network.add_addition(a, b)
    d = network.add_pooling2d(c, ann.PoolingAlgorithm.MAX, 2, data_layout=NCHW)
    network.add_output("b", b)
    network.add_output("c", c)
    network.add_output("d", network.add_addition(d, d))
    check(runtime, network, {"x": numbers(1, 4, 6, 6)})


@pytest.mark.parametrize("shape", [(1,), (6,), (1, 1, 5, 1), (4, 1, 1), (2, 4, 5, 6)])
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("turned", [False, True])
def test_constant_terms(
    runtime: ann.Runtime, shape: tuple[int, ...], first: bool, turned: bool
) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 4, 5, 6)))
    y: Any = x
    if turned:  # the device has the value with its channels last
        y = network.add_pooling2d(x, ann.PoolingAlgorithm.MAX, 1, data_layout=NCHW)
    term = numbers(*shape, seed=8)
    y = network.add_addition(term, y) if first else network.add_addition(y, term)
    network.add_output("y", y)
    check(runtime, network, {"x": numbers(2, 4, 5, 6)})
