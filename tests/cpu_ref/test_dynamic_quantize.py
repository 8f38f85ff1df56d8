# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DYNAMIC_QUANTIZE and MAT_MUL_INTEGER against onnxruntime and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers, descriptor
from .reference import onnx_node, random

F = np.float32
QUANTIZE = abi.ARMNN_LAYER_DYNAMIC_QUANTIZE
PRODUCT = abi.ARMNN_LAYER_MAT_MUL_INTEGER
R = np.random.default_rng(5)


def form(*, rows: bool = False, symmetric: bool = False) -> abi.armnn_dynamic_quantize_descriptor_t:
    return descriptor(
        abi.armnn_dynamic_quantize_descriptor_t, QUANTIZE, rows=rows, symmetric=symmetric
    )


SAMPLES = {
    "both": random((3, 50), 1) * 3,
    "above": np.abs(random((3, 50), 2)) + 1,
    "below": -np.abs(random((3, 50), 3)) - 1,
    "halves": np.append(np.arange(-64, 64) / 2, [127.5 - 64]).astype(F),
    "zeros": np.zeros((2, 3), F),
}


@pytest.mark.parametrize("x", SAMPLES.values(), ids=SAMPLES)
def test_one_range_as_onnxruntime(cpu_ref: Layers, x: np.ndarray) -> None:
    expected = [
        onnx_node("DynamicQuantizeLinear", [x], outputs=order)
        for order in (("y", "s", "z"), ("a", "y", "z"), ("a", "s", "y"))
    ]
    found = cpu_ref.run(QUANTIZE, form(), [x], [(x.shape, np.uint8), ((), F), ((), np.uint8)])
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_rows_of_their_own(cpu_ref: Layers) -> None:
    x = random((2, 3, 40), 4) * np.geomspace(0.1, 9, 6).reshape(2, 3, 1).astype(F)
    outputs = [(x.shape, np.uint8), ((2, 3, 1), F), ((2, 3, 1), np.uint8)]
    levels, scale, point = cpu_ref.run(QUANTIZE, form(rows=True), [x], outputs)
    for place in np.ndindex(2, 3):
        row = cpu_ref.run(
            QUANTIZE, form(), [x[place]], [((40,), np.uint8), ((), F), ((), np.uint8)]
        )
        np.testing.assert_array_equal(levels[place], row[0])
        assert (scale[place], point[place]) == (row[1], row[2])


def test_symmetric_rows(cpu_ref: Layers) -> None:
    """TensorFlow Lite's PortableSymmetricQuantizeFloats; a tie goes away from 0."""
    x = np.concatenate([random((3, 40), 6), [[127] + [0.5, -0.5, 1.5, -2.5] * 9 + [0] * 3]])
    x = np.concatenate([x, np.zeros((1, 40))]).astype(F)
    most = np.abs(x).max(1, keepdims=True)
    factor = np.divide(F(127), most, where=most > 0, out=np.ones_like(most))
    steps = x * factor
    expected = np.sign(steps) * np.floor(np.abs(steps) + F(0.5))
    levels, scale, point = cpu_ref.run(
        QUANTIZE,
        form(rows=True, symmetric=True),
        [x],
        [(x.shape, np.int8), ((5, 1), F), ((5, 1), np.int8)],
    )
    np.testing.assert_array_equal(levels, expected)
    np.testing.assert_array_equal(scale, np.where(most > 0, most / F(127), F(1)))
    assert not point.any()


def test_nan_is_left_out(cpu_ref: Layers) -> None:
    x = np.array([-1, np.nan, 4], F)
    levels, scale, point = cpu_ref.run(
        QUANTIZE, form(), [x], [((3,), np.uint8), ((), F), ((), np.uint8)]
    )
    assert levels.tolist() == [0, 51, 255]
    assert (scale, point) == (F(5) / F(255), 51)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("end", [1e-45, 1e-38, 3e38, np.inf])
def test_zero_stays_zero(cpu_ref: Layers, symmetric: bool, end: float) -> None:
    """However small or large the range is, whose scale may be 0 or infinite."""
    dtype = np.int8 if symmetric else np.uint8
    x = np.array([0, end, -end], F)
    levels, _, point = cpu_ref.run(
        QUANTIZE, form(symmetric=symmetric), [x], [((3,), dtype), ((), F), ((), dtype)]
    )
    assert levels[0] == point


def of(dtype: Any, *shape: int) -> np.ndarray:
    ends = np.iinfo(dtype)
    return R.integers(ends.min, ends.max + 1, shape).astype(dtype)


@pytest.mark.parametrize("x_type", [np.uint8, np.int8])
@pytest.mark.parametrize("y_type", [np.uint8, np.int8])
@pytest.mark.parametrize(
    ("x_shape", "y_shape", "x_point", "y_point"),
    [
        ((5, 7), (7, 3), (), ()),
        ((5, 7), (7, 3), (5, 1), (3,)),
        ((5, 7), (7, 1), (1,), None),
        ((2, 1, 5, 7), (4, 7, 3), (2, 1, 5, 1), (4, 1, 3)),
        ((1, 70), (2, 70, 1), None, (2, 1, 1)),
        ((3, 0), (0, 2), None, None),
    ],
)
def test_products_are_exact(
    cpu_ref: Layers,
    x_type: Any,
    y_type: Any,
    x_shape: tuple[int, ...],
    y_shape: tuple[int, ...],
    x_point: tuple[int, ...] | None,
    y_point: tuple[int, ...] | None,
) -> None:
    x, y = of(x_type, *x_shape), of(y_type, *y_shape)
    points = [
        None if shape is None else of(dtype, *shape)
        for dtype, shape in ((x_type, x_point), (y_type, y_point))
    ]
    wide = [
        value.astype(np.int32) - (0 if point is None else point.astype(np.int32))
        for value, point in zip((x, y), points, strict=True)
    ]
    expected = wide[0] @ wide[1]
    (found,) = cpu_ref.run(PRODUCT, None, [x, y, *points], [(expected.shape, np.int32)])
    np.testing.assert_array_equal(found, expected)
