# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""REVERSE_V2 against numpy, and axes that only the run knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import FailedError, Layers
from .tensors import DTYPES, examples, shapes, values


def run(cpu_ref: Layers, x: np.ndarray, axes: Any) -> np.ndarray:
    operands = [x, np.array(axes, np.int32)]
    (out,) = cpu_ref.run(abi.ARMNN_LAYER_REVERSE_V2, None, operands, [(x.shape, x.dtype)])
    return out


@examples
@given(shape=shapes(), data=st.data(), dtype=st.sampled_from(list(DTYPES.values())))
def test_as_numpy(cpu_ref: Layers, shape: Any, data: Any, dtype: Any) -> None:
    axes = data.draw(st.lists(st.sampled_from(range(len(shape))), unique=True)) if shape else []
    signs = data.draw(st.lists(st.booleans(), min_size=len(axes), max_size=len(axes)))
    named = [a - len(shape) if sign else a for a, sign in zip(axes, signs, strict=True)]
    x = values(shape, dtype)
    np.testing.assert_array_equal(run(cpu_ref, x, named), np.flip(x, axes))


@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 2]])
def test_in_parallel(cpu_ref: Layers, axes: list[int]) -> None:
    x = values((50, 60, 130), np.float32)
    np.testing.assert_array_equal(run(cpu_ref, x, axes), np.flip(x, axes))


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ([2], "axis 2 of 2 dimensions is to be reversed"),
        ([-3], "axis -3 of 2 dimensions is to be reversed"),
        ([0, -2], "axis 0 is to be reversed twice"),
    ],
)
def test_wrong_axes_end_the_run(cpu_ref: Layers, axes: list[int], words: str) -> None:
    with pytest.raises(FailedError, match=words):
        run(cpu_ref, values((2, 3), np.float32), axes)
