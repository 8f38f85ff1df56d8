# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Tensors with scales, as tests of quantised layers write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Tensor"]


@dataclass
class Tensor:
    """A tensor and its quantisation; ``data_type`` overrules what the array's type implies."""

    array: np.ndarray
    scales: Sequence[float] = ()
    zero_points: Sequence[int] = ()
    axis: int = 0
    data_type: int | None = None
    constant: bool = False

    @property
    def real(self) -> np.ndarray:
        """The values that the elements stand for, in float64."""
        shape = [1] * self.array.ndim
        if len(self.scales) > 1:
            shape[self.axis] = -1
        scales = np.asarray(self.scales, np.float32).astype(np.float64).reshape(shape)
        points = np.asarray(self.zero_points or [0] * len(self.scales), np.float64).reshape(shape)
        return scales * (self.array.astype(np.float64) - points)
