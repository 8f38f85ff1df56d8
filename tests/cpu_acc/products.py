# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Products of tensors of 8 and of 16 bits with weights of 8 bits: what differs, and random ones."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import armnn_py as ann

from .quantized import S8, U8, W8, info_of, numbers, scale_in, scale_of

W16 = ann.DataType.QSYMM_S16
NCHW, NHWC = ann.DataLayout.NCHW, ann.DataLayout.NHWC
F = ann.ActivationFunction

Weights = tuple[np.ndarray, ann.TensorInfo]


def int16_info(
    rng: np.random.Generator, shape: tuple[int, ...], scale: float = 0.0
) -> ann.TensorInfo:
    """Of 16 bits, and of a random scale unless one is given."""
    scale = float(np.float32(scale or scale_of(rng) / 256))
    return ann.TensorInfo(shape, W16, quantization=ann.QuantizationInfo((scale,), (0,)))


def weights_of(
    rng: np.random.Generator, shape: tuple[int, ...], axis: int, kind: str, *, large: bool = False
) -> Weights:
    """Of one scale or one for each channel; ``large``: nearly all at the end of the type."""
    if kind in ("s8", "u8"):
        info = info_of(rng, shape, S8 if kind == "s8" else U8, 0.01)
    else:
        count = shape[axis] if kind == "channels" else 1
        scales = tuple(float(s) for s in np.exp(rng.uniform(-7, -3, count)).astype(np.float32))
        points = (0,) * count
        quantization = ann.QuantizationInfo(scales, points, axis if count > 1 else None)
        info = ann.TensorInfo(shape, W8, quantization=quantization)
    values = numbers(rng, info)
    if large:
        values = np.where(rng.random(shape) < 0.95, 127, values).astype(np.int8)
    elif kind != "u8" and rng.random() < 0.5:  # hardly any large ones, as networks have them
        values = np.where(rng.random(shape) < 0.98, values // 6, values).astype(np.int8)
    return values, info


def byte_weights(
    rng: np.random.Generator, shape: tuple[int, ...], axis: int, *, large: bool = False
) -> Weights:
    """Weights beside 16 bits: their zero point is 0, of the asymmetric type too."""
    values, info = weights_of(rng, shape, axis, str(rng.choice(["channels", "one"])), large=large)
    if rng.random() < 0.3:
        info = ann.TensorInfo(shape, S8, quantization=info.quantization)
    return values, info


class Family(NamedTuple):
    """The type of the tensors of a product, and the weights and biases that go with it."""

    data_type: ann.DataType

    def info(
        self, rng: np.random.Generator, shape: tuple[int, ...], scale: float = 0.0
    ) -> ann.TensorInfo:
        if self.data_type == W16:
            return int16_info(rng, shape, scale)
        return info_of(rng, shape, self.data_type, scale)

    def weights(
        self, rng: np.random.Generator, shape: tuple[int, ...], axis: int, *, large: bool = False
    ) -> Weights:
        if self.data_type == W16:
            return byte_weights(rng, shape, axis, large=large)
        kind = str(rng.choice(["channels", "one", "s8", "u8"]))
        return weights_of(rng, shape, axis, kind)

    def bias(self, rng: np.random.Generator, count: int) -> np.ndarray | None:
        """None, of 32 bits, or beside 16 bits of 64; single values are far from the others."""
        if rng.random() < 0.25:
            return None
        is_wide = self.data_type == W16 and rng.random() < 0.6
        values = rng.integers(-300000 if is_wide else -30000, 30000, count)
        if rng.random() < 0.3:
            far = (
                [-(2**40), 2**40, 2**31, -(2**31) - 1] if is_wide else [-(2**30), 2**30, 19 * 10**8]
            )
            values[rng.integers(count)] = int(rng.choice(far))
        return values.astype(np.int64 if is_wide else np.int32)

    def sums(
        self, rng: np.random.Generator, x: Any, depth: int, shape: tuple[int, ...]
    ) -> ann.TensorInfo:
        """For sums of ``depth`` products, which fill the type, saturate or are few numbers."""
        spread = float(rng.choice([0.02, 0.3, 1, 1, 5]))
        return self.info(
            rng, shape, float(np.float32(spread * scale_in(x.info) * depth**0.5 * 0.6))
        )


def random_product(
    network: ann.Network,
    rng: np.random.Generator,
    x: Any,
    shape: Any,
    family: Family,
    *,
    large: bool = False,
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
        weights, info = family.weights(rng, (1, *kernel, outputs), 3, large=large)
    else:
        each = (*kernel, c // groups) if layout == NHWC else (c // groups, *kernel)
        weights, info = family.weights(rng, (outputs, *each), 0, large=large)
        options["groups"] = groups
    bias = family.bias(rng, outputs)
    sides = [
        -(-side // s) if options["padding"] == "same" else (side - r) // s + 1
        for side, s, r in zip((h, w), stride, reach, strict=True)
    ]
    out = (n, *sides, outputs) if layout == NHWC else (n, outputs, *sides)
    result = family.sums(rng, x, kernel[0] * kernel[1] * (1 if depthwise else c // groups), out)
    if layout == NCHW:
        x = network.add_transpose(x, (0, 3, 1, 2)).output
    constant = network.add_constant(weights, info=info)
    add = network.add_depthwise_convolution2d if depthwise else network.add_convolution2d
    y = add(x, constant, bias, output_info=result, **options).output
    choice = rng.random()
    if choice < 0.3:
        y = network.add_activation(y, F.RELU, output_info=result).output
    elif choice < 0.6:
        bounds = (3000 * scale_in(result), -1500 * scale_in(result))
        high, low = bounds if family.data_type == W16 else (6, 0)
        y = network.add_activation(y, F.BOUNDED_RELU, high, low, output_info=result).output
    return network.add_transpose(y, (0, 2, 3, 1)).output if layout == NCHW else y
