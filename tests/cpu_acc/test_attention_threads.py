# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How threads share the rows of attention: each row once, evenly, and the same numbers."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from onnx import parser

import armnn_py as ann

from .networks import values_of
from .operators import Attention, Operators, tensor

THREADS = range(1, 65)
# Rows of a matrix, rows of a tile, rows of a block: what is even, odd, less than a tile, one more.
CUTS = [(197, 12, 78), (197, 6, 78), (128, 12, 96), (65, 12, 12), (66, 9, 20), (1001, 6, 5)]
CUTS += [(1, 12, 96), (12, 12, 12), (13, 12, 96), (7, 6, 96)]


def parts(count: int, number: int) -> list[tuple[int, int]]:
    """``count`` elements in ``number`` regions as the pool has them: the longer ones first."""
    each, longer = divmod(count, number)
    ends = [part * each + min(part, longer) for part in range(number + 1)]
    return list(pairwise(ends))


@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize("matrices", [1, 3, 7])
def test_each_row_is_done_once(
    operators: Operators, cut: tuple[int, int, int], matrices: int
) -> None:
    rows, height, block_rows = cut
    tiles = matrices * -(-rows // height)
    for threads in THREADS:
        done = np.zeros((matrices, rows), int)
        per_thread = []
        for begin, end in parts(tiles, threads):
            blocks = operators.row_blocks(*cut, begin, end) if begin < end else []
            for matrix, first, count in blocks:
                assert 0 < count <= max(height, block_rows // height * height)
                assert first + count <= rows
                done[matrix, first : first + count] += 1
            per_thread.append(sum(count for _, _, count in blocks))
        assert (done == 1).all()
        # A tile more, and in each other tile of a matrix one row more.
        longest, most = -(-tiles // threads), -(-rows // -(-rows // height))
        assert max(per_thread) <= longest * most
        assert min(per_thread) >= (tiles // threads) * (most - 1)


def test_blocks_of_a_part_are_even(operators: Operators) -> None:
    """Of 13 tiles 5, 4 and 4 where at most 6 may be, not 6, 6 and 1."""
    assert operators.row_blocks(156, 12, 78, 0, 13) == [(0, 0, 60), (0, 60, 48), (0, 108, 48)]
    assert operators.row_blocks(156, 12, 78, 11, 15) == [(0, 132, 24), (1, 0, 24)]


def attend(
    operators: Operators, isa: str, batch: int, size: tuple[int, int, int, int], threads: int
) -> np.ndarray:
    m, n, k, d = size
    rng = np.random.default_rng(3)
    query, key, value = (
        rng.standard_normal((batch, *shape), np.float32) for shape in ((m, k), (k, n), (n, d))
    )
    out = np.full((batch, m, d), np.nan, np.float32)
    what = Attention(
        query=tensor(query),
        key=tensor(key),
        value=tensor(value),
        output=tensor(out),
        scale=0.3,
        beta=1.0,
        group=1,
    )
    operators.run("attention", isa, what, threads=[threads])
    return out


# Widths of one vector and a bit, keys of an odd number of vectors, tiles of one row more or less.
SIZES = [
    (197, 197, 64, 64),
    (65, 33, 64, 40),
    (67, 9, 130, 5),
    (131, 300, 33, 130),
    (64, 50, 70, 9),
]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("batch", [1, 3, 5])
def test_threads_do_not_change_bits(
    operators: Operators, isa: str, batch: int, size: tuple[int, int, int, int]
) -> None:
    expected = attend(operators, isa, batch, size, 1)
    assert not np.isnan(expected).any()
    for threads in (*range(2, 9), 13, 31, 64):
        out = attend(operators, isa, batch, size, threads)
        np.testing.assert_array_equal(out.view(np.uint32), expected.view(np.uint32))


@pytest.mark.exhaustive(kept=3)
@pytest.mark.parametrize(("batch", "m"), [(1, 197), (2, 128), (3, 197), (3, 65), (5, 131), (7, 99)])
def test_threads_have_as_many_rows(operators: Operators, isa: str, batch: int, m: int) -> None:
    """The largest part is at most a tile longer than the smallest, and chunks are small enough for
    that: of fewer than four for each thread the pool makes uneven parts."""
    for threads in range(2, 65):
        attend(operators, isa, batch, (m, 300, 130, 130), threads)
        count, grain, used = operators.last_loop()
        assert used == min(threads, batch * m // 32)
        assert count >= used
        assert grain == 1 or count // grain >= 4 * used
        most = -(-count // used) * -(-batch * m // count)
        assert most <= batch * m / used + 2 * 12


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize("rows", [19, 130])
def test_keys_of_each_run_are_packed(runtime: ann.Runtime, rows: int, batch: int) -> None:
    """A thread packs keys and values once for all that it does of a matrix, but anew in each run,
    where they may lie in the same place."""
    text = f"""<ir_version: 9, opset_import: ["" : 17]>
    net (float[{batch}, {rows}, 8] q, float[{batch}, 8, 50] k, float[{batch}, 50, 8] v)
        => (float[{batch}, {rows}, 8] y) {{
      s = MatMul(q, k)
      p = Softmax(s)
      y = MatMul(p, v)
    }}"""
    data = parser.parse_model(text).SerializeToString()
    inputs = {"q": values_of(1, batch, rows, 8), "k": np.empty((batch, 8, 50), np.float32)}
    inputs["v"] = np.empty((batch, 50, 8), np.float32)
    for threads in (1, 2):
        with ann.load(data, ["CpuAcc"], runtime=runtime, threads=threads) as net:
            bound = net.bind(inputs)
            for seed in range(3):
                for name in "kv":
                    inputs[name][...] = values_of(seed + ord(name), *inputs[name].shape)
                scores = inputs["q"].astype(np.float64) @ inputs["k"]
                scores = np.exp(scores - scores.max(-1, keepdims=True))
                expected = scores / scores.sum(-1, keepdims=True) @ inputs["v"]
                y = bound.run()["y"]
                np.testing.assert_allclose(y, expected, rtol=1e-5, atol=2e-6)
