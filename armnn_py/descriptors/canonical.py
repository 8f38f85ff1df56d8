# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One form for one thing: which of Arm NN's layer types stands for what inside.

Arm NN can say many things twice: Addition is ElementwiseBinary with ADD, Mean is Reduce with MEAN,
Permute is the inverse Transpose, ConvertFp16ToFp32 a Cast. Networks keep, passes match and backends
see the canonical type alone; people may write, and are shown, the name that says most.
"""

from __future__ import annotations

from msgspec import structs

from armnn_py.descriptors.base import Descriptor
from armnn_py.descriptors.classes import DESCRIPTOR_OF
from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS


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
    values = {} if descriptor is None else structs.asdict(descriptor)
    if facts.canonical_inverse:
        forward = values[facts.canonical_inverse]
        values[facts.canonical_inverse] = sorted(range(len(forward)), key=forward.__getitem__)
    if facts.canonical_operation is not None:
        values["operation"] = facts.canonical_operation
    return facts.canonical, kind(**values)
