# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CHANNEL_SHUFFLE against numpy: groups and channels of a group change places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from armnn_py._native import abi

from .harness import Layers, descriptor
from .tensors import DTYPES, examples, shapes, values

LAYER = abi.ARMNN_LAYER_CHANNEL_SHUFFLE


def run(cpu_ref: Layers, x: np.ndarray, groups: int, axis: int) -> np.ndarray:
    form = descriptor(abi.armnn_channel_shuffle_descriptor_t, LAYER, group_count=groups, axis=axis)
    (out,) = cpu_ref.run(LAYER, form, [x], [(x.shape, x.dtype)])
    return out


def expected(x: np.ndarray, groups: int, axis: int) -> np.ndarray:
    each = x.shape[axis] // groups
    order = [g * each + k for k in range(each) for g in range(groups)]
    return x.take(order, axis)


@examples
@given(
    shape=shapes(min_rank=1, max_rank=7, max_elements=150),
    data=st.data(),
    groups=st.integers(1, 4),
    dtype=st.sampled_from(list(DTYPES.values())),
)
def test_as_numpy(cpu_ref: Layers, shape: Any, data: Any, groups: int, dtype: Any) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    shape = (*shape[:axis], shape[axis] * groups, *shape[axis + 1 :])
    x = values(shape, dtype)
    np.testing.assert_array_equal(run(cpu_ref, x, groups, axis), expected(x, groups, axis))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_in_parallel(cpu_ref: Layers, axis: int) -> None:
    x = values((60, 66, 120), np.float32)
    np.testing.assert_array_equal(run(cpu_ref, x, 6, axis), expected(x, 6, axis))
