# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Dense and grouped convolutions against windows in double precision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from .guarded import laid_out, random_like
from .operators import Operators, epilogue
from .windows import WEIGHT_ORDERS, Case, convolution, convolved, random_cases, same, weights_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EPILOGUES: dict[str, tuple[float, float, Callable[..., Any]]] = {
    "identity": (0, 0, lambda x: x),
    "clamp": (0, np.inf, lambda x: np.maximum(x, 0)),
    "hard_swish": (1.5, 0.25, lambda x: 1.5 * x * np.clip(x + 3, 0, 6) / 6 + 0.25),
    "hard_sigmoid": (0.2, 0.5, lambda x: np.clip(0.2 * x + 0.5, 0, 1)),
    "swish": (1, 0, lambda x: x / (1 + np.exp(-x))),
}

CASES = [
    # Whole vectors, rests of a vector, halves of one, more panels than one.
    *(Case((5, 7), 8, outputs) for outputs in (1, 7, 8, 9, 15, 16, 17, 24, 25, 32, 33, 40, 48)),
    *(Case((4, 6), 5, outputs, **same(3)) for outputs in (3, 24, 40, 49, 56, 64, 65, 72, 120)),
    # Pixels: one, fewer than a tile, lines that fill tiles badly, many.
    *(Case((1, pixels), 12, 40) for pixels in (1, 2, 5, 6, 11, 12, 13, 25)),
    *(Case((7, width), 6, 24, **same(3)) for width in (1, 2, 3, 7, 8, 13, 14, 23)),
    Case((56, 56), 16, 24),
    Case((28, 28), 32, 48, **same(3)),
    Case((7, 7), 160, 64, **same(3)),
    Case((14, 14), 1024, 32),
    # Few channels: rows of the window are runs.
    *(Case((13, 17), channels, 16, **same(3)) for channels in (1, 2, 3, 4, 16, 17)),
    Case((30, 32), 3, 32, (7, 7), (2, 2), before=(3, 3), after=(3, 3)),
    Case((31, 33), 3, 24, (3, 3), (2, 2), before=(0, 0), after=(1, 1)),
    Case((9, 9), 1, 6, (5, 5), (1, 1), before=(2, 2), after=(2, 2)),
    Case((12, 12), 3, 8, (4, 4), (4, 4)),
    # Strides, dilations, paddings larger than the window, images smaller than it.
    Case((15, 15), 20, 24, (1, 1), (2, 2)),
    Case((16, 15), 20, 24, (3, 3), (2, 2), before=(1, 1), after=(1, 1)),
    # Strides and panels enough that inputs are gathered.
    Case((15, 14), 20, 300, (1, 1), (2, 2), batch=2),
    Case((16, 17), 12, 200, (1, 1), (3, 2)),
    Case((11, 12), 7, 24, (3, 2), (3, 1), (2, 3), (2, 4), (1, 0)),
    Case((3, 4), 18, 17, (3, 3), before=(4, 5), after=(5, 4)),
    Case((3, 4), 3, 17, (3, 3), before=(4, 5), after=(5, 4)),
    Case((1, 1), 20, 24, **same(3)),
    Case((1, 40), 18, 24, (1, 9), before=(0, 4), after=(0, 4)),
    Case((40, 1), 18, 24, (9, 1), before=(4, 0), after=(4, 0)),
    # Panels of which a few taps are taken at a time, if the second cache has half a megabyte:
    # lines, across lines, only padding.
    Case((3, 20), 200, 40, **same(3)),
    Case((5, 7), 200, 24, **same(3)),
    Case((2, 2), 200, 17, (3, 3), before=(3, 4), after=(4, 3)),
    # Groups and batches.
    Case((6, 5), 12, 18, groups=3, **same(3)),
    Case((6, 5), 32, 96, groups=2),
    Case((5, 5), 64, 64, groups=16, **same(3)),
    Case((7, 7), 17, 24, batch=3, **same(3)),
    Case((5, 6), 3, 8, batch=2, **same(3)),
    Case((3, 3), 40, 88, batch=4),
]


def check(
    operators: Operators,
    isa: str,
    case: Case,
    *,
    seed: int = 1,
    order: str = "OIHW",
    function: str = "identity",
    bias: bool = True,
    how: int = 0,
    residual: str = "",
    threads: Sequence[int] = (1, 3),
) -> str:
    """One convolution; ``how`` the output lies, ``residual`` is "" or "first" or "last".

    It is run on each number of ``threads``; only what the last run wrote is looked at."""
    rng = np.random.default_rng(seed)
    x = random_like(rng, (case.batch, *case.image, case.channels), 0)
    weights = weights_of(case, rng, order)
    added = random_like(rng, (case.outputs,), 0) if bias else None
    out = laid_out((case.batch, *case.out_image, case.outputs), how)
    other = random_like(rng, out.shape, (how + 1) % 3 if residual else 0)
    a, b, meaning = EPILOGUES[function]
    after = epilogue(
        function,
        a,
        b,
        residual=other if residual else None,
        residual_last=residual == "last",
    )
    what = convolution(case, x, out, weights, added, after)
    kernel = operators.run("convolution", isa, what, threads=threads)
    sums = convolved(case, x, weights) + (0 if added is None else added)
    y = meaning(sums + other) if residual == "first" else meaning(sums)
    y = y + other if residual == "last" else y
    scale = np.abs(sums).max() + 1
    np.testing.assert_allclose(out, y, rtol=0, atol=2e-6 * scale, err_msg=str(case))
    if how != 0:
        whole = out.base
        while whole.size == out.size:
            whole = whole.base
        assert np.count_nonzero(whole == 5.0) >= whole.size - out.size, "wrote beside the output"
    return kernel


