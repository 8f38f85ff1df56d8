# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Cutting boxes out of a value, with steps, and reversing it or its sequences."""

from __future__ import annotations

import numpy as np

from armnn_py.errors import ParseError
from armnn_py.frontends.common.axes import normal_axes, normal_axis
from armnn_py.frontends.common.sequences import reverse_sequences
from armnn_py.frontends.common.values import Known, Value
from armnn_py.frontends.tflite.node import OperatorView
from armnn_py.frontends.tflite.table import operator
from armnn_py.types import LayerType


@operator("SLICE")
def _slice(view: OperatorView) -> Value:
    shape = view.shape(0)
    begin, size = view.integers(1, "begin"), view.integers(2, "size")
    if len(begin) != len(shape) or len(size) != len(shape):
        raise ParseError(
            f"begin {begin} and size {size} do not have one number a dimension of {shape}"
        )
    size = [dim - b if s == -1 else s for dim, b, s in zip(shape, begin, size, strict=True)]
    if any(not 0 <= b <= b + s <= d for b, s, d in zip(begin, size, shape, strict=True)):
        raise ParseError(f"a slice of size {size} at {begin} is outside shape {shape}")
    return view.emit.slice(view.value(0), begin, size)


@operator("STRIDED_SLICE")
def _strided_slice(view: OperatorView) -> Value:
    emit, shape = view.emit, view.shape(0)
    begin, end = view.integers(1, "begin"), view.integers(2, "end")
    step = view.integers(3, "strides")
    if not len(begin) == len(end) == len(step):
        raise ParseError(f"begin {begin}, end {end} and strides {step} differ in length")
    if view.option("offset", False):
        end = [b + e for b, e in zip(begin, end, strict=True)]
    masks = {
        name: int(view.option(f"{name}_mask", 0))
        for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
    }
    starts, sizes, steps, result = _resolved(shape, begin, end, step, masks)
    cut = emit.stride(view.value(0), starts, sizes, steps, "" if result == sizes else "cut")
    return emit.reshape(cut, result)


def _resolved(
    shape: tuple[int, ...], begin: list[int], end: list[int], step: list[int], masks: dict[str, int]
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Return first elements, sizes and steps for each dimension, and the shape of the result."""
    count = len(begin)
    named = [k for k in range(count) if not (masks["new_axis"] | masks["ellipsis"]) >> k & 1]
    if len(named) > len(shape):
        raise ParseError(f"{len(named)} dimensions are sliced, but the input has shape {shape}")
    ellipsis = next((k for k in range(count) if masks["ellipsis"] >> k & 1), count)
    starts: list[int] = []
    sizes: list[int] = []
    steps: list[int] = []
    result: list[int] = []

    def keep(until: int) -> None:
        while len(starts) < until:
            result.append(shape[len(starts)])
            sizes.append(shape[len(starts)])
            starts.append(0)
            steps.append(1)

    for k in range(count):
        if k == ellipsis:
            later = sum(1 for other in named if other > k)
            keep(len(shape) - later)
            continue
        if masks["new_axis"] >> k & 1:
            result.append(1)
            continue
        first, size = _extent(shape[len(starts)], begin[k], end[k], step[k], masks, k)
        starts.append(first)
        sizes.append(size)
        steps.append(step[k])
        if not masks["shrink_axis"] >> k & 1:
            result.append(size)
    keep(len(shape))
    return starts, sizes, steps, result


def _extent(
    dim: int, begin: int, end: int, step: int, masks: dict[str, int], k: int
) -> tuple[int, int]:
    """Return the first element that one dimension keeps, and how many."""
    if not step:
        raise ParseError("a stride is 0")
    if masks["shrink_axis"] >> k & 1:
        if masks["begin"] >> k & 1:
            begin = 0
        if not -dim <= begin < dim:
            raise ParseError(f"'begin' holds {begin}, expected {-dim} to {dim - 1}")
        return begin % dim, 1
    given = slice(
        None if masks["begin"] >> k & 1 else begin, None if masks["end"] >> k & 1 else end, step
    )
    first, last, by = given.indices(dim)
    return first, len(range(first, last, by))


@operator("REVERSE_V2")
def _reverse(view: OperatorView) -> Value:
    x, axes = view.value(0), normal_axes(view.integers(1, "axes"), view.rank(0))
    if isinstance(x, Known) and x.quantization is None:
        return view.emit.flip(x, axes)
    return view.layer(LayerType.REVERSE_V2, [x, Known(np.array(axes, np.int32))]) if axes else x


@operator("REVERSE_SEQUENCE")
def _reverse_sequence(view: OperatorView) -> Value:
    emit, rank = view.emit, view.rank(0)
    steps = normal_axis(int(view.option("seq_dim")), rank)
    batch = normal_axis(int(view.option("batch_dim")), rank)
    if steps == batch:
        raise ParseError(f"'seq_dim' and 'batch_dim' are both dimension {steps}")
    order = [batch, steps, *(axis for axis in range(rank) if axis not in (batch, steps))]
    ahead = emit.transpose(view.value(0), order, "sequences_first")
    turned = reverse_sequences(emit, ahead, view.value(1), batch=0)
    return emit.transpose(turned, [order.index(axis) for axis in range(rank)])
