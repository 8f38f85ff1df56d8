# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The small values of a saved network as JSON, and back with every type checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from armnn_py.network import ModelMetadata
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import DataType, LayerType

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "DamageError",
    "info_from_json",
    "info_to_json",
    "layer_type_from_json",
    "member",
    "metadata_from_json",
    "metadata_to_json",
    "number",
    "options_from_json",
]

FORMAT = "armnn_py network"
FORMAT_VERSION = 3

_Value = TypeVar("_Value")
_MOST_NUMBER = 2**63


class DamageError(ValueError):
    """A value that no saved network has; the message says which."""


# ---- Reading with types --------------------------------------------------------------------------


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


# ---- Layer types ---------------------------------------------------------------------------------


def layer_type_from_json(name: str) -> LayerType:
    """Return the layer type of a name."""
    found = LayerType.__members__.get(name)
    if found is None:
        raise DamageError(f"layer type '{name[:40]}' is unknown")
    return found


# ---- Tensors -------------------------------------------------------------------------------------


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


# ---- The rest ------------------------------------------------------------------------------------


def metadata_to_json(metadata: ModelMetadata) -> dict[str, Any]:
    """Return the fields of a model's metadata; default values lie beside the input layers."""
    document = {
        field.name: getattr(metadata, field.name)
        for field in fields(ModelMetadata)
        if field.name != "defaults"
    }
    return {k: dict(v) if isinstance(v, Mapping) else v for k, v in document.items()}


def metadata_from_json(document: dict[str, Any]) -> ModelMetadata:
    """Return the metadata of a model."""
    kinds: dict[str, Callable[[], Any]] = {
        "format_version": lambda: number(document["format_version"]),
        "version": lambda: member(document, "version", int),
        "opsets": lambda: member(document, "opsets", dict, int),
        "properties": lambda: member(document, "properties", dict, str),
    }
    values: dict[str, Any] = {
        name: kinds[name]() if name in kinds else member(document, name, str)
        for name in (field.name for field in fields(ModelMetadata))
        if name in document and name != "defaults"
    }
    return ModelMetadata(**values)


def options_from_json(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return model options: by backend, by name; the backend's own types are checked later."""
    for values in document.values():
        if not isinstance(values, dict) or not all(
            isinstance(value, str | int | float) for value in values.values()
        ):
            raise DamageError("'model_options' has a value of another type")
    return document
