# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What all layer types have in common: a number, and a name for messages."""

from __future__ import annotations

from enum import IntEnum
from typing import Self


class LayerTypeBase(IntEnum):
    """A number and Arm NN's name of a layer type."""

    _label: str

    def __new__(cls, number: int, label: str = "") -> Self:
        """Make a member of a number and a name."""
        member = int.__new__(cls, number)
        member._value_ = number
        member._label = label
        return member

    @property
    def label(self) -> str:
        """Arm NN's name, as ``Convolution2d`` or ``ElementwiseBinary``."""
        return self._label
