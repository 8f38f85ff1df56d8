# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Positions along a dimension, as many as a file says that it has."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.frontends.common.values import Unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_POSITIONS = 2**24
"""Positions that an array may have: no network of sense has more along a dimension, and a few bytes
of a file must not take the memory of the machine."""


def counted(count: int) -> int:
    """Return a number of positions.

    Raises
    ------
    Unsupported
        There are too many.
    """
    number = operator.index(count)
    if number > MOST_POSITIONS:
        raise Unsupported(f"{number} positions (at most {MOST_POSITIONS} are supported)")
    return number


def positions(count: int, dtype: Any = np.int64) -> NDArray[Any]:
    """Return 0, 1, 2 and so on, ``count`` of them.

    Raises
    ------
    Unsupported
        There are too many.
    """
    return np.arange(counted(count), dtype=dtype)
