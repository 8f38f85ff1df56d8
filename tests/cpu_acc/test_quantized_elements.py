# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised numbers element by element, pooled and moved: CpuRef's bits, and numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann

from .products import NCHW, NHWC, W16, F, Family
from .quantized import S8, U8, check_equal, info_of, numbers, outputs_of, quantized_runtime

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["quantized_runtime"]

Q = ann.QuantizationInfo
Unary = ann.UnaryOperation


def alike(info: ann.TensorInfo, shape: tuple[int, ...]) -> ann.TensorInfo:
    return ann.TensorInfo(shape, info.data_type, quantization=info.quantization)


@pytest.mark.parametrize("data_type", [S8, U8])
def test_quantize(quantized_runtime: ann.Runtime, data_type: ann.DataType) -> None:
    """ONNX QuantizeLinear: halves to even, saturated."""
    rng = np.random.default_rng(0)
    scale, point = np.float32(0.37), 5
    x = (rng.normal(size=(3, 7, 29)) * 20).astype(np.float32)
    x.flat[:12] = scale * (np.arange(12, dtype=np.float32) - 6 + np.float32(0.5))
    x.flat[20:24] = (np.inf, -np.inf, 1e30, -1e30)
    network = ann.Network()
    source = network.add_input("x", ann.TensorInfo(x.shape))
    y = network.add_quantize(source, data_type, Q((float(scale),), (point,)))
    network.add_output("y", y)
    ends = np.iinfo(y.output.info.dtype)
    expected = np.clip(np.rint(x / scale) + point, ends.min, ends.max).astype(ends.dtype)
    np.testing.assert_array_equal(check_equal(quantized_runtime, network, rng, x=x)["y"], expected)
    x.flat[3] = np.nan
    assert check_equal(quantized_runtime, network, rng, x=x)["y"].flat[3] == point


@pytest.mark.parametrize("data_type", [S8, U8])
def test_dequantize(quantized_runtime: ann.Runtime, data_type: ann.DataType) -> None:
    rng = np.random.default_rng(1)
    network = ann.Network()
    x = network.add_input("x", info_of(rng, (5, 41), data_type)).output
    network.add_output("y", network.add_dequantize(x))
    given = numbers(rng, x.info)
    assert x.info.quantization is not None
    scale, point = np.float32(x.info.quantization.scales[0]), x.info.quantization.zero_points[0]
    expected = scale * (given.astype(np.int32) - point).astype(np.float32)
    np.testing.assert_array_equal(
        check_equal(quantized_runtime, network, rng, x=given)["y"], expected
    )


