# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Products, reductions, resizing and functions of quantised bytes: CpuRef's bits, and numpy."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann

from .products import weights_of
from .quantized import (
    S8,
    U8,
    check_equal,
    info_of,
    numbers,
    outputs_of,
    quantized_runtime,
    scale_in,
)
from .test_quantized_products import high_product, shift_right

__all__ = ["quantized_runtime"]

NCHW, NHWC = ann.DataLayout.NCHW, ann.DataLayout.NHWC
Q = ann.QuantizationInfo
Unary = ann.UnaryOperation


@pytest.mark.parametrize("seed", range(30))
def test_products_of_matrices(quantized_runtime: ann.Runtime, seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, k, n = (int(i) for i in rng.choice([1, 2, 3, 7, 16, 33, 100, 170], 3))
    transposed = (bool(seed & 1), bool(seed & 2))
    batches = [((), ()), ((3,), (3,)), ((2, 3), (3,)), ((1,), (4,)), ((2, 1), (1, 5))][seed % 5]
    shapes = [
        (*batch, *(reversed(sides) if turned else sides))
        for batch, sides, turned in zip(batches, ((m, k), (k, n)), transposed, strict=True)
    ]
    network = ann.Network()
    data_type = U8 if seed % 3 else S8
    infos = [info_of(rng, shape, data_type, 0.05) for shape in shapes]
    x = network.add_input("x", infos[0])
    if seed % 7:
        y = network.add_input("y", infos[1])
    else:
        y = network.add_constant(numbers(rng, infos[1]), info=infos[1])
    shape = (*np.broadcast_shapes(*batches), m, n)
    scale = float(np.float32(0.05 * rng.choice([0.01, 1, 30])))
    z = network.add_batch_mat_mul(
        x,
        y,
        transpose_x=transposed[0],
        transpose_y=transposed[1],
        output_info=info_of(rng, shape, data_type, scale),
    )
    network.add_output("z", z)
    check_equal(quantized_runtime, network, rng)


def test_specification_of_a_product(quantized_runtime: ann.Runtime) -> None:
    """TensorFlow Lite's BATCH_MATMUL of int8: the scales' product in float32, two roundings."""
    rng = np.random.default_rng(0)
    scales, points = (0.021, 0.05, 0.26), (3, -9, 17)
    shapes = ((2, 5, 37), (2, 37, 19), (2, 5, 19))
    infos = [
        ann.TensorInfo(shape, S8, quantization=Q((s,), (p,)))
        for shape, s, p in zip(shapes, scales, points, strict=True)
    ]
    network = ann.Network()
    x, y = (network.add_input(name, info) for name, info in zip("xy", infos, strict=False))
    network.add_output("z", network.add_batch_mat_mul(x, y, output_info=infos[2]))
    given = {name: numbers(rng, info) for name, info in zip("xy", infos, strict=False)}
    sums = (given["x"].astype(np.int64) - points[0]) @ (given["y"].astype(np.int64) - points[1])
    real = float(np.float32(scales[0]) * np.float32(scales[1])) / float(np.float32(scales[2]))
    fraction, exponent = np.frexp(real)
    multiplier = round(float(fraction) * 2**31)
    expected = [
        shift_right(high_product(int(total), multiplier), -int(exponent)) + points[2]
        for total in sums.flat
    ]
    outputs, _ = outputs_of(quantized_runtime, network, given, ["CpuAcc"])
    np.testing.assert_array_equal(outputs["z"], np.clip(expected, -128, 127).reshape(sums.shape))
    assert len(np.unique(expected)) > 10


AXES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((2, 7, 5, 19), (1, 2)),
    ((2, 19, 7, 5), (2, 3)),
    ((3, 70), (1,)),
    ((70, 3), (0,)),
    ((4, 3, 5, 6), (0, 2)),
    ((4, 3, 5, 6), (1, 3)),
    ((2, 600), ()),
    ((1, 3, 300), (1,)),
    ((5, 1, 7), (1,)),
]


