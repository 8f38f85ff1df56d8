# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CAST and the float16 conversions against numpy, and the rules for values that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.types import LayerType

from .harness import Layers, shown_form
from .tensors import DTYPES

INTEGERS = ("signed32", "signed64", "unsigned8", "signed8", "signed16")


def cast(cpu_ref: Layers, x: np.ndarray, dtype: Any) -> np.ndarray:
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_CAST, None, [x], [(x.shape, dtype)])
    return out


@pytest.mark.parametrize("target", INTEGERS)
def test_float_to_integer_truncates_and_saturates(cpu_ref: Layers, target: str) -> None:
    limits = np.iinfo(DTYPES[target])
    x = np.array(
        [np.nan, np.inf, -np.inf, 1e30, -1e30, 1.99, -0.99, 0.0, 100.5, float(limits.max) * 2],
        np.float32,
    )
    expected = [0, limits.max, limits.min, limits.max, limits.min, 1, 0, 0, 100, limits.max]
    assert cast(cpu_ref, x, DTYPES[target]).tolist() == expected


@pytest.mark.parametrize("target", INTEGERS)
def test_float_next_to_the_limits(cpu_ref: Layers, target: str) -> None:
    limits = np.iinfo(DTYPES[target])
    edge = np.float32(float(limits.max) + 1)
    x = np.array([np.nextafter(edge, np.float32(0)), edge, np.float32(limits.min)], np.float32)
    expected = [int(x[0]), limits.max, limits.min]
    assert cast(cpu_ref, x, DTYPES[target]).tolist() == expected


def test_nan_and_small_fractions_are_true(cpu_ref: Layers) -> None:
    x = np.array([np.nan, 0.1, -0.0], np.float32)
    assert cast(cpu_ref, x, np.bool_).view(np.uint8).tolist() == [1, 1, 0]


def test_bytes_other_than_one_are_true(cpu_ref: Layers) -> None:
    x = np.array([0, 1, 2, 255], np.uint8).view(np.bool_)
    assert cast(cpu_ref, x, np.int32).tolist() == [0, 1, 1, 1]
    assert cast(cpu_ref, x, np.bool_).view(np.uint8).tolist() == [0, 1, 1, 1]


def test_every_float16(cpu_ref: Layers) -> None:
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    layer = shown_form(LayerType.CONVERT_FP16_TO_FP32)
    (out,) = cpu_ref.run(*layer, [x], [(x.shape, np.float32)])
    np.testing.assert_array_equal(out, x.astype(np.float32))


def test_float16_rounds_to_even(cpu_ref: Layers) -> None:
    half = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    middles = (half[1:] + half[:-1]) / 2
    x = np.concatenate([middles, np.nextafter(middles, np.float32(0)), -middles])
    x = np.concatenate([x, np.array([65519, 65520, 1e30, -1e30, np.nan, 1e-30], np.float32)])
    layer = shown_form(LayerType.CONVERT_FP32_TO_FP16)
    (out,) = cpu_ref.run(*layer, [x], [(x.shape, np.float16)])
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(out, x.astype(np.float16))


def test_reasons(cpu_ref: Layers) -> None:
    real, half = ((2,), np.float32), ((2,), np.float16)
    kind = abi.ARMNN_LAYER_CAST
    assert "output 0 stated as 3, but it is 2" in str(
        cpu_ref.refusal(kind, None, [real], [((3,), np.int32)])
    )
    kind = abi.ARMNN_LAYER_CONVERT_FP16_TO_FP32
    assert cpu_ref.refusal(kind, None, [half], [real]) == "ConvertFp16ToFp32 is shown as Cast"
