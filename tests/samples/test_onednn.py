# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""OneDnn: a backend over a real library; its layers against numpy and CpuRef.

Networks are loaded with OneDnn alone, so that nothing else can take a layer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import armnn_py as ann

from .npu_networks import CONVOLUTIONS, NCHW, NHWC, convolution, image, numbers, of_one
from .onednn_library import build_onednn

Floats = NDArray[np.float32]
Build = Callable[[ann.Network, Any], Any]
Act = ann.ActivationFunction


@pytest.fixture(scope="module")
def runtime(
    sample_backend: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ann.Runtime]:
    with ann.Runtime(build_onednn(sample_backend, tmp_path_factory).parent) as runtime:
        assert "OneDnn" in runtime.backends
        yield runtime


#: Whole parts, and each layer as a workload of its own.
WAYS = ({}, {"OneDnn": {"compile": False}})


def run(runtime: ann.Runtime, network: ann.Network, inputs: dict[str, Floats]) -> list[Floats]:
    """The outputs, which are the same for a whole part and layer by layer."""
    results = []
    for way in WAYS:
        with ann.load(network, ["OneDnn"], runtime=runtime, model_options=way) as loaded:
            loaded.run(inputs)
            results.append(list(loaded.run(inputs).values()))
    for whole, single in zip(*results, strict=True):
        np.testing.assert_allclose(whole, single, rtol=1e-4, atol=1e-5)
    return results[0]


def reference(network: ann.Network, inputs: dict[str, Floats]) -> list[Floats]:
    with ann.load(network, ["CpuRef"]) as loaded:
        return list(loaded.run(inputs).values())


def close(result: Floats, wanted: Floats) -> None:
    scale = float(np.abs(wanted).max())
    np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5 * max(scale, 1e-30))


def check(runtime: ann.Runtime, shape: tuple[int, ...], build: Build) -> Floats:
    """OneDnn says what CpuRef says; what that is."""
    network, inputs = of_one(shape, build), {"x": numbers(*shape)}
    (result,), (wanted,) = run(runtime, network, inputs), reference(network, inputs)
    close(result, wanted)
    return result


# ---- Windows -------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize(("channels", "kernel", "settings"), CONVOLUTIONS)
def test_convolution(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    channels: tuple[int, int],
    kernel: tuple[int, int],
    settings: dict[str, Any],
) -> None:
    def build(network: ann.Network, x: Any) -> Any:
        return convolution(network, x, channels, kernel, layout=layout, **settings)

    check(runtime, image(layout, 2, channels[0], 9, 11), build)


def test_convolution_as_numpy_has_it(runtime: ann.Runtime) -> None:
    x, w, b = numbers(1, 6, 7, 5), numbers(8, 3, 3, 5, seed=1), numbers(8, seed=2)
    network = of_one(x.shape, lambda net, x: net.add_convolution2d(x, w, b))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))  # n y x i ky kx
    wanted = np.einsum("nyxijk,ojki->nyxo", windows, w) + b
    close(run(runtime, network, {"x": x})[0], wanted)


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize("multiplier", [1, 3])
@pytest.mark.parametrize("has_bias", [False, True])
def test_depthwise(
    runtime: ann.Runtime, layout: ann.DataLayout, multiplier: int, has_bias: bool
) -> None:
    weights = numbers(1, 3, 2, 5 * multiplier, seed=3)
    bias = numbers(5 * multiplier, seed=4) if has_bias else None

    def build(network: ann.Network, x: Any) -> Any:
        return network.add_depthwise_convolution2d(
            x, weights, bias, stride=(2, 1), dilation=(1, 2), padding="same", data_layout=layout
        )

    check(runtime, image(layout, 2, 5, 8, 10), build)


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize(
    ("kernel", "settings"),
    [
        ((2, 3), {"stride": (2, 3)}),  # windows that do not overlap: a product of matrices
        ((3, 3), {"stride": 2, "padding": 1}),
        ((3, 2), {"stride": (1, 2), "dilation": (2, 1)}),
    ],
)
def test_transpose_convolution(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    has_bias: bool,
    kernel: tuple[int, int],
    settings: dict[str, Any],
) -> None:
    weights = numbers(*image(layout, 6, 4, *kernel), seed=3)
    bias = numbers(6, seed=4) if has_bias else None

    def build(network: ann.Network, x: Any) -> Any:
        y = network.add_transpose_convolution2d(x, weights, bias, data_layout=layout, **settings)
        return network.add_activation(y, Act.RELU)

    check(runtime, image(layout, 2, 4, 5, 7), build)


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize("method", list(ann.PaddingMethod))
@pytest.mark.parametrize("kind", [ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE])
def test_pooling(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    kind: ann.PoolingAlgorithm,
    method: ann.PaddingMethod,
) -> None:
    def build(network: ann.Network, x: Any) -> Any:
        return network.add_pooling2d(
            x,
            kind,
            (3, 2),
            stride=2,
            padding=(1, 1, 1, 0),
            padding_method=method,
            data_layout=layout,
        )

    check(runtime, image(layout, 2, 5, 9, 10), build)


