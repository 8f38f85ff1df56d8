# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Choosing between two values per element."""

from __future__ import annotations

import numpy as np

from armnn_py.frontends.common.emit.arithmetic import Arithmetic
from armnn_py.frontends.common.known import known_integers
from armnn_py.frontends.common.values import (
    Known,
    Value,
    array_of,
    broadcast_shapes,
    dtype_of,
    elements_of,
    shape_of,
)
from armnn_py.types import LayerType

__all__ = ["Choice"]


class Choice(Arithmetic):
    """Adds `where` to the building blocks."""

    def where(self, condition: Value, x: Value, y: Value, name: str = "") -> Value:
        """Return ``x`` where ``condition`` holds, else ``y``; all three broadcast."""
        shape = broadcast_shapes(shape_of(condition), shape_of(x), shape_of(y))
        if self.foldable([condition, x, y], shape, dtype_of(x)):
            chosen = np.where(array_of(condition), elements_of(x), elements_of(y))
            return known_integers(chosen, dtype_of(x))
        if isinstance(condition, Known) and condition.array.size:
            if condition.array.all():
                return self.broadcast_to(x, shape, name)
            if not condition.array.any():
                return self.broadcast_to(y, shape, name)
        return self.layer(LayerType.SELECT, [condition, x, y], None, name=name)
