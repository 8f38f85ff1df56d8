# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Convolutions by Winograd's algorithm against windows in double precision."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from .guarded import laid_out, random_like
from .operators import UNSUPPORTED, Operators, epilogue
from .windows import WEIGHT_ORDERS, Case, convolution, convolved, same, weights_of

if TYPE_CHECKING:
    from collections.abc import Callable

TILES = (2, 4)
# The largest error that docs/cpu_acc_kernels.md states, as a part of the largest output.
BOUNDS = {2: 2e-6, 4: 1e-5}

FUNCTIONS: dict[str, tuple[float, float, Callable[..., Any]]] = {
    "identity": (0, 0, lambda x: x),
    "clamp": (0, 6, lambda x: np.clip(x, 0, 6)),
    "leaky": (0.1, 0, lambda x: np.where(x > 0, x, 0.1 * x)),
    "hard_swish": (1, 0, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "swish": (1, 0, lambda x: x / (1 + np.exp(-x))),
    "sigmoid": (0, 0, lambda x: 1 / (1 + np.exp(-x))),
    "tanh": (1, 1, np.tanh),
}

PADDINGS = list(itertools.product((0, 1, 2), repeat=2))


def padded(image: tuple[int, int], channels: int, outputs: int, **more: Any) -> Case:
    return Case(image, channels, outputs, **{**same(3), **more})


CASES = [
    # Channels around those of vectors, pairs of vectors and panels.
    *(padded((6, 5), channels, 8) for channels in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33, 70)),
    *(padded((5, 6), 8, outputs) for outputs in (1, 3, 4, 5, 8, 9, 16, 17, 24, 25, 40, 49, 70)),
    # Images of one pixel, less than a tile, and of tiles that end outside.
    *(padded((height, width), 6, 9) for height in (1, 2, 3, 7) for width in (1, 4, 5, 6, 8, 9)),
    # More blocks than one, and fewer tiles than threads.
    padded((40, 37), 20, 24),
    padded((56, 56), 64, 16),
    padded((7, 7), 160, 96),
    padded((13, 13), 48, 80),
    *(padded((height, 6), 5, 8, batch=batch) for height in (3, 5) for batch in (2, 5)),
    padded((9, 10), 64, 32, batch=3),
]


def check(
    operators: Operators,
    isa: str,
    tile: int,
    case: Case,
    *,
    order: str = "OIHW",
    function: str = "identity",
    bias: bool = True,
    how: int = 0,
    residual: str = "",
) -> None:
    """On one thread and on three; ``how`` the output lies, ``residual`` as in test_convolution."""
    rng = np.random.default_rng(7)
    x = random_like(rng, (case.batch, *case.image, case.channels), 0)
    weights = weights_of(case, rng, order) * np.float32(np.sqrt(2 / (9 * case.channels)))
    added = random_like(rng, (case.outputs,), 0) if bias else None
    other = random_like(rng, (case.batch, *case.out_image, case.outputs), (how + 1) % 3)
    a, b, meaning = FUNCTIONS[function]
    after = epilogue(
        function, a, b, residual=other if residual else None, residual_last=residual == "last"
    )
    sums = convolved(case, x, weights) + (0 if added is None else added)
    y = meaning(sums + other) if residual == "first" else meaning(sums)
    y = y + other if residual == "last" else y
    results = []
    for threads in (1, 3):
        out = laid_out(other.shape, how)
        what = convolution(case, x, out, weights, added, after)
        kernel = operators.run("winograd", isa, what, tile, threads=(threads,))
        assert kernel == f"armnn_f32_conv2d_winograd__{isa}_{tile}x{tile}"
        # A function may be as steep as 1.1 (swish), and has an error of its own.
        atol = 1.2 * BOUNDS[tile] * max(1.0, np.abs(sums).max())
        np.testing.assert_allclose(out, y, rtol=0, atol=atol, err_msg=str(case))
        results.append(out)
        np.testing.assert_array_equal(out, results[0], err_msg=f"{threads} threads, {case}")
        if how != 0:
            whole = out.base
            while whole.size == out.size:
                whole = whole.base
            assert np.count_nonzero(whole == 5.0) >= whole.size - out.size, "wrote beside it"


@pytest.mark.parametrize("tile", TILES)
def test_shapes(operators: Operators, isa: str, tile: int) -> None:
    for case in CASES:
        check(operators, isa, tile, case)


@pytest.mark.parametrize("tile", TILES)
def test_paddings(operators: Operators, isa: str, tile: int) -> None:
    """Every combination, also more than the window reaches, and images without any."""
    for before, after in itertools.product(PADDINGS, PADDINGS):
        image = (5, 4)
        check(operators, isa, tile, padded(image, 3, 5, before=before, after=after))
    check(operators, isa, tile, padded((2, 3), 9, 8, before=(5, 4), after=(4, 6)))


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_epilogues(operators: Operators, isa: str, tile: int, function: str) -> None:
    for residual, how in itertools.product(("", "first", "last"), (0, 1, 2)):
        for case in (padded((9, 7), 11, 21), padded((6, 6), 70, 72, batch=2)):
            check(operators, isa, tile, case, function=function, residual=residual, how=how)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("order", WEIGHT_ORDERS)
