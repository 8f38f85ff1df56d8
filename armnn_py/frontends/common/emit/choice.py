# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Choosing between two values per element, which Arm NN has no layer for.

Multiplying by masks would turn an infinity or NaN that is *not* chosen into NaN, so in general the
choice is a Gather: from both values laid end to end, at positions that depend on the condition.
"""

from __future__ import annotations

import math

import numpy as np

from armnn_py.frontends.common.emit.arithmetic import Arithmetic
from armnn_py.frontends.common.values import (
    Known,
    Unsupported,
    Value,
    array_of,
    dtype_of,
    shape_of,
)
from armnn_py.types import LogicalBinaryOperation, UnaryOperation

__all__ = ["Choice"]


class Choice(Arithmetic):
    """Where."""

    def where(self, condition: Value, x: Value, y: Value, name: str = "") -> Value:
        """Return ``x`` where ``condition`` holds, else ``y``; all three broadcast."""
        shape = np.broadcast_shapes(shape_of(condition), shape_of(x), shape_of(y))
        if self.foldable([condition, x, y], shape, dtype_of(x)):
            chosen = np.where(array_of(condition), array_of(x), array_of(y))
            return Known(np.asarray(chosen).astype(dtype_of(x), copy=False))
        if isinstance(condition, Known) and condition.array.size:
            if condition.array.all():
                return self.broadcast_to(x, shape, name)
            if not condition.array.any():
                return self.broadcast_to(y, shape, name)
        if dtype_of(x) == np.bool_:
            return self._where_boolean(condition, x, y, name)
        if _may_be_masked(x) and _may_be_masked(y):
            return self._where_masked(condition, x, y, name)
        return self._where_gathered(condition, x, y, shape, name)

    def _where_boolean(self, condition: Value, x: Value, y: Value, name: str) -> Value:
        no = self.unary(UnaryOperation.LOGICAL_NOT, condition, "not")
        return self.logical(
            LogicalBinaryOperation.OR,
            self.logical(LogicalBinaryOperation.AND, condition, x, "x"),
            self.logical(LogicalBinaryOperation.AND, no, y, "y"),
            name,
        )

    def _where_masked(self, condition: Value, x: Value, y: Value, name: str) -> Value:
        no = self.unary(UnaryOperation.LOGICAL_NOT, condition, "not")
        yes = self.cast(condition, dtype_of(x), "yes")
        return self.add(
            self.mul(x, yes, "x"), self.mul(y, self.cast(no, dtype_of(x), "no"), "y"), name
        )

    def _where_gathered(
        self, condition: Value, x: Value, y: Value, shape: tuple[int, ...], name: str
    ) -> Value:
        count = math.prod(shape)
        if 2 * count >= 2**31:
            raise Unsupported(f"a choice among {count} elements")
        both = self.concat(
            [
                self.reshape(self.broadcast_to(x, shape, "x"), (count,), "flat_x"),
                self.reshape(self.broadcast_to(y, shape, "y"), (count,), "flat_y"),
            ],
            0,
            "both",
        )
        own = Known(np.arange(count, dtype=np.int32).reshape(shape))
        no = self.cast(self.unary(UnaryOperation.LOGICAL_NOT, condition, "not"), np.int32, "no")
        offset = self.mul(no, Known(np.array(count, np.int32)), "offset")
        return self.gather(both, self.add(own, offset, "positions"), 0, name)


def _may_be_masked(value: Value) -> bool:
    """Return whether a value times 0 is 0 everywhere, and times 1 itself."""
    if not isinstance(value, Known) or value.quantization is not None:
        return False
    return bool(np.isfinite(value.array).all())
