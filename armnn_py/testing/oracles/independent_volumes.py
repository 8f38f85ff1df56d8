# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers over volumes by their definition in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.types import DataLayout, LayerType, PaddingMethod, PoolingAlgorithm

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature

__all__ = ["VOLUMES"]

Array = Any


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
