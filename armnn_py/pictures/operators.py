# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A layer in the words of a picture: its operation, and the window that it slides."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from armnn_py.types import DataLayout, LayerType

if TYPE_CHECKING:
    from armnn_py.network import Layer

__all__ = ["is_main", "operator_of", "window_of"]

#: Field of the descriptor that names the operation, and the text beside it.
_CHOICES = {
    LayerType.ACTIVATION: ("function", "{}"),
    LayerType.ARG_MIN_MAX: ("function", "Arg{}"),
    LayerType.COMPARISON: ("operation", "{}"),
    LayerType.ELEMENTWISE_BINARY: ("operation", "{}"),
    LayerType.ELEMENTWISE_UNARY: ("operation", "{}"),
    LayerType.LOGICAL_BINARY: ("operation", "{}"),
    LayerType.POOLING2D: ("pool_type", "{}Pooling2d"),
    LayerType.POOLING3D: ("pool_type", "{}Pooling3d"),
    LayerType.REDUCE: ("operation", "Reduce{}"),
}
_PRODUCTS = frozenset(
    {
        LayerType.BATCH_MAT_MUL,
        LayerType.CONVOLUTION2D,
        LayerType.CONVOLUTION3D,
        LayerType.DEPTHWISE_CONVOLUTION2D,
        LayerType.FULLY_CONNECTED,
        LayerType.TRANSPOSE_CONVOLUTION2D,
    }
)
_POOLING = frozenset({LayerType.POOLING2D, LayerType.POOLING3D})


def is_main(layer: Layer) -> bool:
    """Whether a fused kernel is named after this layer: it is a sum of products."""
    return layer.type in _PRODUCTS


def operator_of(layer: Layer) -> str:
    """Return ``Sigmoid`` for an Activation, ``Mul`` for an ElementwiseBinary; else the type."""
    if layer.type not in (layer.shown_type, LayerType.ELEMENTWISE_BINARY):
        return layer.label
    field, form = _CHOICES.get(layer.type, ("", ""))
    choice = getattr(layer.descriptor, field, None) if field else None
    if not isinstance(choice, Enum):
        return layer.label
    return form.format("".join(word.capitalize() for word in choice.name.split("_")))


def window_of(layer: Layer) -> str:
    """Return the kernel and stride of a convolution or pooling, as ``3x3 /2``; else nothing."""
    kernel = _pool(layer) if layer.type in _POOLING else _kernel(layer)
    if not kernel:
        return ""
    strides = [getattr(layer.descriptor, f"stride_{axis}", 1) for axis in "zyx"[-len(kernel) :]]
    text = "x".join(map(str, kernel))
    if set(strides) == {1}:
        return text
    shown = strides[:1] if len(set(strides)) == 1 else strides
    return f"{text} /{'x'.join(map(str, shown))}"


def _pool(layer: Layer) -> list[int]:
    sides = ("pool_depth", "pool_height", "pool_width")
    sizes = [getattr(layer.descriptor, side, None) for side in sides]
    return [size for size in sizes if size is not None]


def _kernel(layer: Layer) -> list[int]:
    if not is_main(layer) or len(layer.inputs) < 2 or layer.inputs[1] is None:
        return []
    shape = [dim or 0 for dim in layer.inputs[1].info.shape]
    if layer.type is LayerType.CONVOLUTION3D:
        return shape[:3]
    if layer.type is LayerType.DEPTHWISE_CONVOLUTION2D:
        return shape[1:3]
    if layer.type in (LayerType.CONVOLUTION2D, LayerType.TRANSPOSE_CONVOLUTION2D):
        nchw = getattr(layer.descriptor, "data_layout", None) is DataLayout.NCHW
        return shape[2:4] if nchw else shape[1:3]
    return []
