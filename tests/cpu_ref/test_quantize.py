# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantize and Dequantize: CpuRef against onnxruntime, numpy and LiteRT's reference kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import DataType, TensorInfo

R = np.random.default_rng(5)
QUANTISED = [DataType.QASYMM_U8, DataType.QASYMM_S8, DataType.QSYMM_S16]
ENDS = {DataType.QASYMM_U8: (0, 255), DataType.QASYMM_S8: (-128, 127),
        DataType.QSYMM_S8: (-128, 127), DataType.QSYMM_S16: (-32768, 32767)}  # fmt: skip


def run(network: ann.Network, x: np.ndarray) -> np.ndarray:
    with ann.load(network, ["CpuRef"]) as loaded:
        return loaded.run(x)["y"]


def quantize(x: np.ndarray, source: TensorInfo, target: TensorInfo) -> np.ndarray:
    network = ann.Network()
    network.add_output(
        "y",
        network.add_quantize(network.add_input("x", source), target.data_type, target.quantization),
    )
    return run(network, x)


def dequantize(x: np.ndarray, source: TensorInfo, data_type: DataType) -> np.ndarray:
    network = ann.Network()
    value = network.add_input("x", source)
    network.add_output("y", network.add_dequantize(value, data_type))
    return run(network, x)


def info(shape: Any, data_type: DataType, scale: Any, zero: Any, axis: int | None = None) -> Any:
    return TensorInfo(
        shape,
        data_type,
        quantization=ann.QuantizationInfo(
            tuple(map(float, np.atleast_1d(scale))), tuple(map(int, np.atleast_1d(zero))), axis
        ),
    )


@pytest.mark.parametrize("target", QUANTISED, ids=lambda t: t.label)
@pytest.mark.parametrize("source", [DataType.FLOAT32, DataType.FLOAT16], ids=lambda t: t.label)
def test_real_numbers(source: DataType, target: DataType) -> None:
    zero = 0 if target is DataType.QSYMM_S16 else 3
    scale = np.float32(0.0625)  # halves are exact: they go to even
    low, high = ENDS[target]
    x = np.concatenate([
        np.arange(-40, 40) * 0.5 * scale, R.normal(0, 8, 600), [1e4, -1e4, np.inf, -np.inf]
    ]).astype(source.numpy)  # fmt: skip
    found = quantize(x, TensorInfo(x.shape, source), info(x.shape, target, scale, zero))
    expected = np.clip(np.rint(x.astype(np.float32) / scale) + zero, low, high)
    assert np.array_equal(found, expected.astype(found.dtype))
    back = dequantize(found, info(x.shape, target, scale, zero), source)
    np.testing.assert_array_equal(
        back, ((found.astype(np.int64) - zero) * scale).astype(back.dtype)
    )


def test_scales_for_each_channel() -> None:
    """As onnxruntime's QuantizeLinear and DequantizeLinear with an axis."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    x = R.normal(0, 3, (2, 3, 5)).astype(np.float32)
    scale, zero = np.float32([0.01, 0.1, 0.5]), np.zeros(3, np.int8)
    graph = helper.make_graph(
        [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], axis=1),
         helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"], axis=1)],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("q", TensorProto.INT8, x.shape),
         helper.make_tensor_value_info("y", TensorProto.FLOAT, x.shape)],
        [numpy_helper.from_array(scale, "s"), numpy_helper.from_array(zero, "z")],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    quantised, real = session.run(None, {"x": x})
    target = info(x.shape, DataType.QSYMM_S8, tuple(scale), (0, 0, 0), 1)
    found = quantize(x, TensorInfo(x.shape), target)
    np.testing.assert_array_equal(found, quantised)
    np.testing.assert_array_equal(dequantize(found, target, DataType.FLOAT32), real)


@pytest.mark.parametrize("source", QUANTISED, ids=lambda t: t.label)
@pytest.mark.parametrize("target", QUANTISED, ids=lambda t: t.label)
def test_other_scales_follow_the_fixed_point_specification(
    source: DataType, target: DataType
) -> None:
    """Every level, by a factor above and one below 1; the arithmetic in Python's integers."""
    low, high = ENDS[source]
    x = np.arange(low, high + 1, dtype=source.numpy)
    zeros = [0 if t is DataType.QSYMM_S16 else z for t, z in ((source, 7), (target, -5 + 10))]
    for scales in ((0.013, 0.0471), (0.5, 0.0073)):
        given = info(x.shape, source, scales[0], zeros[0])
        wanted = info(x.shape, target, scales[1], zeros[1])
        factor = float(np.float32(scales[0])) / float(np.float32(scales[1]))
        levels = [scaled_twice_rounded(int(v) - zeros[0], factor) for v in x]
        expected = np.clip(np.array(levels) + zeros[1], *ENDS[target])
        np.testing.assert_array_equal(quantize(x, given, wanted), expected)


def scaled_twice_rounded(value: int, factor: float) -> int:
    """gemmlowp's multiplication: the doubled upper half, then a shift, each to the nearest."""
    fraction, exponent = math.frexp(factor)
    multiplier = math.floor(fraction * 2**31 + 0.5)
    if multiplier == 2**31:
        multiplier, exponent = 2**30, exponent + 1
    left, right = max(exponent, 0), max(-exponent, 0)
    shifted = min(max(value * 2**left, -(2**31)), 2**31 - 1)
    product = shifted * multiplier
    nudge = 2**30 if product >= 0 else 1 - 2**30
    high = _towards_zero(product + nudge)
    if not right:
        return high
    rest = high & (2**right - 1)
    threshold = (2**right - 1) // 2 + (high < 0)
    return (high >> right) + (rest > threshold)


def _towards_zero(product: int) -> int:
    return -(-product >> 31) if product < 0 else product >> 31
