# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Integer convolution as a MatMulInteger: each window's elements become a row of a matrix.

Integers have no convolution of their own that keeps all 32 bits of a sum.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.values import Known, Value, shape_of
from armnn_py.frontends.common.windows import Window

__all__ = ["MOST_TAPS", "patches"]

#: Each tap of a window is a layer.
MOST_TAPS = 49


def patches(emit: Emitter, x: Value, window: Window, fill: Value) -> Value:
    """Return what each position of the window sees of ``x`` [N, H, W, C]: [N, OH * OW, taps * C].

    ``fill`` lies around the image: one number, or one for each image.
    """
    framed = _framed(emit, x, window, fill)
    batch, *_, channels = shape_of(framed)
    rows, columns = window.output_size(ceil=False)
    size, step = (batch, rows, columns, channels), (1, *window.stride, 1)
    taps = []
    for y, x_ in itertools.product(*map(range, window.kernel)):
        begin = (0, y * window.dilation[0], x_ * window.dilation[1], 0)
        taps.append(emit.stride(framed, begin, size, step, f"tap_{y}_{x_}"))
    seen = emit.concat(taps, 3, "taps")
    return emit.reshape(seen, (batch, rows * columns, shape_of(seen)[3]), "patches")


def _framed(emit: Emitter, x: Value, window: Window, fill: Value) -> Value:
    before, after = window.before, window.after
    if isinstance(fill, Known):
        number = float(fill.array.reshape(()))
        return emit.pad(x, (0, *before, 0), (0, *after, 0), fill=number, name="framed")
    count = math.prod(shape_of(fill))
    fill = emit.reshape(fill, (count, 1, 1, 1), "fill")
    for axis, sides in enumerate(zip(before, after, strict=True), 1):
        parts = [x]
        for place, count in enumerate(sides):
            if count:
                shape = _with(shape_of(x), axis, count)
                part = emit.broadcast_to(fill, shape, f"frame_{axis}_{place}")
                parts.insert(len(parts) if place else 0, part)
        x = emit.concat(parts, axis, f"framed_{axis}")
    return x


def _with(shape: Sequence[int], axis: int, size: int) -> tuple[int, ...]:
    return (*shape[:axis], size, *shape[axis + 1 :])
