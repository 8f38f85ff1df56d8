# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators on elements: functions, and pairs with broadcasting, on tensors of any strides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .guarded import laid_out, random_like
from .operators import FUNCTIONS, Binary, Operators, Unary, epilogue, tensor

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add": (abi.ARMNN_BINARY_ADD, np.add),
    "div": (abi.ARMNN_BINARY_DIV, np.divide),
    "maximum": (abi.ARMNN_BINARY_MAXIMUM, np.maximum),
    "minimum": (abi.ARMNN_BINARY_MINIMUM, np.minimum),
    "mul": (abi.ARMNN_BINARY_MUL, np.multiply),
    "sub": (abi.ARMNN_BINARY_SUB, np.subtract),
    "squared_difference": (abi.ARMNN_BINARY_SQ_DIFF, lambda x, y: (x - y) ** 2),
    "power": (abi.ARMNN_BINARY_POWER, lambda x, y: np.abs(x) ** y),
}
EPILOGUES: dict[str, tuple[float, float, Callable[..., Any]]] = {
    "identity": (0, 0, lambda x: x),
    "clamp": (-0.25, 0.5, lambda x: np.clip(x, -0.25, 0.5)),
    "swish": (1, 0, lambda x: x / (1 + np.exp(-np.clip(x, -700, None)))),
}


def binary(
    operation: str, left: np.ndarray, right: np.ndarray, output: np.ndarray, after: str
) -> Binary:
    a, b, _ = EPILOGUES[after]
    return Binary(
        left=tensor(left),
        right=tensor(right),
        output=tensor(output),
        operation=OPERATIONS[operation][0],
        epilogue=epilogue(after, a, b),
    )


def check(y: np.ndarray, expected: np.ndarray) -> None:
    assert_close(y, expected, LayerType.ELEMENTWISE_BINARY)
    if y.base is not None and y.base.ndim == y.ndim and y.size and y.base.size > y.size:
        y[...] = 5.0
        assert (y.base == 5.0).all(), "the operator wrote beside its output"


SHAPES = [
    # left, right
    ((33,), (33,)),
    ((2, 7, 5, 24), (2, 7, 5, 24)),
    ((2, 7, 5, 24), (1, 1, 1, 1)),
    ((1, 1, 1, 1), (2, 7, 5, 24)),
    ((2, 7, 5, 24), (1, 1, 1, 24)),  # per channel
    ((2, 7, 5, 24), (2, 1, 1, 24)),  # gates of squeeze and excite
    ((2, 7, 5, 24), (2, 7, 5, 1)),  # per pixel
    ((2, 7, 5, 24), (1, 7, 1, 1)),
    ((3, 1, 5), (1, 4, 1)),  # both repeat
    ((3, 1, 1), (1, 1, 17)),
    ((1, 1, 1), (1, 1, 1)),
    ((40, 70, 64), (40, 70, 64)),  # enough for several threads
    ((2, 45, 70, 32), (2, 1, 1, 32)),
    ((2, 45, 70, 3), (2, 45, 70, 1)),
    ((100_001,), (1,)),
]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_broadcasting(
    operators: Operators,
    isa: str,
    operation: str,
    left: tuple[int, ...],
    right: tuple[int, ...],
) -> None:
    rng = np.random.default_rng(len(left) + right[-1])
    for how, after in enumerate(EPILOGUES):
        x, y = random_like(rng, left, how), random_like(rng, right, (how + 1) % 3)
        if operation == "power":
            x[...] = np.abs(x) + 0.125
        expected = EPILOGUES[after][2](
            OPERATIONS[operation][1](x.astype(np.float64), y.astype(np.float64))
        )
        out = laid_out(expected.shape, how)
        operators.run("binary", isa, binary(operation, x, y, out, after))
        check(out, expected)


@pytest.mark.parametrize("seed", range(30))
def test_random_broadcasting(operators: Operators, isa: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = [int(rng.choice([1, 2, 3, 5, 7, 16, 17, 33])) for _ in range(rng.integers(1, 6))]
    left = [side if rng.random() < 0.7 else 1 for side in shape]
    right = [
        side if rng.random() < 0.5 or other == 1 else 1
        for side, other in zip(shape, left, strict=True)
    ]
    x, y = random_like(rng, left, seed % 3), random_like(rng, right, seed // 3 % 3)
    out = laid_out(shape, seed // 9 % 3)
    operators.run("binary", isa, binary("sub", x, y, out, "identity"))
    check(out, x.astype(np.float64) - y)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("after", EPILOGUES)
def test_in_place_of_an_operand(operators: Operators, isa: str, side: str, after: str) -> None:
    rng = np.random.default_rng(1)
    memory, other = random_like(rng, (3, 5, 19), 0), random_like(rng, (1, 1, 19), 0)
    x, y = (memory, other) if side == "left" else (other, memory)
    expected = EPILOGUES[after][2](x.astype(np.float64) - y)
    operators.run("binary", isa, binary("sub", x, y, memory, after), threads=(1,))
    assert_close(memory, expected, LayerType.ELEMENTWISE_BINARY)


@pytest.mark.parametrize("operation", ["maximum", "minimum"])
def test_not_a_number_wins(operators: Operators, isa: str, operation: str) -> None:
    x = np.array([1, np.nan, np.nan, -np.inf] * 5, np.float32)
    y = np.array([np.nan, 1, np.nan, np.inf] * 5, np.float32)
    out = np.zeros_like(x)
    operators.run("binary", isa, binary(operation, x, y, out, "identity"))
    np.testing.assert_array_equal(out, OPERATIONS[operation][1](x, y))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("shape", [(1,), (3, 5), (2, 3, 5, 17), (3, 300, 130)])
def test_functions_of_tensors(
    operators: Operators, isa: str, function: str, shape: tuple[int, ...]
) -> None:
    """Tensors of any strides give the same as the kernel on a dense row."""
    rng = np.random.default_rng(2)
    for how in range(3):
        x, out = random_like(rng, shape, how), laid_out(shape, (how + 1) % 3)
        x[...] = np.abs(x) + 0.01
        expected = operators.apply(isa, function, np.ascontiguousarray(x), 0.5, 0.75)
        what = Unary(tensor(x), tensor(out), epilogue(function, 0.5, 0.75))
        operators.run("unary", isa, what)
        np.testing.assert_array_equal(out, expected)
        what.output = what.input
        operators.run("unary", isa, what, threads=(1,))
        np.testing.assert_array_equal(x, expected)
