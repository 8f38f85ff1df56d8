# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Reductions, softmax and normalisation over any dimensions, on tensors of any strides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from armnn_py._native import abi

from .guarded import laid_out, random_like
from .operators import (
    UNSUPPORTED,
    Normalize,
    Operators,
    Reduce,
    Softmax,
    address,
    epilogue,
    tensor,
)

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "sum": (abi.ARMNN_REDUCE_SUM, np.sum),
    "max": (abi.ARMNN_REDUCE_MAX, np.max),
    "mean": (abi.ARMNN_REDUCE_MEAN, np.mean),
    "min": (abi.ARMNN_REDUCE_MIN, np.min),
    "prod": (abi.ARMNN_REDUCE_PROD, np.prod),
}
CASES = [
    # shape, dimensions that are folded
    ((33,), (0,)),
    ((5, 40), (1,)),
    ((5, 40), (0,)),
    ((2, 7, 9, 24), (1, 2)),
    ((2, 7, 9, 24), (3,)),
    ((2, 7, 9, 24), (1, 2, 3)),
    ((2, 7, 9, 24), (0, 1, 2, 3)),
    ((2, 7, 9, 24), (0, 2)),
    ((2, 7, 9, 24), (1, 3)),
    ((3, 1, 17), (1,)),
    ((1, 1, 5), (0, 1)),
    ((1, 80, 90, 70), (1, 2)),
    ((300, 500), (1,)),
    ((2, 100_000), (1,)),
    # Short rows, which are turned: more than one block of them, and blocks that are not full.
    ((300, 2), (1,)),
    ((131, 5), (1,)),
    ((3, 140, 31), (2,)),
    ((4, 7, 150, 3), (1, 3)),
    ((9, 33), (1,)),
]


def bits(axes: tuple[int, ...]) -> int:
    return sum(1 << axis for axis in axes)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("shape", "axes"), CASES)
