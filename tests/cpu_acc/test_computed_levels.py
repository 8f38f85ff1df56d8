# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised products with computed weights or bias: CpuRef's bits, and sums of numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .quantized import S8, U8, W8, check_equal, info_of, numbers, quantized_runtime, scale_in

__all__ = ["quantized_runtime"]

S16, S32, S64 = ann.DataType.QSYMM_S16, ann.DataType.SIGNED32, ann.DataType.SIGNED64
NCHW, NHWC = ann.DataLayout.NCHW, ann.DataLayout.NHWC
COMPUTED = ["weights", "bias", "both", "weights alone"]


def tensor(rng: np.random.Generator, shape: Any, data_type: Any, scale: float) -> ann.TensorInfo:
    """Of 8 bits with any zero point, or of 16."""
    if data_type is not S16:
        return info_of(rng, shape, data_type, scale)
    return ann.TensorInfo(shape, S16, quantization=ann.QuantizationInfo((scale,)))


def weights_info(
    rng: np.random.Generator, shape: tuple[int, ...], axis: int, *, symmetric: bool
) -> ann.TensorInfo:
    """Of one scale and any zero point, or of one for each index of ``axis``."""
    if symmetric or rng.random() < 0.5:
        count = shape[axis] if rng.random() < 0.5 else 1
        scales = tuple(float(one) for one in rng.uniform(0.002, 0.02, count).astype(np.float32))
        quantization = ann.QuantizationInfo(scales, (0,) * count, axis if count > 1 else None)
        return ann.TensorInfo(shape, W8, quantization=quantization)
    return info_of(rng, shape, S8 if rng.random() < 0.5 else U8, 0.01)


def bias_values(rng: np.random.Generator, count: int, dtype: Any) -> np.ndarray:
    """Of any size: some saturate sums of 32 bits."""
    most = np.iinfo(np.int32).max
    values = rng.integers(-40000, 40000, count)
    extreme = rng.choice([-most - 1, most, most - 3000, 2**30], count)
    return np.where(rng.random(count) < 0.2, extreme, values).astype(dtype)


class Case:
    """A network of one layer, whose weights and bias are inputs where they are computed."""

    def __init__(self, rng: np.random.Generator, computed: str, x: ann.TensorInfo) -> None:
        self.rng, self.computed = rng, computed
        self.network = ann.Network()
        self.x = self.network.add_input("x", x).output
        self.given: dict[str, np.ndarray] = {}

    def operand(self, name: str, values: np.ndarray, info: ann.TensorInfo) -> Any:
        if self.computed != "both" and not self.computed.startswith(name):
            return self.network.add_constant(values, info=info)
        self.given[name] = values
        return self.network.add_input(name, info).output

    def weights(self, info: ann.TensorInfo) -> Any:
        return self.operand("weights", numbers(self.rng, info), info)

    def bias(self, count: int, dtype: Any) -> Any:
        if self.computed == "weights alone":
            return None
        info = ann.TensorInfo((count,), S64 if dtype == np.int64 else S32)
        return self.operand("bias", bias_values(self.rng, count, dtype), info)

    def check(self, runtime: ann.Runtime, layer: Any) -> np.ndarray:
        self.network.add_output("out", layer.output)
        return check_equal(runtime, self.network, self.rng, **self.given)["out"]


def types_of(rng: np.random.Generator, seed: int) -> tuple[Any, Any]:
    """Return types of input and bias."""
    data_type = (S8, U8, S16)[seed % 3]
    return data_type, np.int64 if data_type is S16 and rng.random() < 0.5 else np.int32


@pytest.mark.parametrize("computed", COMPUTED)
@pytest.mark.parametrize("seed", range(12))
def test_convolutions(quantized_runtime: ann.Runtime, seed: int, computed: str) -> None:
    rng = np.random.default_rng(seed)
    data_type, of_bias = types_of(rng, seed)
    layout = NCHW if rng.random() < 0.4 else NHWC
    groups = int(rng.choice([1, 1, 2]))
    n, (h, w) = int(rng.choice([1, 2])), (int(side) for side in rng.integers(3, 9, 2))
    inputs, outputs = groups * int(rng.choice([1, 3, 8])), groups * int(rng.choice([1, 5, 37]))
    kernel = [int(rng.choice([1, 2, 3])) for _ in range(2)]
    stride, padding = [int(rng.choice([1, 2])) for _ in range(2)], [1, 0, 2, 1]
    channels = inputs // groups
    shape = (n, inputs, h, w) if layout == NCHW else (n, h, w, inputs)
    sides = (outputs, channels, *kernel) if layout == NCHW else (outputs, *kernel, channels)
    oh = (h + 1 - kernel[0]) // stride[0] + 1
    ow = (w + 3 - kernel[1]) // stride[1] + 1
    out = (n, outputs, oh, ow) if layout == NCHW else (n, oh, ow, outputs)
    case = Case(rng, computed, tensor(rng, shape, data_type, 0.03))
    layer = case.network.add_convolution2d(
        case.x,
        case.weights(weights_info(rng, sides, 0, symmetric=data_type is S16)),
        case.bias(outputs, of_bias),
        stride=stride,
        padding=padding,
        groups=groups,
        data_layout=layout,
        output_info=tensor(rng, out, data_type, 0.9 if data_type is S16 else 0.11),
    )
    case.check(quantized_runtime, layer)


