# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The parameters of layers as JSON, and back with every type checked."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from msgspec import structs

from armnn_py.descriptors import DESCRIPTOR_OF, Attribute, AttributeTensor, Descriptor
from armnn_py.descriptors.base import View, defaults_of
from armnn_py.descriptors.canonical import canonical_form
from armnn_py.optimizer.saved.values import DamageError, member
from armnn_py.types import LayerType


def _from_float(value: float) -> float | str:
    return value if math.isfinite(value) else repr(float(value))  # strict JSON has no infinity


def _to_float(value: Any) -> float:
    if value in ("inf", "-inf", "nan") or (
        isinstance(value, int | float) and not isinstance(value, bool)
    ):
        return float(value)
    raise DamageError(f"{str(value)[:40]!r} is not a number")


def descriptor_to_json(
    descriptor: Descriptor | None, store: Callable[[AttributeTensor], Any]
) -> dict[str, Any] | None:
    """Return the fields of a descriptor; ``store`` keeps a tensor and says where it is."""
    if descriptor is None:
        return None
    return {
        name: _field_to_json(value, store) for name, value in structs.asdict(descriptor).items()
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
            raise DamageError(f"layer type {layer_type.label}: its descriptor is not an object")
        defaults = defaults_of(kind)
        unknown = [name for name in given if name not in defaults]
        if unknown:
            raise DamageError(f"{kind.__name__} has no field '{unknown[0][:40]}'")
        values = {
            name: _field_from_json(value, defaults[name], fetch) for name, value in given.items()
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
            raise DamageError("a field that should be a list is not one")
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
        raise DamageError(f"{str(value)[:40]!r} is not of type {kind.__name__}")
    return value
