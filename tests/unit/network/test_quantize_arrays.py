# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""`QuantizationInfo.quantize` and `dequantize`: numbers by hand."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann


def test_one_scale() -> None:
    info = ann.QuantizationInfo(0.25, -3)
    found = info.quantize([0.0, 0.125, 0.375, 100.0, -100.0])
    assert found.dtype == np.int8
    assert found.tolist() == [-3, -3, -1, 127, -128]  # halves to the even step
    assert info.dequantize(found).tolist() == [0.0, 0.0, 0.5, 32.5, -31.25]


def test_scales_along_an_axis() -> None:
    info = ann.QuantizationInfo((0.5, 2.0), (1, 0), axis=1)
    found = info.quantize([[1.0, 4.0]], ann.DataType.QASYMM_U8)
    assert found.tolist() == [[3, 2]]
    assert info.dequantize(found).tolist() == [[1.0, 4.0]]


def test_refusals() -> None:
    info = ann.QuantizationInfo(0.5)
    with pytest.raises(ann.InvalidArgumentError, match="a quantised type expected"):
        info.quantize([1.0], "float32")
    with pytest.raises(ann.InvalidArgumentError, match="NaN"):
        info.quantize([np.nan])
    with pytest.raises(ann.InvalidArgumentError, match="integers expected"):
        info.dequantize([0.5])
