# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Constants of equal content are found again, and only these."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.tensors.equal_arrays import EqualArrays

VALUES = np.random.default_rng(8).standard_normal((80, 90)).astype(np.float32)


def changed(index: int, value: float) -> np.ndarray[Any, Any]:
    array = VALUES.copy()
    array.reshape(-1)[index] = value
    return array


@pytest.mark.parametrize("index", [0, 1, 4321, VALUES.size - 1])
def test_content_decides(index: int) -> None:
    arrays, info = EqualArrays[str](), ann.TensorInfo(VALUES.shape)
    kept = [VALUES, changed(index, np.nan), changed(index, 0.0)]
    for number, array in enumerate(kept):
        arrays.add(array, info, f"array {number}")
    assert [*arrays.alike(VALUES.copy(), info)] == ["array 0"]
    assert [*arrays.alike(changed(index, np.nan), info)] == ["array 1"]
    assert [*arrays.alike(changed(index, 0.0), info)] == ["array 2"]
    assert [*arrays.alike(changed(index, -0.0), info)] == []


def test_the_info_decides() -> None:
    arrays, levels = EqualArrays[str](), VALUES.view(np.int8)
    infos = [
        ann.TensorInfo(levels.shape, ann.DataType.QASYMM_S8, ann.QuantizationInfo((scale,)))
        for scale in (0.5, 0.25)
    ]
    arrays.add(levels, infos[0], "a half")
    assert [*arrays.alike(levels.copy(), infos[0])] == ["a half"]
    assert [*arrays.alike(levels, infos[1])] == []
    assert [*arrays.alike(levels.reshape(-1), ann.TensorInfo((levels.size,)))] == []


def test_arrays_are_not_kept_alive() -> None:
    arrays, info, array = EqualArrays[str](), ann.TensorInfo(VALUES.shape), VALUES.copy()
    arrays.add(array, info, "gone")
    del array
    gc.collect()
    assert [*arrays.alike(VALUES, info)] == []