@pytest.mark.parametrize(("shape", "axes"), AXES)
@pytest.mark.parametrize("operation", ["MEAN", "SUM", "MAX", "MIN"])
def test_reductions(
    quantized_runtime: ann.Runtime, operation: str, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    for seed, data_type in enumerate((S8, U8)):
        rng = np.random.default_rng(seed)
        kept = tuple(1 if not axes or d in axes else size for d, size in enumerate(shape))
        network = ann.Network()
        x = network.add_input("x", info_of(rng, shape, data_type, 0.07)).output
        y = network.add_reduce(
            x,
            ann.ReduceOperation[operation],
            axes,
            keep_dims=True,
            output_info=info_of(rng, kept, data_type, 0.07 if seed else 0.05),
        )
        network.add_output("y", y)
        check_equal(quantized_runtime, network, rng)


def test_extremes_are_numpys(quantized_runtime: ann.Runtime) -> None:
    rng = np.random.default_rng(2)
    network = ann.Network()
    x = network.add_input("x", info_of(rng, (3, 5, 41), S8)).output
    result = ann.TensorInfo((3, 41), S8, quantization=x.info.quantization)
    for name in ("max", "min"):
        made = network.add_reduce(x, ann.ReduceOperation[name.upper()], (1,), output_info=result)
        network.add_output(name, made)
    given = numbers(rng, x.info)
    outputs = check_equal(quantized_runtime, network, rng, x=given)
    np.testing.assert_array_equal(outputs["max"], given.max(axis=1))
    np.testing.assert_array_equal(outputs["min"], given.min(axis=1))


@pytest.mark.parametrize("seed", range(24))
def test_resizing(quantized_runtime: ann.Runtime, seed: int) -> None:
    rng = np.random.default_rng(seed)
    method = ann.ResizeMethod.BILINEAR if seed % 2 else ann.ResizeMethod.NEAREST_NEIGHBOR
    layout = NCHW if seed % 3 == 0 else NHWC
    n, h, w = (int(i) for i in rng.integers(1, 9, 3))
    c = int(rng.choice([1, 3, 16, 70]))
    shape = (n, c, h, w) if layout == NCHW else (n, h, w, c)
    size = (int(rng.integers(1, 20)), int(rng.integers(1, 20)))
    network = ann.Network()
    x = network.add_input("x", info_of(rng, shape, U8 if seed % 5 == 0 else S8))
    mode = seed // 2 % 3
    y = network.add_resize(
        x,
        size,
        method,
        align_corners=mode == 1,
        half_pixel_centers=mode == 2,
        data_layout=layout,
    )
    network.add_output("y", y)
    check_equal(quantized_runtime, network, rng)


def test_exp_is_numpys(quantized_runtime: ann.Runtime) -> None:
    infos = [
        ann.TensorInfo((256,), S8, quantization=q) for q in (Q((0.03,), (5,)), Q((0.5,), (-7,)))
    ]
    network = ann.Network()
    x = network.add_input("x", infos[0])
    network.add_output("y", network.add_elementwise_unary(x, Unary.EXP, output_info=infos[1]))
    given = np.arange(-128, 128).astype(np.int8)
    outputs, _ = outputs_of(quantized_runtime, network, {"x": given}, ["CpuAcc"])
    real = np.exp((given.astype(np.float64) - 5) * float(np.float32(0.03)))
    np.testing.assert_array_equal(outputs["y"], np.clip(np.rint(real / 0.5) - 7, -128, 127))


SUMS = [((1, 1), 40, 1), ((3, 3), 24, 1), ((3, 3), 5, 2), ((1, 1), 7, 1)]


@pytest.mark.parametrize(("kernel", "channels", "groups"), SUMS)
@pytest.mark.parametrize("swapped", [False, True])
def test_sums_behind_convolutions(
    quantized_runtime: ann.Runtime,
    kernel: tuple[int, int],
    channels: int,
    groups: int,
    swapped: bool,
) -> None:
    """The sum, and a ReLU behind it, are no rows of a profile: the convolution makes them."""
    rng = np.random.default_rng(channels)
    network = ann.Network()
    image = info_of(rng, (2, 14, 9, groups * channels), S8)
    x = network.add_input("x", image).output
    weights, info = weights_of(rng, (groups * 34, *kernel, channels), 0, "channels")
    made = info_of(rng, (2, 14, 9, groups * 34), S8, scale_in(image))
    other = network.add_input("other", info_of(rng, (2, 14, 9, groups * 34), U8 if swapped else S8))
    if swapped:  # both operands have one type
        result = info_of(rng, (2, 14, 9, groups * 34), S8)
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
    result = info_of(rng, (2, 14, 9, groups * 34), S8)
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
