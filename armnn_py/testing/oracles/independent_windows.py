# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers over images by their definition in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.types import DataLayout, LayerType, PaddingMethod, PoolingAlgorithm

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature

__all__ = ["WINDOWS", "from_nhwc", "to_nhwc"]

Array = Any


def to_nhwc(x: Array, layout: DataLayout) -> Array:
    """Return images with channels last."""
    return x if layout is DataLayout.NHWC else x.transpose(0, 2, 3, 1)


def from_nhwc(x: Array, layout: DataLayout) -> Array:
    """Return images in a layout."""
    return x if layout is DataLayout.NHWC else x.transpose(0, 3, 1, 2)


def _pads(d: Any) -> list[tuple[int, int]]:
    return [(0, 0), (d.pad_top, d.pad_bottom), (d.pad_left, d.pad_right), (0, 0)]


def _windows(x: Array, kernel: tuple[int, int], d: Any, out: tuple[int, int]) -> Array:
    """Return x (padded NHWC) as N, height, width, C, kernel height, kernel width."""
    dilation = max(d.dilation_y, 1), max(d.dilation_x, 1)
    reach = [(k - 1) * step + 1 for k, step in zip(kernel, dilation, strict=True)]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(1, 2))
    view = view[:, :: d.stride_y, :: d.stride_x, :, :: dilation[0], :: dilation[1]]
    return view[:, : out[0], : out[1]]


def _convolution(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = np.pad(to_nhwc(v[0], d.data_layout), _pads(d))
    weights = v[1] if d.data_layout is DataLayout.NHWC else v[1].transpose(0, 2, 3, 1)
    out = to_nhwc(np.empty(s.outputs[0].static_shape), d.data_layout).shape
    view = _windows(x, weights.shape[1:3], d, out[1:3])
    parts, each = [], weights.shape[0] // d.groups
    for group in range(d.groups):
        own = weights[group * each : (group + 1) * each]
        channels = slice(group * own.shape[3], (group + 1) * own.shape[3])
        parts.append(np.einsum("nhwcij,oijc->nhwo", view[:, :, :, channels], own))
    y = np.concatenate(parts, 3)
    return [from_nhwc(y + v[2] if d.bias_enabled else y, d.data_layout)]


def _depthwise(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = np.pad(to_nhwc(v[0], d.data_layout), _pads(d))
    _, height, width, outputs = v[1].shape
    out = to_nhwc(np.empty(s.outputs[0].static_shape), d.data_layout).shape
    x = np.repeat(x, outputs // x.shape[3], 3)
    y = np.einsum("nhwcij,ijc->nhwc", _windows(x, (height, width), d, out[1:3]), v[1][0])
    return [from_nhwc(y + v[2] if d.bias_enabled else y, d.data_layout)]


def _pooling(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = to_nhwc(v[0], d.data_layout)
    out = to_nhwc(np.empty(s.outputs[0].static_shape), d.data_layout).shape
    kernel = d.pool_height, d.pool_width
    pads = _pads(d)
    inside = _windows(np.pad(np.ones(x.shape), pads), kernel, d, out[1:3])
    if d.pool_type is PoolingAlgorithm.MAX:
        filled = np.pad(x, pads, constant_values=-np.inf)
        y = _windows(filled, kernel, d, out[1:3]).max(axis=(4, 5))
    else:
        power = 2 if d.pool_type is PoolingAlgorithm.L2 else 1
        total = _windows(np.pad(x**power, pads), kernel, d, out[1:3]).sum(axis=(4, 5))
        count = inside.sum(axis=(4, 5))
        if d.padding_method is PaddingMethod.IGNORE_VALUE:
            count = np.full_like(count, kernel[0] * kernel[1])
        y = total / count
        y = np.sqrt(y) if power == 2 else y
    return [from_nhwc(y, d.data_layout)]


def _channels(vector: Array, layout: DataLayout, rank: int) -> Array:
    return vector.reshape(-1, *(1,) * (rank - 2)) if layout.channel_axis == 1 else vector


def _batch_normalization(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    mean, variance, beta, gamma = (_channels(value, d.data_layout, v[0].ndim) for value in v[1:])
    return [(v[0] - mean) / np.sqrt(variance + d.eps) * gamma + beta]


def _instance_normalization(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = to_nhwc(v[0], d.data_layout)
    mean = x.mean(axis=(1, 2), keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=(1, 2), keepdims=True)
    return [from_nhwc((x - mean) / np.sqrt(variance + d.eps) * d.gamma + d.beta, d.data_layout)]


def _l2_normalization(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = to_nhwc(v[0], d.data_layout)
    squares = (x * x).sum(axis=3, keepdims=True)
    return [from_nhwc(x / np.sqrt(np.maximum(squares, d.eps)), d.data_layout)]


def _transpose_convolution(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    """Add the weights, scaled by each pixel, into the image, then cut the padding off."""
    d: Any = s.descriptor
    x = to_nhwc(v[0], d.data_layout)
    weights = v[1] if d.data_layout is DataLayout.NHWC else v[1].transpose(0, 2, 3, 1)
    n, height, width, outputs = to_nhwc(np.empty(s.outputs[0].static_shape), d.data_layout).shape
    y = np.zeros((n, height + d.pad_top + d.pad_bottom, width + d.pad_left + d.pad_right, outputs))
    for row in range(x.shape[1]):
        for column in range(x.shape[2]):
            box = np.einsum("nc,oijc->nijo", x[:, row, column], weights)
            top, left = row * d.stride_y, column * d.stride_x
            room = y[:, top : top + box.shape[1], left : left + box.shape[2]]
            room += box[:, : room.shape[1], : room.shape[2]]
    y = y[:, d.pad_top : d.pad_top + height, d.pad_left : d.pad_left + width]
    return [from_nhwc(y + v[2] if d.bias_enabled else y, d.data_layout)]


WINDOWS: dict[LayerType, Callable[[Any, Sequence[Any]], list[Array]]] = {
    LayerType.BATCH_NORMALIZATION: _batch_normalization,
    LayerType.CONVOLUTION2D: _convolution,
    LayerType.DEPTHWISE_CONVOLUTION2D: _depthwise,
    LayerType.INSTANCE_NORMALIZATION: _instance_normalization,
    LayerType.L2_NORMALIZATION: _l2_normalization,
    LayerType.POOLING2D: _pooling,
    LayerType.TRANSPOSE_CONVOLUTION2D: _transpose_convolution,
}
