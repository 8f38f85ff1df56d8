# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rules of random networks that add layers over images: windows, normalisation, blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import armnn_py as ann

if TYPE_CHECKING:
    from armnn_py.testing.random_layers.growth import Growth

_NHWC, _NCHW = ann.DataLayout.NHWC, ann.DataLayout.NCHW


def _image(grow: Growth, x: ann.OutputSlot) -> tuple[ann.OutputSlot, ann.DataLayout, int]:
    """Return an image at least 2 high and wide, perhaps padded, and its channels."""
    if x.info.rank != 4 or 1 in x.info.shape[1:]:
        images = [
            one for one in grow.pool if one.info.rank == 4 and min(one.info.static_shape[1:]) > 1
        ]
        x = images[grow.random.integers(len(images))]  # an input is one
    layout = _NHWC if grow.chance(0.7) else _NCHW
    shape = x.info.static_shape
    channels = shape[3] if layout is _NHWC else shape[1]
    if grow.chance(0.4):
        spatial = [(int(grow.random.integers(2)), 1), (1, int(grow.random.integers(2)))]
        pads = [(0, 0), *spatial, (0, 0)] if layout is _NHWC else [(0, 0), (0, 0), *spatial]
        value = 0.0 if grow.chance(0.7) else 0.5
        x = grow.network.add_pad(x, pads, value=value).output
    return x, layout, channels


