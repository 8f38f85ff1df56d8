# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rules of random networks that add layers over tensors of any rank; some only move elements."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

import armnn_py as ann

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.testing.random_layers.growth import Growth


def activation(grow: Growth, x: ann.OutputSlot) -> None:
    """Add an activation."""
    function = ann.ActivationFunction
    one = [
        (function.RELU, 0.0, 0.0),
        (function.TANH, 1.0, 1.0),
        (function.SIGMOID, 0.0, 0.0),
        (function.BOUNDED_RELU, 2.0, -1.0),
        (function.LEAKY_RELU, 0.1, 0.0),
        (function.LINEAR, 0.5, 0.25),
        (function.HARD_SWISH, 0.0, 0.0),
    ][grow.random.integers(7)]
    grow.keep(grow.network.add_activation(x, one[0], one[1], one[2]))


def binary(grow: Growth, x: ann.OutputSlot) -> None:
    """Add two tensors of one shape."""
    same = [slot for slot in grow.pool if slot.info.shape == x.info.shape]
    y = same[grow.random.integers(len(same))]
    add = [
        grow.network.add_addition,
        grow.network.add_subtraction,
        grow.network.add_maximum,
        grow.network.add_multiplication,
    ][grow.random.integers(4)]
    grow.keep(grow.bounded(add(x, y)))


