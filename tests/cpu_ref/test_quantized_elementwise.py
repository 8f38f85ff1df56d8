# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Quantised operations on elements: as LiteRT's reference kernels, else real arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers, Tensor, descriptor
from .tflite_models import tflite_node

BINARY = abi.ARMNN_LAYER_ELEMENTWISE_BINARY
SHAPES = [((2, 300, 3), (2, 300, 3)), ((4, 1, 5), (1, 6, 1)), ((3, 700), ()), ((1,), (513,))]
#: Scales of x, y and output.
SCALES = [(0.05, 0.05, 0.1), (0.013, 0.2, 0.15), (1e-4, 3.0, 2.0), (0.5, 0.25, 0.0625)]


def operands(shapes: tuple[tuple[int, ...], ...], scales: tuple[float, ...]) -> list[Tensor]:
    """Two inputs and the output that they broadcast to."""
    random = np.random.default_rng(0)
    return [
        Tensor(random.integers(-128, 128, shape, np.int8), [float(np.float32(scale))], [zero])
        for shape, scale, zero in zip(
            (*shapes, np.broadcast_shapes(*shapes)), scales, (3, -20, 7), strict=True
        )
    ]


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("shapes", SHAPES)
def test_squared_difference(
    cpu_ref: Layers, shapes: tuple[tuple[int, ...], ...], scales: tuple[float, ...]
) -> None:
    """LiteRT has it for int8; other quantised operations: tests/frontends/tflite."""
    x, y, out = operands(shapes, scales)
    options = {"table": "SquaredDifferenceOptions"}
    expected = tflite_node("SQUARED_DIFFERENCE", [x, y], out, options, version=2)
    layer = descriptor(
        abi.armnn_elementwise_binary_descriptor_t, BINARY, operation=abi.ARMNN_BINARY_SQ_DIFF
    )
    (found,) = cpu_ref.run(BINARY, layer, [x, y], [out])
    np.testing.assert_array_equal(found, expected)


def nearest_exp(exponent: int) -> float:
    """The float64 nearest to e to that power: numpy is one unit off at 40 with AVX-512."""
    return float(Decimal(exponent).exp()) if exponent < 1000 else math.inf


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers_truncate_what_is_no_integer(cpu_ref: Layers, dtype: Any) -> None:
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
