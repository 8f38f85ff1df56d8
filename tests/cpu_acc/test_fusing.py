# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Each fusion of CpuAcc, by its row of the profile and by the numbers of CpuRef."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import armnn_py as ann

from .networks import (
    LAYOUTS,
    NCHW,
    NHWC,
    RELU,
    F,
    batch_normalization,
    chain,
    check,
    convolution,
    function,
    hard_sigmoid_gate,
    hard_swish,
    image,
    scale,
    shift,
    swish,
    values_of,
)

if TYPE_CHECKING:
    from .networks import Make

FUSED: dict[str, Make] = {
    "conv + relu": RELU,
    "conv + relu6": function(F.BOUNDED_RELU, 6, 0, "relu6"),
    "conv + sigmoid": function(F.SIGMOID, name="sigmoid"),
    "conv + tanh": function(F.TANH, 1.5, 0.5, "tanh"),
    "conv + leaky": function(F.LEAKY_RELU, 0.1, name="leaky"),
    "conv + elu": function(F.ELU, 0.7, name="elu"),
    "conv + hard": function(F.HARD_SWISH, name="hard"),
    "conv + gelu": function(F.GELU, name="gelu"),
    "conv + soft": function(F.SOFT_RELU, name="soft"),
    "conv + norm": batch_normalization,
    "conv + norm + relu": chain(batch_normalization, RELU),
    "conv + scale + shift": chain(scale, shift),
    "conv + relu + half": chain(RELU, function(F.LINEAR, 0.5, 0, "half")),
    "conv + hard + line": chain(
        function(F.HARD_SWISH, name="hard"), function(F.LINEAR, 0.5, 1, "line")
    ),
    "conv + line + clip": chain(
        function(F.LINEAR, 0.2, 0.5, "line"), function(F.BOUNDED_RELU, 1, 0, "clip")
    ),
    "conv + gate + product": swish,
    "conv + three + gate + product + six": hard_swish,
    "conv + line + gate + product": hard_sigmoid_gate,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("expected", FUSED)
def test_fused_behind_a_convolution(
    runtime: ann.Runtime, expected: str, layout: ann.DataLayout
) -> None:
    network = ann.Network()
    x = image(network, layout)
    y = FUSED[expected](network, convolution(network, x, layout), layout)
    network.add_output("y", y)
    rows = check(runtime, network)
    assert expected in rows


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", ["sum + relu", "relu + sum"])
@pytest.mark.parametrize("kind", ["dense", "depthwise"])
def test_residual(runtime: ann.Runtime, layout: ann.DataLayout, order: str, kind: str) -> None:
    network = ann.Network()
    x = convolution(network, image(network, layout), layout, name="first")
    if kind == "dense":
        y = convolution(network, x, layout, name="conv")
    else:
        weights = values_of(3, 1, 3, 3, 20)
        y = network.add_depthwise_convolution2d(
            x, weights, padding="same", data_layout=layout, name="conv"
        ).output
    for step in order.split(" + "):
        if step == "relu":
            y = network.add_activation(y, F.RELU, name="relu").output
        else:
            y = network.add_addition(x, y, name="sum").output
    network.add_output("y", y)
    assert f"conv + {order}" in check(runtime, network)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [(2, 2), (3, 2), (2, 3)], ids=["2x2", "3x2", "2x3"])
@pytest.mark.parametrize("outputs", [1, 20])
@pytest.mark.parametrize("joined", [False, True], ids=["alone", "joined"])
def test_transposed_convolution(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    size: tuple[int, int],
    outputs: int,
    joined: bool,
) -> None:
    """Windows that do not overlap (2x2 with stride 2), and others; also into a part of a Concat."""
    network = ann.Network()
    x = convolution(network, image(network, layout), layout, name="first")
    weights = values_of(3, outputs, 20, *size) / 4
    if layout == NHWC:
        weights = np.ascontiguousarray(weights.transpose(0, 2, 3, 1))
    y = network.add_transpose_convolution2d(
        x, weights, values_of(4, outputs), stride=(2, 2), data_layout=layout, name="up"
    ).output
    other = network.add_activation(y, F.ABS, name="abs").output if joined else y
    y = network.add_activation(y, F.SIGMOID, name="sigmoid").output
    if joined:
        y = network.add_concat([other, y], axis=1 if layout == NCHW else 3, name="joined").output
    network.add_output("y", y)
    rows = check(runtime, network)
    assert ("up" if joined else "up + sigmoid") in rows


