# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""All sums of two bytes, averages of many or infinite numbers, and moves between functions.

The kit's cases, in ``tests/cpu_ref/test_definitions.py``, have every layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann

from .products import NHWC, W16, F, Family
from .quantized import S8, U8, check_equal, info_of, outputs_of, quantized_runtime

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["quantized_runtime"]

Q = ann.QuantizationInfo


def alike(info: ann.TensorInfo, shape: tuple[int, ...]) -> ann.TensorInfo:
    return ann.TensorInfo(shape, info.data_type, quantization=info.quantization)


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


@pytest.mark.parametrize("beta", [0.9, -1.3])
@pytest.mark.parametrize("data_type", [S8, U8])
def test_softmax_of_many_lines(
    quantized_runtime: ann.Runtime, data_type: ann.DataType, beta: float
) -> None:
    """The largest bytes of the lines are of all kinds, so that tables of powers change."""
    rng = np.random.default_rng(6)
    network = ann.Network()
    x = network.add_input("x", Family(data_type).info(rng, (700, 5), 0.05)).output
    result = ann.TensorInfo(
        (700, 5), data_type, quantization=Q((1 / 256,), (-128 if data_type == S8 else 0,))
    )
    network.add_output("y", network.add_softmax(x, beta=beta, output_info=result))
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
