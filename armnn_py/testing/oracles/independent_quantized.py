# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised layers by their definition: real arithmetic on the real numbers, rounded once.

Layers whose scales are tensors of their own take their operands as they are stored: a scale in a
tensor's info has no meaning for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.tensors import TensorInfo
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.backends.questions.layer_support import LayerSignature

Array = Any

#: Where a layer with weights has its bias: 32 bits in the scales of input and weights.
_BIAS = 2


def decoded(
    signature: LayerSignature, values: Sequence[NDArray[Any] | None]
) -> list[NDArray[Any] | None]:
    """Return operands as the real numbers that they stand for, others as they are."""
    found: list[NDArray[Any] | None] = []
    for index, (info, value) in enumerate(zip(signature.inputs, values, strict=True)):
        if info is None or value is None:
            found.append(value)
        elif info.data_type.is_quantized:
            scales, zeros = along(info)
            found.append((value.astype(np.float64) - zeros) * scales)
        elif index == _BIAS and value.dtype.kind == "i":
            found.append(value * _scale_of_sums(signature))
        else:
            found.append(value.astype(np.float64) if value.dtype.kind == "f" else value)
    return found


def encoded(info: TensorInfo, value: NDArray[Any]) -> NDArray[Any]:
    """Return real numbers as a quantised output holds them: the nearest step, saturated."""
    if not info.data_type.is_quantized:
        return value
    scales, zeros = along(info)
    limits = np.iinfo(info.dtype)
    steps = np.where(np.isnan(value), 0, np.rint(value / scales)) + zeros
    return np.asarray(np.clip(steps, limits.min, limits.max)).astype(info.dtype)


def stepped(info: TensorInfo, value: NDArray[Any]) -> NDArray[Any]:
    """Return the real numbers that a quantised tensor holds in place of some real numbers."""
    scales, zeros = along(info)
    return np.asarray((encoded(info, value).astype(np.float64) - zeros) * scales)


def cut_off(x: Array, dtype: np.dtype[Any]) -> Array:
    """Return real numbers as integers: cut off, saturated, 0 for NaN."""
    limits = np.iinfo(dtype)
    whole = np.trunc(np.where(np.isnan(x), 0, x).astype(np.float64))
    inside = (whole > limits.min) & (whole < limits.max)
    ends = np.where(whole > 0, limits.max, limits.min).astype(dtype)
    return np.where(inside, np.where(inside, whole, 0).astype(dtype), ends)


def along(info: TensorInfo) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return scales and zero points in a shape that broadcasts with the tensor."""
    quantization = info.quantization
    if quantization is None:
        return np.float64(1), np.float64(0)  # type: ignore[return-value]
    scales = np.array(quantization.scales, np.float32).astype(np.float64)
    zeros = np.array(quantization.zero_points, np.float64)
    if scales.size == 1:
        return scales.reshape(()), zeros.reshape(())
    shape = [1] * info.rank
    shape[quantization.axis or 0] = scales.size
    return scales.reshape(shape), zeros.reshape(shape)


def _scale_of_sums(signature: LayerSignature) -> NDArray[Any]:
    images, weights = signature.inputs[:2]
    assert images is not None
    assert weights is not None
    (image_scale, _), (weight_scales, _) = along(images), along(weights)
    return np.asarray(image_scale * weight_scales.reshape(-1))


def _dynamic_quantize(s: Any, v: Sequence[Any]) -> list[Array]:
    """ONNX's DynamicQuantizeLinear, and the symmetric form of TensorFlow Lite's hybrid layers."""
    d, x = s.descriptor, v[0].astype(np.float32)
    axes = (x.ndim - 1,) if d.rows else tuple(range(x.ndim))
    least = np.minimum(np.nanmin(x, axis=axes, keepdims=True, initial=0), 0)
    most = np.maximum(np.nanmax(x, axis=axes, keepdims=True, initial=0), 0)
    if d.symmetric:
        reach = np.maximum(-least, most)
        empty = reach == 0
        scale = np.where(empty, np.float32(1), reach / np.float32(127))
        steps = x * np.where(empty, np.float32(0), np.float32(127) / np.where(empty, 1, reach))
        levels = np.sign(steps) * np.floor(np.abs(steps) + np.float32(0.5))
        points = np.zeros_like(scale)
        levels = np.clip(np.nan_to_num(levels), -127, 127)
    else:
        scale = np.where(most == least, np.float32(1), (most - least) / np.float32(255))
        points = np.clip(np.rint(-least / scale), 0, 255)
        levels = np.clip(np.nan_to_num(np.rint(x / scale)) + points, 0, 255)
    found = (levels, scale, points)
    return [
        np.asarray(array).astype(info.dtype).reshape(info.static_shape)
        for array, info in zip(found, s.outputs, strict=True)
    ]


def _mat_mul_integer(s: Any, v: Sequence[Any]) -> list[Array]:
    """ONNX's MatMulInteger; sums wrap around in 32 bits."""
    given = [*v, None, None]
    x, y = (
        array.astype(np.int64) - (0 if point is None else point.astype(np.int64))
        for array, point in zip(given[:2], given[2:4], strict=True)
    )
    return [(x @ y).astype(np.int32)]


def _dequantize_blocks(s: Any, v: Sequence[Any]) -> list[Array]:
    """ONNX's DequantizeLinear with a block_size; the last block may be shorter."""
    d, x = s.descriptor, v[0]
    places = np.arange(x.shape[d.axis]) // d.block_size
    scales = np.take(v[1], places, d.axis)
    points = 0 if len(v) < 3 or v[2] is None else np.take(v[2], places, d.axis).astype(np.float64)
    return [((x.astype(np.float64) - points) * scales).astype(np.float32)]


LEVELS: dict[LayerType, Callable[[Any, Sequence[Any]], list[Array]]] = {
    LayerType.DYNAMIC_QUANTIZE: _dynamic_quantize,
    LayerType.MAT_MUL_INTEGER: _mat_mul_integer,
    LayerType.DEQUANTIZE_BLOCKS: _dequantize_blocks,
}
