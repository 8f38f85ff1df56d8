# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""RoiAlign: layers with a fixed number of samples, or numpy with one sample for each pixel.

Without `sampling_ratio` the number of samples depends on the values of a region, so that no layer
computes them. As in onnxruntime, a maximum is that of weighted pixels, not of samples.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from msgspec import Struct

from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions as positions_of
from armnn_py.frontends.common.values import Array, Known, Value, dtype_of, shape_of
from armnn_py.frontends.onnx.convert.node import NodeView
from armnn_py.frontends.onnx.convert.table import operator
from armnn_py.frontends.onnx.operators.windows.sampling import Sampler, Tap
from armnn_py.types import BinaryOperation, ReduceOperation, UnaryOperation

_FARTHEST = 2**24
"""Pixels; float32 tells no nearer ones apart behind that."""


class _Line(Struct, frozen=True):
    """Samples of one dimension that lie in the image, in order."""

    bins: Array
    """The bin of each."""
    taps: tuple[tuple[Array, Array], tuple[Array, Array]]
    """Index and weight of the pixel before, and of that behind."""
    samples: int
    """Of a bin, those outside of the image too."""


class _Regions(Struct, frozen=True):
    """The attributes of a RoiAlign."""

    bins: tuple[int, int]
    scale: float
    is_half: bool
    is_max: bool

    def aligned(self, x: Array, regions: Array, images: Array) -> Array:
        """Return the bins of all regions, [regions, channels, bins...].

        Raises
        ------
        ParseError
            A region ends too far away, or names an image outside the batch.
        """
        if not (np.abs(regions * self.scale) <= _FARTHEST).all():
            raise ParseError(f"a region has a corner beyond {_FARTHEST} pixels")
        if images.size and not 0 <= images.min() <= images.max() < len(x):
            raise ParseError(
                f"a region names image {images.max()} or {images.min()}, but the batch has {len(x)}"
            )
        y = np.zeros((len(regions), x.shape[1], *self.bins), x.dtype)
        corners = regions.astype(np.float32) * np.float32(self.scale)
        corners -= np.float32(0.5 if self.is_half else 0)
        for index, ((x0, y0, x1, y1), image) in enumerate(zip(corners, images, strict=True)):
            pixels = x[image].astype(np.float32)
            down = self._line(y0, y1, pixels.shape[1], self.bins[0])
            across = self._line(x0, x1, pixels.shape[2], self.bins[1])
            if down.samples > 0 and across.samples > 0:
                pool = self._greatest if self.is_max else self._mean
                y[index] = pool(pixels, down, across)
        return y

    def _line(self, start: Any, end: Any, size: int, bins: int) -> _Line:
        extent = np.float32(end - start)
        if not self.is_half:  # a region is at least a pixel
            extent = np.maximum(extent, np.float32(1))
        width = extent / np.float32(bins)
        samples = max(math.ceil(width), 0)
        count = max(bins * samples, 1)
        step = float(width) / max(samples, 1) or 1.0
        # Only those near the image are made.
        first = min(max(math.floor((-2 - float(start)) / step), 0), count)
        last = min(max(math.ceil((size + 1 - float(start)) / step), 0), count)
        places = np.arange(first, last)
        own, inner = places // max(samples, 1), places % max(samples, 1)
        at = start + own.astype(np.float32) * width
        at = at + (inner + np.float32(0.5)).astype(np.float32) * width / np.float32(samples or 1)
        seen = (at >= -1) & (at <= size)
        at, own = np.clip(at[seen], 0, size - 1), own[seen]
        low = np.floor(at).astype(np.int64)
        far = (at - low).astype(np.float32)
        taps = ((low, 1 - far), (np.minimum(low + 1, size - 1), far))
        return _Line(bins=own, taps=taps, samples=samples)

    def _mean(self, pixels: Array, down: _Line, across: _Line) -> Array:
        matrices = []
        for line, size, bins in zip((down, across), pixels.shape[1:], self.bins, strict=True):
            matrix = np.zeros((bins, size), np.float32)
            for index, weight in line.taps:
                np.add.at(matrix, (line.bins, index), weight)
            matrices.append(matrix / np.float32(line.samples))
        rows, columns = (np.flatnonzero(matrix.any(0)) for matrix in matrices)
        part = pixels[:, rows][:, :, columns]
        return matrices[0][:, rows] @ part @ matrices[1][:, columns].T

    def _greatest(self, pixels: Array, down: _Line, across: _Line) -> Array:
        read: Array | None = None
        for (i, row), (j, column) in itertools.product(down.taps, across.taps):
            taps = pixels[:, i][:, :, j] * row[:, np.newaxis] * column
            read = taps if read is None else np.maximum(read, taps)
        assert read is not None
        lines = [(down, self.bins[0]), (across, self.bins[1])]
        for axis, (line, bins) in enumerate(lines, 1):
            found = np.zeros((*read.shape[:axis], bins, *read.shape[axis + 1 :]), np.float32)
            for own in np.unique(line.bins):
                own_rows = read.compress(line.bins == own, axis)
                place = (slice(None),) * axis + (own,)
                found[place] = own_rows.max(axis)
                if len(own_rows[0] if axis == 1 else own_rows[0, 0]) < line.samples:
                    found[place] = np.maximum(found[place], 0)  # samples outside are zeros
            read = found
        return read


