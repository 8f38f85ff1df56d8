# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The sliding window of convolutions and pooling: kernel, strides, dilations and pads."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct, structs

from armnn_py.frontends.common.counting import positions
from armnn_py.frontends.common.emit import Emitter
from armnn_py.frontends.common.values import Known, Value, shape_of

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


_AXES = (("front", "back", "z"), ("top", "bottom", "y"), ("left", "right", "x"))


class Window(Struct, frozen=True):
    """Geometry of a window over an input of known size, per spatial dimension."""

    size: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]

    @property
    def extent(self) -> tuple[int, ...]:
        """Elements that the kernel spans, gaps included."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    @property
    def fits(self) -> bool:
        """Whether the padded input has room for the kernel at least once."""
        return all(
            size + before + after >= extent
            for size, before, after, extent in zip(
                self.size, self.before, self.after, self.extent, strict=True
            )
        )

    def output_size(self, *, ceil: bool) -> tuple[int, ...]:
        """Return how many positions the window has.

        Rounding up admits a last window that is only partly inside, unless it would start in the
        padding behind the input.
        """
        found = []
        for size, extent, stride, before, after in zip(
            self.size, self.extent, self.stride, self.before, self.after, strict=True
        ):
            span = size + before + after - extent
            count = span // stride + 1
            if ceil and span % stride and count * stride < size + before:
                count += 1
            found.append(count)
        return tuple(found)

    def cut_to_padded(self) -> Window:
        """Return the window without the taps that lie beyond all padding, if it has one position.

        Rounding up gives a window one position where it exceeds the padded input by less than a
        stride. The remaining taps read the same elements and the same padding, and fit.
        """
        kernel, after = list(self.kernel), list(self.after)
        for axis, extent in enumerate(self.extent):
            room = self.size[axis] + self.before[axis] + self.after[axis]
            if 0 < room < extent < room + self.stride[axis]:
                kernel[axis] = -(-room // self.dilation[axis])
                after[axis] -= room - (kernel[axis] - 1) * self.dilation[axis] - 1
        return structs.replace(self, kernel=tuple(kernel), after=tuple(after))

    def sees_padding_alone(self, count: Sequence[int]) -> bool:
        """Return whether one of ``count`` positions per dimension reads no element."""
        for axis, extent in enumerate(self.extent):
            size, before, step = self.size[axis], self.before[axis], self.dilation[axis]
            if step == 1 and before < extent and self.after[axis] < extent:
                continue
            starts = positions(count[axis]) * self.stride[axis] - before
            first = np.maximum(-(starts // step), 0)  # the first tap that is not before the input
            if ((first >= self.kernel[axis]) | (starts + first * step >= size)).any():
                return True
        return False

    def as_plane(self) -> Window:
        """Return a window over one dimension as one over an image of one row."""
        return structs.replace(
            self,
            size=(1, *self.size),
            kernel=(1, *self.kernel),
            stride=(1, *self.stride),
            dilation=(1, *self.dilation),
            before=(0, *self.before),
            after=(0, *self.after),
        )

    def descriptor_fields(self) -> dict[str, Any]:
        """Return the fields that all descriptors with a window over a plane, or a volume, share."""
        fields: dict[str, Any] = {}
        for place, (first, last, axis) in enumerate(_AXES[-len(self.size) :]):
            fields[f"pad_{first}"], fields[f"pad_{last}"] = self.before[place], self.after[place]
            fields[f"stride_{axis}"] = self.stride[place]
            fields[f"dilation_{axis}"] = self.dilation[place]
        return fields


def same_pads(
    size: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    *,
    is_upper: bool,
) -> list[int]:
    """Return pads, all before and then all after, that make the output ``ceil(size / stride)``.

    If a dimension takes an odd number of them, the larger half lies after it if ``is_upper``.
    """
    before, after = [], []
    for dim, k, s, d in zip(size, kernel, stride, dilation, strict=True):
        total = max((-(-dim // s) - 1) * s + (k - 1) * d + 1 - dim, 0)
        small, large = total // 2, total - total // 2
        before.append(small if is_upper else large)
        after.append(large if is_upper else small)
    return before + after
