# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Resize in fractions, written down from the operator's text (ONNX Resize, version 19)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Line:
    """One dimension: from ``size`` to ``target`` elements; no ``scale``: the quotient of both."""

    size: int
    target: int
    scale: Fraction | None = None
    region: tuple[Fraction, Fraction] = (Fraction(0), Fraction(1))

    @property
    def ratio(self) -> Fraction:
        return self.scale or Fraction(self.target, self.size)

    def position(self, x: int, transformation: str) -> Fraction:
        """``x_original`` of the text."""
        half_pixel = (x + HALF) / self.ratio - HALF
        last = self.size - 1
        match transformation:
            case "half_pixel_symmetric":
                width = self.ratio * self.size
                return Fraction(self.size, 2) * (1 - self.target / width) + half_pixel
            case "pytorch_half_pixel" if self.target == 1:
                return Fraction(0)
            case "align_corners":
                return Fraction(x * last, max(self.target - 1, 1))
            case "asymmetric":
                return x / self.ratio
            case "tf_crop_and_resize" if self.target > 1:
                start, end = self.region
                return start * last + x * (end - start) * last / (self.target - 1)
            case "tf_crop_and_resize":
                return HALF * sum(self.region) * last
        return half_pixel

    def outside(self, transformation: str) -> list[bool]:
        """Whether elements have the value for what lies outside; a crop alone has such."""
        is_crop = transformation == "tf_crop_and_resize"
        places = (self.position(x, transformation) for x in range(self.target))
        return [is_crop and not 0 <= place <= self.size - 1 for place in places]

    def weights(
        self,
        mode: str,
        transformation: str,
        a: Fraction = Fraction(-3, 4),
        *,
        exclude: bool = False,
        antialias: bool = False,
    ) -> Any:
        """The matrix [target, size]; elements beyond an end are those at the end."""
        shrink = min(self.ratio, Fraction(1)) if antialias else Fraction(1)
        reach = (2 if mode == "cubic" else 1) / shrink
        matrix = np.full((self.target, self.size), Fraction(0), object)
        for x in range(self.target):
            place = self.position(x, transformation)
            found = {}
            for i in range(math.floor(place - reach), math.ceil(place + reach) + 1):
                distance = abs(i - place) * shrink
                share = _cubic(distance, a) if mode == "cubic" else max(1 - distance, Fraction(0))
                if share and not (exclude and not 0 <= i < self.size):
                    found[i] = share
            total = sum(found.values()) if exclude or antialias else Fraction(1)
            for i, share in found.items():
                matrix[x, min(max(i, 0), self.size - 1)] += share / (total or 1)
        return matrix


def _cubic(d: Fraction, a: Fraction) -> Fraction:
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else Fraction(0)


def fractions(x: np.ndarray) -> Any:
    """The same numbers, exactly."""
    return np.vectorize(lambda v: Fraction(float(v)), otypes=[object])(x)


def resized(x: np.ndarray, matrices: Mapping[int, Any]) -> Any:
    """Apply a matrix to each dimension."""
    y = fractions(x)
    for axis, matrix in matrices.items():
        y = np.moveaxis(np.tensordot(matrix, y, (1, axis)), 0, axis)
    return y
