# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Products of quantised numbers have CpuRef's bits: shapes and bounds beyond the kit's cases."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import armnn_py as ann

from .products import NHWC, W16, F, Family, random_product, weights_of
from .quantized import (
    S8,
    U8,
    W8,
    check_equal,
    info_of,
    numbers,
    outputs_of,
    quantized_runtime,
    reference_outputs,
    scale_in,
)

__all__ = ["quantized_runtime"]


FAMILIES = [Family(S8), Family(U8), Family(W16)]
NAMES = ["s8", "u8", "s16"]


@pytest.mark.parametrize("family", FAMILIES, ids=NAMES)
@pytest.mark.parametrize("seed", range(40))
def test_random_convolutions(quantized_runtime: ann.Runtime, seed: int, family: Family) -> None:
    rng = np.random.default_rng(seed)
    channels = int(rng.choice([1, 2, 3, 6, 9, 16, 24, 33]))
    shape = (int(rng.choice([1, 2])), int(rng.integers(1, 12)), int(rng.integers(1, 14)), channels)
    network = ann.Network()
    x = network.add_input("x", family.info(rng, shape)).output
    y = random_product(network, rng, x, shape, family)
    if seed % 2:
        y = random_product(network, rng, y, y.info.static_shape, family)
    network.add_output("y", y)
    check_equal(quantized_runtime, network, rng)


@pytest.mark.parametrize("data_type", [S8, U8], ids=["s8", "u8"])
@pytest.mark.parametrize("above", [0, 1, 90, 255])
@pytest.mark.parametrize("function", [None, F.RELU, F.BOUNDED_RELU])
def test_bounds_of_the_type(
    quantized_runtime: ann.Runtime, data_type: ann.DataType, above: int, function: Any
) -> None:
    """Bounds that are those of the type, one end of them or neither, zero points that are the least
    number (``above`` it 0) or not, and sums far beyond both ends; tiles of many and of few rows."""
    rng = np.random.default_rng(above)
    least = 0 if data_type == U8 else -128
    network = ann.Network()
    quantization = ann.QuantizationInfo((0.05,), (least + 128,))  # sums of either sign
    image = ann.TensorInfo((1, 5, 9, 24), data_type, quantization=quantization)
    x = network.add_input("x", image).output
    weights, info = weights_of(rng, (64, 1, 1, 24), 0, "one")
    quantization = ann.QuantizationInfo((0.05,), (least + above,))
    result = ann.TensorInfo((1, 5, 9, 64), data_type, quantization=quantization)
    y = network.add_convolution2d(x, network.add_constant(weights, info=info), output_info=result)
    if function is not None:
        y = network.add_activation(y.output, function, 6, 0, output_info=result)
    network.add_output("y", y.output)
    made = check_equal(quantized_runtime, network, rng)["y"]
    assert made.min() == least + (0 if function is None else above)
    assert made.max() == least + (min(above + 120, 255) if function == F.BOUNDED_RELU else 255)


def test_sums_that_may_overflow_are_left_to_cpu_ref(quantized_runtime: ann.Runtime) -> None:
    rng = np.random.default_rng(1)
    network = ann.Network()
    x = network.add_input("x", info_of(rng, (1, 2, 2, 8), S8, 0.5))
    info = ann.TensorInfo((3, 1, 1, 8), W8, quantization=ann.QuantizationInfo((0.5,)))
    weights = network.add_constant(numbers(rng, info), info=info)
    bias = np.array([1, 2**31 - 1, -(2**31)], np.int32)
    y = network.add_convolution2d(x, weights, bias, output_info=info_of(rng, (1, 2, 2, 3), S8, 1.0))
    network.add_output("y", y)
    given = {"x": numbers(rng, x.output.info)}
    expected = reference_outputs(quantized_runtime, network, given)
    outputs, optimized = outputs_of(quantized_runtime, network, given, ["CpuAcc", "CpuRef"])
    np.testing.assert_array_equal(outputs["y"], expected["y"])
    assert {row.backend for row in optimized.assignment if row.type == "Convolution2d"} == {
        "CpuRef"
    }


@pytest.mark.parametrize("seed", range(12))
def test_windows_by_squares(quantized_runtime: ann.Runtime, seed: int) -> None:
    """3 x 3 pixels of many channels: Winograd's algorithm, in blocks, with the largest weights."""
    rng = np.random.default_rng(seed)
    inputs, outputs = (int(i) for i in rng.choice([16, 17, 40, 130], 2))
    shape = (2 - seed % 2, int(rng.integers(4, 30)), int(rng.integers(4, 30)), inputs)
    network = ann.Network()
    x = network.add_input("x", info_of(rng, shape, S8 if seed % 3 else U8)).output
    kind = ("u8", "s8", "channels")[seed % 3]
    weights, info = weights_of(rng, (outputs, 3, 3, inputs), 0, kind)
    padding: Literal["same", "valid"] = "same" if seed % 4 else "valid"
    sides = shape[1:3] if seed % 4 else tuple(side - 2 for side in shape[1:3])
    scale = float(np.float32(scale_in(x.info) * 3))
    result = info_of(rng, (shape[0], *sides, outputs), x.info.data_type, scale)
    bias = rng.integers(-30000, 30000, outputs).astype(np.int32)
    constant = network.add_constant(weights, info=info)
    y = network.add_convolution2d(x, constant, bias, padding=padding, output_info=result)
    network.add_output("y", network.add_activation(y, F.RELU, output_info=result))
    check_equal(quantized_runtime, network, rng)


