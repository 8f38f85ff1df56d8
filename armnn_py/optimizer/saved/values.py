# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The small values of a saved network as JSON, and back with every type checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, TypeVar

from armnn_py.descriptors import DESCRIPTOR_OF, Attribute, AttributeTensor, Descriptor
from armnn_py.descriptors.base import View
from armnn_py.descriptors.canonical import canonical_form
from armnn_py.network import ModelMetadata
from armnn_py.records import record_fields
from armnn_py.tensors import QuantizationInfo, TensorInfo
from armnn_py.types import DataType, LayerType

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "DamageError",
    "descriptor_from_json",
    "descriptor_to_json",
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
        It is none, or too large.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
        raise DamageError(f"a number is {str(value)[:40]}, one below {below} expected")
    return value


def _from_float(value: float) -> float | str:
    return value if math.isfinite(value) else repr(float(value))  # strict JSON has no infinity


def _to_float(value: Any) -> float:
    if value in ("inf", "-inf", "nan") or (
        isinstance(value, int | float) and not isinstance(value, bool)
    ):
        return float(value)
    raise DamageError(f"{str(value)[:40]!r} is no number")


# ---- Descriptors ---------------------------------------------------------------------------------


def layer_type_from_json(name: str) -> LayerType:
    """Return the layer type of a name."""
    found = LayerType.__members__.get(name)
    if found is None:
        raise DamageError(f"there is no layer type '{name[:40]}'")
    return found


def descriptor_to_json(
    descriptor: Descriptor | None, store: Callable[[AttributeTensor], Any]
) -> dict[str, Any] | None:
    """Return the fields of a descriptor; ``store`` keeps a tensor and says where it is."""
    if descriptor is None:
        return None
    return {
        field.name: _field_to_json(getattr(descriptor, field.name), store)
        for field in record_fields(type(descriptor)).values()
    }


def _field_to_json(value: Any, store: Callable[[AttributeTensor], Any]) -> Any:
    if isinstance(value, IntEnum):
        return value.name
    if isinstance(value, float):
        return _from_float(value)
    if isinstance(value, View):
        return {"origin": list(value.origin), "size": list(value.size)}
    if isinstance(value, tuple):
        return [_field_to_json(item, store) for item in value]
    if isinstance(value, Attribute):
        if isinstance(value.value, AttributeTensor):
            return {"attribute": value.name, "tensor": store(value.value)}
        # The kind is named: a float that is infinite is a text in JSON.
        first = next(iter(value.value), 0) if isinstance(value.value, tuple) else value.value
        kind = type(first).__name__
        return {"attribute": value.name, kind: _field_to_json(value.value, store)}
    return value


def descriptor_from_json(
    layer_type: LayerType,
    given: dict[str, Any] | None,
    fetch: Callable[[Any], AttributeTensor],
) -> Descriptor | None:
    """Return the descriptor of a layer; the class of descriptors checks its values.

    ``fetch`` gives the tensor that the ``store`` of `descriptor_to_json` kept.
    """
    kind = DESCRIPTOR_OF[layer_type]
    if (given is None) != (kind is None):
        raise DamageError(f"layer type {layer_type.label}: its descriptor is missing or too much")
    descriptor = None
    if kind is not None and given is not None:
        if not isinstance(given, dict):
            raise DamageError(f"layer type {layer_type.label}: its descriptor is no object")
        fields = {name: field.default for name, field in record_fields(kind).items()}
        unknown = [name for name in given if name not in fields]
        if unknown:
            raise DamageError(f"{kind.__name__} has no field '{unknown[0][:40]}'")
        values = {
            name: _field_from_json(value, fields[name], fetch) for name, value in given.items()
        }
        descriptor = kind(**values)
    if canonical_form(layer_type, descriptor) != (layer_type, descriptor):
        raise DamageError(f"layer type {layer_type.label} is not canonical")
    return descriptor


def _field_from_json(value: Any, default: Any, fetch: Callable[[Any], AttributeTensor]) -> Any:
    if isinstance(default, IntEnum):
        found = type(default).__members__.get(value) if isinstance(value, str) else None
        if found is None:
            raise DamageError(f"{type(default).__name__} has no member {str(value)[:40]!r}")
        return found
    if isinstance(default, float):
        return _to_float(value)
    if isinstance(default, tuple):
        if not isinstance(value, list):
            raise DamageError("a field that should be a list is none")
        return tuple(_item_from_json(item, fetch) for item in value)
    return value


def _item_from_json(item: Any, fetch: Callable[[Any], AttributeTensor]) -> Any:
    if not isinstance(item, dict):
        return item
    if "attribute" not in item:
        return View(tuple(member(item, "origin", list)), tuple(member(item, "size", list)))
    name = member(item, "attribute", str)
    if "tensor" in item:
        return Attribute(name, fetch(member(item, "tensor", list, int)))
    for kind in (int, float, str):
        if kind.__name__ in item:
            given = item[kind.__name__]
            return Attribute(
                name,
                tuple(_single_from_json(kind, one) for one in given)
                if isinstance(given, list)
                else _single_from_json(kind, given),
            )
    raise DamageError(f"attribute '{name[:40]}' has no value")


def _single_from_json(kind: type, value: Any) -> Any:
    if kind is float:
        return _to_float(value)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise DamageError(f"{str(value)[:40]!r} is no {kind.__name__}")
    return value


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
        raise DamageError(f"there is no data type '{document['type'][:40]}'")
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
    """Return the fields of a model's metadata."""
    document = {name: getattr(metadata, name) for name in record_fields(ModelMetadata)}
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
        for name in record_fields(ModelMetadata)
        if name in document
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
