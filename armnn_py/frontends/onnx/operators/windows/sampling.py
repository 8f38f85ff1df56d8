# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reading images between their pixels, and adding patches up to images.

Each dimension is read at taps: an index for each place and a weight. A pixel is read for each
combination of taps, channels last, and multiplied by their weights.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import counted
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.values import Known, Unsupported, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.windows.windows import window_list
from armnn_py.types import (
    BinaryOperation,
    ComparisonOperation,
    ScatterNdFunction,
    UnaryOperation,
)

Tap = tuple[Value, Value]
"""Index and weight, both of the type of the coordinates."""

_CUBIC = -0.75


class Sampler:
    """Reads an image [N, C, ...] at places that are computed when the network runs.

    ``like`` is the operand of coordinates.
    """

    def __init__(self, view: NodeView) -> None:
        self.view, self.emit = view, view.emit
        # float16 does not tell the pixels of a large image apart.
        is_half = view.dtype(1) == np.float16
        self.like = view.emit.cast(view.value(1), np.float32, "wide") if is_half else view.value(1)
        self.batch, self.channels, *self.size = view.shape(0)
        if math.prod(view.shape(0)) >= 2**31:
            raise Unsupported(f"{math.prod(view.shape(0))} elements, positions are 32-bit")

    def number(self, value: float) -> Value:
        """Return a number, which may be a size, of the type of the coordinates."""
        return self.emit.scalar(value, self.like)

    def least(self, x: Value, limit: float) -> Value:
        """Return what is above the limit, else the limit."""
        return self.emit.binary(BinaryOperation.MAXIMUM, x, self.number(limit), "least")

    def most(self, x: Value, limit: float) -> Value:
        """Return what is below the limit, else the limit."""
        return self.emit.binary(BinaryOperation.MINIMUM, x, self.number(limit), "most")

    def clipped(self, x: Value, low: float, high: float) -> Value:
        """Return x between two limits."""
        return self.most(self.least(x, low), high)

    def within(self, x: Value, low: float, high: float) -> Value:
        """Return 1 where x lies between two limits, both included, else 0."""
        above = self.emit.compare(
            ComparisonOperation.GREATER_OR_EQUAL, x, self.number(low), "above"
        )
        below = self.emit.compare(ComparisonOperation.LESS_OR_EQUAL, x, self.number(high), "below")
        dtype = dtype_of(self.like)
        return self.emit.mul(
            self.emit.cast(above, dtype, "is_above"), self.emit.cast(below, dtype, "is_below")
        )

    def rows(self) -> Value:
        """Return the image as pixels: [N * places, C]."""
        order = [0, *range(2, len(self.size) + 2), 1]
        last = self.emit.transpose(self.view.value(0), order, "channels_last")
        return self.emit.reshape(last, (self.batch * math.prod(self.size), self.channels), "pixels")

    def read(self, rows: Value, first: Value, taps: Sequence[Tap]) -> Value:
        """Return weighted pixels [places..., C]; ``first`` is the image of each, as int32."""
        emit, place = self.emit, first
        weight: Value | None = None
        for size, (index, factor) in zip(self.size, taps, strict=True):
            whole = emit.cast(index, np.int32, "index")
            row = emit.mul(place, emit.scalar(size, place), "row")
            place = emit.add(row, whole, "place")
            weight = factor if weight is None else emit.mul(weight, factor, "weight")
        assert weight is not None
        pixels = emit.gather(rows, place, 0, "read")
        factors = emit.cast(weight, dtype_of(rows), "factor")
        wide = emit.broadcast_to(factors, shape_of(pixels)[:-1], "factors")
        return emit.mul(pixels, emit.reshape(wide, (*shape_of(wide), 1), "column"), "weighted")


# ---- GridSample ----------------------------------------------------------------------------------


class _Grid(Sampler):
    """GridSample's taps of one dimension."""

    def __init__(self, view: NodeView) -> None:
        super().__init__(view)
        mode = view.text("mode", "linear")
        modes = {"bilinear": "linear", "bicubic": "cubic"}
        self.mode, self.padding = modes.get(mode, mode), view.text("padding_mode", "zeros")
        if self.mode not in ("nearest", "linear", "cubic"):
            raise ParseError(f"attribute 'mode' is '{mode}', which is unknown")
        if self.padding not in ("zeros", "border", "reflection"):
            raise ParseError(f"attribute 'padding_mode' is '{self.padding}', which is unknown")
        self.align = bool(view.integer("align_corners"))

    def _reflected(self, x: Value, size: int) -> Value:
        """Fold what lies beyond the borders back, as often as it takes."""
        emit = self.emit
        low, span = (0.0, size - 1) if self.align else (-0.5, size)
        if span == 0:
            return emit.mul(x, self.number(0), "folded")
        from_low = emit.sub(x, self.number(low), "from_low")
        period = emit.binary(BinaryOperation.MOD, from_low, self.number(2 * span), "period")
        back = emit.sub(self.number(2 * span), period, "back")
        nearer = emit.binary(BinaryOperation.MINIMUM, period, back, "nearer")
        return emit.add(nearer, self.number(low), "folded")

    def _padded(self, x: Value, size: int) -> Value:
        if self.padding == "reflection":
            return self._reflected(x, size)
        return x if self.padding == "zeros" else self.clipped(x, 0, size - 1)

    def _weights(self, t: Value) -> list[tuple[int, Value]]:
        """Return steps from the pixel before, and their weights for the distance ``t`` from it."""
        emit, one = self.emit, self.number(1)
        if self.mode == "linear":
            return [(0, emit.sub(one, t, "rest")), (1, t)]

        def polynomial(x: Value, *factors: float) -> Value:
            y = self.number(factors[0])
            for factor in factors[1:]:
                y = emit.add(emit.mul(y, x, "times"), self.number(factor), "plus")
            return y

        a, rest = _CUBIC, emit.sub(one, t, "rest")
        near, far = (a + 2, -(a + 3), 0, 1), (a, -5 * a, 8 * a, -4 * a)
        return [
            (-1, polynomial(emit.add(t, one, "behind"), *far)),
            (0, polynomial(t, *near)),
            (1, polynomial(rest, *near)),
            (2, polynomial(emit.add(rest, one, "ahead"), *far)),
        ]

    def taps(self, normalized: Value, size: int) -> list[Tap]:
        """Return the taps for coordinates from -1 to 1."""
        emit = self.emit
        span = emit.scale(self.number(size), 0.5, "half")
        shift = emit.scale(self.number(size - 1), 0.5, "middle")
        scaled = emit.mul(normalized, shift if self.align else span, "scaled")
        x = emit.add(scaled, shift, "at")
        if self.mode == "nearest":
            x = emit.unary(UnaryOperation.ROUND, x, "nearest")
        if self.mode != "cubic":  # whose pixels alone are padded, as in onnxruntime and PyTorch
            x = self._padded(x, size)
        if self.mode == "nearest":
            found = [(x, self.number(1))]
        else:
            floor = emit.unary(UnaryOperation.FLOOR, x, "floor")
            found = [
                (emit.add(floor, self.number(step), "tap"), weight)
                for step, weight in self._weights(emit.sub(x, floor, "distance"))
            ]
        return [self._tap(index, weight, size) for index, weight in found]

    def _tap(self, index: Value, weight: Value, size: int) -> Tap:
        emit = self.emit
        if self.padding == "zeros":
            weight = emit.mul(weight, self.within(index, 0, size - 1), "inside")
        else:
            index = self._padded(index, size)
        return self.clipped(index, 0, size - 1), weight


