# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Conv: Convolution2d, DepthwiseConvolution2d where every channel is a group, or Convolution3d."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armnn_py.descriptors import (
    Convolution2dDescriptor,
    Convolution3dDescriptor,
    DepthwiseConvolution2dDescriptor,
)
from armnn_py.errors import ParseError
from armnn_py.frontends.common.known import KnownReals
from armnn_py.frontends.common.values import Unsupported, Value, shape_of
from armnn_py.frontends.common.windows import Window
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.windows.windows import window_of
from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Layers that the groups of one Conv over volumes may become.
_MOST_GROUPS = 64


def up_to_volumes(view: NodeView) -> None:
    """Refuse kernels of more than three dimensions."""
    spatial = view.rank(1) - 2 if view.is_known(1) else len(view.ints("kernel_shape") or (1,))
    if spatial > 3:
        raise Unsupported(f"{spatial} spatial dimensions (1 to 3 are supported)")


def spatial_rank(view: NodeView) -> int:
    """Return the number of spatial dimensions, 1 to 3."""
    rank = view.rank(0) - 2
    if rank < 1:
        raise ParseError(f"the input has {view.rank(0)} dimensions, expected at least 3")
    if rank > 3:
        raise Unsupported(f"{rank} spatial dimensions (1 to 3 are supported)")
    if view.rank(1) != view.rank(0):
        raise ParseError(
            f"the weights have {view.rank(1)} dimensions, but the input has {view.rank(0)}"
        )
    return rank


def convolve(view: NodeView) -> Value:
    """Convert a Conv."""
    emit = view.emit
    rank = spatial_rank(view)
    channels, groups = view.shape(0)[1], view.integer("group", 1)
    outputs, per_group, *kernel = view.shape(1)
    if groups < 1 or channels != per_group * groups or outputs % groups:
        raise ParseError(
            f"weights of shape {view.shape(1)} in {groups} groups do not fit {channels} channels"
        )
    window = window_of(view, kernel, view.shape(0)[2:])
    bias = emit.reshape(view.value(2), (outputs,), "bias") if view.has(2) else None
    if rank == 3:
        return convolve_volume(view, view.value(0), _volume_weights(view), bias, window, groups)
    is_line = rank == 1
    x: Value = view.value(0)
    if is_line:  # one row of an image
        window = window.as_plane()
        x = emit.reshape(x, (*view.shape(0)[:2], 1, view.shape(0)[2]), "plane")
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


operator("Conv", check=up_to_volumes)(convolve)


def _volume_weights(view: NodeView) -> Value:
    """Bring weights [O, I, D, H, W] to the layer's [D, H, W, I, O]."""
    if view.is_known(1) and not isinstance(view.value(1), KnownReals):
        return view.derived(1, "volume", lambda weights: weights.transpose(2, 3, 4, 1, 0))
    return view.emit.transpose(view.value(1), (2, 3, 4, 1, 0), "weights")


def convolve_volume(
    view: NodeView, x: Value, weights: Value, bias: Value | None, window: Window, groups: int
) -> Value:
    """Make a Convolution3d of each group, as the layer has none; weights are its own."""
    emit = view.emit
    channels, outputs = shape_of(x)[1], shape_of(weights)[4]
    if groups > _MOST_GROUPS:
        raise Unsupported(f"{groups} groups of volumes, at most {_MOST_GROUPS} are supported")
    descriptor = Convolution3dDescriptor(
        **window.descriptor_fields(), bias_enabled=bias is not None, data_layout=DataLayout.NCDHW
    )
    kind = LayerType.CONVOLUTION3D
    if groups == 1:
        return emit.layer(kind, [x, weights, bias], descriptor)
    sizes = [outputs // groups] * groups
    parts = zip(
        emit.split(x, [channels // groups] * groups, 1, "groups"),
        emit.split(weights, sizes, 4, "weights_of_groups"),
        [None] * groups if bias is None else emit.split(bias, sizes, 0, "bias_of_groups"),
        strict=True,
    )
    made = [
        emit.layer(kind, part, descriptor, name=f"group_{index}")
        for index, part in enumerate(parts)
    ]
    return emit.concat(made, 1)


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
    if view.is_known(1):
        return view.derived(1, "depthwise", rearranged)
    plane = view.emit.reshape(view.value(1), (1, outputs, *kernel), "weights")
    return view.emit.transpose(plane, (0, 2, 3, 1), "depthwise_weights")