@pytest.mark.parametrize("depthwise", [False, True])
def test_windows_that_reach_far_are_left_to_cpu_ref(
    quantized_runtime: ann.Runtime, depthwise: bool
) -> None:
    """Between two pixels of the window lies more padding than any scratch could hold."""
    far = 2**31 - 1
    rng = np.random.default_rng(2)
    network = ann.Network()
    x = network.add_input("x", info_of(rng, (1, 1, 1, 2), S8, 0.5))
    shape = (1, 2, 2, 2) if depthwise else (3, 2, 2, 2)
    info = ann.TensorInfo(shape, W8, quantization=ann.QuantizationInfo((0.5,)))
    weights = network.add_constant(numbers(rng, info), info=info)
    add = network.add_depthwise_convolution2d if depthwise else network.add_convolution2d
    result = info_of(rng, (1, 1, 1, 2 if depthwise else 3), S8, 10.0)
    options: dict[str, Any] = {"dilation": (far, far), "padding": (far, 0, far, 0)}
    y = add(x, weights, None, data_layout=NHWC, output_info=result, **options)
    network.add_output("y", y)
    given = {"x": numbers(rng, x.output.info)}
    expected = reference_outputs(quantized_runtime, network, given)
    outputs, optimized = outputs_of(quantized_runtime, network, given, ["CpuAcc", "CpuRef"])
    np.testing.assert_array_equal(outputs["y"], expected["y"])
    assert {row.backend for row in optimized.assignment if "Conv" in row.type} == {"CpuRef"}


def test_greatest_sum(quantized_runtime: ann.Runtime) -> None:
    """A level that with its zero point needs more than 32 bits."""
    quantized = ann.QuantizationInfo((1 + 2**-15,), (-128,))
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 1, 2, 1), S8, quantization=quantized))
    info = ann.TensorInfo((2, 1, 1, 1), W8, quantization=ann.QuantizationInfo((1 - 2**-15,)))
    weights = network.add_constant(np.array([1, -1], np.int8).reshape(2, 1, 1, 1), info=info)
    bias = np.array([2**31 - 256, 256 - 2**31], np.int32)
    quantized = ann.QuantizationInfo((1.0,), (127,))
    result = ann.TensorInfo((1, 1, 2, 2), S8, quantization=quantized)
    network.add_output("y", network.add_convolution2d(x, weights, bias, output_info=result))
    given = np.array([127, -128], np.int8).reshape(1, 1, 2, 1)
    outputs = check_equal(quantized_runtime, network, np.random.default_rng(0), x=given)
    np.testing.assert_array_equal(outputs["y"], [[[[127, -128], [127, -128]]]])


#: The last one's outputs are divided among threads, because its pixels are few.
SUMS = [
    ((2, 14, 9), (1, 1), 40, 1, 34),
    ((2, 14, 9), (3, 3), 24, 1, 34),
    ((2, 14, 9), (3, 3), 5, 2, 34),
    ((2, 14, 9), (1, 1), 7, 1, 34),
    ((1, 2, 3), (1, 1), 130, 1, 300),
]


@pytest.mark.parametrize(("image", "kernel", "channels", "groups", "outputs"), SUMS)
@pytest.mark.parametrize("swapped", [False, True])
def test_sums_behind_convolutions(
    quantized_runtime: ann.Runtime,
    image: tuple[int, int, int],
    kernel: tuple[int, int],
    channels: int,
    groups: int,
    outputs: int,
    swapped: bool,
) -> None:
    """The sum, and a ReLU behind it, are no rows of a profile: the convolution makes them."""
    rng = np.random.default_rng(channels)
    network = ann.Network()
    given_info = info_of(rng, (*image, groups * channels), S8)
    x = network.add_input("x", given_info).output
    weights, info = weights_of(rng, (groups * outputs, *kernel, channels), 0, "channels")
    shape = (*image, groups * outputs)
    made = info_of(rng, shape, S8, scale_in(given_info))
    other = network.add_input("other", info_of(rng, shape, U8 if swapped else S8))
    if swapped:  # both operands have one type
        result = info_of(rng, shape, S8)
        other = network.add_quantize(other, S8, result.quantization)
    y = network.add_convolution2d(
        x,
        network.add_constant(weights, info=info),
        None,
        padding="same",
        groups=groups,
        output_info=made,
        name="conv",
    )
    result = info_of(rng, shape, S8)
    operands = (other, y) if swapped else (y, other)
    z = network.add_addition(*operands, output_info=result, name="sum")
    z = network.add_activation(z, ann.ActivationFunction.RELU, output_info=result, name="relu")
    network.add_output("z", z)
    check_equal(quantized_runtime, network, rng)
    given = {name: numbers(rng, info) for name, info in network.inputs.items()}
    options = ann.OptimizerOptions(simplify=False)
    optimized = ann.optimize(network, ["CpuAcc"], runtime=quantized_runtime, options=options)
    with quantized_runtime.load_network(optimized) as net, net.profile() as profile:
        net.run(given)
    assert [row.layer for row in profile.layers if "sum" in row.layer] == ["conv + sum + relu"]
