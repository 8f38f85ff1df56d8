# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Constants multiplied and added: into weights before and behind, and merged among themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.descriptors import ActivationDescriptor, BatchNormalizationDescriptor

from .fusions import apply, pass_named, random_inputs, run, types

if TYPE_CHECKING:
    from numpy.typing import NDArray

FUSE_AFFINE_INTO_WEIGHTS_BEFORE = pass_named("fuse-affine-into-weights-before")
FUSE_AFFINE_INTO_WEIGHTS_BEHIND = pass_named("fuse-affine-into-weights-behind")
MERGE_AFFINE_RUNS = pass_named("merge-affine-runs")
NHWC, NCHW = ann.DataLayout.NHWC, ann.DataLayout.NCHW
LINEAR = ann.ActivationFunction.LINEAR
RNG = np.random.default_rng(5)

Step = Callable[[ann.Network, Any, "NDArray[np.float32]"], ann.Layer]

#: What is done with x and one constant c for each channel.
STEPS: dict[str, Step] = {
    "x+c": lambda n, x, c: n.add_addition(x, c),
    "c+x": lambda n, x, c: n.add_addition(c, x),
    "x-c": lambda n, x, c: n.add_subtraction(x, c),
    "c-x": lambda n, x, c: n.add_subtraction(c, x),
    "x*c": lambda n, x, c: n.add_multiplication(x, c),
    "c*x": lambda n, x, c: n.add_multiplication(c, x),
    "x/c": lambda n, x, c: n.add_division(x, c),
    "linear": lambda n, x, c: n.add_activation(x, LINEAR, 0.75, -0.5),
}


def values(*shape: int) -> NDArray[np.float32]:
    """Values that are far from 0, so that they may divide."""
    return (RNG.uniform(0.5, 2, shape) * RNG.choice([-1, 1], shape)).astype(np.float32)


def weighted(network: ann.Network, kind: str, x: Any, *, pad: bool = False) -> ann.Layer:
    """A layer with weights: of 4 input channels and 6 output channels, or 8 if depthwise."""
    padding = "same" if pad else "valid"
    if kind == "fully connected":
        return network.add_fully_connected(x, values(4, 6), values(6))
    if kind == "fully connected, transposed":
        return network.add_fully_connected(x, values(6, 4), transpose_weight_matrix=True)
    if kind == "depthwise":
        return network.add_depthwise_convolution2d(
            x, values(1, 3, 3, 8), values(8), padding=padding
        )
    if kind == "depthwise NCHW":
        return network.add_depthwise_convolution2d(
            x, values(1, 3, 3, 8), data_layout=NCHW, padding=padding
        )
    if kind == "convolution":
        return network.add_convolution2d(x, values(6, 3, 3, 4), values(6), padding=padding)
    if kind == "convolution NCHW":
        return network.add_convolution2d(x, values(6, 4, 3, 3), data_layout=NCHW, padding=padding)
    if kind == "grouped":
        return network.add_convolution2d(
            x, values(6, 3, 3, 2), values(6), groups=2, padding=padding
        )
    assert kind == "transposed"
    return network.add_transpose_convolution2d(x, values(6, 3, 3, 4), values(6))


KINDS = {
    "fully connected": (3, 4),
    "fully connected, transposed": (2, 3, 4),
    "depthwise": (1, 5, 6, 4),
    "depthwise NCHW": (2, 4, 5, 6),
    "convolution": (2, 5, 6, 4),
    "convolution NCHW": (1, 4, 5, 6),
    "grouped": (1, 5, 6, 4),
    "transposed": (1, 5, 6, 4),
}


def along_channels(x: Any, kind: str) -> NDArray[np.float32]:
    """One value for each channel of x, in a shape that broadcasts."""
    shape = x.info.static_shape
    return values(shape[1], 1, 1) if kind.endswith("NCHW") else values(shape[-1])