@pytest.mark.parametrize("kind", [ann.PoolingAlgorithm.MAX, ann.PoolingAlgorithm.AVERAGE])
def test_pooling_that_rounds_up(runtime: ann.Runtime, kind: ann.PoolingAlgorithm) -> None:
    def build(network: ann.Network, x: Any) -> Any:
        return network.add_pooling2d(
            x, kind, 3, stride=2, rounding=ann.OutputShapeRounding.CEILING, data_layout=NCHW
        )

    assert check(runtime, (1, 5, 8, 10), build).shape == (1, 5, 4, 5)


@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize(
    ("size", "method", "settings"),
    [
        ((10, 21), ann.ResizeMethod.NEAREST_NEIGHBOR, {}),
        ((7, 9), ann.ResizeMethod.NEAREST_NEIGHBOR, {"half_pixel_centers": True}),
        ((8, 5), ann.ResizeMethod.BILINEAR, {"half_pixel_centers": True}),
    ],
)
def test_resize(
    runtime: ann.Runtime,
    layout: ann.DataLayout,
    size: tuple[int, int],
    method: ann.ResizeMethod,
    settings: dict[str, bool],
) -> None:
    def build(network: ann.Network, x: Any) -> Any:
        return network.add_resize(x, size, method, data_layout=layout, **settings)

    check(runtime, image(layout, 2, 3, 5, 7), build)


# ---- Matrices ------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 3, 20), (4, 20)])
def test_fully_connected(runtime: ann.Runtime, is_turned: bool, shape: tuple[int, ...]) -> None:
    weights, bias = numbers(20, 18, seed=2), numbers(18, seed=3)
    given = np.ascontiguousarray(weights.T) if is_turned else weights

    def build(network: ann.Network, x: Any) -> Any:
        return network.add_fully_connected(x, given, bias, transpose_weight_matrix=is_turned)

    x = numbers(*shape)
    (result,) = run(runtime, of_one(shape, build), {"x": x})
    close(result.reshape(-1, 18), x.reshape(-1, 20) @ weights + bias)


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True)])
def test_batch_mat_mul(runtime: ann.Runtime, turned: tuple[bool, bool]) -> None:
    x, y = numbers(2, 3, 4, 5), numbers(3, 5, 6, seed=1)
    xs = np.ascontiguousarray(x.swapaxes(-1, -2)) if turned[0] else x
    ys = np.ascontiguousarray(y.swapaxes(-1, -2)) if turned[1] else y
    network = ann.Network()
    inputs = [network.add_input(n, ann.TensorInfo(v.shape)) for n, v in (("x", xs), ("y", ys))]
    network.add_output(
        "z", network.add_batch_mat_mul(*inputs, transpose_x=turned[0], transpose_y=turned[1])
    )
    close(run(runtime, network, {"x": xs, "y": ys})[0], x @ y)


