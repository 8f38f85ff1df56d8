# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators of any type on tensors of any strides, whose memory ends at an unreadable page."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .guarded import guarded
from .operators import UNSUPPORTED, Cast, Each, Gather, Operators, Pairs, Search, Select, tensor

ARITHMETIC, COMPARISON = 0, 1


def laid(x: np.ndarray, how: int) -> np.ndarray:
    """A guarded copy of ``x``: dense, with gaps along the last dimension or along the first."""
    sides = [*x.shape, x.itemsize]
    if how > 0:
        sides[-2 if how == 1 else 0] += 2
    whole = np.prod(sides, dtype=np.int64)
    memory = guarded((-(-int(whole) // 4),)).view(np.uint8)[-int(whole) :]
    memory[...] = 0x55
    array = memory.view(x.dtype).reshape(sides[:-1])
    part = [slice(None)] * x.ndim
    if how > 0:
        part[-1 if how == 1 else 0] = slice(0, x.shape[-1 if how == 1 else 0])
    array[tuple(part)] = x
    return array[tuple(part)]


def draw(seed: int, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.random.default_rng(seed).integers(-9, 10, shape).astype(dtype)


SHAPES = [
    ((3, 5, 70), (3, 5, 70)),
    ((3, 5, 70), (1, 5, 1)),
    ((3, 1, 70), (3, 5, 70)),
    ((1, 1, 1), (3, 5, 2)),
    ((2, 3, 1), (2, 1, 1)),
    ((40, 50, 30), (40, 50, 30)),
]


@pytest.mark.parametrize("how", range(3))
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_pairs(operators: Operators, isa: str, left: Any, right: Any, dtype: Any, how: int) -> None:
    x, y = laid(draw(0, left, dtype), how), laid(draw(1, right, dtype), (how + 1) % 3)
    for kind, operation, expected in (
        (ARITHMETIC, abi.ARMNN_BINARY_SUB, x - y),
        (COMPARISON, abi.ARMNN_COMPARISON_LESS, x < y),
    ):
        out = laid(np.zeros_like(expected), (how + 2) % 3)
        what = Pairs(tensor(x), tensor(y), tensor(out), kind=kind, operation=operation)
        assert operators.run("pairs", isa, what) != UNSUPPORTED
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("how", range(3))
@pytest.mark.parametrize("target", [np.float32, np.int32, np.int64, np.bool_])
def test_each_and_casts(operators: Operators, isa: str, target: Any, how: int) -> None:
    for shape in ((3, 5, 70), (2, 3, 1), (7, 1000)):
        x = laid(draw(2, shape, np.int32), how)
        out = laid(np.zeros(shape, target), (how + 1) % 3)
        assert operators.run("cast", isa, Cast(tensor(x), tensor(out))) != UNSUPPORTED
        np.testing.assert_array_equal(out, x.astype(target))
        out = laid(np.zeros(shape, np.int32), (how + 1) % 3)
        what = Each(tensor(x), tensor(out), operation=abi.ARMNN_UNARY_NEG)
        assert operators.run("each", isa, what) != UNSUPPORTED
        np.testing.assert_array_equal(out, -x)


@pytest.mark.parametrize("how", range(3))
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32, np.int64])
def test_select(operators: Operators, isa: str, dtype: Any, how: int) -> None:
    for shape in ((3, 5, 70), (4, 3, 1), (5, 2000)):
        mask = laid(draw(3, shape, np.int32) > 0, how)
        x, y = laid(draw(4, shape, dtype), (how + 1) % 3), laid(draw(5, shape, dtype)[:1], 0)
        out = laid(np.zeros(shape, dtype), (how + 2) % 3)
        what = Select(tensor(mask), tensor(x), tensor(y), tensor(out))
        assert operators.run("select", isa, what) != UNSUPPORTED
        np.testing.assert_array_equal(out, np.where(mask, x, y))


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.int64])
def test_gather(operators: Operators, isa: str, dtype: Any) -> None:
    """Slices may lie apart; gaps inside of them, and between indices, are copied away before."""
    places = laid(np.random.default_rng(6).integers(-4, 4, (300, 2)).astype(np.int32), 0)
    x = laid(draw(7, (3, 4, 5, 9), dtype), 2)
    out = laid(np.zeros((3, 300, 9), dtype), 2)
    what = Gather(tensor(x), tensor(places), tensor(out))
    assert operators.run("gather", isa, what) != UNSUPPORTED
    np.testing.assert_array_equal(out, x[:, places[:, 0], places[:, 1]])
    for array, name in ((x, "input"), (places, "indices"), (out, "output")):
        apart = laid(array, 1)
        # Gaps along the last dimension lie between its rows: a step of 2 lies inside of them.
        apart = apart if name == "indices" else apart[..., ::2]
        refused = Gather.from_buffer_copy(what)
        setattr(refused, name, tensor(apart))
        assert operators.refuses("gather", isa, refused)


def test_an_index_outside(operators: Operators, isa: str) -> None:
    x, out = draw(8, (1, 4, 3), np.float32), np.zeros((1, 2, 3), np.float32)
    for bad in (4, -5):
        places = np.array([[3], [bad]], np.int64)
        what = Gather(tensor(x), tensor(places), tensor(out), dimension=2)
        with pytest.raises(ValueError, match=rf"^index {bad} at place 1 .* dimension 2$"):
            operators.run("gather", isa, what)
    assert (out == 0).all()


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_search(operators: Operators, isa: str, dtype: Any) -> None:
    for shape in ((3, 5, 300), (4, 70, 1), (1, 1, 7)):
        for how in range(3):
            x = laid(draw(9, shape, dtype), how)
            out = laid(np.zeros((shape[0], shape[2]), np.int32), how // 2)
            what = Search(tensor(x), tensor(out), function=abi.ARMNN_ARG_MAX)
            assert operators.run("search", isa, what) != UNSUPPORTED
            np.testing.assert_array_equal(out, x.argmax(1))


@pytest.mark.parametrize("function", ["argmin", "argmax"])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64, np.bool_])
@pytest.mark.parametrize("length", [1, 31, 32, 33, 100])
def test_search_of_neighbours(
    operators: Operators, isa: str, length: int, dtype: Any, function: str
) -> None:
    """Many are equal; the first NaN of a row, if there is one, wins."""
    rng = np.random.default_rng(length)
    x = rng.integers(0, 9 if dtype != np.bool_ else 2, (40, length, 1)).astype(dtype)
    if x.dtype.kind == "f":
        x[rng.random(x.shape) < 0.02] = np.nan
    out = np.zeros((40, 1), np.int64)
    number = abi.ARMNN_ARG_MIN if function == "argmin" else abi.ARMNN_ARG_MAX
    what = Search(tensor(x), tensor(out), function=number)
    assert operators.run("search", isa, what) != UNSUPPORTED
    np.testing.assert_array_equal(out, getattr(x, function)(1))
