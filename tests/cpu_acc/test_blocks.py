# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Blocks of the batch, groups of channels and reversed dimensions, as numpy defines them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann

from .one_layer import TYPES, numbers, run

NHWC, NCHW = ann.DataLayout.NHWC, ann.DataLayout.NCHW
ALL = [pytest.param(dtype.type, id=dtype.name) for dtype in TYPES]


def to_batch(x: np.ndarray, block: Any, padding: Any, first: int) -> np.ndarray:
    """TensorFlow's definition: image (i, j) of a block comes with its pixels, j running fastest."""
    pads = [(0, 0)] * x.ndim
    pads[first : first + len(block)] = padding
    padded = np.pad(x, pads)
    parts = []
    for place in np.ndindex(*block):
        part = [slice(None)] * x.ndim
        for axis, (start, step) in enumerate(zip(place, block, strict=True)):
            part[first + axis] = slice(start, None, step)
        parts.append(padded[tuple(part)])
    return np.concatenate(parts)


CASES = [
    ((2, 4, 6, 3), (2, 3), [(0, 0), (0, 0)], NHWC),
    ((1, 5, 4, 2), (3, 2), [(1, 3), (0, 2)], NHWC),
    ((2, 3, 4, 6), (2, 2), [(2, 0), (1, 1)], NCHW),
    ((3, 8, 2), (4,), [(1, 3)], NHWC),
]


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(("shape", "block", "padding", "layout"), CASES)
def test_space_to_batch_and_back(
    runtime: ann.Runtime, shape: Any, block: Any, padding: Any, layout: Any, dtype: Any
) -> None:
    x = numbers(0, shape, dtype)
    there = to_batch(x, block, padding, 2 if layout == NCHW else 1)

    def go(n: Any, s: Any) -> Any:
        return n.add_space_to_batch_nd(s, block, padding, data_layout=layout)

    def come(n: Any, s: Any) -> Any:
        return n.add_batch_to_space_nd(s, block, padding, data_layout=layout)

    np.testing.assert_array_equal(run(runtime, [x], go), there)
    np.testing.assert_array_equal(run(runtime, [there], come), x)
    np.testing.assert_array_equal(run(runtime, [x], lambda n, s: come(n, go(n, s))), x)


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize(("axis", "groups"), [(1, 3), (3, 2), (0, 2)])
def test_channel_shuffle(runtime: ann.Runtime, axis: int, groups: int, dtype: Any) -> None:
    x = numbers(1, (4, 6, 5, 8), dtype)
    order = np.arange(x.shape[axis]).reshape(groups, -1).T.ravel()
    out = run(runtime, [x], lambda n, s: n.add_channel_shuffle(s, groups, axis))
    np.testing.assert_array_equal(out, x.take(order, axis))


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("axes", [(0,), (1, -1), (0, 1, 2)])
def test_reverse(runtime: ann.Runtime, axes: Any, dtype: Any) -> None:
    x = numbers(2, (3, 1, 7), dtype)
    out = run(runtime, [x], lambda n, s: n.add_reverse_v2(s, axes))
    np.testing.assert_array_equal(out, np.flip(x, axes))
