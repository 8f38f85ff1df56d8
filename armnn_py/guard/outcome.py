# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A rule that a backend breaks, and when two outputs are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class CheckFailedError(Exception):
    """A check's "no": the message names the worst place, ``arrays`` are what shows it."""

    def __init__(self, message: str, **arrays: NDArray[Any] | None) -> None:
        super().__init__(message)
        self.arrays = {name: array for name, array in arrays.items() if array is not None}


class AnsweredError(CheckFailedError):
    """A backend answered with an error, which is not a broken rule in a user's run."""


def nearly_equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Say whether two outputs of one backend are the same but for the rounding of partial sums.

    Work that is cut elsewhere, or that begins at another alignment, adds up in another order.
    """
    if one.tobytes() == other.tobytes():
        return True
    if one.dtype.kind != "f":
        return False
    scale = float(np.abs(other[np.isfinite(other)]).max(initial=0.0))
    with np.errstate(all="ignore"):
        return bool(np.allclose(one, other, rtol=1e-5, atol=1e-6 * scale, equal_nan=True))
