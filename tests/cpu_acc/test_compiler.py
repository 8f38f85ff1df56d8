# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Compiled sub-graphs of CpuAcc against CpuRef, and what became of the layers in them."""

from __future__ import annotations

import random
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer import OptimizerOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Make = Callable[[ann.Network, ann.OutputSlot, Any], ann.OutputSlot]

F = ann.ActivationFunction
NCHW, NHWC = ann.DataLayout.NCHW, ann.DataLayout.NHWC
LAYOUTS = [pytest.param(NCHW, id="nchw"), pytest.param(NHWC, id="nhwc")]


@pytest.fixture(scope="module")
def runtime() -> Iterator[ann.Runtime]:
    with ann.Runtime() as runtime:
        assert "CpuAcc" in runtime.backends, "build it, and name its folder"
        yield runtime


def values_of(seed: int, *shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def run(
    runtime: ann.Runtime, network: ann.Network, backends: list[str]
) -> tuple[dict[str, NDArray[Any]], list[str], ann.OptimizedNetwork]:
    """Outputs for fixed inputs, and the rows of a profile: fused layers joined by " + ".

    Without the optimiser's own passes, so that the fusions are those of the backend.
    """
    inputs = {
        name: values_of(number, *info.static_shape)
        for number, (name, info) in enumerate(network.inputs.items())
    }
    optimized = ann.optimize(
        network, backends, runtime=runtime, options=OptimizerOptions(simplify=False)
    )
    with runtime.load_network(optimized) as net:
        with net.profile() as profile:
            outputs = {name: np.array(array) for name, array in net.run(inputs).items()}
        # What is left of a part without its operators is called by the backend's name.
        rows = [row.layer for row in profile.layers if not row.layer.startswith("CpuAcc: ")]
        return outputs, rows, optimized


def check(runtime: ann.Runtime, network: ann.Network) -> list[str]:
    """Same outputs as CpuRef; returns what the profile shows of CpuAcc."""
    expected, _, _ = run(runtime, network, ["CpuRef"])
    outputs, rows, optimized = run(runtime, network, ["CpuAcc", "CpuRef"])
    assert {row.backend for row in optimized.assignment if row.backend} == {"CpuAcc"}
    assert outputs.keys() == expected.keys()
    for name, value in expected.items():
        largest = max(float(np.abs(value).max()), 1e-3)
        np.testing.assert_allclose(outputs[name], value, rtol=1e-4, atol=2e-6 * largest)
    return rows


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


# ---- What is fused behind a convolution ----------------------------------------------------------


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


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_others_read_is_not_swallowed(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
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


# ---- Layouts and views ---------------------------------------------------------------------------


def test_transposes_between_layouts_vanish(runtime: ann.Runtime) -> None:
    """NCHW layers around NHWC layers: nothing moves but the borders."""
    network = ann.Network()
    x = image(network, NCHW)
    y = convolution(network, x, NCHW, name="a")
    y = network.add_transpose(y, (0, 2, 3, 1), name="turn").output
    y = convolution(network, y, NHWC, name="b")
    y = network.add_activation(y, F.RELU, name="relu").output
    y = network.add_permute(y, (0, 2, 3, 1), name="back").output
    y = convolution(network, y, NCHW, name="c")
    network.add_output("y", y)
    assert set(check(runtime, network)) == {"a", "b + relu", "c"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_flattened_pixels(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
    """Global pooling and a dense layer: one pixel has the same order in every layout."""
    network = ann.Network()
    y = convolution(network, image(network, layout), layout, name="conv")
    y = network.add_pooling2d(
        y, ann.PoolingAlgorithm.AVERAGE, (9, 10), data_layout=layout, name="pool"
    ).output
    y = network.add_reshape(y, (2, 20), name="flat").output
    y = network.add_fully_connected(y, values_of(1, 20, 7), name="dense").output
    network.add_output("y", y)
    rows = check(runtime, network)
    assert "flat" not in rows


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [1, 2, 3])
def test_concat_of_what_is_computed(
    runtime: ann.Runtime, layout: ann.DataLayout, axis: int
) -> None:
    """Producers write into the whole, also through another Concat; whole and parts are read."""
    network = ann.Network()
    x = image(network, layout)
    a = convolution(network, x, layout, name="a")
    b = network.add_activation(a, F.TANH, 1, 1, name="b").output
    inner = network.add_concat([a, b], axis=axis, name="inner").output
    c = network.add_activation(inner, F.SQUARE, name="c").output
    outer = network.add_concat([inner, c], axis=axis, name="outer").output
    y = network.add_activation(outer, F.ABS, name="y").output
    network.add_output("y", network.add_multiplication(y, outer, name="last"))
    network.add_output("a", network.add_activation(a, F.RELU, name="relu"))
    rows = check(runtime, network)
    assert "inner" not in rows
    assert "outer" not in rows


def test_concat_of_all_sorts(runtime: ann.Runtime) -> None:
    """An input, a constant, the same twice, a slice and a reshape."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4))).output
    y = network.add_activation(x, F.ABS, name="abs").output
    z = network.add_slice(y, (0, 0, 1), (2, 3, 2), name="slice").output
    r = network.add_reshape(network.add_activation(x, F.RELU), (2, 4, 3), name="reshape").output
    t = network.add_transpose(r, (0, 2, 1), name="transpose").output
    c = network.add_constant(values_of(1, 2, 3, 5)).output
    whole = network.add_concat([x, y, y, z, t, c], axis=2, name="concat").output
    network.add_output("y", whole)
    network.add_output("z", network.add_activation(whole, F.ABS))
    check(runtime, network)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [1, 2, 3])
def test_split_and_work_on_parts(runtime: ann.Runtime, layout: ann.DataLayout, axis: int) -> None:
    network = ann.Network()
    y = convolution(network, image(network, layout, channels=8), layout, outputs=24, name="conv")
    y = network.add_slice(
        y,
        (0, 0, 0, 0),
        tuple(min(side, 24 if side == 24 else 8) for side in y.info.static_shape),
    ).output
    first, second = network.add_split(y, 2, axis=axis, name="split").outputs
    a = network.add_activation(first, F.SIGMOID, name="a").output
    b = network.add_multiplication(a, second, name="b").output
    network.add_output("y", network.add_concat([b, a], axis=axis, name="concat"))
    network.add_output("first", first)
    check(runtime, network)


def test_outputs_of_all_kinds(runtime: ann.Runtime) -> None:
    """An input as it is, the same tensor twice, a view and its source, a constant."""
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4))).output
    same = network.add_reshape(x, (2, 3, 4), name="same").output
    flat = network.add_reshape(x, (6, 4), name="flat").output
    y = network.add_activation(x, F.ABS, name="abs").output
    part = network.add_slice(y, (0, 1, 0), (2, 2, 4), name="part").output
    turned = network.add_transpose(y, (2, 0, 1), name="turned").output
    for number, slot in enumerate([same, flat, y, y, part, turned]):
        network.add_output(f"y{number}", slot)
    network.add_output("c", network.add_reshape(network.add_constant(values_of(1, 6)), (2, 3)))
    check(runtime, network)


def test_in_place_only_where_nobody_reads_on(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((5, 100))).output
    a = network.add_softmax(x, name="a").output
    b = network.add_activation(a, F.TANH, 2, 3, name="b").output
    c = network.add_multiplication(b, b, name="c").output
    d = network.add_addition(a, c, name="d").output
    e = network.add_subtraction(d, b, name="e").output
    network.add_output("y", network.add_addition(e, a, name="f"))
    check(runtime, network)


@pytest.mark.parametrize(
    "indices", [[0, 1, 2, 2], [2, 1, 0], [1, 1, 1], [-1, 0, 1, 2]], ids=["edge", "back", "1", "-"]
)
def test_gather_by_constant_indices(runtime: ann.Runtime, indices: list[int]) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3, 4)))
    y = network.add_gather(x, np.array(indices, np.int32), axis=1, name="gather")
    network.add_output("y", network.add_activation(y, F.ABS))
    check(runtime, network)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("slopes", [(1,), (12, 1, 1), (12, 9, 10)])
def test_prelu(runtime: ann.Runtime, layout: ann.DataLayout, slopes: tuple[int, ...]) -> None:
    network = ann.Network()
    x = image(network, layout)
    values = values_of(1, *slopes)
    if layout == NHWC and len(slopes) == 3:
        values = np.ascontiguousarray(values.transpose(1, 2, 0))
    network.add_output("y", network.add_prelu(x, values, name="prelu"))
    check(runtime, network)


# ---- Layers that CpuAcc does not take ------------------------------------------------------------


def test_layers_of_others_cut_the_part(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = image(network, NCHW)
    y = convolution(network, x, NCHW, name="a")
    y = network.add_normalization(y, 3, alpha=1, beta=1, k=1, data_layout=NCHW, name="lrn").output
    y = convolution(network, y, NCHW, name="b")
    network.add_output("y", network.add_activation(y, F.RELU, name="relu"))
    expected, _, _ = run(runtime, network, ["CpuRef"])
    outputs, _, optimized = run(runtime, network, ["CpuAcc", "CpuRef"])
    np.testing.assert_allclose(outputs["y"], expected["y"], rtol=1e-4, atol=1e-5)
    backends = {row.layer: row.backend for row in optimized.assignment}
    assert backends["lrn"] == "CpuRef"
    assert backends["a"] == backends["b"] == "CpuAcc"


# ---- Random networks -----------------------------------------------------------------------------


class Vision:
    """A random network of images in both layouts; layers read young tensors more often."""

    def __init__(self, seed: int) -> None:
        self.rng, self.seed = random.Random(seed), seed
        self.network = ann.Network(f"vision {seed}")
        self.layout = self.rng.choice([NCHW, NHWC])
        channels = self.rng.choice([3, 8, 24])
        self.pool = [image(self.network, self.layout, channels=channels)]

    def channels(self, x: ann.OutputSlot) -> int:
        return int(x.info.static_shape[1 if self.layout == NCHW else 3])

    def partner(self, x: ann.OutputSlot) -> ann.OutputSlot:
        same = [y for y in self.pool if y.info.static_shape == x.info.static_shape]
        return self.rng.choice(same)

    def grow(self, number: int) -> list[ann.OutputSlot]:
        network, rng, layout = self.network, self.rng, self.layout
        x = rng.choice(self.pool[-4:])
        axis = 1 if layout == NCHW else 3
        kind = rng.randrange(14)
        if kind < 3:
            outputs, kernel = rng.choice([5, 8, 16, 33]), rng.choice([1, 3, 5])
            return [convolution(network, x, layout, outputs, kernel=kernel, name=f"c{number}")]
        if kind == 3:
            weights = values_of(number, 1, 3, 3, self.channels(x))
            return [
                network.add_depthwise_convolution2d(
                    x, weights, padding="same", data_layout=layout
                ).output
            ]
        if kind < 6:
            chosen = rng.choice([RELU, swish, batch_normalization, scale, hard_swish])
            return [chosen(network, x, layout)]
        if kind == 6:
            return [network.add_addition(x, self.partner(x)).output]
        if kind == 7:
            return [network.add_concat([x, self.partner(x)], axis=axis).output]
        if kind == 8 and self.channels(x) % 2 == 0:
            return list(network.add_split(x, 2, axis=axis).outputs)
        if kind == 9:
            pool = rng.choice([ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE])
            return [
                network.add_pooling2d(
                    x, pool, (3, 3), stride=(1, 1), padding="same", data_layout=layout
                ).output
            ]
        if kind == 10:
            gate = network.add_mean(x, (2, 3) if layout == NCHW else (1, 2), keep_dims=True)
            return [network.add_multiplication(x, network.add_activation(gate, F.SIGMOID)).output]
        if kind == 11:
            turned = network.add_transpose(x, (0, 3, 2, 1))
            return [
                network.add_transpose(network.add_activation(turned, F.ABS), (0, 3, 2, 1)).output
            ]
        if kind == 12:
            shape = x.info.static_shape
            flat = network.add_reshape(x, (shape[0], shape[1], shape[2] * shape[3]))
            return [network.add_reshape(network.add_activation(flat, F.RELU), shape).output]
        return [network.add_activation(x, F.LEAKY_RELU, 0.1).output]

    def make(self, layers: int) -> ann.Network:
        for number in range(layers):
            self.pool += self.grow(number)
        unread = [slot for slot in self.pool[1:] if not slot.consumers]
        extra = self.rng.sample(self.pool[1:], 2)
        for number, slot in enumerate(dict.fromkeys([*unread, *extra])):
            self.network.add_output(f"y{number}", slot)
        return self.network


@pytest.mark.parametrize("seed", range(40))
def test_random_networks(runtime: ann.Runtime, seed: int) -> None:
    check(runtime, Vision(seed).make(24))


@pytest.mark.parametrize("isa", ["avx512", "avx2", "neon", "portable"])
def test_each_instruction_set(isa: str) -> None:
    """What this machine does not run is refused, in words that say what it does."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        runtime = ann.Runtime(backend_options={"CpuAcc": {"isa": isa}})
    with runtime:
        if "CpuAcc" not in runtime.backends:
            assert any(f"'{isa}'; here: auto" in str(warning.message) for warning in told)
            return
        for seed in range(40, 46):
            check(runtime, Vision(seed).make(16))


def test_unknown_instruction_set() -> None:
    with (
        pytest.warns(ann.BackendSkippedWarning, match="no kernels for 'sse9'; here: auto"),
        ann.Runtime(backend_options={"CpuAcc": {"isa": "sse9"}}) as runtime,
    ):
        assert "CpuAcc" not in runtime.backends


@pytest.mark.parametrize("threads", [1, 2])
def test_threads(threads: int) -> None:
    with ann.Runtime(backend_options={"CpuAcc": {"threads": threads}}) as runtime:
        for seed in range(46, 49):
            check(runtime, Vision(seed).make(16))


def test_cancelled_between_operators(runtime: ann.Runtime) -> None:
    network = ann.Network()
    y = network.add_input("x", ann.TensorInfo((1, 64, 64, 64))).output
    for number in range(20):
        y = convolution(network, y, NHWC, 64, name=f"c{number}")
    network.add_output("y", y)
    optimized = ann.optimize(network, ["CpuAcc"], runtime=runtime)
    inputs = {"x": values_of(0, 1, 64, 64, 64)}
    with runtime.load_network(optimized) as net, pytest.raises(ann.ExecutionTimeoutError):
        net.run(inputs, timeout=1e-4)


def test_default_order_of_backends(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3)))
    network.add_output("y", network.add_activation(x, F.RELU, name="relu"))
    optimized = ann.optimize(network, runtime=runtime)
    assert [row.backend for row in optimized.assignment if row.layer == "relu"] == ["CpuAcc"]
