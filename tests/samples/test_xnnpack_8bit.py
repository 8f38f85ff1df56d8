# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The backend over XNNPACK: layers of 8 bits, against numpy with integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann

from . import quantised_numpy as q
from .npu_networks import NCHW
from .quantised_numpy import S8, SYMMETRIC, U8, Quantised, assert_close, drawn
from .xnnpack_networks import steps

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = pytest.mark.parametrize("kind", [S8, U8])
Activation, Binary = ann.ActivationFunction, ann.BinaryOperation


@pytest.fixture
def runtime(xnnpack_library: Path) -> Iterator[ann.Runtime]:
    with ann.Runtime(dynamic_backends_path=xnnpack_library.parent) as runtime:
        yield runtime


def results(
    runtime: ann.Runtime,
    inputs: list[Quantised],
    add: Callable[..., Any],
    ran: list[str] | None = None,
) -> list[NDArray[Any]]:
    """What Xnnpack alone computes, compiled and layer by layer."""
    network = ann.Network()
    sources = [network.add_input(f"x{i}", one.info) for i, one in enumerate(inputs)]
    network.add_output("y", add(network, *sources))
    arrays = {f"x{i}": one.values for i, one in enumerate(inputs)}
    found = []
    for compiles in (True, False):
        options = ann.OptimizerOptions(compile_parts=compiles)
        with ann.load(network, ["Xnnpack"], runtime=runtime, options=options) as net:
            with net.profile() as profile:
                found.append(net.run(arrays)["y"])
            if compiles and ran is not None:
                ran.extend(steps(profile))
            found.append(net.run(arrays)["y"])
    return found


def check(
    runtime: ann.Runtime,
    inputs: list[Quantised],
    add: Callable[..., Any],
    real: NDArray[np.float64],
    out: ann.TensorInfo,
) -> None:
    wanted = q.quantise(real, out)
    for found in results(runtime, inputs, add):
        assert_close(found, wanted)


def zero_of(kind: ann.DataType) -> int:
    return 7 if kind is S8 else 121


def weights(kind: ann.DataType, how: str, shape: tuple[int, ...], axis: int) -> Quantised:
    """Of one scale, or of one for each index of ``axis``."""
    if kind is U8:
        return drawn(shape, U8, (0.02,), 130, seed=5)
    if how == "tensor":
        return drawn(shape, SYMMETRIC, (0.02,), seed=5)
    scales = tuple(0.003 * (i + 1) for i in range(shape[axis]))
    return drawn(shape, SYMMETRIC, scales, axis=axis, seed=5)


def constant(network: ann.Network, tensor: Quantised) -> Any:
    return network.add_constant(tensor.values, info=tensor.info)


def bias_of(count: int) -> NDArray[np.int32]:
    return np.random.default_rng(9).integers(-9000, 9000, count).astype(np.int32)


WEIGHTS = pytest.mark.parametrize(
    ("kind", "how"), [(S8, "tensor"), (S8, "channel"), (U8, "tensor")]
)


