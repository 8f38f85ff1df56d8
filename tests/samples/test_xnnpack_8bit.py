# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend over XNNPACK: chains and refusals of 8 bits; the kit tries the layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .npu_networks import NCHW
from .xnnpack_networks import steps

S8, U8, SYMMETRIC = ann.DataType.QASYMM_S8, ann.DataType.QASYMM_U8, ann.DataType.QSYMM_S8
RELU, SIGMOID = ann.ActivationFunction.RELU, ann.ActivationFunction.SIGMOID


@pytest.fixture
def runtime(xnnpack_library: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(dynamic_backends_path=xnnpack_library.parent) as runtime:
        yield runtime


def info(
    shape: tuple[int, ...], *scales: float, zero: int = 0, kind: ann.DataType = S8
) -> ann.TensorInfo:
    """Of one scale, or of one for each index of the first dimension."""
    axis = 0 if len(scales) > 1 else None
    return ann.TensorInfo(shape, kind, ann.QuantizationInfo(scales, (zero,) * len(scales), axis))


def drawn(of: ann.TensorInfo, seed: int = 0) -> Any:
    return np.random.default_rng(seed).integers(-128, 128, of.shape).astype(np.int8)


def constant(network: ann.Network, of: ann.TensorInfo, seed: int = 0) -> Any:
    return network.add_constant(drawn(of, seed), info=of)


def test_a_chain_is_one_part_without_a_change_of_layout_between(runtime: ann.Runtime) -> None:
    """NCHW: the image is turned where it comes in; ReLu is fused, Concat and Split are copies."""
    network = ann.Network()
    image = info((1, 4, 8, 6), 0.05, zero=3)
    x = network.add_input("x", image)
    middle = info((1, 6, 8, 6), 0.11, zero=-100)
    first = info((6, 4, 3, 3), 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, kind=SYMMETRIC)
    bias = np.random.default_rng(9).integers(-9000, 9000, 6).astype(np.int32)
    y: Any = network.add_convolution2d(
        x,
        constant(network, first, 2),
        bias,
        padding="same",
        data_layout=NCHW,
        output_info=middle,
    )
    y = network.add_activation(y, RELU, output_info=middle)
    upper, lower = network.add_split(y, [2, 4], 1).outputs
    y = network.add_convolution2d(
        network.add_concat([lower, upper], 1),
        constant(network, info((5, 6, 1, 1), 0.01, kind=SYMMETRIC), 3),
        data_layout=NCHW,
        output_info=info((1, 5, 8, 6), 0.4),
    )
    network.add_output("y", network.add_dequantize(y))
    given = drawn(image)
    with ann.load(network, ["CpuRef"], runtime=runtime) as reference:
        wanted = reference.run(given)["y"]
    for compiles in (True, False):
        options = ann.OptimizerOptions(compile_parts=compiles)
        with (
            ann.load(network, ["Xnnpack"], runtime=runtime, options=options) as net,
            net.profile() as profile,
        ):
            off = np.abs(net.run(given)["y"] - wanted)
        assert off.max() < 0.81  # steps off before, and one of the last layer
        assert np.mean(off > 0.1) < 0.1
        if compiles:
            told = steps(profile)
            assert told.count("xnnpack convolution") == 2
            assert told.count("change of layout") == 2
            assert told.count("xnnpack unary") == 0
            assert told[-1] in ("xnnpack dequantize", "change of layout")


@pytest.mark.parametrize("kind", [S8, U8])
def test_averages_of_whole_images(runtime: ann.Runtime, kind: ann.DataType) -> None:
    """XNNPACK has an operator of its own for them."""
    network, shape, middle = ann.Network(), (2, 6, 7, 40), 7 if kind is S8 else 121
    x = network.add_input("x", info(shape, 0.05, zero=middle, kind=kind))
    out = info((2, 1, 1, 40), 0.01, zero=middle, kind=kind)
    kernel = ann.PoolingAlgorithm.AVERAGE, (6, 7)
    network.add_output("y", network.add_pooling2d(x, *kernel, output_info=out))
    given = np.random.default_rng(3).integers(0, 256, shape).astype(np.uint8).view(kind.numpy)
    with ann.load(network, ["CpuRef"], runtime=runtime) as reference:
        wanted = reference.run(given)["y"].astype(int)
    for compiles in (True, False):
        options = ann.OptimizerOptions(compile_parts=compiles)
        with ann.load(network, ["Xnnpack"], runtime=runtime, options=options) as net:
            off = np.abs(net.run(given)["y"].astype(int) - wanted)
        assert off.max() <= 1
        assert np.mean(off > 0) < 0.05
    assert np.unique(wanted).size > 1  # not saturated all over


IMAGE = (1, 6, 6, 4)
LIMIT = "XNNPACK only asserts this limit, which would end the process"


def product(network: ann.Network, x: Any) -> Any:
    w = constant(network, info((2, 1, 1, 4), 1e-20, kind=SYMMETRIC))
    return network.add_convolution2d(x, w, output_info=info((1, 6, 6, 2), 1.0, zero=3))


def average(network: ann.Network, x: Any) -> Any:
    kind = ann.PoolingAlgorithm.AVERAGE
    return network.add_pooling2d(x, kind, 2, stride=2, output_info=info((1, 3, 3, 4), 0.05, zero=3))


def asymmetric(network: ann.Network, x: Any) -> Any:
    w = constant(network, info((144, 2), 0.05, zero=5))
    return network.add_fully_connected(x, w, output_info=info((1, 2), 1.0))


@pytest.mark.parametrize(
    ("add", "reason"),
    [
        (
            lambda n, x: n.add_activation(x, RELU, output_info=info(IMAGE, 0.9, zero=3)),
            "quantised differently",
        ),
        (
            lambda n, x: n.add_activation(x, SIGMOID, output_info=info(IMAGE, 0.9, zero=3)),
            "the scale 0.00390625 and the zero point -128",
        ),
        (
            lambda n, x: n.add_addition(x, x, output_info=info(IMAGE, 1e-6, zero=3)),
            "the scale of input 0 is 50000 times that of the output",
        ),
        pytest.param(product, "the scale of a product is 5e-22 times", id=LIMIT),
        (average, "no average pooling of quantised int8"),
        (asymmetric, "the zero point of the weights is 5"),
    ],
)
def test_refusals_have_a_message(
    runtime: ann.Runtime, add: Callable[..., Any], reason: str
) -> None:
    network = ann.Network()
    x = network.add_input("x", info(IMAGE, 0.05, zero=3))
    network.add_output("y", add(network, x))
    with pytest.raises(ann.NoBackendForLayerError, match=reason):
        ann.optimize(network, ["Xnnpack"], runtime=runtime)
