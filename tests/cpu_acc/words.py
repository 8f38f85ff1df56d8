# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors of quantised numbers of 16 bits, and products of them with weights of 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

import armnn_py as ann

from .quantized import S8, numbers, scale_in, scale_of

W16 = ann.DataType.QSYMM_S16
NCHW, NHWC = ann.DataLayout.NCHW, ann.DataLayout.NHWC
F = ann.ActivationFunction


def word_info(
    rng: np.random.Generator, shape: tuple[int, ...], scale: float = 0.0
) -> ann.TensorInfo:
    """Of a random scale, unless one is given."""
    scale = float(np.float32(scale or scale_of(rng) / 256))
    return ann.TensorInfo(shape, W16, quantization=ann.QuantizationInfo((scale,), (0,)))


def byte_weights(
    rng: np.random.Generator, shape: tuple[int, ...], axis: int, *, large: bool = False
) -> tuple[np.ndarray, ann.TensorInfo]:
    """Of one scale or one for each channel; ``large``: nearly all at the ends of the type."""
    count = shape[axis] if rng.random() < 0.6 else 1
    scales = tuple(float(s) for s in np.exp(rng.uniform(-7, -3, count)).astype(np.float32))
    quantization = ann.QuantizationInfo(scales, (0,) * count, axis if count > 1 else None)
    data_type = ann.DataType.QSYMM_S8 if rng.random() < 0.7 else S8
    info = ann.TensorInfo(shape, data_type, quantization=quantization)
    values = numbers(rng, info)
    if large:
        values = np.where(rng.random(shape) < 0.95, 127, values).astype(np.int8)
    elif rng.random() < 0.5:
        values = (values // 6).astype(np.int8)
    return values, info


def bias_values(rng: np.random.Generator, count: int) -> np.ndarray | None:
    """None, of 32 bits or of 64, which may be far beyond 32."""
    kind = int(rng.integers(4))
    if kind == 0:
        return None
    small = rng.integers(-300000, 300000, count)
    if kind == 1:
        return small.astype(np.int32)
    if kind == 3 and rng.random() < 0.5:
        small[rng.integers(count)] = int(rng.choice([-(2**40), 2**40, 2**31, -(2**31) - 1]))
    return small.astype(np.int64)


def output_scale(rng: np.random.Generator, x: Any, depth: int) -> float:
    spread = float(rng.choice([0.02, 0.3, 1, 1, 5]))
    return spread * scale_in(x.info) * float(np.sqrt(depth)) * 0.5


def random_product(
    network: ann.Network, rng: np.random.Generator, x: Any, shape: Any, *, large: bool = False
) -> Any:
    """A convolution of any kind behind ``x``, whose shape is n, h, w, c."""
    layout = NCHW if rng.random() < 0.3 else NHWC
    n, h, w, c = shape
    kernel = (int(rng.choice([1, 1, 2, 3, 5])), int(rng.choice([1, 1, 3, 4])))
    if rng.random() < 0.3:
        kernel = ((3, 3), (5, 5))[int(rng.integers(2))]
    dilation = (int(rng.choice([1, 1, 2])), int(rng.choice([1, 1, 1, 3])))
    stride = (int(rng.choice([1, 1, 2])), int(rng.choice([1, 1, 2, 3])))
    depthwise = rng.random() < 0.35
    groups = int(rng.choice([g for g in (1, 1, 1, 2, 3) if c % g == 0]))
    outputs = c * int(rng.choice([1, 1, 1, 2])) if depthwise else groups * int(rng.integers(1, 40))
    options: dict[str, Any] = {"stride": stride, "dilation": dilation, "data_layout": layout}
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    options["padding"] = "same" if reach[0] > h or reach[1] > w or rng.random() < 0.6 else "valid"
    if depthwise:
        weights, info = byte_weights(rng, (1, *kernel, outputs), 3, large=large)
    elif layout == NHWC:
        weights, info = byte_weights(rng, (outputs, *kernel, c // groups), 0, large=large)
    else:
        weights, info = byte_weights(rng, (outputs, c // groups, *kernel), 0, large=large)
    sides = [
        -(-side // s) if options["padding"] == "same" else (side - r) // s + 1
        for side, s, r in zip((h, w), stride, reach, strict=True)
    ]
    out = (n, *sides, outputs) if layout == NHWC else (n, outputs, *sides)
    depth = kernel[0] * kernel[1] * (1 if depthwise else c // groups)
    result = word_info(rng, out, output_scale(rng, x, depth))
    if layout == NCHW:
        x = network.add_transpose(x, (0, 3, 1, 2)).output
    constant = network.add_constant(weights, info=info)
    add = network.add_depthwise_convolution2d if depthwise else network.add_convolution2d
    if not depthwise:
        options["groups"] = groups
    bias = bias_values(rng, outputs)
    y = add(x, constant, bias, output_info=result, **options).output
    choice = rng.random()
    if choice < 0.3:
        y = network.add_activation(y, F.RELU, output_info=result).output
    elif choice < 0.6:
        high = 3000 * scale_in(result)
        y = network.add_activation(y, F.BOUNDED_RELU, high, -high / 2, output_info=result).output
    return network.add_transpose(y, (0, 2, 3, 1)).output if layout == NCHW else y
