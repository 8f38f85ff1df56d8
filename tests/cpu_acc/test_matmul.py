# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Products of matrices against numpy in double precision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from .guarded import laid_out, random_like
from .operators import Matmul, Operators, Tensor, address, epilogue, tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

# Rows, columns, depth.
SIZES = [
    (1, 1, 1),
    (1, 10, 40),
    (1, 1000, 64),
    (2, 24, 9),
    (1, 8, 11),
    (1, 33, 7),
    (1, 24, 42),
    (3, 8, 13),
    (5, 7, 3),
    (6, 33, 1),
    (13, 40, 17),
    (64, 64, 64),
    (197, 64, 30),
    (50, 197, 64),
]


def variable(array: np.ndarray, binding: np.ndarray) -> Tensor:
    """The same tensor, but one that lies in ``binding`` and is not a constant."""
    result = tensor(array)
    result.memory.offset = result.values - address(binding)
    result.values = None
    return result


def check(
    operators: Operators,
    isa: str,
    left_batch: Sequence[int],
    right_batch: Sequence[int],
    size: tuple[int, int, int],
    *,
    turn: tuple[bool, bool] = (False, False),
    constant: bool = True,
    bias: bool = False,
    how: int = 0,
    function: str = "identity",
    residual: str = "",
    seed: int = 4,
) -> None:
    rng = np.random.default_rng(seed)
    m, n, k = size
    left = random_like(rng, (*left_batch, *((k, m) if turn[0] else (m, k))), 0)
    right = random_like(rng, (*right_batch, *((n, k) if turn[1] else (k, n))), 0)
    batch = np.broadcast_shapes(tuple(left_batch), tuple(right_batch))
    out = laid_out((*batch, m, n), how)
    added = random_like(rng, (n,), 0) if bias else None
    other = random_like(rng, out.shape, how)
    what = Matmul(
        left=tensor(left),
        right=tensor(right) if constant else variable(right, left),
        output=tensor(out),
        transpose_left=turn[0],
        transpose_right=turn[1],
        bias=address(added),
        epilogue=epilogue(
            function,
            -1,
            2,
            residual=other if residual else None,
            residual_last=residual == "last",
        ),
    )
    kernel = operators.run("matmul", isa, what, binding=left)
    assert kernel.startswith(f"armnn_f32_matmul__{isa}_")
    a = left.astype(np.float64).swapaxes(-1, -2) if turn[0] else left.astype(np.float64)
    b = right.astype(np.float64).swapaxes(-1, -2) if turn[1] else right.astype(np.float64)
    sums = a @ b + (0 if added is None else added)
    meaning = {
        "identity": lambda x: x,
        "clamp": lambda x: np.clip(x, -1, 2),
        "elu": lambda x: np.where(x > 0, x, -np.expm1(np.minimum(x, 0))),
    }[function]
    y = meaning(sums + other) if residual == "first" else meaning(sums)
    y = y + other if residual == "last" else y
    np.testing.assert_allclose(out, y, rtol=0, atol=2e-6 * (np.abs(sums).max() + 1))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("turn", [(False, False), (False, True), (True, False), (True, True)])
@pytest.mark.parametrize("constant", [True, False])
def test_sizes(
    operators: Operators,
    isa: str,
    size: tuple[int, int, int],
    turn: tuple[bool, bool],
    constant: bool,
) -> None:
    check(operators, isa, (), (), size, turn=turn, constant=constant, bias=True)


@pytest.mark.parametrize(
    ("left_batch", "right_batch"),
    [
        ((3,), (3,)),
        ((3,), (1,)),
        ((1,), (3,)),
        ((2, 3), (2, 3)),
        ((2, 3), (1, 3)),
        ((2, 3), (2, 1)),
        ((2, 1), (1, 3)),
        ((2, 3), (1, 1)),
        ((2, 1, 3), (1, 2, 3)),
        ((2, 2, 3), (1, 1, 1)),
    ],
)
@pytest.mark.parametrize("turn", [(False, False), (True, True)])
@pytest.mark.parametrize("constant", [True, False])
def test_batches(
    operators: Operators,
    isa: str,
    left_batch: Sequence[int],
    right_batch: Sequence[int],
    turn: tuple[bool, bool],
    constant: bool,
) -> None:
    size = (9, 40, 21)
    check(operators, isa, left_batch, right_batch, size, turn=turn, constant=constant)


@pytest.mark.parametrize("function", ["identity", "clamp", "elu"])
@pytest.mark.parametrize("residual", ["", "first", "last"])
@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("how", [0, 1, 2])
def test_epilogues_and_layouts(
    operators: Operators, isa: str, function: str, residual: str, constant: bool, how: int
) -> None:
    check(
        operators,
        isa,
        (2,),
        (2,) if not constant else (1,),
        (15, 24, 33),
        constant=constant,
        bias=True,
        how=how,
        function=function,
        residual=residual,
    )


def test_many_rows_of_one_product_are_divided_among_threads(operators: Operators, isa: str) -> None:
    check(operators, isa, (), (), (600, 20, 70), constant=False)
    check(operators, isa, (), (), (600, 20, 70), constant=True)
