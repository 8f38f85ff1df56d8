# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Transposed convolutions against sums in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from .guarded import laid_out, random_like
from .operators import Operators, epilogue
from .windows import WEIGHT_ORDERS, Case, convolution, random_cases, transposed, weights_of

CASES = [
    Case((5, 6), 12, 24, (2, 2), (2, 2)),
    Case((5, 6), 12, 1, (2, 2), (2, 2)),
    Case((8, 8), 24, 40, (4, 4), (2, 2), before=(1, 1), after=(1, 1)),
    Case((8, 8), 24, 40, (3, 3), (2, 2), before=(1, 1), after=(0, 0)),
    Case((6, 7), 5, 9, (3, 3), (1, 1), before=(1, 1), after=(1, 1)),
    Case((4, 4), 6, 8, (3, 2), (4, 5)),  # some pixels get the bias only
    Case((4, 5), 6, 8, (1, 1), (3, 2)),
    Case((4, 5), 6, 8, (3, 3), (2, 3), (2, 2)),
    Case((4, 5), 6, 8, (3, 3), (2, 2), (3, 2), before=(2, 1), after=(3, 3)),
    Case((6, 6), 8, 12, (4, 4), (2, 2), before=(4, 3), after=(2, 5), groups=2),
    Case((3, 5), 7, 16, (5, 5), (2, 2), batch=3),
    Case((40, 41), 24, 24, (2, 2), (2, 2)),
    Case((1, 1), 9, 33, (7, 7), (3, 3)),
]


def check(
    operators: Operators,
    isa: str,
    case: Case,
    *,
    seed: int = 2,
    order: str = "OIHW",
    how: int = 0,
    residual: str = "",
) -> None:
    rng = np.random.default_rng(seed)
    x = random_like(rng, (case.batch, *case.image, case.channels), 0)
    weights = weights_of(case, rng, order)
    bias = random_like(rng, (case.outputs,), 0)
    out = laid_out((case.batch, *case.transposed_image, case.outputs), how)
    other = random_like(rng, out.shape, 0)
    after = epilogue(
        "clamp", -4, 5, residual=other if residual else None, residual_last=residual == "last"
    )
    what = convolution(case, x, out, weights, bias, after)
    kernel = operators.run("transpose_convolution", isa, what)
    assert kernel.startswith(f"armnn_f32_transpose_conv2d__{isa}_")
    sums = transposed(case, x, weights) + bias
    y = np.clip(sums + other, -4, 5) if residual == "first" else np.clip(sums, -4, 5)
    y = y + other if residual == "last" else y
    scale = np.abs(sums).max() + 1
    np.testing.assert_allclose(out, y, rtol=0, atol=2e-6 * scale, err_msg=str(case))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_shapes(operators: Operators, isa: str, case: Case) -> None:
    check(operators, isa, case)


@pytest.mark.parametrize("order", WEIGHT_ORDERS)
@pytest.mark.parametrize("residual", ["", "first", "last"])
@pytest.mark.parametrize("how", [0, 1, 2])
def test_layouts_and_residuals(
    operators: Operators, isa: str, order: str, residual: str, how: int
) -> None:
    case = Case((5, 7), 10, 24, (3, 4), (2, 3), before=(1, 0), after=(0, 2))
    check(operators, isa, case, order=order, residual=residual, how=how)


@pytest.mark.parametrize("seed", range(100, 120))
def test_random(operators: Operators, isa: str, seed: int) -> None:
    for case in random_cases(seed, 5):
        check(operators, isa, case, seed=seed, how=seed % 3)