class _RegionSampler(Sampler):
    """RoiAlign's taps of one dimension."""

    def taps(self, start: Value, end: Value, size: int, bins: int, samples: int) -> list[Tap]:
        """Return the taps [regions, bins * samples] between two coordinates [regions, 1]."""
        emit = self.emit
        places = (positions_of(bins * samples) + 0.5) / (bins * samples)
        lines = Known(places.reshape(1, -1).astype(dtype_of(self.like)))
        x = emit.add(start, emit.mul(emit.sub(end, start, "length"), lines, "part"), "at")
        seen = self.within(x, -1, size)
        x = self.clipped(x, 0, size - 1)
        floor = emit.unary(UnaryOperation.FLOOR, x, "floor")
        distance = emit.sub(x, floor, "distance")
        rest = emit.sub(self.number(1), distance, "rest")
        behind = self.most(emit.add(floor, self.number(1), "next"), size - 1)
        return [
            (floor, emit.mul(rest, seen, "seen")),
            (behind, emit.mul(distance, seen, "seen")),
        ]


@operator("RoiAlign", since=10)
def _roi_align(view: NodeView) -> Value:
    emit, regions = view.emit, view.shape(1)
    if view.rank(0) != 4 or len(regions) != 2 or regions[1] != 4 or view.shape(2) != regions[:1]:
        raise ParseError(f"regions of shape {regions} do not fit an input of shape {view.shape(0)}")
    samples = view.integer("sampling_ratio")
    bins = view.integer("output_height", 1), view.integer("output_width", 1)
    if min(bins) < 1:
        raise ParseError(f"the output has {bins[0]}x{bins[1]} bins, expected at least 1x1")
    is_half = view.version >= 16 and (
        view.text("coordinate_transformation_mode", "half_pixel") == "half_pixel"
    )
    is_max = view.text("mode", "avg") == "max"
    if samples < 1:
        form = _Regions(bins, view.number("spatial_scale", 1.0), is_half, is_max)
        names = ("the image", "the regions", "the images of regions")
        return Known(form.aligned(*(view.constant(k, name) for k, name in enumerate(names))))
    sampler = _RegionSampler(view)
    scaled = emit.mul(sampler.like, sampler.number(view.number("spatial_scale", 1.0)), "scaled")
    if is_half:
        scaled = emit.sub(scaled, sampler.number(0.5), "half_pixel")
    x0, y0, x1, y1 = emit.split(scaled, [1] * 4, 1, "corners")
    if not is_half:  # a region is at least a pixel
        x1, y1 = (
            emit.add(low, sampler.least(emit.sub(high, low, "extent"), 1), "end")
            for low, high in ((x0, x1), (y0, y1))
        )
    counts = [count * samples for count in bins]
    down = sampler.taps(y0, y1, sampler.size[0], bins[0], samples)
    across = sampler.taps(x0, x1, sampler.size[1], bins[1], samples)

    def spread(value: Value, shape: tuple[int, ...]) -> Value:
        return emit.reshape(value, shape, "spread") if shape_of(value) else value

    rows, count = sampler.rows(), regions[0]
    # Reading the numbers of images from a table refuses numbers that no image has.
    images = Known(positions_of(view.shape(0)[0], np.int32))
    image = emit.gather(images, emit.from_start(view.value(2)), 0, "image")
    first = emit.reshape(image, (count, 1, 1), "images")
    reads = []
    for (y, y_weight), (x, x_weight) in itertools.product(down, across):
        taps = [
            tuple(spread(value, (count, counts[0], 1)) for value in (y, y_weight)),
            tuple(spread(value, (count, 1, counts[1])) for value in (x, x_weight)),
        ]
        reads.append(sampler.read(rows, first, taps))  # type: ignore[arg-type]
    total = reads[0]
    for read in reads[1:]:
        total = emit.binary(BinaryOperation.MAXIMUM if is_max else BinaryOperation.ADD, total, read)
    split = (count, bins[0], samples, bins[1], samples, sampler.channels)
    fold = ReduceOperation.MAX if is_max else ReduceOperation.MEAN
    pooled = emit.reduce(fold, emit.reshape(total, split, "samples"), (2, 4), False, "pooled")
    return emit.transpose(pooled, (0, 3, 1, 2))
