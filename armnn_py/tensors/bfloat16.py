# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Bits of bfloat16, which numpy has no dtype for, from and to float32."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def bfloat16_bits(array: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return the bits of numbers, rounded to the nearest, halves to even; NaN stays NaN."""
    bits = array.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(array), 0x7FC0, rounded).astype(np.uint16)


def from_bfloat16_bits(bits: NDArray[Any]) -> NDArray[np.float32]:
    """Return the numbers of which these are the bits, as uint16."""
    return (bits.astype(np.uint32) << 16).view(np.float32)