@pytest.mark.parametrize("computed", COMPUTED)
@pytest.mark.parametrize("seed", range(6))
def test_depthwise(quantized_runtime: ann.Runtime, seed: int, computed: str) -> None:
    rng = np.random.default_rng(seed)
    data_type, of_bias = types_of(rng, seed)
    inputs, multiplier = int(rng.choice([1, 4, 9])), int(rng.choice([1, 3]))
    outputs, out = inputs * multiplier, (2, 6, 5, inputs * multiplier)
    case = Case(rng, computed, tensor(rng, (2, 6, 5, inputs), data_type, 0.03))
    layer = case.network.add_depthwise_convolution2d(
        case.x,
        case.weights(weights_info(rng, (1, 3, 3, outputs), 3, symmetric=data_type is S16)),
        case.bias(outputs, of_bias),
        padding="same",
        output_info=tensor(rng, out, data_type, 0.2 if data_type is S16 else 0.05),
    )
    case.check(quantized_runtime, layer)


@pytest.mark.parametrize("computed", COMPUTED)
@pytest.mark.parametrize("seed", range(12))
def test_matrices(quantized_runtime: ann.Runtime, seed: int, computed: str) -> None:
    rng = np.random.default_rng(seed)
    data_type, of_bias = types_of(rng, seed)
    transposed = bool(rng.random() < 0.5)
    rows, outputs = (int(i) for i in rng.choice([1, 3, 30, 65], 2))
    inputs = int(rng.choice([1, 7, 64, 1100]))
    shape = (outputs, inputs) if transposed else (inputs, outputs)
    axis = 0 if transposed else 1
    case = Case(rng, computed, tensor(rng, (rows, inputs), data_type, 0.03))
    layer = case.network.add_fully_connected(
        case.x,
        case.weights(weights_info(rng, shape, axis, symmetric=data_type is S16)),
        case.bias(outputs, of_bias),
        transpose_weight_matrix=transposed,
        output_info=tensor(rng, (rows, outputs), data_type, 2.0 if data_type is S16 else 0.3),
    )
    case.check(quantized_runtime, layer)


@pytest.mark.parametrize("data_type", [S8, S16])
def test_sums_beyond_32_bits(quantized_runtime: ann.Runtime, data_type: Any) -> None:
    """Depths whose largest sums need more: pieces are added in 64 bits."""
    rng, depth = np.random.default_rng(5), 33100 if data_type is S8 else 2100
    x = ann.TensorInfo((2, depth), data_type, quantization=ann.QuantizationInfo(
        (0.02,), (-128 if data_type is S8 else 0,)))  # fmt: skip
    case = Case(rng, "both", x)
    info = ann.TensorInfo((depth, 3), S8, quantization=ann.QuantizationInfo(
        (0.02,), (-128 if data_type is S8 else 0,)))  # fmt: skip
    weights = np.full((depth, 3), 127, np.int8)
    weights[:, 1] = -weights[:, 1] - 1
    layer = case.network.add_fully_connected(
        case.x,
        case.operand("weights", weights, info),
        case.operand("bias", np.array([-77, 5, 4000], np.int32), ann.TensorInfo((3,), S32)),
        output_info=tensor(rng, (2, 3), data_type, 9000.0 if data_type is S8 else 30.0),
    )
    case.given["x"] = np.full((2, depth), np.iinfo(x.dtype).max, x.dtype)
    case.check(quantized_runtime, layer)


@pytest.mark.parametrize("data_type", [S8, U8, S16])
@pytest.mark.parametrize("layout", [NCHW, NHWC])
@pytest.mark.parametrize("kind", ["dense", "depthwise", "matrix"])
def test_weights_of_zeros_leave_the_bias(
    quantized_runtime: ann.Runtime, data_type: Any, layout: Any, kind: str
) -> None:
    """As converters write that numbers of 32 bits become levels: times a factor, rounded."""
    rng, count = np.random.default_rng(7), 70
    shape = (2, count, 3, 1) if layout == NCHW else (2, 3, 1, count)
    bias = rng.integers(-60000, 60000, count).astype(np.int32)
    case = Case(rng, "bias", tensor(rng, (2, count) if kind == "matrix" else shape, data_type, 0.5))
    places = {"dense": (1, 1, 1), "depthwise": (1, 1), "matrix": ()}[kind]
    sides = (1, 1, 1, count) if kind == "depthwise" else (count, *places)
    if kind == "matrix":
        sides = (count, count)
    elif kind == "dense":
        sides = (count, count, 1, 1) if layout == NCHW else (count, 1, 1, count)
    zero = 0 if data_type is S16 else 3
    info = ann.TensorInfo(sides, S8, quantization=ann.QuantizationInfo((0.25,), (zero,)))
    weights = case.network.add_constant(np.full(sides, zero, np.int8), info=info)
    slot = case.bias(count, np.int32)
    case.given["bias"] = bias
    scale = 1.0 if data_type is S16 else 60.0
    out = tensor(rng, case.x.info.static_shape, data_type, scale)
    if kind == "matrix":
        layer = case.network.add_fully_connected(case.x, weights, slot, output_info=out)
    elif kind == "dense":
        layer = case.network.add_convolution2d(
            case.x, weights, slot, data_layout=layout, output_info=out
        )
    else:
        layer = case.network.add_depthwise_convolution2d(
            case.x, weights, slot, data_layout=layout, output_info=out
        )
    made = case.check(quantized_runtime, layer)
    ends = np.iinfo(out.dtype)
    assert out.quantization is not None
    exact = bias * (scale_in(case.x.info) * 0.25 / scale)
    expected = np.clip(exact + out.quantization.zero_points[0], ends.min, ends.max)
    wide = expected[:, None, None] if layout == NCHW and kind != "matrix" else expected
    assert np.abs(made - wide).max() <= 0.75  # rounded twice: half a level, and a part of it
    assert np.ptp(expected) > 100
