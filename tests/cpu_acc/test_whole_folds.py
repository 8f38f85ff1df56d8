# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sums, means, extremes and products of whole numbers over any dimensions, as numpy has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import ReduceOperation

from .one_layer import run

CASES = [
    # shape, dimensions that are folded
    ((33,), (0,)),
    ((5, 40), (1,)),
    ((5, 40), (0,)),
    ((2, 7, 9, 24), (1, 2)),
    ((2, 7, 9, 24), (1, 3)),
    ((2, 7, 9, 24), (0, 1, 2, 3)),
    ((3, 1, 17), (1,)),
    ((1, 80, 9, 700), (1, 2)),
    ((3, 30_000), (1,)),
]


def folded(x: np.ndarray, operation: ReduceOperation, axes: tuple[int, ...]) -> np.ndarray:
    """In 64 bits that wrap; a mean is cut off towards zero."""
    wide = x.astype(np.int64)
    if operation is ReduceOperation.MEAN:
        sums = wide.sum(axes, keepdims=True)
        count = x.size // sums.size
        return (np.sign(sums) * (np.abs(sums) // count)).astype(x.dtype)
    function = {
        ReduceOperation.SUM: np.sum,
        ReduceOperation.PROD: np.prod,
        ReduceOperation.MAX: np.max,
        ReduceOperation.MIN: np.min,
    }[operation]
    return function(wide, axis=axes, keepdims=True).astype(x.dtype)


@pytest.mark.parametrize("operation", list(ReduceOperation))
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_any_dimensions(
    runtime: ann.Runtime, shape: Any, axes: Any, dtype: Any, operation: ReduceOperation
) -> None:
    ends = np.iinfo(dtype)
    rng = np.random.default_rng(3)
    most = ends.max // 40_000 if dtype is np.int64 else ends.max
    x = rng.integers(-most, most, shape, dtype)

    def make(n: Any, s: Any) -> Any:
        return n.add_reduce(s, operation, axes=axes, keep_dims=True)

    np.testing.assert_array_equal(run(runtime, [x], make), folded(x, operation, axes))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_the_ends_of_the_type(runtime: ann.Runtime, dtype: Any) -> None:
    """Sums wrap around, the least number is one that can be the most."""
    ends = np.iinfo(dtype)
    x = np.array([[ends.max, 1, 0], [ends.min, ends.min, ends.min]], dtype)

    def of(operation: ReduceOperation) -> np.ndarray:
        return run(runtime, [x], lambda n, s: n.add_reduce(s, operation, axes=(1,)))

    np.testing.assert_array_equal(of(ReduceOperation.SUM), [ends.min, ends.min])
    np.testing.assert_array_equal(of(ReduceOperation.MAX), [ends.max, ends.min])
    np.testing.assert_array_equal(of(ReduceOperation.MIN), [0, ends.min])
    np.testing.assert_array_equal(of(ReduceOperation.PROD), [0, 0])


def test_others_go_to_another_backend(runtime: ann.Runtime) -> None:
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((2, 3), ann.DataType.UNSIGNED32))
    network.add_output("y", network.add_reduce(x, ReduceOperation.SUM, axes=(1,)))
    with pytest.raises(ann.NoBackendForLayerError, match="computes this layer in float32"):
        ann.optimize(network, ["CpuAcc"], runtime=runtime)