def same_outputs(runtime: ann.Runtime, network: ann.Network, after: ann.Network) -> None:
    inputs = random_inputs(network)
    expected = run(runtime, network, inputs)
    for name, array in run(runtime, after, inputs).items():
        np.testing.assert_allclose(array, expected[name], rtol=2e-5, atol=2e-5)


# ---- Into the layer before ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("steps", [*([name] for name in STEPS), ["x+c", "x-c", "c*x", "c-x"]])
def test_into_weights_before(runtime: ann.Runtime, kind: str, steps: list[str]) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(KINDS[kind]))
    y = weighted(network, kind, x)
    for step in steps:
        y = STEPS[step](network, y, along_channels(y.output, kind))
    network.add_output("y", y)
    graph, log = apply(network, FUSE_AFFINE_INTO_WEIGHTS_BEFORE)
    assert len(log.changes) == 1
    assert len(types(graph)) == 1
    same_outputs(runtime, network, graph.to_network()[0])


def test_the_numbers_before() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 2)))
    y = network.add_fully_connected(x, np.array([[1, 2], [3, 4]], np.float32), name="fc")
    y = network.add_multiplication(y, np.array([10, 100], np.float32), name="scale")
    y = network.add_subtraction(y, np.array([1, 2], np.float32), name="bias")
    network.add_output("y", y)
    graph, log = apply(network, FUSE_AFFINE_INTO_WEIGHTS_BEFORE)
    (fc,) = (node for node in graph if not node.is_host)
    np.testing.assert_array_equal(fc.constants[1], [[10, 200], [30, 400]])
    np.testing.assert_array_equal(fc.constants[2], [-1, -2])
    assert fc.name == "fc"
    assert {origin.name for origin in fc.origins} == {"fc", "scale", "bias"}
    assert log.changes == ["'scale' and 'bias' fused into the weights of 'fc' before"]


#: Constants of so many bytes are found again by their content.
SHARED = (72, 64)


@pytest.mark.parametrize("place", ["before", "behind"])
def test_a_bias_alone_leaves_shared_weights_as_they_are(place: str) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 64)))
    w = network.add_constant(values(*SHARED), name="w")
    for number in range(3):
        if place == "before":
            y = network.add_fully_connected(x, w, transpose_weight_matrix=True)
            network.add_output(f"y{number}", network.add_addition(y, values(72)))
        else:
            shifted = network.add_addition(x, values(64))
            y = network.add_fully_connected(shifted, w, transpose_weight_matrix=True)
            network.add_output(f"y{number}", y)
    fuse = FUSE_AFFINE_INTO_WEIGHTS_BEFORE if place == "before" else FUSE_AFFINE_INTO_WEIGHTS_BEHIND
    graph, log = apply(network, fuse)
    products = [node for node in graph if not node.is_host]
    assert len(products) == len(log.changes) == 3
    assert all(node.inputs[1] is products[0].inputs[1] for node in products)
    assert products[0].inputs[1].node.name == "w"
    biases = [node.constants[2] for node in products]
    assert not np.array_equal(biases[0], biases[1])


def test_weights_scaled_alike_are_one_constant() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 64)))
    w, scale = network.add_constant(values(*SHARED)), values(72)
    for number, factors in enumerate((scale, scale.copy(), 2 * scale)):
        y = network.add_fully_connected(x, w, transpose_weight_matrix=True)
        network.add_output(f"y{number}", network.add_multiplication(y, factors))
    graph, _ = apply(network, FUSE_AFFINE_INTO_WEIGHTS_BEFORE)
    first, second, other = (node.inputs[1] for node in graph if not node.is_host)
    assert first is second
    assert first is not other
    np.testing.assert_array_equal(other.constant, 2 * first.constant)


