# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensor infos as JSON, and back with every type checked; for saved networks and workers."""

from __future__ import annotations

from typing import Any, TypeVar

from armnn_py.tensors.info import TensorInfo
from armnn_py.tensors.quantization import QuantizationInfo
from armnn_py.types import DataType

_Value = TypeVar("_Value")
_MOST_NUMBER = 2**63


class DamageError(ValueError):
    """A value that no saved network has; the message says which."""


def member(
    document: Any, name: str, kind: type[_Value], items: type | tuple[type, ...] | None = None
) -> _Value:
    """The member of an object, of one type.

    Parameters
    ----------
    document
        The object.
    name, kind
        Name and type of the member.
    items
        The type of what is in a list, or of the values of an object.

    Raises
    ------
    DamageError
        It is missing, or of another type.
    """
    if not isinstance(document, dict) or name not in document:
        raise DamageError(f"'{name}' is missing")
    value = document[name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise DamageError(f"'{name}' is {type(value).__name__}, {kind.__name__} expected")
    inner: Any = value.values() if isinstance(value, dict) else value
    if items is not None and not all(isinstance(item, items) for item in inner):
        raise DamageError(f"'{name}' has a value of another type")
    return value


def number(value: Any, below: int = _MOST_NUMBER) -> int:
    """A whole number from 0 on.

    Raises
    ------
    DamageError
        It is not a shape, or too large.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
        raise DamageError(f"a number is {str(value)[:40]}, one below {below} expected")
    return value


def info_to_json(info: TensorInfo) -> dict[str, Any]:
    """Return shape, type and quantisation of a tensor without free dimensions."""
    document: dict[str, Any] = {"shape": list(info.static_shape), "type": info.data_type.name}
    if info.quantization is not None:
        document["scales"] = list(info.quantization.scales)
        document["zero_points"] = list(info.quantization.zero_points)
        if info.quantization.axis is not None:
            document["axis"] = info.quantization.axis
    return document


def info_from_json(document: Any) -> TensorInfo:
    """Return the tensor info; its class checks the values."""
    shape = tuple(number(dim) for dim in member(document, "shape", list))
    data_type = DataType.__members__.get(member(document, "type", str))
    if data_type is None:
        raise DamageError(f"data type '{document['type'][:40]}' is unknown")
    quantization = None
    if "scales" in document:
        quantization = QuantizationInfo(
            tuple(member(document, "scales", list, (int, float))),
            tuple(member(document, "zero_points", list, int)),
            document.get("axis"),
        )
    return TensorInfo(shape, data_type, quantization)
