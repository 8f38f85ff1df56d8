# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rules of random networks that add layers over tensors of any rank which compute new values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import armnn_py as ann

if TYPE_CHECKING:
    from armnn_py.testing.random_layers.growth import Growth

__all__ = [
    "activation",
    "affine_run",
    "binary",
    "hard_swish",
    "matrix",
    "only_constants",
    "reduce",
    "with_constant",
    "with_input_of_less_rank",
]


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
