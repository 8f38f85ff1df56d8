# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What rules of random networks grow a network with: its tensors so far, and what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import armnn_py as ann

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_MOST_ELEMENTS = 2000


class Growth:
    """A network that grows from a pool of tensors, of which young ones are read more often.

    Attributes
    ----------
    random
        What everything is drawn from.
    network
        The layers so far.
    pool
        Tensors that layers may read, oldest first; the first inputs among them are images.
    """

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng((seed, 0))
        self.network = ann.Network(f"random {seed}")
        self.pool: list[ann.OutputSlot] = []

    def pick(self) -> ann.OutputSlot:
        """Choose a tensor to read."""
        place = len(self.pool) - 1 - int(self.random.geometric(0.15) - 1) % len(self.pool)
        return self.pool[place]

    def keep(self, made: ann.Layer | ann.OutputSlot) -> None:
        """Let layers to come read a tensor, unless it is large."""
        slot = made.output if isinstance(made, ann.Layer) else made
        if slot.info.element_count <= _MOST_ELEMENTS:
            self.pool.append(slot)

    def values(self, *shape: int, scale: float = 1.0) -> NDArray[np.float32]:
        """Draw values of a constant."""
        return (self.random.normal(size=shape) * scale).astype(np.float32)

    def chance(self, probability: float = 0.5) -> bool:
        """Whether something happens that has this probability."""
        return bool(self.random.random() < probability)

    def permutation(self, rank: int) -> tuple[int, ...]:
        """Draw an order of dimensions."""
        return tuple(self.random.permutation(rank).tolist())

    def reordered(self, x: ann.OutputSlot | ann.Layer, order: tuple[int, ...]) -> ann.Layer:
        """Move dimensions as numpy's transpose does, by either layer."""
        if self.chance():
            return self.network.add_transpose(x, order)
        return self.network.add_permute(x, np.argsort(order).tolist())

    def bounded(self, x: ann.OutputSlot | ann.Layer) -> ann.Layer:
        """Keep values between -1 and 1."""
        return self.network.add_activation(x, ann.ActivationFunction.TANH, 1.0, 1.0)

    def affine_step(self, x: ann.OutputSlot | ann.Layer, axis: int | None) -> ann.Layer:
        """Multiply or add constants, all alike or along one axis."""
        info = (x.output if isinstance(x, ann.Layer) else x).info
        if axis is None or self.chance(0.3):
            shape: tuple[int, ...] = () if self.chance() else (1,) * info.rank
        else:
            shape = (info.static_shape[axis],) + (1,) * (info.rank - 1 - axis)
        values = self.values(*shape)
        factors = np.asarray(0.5 + np.abs(values) / 2, np.float32)
        ways: list[Callable[[], ann.Layer]] = [
            lambda: self.network.add_addition(x, values),
            lambda: self.network.add_subtraction(x, values),
            lambda: self.network.add_subtraction(values, x),
            lambda: self.network.add_multiplication(factors, x),
            lambda: self.network.add_division(x, factors),
            lambda: self.network.add_activation(x, ann.ActivationFunction.LINEAR, -0.5, 0.25),
        ]
        return ways[self.random.integers(len(ways))]()
