# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that choose elements, so that data decide how many: functions, and stages as data.

Converters compute the functions from weights, and stages from the arrays of a run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.network.control import Array, Control, named

if TYPE_CHECKING:
    from armnn_py.network.repeat import RunBody


def places_of(array: Array) -> list[Array]:
    """Return where an array is not 0: one place per row, then one per column, int64."""
    rows = np.argwhere(array).astype(np.int64)
    return [rows, rows.T]


def compress(array: Array, condition: Array, *, axis: int | None, label: str) -> list[Array]:
    """Return the elements, or slices along an axis, for which a condition holds.

    Raises
    ------
    InvalidArgumentError
        There are more conditions than elements; ``label`` names the operator.
    """
    size = array.size if axis is None else array.shape[axis]
    if condition.size > size:
        raise InvalidArgumentError(
            f"{label}: a condition of {condition.size} elements does not fit a dimension of {size}"
        )
    return [np.compress(condition.reshape(-1), array, axis)]


def unique(array: Array, axis: int | None, is_sorted: bool, index: Any) -> list[Array]:
    """Return different elements, or slices along an axis.

    Behind them come the first place of each, the number of each element among them, and how often
    each appears, of the dtype ``index``. Unless sorted they are in the order in which they come.
    """
    found, first, inverse, counts = np.unique(
        array, return_index=True, return_inverse=True, return_counts=True, axis=axis
    )
    inverse = inverse.reshape(-1)
    if not is_sorted:
        order = np.argsort(first)
        found = found.take(order, 0 if axis is None else axis)
        inverse = np.argsort(order)[inverse]
        first, counts = first[order], counts[order]
    return [found, *(one.astype(index) for one in (first, inverse, counts))]


class Choice(Control, frozen=True, tag=True):
    """Such an operator; the places of its results are those of what its function returns."""

    function: Literal["compress", "places_of", "unique"]
    axis: int | None = None
    is_sorted: bool = True
    index: np.dtype[Any] = np.dtype(np.int64)

    def __call__(self, arrays: Mapping[str, Array], run: RunBody) -> dict[str, Array]:
        """Return the results that something reads."""
        return named(self.outputs, self.choose(*self.operands.of(arrays)))

    def choose(self, array: Any, *condition: Any) -> list[Array]:
        """Return all results for the operands."""
        if self.function == "compress":
            return compress(array, *condition, axis=self.axis, label=self.label)
        if self.function == "places_of":
            return places_of(array)
        return unique(array, self.axis, self.is_sorted, self.index)