def test_rows_of_one_layer_are_one_call(runtime: ann.Runtime) -> None:
    """A transposed convolution may be a product for each row of its window."""
    network = ann.Network()
    weights = values_of(3, 5, 2, 2, 12)
    y = network.add_transpose_convolution2d(
        image(network, NHWC), weights, stride=(2, 2), data_layout=NHWC, name="up"
    ).output
    network.add_output("y", y)
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime)
    with runtime.load_network(optimized) as net, net.profile() as profile:
        for _ in range(3):
            net.run({"x": values_of(0, 2, 9, 10, 12)})
    (row,) = (layer for layer in profile if layer.layer == "up")
    assert row.calls == 3
    assert sum(event.layer == "up" for event in profile.timeline) == 6


def test_residual_of_two_convolutions(runtime: ann.Runtime) -> None:
    """The sum goes into one of them; the other comes before."""
    network = ann.Network()
    x = image(network, NHWC)
    left = convolution(network, x, NHWC, kernel=1, name="left")
    right = convolution(network, x, NHWC, name="right")
    network.add_output("y", network.add_addition(left, right, name="sum"))
    assert check(runtime, network) in (["right", "left + sum"], ["left", "right + sum"])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_gates(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
    """x + x * gate, where the gate is a clipped convolution of the mean: one product remains."""
    network = ann.Network()
    x = convolution(network, image(network, layout), layout, name="first")
    pixel = network.add_mean(
        x, (2, 3) if layout == NCHW else (1, 2), keep_dims=True, name="mean"
    ).output
    gate = convolution(network, pixel, layout, kernel=1, name="gate")
    gate = network.add_activation(gate, F.BOUNDED_RELU, 1, 0, name="clip").output
    product = network.add_multiplication(x, gate, name="product")
    network.add_output("y", network.add_addition(x, product, name="sum"))
    rows = check(runtime, network)
    assert {"gate + clip + product", "product + sum"} <= set(rows)


@pytest.mark.parametrize("squared", ["product", "function"])
@pytest.mark.parametrize("root", ["quotient", "reciprocal"])
def test_layer_normalization_spelt_out(runtime: ann.Runtime, squared: str, root: str) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3, 5, 24)))
    x = network.add_activation(x, F.TANH, 2, 1, name="x0").output
    mean = network.add_mean(x, (2,), keep_dims=True, name="mean")
    d = network.add_subtraction(x, mean, name="difference").output
    if squared == "product":
        square = network.add_multiplication(d, d, name="square")
    else:
        square = network.add_activation(d, F.SQUARE, name="square")
    variance = network.add_mean(square, (2,), keep_dims=True, name="variance")
    moved = network.add_addition(variance, np.full((1,), 1e-3, np.float32), name="eps")
    if root == "quotient":
        y = network.add_division(d, network.add_activation(moved, F.SQRT, name="root"), name="norm")
    else:
        kind = ann.UnaryOperation.RSQRT
        unit = network.add_elementwise_unary(moved, kind, name="root")
        y = network.add_multiplication(unit, d, name="norm")
    y = network.add_multiplication(y, values_of(3, 24), name="gamma")
    network.add_output("y", network.add_addition(y, values_of(4, 24), name="beta"))
    rows = check(runtime, network)
    parts = "mean + difference + square + variance + eps + root + norm + gamma + beta"
    assert parts in rows


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize(("of_mean", "of_variance"), [(True, False), (False, True), (False, False)])
def test_means_along_another_dimension_are_no_normalization(
    runtime: ann.Runtime, axis: int, of_mean: bool, of_variance: bool
) -> None:
    """A square matrix: without its dimension a mean of rows is subtracted from columns. What is
    left is a normalisation by the mean square if that has its dimension."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((5, 5)))
    x = network.add_activation(x, F.TANH, 2, 1, name="x0").output
    mean = network.add_mean(x, (axis,), keep_dims=of_mean, name="mean")
    d = network.add_subtraction(x, mean, name="difference").output
    square = network.add_multiplication(d, d, name="square")
    variance = network.add_mean(square, (axis,), keep_dims=of_variance, name="variance")
    moved = network.add_addition(variance, np.full((1,), 1e-3, np.float32), name="eps")
    root = network.add_activation(moved, F.SQRT, name="root")
    network.add_output("y", network.add_division(d, root, name="norm"))
    rest = {"square + variance + eps + root + norm"} if of_variance else {"square", "norm"}
    assert {"mean", "difference"} | rest <= set(check(runtime, network))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_with_other_consumers_are_kept(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
    network = ann.Network()
    y = convolution(network, image(network, layout), layout)
    network.add_output("y", network.add_activation(y, F.RELU, name="relu"))
    network.add_output("z", y)
    assert {"conv", "relu"} <= set(check(runtime, network))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["conv", "max", "average"])
def test_padding_goes_into_windows(runtime: ann.Runtime, layout: ann.DataLayout, kind: str) -> None:
    network = ann.Network()
    x = convolution(network, image(network, layout), layout, 12, name="first")
    pads = [(0, 0), (1, 2), (2, 0)]
    value = -np.inf if kind == "max" else 0.0
    pads = [*pads[:1], (0, 0), *pads[1:]] if layout == NCHW else [*pads, (0, 0)]
    padded = network.add_pad(x, pads, value=value, name="pad").output
    if kind == "conv":
        y = convolution(network, padded, layout, padding="valid", name="conv")
    else:
        algorithm = ann.PoolingAlgorithm.MAX if kind == "max" else ann.PoolingAlgorithm.AVERAGE
        y = network.add_pooling2d(
            padded, algorithm, (3, 3), stride=(2, 2), data_layout=layout, name=kind
        ).output
    network.add_output("y", y)
    assert f"pad + {kind}" in check(runtime, network)


def test_fully_connected_with_everything(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((3, 40)))
    y = network.add_fully_connected(x, values_of(1, 40, 24), values_of(2, 24), name="dense")
    y = network.add_multiplication(y, values_of(3, 24), name="scale")
    y = network.add_addition(y, values_of(4, 24), name="shift")
    network.add_output("y", network.add_activation(y, F.RELU, name="relu"))
    assert check(runtime, network) == ["dense + scale + shift + relu"]


def test_fully_connected_keeps_dimensions(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 9, 40)))
    x = network.add_activation(x, F.TANH, 1, 1, name="x0").output
    y = network.add_fully_connected(x, values_of(1, 40, 40), values_of(2, 40), name="dense").output
    y = swish(network, y, None)
    y = network.add_fully_connected(y, values_of(3, 40, 40), name="last").output
    network.add_output("y", network.add_addition(x, y, name="sum"))
    assert {"dense + gate + product", "last + sum"} <= set(check(runtime, network))


@pytest.mark.parametrize("behind", ["an input", "a convolution"])
def test_cancelling_terms_stay_separate(runtime: ann.Runtime, behind: str) -> None:
    """30 times 2x + 1: exact for -1 step by step; as one step it is 0."""
    network = ann.Network()
    made = network.add_input("x", ann.TensorInfo((1, 1, 3, 1)))
    if behind == "a convolution":
        made = network.add_convolution2d(made, np.ones((1, 1, 1, 1), np.float32))
    one = np.ones((1, 1, 1, 1), np.float32)
    for _ in range(30):
        made = network.add_addition(network.add_multiplication(made, 2 * one), one)
    network.add_output("y", made)
    x = np.float32([-1, -1.0000001, 3]).reshape(1, 1, 3, 1)
    with ann.load(network, ["CpuAcc"], runtime=runtime) as loaded:
        found = loaded.run({"x": x})["y"]
    for _ in range(30):
        x = x * np.float32(2) + np.float32(1)
    np.testing.assert_allclose(found, x, rtol=1e-6)