def with_constant(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a tensor and constants of as many or fewer dimensions."""
    shape = x.info.static_shape
    kept = shape[int(grow.random.integers(len(shape) + 1)) :]
    operand = grow.values(*(dim if grow.chance(0.7) else 1 for dim in kept))
    if grow.chance(0.3):
        grow.keep(grow.network.add_prelu(x, np.abs(operand) * 0.3))
    elif grow.chance():
        grow.keep(grow.network.add_addition(x, operand))
    else:
        grow.keep(grow.bounded(grow.network.add_multiplication(operand, x)))


def with_input_of_less_rank(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a tensor and the mean over its first dimensions."""
    if x.info.rank > 1:
        y = grow.network.add_mean(x, list(range(x.info.rank - 1)))
        grow.keep(grow.bounded(grow.network.add_addition(x, y)))


def affine_run(grow: Growth, x: ann.OutputSlot) -> None:
    """Add several additions, products and the like, one behind the other."""
    axis = None if grow.chance(0.3) else int(grow.random.integers(x.info.rank))
    y = grow.affine_step(x, axis)
    for _ in range(int(grow.random.integers(4))):
        y = grow.affine_step(y, axis)
        if grow.chance(0.1):
            grow.keep(y)
    grow.keep(grow.bounded(y))


def hard_swish(grow: Growth, x: ann.OutputSlot) -> None:
    """Write x * clip(x + 3, 0, 6) / 6 in one of the ways exporters have, or nearly so."""
    function = ann.ActivationFunction
    three = 3.0 if grow.chance(0.8) else 2.5
    if grow.chance():
        gate = grow.network.add_addition(x, np.float32(three))
        gate = grow.network.add_activation(gate, function.BOUNDED_RELU, 6.0, 0.0)
        if grow.chance():
            gate = grow.network.add_division(gate, np.float32(6))
    else:
        gate = grow.network.add_activation(x, function.LINEAR, 1 / 6, three / 6)
        gate = grow.network.add_activation(gate, function.BOUNDED_RELU, 1.0, 0.0)
    if grow.chance(0.1):
        grow.keep(gate)
    operands = (x, gate) if grow.chance() else (gate, x)
    y = grow.network.add_multiplication(*operands)
    if grow.chance():
        y = grow.network.add_multiplication(y, np.float32(1 / 6))
    grow.keep(grow.bounded(y))


def reduce(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a mean along a dimension, and a Softmax."""
    axis = int(grow.random.integers(x.info.rank))
    if x.info.rank > 1 and x.info.element_count:
        grow.keep(grow.network.add_mean(x, [axis], keep_dims=grow.chance()))
        grow.keep(grow.network.add_softmax(x, axis=axis))


def matrix(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a FullyConnected."""
    if x.info.rank == 2:
        weights = grow.values(x.info.static_shape[1], 3, scale=0.5)
        bias = grow.values(3) if grow.chance() else None
        grow.keep(grow.bounded(grow.network.add_fully_connected(x, weights, bias)))


def only_constants(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a product with what is computed from constants alone."""
    shape = x.info.static_shape
    known = grow.network.add_activation(
        grow.network.add_constant(grow.values(*shape)), ann.ActivationFunction.SIGMOID
    )
    there = grow.permutation(len(shape))
    back = tuple(np.argsort(there).tolist())
    moved = grow.reordered(grow.reordered(known, there), back)
    grow.keep(grow.network.add_multiplication(x, moved))


def permute(grow: Growth, x: ann.OutputSlot) -> None:
    """Add another order of dimensions."""
    grow.keep(grow.reordered(x, grow.permutation(x.info.rank)))


def permuted_twice(grow: Growth, x: ann.OutputSlot) -> None:
    """Add another order, and back at once."""
    order = grow.permutation(x.info.rank)
    y = grow.reordered(x, order)
    if grow.chance(0.3):
        grow.keep(y)
    grow.keep(grow.reordered(y, tuple(np.argsort(order).tolist())))


def permuted_there_and_back(grow: Growth, x: ann.OutputSlot) -> None:
    """Compute in another layout."""
    order = grow.permutation(x.info.rank)
    y = grow.reordered(x, order)
    for _ in range(int(grow.random.integers(1, 4))):
        if grow.chance():
            y = grow.bounded(y)
        elif grow.chance():
            channel = y.output.info.static_shape[-1]
            y = grow.network.add_addition(y, grow.values(channel))
        else:
            y = grow.network.add_multiplication(y, y)
            y = grow.bounded(y)
    if grow.chance(0.2):
        grow.keep(y)
    grow.keep(grow.reordered(y, tuple(np.argsort(order).tolist())))


def siblings(grow: Growth, x: ann.OutputSlot) -> None:
    """Add two alike readers of one tensor, and another."""
    order = grow.permutation(x.info.rank)
    ways: list[Callable[[], ann.Layer]] = [
        lambda: grow.network.add_transpose(x, order),
        lambda: grow.network.add_permute(x, order),
        lambda: grow.network.add_reshape(x, [x.info.element_count]),
    ]
    chosen = grow.random.integers(3)
    first, second, other = ways[chosen](), ways[chosen](), ways[chosen - 1]()
    grow.keep(grow.bounded(grow.network.add_addition(first, second)))
    grow.keep(other)


def reshape(grow: Growth, x: ann.OutputSlot) -> None:
    """Add another shape, perhaps the first one again."""
    shape = list(x.info.static_shape)
    if grow.chance(0.3):
        shape = [math.prod(shape)]
    elif grow.chance() and len(shape) < 4:
        shape.insert(int(grow.random.integers(len(shape) + 1)), 1)
    elif len(shape) > 1:
        place = int(grow.random.integers(len(shape) - 1))
        shape[place : place + 2] = [shape[place] * shape[place + 1]]
    y = grow.network.add_reshape(x, shape)
    grow.keep(y)
    if grow.chance(0.4):
        grow.keep(grow.network.add_reshape(y, x.info.static_shape))


def identity(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a layer that changes nothing."""
    shape = x.info.static_shape
    rank = len(shape)
    ways: list[Callable[[], ann.Layer]] = [
        lambda: grow.network.add_reshape(x, shape),
        lambda: grow.network.add_cast(x, ann.DataType.FLOAT32),
        lambda: grow.network.add_transpose(x, list(range(rank))),
        lambda: grow.network.add_pad(x, [(0, 0)] * rank),
        lambda: grow.network.add_concat([x], 0),
        lambda: grow.network.add_slice(x, [0] * rank, shape),
        lambda: grow.network.add_tile(x, [1] * rank),
        lambda: grow.network.add_multiplication(x, np.float32(1)),
    ]
    grow.keep(ways[grow.random.integers(len(ways))]())


def pad(grow: Growth, x: ann.OutputSlot) -> None:
    """Add values around a tensor."""
    pads = [tuple(grow.random.integers(2, size=2).tolist()) for _ in x.info.shape]
    grow.keep(grow.network.add_pad(x, pads, value=0.5 if grow.chance() else 0.0))


def join(grow: Growth, x: ann.OutputSlot) -> None:
    """Add parts joined along a dimension."""
    axis = int(grow.random.integers(x.info.rank))
    other = grow.bounded(x).output
    grow.keep(grow.network.add_concat([x, other, x][: grow.random.integers(2, 4)], axis))


def split(grow: Growth, x: ann.OutputSlot) -> None:
    """Add a tensor in two parts."""
    axis = int(grow.random.integers(x.info.rank))
    dim = x.info.static_shape[axis]
    if dim > 1:
        parts = grow.network.add_split(x, [1, dim - 1], axis)
        for slot in itertools.islice(parts.outputs, int(grow.random.integers(1, 3))):
            grow.keep(slot)


def slice(grow: Growth, x: ann.OutputSlot) -> None:
    """Add the end of a tensor along each dimension."""
    shape = x.info.static_shape
    begin = [int(grow.random.integers(max(1, dim))) if dim > 1 else 0 for dim in shape]
    size = [dim - first for dim, first in zip(shape, begin, strict=True)]
    grow.keep(grow.network.add_slice(x, begin, size))


def cut_twice(grow: Growth, x: ann.OutputSlot) -> None:
    """Cut one dimension after the other, or the same one again, with steps and without."""
    y: ann.OutputSlot | ann.Layer = x
    for _ in range(int(grow.random.integers(2, 4))):
        shape = (y.output if isinstance(y, ann.Layer) else y).info.static_shape
        begin = [int(grow.random.integers(dim)) if dim > 1 else 0 for dim in shape]
        if grow.chance(0.3):
            size = [dim - first for dim, first in zip(shape, begin, strict=True)]
            y = grow.network.add_slice(y, begin, size)
            continue
        steps = [int(grow.random.integers(1, 3)) for _ in shape]
        signed = [b - dim if grow.chance(0.3) else b for b, dim in zip(begin, shape, strict=True)]
        mask = int(grow.random.integers(1 << len(shape))) if grow.chance(0.3) else 0
        y = grow.network.add_strided_slice(y, signed, shape, steps, begin_mask=mask)
        if grow.chance(0.2):
            grow.keep(y)
    grow.keep(y if isinstance(y, ann.Layer) else grow.bounded(y))
