# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend over XNNPACK: what each layer computes, compiled and by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .npu_networks import CONVOLUTIONS, NCHW, NHWC, convolution, image, numbers, of_one
from .xnnpack_networks import check

LAYOUTS = pytest.mark.parametrize("layout", [NCHW, NHWC])
Activation, Binary, Unary = ann.ActivationFunction, ann.BinaryOperation, ann.UnaryOperation


@pytest.fixture
def runtime(xnnpack_library: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(dynamic_backends_path=xnnpack_library.parent) as runtime:
        yield runtime


@LAYOUTS
@pytest.mark.parametrize(("channels", "kernel", "settings"), CONVOLUTIONS)
def test_convolution(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    channels: tuple[int, int],
    kernel: tuple[int, int],
    settings: dict[str, Any],
) -> None:
    shape = image(layout, 2, channels[0], 9, 11)
    network = of_one(
        shape, lambda n, x: convolution(n, x, channels, kernel, layout=layout, **settings)
    )
    check(runtime, network, x=numbers(*shape))


@LAYOUTS
@pytest.mark.parametrize("multiplier", [1, 3])
def test_depthwise(runtime: ann.Runtime, layout: ann.DataLayout, multiplier: int) -> None:
    shape = image(layout, 2, 5, 8, 10)
    weights, bias = numbers(1, 3, 3, 5 * multiplier, seed=3), numbers(5 * multiplier, seed=4)
    network = of_one(
        shape,
        lambda n, x: n.add_depthwise_convolution2d(
            x, weights, bias, stride=(2, 1), padding="same", data_layout=layout
        ),
    )
    check(runtime, network, x=numbers(*shape))


@LAYOUTS
@pytest.mark.parametrize(
    ("groups", "kernel", "settings"),
    [
        (1, (3, 2), {"stride": 2, "padding": (1, 0, 1, 0)}),
        (2, (2, 2), {"stride": 2}),
        (1, (3, 3), {"dilation": (1, 2), "stride": (1, 3)}),
    ],
)
def test_transpose_convolution(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    groups: int,
    kernel: tuple[int, int],
    settings: dict[str, Any],
) -> None:
    shape = image(layout, 2, 4, 5, 6)
    weights = numbers(*image(layout, 6, 4 // groups, *kernel), seed=1)
    network = of_one(
        shape,
        lambda n, x: n.add_transpose_convolution2d(
            x, weights, numbers(6), groups=groups, data_layout=layout, **settings
        ),
    )
    check(runtime, network, x=numbers(*shape))


@pytest.mark.parametrize("transpose", [False, True])
def test_fully_connected_against_numpy(runtime: ann.Runtime, transpose: bool) -> None:
    x, weights, bias = numbers(3, 4, 5), numbers(20, 18, seed=2), numbers(18, seed=3)
    given = np.ascontiguousarray(weights.T) if transpose else weights
    network = of_one(
        x.shape,
        lambda n, s: n.add_fully_connected(s, given, bias, transpose_weight_matrix=transpose),
    )
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        y = net.run(x)["y"]
    np.testing.assert_allclose(y, x.reshape(3, 20) @ weights + bias, rtol=1e-4, atol=1e-5)


@LAYOUTS
@pytest.mark.parametrize("kind", [ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE])
@pytest.mark.parametrize("rounding", list(ann.OutputShapeRounding))
@pytest.mark.parametrize(
    ("size", "stride", "padding"), [((3, 2), 2, (1, 1, 1, 0)), ((2, 2), 3, "valid"), (3, 1, "same")]
)
def test_pooling(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    kind: ann.PoolingAlgorithm,
    rounding: ann.OutputShapeRounding,
    size: Any,
    stride: int,
    padding: Any,
) -> None:
    shape = image(layout, 2, 5, 9, 10)
    settings = {"stride": stride, "padding": padding, "data_layout": layout}
    network = of_one(
        shape, lambda n, x: n.add_pooling2d(x, kind, size, rounding=rounding, **settings)
    )
    check(runtime, network, x=numbers(*shape))


@LAYOUTS
def test_means_of_images(runtime: ann.Runtime, layout: ann.DataLayout) -> None:
    shape = image(layout, 2, 37, 6, 7)
    axes = (2, 3) if layout is NCHW else (1, 2)
    x = numbers(*shape)
    network = ann.Network()
    source = network.add_input("x", ann.TensorInfo(shape))
    pooled = network.add_pooling2d(source, ann.PoolingAlgorithm.AVERAGE, (6, 7), data_layout=layout)
    network.add_output("pooled", pooled)
    network.add_output("kept", network.add_mean(source, axes, keep_dims=True))
    network.add_output("gone", network.add_mean(source, axes))
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        results = net.run(x)
    for result in results.values():
        wanted = x.mean(axis=axes)
        np.testing.assert_allclose(result.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-5)


BINARY: dict[ann.BinaryOperation, Callable[..., Any]] = {
    Binary.ADD: np.add,
    Binary.SUB: np.subtract,
    Binary.MUL: np.multiply,
    Binary.DIV: np.divide,
    Binary.MAXIMUM: np.maximum,
    Binary.MINIMUM: np.minimum,
    Binary.SQ_DIFF: lambda a, b: (a - b) ** 2,
}


@pytest.mark.parametrize("operation", list(BINARY))
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((2, 3, 4, 5), (2, 3, 4, 5)),
        ((2, 3, 4, 5), (3, 1, 1)),
        ((1, 1), (2, 3, 4, 5)),
        ((7,), ()),
        ((2, 1, 3, 1, 2, 2), (4, 1, 2, 1, 2)),
    ],
)
def test_binary(
    runtime: ann.Runtime,
    operation: ann.BinaryOperation,
    left: tuple[int, ...],
    right: tuple[int, ...],
) -> None:
    a, b = numbers(*left), np.asarray(numbers(*right, seed=1) + np.float32(3), np.float32)
    network = ann.Network()
    x, y = (network.add_input(name, ann.TensorInfo(v.shape)) for name, v in (("x", a), ("y", b)))
    network.add_output("both", network.add_elementwise_binary(x, y, operation))
    network.add_output("known", network.add_elementwise_binary(x, b, operation))
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        results = net.run({"x": a, "y": b})
    for result in results.values():
        np.testing.assert_allclose(result, BINARY[operation](a, b), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("function", "a", "b"),
    [
        (Activation.SIGMOID, 0.0, 0.0),
        (Activation.LINEAR, 2.5, -1.0),
        (Activation.RELU, 0.0, 0.0),
        (Activation.BOUNDED_RELU, 1.0, -0.5),
        (Activation.LEAKY_RELU, 0.1, 0.0),
        (Activation.ABS, 0.0, 0.0),
        (Activation.SQRT, 0.0, 0.0),
        (Activation.SQUARE, 0.0, 0.0),
        (Activation.ELU, 0.7, 0.0),
        (Activation.HARD_SWISH, 0.0, 0.0),
        (Activation.HARD_SIGMOID, 0.2, 0.5),
    ],
)
@pytest.mark.parametrize("shape", [(1, 3, 5, 7), (1021,), ()])
def test_activation(
    runtime: ann.Runtime,
    function: ann.ActivationFunction,
    a: float,
    b: float,
    shape: tuple[int, ...],
) -> None:
    x = np.asarray(numbers(*shape) * np.float32(3), np.float32)
    x = np.abs(x) if function is Activation.SQRT else x
    check(runtime, of_one(shape, lambda n, s: n.add_activation(s, function, a, b)), x=x)


@pytest.mark.parametrize(
    "operation",
    [Unary.ABS, Unary.SQRT, Unary.NEG, Unary.CEIL, Unary.FLOOR, Unary.ROUND],
)
def test_unary(runtime: ann.Runtime, operation: ann.UnaryOperation) -> None:
    x = numbers(3, 37) * np.float32(4)
    x = np.abs(x) if operation is Unary.SQRT else x
    check(runtime, of_one(x.shape, lambda n, s: n.add_elementwise_unary(s, operation)), x=x)


@pytest.mark.parametrize(
    ("shape", "axis", "beta"), [((3, 10), -1, 1.0), ((2, 11, 3, 4), 1, 0.5), ((5,), 0, 2.0)]
)
def test_softmax_against_numpy(
    runtime: ann.Runtime, shape: tuple[int, ...], axis: int, beta: float
) -> None:
    x = numbers(*shape)
    network = of_one(shape, lambda n, s: n.add_softmax(s, axis, beta))
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        y = net.run(x)["y"]
    powers = np.exp(beta * x)
    np.testing.assert_allclose(y, powers / powers.sum(axis=axis, keepdims=True), rtol=1e-5)


@LAYOUTS
@pytest.mark.parametrize("size", [(12, 20), (5, 3), (1, 1)])
@pytest.mark.parametrize("corners", [(False, False), (True, False), (False, True)])
def test_resize(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    size: tuple[int, int],
    corners: tuple[bool, bool],
) -> None:
    shape = image(layout, 2, 3, 4, 5)
    methods = [ann.ResizeMethod.BILINEAR]
    if size == (12, 20) and not corners[0]:
        methods.append(ann.ResizeMethod.NEAREST_NEIGHBOR)
    for method in methods:
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo(shape))
        y = network.add_resize(
            x,
            size,
            method,
            align_corners=corners[0],
            half_pixel_centers=corners[1],
            data_layout=layout,
        )
        network.add_output("y", y)
        check(runtime, network, x=numbers(*shape))


def test_what_it_does_not_take_is_said_in_words(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 4, 6, 6)))
    y = network.add_activation(x, Activation.TANH, 1.0, 1.0, name="tanh")
    y = network.add_softmax(y, 2, name="softmax")
    y = network.add_pooling2d(
        y,
        ann.PoolingAlgorithm.AVERAGE,
        3,
        stride=1,
        padding="same",
        padding_method=ann.PaddingMethod.IGNORE_VALUE,
        data_layout=NCHW,
        name="pool",
    )
    network.add_output("y", y)
    optimized = ann.optimize(network, ["Xnnpack", "CpuRef"], runtime=runtime)
    reasons = {row.layer: dict(row.refusals).get("Xnnpack") for row in optimized.assignment.layers}
    assert "no operator for TanH" in str(reasons["tanh"])
    assert "along channels, this is axis 2 of 4" in str(reasons["softmax"])
    assert "does not count padding" in str(reasons["pool"])