@WEIGHTS
@pytest.mark.parametrize(
    ("groups", "stride", "pads", "dilation"),
    [
        (1, (1, 1), (1, 1, 1, 1), (1, 1)),
        (2, (2, 1), (0, 1, 1, 0), (1, 2)),
        (1, (2, 3), (0, 0, 0, 0), (1, 1)),
    ],
)
@pytest.mark.parametrize("has_bias", [False, True])
def test_convolution(
    runtime: ann.Runtime,
    kind: ann.DataType,
    how: str,
    groups: int,
    stride: tuple[int, int],
    pads: tuple[int, int, int, int],
    dilation: tuple[int, int],
    has_bias: bool,
) -> None:
    x = drawn((2, 9, 11, 6), kind, (0.05,), zero_of(kind))
    w = weights(kind, how, (8, 3, 3, 6 // groups), 0)
    bias = bias_of(8) if has_bias else None
    real = q.convolution(x, w, bias, stride, pads, dilation, groups)
    out = q.info(real.shape, kind, (0.5,), zero_of(kind) - 3)

    def add(network: ann.Network, source: Any) -> Any:
        return network.add_convolution2d(
            source,
            constant(network, w),
            bias,
            stride=stride,
            padding=pads,
            dilation=dilation,
            groups=groups,
            output_info=out,
        )

    check(runtime, [x], add, real, out)


@WEIGHTS
@pytest.mark.parametrize("multiplier", [1, 2])
def test_depthwise(runtime: ann.Runtime, kind: ann.DataType, how: str, multiplier: int) -> None:
    x = drawn((1, 10, 7, 5), kind, (0.05,), zero_of(kind))
    w = weights(kind, how, (1, 3, 3, 5 * multiplier), 3)
    bias = bias_of(5 * multiplier)
    real = q.depthwise(x, w, bias, (2, 1), (1, 1, 1, 1))
    out = q.info(real.shape, kind, (0.3,), zero_of(kind))

    def add(network: ann.Network, source: Any) -> Any:
        return network.add_depthwise_convolution2d(
            source,
            constant(network, w),
            bias,
            stride=(2, 1),
            padding=(1, 1, 1, 1),
            output_info=out,
        )

    check(runtime, [x], add, real, out)


@WEIGHTS
@pytest.mark.parametrize("transposed", [False, True])
def test_fully_connected(
    runtime: ann.Runtime, kind: ann.DataType, how: str, transposed: bool
) -> None:
    x = drawn((3, 37), kind, (0.05,), zero_of(kind))
    w = weights(kind, how, (18, 37) if transposed else (37, 18), 0 if transposed else 1)
    bias = bias_of(18)
    real = q.fully_connected(x, w, bias, transposed)
    out = q.info(real.shape, kind, (0.6,), zero_of(kind))

    def add(network: ann.Network, source: Any) -> Any:
        return network.add_fully_connected(
            source,
            constant(network, w),
            bias,
            transpose_weight_matrix=transposed,
            output_info=out,
        )

    check(runtime, [x], add, real, out)


@KINDS
def test_transpose_convolution(runtime: ann.Runtime, kind: ann.DataType) -> None:
    """Each input adds its window of the output."""
    x = drawn((1, 4, 5, 3), kind, (0.05,), zero_of(kind))
    w = weights(kind, "tensor", (6, 3, 2, 3), 0)
    bias = bias_of(6)
    sums = np.zeros((1, 2 * 3 + 3, 2 * 4 + 2, 6), np.int64)
    for i in range(4):
        for j in range(5):
            window = np.einsum("c,ohwc->hwo", x.steps[0, i, j], w.steps)
            sums[0, 2 * i : 2 * i + 3, 2 * j : 2 * j + 2] += window
    real = (sums + bias) * (np.float64(np.float32(0.05)) * np.float32(0.02))
    out = q.info(real.shape, kind, (0.2,), zero_of(kind))

    def add(network: ann.Network, source: Any) -> Any:
        return network.add_transpose_convolution2d(
            source, constant(network, w), bias, stride=2, output_info=out
        )

    check(runtime, [x], add, real, out)


@KINDS
@pytest.mark.parametrize("operation", [Binary.ADD, Binary.SUB, Binary.MUL])
@pytest.mark.parametrize("right", [(2, 3, 4, 5), (3, 1, 5), (1,)])
def test_binary(
    runtime: ann.Runtime, kind: ann.DataType, operation: ann.BinaryOperation, right: Any
) -> None:
    a = drawn((2, 3, 4, 5), kind, (0.05,), zero_of(kind))
    b = drawn(right, kind, (0.08,), zero_of(kind) - 9, seed=1)
    function = {Binary.ADD: np.add, Binary.SUB: np.subtract, Binary.MUL: np.multiply}[operation]
    out = q.info((2, 3, 4, 5), kind, (0.13,), zero_of(kind) + 2)

    def add(network: ann.Network, x: Any, y: Any) -> Any:
        return network.add_elementwise_binary(x, y, operation, output_info=out)

    check(runtime, [a, b], add, function(a.real, b.real), out)


@KINDS
def test_max_pooling_pads_with_nothing(runtime: ann.Runtime, kind: ann.DataType) -> None:
    x = drawn((2, 6, 7, 4), kind, (0.05,), zero_of(kind))
    taps = q.windows(x.steps, (3, 2), (2, 2), (1, 0, 0, 1), fill=-1000)
    real = taps.max(axis=3) * np.float64(np.float32(0.05))

    def add(network: ann.Network, source: Any) -> Any:
        return network.add_pooling2d(
            source, ann.PoolingAlgorithm.MAX, (3, 2), stride=2, padding=(1, 0, 0, 1)
        )

    check(runtime, [x], add, real, q.info(real.shape, kind, (0.05,), zero_of(kind)))


def average(out: ann.TensorInfo, size: Any, **settings: Any) -> Callable[..., Any]:
    def add(network: ann.Network, source: Any) -> Any:
        return network.add_pooling2d(
            source, ann.PoolingAlgorithm.AVERAGE, size, output_info=out, **settings
        )

    return add


def test_average_pooling(runtime: ann.Runtime) -> None:
    x = drawn((2, 6, 7, 4), U8, (0.05,), 120)
    real = q.windows(x.steps, (3, 2), (2, 2), (0, 0, 0, 0)).mean(axis=3) * np.float32(0.05)
    out = q.info(real.shape, U8, (0.03,), 110)
    check(runtime, [x], average(out, size=(3, 2), stride=2), real, out)


@KINDS
def test_means_of_images(runtime: ann.Runtime, kind: ann.DataType) -> None:
    x = drawn((2, 6, 7, 40), kind, (0.05,), zero_of(kind))
    real = x.real.mean(axis=(1, 2), keepdims=True)
    out = q.info(real.shape, kind, (0.01,), zero_of(kind))
    check(runtime, [x], average(out, size=(6, 7)), real, out)


@KINDS
@pytest.mark.parametrize(
    ("function", "a", "b"), [(Activation.RELU, 0.0, 0.0), (Activation.BOUNDED_RELU, 4.0, -1.0)]
)
def test_clamps(
    runtime: ann.Runtime, kind: ann.DataType, function: ann.ActivationFunction, a: float, b: float
) -> None:
    x = drawn((3, 77), kind, (0.05,), zero_of(kind))
    bounds = (0.0, np.inf) if function is Activation.RELU else (b, a)

    def add(network: ann.Network, source: Any) -> Any:
        return network.add_activation(source, function, a, b, output_info=x.info)

    check(runtime, [x], add, np.clip(x.real, *bounds), x.info)


@pytest.mark.parametrize(
    ("kind", "function", "a", "formula", "scale", "zero"),
    [
        (S8, Activation.SIGMOID, 0.0, lambda x: 1 / (1 + np.exp(-x)), 1 / 256, -128),
        (U8, Activation.SIGMOID, 0.0, lambda x: 1 / (1 + np.exp(-x)), 1 / 256, 0),
        (S8, Activation.TANH, 1.0, np.tanh, 1 / 128, 0),
        (U8, Activation.TANH, 1.0, np.tanh, 1 / 128, 128),
        (S8, Activation.ELU, 0.7, lambda x: np.where(x > 0, x, 0.7 * np.expm1(x)), 0.04, -20),
        (U8, Activation.LEAKY_RELU, 0.1, lambda x: np.where(x > 0, x, 0.1 * x), 0.043, 20),
    ],
)
def test_functions(
    runtime: ann.Runtime,
    kind: ann.DataType,
    function: ann.ActivationFunction,
    a: float,
    formula: Callable[[Any], Any],
    scale: float,
    zero: int,
) -> None:
    x = drawn((5, 61), kind, (0.05,), zero_of(kind))
    out = q.info(x.values.shape, kind, (scale,), zero)

    def add(network: ann.Network, source: Any) -> Any:
        return network.add_activation(source, function, a, 1.0, output_info=out)

    check(runtime, [x], add, formula(x.real), out)


@pytest.mark.parametrize("beta", [1.0, 0.5])
def test_softmax(runtime: ann.Runtime, beta: float) -> None:
    x = drawn((4, 33), U8, (0.08,), 100)
    powers = np.exp(beta * (x.real - x.real.max(axis=1, keepdims=True)))
    out = q.info(x.values.shape, U8, (1 / 256,), 0)

    def add(network: ann.Network, source: Any) -> Any:
        return network.add_softmax(source, -1, beta, output_info=out)

    check(runtime, [x], add, powers / powers.sum(axis=1, keepdims=True), out)


@KINDS
def test_resize(runtime: ann.Runtime, kind: ann.DataType) -> None:
    """Twice the size with half-pixel centers: weights of 1/4 and 3/4."""
    x = drawn((1, 4, 5, 3), kind, (0.05,), zero_of(kind))
    real = x.real
    for axis in (1, 2):
        count = real.shape[axis]
        places = np.clip((np.arange(2 * count) + 0.5) / 2 - 0.5, 0, count - 1)
        low = np.floor(places).astype(int)
        high = np.minimum(low + 1, count - 1)
        share = (places - low).reshape([-1 if d == axis else 1 for d in range(4)])
        real = np.take(real, low, axis) * (1 - share) + np.take(real, high, axis) * share

    def add(network: ann.Network, source: Any) -> Any:
        return network.add_resize(
            source, (8, 10), ann.ResizeMethod.BILINEAR, half_pixel_centers=True
        )

    wanted = q.quantise(real, q.info(real.shape, kind, (0.05,), zero_of(kind)))
    for found in results(runtime, [x], add):
        assert np.abs(found.astype(int) - wanted.astype(int)).max() <= 1  # many halves

    nearest = results(runtime, [x], lambda n, s: n.add_resize(s, (8, 10)))
    for found in nearest:
        np.testing.assert_array_equal(found, x.values.repeat(2, axis=1).repeat(2, axis=2))


@KINDS
def test_conversions(runtime: ann.Runtime, kind: ann.DataType) -> None:
    least, most = q.ends(kind)
    real = np.linspace(-40, 40, 333).astype(np.float32)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(real.shape))
    quantised = network.add_quantize(x, kind, ann.QuantizationInfo((0.21,), (zero_of(kind),)))
    network.add_output("q", quantised)
    network.add_output("real", network.add_dequantize(quantised))
    with ann.load(network, ["Xnnpack"], runtime=runtime) as net:
        found = net.run(real)
    out = q.info(real.shape, kind, (0.21,), zero_of(kind))
    assert_close(found["q"], q.quantise(real.astype(np.float64), out))
    assert (found["q"].min(), found["q"].max()) == (least, most)
    again = np.float32(0.21) * (found["q"].astype(np.float32) - zero_of(kind))
    np.testing.assert_allclose(found["real"], again, rtol=1e-6)


def test_a_chain_is_one_part_without_a_change_of_layout_between(runtime: ann.Runtime) -> None:
    """NCHW: the image is turned where it comes in; ReLu is fused, Concat and Split are copies."""
    x = drawn((1, 4, 8, 6), S8, (0.05,), 3)
    first = drawn((6, 4, 3, 3), SYMMETRIC, (0.01, 0.02, 0.03, 0.01, 0.02, 0.03), axis=0, seed=2)
    second = drawn((5, 6, 1, 1), SYMMETRIC, (0.01,), seed=3)
    middle = ann.QuantizationInfo((0.11,), (-100,))

    def add(network: ann.Network, source: Any) -> Any:
        info = ann.TensorInfo((1, 6, 8, 6), S8, middle)
        y = network.add_convolution2d(
            source,
            constant(network, first),
            bias_of(6),
            padding="same",
            data_layout=NCHW,
            output_info=info,
        )
        y = network.add_activation(y, Activation.RELU, output_info=info)
        upper, lower = network.add_split(y, [2, 4], 1).outputs
        y = network.add_concat([lower, upper], 1)
        y = network.add_convolution2d(
            y,
            constant(network, second),
            data_layout=NCHW,
            output_info=q.info((1, 5, 8, 6), S8, (0.4,), 0),
        )
        return network.add_dequantize(y)

    image = Quantised(x.values.transpose(0, 2, 3, 1), S8, x.scales, x.zero)
    turned = Quantised(first.values.transpose(0, 2, 3, 1), SYMMETRIC, first.scales, axis=0)
    real = np.maximum(q.convolution(image, turned, bias_of(6), (1, 1), (1, 1, 1, 1)), 0)
    between = q.quantise(real, ann.TensorInfo(real.shape, S8, middle))
    between = np.concatenate([between[..., 2:], between[..., :2]], axis=3)
    wanted = q.convolution(
        Quantised(between, S8, (0.11,), -100),
        Quantised(second.values.transpose(0, 2, 3, 1), SYMMETRIC, second.scales),
        None,
        (1, 1),
        (0, 0, 0, 0),
    ).transpose(0, 3, 1, 2)
    wanted = 0.4 * np.clip(np.rint(wanted / np.float32(0.4)), -128, 127)
    told: list[str] = []
    for found in results(runtime, [x], add, told):
        assert np.abs(found - wanted).max() < 0.81  # steps off before, and one of the last layer
        assert np.mean(np.abs(found - wanted) > 0.1) < 0.1
    assert told.count("xnnpack convolution") == 2
    assert told.count("change of layout") == 2
    assert told.count("xnnpack unary") == 0
    assert told[-1] in ("xnnpack dequantize", "change of layout")


def refused_activation(network: ann.Network, x: Any) -> Any:
    out = q.info((1, 6, 6, 4), S8, (0.9,), 3)
    return network.add_activation(x, Activation.RELU, output_info=out)


def refused_sigmoid(network: ann.Network, x: Any) -> Any:
    out = q.info((1, 6, 6, 4), S8, (0.9,), 3)
    return network.add_activation(x, Activation.SIGMOID, output_info=out)


def refused_scale(network: ann.Network, x: Any) -> Any:
    return network.add_addition(x, x, output_info=q.info((1, 6, 6, 4), S8, (1e-6,), 3))


def refused_product(network: ann.Network, x: Any) -> Any:
    """XNNPACK only asserts this limit, which ends the process."""
    w = constant(network, drawn((2, 1, 1, 4), SYMMETRIC, (1e-20,)))
    return network.add_convolution2d(x, w, output_info=q.info((1, 6, 6, 2), S8, (1.0,), 3))


def refused_average(network: ann.Network, x: Any) -> Any:
    out = q.info((1, 3, 3, 4), S8, (0.05,), 3)
    return average(out, size=2, stride=2)(network, x)


def refused_weights(network: ann.Network, x: Any) -> Any:
    w = constant(network, drawn((144, 2), S8, (0.05,), 5))
    return network.add_fully_connected(x, w, output_info=q.info((1, 2), S8, (1.0,)))


@pytest.mark.parametrize(
    ("add", "reason"),
    [
        (refused_activation, "quantised differently"),
        (refused_sigmoid, "the scale 0.00390625 and the zero point -128"),
        (refused_scale, r"the scale of input 0 is 50000 times that of the output"),
        (refused_product, r"the scale of a product is 5e-22 times"),
        (refused_average, "no average pooling of quantised int8"),
        (refused_weights, "the zero point of the weights is 5"),
    ],
)
def test_what_it_does_not_take_is_said_in_words(
    runtime: ann.Runtime, add: Callable[..., Any], reason: str
) -> None:
    network = ann.Network()
    x = network.add_input("x", q.info((1, 6, 6, 4), S8, (0.05,), 3))
    network.add_output("y", add(network, x))
    with pytest.raises(ann.NoBackendForLayerError, match=reason):
        ann.optimize(network, ["Xnnpack"], runtime=runtime)
