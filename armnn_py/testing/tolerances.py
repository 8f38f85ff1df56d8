# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The published table of allowed errors, and the comparison by it."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = [
    "Tolerance",
    "assert_close",
    "compare",
    "heeds_special_values",
    "nearly_equal",
    "table",
    "tolerance_of",
]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The allowed error; see ``tolerances.toml``. ``steps`` is for quantised numbers."""

    relative: float
    scaled: float
    steps: int = 0


@functools.cache
def table() -> Mapping[str, Any]:
    """Return the table as its file has it."""
    text = resources.files("armnn_py.testing").joinpath("tolerances.toml").read_text("utf-8")
    return tomllib.loads(text)


@functools.cache
def _arithmetic_of() -> Mapping[str, str]:
    return {layer.label: facts.arithmetic for layer, facts in FACTS.items()}


def _names(row: Mapping[str, Any], key: str, name: str) -> bool:
    return name in row[key] or "*" in row[key]


def tolerance_of(layer: str, data_type: str) -> Tolerance:
    """Return what is allowed for a layer and the data type of its output, both as labels."""
    arithmetic = _arithmetic_of()[layer]
    for row in table()["row"]:
        if _names(row, "arithmetic", arithmetic) and _names(row, "types", data_type):
            return Tolerance(row["relative"], row["scaled"], row.get("steps", 0))
    raise LookupError(f"the table of tolerances has no row for {layer} of {data_type}")


def heeds_special_values(layer: str, operation: str = "") -> bool:
    """Say whether NaN and infinities have to come out of a layer where the definition has them."""
    return all(
        row["heeded"]
        or not _names(row, "layers", layer)
        or operation not in row.get("operations", [operation])
        for row in table()["special"]
    )


def _real(value: NDArray[Any], data_type: DataType) -> NDArray[np.float64]:
    if data_type is DataType.BFLOAT16 and value.dtype == np.uint16:
        value = (value.astype(np.uint32) << 16).view(np.float32)
    return value.astype(np.float64)


def compare(
    found: NDArray[Any], expected: NDArray[Any], data_type: DataType, allowed: Tolerance
) -> str:
    """Compare an output with what is expected.

    Returns
    -------
    str
        Empty if all is well, else the worst element in words.
    """
    if found.shape != expected.shape:
        return f"shape {found.shape} found, {expected.shape} expected"
    if not found.size:
        return ""
    if data_type.is_quantized:
        return _worst(
            found,
            expected,
            np.abs(found.astype(np.int64) - expected.astype(np.int64)) - allowed.steps,
        )
    if not (allowed.relative or allowed.scaled) and found.dtype == expected.dtype:
        # Bits, so that -0.0 and NaN move as they are; a NaN that was computed may be any.
        same = _bytes_of(found) == _bytes_of(expected)
        excess = np.where(same.all(axis=1), 0.0, 1.0).reshape(found.shape)
        return _worst(found, expected, excess)
    with np.errstate(all="ignore"):
        got, wanted = _real(found, data_type), _real(expected, data_type)
        limit = _largest(data_type)
        wanted = np.where(np.abs(wanted) > limit, np.sign(wanted) * np.inf, wanted)
        finite = np.isfinite(wanted)
        scale = float(np.abs(wanted[finite]).max()) if finite.any() else 0.0
        error = np.abs(got - wanted)
        excess = error - (allowed.relative * np.abs(wanted) + allowed.scaled * scale)
        excess = excess - float(_smallest(data_type))
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        # At the edge of the type a rounding decides between the largest number and infinity.
        at_edge = (np.abs(wanted) > limit * 0.999) & (np.abs(got) > limit * 0.999)
        excess = np.where(same | (at_edge & (np.sign(got) == np.sign(wanted))), 0.0, excess)
        excess = np.where(np.isnan(excess), np.inf, excess)
    return _worst(found, expected, excess)


def nearly_equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Say whether two outputs of one backend are the same but for the rounding of partial sums.

    Work that is cut elsewhere, or that begins at another alignment, adds up in another order.
    """
    if one.tobytes() == other.tobytes():
        return True
    if one.dtype.kind != "f":
        return False
    scale = float(np.abs(other[np.isfinite(other)]).max(initial=0.0))
    with np.errstate(all="ignore"):
        return bool(np.allclose(one, other, rtol=1e-5, atol=1e-6 * scale, equal_nan=True))


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return a row of bytes for each element."""
    dense = np.ascontiguousarray(array).reshape(-1)
    return dense.view(np.uint8).reshape(array.size, -1)


def _largest(data_type: DataType) -> float:
    if data_type is DataType.FLOAT16:
        return float(np.finfo(np.float16).max)
    return float(np.finfo(np.float32).max)


def _smallest(data_type: DataType) -> float:
    """Return the least step of the type: no rounding is finer."""
    if data_type is DataType.FLOAT16:
        return float(np.finfo(np.float16).smallest_subnormal)
    return float(np.finfo(np.float32).smallest_subnormal)


def _worst(found: NDArray[Any], expected: NDArray[Any], excess: NDArray[Any]) -> str:
    if not (excess > 0).any():
        return ""
    worst = np.unravel_index(int(np.argmax(excess)), found.shape)
    place = ", ".join(str(int(index)) for index in worst)
    count = int((excess > 0).sum())
    return (
        f"element [{place}] is {found[worst]!s}, {expected[worst]!s} expected "
        f"({count} of {found.size} are wrong)"
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
