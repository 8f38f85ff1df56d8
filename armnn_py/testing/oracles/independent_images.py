# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers over volumes, and layers that resample images or move pixels and batches, in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.testing.oracles.independent_windows import from_nhwc, to_nhwc
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

__all__ = ["MOVED_IMAGES", "RESAMPLED", "VOLUMES"]

Array = Any


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
    x, b = to_nhwc(v[0], d.data_layout), d.block_size
    n, h, w, c = x.shape
    y = x.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    return [from_nhwc(y.reshape(n, h // b, w // b, b * b * c), d.data_layout)]


def _depth_to_space(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x, b = to_nhwc(v[0], d.data_layout), d.block_size
    n, h, w, c = x.shape
    y = x.reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    return [from_nhwc(y.reshape(n, h * b, w * b, c // (b * b)), d.data_layout)]


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
    x = to_nhwc(v[0], d.data_layout)
    axes = (3,) if d.channel is NormalizationAlgorithmChannel.ACROSS else (1, 2)
    count = _neighbours(np.ones(x.shape), d.norm_size, axes)
    if d.method is NormalizationAlgorithmMethod.LOCAL_CONTRAST:
        mean = _neighbours(x, d.norm_size, axes) / count
        squares = _neighbours(x * x, d.norm_size, axes) - count * mean * mean
        y = (x - mean) * (d.k + d.alpha * np.maximum(squares, 0)) ** -d.beta
    else:
        y = x * (d.k + d.alpha * _neighbours(x * x, d.norm_size, axes)) ** -d.beta
    return [from_nhwc(y, d.data_layout)]


def _neighbours(x: Array, size: int, axes: tuple[int, ...]) -> Array:
    """Return the sum of each element and its neighbours along the axes."""
    total = x
    for axis in axes:
        steps = range(-((size - 1) // 2), size // 2 + 1)
        total = sum(_shifted(total, axis, step) for step in steps)
    return total


def _shifted(x: Array, axis: int, step: int) -> Array:
    """Elements ``step`` further along an axis; 0 where there are none."""
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

RESAMPLED: dict[LayerType, Callable[[Any, Sequence[Any]], list[Array] | None]] = {
    LayerType.NORMALIZATION: _local_normalization,
    LayerType.RESIZE: _resize,
}
"""Real arithmetic."""


def _to_ndhwc(x: Array, layout: DataLayout) -> Array:
    return x if layout is DataLayout.NDHWC else x.transpose(0, 2, 3, 4, 1)


def _from_ndhwc(x: Array, layout: DataLayout) -> Array:
    return x if layout is DataLayout.NDHWC else x.transpose(0, 4, 1, 2, 3)


def _pads(d: Any) -> list[tuple[int, int]]:
    sides = (d.pad_front, d.pad_back), (d.pad_top, d.pad_bottom), (d.pad_left, d.pad_right)
    return [(0, 0), *sides, (0, 0)]


def _windows(x: Array, kernel: Sequence[int], d: Any, dilation: Sequence[int]) -> Array:
    """Return x (padded NDHWC) as N, depth, height, width, C, and the three axes of the kernel."""
    reach = [(k - 1) * step + 1 for k, step in zip(kernel, dilation, strict=True)]
    view = np.lib.stride_tricks.sliding_window_view(x, reach, axis=(1, 2, 3))
    view = view[:, :: d.stride_z, :: d.stride_y, :: d.stride_x]
    return view[..., :: dilation[0], :: dilation[1], :: dilation[2]]


def _convolution(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x = np.pad(_to_ndhwc(v[0], d.data_layout), _pads(d))
    dilation = d.dilation_z, d.dilation_y, d.dilation_x
    view = _windows(x, v[1].shape[:3], d, dilation)
    y = np.einsum("ndhwcijk,ijkco->ndhwo", view, v[1])
    return [_from_ndhwc(y + v[2] if d.bias_enabled else y, d.data_layout)]


def _pooling(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    x, pads = _to_ndhwc(v[0], d.data_layout), _pads(d)
    kernel, taps = (d.pool_depth, d.pool_height, d.pool_width), (5, 6, 7)

    def windows(padded: Array) -> Array:
        return _windows(padded, kernel, d, (1, 1, 1))

    if d.pool_type is PoolingAlgorithm.MAX:
        y = windows(np.pad(x, pads, constant_values=-np.inf)).max(axis=taps)
    else:
        power = 2 if d.pool_type is PoolingAlgorithm.L2 else 1
        total = windows(np.pad(x**power, pads)).sum(axis=taps)
        fill = int(d.padding_method is PaddingMethod.IGNORE_VALUE)
        y = total / windows(np.pad(np.ones(x.shape), pads, constant_values=fill)).sum(axis=taps)
        y = np.sqrt(y) if power == 2 else y
    return [_from_ndhwc(y, d.data_layout)]


VOLUMES: dict[LayerType, Callable[[Any, Sequence[Any]], list[Array]]] = {
    LayerType.CONVOLUTION3D: _convolution,
    LayerType.POOLING3D: _pooling,
}