def test_batch_normalization_behind_any_weights(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 3, 4)))
    y = network.add_transpose_convolution2d(x, values(2, 3, 3, 4))
    mean, beta, gamma = values(3, 2)
    y = network.add_batch_normalization(y, mean, np.abs(values(2)), beta, gamma, data_layout=NHWC)
    network.add_output("y", y)
    graph, _ = apply(network, FUSE_AFFINE_INTO_WEIGHTS_BEFORE)
    assert types(graph) == ["TransposeConvolution2d"]
    same_outputs(runtime, network, graph.to_network()[0])


@pytest.mark.parametrize(
    "why", ["two readers", "not by channel", "makes it larger", "hint", "unknown", "too large"]
)
def test_not_into_weights_before(why: str) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4)))
    weights: Any = values(4, 6)
    if why == "unknown":
        weights = network.add_input("w", ann.TensorInfo((4, 6)))
    y = network.add_fully_connected(x, weights)
    constant = values(6)
    if why == "not by channel":
        y = network.add_reshape(y, [6, 1])
    elif why == "makes it larger":
        constant = values(3, 6)
    elif why == "too large":
        constant = np.full(6, 3e38, np.float32)
    if why == "two readers":
        network.add_output("z", y)
    backend = "CpuRef" if why == "hint" else None
    network.add_output("y", network.add_multiplication(y, constant, backend=backend))
    graph, log = apply(network, FUSE_AFFINE_INTO_WEIGHTS_BEFORE)
    assert not log.changes
    assert "ElementwiseBinary" in types(graph)


# ---- Into the layers behind --------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "transposed"])
@pytest.mark.parametrize("steps", [*([name] for name in STEPS), ["x+c", "x-c", "c*x", "c-x"]])
def test_into_weights_behind(runtime: ann.Runtime, kind: str, steps: list[str]) -> None:
    network = ann.Network()
    y: Any = network.add_input("x", ann.TensorInfo(KINDS[kind]))
    for step in steps:
        y = STEPS[step](network, y, along_channels(y.output, kind))
    network.add_output("y", weighted(network, kind, y))
    network.add_output("z", weighted(network, kind, y))
    graph, log = apply(network, FUSE_AFFINE_INTO_WEIGHTS_BEHIND)
    assert len(log.changes) == 1
    assert len(types(graph)) == 2
    same_outputs(runtime, network, graph.to_network()[0])


@pytest.mark.parametrize("kind", ["depthwise", "convolution", "convolution NCHW", "transposed"])
def test_only_factors_pass_the_padding(runtime: ann.Runtime, kind: str) -> None:
    """Zeros around the image are not shifted: what is added stays, what is multiplied goes."""
    network = ann.Network()
    y: Any = network.add_input("x", ann.TensorInfo(KINDS[kind]))
    y = STEPS["x+c"](network, y, along_channels(y.output, kind))
    y = STEPS["x*c"](network, y, along_channels(y.output, kind))
    network.add_output("y", weighted(network, kind, y, pad=True))
    graph, log = apply(network, FUSE_AFFINE_INTO_WEIGHTS_BEHIND)
    assert len(log.changes) == 1
    assert len(types(graph)) == 2
    assert types(graph)[0] == "ElementwiseBinary"
    same_outputs(runtime, network, graph.to_network()[0])


