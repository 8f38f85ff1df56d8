# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""MaxPool with its second output: the place of each largest element in the whole input.

No layer tells places. The windows are gathered side by side, so that ArgMinMax finds the largest of
each. Padding reads the first element of its window once more: a number below all elements need not
exist. A window of padding alone reads the lowest number there is, which lies behind the elements.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.frontends.common.counting import counted
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.values import Known, Value, dtype_of, shape_of
from armnn_py.types import ArgMinMaxFunction, DataType, ReduceOperation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from armnn_py.frontends.common.emit.emitter import Emitter
    from armnn_py.frontends.common.windows import Window

__all__ = ["max_pool_with_indices"]


def max_pool_with_indices(
    emit: Emitter, x: Value, window: Window, *, ceil: bool, by_columns: bool
) -> list[Value]:
    """Return the largest elements of windows, and their places as int64.

    Parameters
    ----------
    x
        ``(N, C, ...)``.
    ceil
        Round the number of windows up.
    by_columns
        Count places of a channel with the first spatial dimension running fastest.
    """
    batch, channels, *size = shape_of(x)
    result = (batch, channels, *window.output_size(ceil=ceil))
    lines, inside = batch * channels, math.prod(size)
    places, outside = _places(window, result[2:])
    count, kernel = places.shape
    rows_of = positions_of(count)
    first_inside = np.argmin(outside, axis=1)
    firsts = np.where(outside.all(axis=1), inside, places[rows_of, first_inside])
    places = np.where(outside, firsts[:, np.newaxis], places)
    dtype = dtype_of(x)
    lowest = (np.finfo if dtype.kind == "f" else np.iinfo)(dtype).min  # as in onnxruntime
    padding = Known(np.full((counted(int(lines)), 1), lowest, dtype))
    flat = emit.concat([emit.reshape(x, (lines, inside), "channels"), padding], 1, "padded")
    read = Known(places.astype(np.int32).reshape(-1))
    windows = emit.reshape(
        emit.gather(flat, read, 1, "windows_flat"), (lines, count, kernel), "windows"
    )
    largest = emit.reduce(ReduceOperation.MAX, windows, [2], False, "largest")
    first = emit.arg(ArgMinMaxFunction.MAX, windows, 2, DataType.SIGNED64, "first")
    rows = Known((positions_of(count) * kernel).reshape(1, -1))
    places = np.minimum(places, inside - 1)
    table = _by_columns(places, size) if by_columns else places
    found = emit.gather(
        Known(table.reshape(-1)), emit.add(first, rows, "entry"), 0, "place_in_channel"
    )
    starts = Known((positions_of(int(lines)) * int(inside)).reshape(-1, 1))
    indices = emit.add(found, starts, "place")
    return [emit.reshape(largest, result), emit.reshape(indices, result, "indices")]


def _places(window: Window, result: Sequence[int]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Places in a channel ``(windows, kernel)`` by rows, and which of them are padding."""
    rank = len(result)
    axes = []
    for d in range(rank):
        starts = positions_of(result[d]) * window.stride[d] - window.before[d]
        steps = positions_of(window.kernel[d]) * window.dilation[d]
        axes.append(starts[:, np.newaxis] + steps)
    shape = [*result, *window.kernel]
    counted(math.prod(shape))
    places, outside = np.zeros(shape, np.int64), np.zeros(shape, bool)
    for d, along in enumerate(axes):
        form = [1] * (2 * rank)
        form[d], form[rank + d] = along.shape
        wide = along.reshape(form)
        outside = outside | (wide < 0) | (wide >= window.size[d])
        places = places * window.size[d] + wide
    count = math.prod(result)
    return places.reshape(count, -1), outside.reshape(count, -1)


def _by_columns(places: NDArray[Any], size: Sequence[int]) -> NDArray[Any]:
    """The same places where the first dimension runs fastest."""
    coordinates = np.unravel_index(places, tuple(size))
    return np.asarray(np.ravel_multi_index(coordinates, tuple(size), order="F"))
