# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The published table of allowed errors, and the comparison of arrays by it."""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.tensors.bfloat16 import from_bfloat16_bits
from armnn_py.types import DataType, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


class Tolerance(Struct, frozen=True):
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
    known = {layer.label: facts.arithmetic for layer, facts in FACTS.items()}
    return {**known, LayerType.STAND_IN.label: "sum"}  # an operator of a vendor may be one


def names(row: Mapping[str, Any], key: str, name: str) -> bool:
    """Whether a row of the table is for this name."""
    return name in row[key] or "*" in row[key]


def tolerance_of(layer: str, data_type: str) -> Tolerance:
    """Return what is allowed for a layer and the data type of its output, both as labels."""
    arithmetic = _arithmetic_of()[layer]
    for row in table()["row"]:
        if names(row, "arithmetic", arithmetic) and names(row, "types", data_type):
            return Tolerance(row["relative"], row["scaled"], row.get("steps", 0))
    raise LookupError(f"the table of tolerances has no row for {layer} of {data_type}")


def real_values(value: NDArray[Any], data_type: DataType) -> NDArray[np.float64]:
    """Return elements as float64; bfloat16 may be given as its bits."""
    if data_type is DataType.BFLOAT16 and value.dtype == np.uint16:
        value = from_bfloat16_bits(value)
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
    return worst_element(found, expected, excess(found, expected, data_type, allowed))


def excess(
    found: NDArray[Any], expected: NDArray[Any], data_type: DataType, allowed: Tolerance
) -> NDArray[Any]:
    """Return how far each element is beyond the allowed error: above 0 where it is wrong.

    Parameters
    ----------
    found, expected
        Arrays of one shape, with at least one element.
    data_type
        The data type of ``found``.
    allowed
        The allowed error.
    """
    if data_type.is_quantized:
        return np.abs(found.astype(np.int64) - expected.astype(np.int64)) - allowed.steps
    if not (allowed.relative or allowed.scaled) and found.dtype == expected.dtype:
        # Bits, so that -0.0 and NaN move as they are; a NaN that was computed may be any.
        same = _bytes_of(found) == _bytes_of(expected)
        return np.where(same.all(axis=1), 0.0, 1.0).reshape(found.shape)
    with np.errstate(all="ignore"):
        got, wanted = real_values(found, data_type), real_values(expected, data_type)
        limit = _largest(data_type)
        wanted = np.where(np.abs(wanted) > limit, np.sign(wanted) * np.inf, wanted)
        finite = np.isfinite(wanted)
        scale = float(np.abs(wanted[finite]).max()) if finite.any() else 0.0
        error = np.abs(got - wanted)
        beyond = error - (allowed.relative * np.abs(wanted) + allowed.scaled * scale)
        beyond = beyond - float(_smallest(data_type))
        same = (got == wanted) | (np.isnan(got) & np.isnan(wanted))
        # At the edge of the type a rounding decides between the largest number and infinity.
        at_edge = (np.abs(wanted) > limit * 0.999) & (np.abs(got) > limit * 0.999)
        beyond = np.where(same | (at_edge & (np.sign(got) == np.sign(wanted))), 0.0, beyond)
        return np.where(np.isnan(beyond), np.inf, beyond)


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


def worst_element(found: NDArray[Any], expected: NDArray[Any], beyond: NDArray[Any]) -> str:
    """Return the worst element in words, with `excess` of each; empty if all are right."""
    if not (beyond > 0).any():
        return ""
    worst = np.unravel_index(int(np.argmax(beyond)), found.shape)
    place = ", ".join(str(int(index)) for index in worst)
    count = int((beyond > 0).sum())
    return (
        f"element [{place}] is {found[worst]!s}, {expected[worst]!s} expected "
        f"({count} of {found.size} are wrong)"
    )
