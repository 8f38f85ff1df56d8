# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Activation functions by their definition in numpy, of a value and the parameters a and b."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from armnn_py.types import ActivationFunction as F

Array = Any
erf = np.vectorize(math.erf, otypes=[np.float64])

ACTIVATIONS: dict[F, Callable[[Array, float, float], Array]] = {
    F.SIGMOID: lambda x, a, b: 1 / (1 + np.exp(-x)),
    F.TANH: lambda x, a, b: a * np.tanh(b * x),
    F.LINEAR: lambda x, a, b: a * x + b,
    F.RELU: lambda x, a, b: np.maximum(x, 0),
    F.BOUNDED_RELU: lambda x, a, b: np.minimum(a, np.maximum(b, x)),
    F.SOFT_RELU: lambda x, a, b: np.logaddexp(0, x),
    F.LEAKY_RELU: lambda x, a, b: np.where(x > 0, x, a * x),
    F.ABS: lambda x, a, b: np.abs(x),
    F.SQRT: lambda x, a, b: np.sqrt(x),
    F.SQUARE: lambda x, a, b: x * x,
    F.ELU: lambda x, a, b: np.where(x >= 0, x, a * np.expm1(x)),
    F.HARD_SWISH: lambda x, a, b: x * np.clip(x + 3, 0, 6) / 6,
    F.GELU: lambda x, a, b: x * (1 + erf(x / math.sqrt(2))) / 2,
    F.HARD_SIGMOID: lambda x, a, b: np.clip(a * x + b, 0, 1),
    F.MISH: lambda x, a, b: x * np.tanh(np.logaddexp(0, x)),
    F.SOFTSIGN: lambda x, a, b: x / (1 + np.abs(x)),
    F.THRESHOLDED_RELU: lambda x, a, b: np.where(x < a, 0, x),
}
