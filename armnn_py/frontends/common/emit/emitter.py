# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The emitter: all building blocks in one object, made per conversion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from armnn_py.descriptors import CumSumDescriptor, ScatterNdDescriptor, TopKDescriptor
from armnn_py.errors import ParseError
from armnn_py.frontends.common.counting import positions
from armnn_py.frontends.common.emit.arithmetic import Arithmetic, is_narrow
from armnn_py.frontends.common.emit.formulas import takes_formulas
from armnn_py.frontends.common.emit.movement import Movement
from armnn_py.frontends.common.emit.randomness import Randomness
from armnn_py.frontends.common.known import known_numbers
from armnn_py.frontends.common.values import (
    Array,
    Known,
    Value,
    array_of,
    broadcast_shapes,
    dtype_of,
    elements_of,
    quantization_of,
    shape_of,
)
from armnn_py.symbolic import is_symbolic
from armnn_py.types import (
    ComparisonOperation,
    DataType,
    LayerType,
    ScatterNdFunction,
    UnaryOperation,
)


def _assign(target: Array, places: tuple[Array, ...], updates: Array) -> None:
    target[places] = updates


_JOINS: dict[ScatterNdFunction, Callable[[Array, Any, Array], Any]] = {
    ScatterNdFunction.UPDATE: _assign,
    ScatterNdFunction.ADD: np.add.at,
    ScatterNdFunction.SUB: np.subtract.at,
    ScatterNdFunction.MAX: np.maximum.at,
    ScatterNdFunction.MIN: np.minimum.at,
    ScatterNdFunction.MUL: np.multiply.at,
}


class Ordering(Arithmetic):
    """Adds `top_k`, `cum_sum`, `count_up`, `flip` and `scatter_nd` to the building blocks."""

    def top_k(
        self,
        x: Value,
        k: int,
        axis: int,
        *,
        largest: bool = True,
        in_order: bool = True,
        data_type: DataType = DataType.SIGNED32,
        name: str = "",
    ) -> tuple[Value, Value]:
        """Return the ``k`` greatest or least elements of a dimension, and where they are."""
        shape = shape_of(x)
        if not 0 <= k <= shape[axis]:
            raise ParseError(f"k is {k}, but dimension {axis} has {shape[axis]} elements")
        found = (*shape[:axis], k, *shape[axis + 1 :])
        if self.foldable([x], found):
            values, places = _sorted(array_of(x), k, axis, largest)
            return Known(values), Known(places.astype(data_type.numpy))
        descriptor = TopKDescriptor(
            k=k, axis=axis, largest=largest, sorted=in_order, output_type=data_type
        )
        values_slot, places_slot = self.layers(LayerType.TOP_K, [x], descriptor, name=name).outputs
        return values_slot, places_slot

    def cum_sum(
        self, x: Value, axis: int, *, exclusive: bool, reverse: bool, name: str = ""
    ) -> Value:
        """Sum up along a dimension; ``exclusive`` sums hold only the elements before."""
        if self.foldable([x], shape_of(x)):
            with np.errstate(all="ignore"):
                return Known(_summed(array_of(x), axis, exclusive, reverse))
        descriptor = CumSumDescriptor(axis=axis, exclusive=exclusive, reverse=reverse)
        return self.layer(LayerType.CUM_SUM, [x], descriptor, name=name)

    def count_up(
        self, count: int, dtype: np.dtype[Any], *, start: int = 0, step: int = 1, name: str = ""
    ) -> Value:
        """Return ``count`` integers from ``start`` on, ``step`` apart.

        Numbers that other shapes of inputs change are counted when the network runs.

        Raises
        ------
        Unsupported
            There are too many.
        """
        if is_symbolic(start) or (is_symbolic(count) and start):
            numbers = self.count_up(count, dtype, step=step, name=name)
            return self.add(numbers, known_numbers(start, dtype), "from")
        if is_symbolic(step):
            numbers = self.count_up(count, dtype, name=name)
            return self.mul(numbers, known_numbers(step, dtype), "steps")
        if is_symbolic(count):
            steps = self.broadcast_to(Known(np.array(step, dtype)), (count,), "steps")
            return self.cum_sum(steps, 0, exclusive=True, reverse=False, name=name)
        return Known(positions(count, dtype) * dtype.type(step) + dtype.type(start))

    def flip(self, x: Value, axes: Sequence[int], name: str = "") -> Value:
        """Reverse the order of the elements along dimensions."""
        if not axes:
            return x
        if isinstance(x, Known) and x.quantization is None:
            return Known(np.flip(x.array, tuple(axes)))
        return self.layer(LayerType.REVERSE_V2, [x, Known(np.array(axes, np.int32))], name=name)

    def scatter_nd(
        self,
        x: Value,
        indices: Value,
        updates: Value,
        function: ScatterNdFunction,
        name: str = "",
    ) -> Value:
        """Join slices of a tensor with updates, at index vectors [..., depth] of int32 or int64.

        Integers of fewer than 32 bits that are summed or multiplied take the way over 32 bits.
        """
        shape, places = shape_of(x), shape_of(indices)
        depth = places[-1] if places else 0
        if not 1 <= depth <= len(shape):
            raise ParseError(f"indices of shape {places} do not fit a tensor of shape {shape}")
        if shape_of(updates) != (*places[:-1], *shape[depth:]):
            raise ParseError(
                f"the updates have shape {shape_of(updates)}, expected "
                f"{(*places[:-1], *shape[depth:])}"
            )
        if isinstance(indices, Known):
            limits = np.array(shape[:depth])
            if ((indices.array < -limits) | (indices.array >= limits)).any():
                raise ParseError(f"an index is outside the dimensions {list(shape[:depth])}")
        known = [value for value in (x, indices, updates) if quantization_of(value) is None]
        if len(known) == 3 and self.foldable([x, indices, updates], shape, dtype_of(x)):
            target = array_of(x).copy()
            vectors = tuple(np.moveaxis(array_of(indices), -1, 0))
            with np.errstate(all="ignore"):
                _JOINS[function](target, vectors, array_of(updates))
            return Known(target)
        if function is not ScatterNdFunction.UPDATE and is_narrow(x):
            wide = self.scatter_nd(
                self.widened(x, "x"), indices, self.widened(updates, "updates"), function, "wide"
            )
            return self.cast(wide, dtype_of(x), name)
        descriptor = ScatterNdDescriptor(function=function)
        return self.layer(LayerType.SCATTER_ND, [x, indices, updates], descriptor, name=name)


def _sorted(x: Array, k: int, axis: int, largest: bool) -> tuple[Array, Array]:
    """Return the first ``k`` of a stable sort, NaN first, and their indices."""
    if x.dtype.kind == "f":
        keys = np.where(np.isnan(x), -np.inf, -x if largest else x)
        first = np.lexsort((keys, ~np.isnan(x)), axis=axis)
    else:
        first = np.argsort(~x if largest else x, axis=axis, kind="stable")
    places = first.take(np.arange(k), axis)
    return np.take_along_axis(x, places, axis), places


def _summed(x: Array, axis: int, exclusive: bool, reverse: bool) -> Array:
    lines = np.moveaxis(np.flip(x, axis) if reverse else x, axis, 0)
    total = np.cumsum(lines, 0, dtype=x.dtype)
    if exclusive:
        total = np.concatenate([np.zeros_like(lines[:1]), total[:-1]])
    total = np.moveaxis(total, 0, axis)
    return np.flip(total, axis) if reverse else total


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