@pytest.mark.parametrize("axis", [1, -1])
@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_softmax(runtime: ann.Runtime, axis: int, beta: float) -> None:
    x = 5 * numbers(2, 7, 9)
    network = of_one(x.shape, lambda net, x: net.add_softmax(x, axis, beta))
    power = np.exp(beta * (x - x.max(axis, keepdims=True)))
    close(run(runtime, network, {"x": x})[0], power / power.sum(axis, keepdims=True))


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize(
    ("operation", "function"),
    [
        (ann.ReduceOperation.SUM, np.sum),
        (ann.ReduceOperation.MEAN, np.mean),
        (ann.ReduceOperation.MAX, np.max),
        (ann.ReduceOperation.MIN, np.min),
        (ann.ReduceOperation.PROD, np.prod),
    ],
)
def test_reduce(
    runtime: ann.Runtime,
    keep: bool,
    operation: ann.ReduceOperation,
    function: Callable[..., Floats],
) -> None:
    x = numbers(2, 3, 4, 5)
    network = of_one(x.shape, lambda net, x: net.add_reduce(x, operation, (1, -1), keep_dims=keep))
    close(run(runtime, network, {"x": x})[0], function(x, axis=(1, 3), keepdims=keep))


# ---- Elements ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "a", "b"),
    [
        (Act.SIGMOID, 0, 0),
        (Act.TANH, 1, 1),
        (Act.TANH, 1.7, 0.6),
        (Act.LINEAR, 0.5, -2),
        (Act.RELU, 0, 0),
        (Act.BOUNDED_RELU, 0.7, -0.3),
        (Act.SOFT_RELU, 0, 0),
        (Act.LEAKY_RELU, 0.2, 0),
        (Act.ABS, 0, 0),
        (Act.SQUARE, 0, 0),
        (Act.ELU, 0.8, 0),
        (Act.HARD_SWISH, 0, 0),
        (Act.GELU, 0, 0),
        (Act.HARD_SIGMOID, 0.3, 0.4),
        (Act.MISH, 0, 0),
    ],
)
def test_activation(
    runtime: ann.Runtime, function: ann.ActivationFunction, a: float, b: float
) -> None:
    check(runtime, (3, 5, 7), lambda net, x: net.add_activation(x, function, a, b))


@pytest.mark.parametrize(
    ("operation", "function"),
    [
        (ann.UnaryOperation.ABS, np.abs),
        (ann.UnaryOperation.EXP, np.exp),
        (ann.UnaryOperation.NEG, np.negative),
        (ann.UnaryOperation.ROUND, np.round),
        (ann.UnaryOperation.SQRT, np.sqrt),
    ],
)
def test_unary(
    runtime: ann.Runtime, operation: ann.UnaryOperation, function: Callable[[Floats], Floats]
) -> None:
    x = np.abs(3 * numbers(3, 5, 7)) + np.float32(0.01)
    x[0, 0, :4] = 0.5, 1.5, 2.5, 3.5
    if operation in (ann.UnaryOperation.ABS, ann.UnaryOperation.NEG, ann.UnaryOperation.ROUND):
        x[1] = -x[1]
    network = of_one(x.shape, lambda net, x: net.add_elementwise_unary(x, operation))
    close(run(runtime, network, {"x": x})[0], function(x))


BINARY: dict[ann.BinaryOperation, Callable[[Floats, Floats], Floats]] = {
    ann.BinaryOperation.ADD: np.add,
    ann.BinaryOperation.SUB: np.subtract,
    ann.BinaryOperation.MUL: np.multiply,
    ann.BinaryOperation.DIV: np.divide,
    ann.BinaryOperation.MAXIMUM: np.maximum,
    ann.BinaryOperation.MINIMUM: np.minimum,
    ann.BinaryOperation.SQ_DIFF: lambda x, y: (x - y) ** 2,
}