def test_weights_lie_in_any_order(operators: Operators, isa: str, tile: int, order: str) -> None:
    check(operators, isa, tile, padded((6, 7), 20, 40), order=order)
    check(operators, isa, tile, padded((6, 7), 3, 5), order=order, bias=False)


@pytest.mark.parametrize("tile", TILES)
def test_error_of_deep_layers(operators: Operators, isa: str, tile: int) -> None:
    """Errors stay within those of docs/cpu_acc_kernels.md, for ReLU inputs and He's weights."""
    for seed, channels in itertools.product(range(3), (16, 64, 512)):
        case = padded((14, 14), channels, 32)
        rng = np.random.default_rng(seed)
        x = np.maximum(rng.standard_normal((1, 14, 14, channels)), 0).astype(np.float32)
        weights = weights_of(case, rng, "OIHW") * np.float32(np.sqrt(2 / (9 * channels)))
        out = np.empty((1, 14, 14, 32), np.float32)
        operators.run("winograd", isa, convolution(case, x, out, weights, None, epilogue()), tile)
        expected = convolved(case, x, weights)
        error = (out - expected) / np.abs(expected).max()
        assert np.abs(error).max() < BOUNDS[tile]
        assert np.sqrt(np.mean(error**2)) < BOUNDS[tile] / 10


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_stays_local(operators: Operators, isa: str, tile: int, value: float) -> None:
    """All that sees it is not a finite number, and nothing of tiles that do not see it changes."""
    case = padded((13, 14), 5, 9)
    rng = np.random.default_rng(5)
    x = rng.standard_normal((1, 13, 14, 5)).astype(np.float32)
    weights = weights_of(case, rng, "OIHW")
    plain, spoilt = (np.empty((1, 13, 14, 9), np.float32) for _ in range(2))
    operators.run("winograd", isa, convolution(case, x, plain, weights, None, epilogue()), tile)
    y, c = 5, 6
    x[0, y, c, 2] = value
    after = epilogue("clamp", -np.inf, np.inf)
    operators.run("winograd", isa, convolution(case, x, spoilt, weights, None, after), tile)
    assert not np.isfinite(spoilt[0, y - 1 : y + 2, c - 1 : c + 2]).any()
    rows = np.arange(13) // tile
    columns = np.arange(14) // tile
    seen_rows = np.isin(rows, [(y - 1) // tile, (y + 1) // tile])
    seen_columns = np.isin(columns, [(c - 1) // tile, (c + 1) // tile])
    seen = seen_rows[:, None] & seen_columns[None]
    np.testing.assert_array_equal(spoilt[0][~seen], plain[0][~seen])


@pytest.mark.parametrize(
    "case",
    [
        Case((9, 9), 8, 8, (3, 3), strides=(2, 2)),
        Case((9, 9), 8, 8, (3, 3), strides=(1, 2)),
        Case((9, 9), 8, 8, (3, 3), dilations=(2, 2)),
        Case((9, 9), 8, 8, (3, 1)),
        Case((9, 9), 8, 8, (5, 5)),
        Case((9, 9), 8, 8, (3, 3), groups=2),
    ],
    ids=str,
)
def test_other_windows_are_refused(operators: Operators, isa: str, case: Case) -> None:
    rng = np.random.default_rng(0)
    x = random_like(rng, (1, *case.image, case.channels), 0)
    out = laid_out((1, *case.out_image, case.outputs), 0)
    weights = weights_of(case, rng, "OIHW")
    what = convolution(case, x, out, weights, None, epilogue())
    for tile in TILES:
        assert operators.run("winograd", isa, what, tile) == UNSUPPORTED
    with operators.winograd("always"):
        kernel = operators.run("convolution", isa, what)
    assert kernel.startswith(f"armnn_f32_conv2d__{isa}_")


@pytest.mark.parametrize(
    ("option", "case", "winograd"),
    [
        ("off", padded((28, 28), 64, 64), False),
        ("auto", padded((28, 28), 64, 64), True),
        ("auto", padded((20, 20), 64, 64), True),  # some tiles, where products are what takes time
        ("auto", padded((13, 13), 64, 256), True),
        ("auto", padded((28, 28), 3, 32), False),  # few channels: transforms cost more
        ("auto", padded((2, 2), 64, 64), False),  # one tile: all weights for a few pixels
        ("always", padded((28, 28), 3, 32), True),
    ],
)
def test_choice(operators: Operators, isa: str, option: str, case: Case, winograd: bool) -> None:
    rng = np.random.default_rng(0)
    x = random_like(rng, (1, *case.image, case.channels), 0)
    out = laid_out((1, *case.out_image, case.outputs), 0)
    weights = weights_of(case, rng, "OIHW")
    with operators.winograd(option):
        what = convolution(case, x, out, weights, None, epilogue())
        kernels = {operators.run("convolution", isa, what, threads=(n,)) for n in (1, 3)}
    assert len(kernels) == 1, "the choice depends on threads"
    assert ("winograd" in kernels.pop()) == winograd
    expected = convolved(case, x, weights)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-5 * np.abs(expected).max())
