# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Conv: Convolution2d, or DepthwiseConvolution2d where every channel is a group of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armnn_py.descriptors import Convolution2dDescriptor, DepthwiseConvolution2dDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.values import KnownReals, Unsupported, Value, shape_of
from armnn_py.frontends.onnx.node import NodeView
from armnn_py.frontends.onnx.table import operator
from armnn_py.frontends.onnx.windows import window_of
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _planes_only(view: NodeView) -> None:
    weights = view.known(1)
    spatial = weights.ndim - 2 if weights is not None else len(view.ints("kernel_shape") or (1,))
    if spatial > 2:
        raise Unsupported(f"{spatial} spatial dimensions (1 and 2 are supported)")


def spatial_rank(view: NodeView) -> int:
    """Return the number of spatial dimensions, 1 or 2."""
    rank = view.rank(0) - 2
    if rank < 1:
        raise ParseError(f"input of {view.rank(0)} dimensions, at least 3 expected")
    if rank > 2:
        raise Unsupported(f"{rank} spatial dimensions (1 and 2 are supported)")
    if view.rank(1) != view.rank(0):
        raise ParseError(
            f"weights of {view.rank(1)} dimensions for an input of {view.rank(0)} dimensions"
        )
    return rank


def convolve(view: NodeView) -> Value:
    """Convert a Conv."""
    emit = view.emit
    is_line = spatial_rank(view) == 1
    channels, groups = view.shape(0)[1], view.integer("group", 1)
    outputs, per_group, *kernel = view.shape(1)
    if groups < 1 or channels != per_group * groups or outputs % groups:
        raise ParseError(
            f"weights of shape {view.shape(1)} in {groups} groups do not fit {channels} channels"
        )
    window = window_of(view, kernel, view.shape(0)[2:])
    x: Value = view.value(0)
    if is_line:  # one row of an image
        window = window.as_plane()
        x = emit.reshape(x, (*view.shape(0)[:2], 1, view.shape(0)[2]), "plane")
    bias = emit.reshape(view.value(2), (outputs,), "bias") if view.has(2) else None
    name = "" if not is_line else "conv"
    options = window.descriptor_fields()
    if groups == channels and groups > 1:
        descriptor = DepthwiseConvolution2dDescriptor(
            **options, bias_enabled=bias is not None, data_layout=DataLayout.NCHW
        )
        weights = _depthwise_weights(view, window.kernel)
        kind = LayerType.DEPTHWISE_CONVOLUTION2D
        y: Value = emit.layer(kind, [x, weights, bias], descriptor, name=name)
    else:
        dense = Convolution2dDescriptor(
            **options, bias_enabled=bias is not None, data_layout=DataLayout.NCHW, groups=groups
        )
        weights = emit.reshape(view.value(1), (outputs, per_group, *window.kernel), "weights")
        y = emit.layer(LayerType.CONVOLUTION2D, [x, weights, bias], dense, name=name)
    return _as_line(view, y) if is_line else y


operator("Conv", check=_planes_only)(convolve)


def _as_line(view: NodeView, y: Value) -> Value:
    batch, channels, _, width = shape_of(y)
    return view.emit.reshape(y, (batch, channels, width))


def _depthwise_weights(view: NodeView, kernel: tuple[int, ...]) -> Value:
    """Bring weights [I * M, 1, H, W] to the layer's [1, H, W, I * M]."""
    outputs = view.shape(1)[0]

    def rearranged(weights: NDArray[np.generic]) -> NDArray[np.generic]:
        return np.moveaxis(weights.reshape(outputs, *kernel), 0, -1)[np.newaxis]

    weights = view.value(1)
    if isinstance(weights, KnownReals) and view.rank(1) == 4:
        return view.emit.transpose(weights, (1, 2, 3, 0), "depthwise")
    if view.known(1) is not None:
        return view.derived(1, "depthwise", rearranged)
    plane = view.emit.reshape(view.value(1), (1, outputs, *kernel), "weights")
    return view.emit.transpose(plane, (0, 2, 3, 1), "depthwise_weights")
