# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The small values of a saved network as JSON, and back with every type checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from armnn_py.network import ModelMetadata
from armnn_py.tensors.json_infos import (
    DamageError,
    info_from_json,
    info_to_json,
    member,
    number,
)
from armnn_py.types import LayerType

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

# ---- Layer types ---------------------------------------------------------------------------------


def layer_type_from_json(name: str) -> LayerType:
    """Return the layer type of a name."""
    found = LayerType.__members__.get(name)
    if found is None:
        raise DamageError(f"layer type '{name[:40]}' is unknown")
    return found


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