@pytest.mark.parametrize("seed", range(8))
def test_other_scales_and_types(quantized_runtime: ann.Runtime, seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = ann.Network()
    x = network.add_input("x", info_of(rng, (4, 70), U8 if seed % 2 else S8)).output
    result = info_of(rng, (4, 70), S8 if seed % 4 < 2 else U8)
    assert result.quantization is not None
    y = network.add_quantize(x, result.data_type, result.quantization)
    network.add_output("y", y)
    check_equal(quantized_runtime, network, rng)


FUNCTIONS = [
    (F.SIGMOID, 0, 0),
    (F.TANH, 1, 1),
    (F.RELU, 0, 0),
    (F.BOUNDED_RELU, 6, 0),
    (F.BOUNDED_RELU, 1, -1),
    (F.LEAKY_RELU, 0.1, 0),
    (F.ELU, 1, 0),
    (F.HARD_SWISH, 0, 0),
    (F.GELU, 0, 0),
    (F.LINEAR, 2, 1),
    (F.ABS, 0, 0),
    (F.SQRT, 0, 0),
]


def check_every_number(runtime: ann.Runtime, add: Any, *, is_share: bool = False) -> None:
    """All numbers of each type through ``add(network, x, output_info)``."""
    for seed, data_type in enumerate((S8, U8, W16)):
        rng = np.random.default_rng(seed)
        shape, scales = (2, 16, 16), (0.05, 0.03)
        if data_type == W16:
            shape, scales = (4, 128, 128), (12 / 32768, (1 if is_share else 9) / 32768)
        x_info, y_info = (Family(data_type).info(rng, shape, scale) for scale in scales)
        network = ann.Network()
        network.add_output("y", add(network, network.add_input("x", x_info), y_info))
        given = np.arange(np.prod(shape)).reshape(shape).astype(x_info.dtype)
        check_equal(runtime, network, rng, x=given)


@pytest.mark.parametrize(("function", "a", "b"), FUNCTIONS)
def test_functions(quantized_runtime: ann.Runtime, function: F, a: float, b: float) -> None:
    check_every_number(
        quantized_runtime,
        lambda network, x, info: network.add_activation(x, function, a, b, output_info=info),
        is_share=function in (F.TANH, F.SIGMOID),
    )


@pytest.mark.parametrize(
    "operation", [o for o in Unary if o.name not in ("LOGICAL_NOT", "BITWISE_NOT")]
)
def test_functions_of_one_number(quantized_runtime: ann.Runtime, operation: Unary) -> None:
    """Of real numbers rounded once, halves to even."""
    check_every_number(
        quantized_runtime,
        lambda network, x, info: network.add_elementwise_unary(x, operation, output_info=info),
    )


SHAPES = [
    ((2, 5, 6, 19), (2, 5, 6, 19)),
    ((2, 5, 6, 19), (19,)),
    ((2, 5, 6, 19), (2, 1, 1, 19)),
    ((2, 5, 6, 19), (1, 5, 6, 1)),
    ((1, 3, 1, 33), (4, 1, 2, 33)),
    ((1, 1), (3, 100)),
    ((64,), (64,)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
@pytest.mark.parametrize("operation", ["addition", "subtraction", "multiplication"])
@pytest.mark.parametrize("constant", [False, True])
def test_pairs(
    quantized_runtime: ann.Runtime,
    operation: str,
    left: tuple[int, ...],
    right: tuple[int, ...],
    constant: bool,
) -> None:
    for seed, data_type in enumerate((S8, U8)):
        rng = np.random.default_rng(seed)
        network = ann.Network()
        x = network.add_input("x", info_of(rng, left, data_type)).output
        info = info_of(rng, right, data_type)
        y: Any = network.add_input("y", info)
        if constant:
            network = ann.Network()
            x = network.add_input("x", x.info).output
            y = network.add_constant(numbers(rng, info), info=info)
        if seed:
            x, y = y, x
        shape = np.broadcast_shapes(left, right)
        add = getattr(network, f"add_{operation}")
        z = add(x, y, output_info=info_of(rng, shape, data_type)).output
        if seed:
            z = network.add_activation(z, F.RELU, output_info=z.info)
        network.add_output("z", z)
        check_equal(quantized_runtime, network, rng)


@pytest.mark.parametrize("scales", [(1e-12, 1.0, 0.5), (1.0, 1e-12, 1e-6), (0.1, 0.1, 1e-7)])
def test_sums_of_scales_far_apart(
    quantized_runtime: ann.Runtime, scales: tuple[float, float, float]
) -> None:
    rng = np.random.default_rng(6)
    infos = [info_of(rng, (3, 50), S8, scale) for scale in scales]
    network = ann.Network()
    x, y = (network.add_input(name, info) for name, info in zip("xy", infos, strict=False))
    network.add_output("z", network.add_subtraction(x, y, output_info=infos[2]))
    check_equal(quantized_runtime, network, rng)


def sum_by_specification(
    given: list[NDArray[Any]], scales: list[float], points: list[int], sign: int = 1
) -> NDArray[np.int64]:
    """TensorFlow Lite's ADD and SUB of bytes: 20 bits behind the point, three multipliers.

    The numbers of both operands and, without bounds, of the result.
    """
    s = [float(np.float32(scale)) for scale in scales]
    twice = 2 * max(s[:2])

    def scaled(values: NDArray[Any], real: float) -> NDArray[np.int64]:
        fraction, exponent = np.frexp(real)
        high = (values * round(float(fraction) * 2**31) + 2**30) >> 31
        right = -int(exponent)
        half = (1 << right) >> 1
        return (high + np.where(high < 0, half - (right > 0), half)) >> right

    terms = [scaled((given[i].astype(np.int64) - points[i]) << 20, s[i] / twice) for i in range(2)]
    return scaled(terms[0] + sign * terms[1], twice / (2**20 * s[2])) + points[2]


@pytest.mark.parametrize("shape", [(7, 50), (3, 64), (2, 3000)])
@pytest.mark.parametrize(
    "scales", [(0.021, 0.05, 0.06), (0.05, 0.05, 0.1), (0.02, 0.01, 0.02)], ids=str
)
def test_specification_of_a_sum(
    quantized_runtime: ann.Runtime, scales: tuple[float, float, float], shape: tuple[int, int]
) -> None:
    """Long rows, and scales with which many sums lie between two levels."""
    rng = np.random.default_rng(3)
    points = [3, -9, 17]
    infos = [
        ann.TensorInfo(shape, S8, quantization=Q((s,), (p,)))
        for s, p in zip(scales, points, strict=True)
    ]
    network = ann.Network()
    x, y = (network.add_input(name, info) for name, info in zip("xy", infos, strict=False))
    network.add_output("z", network.add_addition(x, y, output_info=infos[2]))
    given = {name: numbers(rng, info) for name, info in zip("xy", infos, strict=False)}
    expected = sum_by_specification([given["x"], given["y"]], list(scales), points)
    outputs, _ = outputs_of(quantized_runtime, network, given, ["CpuAcc"])
    np.testing.assert_array_equal(outputs["z"], np.clip(expected, -128, 127))


@pytest.mark.parametrize("seed", range(24))
def test_all_sums_of_two_bytes(quantized_runtime: ann.Runtime, seed: int) -> None:
    """Each byte and each byte, with scales between which levels are dense or far apart."""
    rng = np.random.default_rng(seed)
    data_type = (S8, U8)[seed % 2]
    ends = np.iinfo(np.int8 if data_type == S8 else np.uint8)
    spread = (0.3, 1.0, 3.0)[seed // 2 % 3]
    scales = [float(np.float32(s)) for s in 0.1 * np.exp(rng.normal(size=3) * spread)]
    points = [int(p) for p in rng.integers(ends.min, ends.max + 1, 3)]
    if seed % 4 == 3:
        points[2] = ends.min
    sign, add = (1, "add_addition") if seed % 5 else (-1, "add_subtraction")
    infos = [
        ann.TensorInfo((256, 256), data_type, quantization=Q((s,), (p,)))
        for s, p in zip(scales, points, strict=True)
    ]
    network = ann.Network()
    x, y = (network.add_input(name, info) for name, info in zip("xy", infos, strict=False))
    z = getattr(network, add)(x, y, output_info=infos[2]).output
    if seed % 4 > 1:
        z = network.add_activation(z, F.RELU, output_info=infos[2])
    network.add_output("z", z)
    bytes_of_all = np.arange(ends.min, ends.max + 1).astype(ends.dtype)
    left, right = (np.ascontiguousarray(a) for a in np.meshgrid(bytes_of_all, bytes_of_all))
    outputs, _ = outputs_of(quantized_runtime, network, {"x": left, "y": right}, ["CpuAcc"])
    expected = sum_by_specification([left, right], scales, points, sign)
    low = points[2] if seed % 4 > 1 else ends.min
    np.testing.assert_array_equal(outputs["z"], np.clip(expected, low, ends.max))


@pytest.mark.parametrize("data_type", [S8, U8, W16])
@pytest.mark.parametrize("seed", range(28))
def test_random_pooling(quantized_runtime: ann.Runtime, seed: int, data_type: ann.DataType) -> None:
    rng = np.random.default_rng(seed)
    layout = NCHW if seed % 3 == 0 else NHWC
    h, w, c = (int(i) for i in rng.integers(1, 12, 3))
    c *= int(rng.choice([1, 8, 20]))
    info = Family(data_type).info(rng, (2, c, h, w) if layout == NCHW else (2, h, w, c))
    options: dict[str, Any] = {
        "pool_type": ann.PoolingAlgorithm.MAX if seed % 2 else ann.PoolingAlgorithm.AVERAGE,
        "pool_size": (int(rng.integers(1, h + 1)), int(rng.integers(1, w + 1))),
        "stride": (int(rng.integers(1, 4)), int(rng.integers(1, 4))),
        "data_layout": layout,
        "padding": "same" if seed % 7 else "valid",
        "padding_method": list(ann.PaddingMethod)[seed % 4 < 2],
    }
    plain = ann.Network()
    out = plain.add_pooling2d(plain.add_input("x", info), **options).output.info.static_shape
    is_alike = data_type == W16 or rng.random() < 0.5
    result = alike(info, out) if is_alike else info_of(rng, out, data_type)
    network = ann.Network()
    y = network.add_pooling2d(network.add_input("x", info), output_info=result, **options)
    network.add_output("y", y)
    check_equal(quantized_runtime, network, rng)


def test_average_of_a_long_line(quantized_runtime: ann.Runtime) -> None:
    """The numbers of a line have a sum of more than 32 bits."""
    size = 2**24 + 2**17
    info = ann.TensorInfo((1, 1, size, 1), U8, quantization=ann.QuantizationInfo((0.5,)))
    network = ann.Network()
    x = network.add_input("x", info).output
    y = network.add_pooling2d(
        x,
        ann.PoolingAlgorithm.AVERAGE,
        (1, size),
        data_layout=NHWC,
        output_info=alike(info, (1, 1, 1, 1)),
    )
    network.add_output("y", y)
    given = {"x": np.full(info.static_shape, 255, np.uint8)}
    outputs, _ = outputs_of(quantized_runtime, network, given, ["CpuAcc"])
    assert outputs["y"].item() == 255


def test_average_of_infinities(quantized_runtime: ann.Runtime) -> None:
    """Of either sign, by a scale that float32 barely holds: no number, thus the zero point."""
    info = ann.TensorInfo((1, 1, 2, 1), S8, quantization=ann.QuantizationInfo((3e38,)))
    quantized = ann.QuantizationInfo((1.0,), (7,))
    network = ann.Network()
    x = network.add_input("x", info).output
    y = network.add_pooling2d(
        x,
        ann.PoolingAlgorithm.AVERAGE,
        (1, 2),
        data_layout=NHWC,
        output_info=ann.TensorInfo((1, 1, 1, 1), S8, quantization=quantized),
    )
    network.add_output("y", y)
    given = np.array([100, -100], np.int8).reshape(1, 1, 2, 1)
    outputs = check_equal(quantized_runtime, network, np.random.default_rng(0), x=given)
    assert outputs["y"].item() == 7


@pytest.mark.parametrize("add", ["add_softmax", "add_log_softmax"])
@pytest.mark.parametrize("axis", [-1, 1, 0])
@pytest.mark.parametrize("data_type", [S8, U8, W16])
def test_softmax(
    quantized_runtime: ann.Runtime, data_type: ann.DataType, axis: int, add: str
) -> None:
    rng = np.random.default_rng(5)
    family, shape = Family(data_type), (3, 17, 40)
    steps = 2**15 if data_type == W16 else 2**8
    network = ann.Network()
    x = network.add_input("x", family.info(rng, shape, 12.8 / steps)).output
    result = family.info(rng, shape, 20.48 / steps)
    if add == "add_softmax":
        point = -128 if data_type == S8 else 0
        result = ann.TensorInfo(shape, data_type, quantization=Q((1 / steps,), (point,)))
    y = getattr(network, add)(x, beta=0.7, axis=axis, output_info=result)
    network.add_output("y", y)
    check_equal(quantized_runtime, network, rng)


@pytest.mark.parametrize("data_type", [S8, U8, W16])
@pytest.mark.parametrize("seed", range(12))
def test_moves(quantized_runtime: ann.Runtime, seed: int, data_type: ann.DataType) -> None:
    """Concat, Slice, Transpose, Reshape and Pad between functions: views or copies."""
    rng = np.random.default_rng(seed)
    network = ann.Network()
    x = network.add_input("x", Family(data_type).info(rng, (2, 6, 5, 9))).output
    info = x.info
    parts = []
    for i in range(2):
        y = network.add_activation(x, F.LEAKY_RELU, 0.3 + i, output_info=info).output
        if seed % 3 == i:
            y = network.add_slice(y, begin=(0, 1, 0, 2), size=(2, 4, 5, 6)).output
            y = network.add_pad(y, ((0, 0), (1, 1), (0, 0), (1, 2)), value=float(7)).output
        parts.append(y)
    axis = seed % 4
    z = network.add_concat(parts, axis=axis).output
    order = tuple(int(i) for i in rng.permutation(4))
    z = network.add_transpose(z, order).output
    z = network.add_activation(z, F.RELU, output_info=z.info).output
    z = network.add_reshape(z, (z.info.static_shape[0], -1)).output
    network.add_output("y", z)
    check_equal(quantized_runtime, network, rng)
