# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names of operands, as messages say them."""

from __future__ import annotations

from armnn_py.types import LayerType
from armnn_py.types.facts import FACTS

__all__ = ["operand_name"]


def operand_name(layer_type: LayerType, index: int) -> str:
    """Return the name of one operand: ``weights``, or ``input 3``."""
    names = FACTS[layer_type].operands
    return names[index].removesuffix("?") if index < len(names) else f"input {index}"