@pytest.mark.parametrize("operation", list(BINARY))
@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 3, 4, 5), (2, 3, 4, 5)),
        ((2, 3, 4, 5), (1, 3, 1, 1)),
        ((2, 3, 4, 5), (4, 5)),
        ((2, 3, 4, 5), (1,)),
    ],
)
def test_binary(
    runtime: ann.Runtime,
    operation: ann.BinaryOperation,
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    x, y = numbers(*shapes[0]), np.abs(numbers(*shapes[1], seed=1)) + np.float32(0.5)
    commutes = operation not in (ann.BinaryOperation.SUB, ann.BinaryOperation.DIV)
    for first, second in ((x, y), (y, x)) if commutes else ((x, y),):
        network = ann.Network()
        inputs = [
            network.add_input(name, ann.TensorInfo(value.shape))
            for name, value in (("x", first), ("y", second))
        ]
        network.add_output("z", network.add_elementwise_binary(*inputs, operation))
        (result,) = run(runtime, network, {"x": first, "y": second})
        close(result, BINARY[operation](first, second))


def test_layers_that_move_elements(runtime: ann.Runtime) -> None:
    def build(network: ann.Network, x: Any) -> Any:
        turned = network.add_transpose(x, (0, 2, 3, 1))
        joined = network.add_concat([turned, network.add_activation(turned, Act.RELU)], axis=3)
        cut = network.add_slice(joined, (0, 1, 0, 1), (2, 3, 5, 4))
        return network.add_reshape(cut, (6, 20))

    x = numbers(2, 3, 4, 5)
    (result,) = run(runtime, of_one(x.shape, build), {"x": x})
    turned = x.transpose(0, 2, 3, 1)
    joined = np.concatenate([turned, np.maximum(turned, 0)], axis=3)
    close(result, joined[:, 1:4, :, 1:5].reshape(6, 20))


# ---- What it refuses -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "why"),
    [
        (
            lambda net, x: net.add_pooling2d(x, ann.PoolingAlgorithm.L2, 2),
            "oneDNN has no L2 pooling",
        ),
        (
            lambda net, x: net.add_resize(x, (9, 9), align_corners=True),
            "oneDNN does not align corners",
        ),
        (
            lambda net, x: net.add_resize(x, (7, 9), ann.ResizeMethod.BILINEAR),
            "oneDNN resizes with half pixel centers",
        ),
        (
            lambda net, x: net.add_elementwise_unary(x, ann.UnaryOperation.SIN),
            "oneDNN has not this function",
        ),
        (lambda net, x: net.add_cast(x, ann.DataType.FLOAT16), "no primitive for this layer type"),
        (
            lambda net, x: net.add_convolution2d(
                x, net.add_input("w", ann.TensorInfo((4, 1, 1, 3)))
            ),
            "weights that is not constant cannot be packed",
        ),
    ],
)
def test_refusals_say_why(runtime: ann.Runtime, build: Build, why: str) -> None:
    network = of_one((1, 4, 4, 3), build)
    optimized = ann.optimize(network, ["OneDnn", "CpuRef"], runtime=runtime)
    assert why in [reason for row in optimized.assignment for _, reason in row.refusals]


def test_why_it_takes_no_8_bits(runtime: ann.Runtime) -> None:
    network = ann.Network()
    scale = ann.QuantizationInfo((0.1,), (3,))
    x = network.add_input("x", ann.TensorInfo((2, 6), ann.DataType.QASYMM_S8, scale))
    y = network.add_concat([x, x], 0)
    network.add_output("y", y)
    optimized = ann.optimize(network, ["OneDnn", "CpuRef"], runtime=runtime)
    ((_, reason),) = next(row.refusals for row in optimized.assignment if row.refusals)
    assert reason == (
        "input 0 is quantised int8: sums of oneDNN saturate on the way where a processor has no "
        "VNNI"
    )
