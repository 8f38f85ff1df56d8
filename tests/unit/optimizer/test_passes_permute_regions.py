# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Regions that compute in another order of dimensions: what moves, and what stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .fusions import apply, pass_named, random_inputs, run, types

PERMUTE_REGIONS = pass_named("permute-regions")
NCHW = ann.DataLayout.NCHW
TO_NCHW, TO_NHWC = [0, 3, 1, 2], [0, 2, 3, 1]
TANH = ann.ActivationFunction.TANH
RNG = np.random.default_rng(6)


def convolution(network: ann.Network, x: Any) -> ann.Layer:
    channels = (x.output if isinstance(x, ann.Layer) else x).info.static_shape[1]
    weights = RNG.standard_normal((channels, channels, 1, 1)).astype(np.float32)
    return network.add_convolution2d(x, weights, data_layout=NCHW)


def same_outputs(runtime: ann.Runtime, network: ann.Network, after: ann.Network) -> None:
    inputs = random_inputs(network)
    expected = run(runtime, network, inputs)
    for name, array in run(runtime, after, inputs).items():
        np.testing.assert_allclose(array, expected[name], rtol=1e-5, atol=1e-5)


def test_residual_blocks(runtime: ann.Runtime) -> None:
    """Sums over blocks, in NHWC between convolutions in NCHW: one Transpose is left."""
    network = ann.Network()
    y: Any = network.add_input("x", ann.TensorInfo((1, 4, 5, 3)))
    for _ in range(3):
        z = network.add_transpose(convolution(network, network.add_transpose(y, TO_NCHW)), TO_NHWC)
        z = network.add_multiplication(z, RNG.standard_normal(3).astype(np.float32))
        y = network.add_activation(network.add_addition(z, y), TANH, 1, 1)
    network.add_output("y", network.add_mean(y, [1, 2]))
    graph, log = apply(network, PERMUTE_REGIONS)
    assert types(graph).count("Transpose") == 1
    assert len(log.changes) == 1
    same_outputs(runtime, network, graph.to_network()[0])


NAMING: dict[str, Callable[[ann.Network, Any], Any]] = {
    "concat": lambda n, x: n.add_concat([x, x], 3),
    "split": lambda n, x: n.add_split(x, [1, 2], 3).outputs[1],
    "pad": lambda n, x: n.add_pad(x, [(0, 0), (1, 2), (0, 1), (0, 0)], value=0.5),
    "slice": lambda n, x: n.add_slice(x, [0, 1, 0, 1], [1, 3, 4, 2]),
    "strided slice": lambda n, x: n.add_strided_slice(x, [0, 0, 4, 0], [1, 4, 0, 3], [1, 2, -1, 1]),
    "strided slice to its ends": lambda n, x: n.add_strided_slice(
        x, [0, 0, 2, 1], [1, 3, 4, 2], [1, 2, 1, 1], begin_mask=0b0100, end_mask=0b0010
    ),
    "softmax": lambda n, x: n.add_softmax(x, axis=-1),
    "log softmax": lambda n, x: n.add_log_softmax(x, axis=2),
    "mean": lambda n, x: n.add_mean(x, [1], keep_dims=True),
    "reduce": lambda n, x: n.add_reduce(x, ann.ReduceOperation.MAX, [-1], keep_dims=True),
    "gather": lambda n, x: n.add_gather(x, np.array([0, 2, 2, 1], np.int32), 2),
    "prelu": lambda n, x: n.add_prelu(x, np.array([0.5, 0.25, -1], np.float32)),
    "a short constant": lambda n, x: n.add_addition(x, np.ones((5, 3), np.float32)),
    "a comparison of both": lambda n, x: n.add_maximum(x, n.add_activation(x, TANH, 1, 1)),
}


@pytest.mark.parametrize("there", [[0, 3, 1, 2], [2, 0, 3, 1], [0, 2, 1, 3]])
@pytest.mark.parametrize("naming", NAMING)
@pytest.mark.parametrize("permute", [False, True])
def test_layers_that_name_dimensions(
    runtime: ann.Runtime, naming: str, there: list[int], permute: bool
) -> None:
    """One between a Permute and its inverse: both go, and its parameters follow."""
    back = np.argsort(there).tolist()
    network = ann.Network()
    shape = tuple((1, 4, 5, 3)[index] for index in back)
    add = network.add_permute if permute else network.add_transpose
    x = network.add_input("x", ann.TensorInfo(shape))
    y = add(x, back if permute else there)
    assert y.output.info.shape == (1, 4, 5, 3)
    z = NAMING[naming](network, y)
    network.add_output("y", add(z, there if permute else back))
    graph, log = apply(network, PERMUTE_REGIONS)
    assert len(log.changes) == 1
    assert not {"Permute", "Transpose"} & set(types(graph))
    same_outputs(runtime, network, graph.to_network()[0])


def test_no_useless_moves() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 4, 5)))
    y = network.add_activation(convolution(network, x), TANH, 1, 1)
    network.add_output("y", network.add_transpose(y, TO_NHWC))
    assert not apply(network, PERMUTE_REGIONS)[1].changes


def test_a_permute_moves_to_where_there_is_less(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 5, 3)))
    padded = network.add_pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)])
    network.add_output("y", convolution(network, network.add_transpose(padded, TO_NCHW)))
    graph, _ = apply(network, PERMUTE_REGIONS)
    assert types(graph) == ["Transpose", "Pad", "Convolution2d"]
    same_outputs(runtime, network, graph.to_network()[0])


def test_a_mean_that_drops_dimensions_in_another_order_stays(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 4, 5)))
    y = network.add_activation(network.add_transpose(x, TO_NHWC), TANH, 1, 1)
    network.add_output("means", network.add_mean(y, [1]))  # [N, W, C], not [N, C, W]
    network.add_output("y", network.add_transpose(y, TO_NCHW))
    graph, log = apply(network, PERMUTE_REGIONS)
    assert len(log.changes) == 1  # the function is turned
    (mean,) = (node for node in graph if node.type == ann.LayerType.REDUCE)
    assert mean.descriptor.axes == (1,)
    assert mean.inputs[0].info.shape == (1, 4, 5, 3)
    assert mean.output.info.shape == (1, 5, 3)
    same_outputs(runtime, network, graph.to_network()[0])


def test_layers_behind_that_win_nothing_stay(runtime: ann.Runtime) -> None:
    """What only hangs on a region is not turned with it."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 4, 5)))
    y = network.add_activation(network.add_transpose(x, TO_NHWC), TANH, 1, 1)
    network.add_output("a", network.add_transpose(y, TO_NCHW))
    first = network.add_activation(y, ann.ActivationFunction.SIGMOID, name="first")
    network.add_output("b", network.add_activation(first, TANH, 1, 1))
    graph, _ = apply(network, PERMUTE_REGIONS)
    (found,) = (node for node in graph if node.name == "first")
    assert found.output.info.shape == (1, 4, 5, 3)
    same_outputs(runtime, network, graph.to_network()[0])


def test_scales_along_an_axis_stay_where_they_are() -> None:
    network = ann.Network()
    quantization = ann.QuantizationInfo([0.5, 0.25, 1.0], [0] * 3, axis=3)
    info = ann.TensorInfo((1, 4, 5, 3), ann.DataType.QSYMM_S8, quantization)
    x = network.add_input("x", ann.TensorInfo((1, 3, 4, 5)))
    y = network.add_quantize(network.add_transpose(x, TO_NHWC), info.data_type, quantization)
    network.add_output("y", network.add_transpose(network.add_dequantize(y), TO_NCHW))
    assert not apply(network, PERMUTE_REGIONS)[1].changes
