# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""ELEMENTWISE_UNARY and FLOOR against numpy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .host_check import shown_form
from .tensors import values

if TYPE_CHECKING:
    from collections.abc import Callable

FORMULAS: dict[int, Callable[[Any], Any]] = {
    abi.ARMNN_UNARY_ABS: np.abs,
    abi.ARMNN_UNARY_EXP: np.exp,
    abi.ARMNN_UNARY_SQRT: np.sqrt,
    abi.ARMNN_UNARY_RSQRT: lambda x: 1 / np.sqrt(x),
    abi.ARMNN_UNARY_NEG: np.negative,
    abi.ARMNN_UNARY_LOGICAL_NOT: np.logical_not,
    abi.ARMNN_UNARY_LOG: np.log,
    abi.ARMNN_UNARY_SIN: np.sin,
    abi.ARMNN_UNARY_CEIL: np.ceil,
    abi.ARMNN_UNARY_FLOOR: np.floor,
    abi.ARMNN_UNARY_ERF: np.vectorize(math.erf, otypes=[np.float64]),
    abi.ARMNN_UNARY_ROUND: np.rint,
    abi.ARMNN_UNARY_COS: np.cos,
    abi.ARMNN_UNARY_TAN: np.tan,
    abi.ARMNN_UNARY_ASIN: np.arcsin,
    abi.ARMNN_UNARY_ACOS: np.arccos,
    abi.ARMNN_UNARY_ATAN: np.arctan,
    abi.ARMNN_UNARY_SINH: np.sinh,
    abi.ARMNN_UNARY_COSH: np.cosh,
    abi.ARMNN_UNARY_ASINH: np.arcsinh,
    abi.ARMNN_UNARY_ACOSH: np.arccosh,
    abi.ARMNN_UNARY_ATANH: np.arctanh,
    abi.ARMNN_UNARY_BITWISE_NOT: np.bitwise_not,
}
FLOAT = sorted(set(FORMULAS) - {abi.ARMNN_UNARY_LOGICAL_NOT, abi.ARMNN_UNARY_BITWISE_NOT})
ROUNDING = (abi.ARMNN_UNARY_CEIL, abi.ARMNN_UNARY_FLOOR, abi.ARMNN_UNARY_ROUND)
INTEGER = [
    abi.ARMNN_UNARY_ABS,
    abi.ARMNN_UNARY_NEG,
    abi.ARMNN_UNARY_BITWISE_NOT,
    *ROUNDING,
]


def unary(operation: int) -> Any:
    return descriptor(
        abi.armnn_elementwise_unary_descriptor_t,
        abi.ARMNN_LAYER_ELEMENTWISE_UNARY,
        operation=operation,
    )


def run(cpu_ref: Layers, operation: int, x: np.ndarray) -> np.ndarray:
    (out,) = cpu_ref.run(
        abi.ARMNN_LAYER_ELEMENTWISE_UNARY, unary(operation), [x], [(x.shape, x.dtype)]
    )
    return out


def test_every_operation_has_a_formula() -> None:
    assert sorted(FORMULAS) == list(range(abi.ARMNN_UNARY_COUNT))


@pytest.mark.parametrize("operation", FLOAT)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 1, 3, 1, 2, 1, 2, 3), (70, 300)])
def test_float32(cpu_ref: Layers, operation: int, shape: tuple[int, ...]) -> None:
    x = values(shape, np.float32)
    with np.errstate(all="ignore"):
        expected = FORMULAS[operation](x.astype(np.float64))
    np.testing.assert_allclose(run(cpu_ref, operation, x), expected, rtol=3e-7, atol=1e-7)


@pytest.mark.parametrize("operation", FLOAT)
def test_special_floats(cpu_ref: Layers, operation: int) -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 200.0, -200.0, 1e-40], np.float32)
    with np.errstate(all="ignore"):
        expected = np.asarray(FORMULAS[operation](x), np.float32)
    out = run(cpu_ref, operation, x)
    np.testing.assert_allclose(out, expected, rtol=3e-7, atol=1e-7)
    zeros = np.flatnonzero(expected == 0)
    np.testing.assert_array_equal(np.signbit(out[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("operation", INTEGER)
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_integers(cpu_ref: Layers, operation: int, dtype: Any) -> None:
    limits = np.iinfo(dtype)
    x = np.array([limits.min, limits.min + 1, -3, -1, 0, 1, limits.max], dtype)
    expected = x if operation in ROUNDING else FORMULAS[operation](x)
    np.testing.assert_array_equal(run(cpu_ref, operation, x), expected)


def test_logical_not(cpu_ref: Layers) -> None:
    x = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    out = run(cpu_ref, abi.ARMNN_UNARY_LOGICAL_NOT, x)
    assert out.view(np.uint8).tolist() == [1, 0, 0, 0]


def test_halves_are_rounded_to_the_even_number(cpu_ref: Layers) -> None:
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 8388609.0, np.nan, np.inf, -0.2], np.float32)
    out = run(cpu_ref, abi.ARMNN_UNARY_ROUND, x)
    expected = np.array([-2, -2, -0.0, 0, 2, 2, 8388609, np.nan, np.inf, -0.0], np.float32)
    assert out.tobytes() == expected.tobytes()


def test_floor(cpu_ref: Layers) -> None:
    x = np.array([-1.5, -0.0, 0.5, 2.999, np.nan, -np.inf, 1e20], np.float32)
    (out,) = cpu_ref.run(*shown_form(LayerType.FLOOR), [x], [(x.shape, np.float32)])
    np.testing.assert_array_equal(out, np.floor(x))


@pytest.mark.parametrize(
    ("operation", "dtype", "words"),
    [
        (abi.ARMNN_UNARY_LOGICAL_NOT, np.float32, "input is float32, bool expected"),
        (abi.ARMNN_UNARY_ABS, np.bool_, "input is bool, numbers expected"),
        (abi.ARMNN_UNARY_BITWISE_NOT, np.float32, "input is float32, integers expected"),
        (abi.ARMNN_UNARY_COUNT, np.float32, f"operation is {abi.ARMNN_UNARY_COUNT}"),
        (-5, np.float32, "operation is -5"),
    ],
)
def test_reasons(cpu_ref: Layers, operation: int, dtype: Any, words: str) -> None:
    pair = ((2, 2), dtype)
    reason = cpu_ref.refusal(abi.ARMNN_LAYER_ELEMENTWISE_UNARY, unary(operation), [pair], [pair])
    assert words in str(reason)


def test_shapes_must_agree(cpu_ref: Layers) -> None:
    reason = cpu_ref.refusal(
        abi.ARMNN_LAYER_ELEMENTWISE_UNARY,
        unary(abi.ARMNN_UNARY_ABS),
        [((2, 3), np.float32)],
        [((3, 2), np.float32)],
    )
    assert "output 0 stated as 3x2, but it is 2x3" in str(reason)
