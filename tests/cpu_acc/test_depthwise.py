# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Depthwise convolutions against windows in double precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .guarded import laid_out, random_like
from .operators import Convolution, Operators, address, epilogue, tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EPILOGUES: dict[str, tuple[float, float, Callable[..., Any]]] = {
    "identity": (0, 0, lambda x: x),
    "clamp": (0, 6, lambda x: np.clip(x, 0, 6)),
    "hard_swish": (1, 0, lambda x: x * np.clip(x + 3, 0, 6) / 6),
    "swish": (1, 0, lambda x: x / (1 + np.exp(-x))),
}


@dataclass(frozen=True)
class Window:
    size: tuple[int, int]
    strides: tuple[int, int] = (1, 1)
    dilations: tuple[int, int] = (1, 1)
    before: tuple[int, int] = (0, 0)
    after: tuple[int, int] = (0, 0)

    def outputs(self, image: tuple[int, int]) -> tuple[int, ...]:
        return tuple(
            (side + b + a - (k - 1) * d - 1) // s + 1
            for side, k, s, d, b, a in zip(
                image, self.size, self.strides, self.dilations, self.before, self.after, strict=True
            )
        )


def expected_of(x: np.ndarray, weights: np.ndarray, bias: Any, window: Window) -> np.ndarray:
    """``x`` [n, h, w, c], ``weights`` [outputs, kh, kw], all in double precision."""
    batch, height, width, channels = x.shape
    oh, ow = window.outputs((height, width))
    (sy, sx), (dy, dx) = window.strides, window.dilations
    padded = np.zeros((batch, height + 99, width + 99, channels))
    top, left = window.before
    padded[:, top : top + height, left : left + width] = x
    padded = np.repeat(padded, weights.shape[0] // channels, axis=3)
    y = np.zeros((batch, oh, ow, weights.shape[0]))
    for i in range(window.size[0]):
        for j in range(window.size[1]):
            rows = padded[:, i * dy : i * dy + (oh - 1) * sy + 1 : sy]
            taps = rows[:, :, j * dx : j * dx + (ow - 1) * sx + 1 : sx]
            y += taps * weights[:, i, j].astype(np.float64)
    return y if bias is None else y + bias


def depthwise(
    x: np.ndarray, out: np.ndarray, weights: np.ndarray, bias: Any, window: Window, after: Any
) -> Convolution:
    ky, kx = window.size
    return Convolution(
        input=tensor(x),
        output=tensor(out),
        weights=tensor(weights[..., np.newaxis]),
        bias=address(bias),
        kernel_y=ky,
        kernel_x=kx,
        stride_y=window.strides[0],
        stride_x=window.strides[1],
        dilation_y=window.dilations[0],
        dilation_x=window.dilations[1],
        pad_top=window.before[0],
        pad_left=window.before[1],
        groups=x.shape[3],
        epilogue=after,
    )


def one(
    operators: Operators,
    isa: str,
    shape: tuple[int, int, int, int],
    window: Window,
    *,
    multiplier: int = 1,
    after: str = "identity",
    residual: str = "",
    how: int = 0,
    bias: bool = True,
    threads: Sequence[int] = (1, 3),
) -> str:
    rng = np.random.default_rng(sum(shape) + how)
    batch, height, width, channels = shape
    outputs = channels * multiplier
    x = random_like(rng, shape, how)
    weights = rng.standard_normal((outputs, *window.size)).astype(np.float32)
    offsets = rng.standard_normal(outputs).astype(np.float32) if bias else None
    a, b, function = EPILOGUES[after]
    exact = expected_of(x, weights, offsets, window)
    out = laid_out(exact.shape, how)
    other = random_like(rng, exact.shape, (how + 1) % 3) if residual else None
    if residual == "first":
        exact = function(exact + other)
    elif residual == "last":
        exact = function(exact) + other
    else:
        exact = function(exact)
    then = epilogue(after, a, b, residual=other, residual_last=residual == "last")
    layer = depthwise(x, out, weights, offsets, window, then)
    kernel = operators.run("depthwise", isa, layer, threads=threads)
    np.testing.assert_allclose(out, exact, rtol=1e-5, atol=1e-5 * np.abs(exact).max())
    if out.base is not None and out.base.size > out.size:
        out[...] = 5.0
        assert (out.base == 5.0).all(), "the operator wrote beside its output"
    del batch, height, width
    return kernel


SAME = {k: Window((k, k), before=(k // 2, k // 2), after=(k // 2, k // 2)) for k in (1, 3, 5, 7)}


@pytest.mark.parametrize("size", SAME)
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 14, 17, 22, 28])
@pytest.mark.parametrize("stride", [1, 2])
def test_widths(operators: Operators, isa: str, size: int, width: int, stride: int) -> None:
    """Every way to cut a row into tiles, with borders at both ends."""
    same = SAME[size]
    window = Window(same.size, (stride, stride), before=same.before, after=same.after)
    kernel = one(operators, isa, (1, 5, width, 24), window)
    fixed = (size, stride) not in {(1, 2), (7, 2)}
    assert (f"_{size}x{size}_s{stride}_" in kernel) == fixed


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33, 40, 64, 100])
def test_channels(operators: Operators, isa: str, channels: int) -> None:
    for size in (3, 5):
        one(operators, isa, (2, 6, 9, channels), SAME[size])


