# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers of levels whose scales are tensors of their own, by their definition in numpy.

Their quantised operands are taken as they are stored: a scale in a tensor's info has no meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armnn_py.types import LayerType

__all__ = ["LEVELS"]

Array = Any


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
