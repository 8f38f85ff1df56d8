# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The published table of allowed errors, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.comparing.tolerances import (
    Tolerance,
    compare,
    excess,
    names,
    table,
    tolerance_of,
    worst_element,
)
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Tolerance",
    "assert_close",
    "compare",
    "excess",
    "heeds_special_values",
    "table",
    "tolerance_of",
    "worst_element",
]


def heeds_special_values(layer: str, operation: str = "") -> bool:
    """Say whether NaN and infinities have to come out of a layer where the definition has them."""
    return all(
        row["heeded"]
        or not names(row, "layers", layer)
        or operation not in row.get("operations", [operation])
        for row in table()["special"]
    )


def assert_close(
    found: NDArray[Any],
    expected: NDArray[Any],
    layer: LayerType,
    data_type: DataType = DataType.FLOAT32,
    *,
    message: str = "",
) -> None:
    """Compare an output with what is expected, by the published table.

    Parameters
    ----------
    found, expected
        Arrays of one shape. What is expected may be of a wider dtype.
    layer
        What computed it.
    data_type
        The data type of the output.
    message
        What to say of the case if it fails.

    Raises
    ------
    AssertionError
        An element is further off than the table allows; the worst one is named.
    """
    wrong = compare(found, expected, data_type, tolerance_of(layer.label, data_type.label))
    if wrong:
        raise AssertionError(f"{layer.label}: {wrong}{f' ({message})' if message else ''}")
