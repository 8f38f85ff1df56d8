# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names that nothing else has: of layers, of nodes and of values between them."""

from __future__ import annotations


def unique_name(name: str, taken: set[str]) -> str:
    """Return ``name``, or ``name_2`` and so on where that is taken; it is taken from then on."""
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found