@pytest.mark.parametrize(
    "window",
    [
        Window((3, 3), (2, 2), before=(0, 0), after=(1, 1)),  # TensorFlow's SAME
        Window((3, 3), (2, 2), before=(1, 1), after=(0, 0)),
        Window((3, 3)),
        Window((5, 5), (2, 2), before=(1, 2), after=(2, 1)),
        Window((3, 3), before=(2, 2), after=(2, 2)),  # more than half: windows with one tap inside
        Window((3, 3), (1, 1), (2, 2), (2, 2), (2, 2)),
        Window((3, 3), (2, 1), (1, 3), (1, 3), (1, 3)),
        Window((3, 3), (3, 3), before=(1, 1)),
        Window((3, 3), (2, 1), before=(1, 1), after=(1, 1)),  # text recognition
        Window((5, 5), (1, 2), before=(2, 2), after=(2, 2)),
        Window((3, 3), (4, 1), before=(2, 1), after=(2, 1)),
        Window((1, 5), before=(0, 2), after=(0, 2)),
        Window((9, 9), before=(4, 4), after=(4, 4)),
        Window((2, 2), (2, 2)),
        Window((7, 7), (4, 4), before=(3, 3), after=(3, 3)),
        Window((1, 1)),
    ],
)
@pytest.mark.parametrize("image", [(1, 1), (3, 2), (9, 11), (12, 30)])
def test_windows(operators: Operators, isa: str, window: Window, image: tuple[int, int]) -> None:
    if min(window.outputs(image)) < 1:
        pytest.skip("the window does not fit into the image")
    for how in range(3):
        one(operators, isa, (2, *image, 20), window, how=how, bias=how != 1)


@pytest.mark.parametrize("size", [3, 5])
@pytest.mark.parametrize("is_below", [True, False])
def test_rows_far_outside(operators: Operators, isa: str, size: int, is_below: bool) -> None:
    """Strides and borders of more rows than 31 bits count: one window is outside of the image."""
    rng = np.random.default_rng(size)
    step = 2**31 + 8
    x = random_like(rng, (1, size + 1, 9, 20), 0)
    weights = rng.standard_normal((20, size, size)).astype(np.float32)
    bias = rng.standard_normal(20).astype(np.float32)
    inside = expected_of(x[:, :size], weights, bias, Window((size, size)))
    exact = np.concatenate(
        [inside, np.broadcast_to(bias, inside.shape)][:: 1 if is_below else -1], 1
    )
    out = laid_out(exact.shape, 0)
    window = Window((size, size), (step, 1), before=(0 if is_below else step, 0))
    operators.run("depthwise", isa, depthwise(x, out, weights, bias, window, epilogue()))
    assert_close(out, exact, LayerType.DEPTHWISE_CONVOLUTION2D)


@pytest.mark.parametrize("after", EPILOGUES)
@pytest.mark.parametrize("residual", ["", "first", "last"])
@pytest.mark.parametrize("size", [1, 3, 9])
def test_epilogues(operators: Operators, isa: str, after: str, residual: str, size: int) -> None:
    window = Window((size, size), before=(size // 2,) * 2, after=(size // 2,) * 2)
    for how, channels in enumerate((16, 21, 8)):
        shape = (1, 7, 10, channels)
        one(operators, isa, shape, window, after=after, residual=residual, how=how)


@pytest.mark.parametrize(("channels", "multiplier"), [(1, 16), (1, 3), (3, 8), (5, 2), (16, 4)])
def test_multipliers(operators: Operators, isa: str, channels: int, multiplier: int) -> None:
    for how in range(2):
        one(operators, isa, (2, 6, 8, channels), SAME[3], multiplier=multiplier, how=how)


@pytest.mark.parametrize(
    ("shape", "size", "multiplier"),
    [((1, 40, 41, 72), 3, 1), ((2, 20, 20, 90), 5, 1), ((1, 30, 30, 24), 3, 3)],
)
def test_several_threads(
    operators: Operators, isa: str, shape: tuple[int, int, int, int], size: int, multiplier: int
) -> None:
    one(operators, isa, shape, SAME[size], multiplier=multiplier, after="swish", how=1)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    "shape",
    [
        (1, 1, 9, 20),  # both borders in one row
        (2, 2, 13, 20),
        (1, 5, 4500, 16),  # threads share rows out, the last one by itself
        (1, 131, 9, 20),  # more rows than a strip has
        (1, 61, 62, 48),  # more than stays in L2
    ],
)
def test_strips(
    operators: Operators, isa: str, shape: tuple[int, int, int, int], threads: int
) -> None:
    """Walks from the top to the bottom of a strip: all heights, and each row once."""
    for stride in (1, 2):
        for how, before in enumerate((1, 1, 0)):
            window = Window((3, 3), (stride, stride), before=(1, before), after=(1, 1))
            one(operators, isa, shape, window, after="clamp", how=how, threads=[threads])
        if shape[0] > 1:
            window = Window((3, 3), (stride, stride), before=(0, 1), after=(1, 0))
            one(operators, isa, shape, window, after="hard_swish", threads=[threads])


def test_weights_of_any_order(operators: Operators, isa: str) -> None:
    """Networks also keep them as [y, x, channel]."""
    rng = np.random.default_rng(4)
    x = random_like(rng, (1, 8, 8, 20), 0)
    weights = rng.standard_normal((3, 3, 20)).astype(np.float32)
    exact = expected_of(x, weights.transpose(2, 0, 1), None, SAME[3])
    out = laid_out(exact.shape, 0)
    layer = depthwise(x, out, weights, None, SAME[3], epilogue())
    layer.weights = tensor(weights.transpose(2, 0, 1)[..., np.newaxis])
    operators.run("depthwise", isa, layer)
    assert_close(out, exact, LayerType.DEPTHWISE_CONVOLUTION2D)
