# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""SELECT against numpy.where, for elements of every size."""

from __future__ import annotations

import numpy as np
import pytest

from armnn_py._native import abi

from .harness import Layers

SELECT = abi.ARMNN_LAYER_SELECT


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.float16, np.float32, np.int64])
@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3), (2, 3), (2, 3)],
        [(3,), (2, 1), (1, 3)],
        [(2, 1, 4), (), (2, 3, 1)],
        [(), (5,), (5,)],
        [(2, 3, 1), (1, 3, 200), (2, 1, 200)],
        [(0, 3), (1, 3), (3,)],
    ],
    ids=str,
)
def test_matches_numpy(cpu_ref: Layers, shapes: list[tuple[int, ...]], dtype: type) -> None:
    rng = np.random.default_rng(0)
    condition = rng.integers(0, 2, shapes[0]).astype(np.bool_)
    x, y = (rng.integers(0, 2 if dtype is np.bool_ else 100, s).astype(dtype) for s in shapes[1:])
    expected = np.where(condition, x, y)
    operands = [np.asarray(condition), np.asarray(x), np.asarray(y)]
    (out,) = cpu_ref.run(SELECT, None, operands, [(expected.shape, dtype)])
    np.testing.assert_array_equal(out, expected)


def test_what_is_not_chosen_leaves_no_trace(cpu_ref: Layers) -> None:
    x = np.array([np.nan, 1.0, np.inf], np.float32)
    y = np.array([2.0, np.nan, -0.0], np.float32)
    (out,) = cpu_ref.run(SELECT, None, [np.array([False, True, False]), x, y], [((3,), np.float32)])
    np.testing.assert_array_equal(out, [2.0, 1.0, -0.0])
    assert np.signbit(out[2])
