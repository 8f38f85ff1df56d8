# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers that sort, sum up, reverse and scatter by their definition in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.testing.oracles.independent_quantized import stepped
from armnn_py.types import LayerType, ScatterNdFunction

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature

__all__ = ["MOVED_ORDERS", "ORDERS"]

Array = Any
_Rules = dict[LayerType, Callable[[Any, Sequence[Any]], list[Array]]]
_SomeRules = dict[LayerType, Callable[[Any, Sequence[Any]], list[Array] | None]]


def _top_k(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    keys = v[0] if not d.largest else (-v[0] if v[0].dtype.kind == "f" else ~v[0])
    places = np.argsort(keys, axis=d.axis, kind="stable").take(np.arange(d.k), d.axis)
    return [np.take_along_axis(v[0], places, d.axis), places]


def _cum_sum(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    lines = np.moveaxis(v[0], d.axis, 0)
    order = range(len(lines))
    total, sums = np.zeros_like(lines[:1].sum(0, dtype=lines.dtype)), np.empty_like(lines)
    for index in reversed(order) if d.reverse else order:
        sums[index] = total if d.exclusive else total + lines[index]
        total = total + lines[index]
    return [np.moveaxis(sums, 0, d.axis)]


def _scatter_nd(s: LayerSignature, v: Sequence[Any]) -> list[Array] | None:
    """Join updates one after the other; each leaves an element of the tensor's type."""
    d: Any = s.descriptor
    if v[2].dtype == np.bool_ and d.function is not ScatterNdFunction.UPDATE:
        return None  # booleans have no arithmetic
    info = s.outputs[0]
    y = np.zeros(info.static_shape, v[2].dtype)
    if d.input_enabled:
        y[...] = v[0]
    depth = v[1].shape[-1]
    slices = v[2].reshape(-1, *y.shape[depth:])
    for vector, update in zip(v[1].reshape(-1, depth), slices, strict=True):
        place = tuple(vector)
        joined = _JOINS[d.function](y[place], update)
        if info.data_type.is_quantized:
            y[place] = stepped(info, joined)
        else:
            y[place] = joined.astype(info.dtype)
    # Reals come back as values: which zero of two is the greater is not defined.
    return [
        y.astype(info.dtype)
        if d.function is ScatterNdFunction.UPDATE and info.data_type.is_float
        else y
    ]


_JOINS: dict[ScatterNdFunction, Callable[[Array, Array], Array]] = {
    ScatterNdFunction.UPDATE: lambda old, new: new,
    ScatterNdFunction.ADD: np.add,
    ScatterNdFunction.SUB: np.subtract,
    ScatterNdFunction.MAX: np.maximum,
    ScatterNdFunction.MIN: np.minimum,
    ScatterNdFunction.MUL: np.multiply,
}


def _one_hot(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    places = np.arange(d.depth)
    wide = v[0][..., np.newaxis]
    hit = (wide == places) | (wide == places - d.depth)
    return [np.moveaxis(np.where(hit, v[1].reshape(()), v[2].reshape(())), -1, d.axis)]


def _channel_shuffle(s: LayerSignature, v: Sequence[Any]) -> list[Array]:
    d: Any = s.descriptor
    shape = v[0].shape
    each = shape[d.axis] // d.group_count
    groups = (*shape[: d.axis], d.group_count, each, *shape[d.axis + 1 :])
    return [v[0].reshape(groups).swapaxes(d.axis, d.axis + 1).reshape(shape)]


ORDERS: _SomeRules = {
    LayerType.CUM_SUM: _cum_sum,
    LayerType.SCATTER_ND: _scatter_nd,
    LayerType.TOP_K: _top_k,
}
"""Of numbers: real ones come in float64."""

MOVED_ORDERS: _Rules = {
    LayerType.CHANNEL_SHUFFLE: _channel_shuffle,
    LayerType.ONE_HOT: _one_hot,
    LayerType.REVERSE_V2: lambda s, v: [np.flip(v[0], tuple(v[1].tolist()))],
}
"""Of elements of any type, whatever their bits stand for."""
