# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Discrete Fourier transforms as products with matrices of roots of unity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armnn_py.frontends.common.counting import positions
from armnn_py.frontends.common.values import Unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_ELEMENTS = 2**24
"""Of a matrix: 2,048 samples with real and imaginary parts."""


def roots_of_unity(
    samples: int, bins: int, length: int, sign: int = -1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return real and imaginary parts of ``exp(sign * 2 pi i * sample * bin / length)``.

    Rows are samples, columns bins. Forward transforms have the sign -1.
    """
    sample, place = positions(samples)[:, np.newaxis], positions(bins)
    # The product of the indices is reduced first: an angle keeps its digits.
    angle = 2 * np.pi * ((sample * place) % length) / length * sign
    return np.cos(angle), np.sin(angle)


def check_transform(rows: int, columns: int) -> None:
    """Raise if the matrix of a transform would be too large."""
    if rows * columns > _MOST_ELEMENTS:
        raise Unsupported(f"a transform of {rows}x{columns} products")
