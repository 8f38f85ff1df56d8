# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The emitter: all building blocks in one object, made per conversion."""

from __future__ import annotations

import numpy as np

from armnn_py.frontends.common.emit.arithmetic import Arithmetic
from armnn_py.frontends.common.emit.formulas import takes_formulas
from armnn_py.frontends.common.emit.movement import Movement
from armnn_py.frontends.common.emit.ordering import Ordering
from armnn_py.frontends.common.emit.randomness import Randomness
from armnn_py.frontends.common.known import known_numbers
from armnn_py.frontends.common.values import (
    Known,
    Value,
    array_of,
    broadcast_shapes,
    dtype_of,
    elements_of,
    shape_of,
)
from armnn_py.types import ComparisonOperation, LayerType, UnaryOperation

__all__ = ["Emitter"]


class Choice(Arithmetic):
    """Adds choices per element to the building blocks."""

    def from_start(self, indices: Value, name: str = "from_start") -> Value:
        """Return indices with the highest number in place of negative ones.

        Layers count negative indices from the end of a dimension. The highest number lies outside
        of every dimension.
        """
        dtype = dtype_of(indices)
        if dtype.kind == "u":
            return indices
        highest = Known(np.array(np.iinfo(dtype).max, dtype))
        below = self.compare(ComparisonOperation.LESS, indices, self.scalar(0, indices), "below")
        return self.where(below, highest, indices, name)

    @takes_formulas
    def where(self, condition: Value, x: Value, y: Value, name: str = "") -> Value:
        """Return ``x`` where ``condition`` holds, else ``y``; all three broadcast."""
        shape = broadcast_shapes(shape_of(condition), shape_of(x), shape_of(y))
        if self.foldable([condition, x, y], shape, dtype_of(x)):
            chosen = np.where(array_of(condition), elements_of(x), elements_of(y))
            return known_numbers(chosen, dtype_of(x))
        if isinstance(condition, Known) and condition.array.size:
            if condition.array.all():
                return self.broadcast_to(x, shape, name)
            if not condition.array.any():
                return self.broadcast_to(y, shape, name)
        return self.layer(LayerType.SELECT, [condition, x, y], None, name=name)

    def sign(self, x: Value) -> Value:
        """Return 1, -1 or 0, as each element's sign is, and NaN for NaN."""
        dtype, zero = dtype_of(x), self.scalar(0, x)
        above = self.compare(ComparisonOperation.GREATER, x, zero, "above")
        below = self.compare(ComparisonOperation.LESS, x, zero, "below")
        if dtype.kind != "f":
            positive = self.cast(above, dtype, "positive")
            return self.sub(positive, self.cast(below, dtype, "negative"))
        rest = self.unary(UnaryOperation.ABS, x, "zero_or_nan")
        rest = self.where(below, self.scalar(-1, x), rest, "not_above")
        return self.where(above, self.scalar(1, x), rest)

    def prelu(self, x: Value, slope: Value) -> Value:
        """Multiply negative elements with a slope; others stay, whatever their slope."""
        shape = broadcast_shapes(shape_of(x), shape_of(slope))
        has_layer = dtype_of(x) in (np.float32, np.float16)
        if has_layer and not self.foldable([x, slope], shape, dtype_of(x)):
            return self.layer(LayerType.PRELU, [x, slope])
        below = self.compare(ComparisonOperation.LESS, x, self.scalar(0, x), "below")
        return self.where(below, self.mul(x, slope, "slope"), x)


class Emitter(Choice, Ordering, Randomness, Arithmetic, Movement):
    """Adds the layers of a node to a network, or computes the node if all its operands are known.

    Every method takes and returns values: `Known` ones, and slots of the network. ``name`` is
    appended to the node's name; a layer without one bears the node's own name.

    Methods that move elements keep the quantisation of known values. Those that compute add a layer
    for quantised numbers, also for known ones; the caller states its output.
    """