@pytest.mark.parametrize("case", CASES, ids=str)
def test_shapes(operators: Operators, isa: str, case: Case) -> None:
    check(operators, isa, case, threads=(3,))
    kernel = check(operators, isa, case, threads=(1,))
    assert kernel.startswith(f"armnn_f32_conv2d__{isa}_")


def wide(image: tuple[int, int], channels: int, size: int, **more: Any) -> Case:
    padding = {"before": (0, size // 2), "after": (0, size // 2)}
    return Case(image, channels, 5, (1, size), **padding, **more)


def convolved_line(case: Case, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Windows of one line over ``x`` [n, h, w, c] by Fourier's transform, of whole numbers."""
    padded = np.pad(x, ((0, 0), (0, 0), (case.before[1], case.after[1]), (0, 0)))
    length, step = padded.shape[2] + case.size[1], case.strides[1]
    windows = np.fft.rfft(weights[:, 0], length, axis=1).conj()
    lines = np.einsum("nhfc,ofc->nhfo", np.fft.rfft(padded, length, axis=2), windows)
    return np.rint(np.fft.irfft(lines, length, axis=2)[:, :, : case.out_image[1] * step : step])


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize("channels", [3, 20])
def test_very_wide_windows(operators: Operators, isa: str, channels: int) -> None:
    """Padding cuts every one: a line of them would want gigabytes of addresses or copies.

    Of small whole numbers, whose sums are exact.
    """
    rng = np.random.default_rng(1)
    for case in (wide((1, 2001), channels, 2001), wide((2, 1900), channels, 2000, strides=(1, 2))):
        x, weights = (
            rng.integers(-3, 4, shape).astype(np.float32)
            for shape in ((1, *case.image, channels), (5, *case.size, channels))
        )
        out = laid_out((1, *case.out_image, 5), 0)
        what = convolution(case, x, out, weights, None, epilogue())
        operators.run("convolution", isa, what)
        np.testing.assert_array_equal(out, convolved_line(case, x, weights), err_msg=str(case))
    case = wide((1, 16000), channels, 16384)
    x = np.zeros((1, *case.image, channels), np.float32)
    out = np.empty((1, *case.out_image, 5), np.float32)
    weights = np.zeros((5, *case.size, channels), np.float32)
    what = convolution(case, x, out, weights, None, epilogue())
    assert operators.scratch("convolution", isa, what) < 64e6


@pytest.mark.parametrize("order", WEIGHT_ORDERS)
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("channels", [3, 20])
def test_weights_lie_in_any_order(
    operators: Operators, isa: str, order: str, size: int, channels: int
) -> None:
    check(operators, isa, Case((6, 7), channels, 40, **same(size)), order=order)


@pytest.mark.parametrize("function", EPILOGUES)
@pytest.mark.parametrize("residual", ["", "first", "last"])
@pytest.mark.parametrize("outputs", [2, 24, 40, 70])
def test_epilogues(
    operators: Operators, isa: str, function: str, residual: str, outputs: int
) -> None:
    case = Case((9, 8), 11, outputs, **same(3))
    check(operators, isa, case, function=function, residual=residual)


@pytest.mark.parametrize("how", [1, 2])
@pytest.mark.parametrize("function", ["identity", "swish"])
@pytest.mark.parametrize("residual", ["", "first", "last"])
@pytest.mark.parametrize("size", [1, 3])
def test_output_is_a_part_of_a_tensor(
    operators: Operators, isa: str, how: int, function: str, residual: str, size: int
) -> None:
    case = Case((6, 9), 18, 24, batch=2, **same(size))
    check(operators, isa, case, how=how, function=function, residual=residual)


@pytest.mark.parametrize("seed", range(40))
def test_random(operators: Operators, isa: str, seed: int) -> None:
    for number, case in enumerate(random_cases(seed, 5)):
        if case.groups > 1 and case.groups == case.channels:
            continue  # depthwise
        rng = np.random.default_rng((seed, number))
        check(
            operators,
            isa,
            case,
            seed=seed,
            order=str(rng.choice(list(WEIGHT_ORDERS))),
            function=str(rng.choice(list(EPILOGUES))),
            bias=bool(rng.random() < 0.7),
            how=int(rng.integers(3)),
            residual=str(rng.choice(["", "", "first", "last"])),
        )


def test_not_a_number_stays_one(operators: Operators, isa: str) -> None:
    case = Case((2, 2), 3, 24)
    x = np.zeros((1, 2, 2, 3), np.float32)
    x[0, 1, 0, 2] = np.nan
    out = np.zeros((1, 2, 2, 24), np.float32)
    weights = np.ones((24, 1, 1, 3), np.float32)
    after = epilogue("clamp", 0, 6)
    operators.run("convolution", isa, convolution(case, x, out, weights, None, after))
    assert np.isnan(out[0, 1, 0]).all()
    assert np.isnan(out).sum() == 24