def convolution(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a convolution, perhaps normalised."""
    x, layout, channels = _image(grow, x)
    count = int(grow.random.integers(1, 5))
    shape = (count, 2, 2, channels) if layout is _NHWC else (count, channels, 2, 2)
    y = grow.network.add_convolution2d(
        x,
        grow.values(*shape, scale=0.3),
        grow.values(count) if grow.chance() else None,
        data_layout=layout,
        padding="same" if grow.chance() else "valid",
    )
    _finish(grow, y, layout, count)


def depthwise(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a depthwise convolution, perhaps normalised."""
    x, layout, channels = _image(grow, x)
    count = channels * int(grow.random.integers(1, 3))
    y = grow.network.add_depthwise_convolution2d(
        x,
        grow.values(1, 2, 2, count, scale=0.5),
        grow.values(count) if grow.chance() else None,
        data_layout=layout,
    )
    _finish(grow, y, layout, count)


def _finish(grow: Growth, y: ann.Layer, layout: ann.DataLayout, count: int) -> None:
    if grow.chance(0.4):
        y = _normalised(grow, y, layout, count)
    if grow.chance(0.2):
        grow.keep(y)
    grow.keep(grow.bounded(y))


def transposed_convolution(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a transposed convolution and an affine step behind it."""
    x, layout, channels = _image(grow, x)
    count = int(grow.random.integers(1, 4))
    shape = (count, 2, 2, channels) if layout is _NHWC else (count, channels, 2, 2)
    y = grow.network.add_transpose_convolution2d(
        x,
        grow.values(*shape, scale=0.3),
        grow.values(count) if grow.chance() else None,
        data_layout=layout,
    )
    grow.keep(grow.bounded(grow.affine_step(y, 3 if layout is _NHWC else 1)))


def affine_around_convolution(grow: Growth, x: ann.OutputSlot) -> None:
    """Write normalisation as exporters do, before and behind layers with weights."""
    x, layout, channels = _image(grow, x)
    axis = 3 if layout is _NHWC else 1
    y: ann.OutputSlot | ann.Layer = x
    for _ in range(int(grow.random.integers(3))):
        y = grow.affine_step(y, axis)
    if grow.chance():
        weights = grow.values(1, 2, 2, channels * 2, scale=0.3)
        y = grow.network.add_depthwise_convolution2d(
            y,
            weights,
            data_layout=layout,
            padding="same" if grow.chance(0.3) else "valid",
        )
    else:
        shape = (3, 1, 1, channels) if layout is _NHWC else (3, channels, 1, 1)
        bias = grow.values(3) if grow.chance() else None
        y = grow.network.add_convolution2d(
            y, grow.values(*shape, scale=0.3), bias, data_layout=layout
        )
    for _ in range(int(grow.random.integers(4))):
        y = grow.affine_step(y, axis)
    grow.keep(grow.bounded(y))


def residual_blocks(grow: Growth, x: ann.OutputSlot) -> None:
    """Keep images in one order around convolutions that want the other."""
    x, _, _ = _image(grow, x)
    there, back = [0, 3, 1, 2], [0, 2, 3, 1]
    y: ann.OutputSlot | ann.Layer = x
    for _ in range(int(grow.random.integers(1, 4))):
        channels = (y.output if isinstance(y, ann.Layer) else y).info.static_shape[3]
        weights = grow.values(channels, channels, 1, 1, scale=0.3)
        z: ann.OutputSlot | ann.Layer = grow.network.add_convolution2d(
            grow.network.add_transpose(y, there), weights, data_layout=_NCHW
        )
        z = grow.network.add_transpose(z, back)
        if grow.chance():
            z = grow.network.add_addition(z, grow.values(channels))
        if grow.chance(0.3):
            z = grow.network.add_concat([z, grow.bounded(z)], 3)
            z = grow.network.add_split(z, 2, 3).outputs[int(grow.random.integers(2))]
        if grow.chance(0.3):
            padded = grow.network.add_pad(z, [(0, 1)] * 4)
            z = grow.network.add_slice(padded, [0] * 4, x.info.static_shape)
        if grow.chance(0.3):
            z = grow.network.add_softmax(z, axis=int(grow.random.integers(4)))
        y = grow.bounded(grow.network.add_addition(z, y))
    if grow.chance():
        grow.keep(grow.network.add_mean(y, [1, 2], keep_dims=grow.chance()))
    else:
        grow.keep(y)


def blocks(grow: Growth, x: ann.OutputSlot) -> None:
    """Compute on batches of every other element, as exporters write dilated convolutions."""
    x, _, _ = _image(grow, x)
    _, height, width, _ = x.info.static_shape
    pads = [(int(grow.random.integers(2)) * 2, height % 2), (0, width % 2)]
    y = grow.network.add_space_to_batch_nd(x, [2, 2], pads)
    if grow.chance():
        y = grow.bounded(y)
    crops = pads if grow.chance() else [(0, 0), (0, 0)]
    grow.keep(grow.network.add_batch_to_space_nd(y, [2, 2], crops))


def channels_to_space(grow: Growth, x: ann.OutputSlot) -> None:
    """Write DepthToSpace as a permutation and BatchToSpaceNd."""
    layout = _NHWC if grow.chance() else _NCHW
    flat = grow.network.add_reshape(x, [1, x.info.element_count])
    shape = (1, 2, 3, 4) if layout is _NHWC else (1, 4, 2, 3)
    few = grow.network.add_fully_connected(flat, grow.values(x.info.element_count, 24, scale=0.1))
    order = (3, 1, 2, 0) if layout is _NHWC else (1, 0, 2, 3)
    y = grow.reordered(grow.bounded(grow.network.add_reshape(few, shape)), order)
    grow.keep(grow.network.add_batch_to_space_nd(y, [2, 2], [(0, 0), (0, 0)], data_layout=layout))


def _normalised(
    grow: Growth, x: ann.OutputSlot | ann.Layer, layout: ann.DataLayout, channels: int
) -> ann.Layer:
    mean, beta, gamma = (grow.values(channels, scale=0.5) for _ in range(3))
    variance = np.abs(grow.values(channels)) + np.float32(0.5)
    return grow.network.add_batch_normalization(x, mean, variance, beta, gamma, data_layout=layout)


def batch_norm(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a BatchNormalization."""
    if x.info.rank == 4:
        layout = _NHWC if grow.chance() else _NCHW
        channels = x.info.static_shape[3 if layout is _NHWC else 1]
        grow.keep(grow.bounded(_normalised(grow, x, layout, channels)))


def pooling(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a pooling."""
    image, layout, _ = _image(grow, x)
    kinds, methods = ann.PoolingAlgorithm, ann.PaddingMethod
    grow.keep(
        grow.network.add_pooling2d(
            image,
            kinds.MAX if grow.chance() else kinds.AVERAGE,
            2,
            stride=1 if grow.chance() else 2,
            padding_method=methods.EXCLUDE if grow.chance() else methods.IGNORE_VALUE,
            data_layout=layout,
        )
    )


def edges_before_pooling(grow: Growth, x: ann.OutputSlot) -> None:
    """Repeat edges by Gathers, as the ONNX reader writes a Pad of mode edge, or nearly so."""
    x, layout, _ = _image(grow, x)
    y: ann.OutputSlot | ann.Layer = x
    for axis in (1, 2) if layout is _NHWC else (2, 3):
        width = (int(grow.random.integers(2)), int(grow.random.integers(3)))
        mode = "edge" if grow.chance(0.8) else "reflect"
        indices = np.pad(np.arange(x.info.static_shape[axis]), width, mode=mode)  # type: ignore[call-overload]
        y = grow.network.add_gather(y, indices.astype(np.int32), axis)
    grow.keep(
        grow.network.add_pooling2d(
            y,
            ann.PoolingAlgorithm.MAX,
            2,
            stride=int(grow.random.integers(1, 3)),
            padding=1 if grow.chance(0.2) else 0,
            data_layout=layout,
        )
    )
