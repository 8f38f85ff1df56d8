# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One form for one thing: which of Arm NN's layer types stands for what inside, and which is shown.

Arm NN can say many things twice: Addition is ElementwiseBinary with ADD, Mean is Reduce with MEAN,
Permute is the inverse Transpose, ConvertFp16ToFp32 a Cast. Networks keep, passes match and backends
see the canonical type alone; people may write, and are shown, the name that says most.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py.descriptors.base import Descriptor, fields_of
from armnn_py.descriptors.classes import DESCRIPTOR_OF
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.tensors import TensorInfo

__all__ = ["canonical_form", "is_named", "name_for_people"]

_ALIASES: dict[LayerType, list[LayerType]] = {}
for _alias, _facts in FACTS.items():
    if _facts.canonical is not None:
        _ALIASES.setdefault(_facts.canonical, []).append(_alias)


def canonical_form(
    layer_type: LayerType, descriptor: Descriptor | None
) -> tuple[LayerType, Descriptor | None]:
    """Return the type and the parameters of a layer as networks and backends have them."""
    facts = FACTS[layer_type]
    if facts.canonical is None:
        return layer_type, descriptor
    kind = DESCRIPTOR_OF[facts.canonical]
    if kind is None:
        return facts.canonical, None
    values = {}
    if descriptor is not None:
        given: type = type(descriptor)
        for name in fields_of(given):
            values[name] = getattr(descriptor, name)
    if facts.canonical_inverse:
        forward = values[facts.canonical_inverse]
        values[facts.canonical_inverse] = sorted(range(len(forward)), key=forward.__getitem__)
    if facts.canonical_operation is not None:
        values["operation"] = facts.canonical_operation
    return facts.canonical, kind(**values)


def name_for_people(
    layer_type: LayerType,
    descriptor: Descriptor | None,
    first_input: TensorInfo | None,
    first_output: TensorInfo | None,
) -> LayerType:
    """Return the layer type that says most about a layer of a canonical type.

    Parameters
    ----------
    layer_type, descriptor
        What the layer computes.
    first_input, first_output
        Infos of its first operand and output, ``None`` if there is none.
    """
    for alias in _ALIASES.get(layer_type, ()):
        facts = FACTS[alias]
        if facts.canonical_operation is not None:
            if getattr(descriptor, "operation", None) is facts.canonical_operation:
                return alias
        elif facts.canonical_types is not None and (
            tuple(info.data_type for info in (first_input, first_output) if info is not None)
            == facts.canonical_types
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
