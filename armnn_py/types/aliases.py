# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layer type that people are shown, and may write, for a layer of a canonical type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py.types.enumerations import LayerType
from armnn_py.types.facts import ALIASES, FACTS

if TYPE_CHECKING:
    from armnn_py.types.enumerations import DataType


def name_for_people(
    layer_type: LayerType,
    descriptor: Any,
    *data_types: DataType | None,
) -> LayerType:
    """Return the layer type that says most about a layer of a canonical type.

    Parameters
    ----------
    layer_type, descriptor
        Type and parameters of the layer.
    data_types
        Those of its first operand and output, or ``None``.
    """
    for alias in ALIASES.get(layer_type, ()):
        facts = FACTS[alias]
        if facts.canonical_operation is not None:
            if getattr(descriptor, "operation", None) is facts.canonical_operation:
                return alias
        elif facts.canonical_types is not None and (
            tuple(kind for kind in data_types if kind is not None) == facts.canonical_types
        ):
            return alias
    return layer_type


def is_named(shown: LayerType, asked: LayerType) -> bool:
    """Whether a layer that is shown as one type is meant by another: Addition by ElementwiseBinary.

    Parameters
    ----------
    shown
        What `name_for_people` says of the layer.
    asked
        The type that somebody wrote.
    """
    facts = FACTS[asked]
    if facts.canonical_inverse:  # the inverse of a permutation is a permutation
        asked = facts.canonical or asked
    return asked in (shown, FACTS[shown].canonical)
