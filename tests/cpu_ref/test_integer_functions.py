# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Unary operations of integers truncate towards zero and saturate, as real numbers would."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers, descriptor


def nearest_exp(exponent: int) -> float:
    """The float64 nearest to e to that power: numpy is one unit off at 40 with AVX-512."""
    return float(Decimal(exponent).exp()) if exponent < 1000 else math.inf


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_truncate_real_values(cpu_ref: Layers, dtype: Any) -> None:
    x = np.array([-3, -1, 0, 1, 2, 7, 40, 1000, np.iinfo(dtype).max], dtype)
    with np.errstate(all="ignore"):
        real = x.astype(np.float64)
        table = {
            abi.ARMNN_UNARY_EXP: np.array([nearest_exp(int(v)) for v in x]),
            abi.ARMNN_UNARY_SQRT: np.sqrt(real),
            abi.ARMNN_UNARY_RSQRT: 1 / np.sqrt(real),
            abi.ARMNN_UNARY_LOG: np.log(real),
            abi.ARMNN_UNARY_SIN: np.sin(real),
        }
    limits = np.iinfo(dtype)
    for operation, values in table.items():
        expected = [
            0
            if np.isnan(v)
            else limits.max
            if v >= float(limits.max)
            else limits.min
            if v <= float(limits.min)
            else int(v)
            for v in values
        ]
        layer = descriptor(
            abi.armnn_elementwise_unary_descriptor_t,
            abi.ARMNN_LAYER_ELEMENTWISE_UNARY,
            operation=operation,
        )
        (found,) = cpu_ref.run(abi.ARMNN_LAYER_ELEMENTWISE_UNARY, layer, [x], [(x.shape, dtype)])
        np.testing.assert_array_equal(found, np.array(expected, dtype))