def test_an_image_in_one_row(runtime: ann.Runtime) -> None:
    """A FullyConnected that flattens its input takes what is alike for all of it."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4)))
    y = network.add_multiplication(x, values(4))
    y = network.add_activation(y, LINEAR, 0.5, 2.0)
    network.add_output("y", network.add_fully_connected(y, values(12, 5)))
    graph, _ = apply(network, FUSE_AFFINE_INTO_WEIGHTS_BEHIND)
    assert types(graph) == ["ElementwiseBinary", "FullyConnected"]
    same_outputs(runtime, network, graph.to_network()[0])


def test_not_into_weights_behind_if_others_read_it() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 4)))
    y = network.add_multiplication(x, values(4))
    network.add_output("y", network.add_fully_connected(y, values(4, 5)))
    network.add_output("z", y)
    assert not apply(network, FUSE_AFFINE_INTO_WEIGHTS_BEHIND)[1].changes


# ---- Among themselves --------------------------------------------------------------------------


def merged(shape: tuple[int, ...], *steps: tuple[str, Any]) -> tuple[ann.Network, list[Any]]:
    network = ann.Network()
    y: Any = network.add_input("x", ann.TensorInfo(shape))
    for step, constant in steps:
        y = STEPS[step](network, y, np.asarray(constant, np.float32))
    network.add_output("y", y)
    graph, _ = apply(network, MERGE_AFFINE_RUNS)
    return network, [node for node in graph if not node.is_host]


def test_one_factor_and_one_summand() -> None:
    _, (node,) = merged((2, 3), ("x+c", 1), ("x*c", 4), ("c-x", 10))
    assert node.descriptor == ActivationDescriptor(LINEAR, -4, 6)


@pytest.mark.parametrize(("layout", "form"), [(NCHW, (2, 1, 1)), (NHWC, (2,))])
def test_channel_offsets(
    runtime: ann.Runtime, layout: ann.DataLayout, form: tuple[int, ...]
) -> None:
    factors, summands = np.array([2, 4]).reshape(form), np.array([1, -1]).reshape(form)
    network, (node,) = merged((1, 2, 3, 2), ("x*c", factors), ("x+c", summands))
    assert node.descriptor == BatchNormalizationDescriptor(0, layout)
    same_outputs(runtime, network, apply(network, MERGE_AFFINE_RUNS)[0].to_network()[0])


def test_only_one_of_both() -> None:
    _, (product,) = merged((2, 2), ("x*c", [2, 4]), ("x/c", [4, 2]))
    np.testing.assert_array_equal(product.constants[1], [[0.5, 2]])
    _, (total,) = merged((2, 2), ("x+c", [2, 4]), ("x-c", [[4], [2]]))
    np.testing.assert_array_equal(total.constants[1], [[-2, 0], [0, 2]])


def test_a_matrix_keeps_a_product_and_a_sum(runtime: ann.Runtime) -> None:
    network, nodes = merged((2, 2), ("x*c", [2, 4]), ("x+c", [1, 2]))
    assert len(nodes) == 2
    network, nodes = merged((2, 2), ("x*c", [2, 4]), ("x+c", [1, 2]), ("c-x", [3, 1]))
    assert len(nodes) == 2
    same_outputs(runtime, network, apply(network, MERGE_AFFINE_RUNS)[0].to_network()[0])


def test_steps_that_undo_each_other() -> None:
    assert merged((2, 3), ("x*c", 6), ("x/c", 6))[1] == []
    assert merged((2, 3), ("c-x", [1, 2, 3]), ("c-x", [1, 2, 3]))[1] == []
    assert len(merged((2, 3), ("x*c", 0), ("x/c", 0))[1]) == 2


def test_cancelling_terms_stay_separate(runtime: ann.Runtime) -> None:
    """30 times 2x + 1: exact for -1 step by step; as one step it is 0."""
    network, nodes = merged((3,), *[("x*c", 2), ("x+c", 1)] * 30)
    assert 1 < len(nodes) < 10
    graph, _ = apply(network, MERGE_AFFINE_RUNS)
    x = np.float32([-1, -1.0000001, 3])
    (found,) = run(runtime, graph.to_network()[0], {"x": x}).values()
    for _ in range(30):
        x = x * np.float32(2) + np.float32(1)
    np.testing.assert_array_equal(found, x)


def test_integers_stay() -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2,), ann.DataType.SIGNED32))
    y = network.add_multiplication(x, np.array([3, 3], np.int32))
    network.add_output("y", network.add_addition(y, np.array([1, 2], np.int32)))
    assert not apply(network, MERGE_AFFINE_RUNS)[1].changes
