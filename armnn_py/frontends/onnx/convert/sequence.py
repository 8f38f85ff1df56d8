# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sequences of tensors, which a model may keep between its operators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from armnn_py.frontends.common.values import Value


class TensorList(Struct, frozen=True):
    """A sequence whose length is known at import: its tensors are values like any other.

    Networks have no sequences. Operators that build and read one are folded at import; an output of
    a graph that is one becomes an output for each tensor, ``name[0]`` and so on.
    """

    items: tuple[Value, ...]
