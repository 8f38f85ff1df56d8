# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How much arithmetic a layer is, from its shapes: a bound on what is computed at load."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.optimizer.graph import Node, Value

#: Multiply-adds of a product take as long as one element of what is not a product, in this number.
_ELEMENT = 16
#: Products of other numbers than floats, and steps of a recurrent layer, take this much longer.
_SLOW = 8


def work_of(node: Node) -> int:
    """Return how long a layer takes about, in multiply-adds of a product of matrices."""
    linear = _ELEMENT * sum(_count(v) for v in (*node.inputs, *node.outputs) if v is not None)
    estimate = _BEYOND.get(node.type)
    return linear if estimate is None else linear + estimate(node)


def _count(value: Value) -> int:
    return math.prod(value.info.static_shape)


def _shape(node: Node, index: int) -> tuple[int, ...]:
    value = node.inputs[index] if index < len(node.inputs) else None
    return () if value is None else value.info.static_shape


def _out(node: Node) -> int:
    return sum(map(_count, node.outputs))


def _pace(node: Node) -> int:
    value = node.inputs[0]
    return 1 if value is not None and value.info.data_type.is_float else _SLOW


def _matrices(node: Node) -> int:
    shape = _shape(node, 0)
    is_turned = getattr(node.descriptor, "transpose_x", False)
    inner = shape[-2 if is_turned and len(shape) > 1 else -1] if shape else 1
    return _out(node) * inner * _pace(node)


def _weighted(node: Node) -> int:
    """Products with weights, of which each element of the output takes one row."""
    weights = _shape(node, 1) or (1,)
    rows = weights[-1 if node.type is LayerType.CONVOLUTION3D else 0]
    if node.type is LayerType.FULLY_CONNECTED:
        rows = node.outputs[0].info.static_shape[-1]
    return _out(node) * math.prod(weights) // max(rows, 1) * _pace(node)


def _depthwise(node: Node) -> int:
    return _out(node) * math.prod(_shape(node, 1)[:3]) * _pace(node)


def _spread(node: Node) -> int:
    """A transposed convolution: each element of the input goes to a window of each channel."""
    weights = _shape(node, 1)
    return math.prod(_shape(node, 0)) * math.prod(weights) // max(min(weights, default=1), 1)


def _window(*fields: str) -> Callable[[Node], int]:
    def estimate(node: Node) -> int:
        descriptor: Any = node.descriptor
        size = math.prod(int(getattr(descriptor, name)) for name in fields)
        return _ELEMENT * _out(node) * size

    return estimate


def _recurrent(node: Node) -> int:
    x = _shape(node, 0)
    weights = sum(_count(value) for value in node.inputs[1:] if value is not None)
    return math.prod(x[:-1]) * weights * _SLOW


def _crossed(node: Node) -> int:
    """Boxes, each compared with all others of each class."""
    return _ELEMENT * math.prod(_shape(node, 1)) * max(_shape(node, 1)[-2:-1] or (1,))


_PLANE, _VOLUME = ("pool_height", "pool_width"), ("pool_depth", "pool_height", "pool_width")
_BEYOND: dict[LayerType, Callable[[Node], int]] = {
    LayerType.BATCH_MAT_MUL: _matrices,
    LayerType.MAT_MUL_INTEGER: _matrices,
    LayerType.FULLY_CONNECTED: _weighted,
    LayerType.CONVOLUTION2D: _weighted,
    LayerType.CONVOLUTION3D: _weighted,
    LayerType.DEPTHWISE_CONVOLUTION2D: _depthwise,
    LayerType.TRANSPOSE_CONVOLUTION2D: _spread,
    LayerType.POOLING2D: _window(*_PLANE),
    LayerType.POOLING3D: _window(*_VOLUME),
    LayerType.NORMALIZATION: _window("norm_size"),
    LayerType.RESIZE: lambda node: _ELEMENT * 16 * _out(node),  # cubic: of 16 elements each
    LayerType.DETECTION_POST_PROCESS: _crossed,
    LayerType.NON_MAX_SUPPRESSION: lambda node: (
        _ELEMENT * math.prod(_shape(node, 1)) * max(_shape(node, 1)[2:], default=1)
    ),
    **dict.fromkeys(
        (
            LayerType.LSTM, LayerType.QLSTM, LayerType.QUANTIZED_LSTM, LayerType.GRU,
            LayerType.RNN, LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM,
        ),
        _recurrent,
    ),
}  # fmt: skip
"""Extra cost of layers beyond a time for each element of their inputs and outputs."""
