# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers over images and volumes by their definition in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.types import (
    DataLayout,
    LayerType,
    NormalizationAlgorithmChannel,
    NormalizationAlgorithmMethod,
    PaddingMethod,
    PoolingAlgorithm,
    ResizeMethod,
)

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature

Array = Any
_SIDES = (("front", "back"), ("top", "bottom"), ("left", "right"))


def _channels_last(x: Array, layout: DataLayout) -> Array:
    """Return images or volumes with channels last."""
    return np.moveaxis(x, layout.channel_axis, -1)


def _in_layout(x: Array, layout: DataLayout) -> Array:
    """Return images or volumes in a layout."""
    return np.moveaxis(x, -1, layout.channel_axis)


def _shape(s: LayerSignature) -> tuple[int, ...]:
    """Return the shape of the output with channels last."""
    d: Any = s.descriptor
    return tuple(_channels_last(np.empty(s.outputs[0].static_shape), d.data_layout).shape)


def _pads(d: Any, axes: int) -> list[tuple[int, int]]:
    inner = [(getattr(d, f"pad_{a}"), getattr(d, f"pad_{b}")) for a, b in _SIDES[-axes:]]
    return [(0, 0), *inner, (0, 0)]


def _windows(x: Array, kernel: Sequence[int], d: Any, out: Sequence[int], fill: float = 0) -> Array:
    """Return x (padded) as N, each axis of the output, C, each axis of the kernel.

    Windows that reach beyond the padding find ``fill`` there.
    """
    names, axes = "zyx"[-len(kernel) :], tuple(range(1, len(kernel) + 1))
    steps = [getattr(d, f"dilation_{name}", 1) for name in names]
    strides = [getattr(d, f"stride_{name}") for name in names]
    reach = [(k - 1) * step + 1 for k, step in zip(kernel, steps, strict=True)]
    ends = [(n - 1) * stride + r for n, stride, r in zip(out, strides, reach, strict=True)]
    beyond = [max(end - side, 0) for end, side in zip(ends, x.shape[1:], strict=False)]
    x = np.pad(x, [(0, 0), *((0, count) for count in beyond), (0, 0)], constant_values=fill)
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=axes)
    cuts: list[Any] = [slice(0, n * stride, stride) for n, stride in zip(out, strides, strict=True)]
    taps: list[Any] = [slice(None, None, step) for step in steps]
    return view[(slice(None), *cuts, ..., *taps)]


def _convolved(s: LayerSignature, v: Sequence[Any], weights: Array, groups: int) -> list[Array]:
    """Return sums of products; weights are outputs, the axes of the kernel, channels of a group."""
    d: Any = s.descriptor
    axes = weights.ndim - 2
    x = np.pad(_channels_last(v[0], d.data_layout), _pads(d, axes))
    view = _windows(x, weights.shape[1:-1], d, _shape(s)[1:-1])
    inner = [*range(axes + 2, 2 * axes + 2), axes + 1]
    parts = [
        np.tensordot(channels, own, (inner, list(range(1, axes + 2))))
        for channels, own in zip(
            np.split(view, groups, axes + 1), np.split(weights, groups), strict=True
        )
    ]
    y = np.concatenate(parts, -1)
    return [_in_layout(y + v[2] if d.bias_enabled else y, d.data_layout)]