@operator("GridSample", since=16)
def _grid_sample(view: NodeView) -> Value:
    emit, grid = view.emit, view.shape(1)
    rank = view.rank(0) - 2
    if (
        rank not in (2, 3)
        or len(grid) != rank + 2
        or grid[-1] != rank
        or grid[0] != view.shape(0)[0]
    ):
        raise ParseError(f"a grid of shape {grid} does not fit an input of shape {view.shape(0)}")
    sampler = _Grid(view)
    # The grid names the last dimension first.
    parts = emit.split(sampler.like, [1] * rank, rank + 1, "coordinates")[::-1]
    taps = [
        sampler.taps(emit.reshape(part, grid[:-1], "coordinate"), size)
        for part, size in zip(parts, sampler.size, strict=True)
    ]
    rows = sampler.rows()
    images = emit.count_up(grid[0], np.dtype(np.int32), name="images")
    first = emit.reshape(images, (grid[0], *[1] * rank), "first")
    y: Value | None = None
    for combination in itertools.product(*taps):
        read = sampler.read(rows, first, combination)
        y = read if y is None else emit.add(y, read, "sum")
    assert y is not None
    return emit.transpose(y, (0, rank + 1, *range(1, rank + 1)))


# ---- Col2Im --------------------------------------------------------------------------------------


@operator("Col2Im", since=18)
def _col2im(view: NodeView) -> Value:
    """Add rows of patches up where they lie; those in the padding go to a row that is cut off."""
    emit = view.emit
    image, block = view.integers(1, "an image's shape"), view.integers(2, "a block's shape")
    rank = len(image)
    strides, dilations = (window_list(view, name, rank, 1) for name in ("strides", "dilations"))
    pads = view.ints("pads") or [0] * (2 * rank)
    size = math.prod(block)
    if view.rank(0) != 3 or len(block) != rank or len(pads) != 2 * rank or view.shape(0)[1] % size:
        raise ParseError(
            f"blocks of {block} and an image of {image} do not fit an input of shape "
            f"{view.shape(0)}"
        )
    batch, rows, patches = view.shape(0)
    positions, inside = np.zeros((1, 1), np.int64), np.ones((1, 1), bool)
    for axis, (length, taps) in enumerate(zip(image, block, strict=True)):
        span = length + pads[axis] + pads[rank + axis] - dilations[axis] * (taps - 1) - 1
        steps = positions_of(span // strides[axis] + 1) * strides[axis]
        line = positions_of(taps)[:, np.newaxis] * dilations[axis] + steps - pads[axis]
        held = (line >= 0) & (line < length)
        shape = (positions.shape[0] * taps, positions.shape[1] * len(steps))
        counted(math.prod(shape))
        outer = positions[:, np.newaxis, :, np.newaxis] * length
        positions = (outer + line[np.newaxis, :, np.newaxis]).reshape(shape)
        both = inside[:, np.newaxis, :, np.newaxis] & held[np.newaxis, :, np.newaxis]
        inside = both.reshape(shape)
    if positions.shape != (size, patches):
        raise ParseError(f"the input has {patches} patches, expected {positions.shape[1]}")
    pixels, channels = math.prod(image), batch * rows // size
    places = np.where(inside, positions, pixels).reshape(-1, 1).astype(np.int32)
    lines = emit.reshape(view.value(0), (channels, size * patches), "patches")
    updates = emit.transpose(lines, (1, 0), "updates")
    zeros = Known(np.zeros((pixels + 1, channels), view.dtype(0)))
    y = emit.scatter_nd(zeros, Known(places), updates, ScatterNdFunction.ADD, "sum")
    y = emit.slice(y, [0, 0], [pixels, channels], "inside")
    return emit.reshape(emit.transpose(y, (1, 0), "image"), (batch, rows // size, *image))
