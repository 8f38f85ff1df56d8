# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CpuAcc says how much arithmetic a layer is, and profiles show its speed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.cli.commands.inspect import multiply_adds

SHAPE = (1, 12, 10, 8)


def dense(network: ann.Network, x: Any) -> Any:
    weights = np.ones((16, 3, 3, 8), np.float32)
    return network.add_convolution2d(x, weights, data_layout=ann.DataLayout.NHWC)


def depthwise(network: ann.Network, x: Any) -> Any:
    weights = np.ones((1, 3, 3, 8), np.float32)
    return network.add_depthwise_convolution2d(x, weights, data_layout=ann.DataLayout.NHWC)


def connected(network: ann.Network, x: Any) -> Any:
    rows = network.add_reshape(x, (120, 8))
    return network.add_fully_connected(rows, np.ones((8, 32), np.float32))


@pytest.mark.parametrize("make", [dense, depthwise, connected])
def test_products(runtime: ann.Runtime, make: Any) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(SHAPE))
    network.add_output("y", make(network, x))
    products = 2 * sum(multiply_adds(layer) or 0 for layer in network.layers)
    with ann.load(network, ["CpuAcc"], runtime=runtime) as net, net.profile() as profile:
        net.run(np.ones(SHAPE, np.float32))
    assert products > 0
    stated = [layer for layer in profile.layers if layer.operations]
    assert [layer.operations for layer in stated] == [products]
    assert stated[0].gflops == pytest.approx(products / stated[0].whole_ns)


def test_moves_have_no_operations(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(SHAPE))
    network.add_output("y", network.add_transpose(x, (0, 3, 1, 2)))
    with ann.load(network, ["CpuAcc"], runtime=runtime) as net, net.profile() as profile:
        net.run(np.ones(SHAPE, np.float32))
    assert {layer.operations for layer in profile.layers} == {0}