def _convolution(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    return _convolved(s, v, _channels_last(v[1], d.data_layout), d.groups)


def _depthwise(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    weights = np.moveaxis(v[1][0], -1, 0)[..., np.newaxis]
    return _convolved(s, v, weights, v[0].shape[d.data_layout.channel_axis])


def _convolution_of_volumes(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    return _convolved(s, v, np.moveaxis(v[1], -1, 0), 1)


def _pooling(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    """Return numbers of windows; where a window holds nothing but padding, 0."""
    d: Any = s.descriptor
    x, out = _channels_last(v[0], d.data_layout), _shape(s)[1:-1]
    kernel = [getattr(d, f"pool_{side}") for side in ("depth", "height", "width")[-len(out) :]]
    pads, taps = _pads(d, len(out)), tuple(range(-len(out), 0))

    def windows(array: Array, padding: float, beyond: float) -> Array:
        return _windows(np.pad(array, pads, constant_values=padding), kernel, d, out, beyond)

    inside = windows(np.ones(x.shape), 0, 0).sum(axis=taps)
    if d.pool_type is PoolingAlgorithm.MAX:
        y = windows(x, -np.inf, -np.inf).max(axis=taps)
    else:
        power = 2 if d.pool_type is PoolingAlgorithm.L2 else 1
        total = windows(x**power, 0, 0).sum(axis=taps)
        is_counted = int(d.padding_method is PaddingMethod.IGNORE_VALUE)
        y = total / windows(np.ones(x.shape), is_counted, 0).sum(axis=taps)
        y = np.sqrt(y) if power == 2 else y
    return [_in_layout(np.where(inside == 0, 0, y), d.data_layout)]


def _channels(vector: Array, layout: DataLayout, rank: int) -> Array:
    return vector.reshape(-1, *(1,) * (rank - 2)) if layout.channel_axis == 1 else vector


def _batch_normalization(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    mean, variance, beta, gamma = (_channels(value, d.data_layout, v[0].ndim) for value in v[1:])
    return [(v[0] - mean) / np.sqrt(variance + d.eps) * gamma + beta]


def _instance_normalization(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = _channels_last(v[0], d.data_layout)
    mean = x.mean(axis=(1, 2), keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=(1, 2), keepdims=True)
    return [_in_layout((x - mean) / np.sqrt(variance + d.eps) * d.gamma + d.beta, d.data_layout)]


def _l2_normalization(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = _channels_last(v[0], d.data_layout)
    squares = (x * x).sum(axis=3, keepdims=True)
    return [_in_layout(x / np.sqrt(np.maximum(squares, d.eps)), d.data_layout)]


def _transpose_convolution(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    """Add the weights, scaled by each pixel, into the image, then cut the padding off."""
    d: Any = s.descriptor
    x, weights = _channels_last(v[0], d.data_layout), _channels_last(v[1], d.data_layout)
    n, height, width, outputs = _shape(s)
    parts = [
        np.einsum("nyxc,oijc->nyxijo", pixels, own)
        for pixels, own in zip(np.split(x, d.groups, 3), np.split(weights, d.groups), strict=True)
    ]
    boxes = np.concatenate(parts, -1)
    y = np.zeros((n, height + d.pad_top, width + d.pad_left, outputs))
    for row, column, i, j in np.ndindex(*boxes.shape[1:5]):
        place = row * d.stride_y + i * d.dilation_y, column * d.stride_x + j * d.dilation_x
        if place[0] < y.shape[1] and place[1] < y.shape[2]:
            y[:, place[0], place[1]] += boxes[:, row, column, i, j]
    y = y[:, d.pad_top :, d.pad_left :]
    return [_in_layout(y + v[2] if d.bias_enabled else y, d.data_layout)]


def _spatial(d: Any, rank: int) -> range:
    """The axes of height and width, or of height alone."""
    blocks = len(getattr(d, "block_shape", (1, 1)))
    first = 2 if d.data_layout.channel_axis == 1 else 1
    return range(first, min(first + blocks, rank))


def _space_to_batch(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    """Pad, then make a batch of each place in a block (TensorFlow's SpaceToBatchND)."""
    d: Any = s.descriptor
    x = v[0]
    widths = [(0, 0)] * x.ndim
    for axis, pads in zip(_spatial(d, x.ndim), zip(d.pad_before, d.pad_after, strict=True),
                          strict=True):  # fmt: skip
        widths[axis] = pads
    quantization = s.inputs[0].quantization if s.inputs[0] is not None else None
    zero = quantization.zero_point if quantization and x.dtype.kind in "iu" else 0
    x = np.pad(x, widths, constant_values=np.array(zero).astype(x.dtype))
    found = []
    for place in np.ndindex(*d.block_shape):
        cut: list[slice] = [slice(None)] * x.ndim
        for axis, start, step in zip(_spatial(d, x.ndim), place, d.block_shape, strict=True):
            cut[axis] = slice(start, None, step)
        found.append(x[tuple(cut)])
    return [np.concatenate(found, 0)]


def _batch_to_space(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    """The inverse: interleave batches, then crop."""
    d: Any = s.descriptor
    blocks = int(np.prod(d.block_shape))
    parts = np.split(v[0], blocks, 0)
    axes = _spatial(d, v[0].ndim)
    shape = list(parts[0].shape)
    for axis, step in zip(axes, d.block_shape, strict=True):
        shape[axis] *= step
    whole = np.empty(shape, v[0].dtype)
    for place, part in zip(np.ndindex(*d.block_shape), parts, strict=True):
        cut: list[slice] = [slice(None)] * whole.ndim
        for axis, start, step in zip(axes, place, d.block_shape, strict=True):
            cut[axis] = slice(start, None, step)
        whole[tuple(cut)] = part
    kept: list[slice] = [slice(None)] * whole.ndim
    for axis, before, after in zip(axes, d.crop_before, d.crop_after, strict=True):
        kept[axis] = slice(before, whole.shape[axis] - after)
    return [whole[tuple(kept)]]


def _space_to_depth(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x, b = _channels_last(v[0], d.data_layout), d.block_size
    n, h, w, c = x.shape
    y = x.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    return [_in_layout(y.reshape(n, h // b, w // b, b * b * c), d.data_layout)]


def _depth_to_space(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x, b = _channels_last(v[0], d.data_layout), d.block_size
    n, h, w, c = x.shape
    y = x.reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    return [_in_layout(y.reshape(n, h * b, w * b, c // (b * b)), d.data_layout)]


def _positions(d: Any, size: int, target: int) -> Array:
    """Where each output pixel lies in the input, before it is bounded."""
    corners = d.align_corners and target > 1
    scale = (size - 1) / (target - 1) if corners else size / target
    o = np.arange(target, dtype=np.float64)
    if d.method is ResizeMethod.NEAREST_NEIGHBOR:
        if d.half_pixel_centers:
            return np.floor((o + 0.5) * scale + 1e-9)
        return np.floor(o * scale + (0.5 if d.align_corners else 0.0) + 1e-9)
    return (o + 0.5) * scale - 0.5 if d.half_pixel_centers else o * scale


def _resize(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    d: Any = s.descriptor
    y = v[0]
    if not np.isfinite(y).all():
        return None  # infinity times a share of 0 depends on the order of the two axes
    first = 2 if d.data_layout.channel_axis == 1 else 1
    for axis, target in ((first, d.target_height), (first + 1, d.target_width)):
        size = y.shape[axis]
        at = np.clip(_positions(d, size, target), 0, size - 1)
        low = np.floor(at).astype(np.int64)
        high = np.minimum(low + 1, size - 1)
        share = (at - low).reshape([-1 if one == axis else 1 for one in range(y.ndim)])
        above = np.take(y, high, axis)
        below = np.take(y, low, axis)
        y = np.where(share == 0, below, below + share * (above - below))
    return [y]


def _local_normalization(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    """Divide by a power of the sum of squares of neighbours (Krizhevsky et al., 2012).

    Local contrast: of the distances from the mean of the neighbours that there are.
    """
    d: Any = s.descriptor
    x = _channels_last(v[0], d.data_layout)
    axes = (3,) if d.channel is NormalizationAlgorithmChannel.ACROSS else (1, 2)
    count = _neighbours(np.ones(x.shape), d.norm_size, axes)
    if d.method is NormalizationAlgorithmMethod.LOCAL_CONTRAST:
        mean = _neighbours(x, d.norm_size, axes) / count
        squares = _neighbours(x * x, d.norm_size, axes) - count * mean * mean
        y = (x - mean) * (d.k + d.alpha * np.maximum(squares, 0)) ** -d.beta
    else:
        y = x * (d.k + d.alpha * _neighbours(x * x, d.norm_size, axes)) ** -d.beta
    return [_in_layout(y, d.data_layout)]


def _neighbours(x: Array, size: int, axes: tuple[int, ...]) -> Array:
    """Return the sum of each element and its neighbours along the axes."""
    total = x
    for axis in axes:
        steps = range(-((size - 1) // 2), size // 2 + 1)
        total = sum(_shifted(total, axis, step) for step in steps)
    return total


def _shifted(x: Array, axis: int, step: int) -> Array:
    """Elements ``step`` further along an axis; 0 behind its end."""
    size = x.shape[axis]
    widths = [(0, 0)] * x.ndim
    widths[axis] = (abs(step), abs(step))
    return np.take(np.pad(x, widths), range(abs(step) + step, abs(step) + step + size), axis)


MOVED_IMAGES: dict[LayerType, Callable[[Any, Sequence[Any]], list[Array]]] = {
    LayerType.BATCH_TO_SPACE_ND: _batch_to_space,
    LayerType.DEPTH_TO_SPACE: _depth_to_space,
    LayerType.SPACE_TO_BATCH_ND: _space_to_batch,
    LayerType.SPACE_TO_DEPTH: _space_to_depth,
}
"""Of any data type: elements stay as they are."""


WINDOWS: dict[LayerType, Callable[[Any, Sequence[Any]], list[Array] | None]] = {
    LayerType.BATCH_NORMALIZATION: _batch_normalization,
    LayerType.CONVOLUTION2D: _convolution,
    LayerType.CONVOLUTION3D: _convolution_of_volumes,
    LayerType.DEPTHWISE_CONVOLUTION2D: _depthwise,
    LayerType.INSTANCE_NORMALIZATION: _instance_normalization,
    LayerType.L2_NORMALIZATION: _l2_normalization,
    LayerType.POOLING2D: _pooling,
    LayerType.POOLING3D: _pooling,
    LayerType.TRANSPOSE_CONVOLUTION2D: _transpose_convolution,
    LayerType.NORMALIZATION: _local_normalization,
    LayerType.RESIZE: _resize,
}
"""Real arithmetic."""