def test_reduce(
    operators: Operators, isa: str, operation: str, shape: tuple[int, ...], axes: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(1)
    code, function = OPERATIONS[operation]
    for how in range(3):
        x = random_like(rng, shape, how)
        x[...] = 1 + x / 10_000 if operation == "prod" else x + 1
        exact = function(x.astype(np.float64), axis=axes, keepdims=True)
        out = laid_out(exact.shape, (how + 1) % 3)
        after = epilogue("clamp", -1e30, 1.0) if how == 1 else epilogue()
        exact = np.minimum(exact, 1.0) if how == 1 else exact
        what = Reduce(
            input=tensor(x),
            output=tensor(out),
            operation=code,
            axis_mask=bits(axes),
            epilogue=after,
        )
        assert "reduce" in operators.run("reduce", isa, what)
        # The rounding of one part of a sum, not of all of it; each factor of a product rounds.
        rounding = 6e-8 * x.size / exact.size if operation == "prod" else 0
        # A part is as large as an element also where a sum of both signs is nearly 0.
        part = 6e-8 * np.abs(x).max() if operation in ("sum", "mean") else 0
        np.testing.assert_allclose(out, exact, rtol=2e-6 + rounding, atol=part)


@pytest.mark.parametrize("shape", [(20_000, 2, 8), (20_000, 2, 40), (20_000, 2, 3, 8)])
def test_sum_of_many_pieces(operators: Operators, isa: str, shape: tuple[int, ...]) -> None:
    """Rows and columns that do not lie one behind another lose no more than those that do."""
    x = np.full(shape, 0.1, np.float32)
    exact = x.astype(np.float64).sum(axis=(0, 2), keepdims=True)
    out = laid_out(exact.shape, 0)
    what = Reduce(input=tensor(x), output=tensor(out), axis_mask=bits((0, 2)))
    operators.run("reduce", isa, what)
    np.testing.assert_allclose(out, exact, rtol=1e-6)


def test_infinities(operators: Operators, isa: str) -> None:
    x = np.ones((500, 20), np.float32)
    x[100, 3], x[400, 3], x[7, 5] = np.inf, np.inf, -np.inf
    for axes in ((0,), (1,)):
        exact = x.sum(axis=axes, keepdims=True)
        out = laid_out(exact.shape, 0)
        what = Reduce(input=tensor(x), output=tensor(out), axis_mask=bits(axes))
        operators.run("reduce", isa, what)
        np.testing.assert_array_equal(out, exact)


@pytest.mark.parametrize("columns", [3, 8, 17])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_short_rows_with_special_values(
    operators: Operators, isa: str, operation: str, columns: int
) -> None:
    """NaN and infinities stay in their rows."""
    x = np.random.default_rng(6).uniform(0.5, 1.5, (200, columns)).astype(np.float32)
    x[7, 0], x[150, columns - 1], x[64, 1], x[199, 2] = np.nan, np.nan, np.inf, -np.inf
    code, function = OPERATIONS[operation]
    out = laid_out((200, 1), 0)
    what = Reduce(input=tensor(x), output=tensor(out), operation=code, axis_mask=2)
    operators.run("reduce", isa, what)
    np.testing.assert_allclose(out, function(x, axis=1, keepdims=True), rtol=2e-6)


def test_function_behind_a_reduction(operators: Operators, isa: str) -> None:
    x, out = random_like(np.random.default_rng(2), (4, 6, 21), 0), laid_out((4, 1, 21), 0)
    what = Reduce(
        input=tensor(x),
        output=tensor(out),
        operation=abi.ARMNN_REDUCE_MEAN,
        axis_mask=2,
        epilogue=epilogue("sigmoid"),
    )
    operators.run("reduce", isa, what)
    mean = x.astype(np.float64).mean(axis=1, keepdims=True)
    np.testing.assert_allclose(out, 1 / (1 + np.exp(-mean)), rtol=2e-6)


@pytest.mark.parametrize("beta", [1.0, 0.5, -2.0])
@pytest.mark.parametrize("logarithm", [0, 1])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((17,), 0),
        ((1, 1000), 1),
        ((5, 3), 1),
        ((4, 33, 6), 1),
        ((2, 5, 7, 70), 1),
        ((6, 9, 2), 0),
        ((3, 1), 1),
        ((150, 130), 1),
        ((70, 300), 0),
        ((300, 2), 1),
        ((3, 140, 31), 2),
        ((140, 32), 1),
        ((9, 33), 1),
    ],
)
def test_softmax(
    operators: Operators, isa: str, shape: tuple[int, ...], axis: int, logarithm: int, beta: float
) -> None:
    rng = np.random.default_rng(3)
    for how in range(3):
        x, out = random_like(rng, shape, how), laid_out(shape, (how + 1) % 3)
        x *= 20  # exponentials of the numbers themselves would overflow with an offset
        x += 300
        z = beta * x.astype(np.float64)
        z -= z.max(axis=axis, keepdims=True)
        total = np.exp(z).sum(axis=axis, keepdims=True)
        exact = z - np.log(total) if logarithm else np.exp(z) / total
        what = Softmax(tensor(x), tensor(out), axis, beta, logarithm)
        operators.run("softmax", isa, what)
        np.testing.assert_allclose(out, exact, rtol=3e-6, atol=1e-5 if logarithm else 1e-7)
        what.output = what.input
        operators.run("softmax", isa, what, threads=(1,))
        np.testing.assert_allclose(x, out, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("columns", [3, 9])
def test_softmax_of_long_columns(operators: Operators, isa: str, columns: int) -> None:
    x = np.random.default_rng(7).random((500_000, columns), np.float32)
    exponential = np.exp(x.astype(np.float64))
    out = laid_out(x.shape, 0)
    operators.run("softmax", isa, Softmax(tensor(x), tensor(out), 0, 1.0, 0))
    np.testing.assert_allclose(out, exponential / exponential.sum(axis=0), rtol=3e-6)


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize(
    ("shape", "axes", "scale_axis"),
    [
        ((2, 9, 11, 24), (1, 2), 3),  # instance normalisation
        ((2, 9, 11, 24), (3,), 3),  # layer normalisation
        ((2, 9, 11, 24), (1, 2, 3), 3),
        ((2, 9, 11, 24), (1, 2, 3), 1),
        ((2, 9, 11, 24), (0, 1, 2), 3),
        ((7, 40), (1,), 0),
        ((7, 40), (0,), 1),
        ((5,), (0,), 0),
        ((2, 60, 70, 40), (1, 2), 3),
        ((300, 500), (1,), 1),
    ],
)
@pytest.mark.parametrize("scaled", ["both", "gamma", "beta", "neither"])
def test_normalize(
    operators: Operators,
    isa: str,
    kind: int,
    shape: tuple[int, ...],
    axes: tuple[int, ...],
    scale_axis: int,
    scaled: str,
) -> None:
    rng = np.random.default_rng(4)
    side = shape[scale_axis]
    gamma = rng.standard_normal(side).astype(np.float32) if scaled in ("both", "gamma") else None
    beta = rng.standard_normal(side).astype(np.float32) if scaled in ("both", "beta") else None
    along = [1] * len(shape)
    along[scale_axis] = -1
    for how in range(3):
        x, out = random_like(rng, shape, how), laid_out(shape, (how + 1) % 3)
        x += 30  # a difference of sums of squares would be wrong by now
        d = x.astype(np.float64)
        if kind == 0:
            exact = d - d.mean(axis=axes, keepdims=True)
            exact = exact / np.sqrt((exact**2).mean(axis=axes, keepdims=True) + 1e-3)
        else:
            exact = d / np.sqrt((d**2).sum(axis=axes, keepdims=True))
        exact = exact * gamma.reshape(along) if gamma is not None else exact
        exact = exact + beta.reshape(along) if beta is not None else exact
        what = Normalize(
            input=tensor(x),
            output=tensor(out),
            kind=kind,
            axis_mask=bits(axes),
            scale_axis=scale_axis,
            eps=1e-3,
            gamma=address(gamma),
            beta=address(beta),
        )
        operators.run("normalize", isa, what)
        np.testing.assert_allclose(out, exact, rtol=1e-5, atol=2e-5)
        what.output = tensor(x)
        operators.run("normalize", isa, what, threads=(1,))
        np.testing.assert_allclose(x, exact, rtol=1e-5, atol=2e-5)


def test_scales_that_differ_within_a_block_are_refused(operators: Operators, isa: str) -> None:
    x, out = random_like(np.random.default_rng(5), (5, 7), 0), laid_out((5, 7), 0)
    gamma = np.ones(5, np.float32)
    what = Normalize(
        input=tensor(x), output=tensor(out), axis_mask=1, scale_axis=0, gamma=address(gamma)
    )
    assert operators.run("normalize", isa, what) == UNSUPPORTED
