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

from .harness import Layers, descriptor
from .quantized import Tensor
from .tflite_models import tflite_node

BINARY = abi.ARMNN_LAYER_ELEMENTWISE_BINARY
DTYPES = {"u8": np.uint8, "s8": np.int8, "s16": np.int16}
SHAPES = [((2, 300, 3), (2, 300, 3)), ((4, 1, 5), (1, 6, 1)), ((3, 700), ()), ((1,), (513,))]
#: Scales of x, y and output.
SCALES = [(0.05, 0.05, 0.1), (0.013, 0.2, 0.15), (1e-4, 3.0, 2.0), (0.5, 0.25, 0.0625)]
OPERATIONS = {
    "ADD": abi.ARMNN_BINARY_ADD,
    "SUB": abi.ARMNN_BINARY_SUB,
    "MUL": abi.ARMNN_BINARY_MUL,
    "MAXIMUM": abi.ARMNN_BINARY_MAXIMUM,
    "MINIMUM": abi.ARMNN_BINARY_MINIMUM,
    "SQUARED_DIFFERENCE": abi.ARMNN_BINARY_SQ_DIFF,
}
TABLES: dict[str, dict[str, Any]] = {
    "ADD": {"table": "AddOptions", "potScaleInt16": False},
    "SUB": {"table": "SubOptions", "potScaleInt16": False},
    "MUL": {"table": "MulOptions"},
    "MAXIMUM": {"table": "MaximumMinimumOptions"},
    "MINIMUM": {"table": "MaximumMinimumOptions"},
    "SQUARED_DIFFERENCE": {"table": "SquaredDifferenceOptions"},
}


def tensor(dtype: Any, shape: tuple[int, ...], scale: float, zero: int, seed: int) -> Tensor:
    limits = np.iinfo(dtype)
    values = np.random.default_rng(seed).integers(
        limits.min, limits.max, shape, dtype, endpoint=True
    )
    middle = (limits.min + limits.max + 1) // 2
    return Tensor(np.asarray(values), [float(np.float32(scale))], [middle + zero])


def operands(
    dtype: Any, shapes: tuple[tuple[int, ...], ...], scales: tuple[float, ...]
) -> list[Tensor]:
    """Two inputs and the output that they broadcast to."""
    zeros = (0, 0, 0) if dtype == np.int16 else (3, -20, 7)
    shape = np.broadcast_shapes(*shapes)
    return [
        tensor(dtype, one, scale, zero, seed)
        for seed, (one, scale, zero) in enumerate(zip((*shapes, shape), scales, zeros, strict=True))
    ]


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_binary(
    cpu_ref: Layers,
    operation: str,
    dtype: Any,
    shapes: tuple[tuple[int, ...], ...],
    scales: tuple[float, ...],
) -> None:
    x, y, out = operands(dtype, shapes, scales)
    moves = operation in ("MAXIMUM", "MINIMUM")
    if moves:
        y.scales = out.scales = x.scales
        y.zero_points = out.zero_points = x.zero_points
    if operation == "SQUARED_DIFFERENCE" and dtype != np.int8:
        pytest.skip("LiteRT has it for int8")
    if operation == "MUL" and dtype == np.int16 and scales[2] < scales[0] * scales[1]:
        pytest.skip("the product times a factor above 1 does not fit 32 bits: LiteRT overflows")
    version = {"MUL": 4, "ADD": 4, "SUB": 4}.get(operation, 2)
    expected = tflite_node(operation, [x, y], out, TABLES[operation], version=version)
    layer = descriptor(
        abi.armnn_elementwise_binary_descriptor_t, BINARY, operation=OPERATIONS[operation]
    )
    (found,) = cpu_ref.run(BINARY, layer, [x, y], [out])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("scales", SCALES)
@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_prelu(cpu_ref: Layers, dtype: Any, scales: tuple[float, ...]) -> None:
    x, alpha, out = operands(dtype, ((2, 5, 6, 8), (1, 1, 8)), scales)
    expected = tflite_node("PRELU", [x, alpha], out)
    (found,) = cpu_ref.run(abi.ARMNN_LAYER_PRELU, None, [x, alpha], [out])
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
