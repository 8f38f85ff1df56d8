# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sizes of free dimensions as numbers that layers read.

A Constant layer would have the number of one set of shapes. The number of elements of a tensor,
which is repeated to that size and summed up, is right for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.descriptors import (
    BroadcastToDescriptor,
    ConcatDescriptor,
    ReduceDescriptor,
    ReshapeDescriptor,
    View,
)
from armnn_py.frontends.common.values import Known
from armnn_py.symbolic import is_symbolic
from armnn_py.types import LayerType, ReduceOperation

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.frontends.common.known import KnownSizes
    from armnn_py.frontends.common.values import Value
    from armnn_py.network import OutputSlot

__all__ = ["counted"]

#: Larger numbers would take longer to count than a conversion for other shapes is worth.
_MOST = 1 << 16
_COUNTING = (np.dtype(np.int32), np.dtype(np.int64))


def counted(add: Callable[..., OutputSlot], value: KnownSizes) -> OutputSlot | None:
    """Return layers that count, or None where a constant of these shapes must do.

    ``add`` adds a layer, as `EmitterBase.layer` does.
    """
    elements = value.elements.reshape(-1)
    if value.dtype not in _COUNTING or not elements.size:
        return None
    if not all(1 <= item <= _MOST for item in elements if is_symbolic(item)):
        return None
    parts = [_one(add, item, value.dtype) for item in elements]
    joined = parts[0]
    if len(parts) > 1:
        views = tuple(View(origin=(place,), size=(1,)) for place in range(len(parts)))
        joined = add(LayerType.CONCAT, parts, ConcatDescriptor(axis=0, views=views), name="sizes")
    return add(
        LayerType.RESHAPE, [joined], ReshapeDescriptor(target_shape=value.shape), name="numbers"
    )


def _one(add: Callable[..., OutputSlot], item: Any, dtype: np.dtype[Any]) -> Value:
    """Return one number as a tensor of one element."""
    if not is_symbolic(item):
        return Known(np.array([item], dtype))
    ones = add(
        LayerType.BROADCAST_TO,
        [Known(np.ones(1, dtype))],
        BroadcastToDescriptor(target_shape=(item,)),
        name="ones",
    )
    descriptor = ReduceDescriptor(operation=ReduceOperation.SUM, keep_dims=True, axes=(0,))
    return add(LayerType.REDUCE, [ones], descriptor, name="size")
