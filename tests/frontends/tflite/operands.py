# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random operands of TensorFlow Lite operators; each test draws the same numbers from ``RNG``."""

from __future__ import annotations

from typing import Any

import numpy as np

RNG = np.random.default_rng(5)


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    return (RNG.random(shape) + 0.25).astype(np.float32)


def ints(*shape: int, low: int = -9, high: int = 10, dtype: Any = np.int32) -> np.ndarray:
    return RNG.integers(low, high, shape).astype(dtype)


def bools(*shape: int) -> np.ndarray:
    return RNG.integers(0, 2, shape).astype(bool)


def i32(*values: Any) -> np.ndarray:
    return np.array(values[0] if len(values) == 1 else values, np.int32)
