# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random networks of tensors with one to eight dimensions of odd sizes, against CpuRef.

Where `test_random_networks` has images, these have layers that move, join, cut and broadcast: what
becomes a view, a part of a Concat or a copy.
"""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import armnn_py as ann

from .networks import F, check, values_of

SIDES = [1, 1, 2, 3, 4, 5, 7, 9, 13, 17]
MOST = 20_000  # elements of a tensor


class Shapes:
    """A network under way; `pool` has the outputs that layers may read."""

    def __init__(self, seed: int) -> None:
        self.rng, self.network = random.Random(seed), ann.Network(f"shapes {seed}")
        self.pool = [
            self.network.add_input(f"x{number}", ann.TensorInfo(self.shape())).output
            for number in range(2)
        ]

    def shape(self) -> tuple[int, ...]:
        shape: list[int] = []
        for _ in range(self.rng.randint(1, 8)):
            side = self.rng.choice(SIDES)
            shape.append(side if math.prod(shape) * side <= 3000 else 1)
        return tuple(shape)

    def some(self, rank: int) -> list[int]:
        return sorted(self.rng.sample(range(rank), self.rng.randint(1, rank)))

    def function(self, x: ann.OutputSlot, _: tuple[int, ...]) -> ann.Layer:
        kind = self.rng.choice([F.SIGMOID, F.RELU, F.ABS, F.HARD_SWISH, F.LEAKY_RELU])
        return self.network.add_activation(x, kind, 0.1)

    def binary(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        """With a constant of which some dimensions are repeated, or with itself turned."""
        sides = [side if self.rng.random() < 0.5 else 1 for side in shape]
        while len(sides) > 1 and sides[0] == 1 and self.rng.random() < 0.5:
            del sides[0]
        other = values_of(len(self.pool), *sides)
        operations = [ann.BinaryOperation.ADD, ann.BinaryOperation.MUL, ann.BinaryOperation.SUB]
        operation = self.rng.choice([*operations, ann.BinaryOperation.MAXIMUM])
        if self.rng.random() < 0.3:
            return self.network.add_elementwise_binary(other, x, operation)
        return self.network.add_elementwise_binary(x, other, operation)

    def partner(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        same = [y for y in self.pool if y.info.static_shape == shape]
        return self.network.add_addition(x, self.rng.choice(same))

    def concat(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        axis = self.rng.randrange(len(shape))
        fitting = [
            y
            for y in self.pool
            if len(y.info.static_shape) == len(shape)
            and all(
                a == b or d == axis
                for d, (a, b) in enumerate(zip(shape, y.info.static_shape, strict=True))
            )
        ]
        parts = [x, *self.rng.choices(fitting, k=self.rng.randint(1, 2))]
        self.rng.shuffle(parts)
        return self.network.add_concat(parts, axis=axis)

    def stack(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        if len(shape) == 8:
            return self.function(x, shape)
        return self.network.add_stack([x, x], axis=self.rng.randint(0, len(shape)))

    def turned(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        order = self.rng.sample(range(len(shape)), len(shape))
        if self.rng.random() < 0.5:
            return self.network.add_permute(x, order)
        return self.network.add_transpose(x, order)

    def reshaped(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        """Dimensions joined, and ones put between."""
        cut = self.rng.randint(0, len(shape))
        sides = [*shape[:cut], math.prod(shape[cut:])] if cut else [math.prod(shape)]
        if len(sides) < 8:
            sides.insert(self.rng.randint(0, len(sides)), 1)
        return self.network.add_reshape(x, sides[:8])

    def strided(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        strides = [self.rng.choice([1, 1, 2, 3, -1, -2]) for _ in shape]
        begins = [self.rng.randrange(side) for side in shape]
        open_ended = (1 << len(shape)) - 1
        return self.network.add_strided_slice(x, begins, begins, strides, end_mask=open_ended)

    def padded(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        mode = self.rng.choice(list(ann.PaddingMode))
        pads = [
            (self.rng.randint(0, 1), self.rng.randint(0, 1)) if s > 1 else (0, 0) for s in shape
        ]
        return self.network.add_pad(x, pads, value=0.5, mode=mode)

    def tiled(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        return self.network.add_tile(x, [self.rng.choice([1, 1, 2, 3]) for _ in shape])

    def gathered(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        axis = self.rng.randrange(len(shape))
        indices = [self.rng.randrange(-shape[axis], shape[axis]) for _ in range(4)]
        return self.network.add_gather(x, np.array(indices, np.int32), axis=axis)

    def folded(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        operation = self.rng.choice([ann.ReduceOperation.MAX, ann.ReduceOperation.MEAN])
        return self.network.add_reduce(x, operation, self.some(len(shape)), keep_dims=True)

    def softmax(self, x: ann.OutputSlot, shape: tuple[int, ...]) -> ann.Layer:
        return self.network.add_softmax(x, self.rng.randrange(len(shape)))

    def make(self, layers: int) -> ann.Network:
        moves = [self.turned, self.reshaped, self.strided, self.padded, self.tiled, self.gathered]
        joins = [self.concat, self.concat, self.stack, self.partner]
        makers = [*moves, *joins, self.function, self.binary, self.folded, self.softmax]
        for _ in range(layers):
            x = self.rng.choice(self.pool[-4:])
            y = self.rng.choice(makers)(x, x.info.static_shape).output
            if math.prod(y.info.static_shape) <= MOST:
                self.pool.append(y)
        inside = self.pool[2:]
        unread = [slot for slot in inside if not slot.consumers]
        for number, slot in enumerate(dict.fromkeys([*unread, *self.rng.sample(inside, 2)])):
            self.network.add_output(f"y{number}", slot)
        return self.network


@pytest.mark.parametrize("seed", range(60))
def test_random_shapes(runtime: ann.Runtime, seed: int) -> None:
    check(runtime, Shapes(seed).make(14))
