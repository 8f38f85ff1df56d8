# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Pooling against windows in double precision."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .guarded import laid_out, random_like
from .operators import Operators, Pooling, epilogue, tensor

METHODS = {
    "maximum": abi.ARMNN_POOLING_MAX,
    "average": abi.ARMNN_POOLING_AVERAGE,
    "l2": abi.ARMNN_POOLING_L2,
}

# channels, image, window, strides, dilations, pads (top, left, bottom, right), rounded up
GEOMETRIES = [
    (1, (1, 1), (1, 1), (1, 1), (1, 1), (0, 0, 0, 0), False),
    (64, (9, 11), (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), False),
    (70, (8, 9), (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), False),
    (200, (7, 7), (7, 7), (1, 1), (1, 1), (0, 0, 0, 0), False),
    (3, (9, 10), (3, 3), (1, 3), (2, 3), (2, 2, 2, 2), False),
    (17, (13, 13), (5, 5), (1, 1), (1, 1), (2, 2, 2, 2), False),
    (8, (15, 8), (5, 1), (3, 1), (1, 1), (3, 0, 3, 0), True),  # a row of windows behind the end
    (16, (6, 7), (3, 2), (2, 2), (1, 1), (1, 0, 0, 1), True),
]


def positions(side: int, k: int, s: int, d: int, before: int, after: int, up: bool) -> int:
    room = side + before + after - (k - 1) * d - 1
    return (-(-room // s) if up else room // s) + 1


def expected_of(
    x: np.ndarray,
    method: str,
    size: tuple[int, int],
    strides: tuple[int, int],
    dilations: tuple[int, int],
    pads: tuple[int, int, int, int],
    outputs: tuple[int, int],
    count_padding: bool,
) -> np.ndarray:
    batch, height, width, channels = x.shape
    y = np.zeros((batch, *outputs, channels))
    for i, j in itertools.product(range(outputs[0]), range(outputs[1])):
        rows = [i * strides[0] - pads[0] + k * dilations[0] for k in range(size[0])]
        columns = [j * strides[1] - pads[1] + k * dilations[1] for k in range(size[1])]
        inside_y = [row for row in rows if 0 <= row < height]
        inside_x = [column for column in columns if 0 <= column < width]
        if not inside_y or not inside_x:
            continue
        seen = x[:, inside_y][:, :, inside_x].reshape(batch, -1, channels).astype(np.float64)
        count = len(inside_y) * len(inside_x)
        if count_padding:
            count = sum(row < height + pads[2] for row in rows)
            count *= sum(column < width + pads[3] for column in columns)
        if method == "maximum":
            y[:, i, j] = seen.max(axis=1)
        else:
            mean = (seen**2 if method == "l2" else seen).sum(axis=1) / count
            y[:, i, j] = np.sqrt(mean) if method == "l2" else mean
    return y


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count_padding", [False, True])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_windows(
    operators: Operators,
    isa: str,
    method: str,
    count_padding: bool,
    geometry: tuple[
        int,
        tuple[int, int],
        tuple[int, int],
        tuple[int, int],
        tuple[int, int],
        tuple[int, int, int, int],
        bool,
    ],
) -> None:
    channels, image, size, strides, dilations, pads, up = geometry
    outputs = (
        positions(image[0], size[0], strides[0], dilations[0], pads[0], pads[2], up),
        positions(image[1], size[1], strides[1], dilations[1], pads[1], pads[3], up),
    )
    rng = np.random.default_rng(channels)
    after = [("identity", 0.0, 0.0), ("clamp", -0.5, 0.5), ("abs", 0.0, 0.0)]
    for how in range(3):
        x = random_like(rng, (2, *image, channels), how)
        if method == "maximum":
            x -= 3  # a zero from padding would win
        exact = expected_of(x, method, size, strides, dilations, pads, outputs, count_padding)
        exact = [exact, np.clip(exact, -0.5, 0.5), np.abs(exact)][how]
        out = laid_out(exact.shape, how)
        operators.run(
            "pooling",
            isa,
            Pooling(
                input=tensor(x),
                output=tensor(out),
                method=METHODS[method],
                kernel_y=size[0],
                kernel_x=size[1],
                stride_y=strides[0],
                stride_x=strides[1],
                dilation_y=dilations[0],
                dilation_x=dilations[1],
                pad_top=pads[0],
                pad_left=pads[1],
                pad_bottom=pads[2],
                pad_right=pads[3],
                count_padding=count_padding,
                epilogue=epilogue(*after[how]),
            ),
        )
        assert_close(out, exact, LayerType.POOLING2D)
        if how:
            out[...] = 5.0
            assert out.base is not None
            assert (out.base == 5.0).all(), "the operator wrote beside its output"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(1, 12, 12, 1300), (1, 200, 170, 40), (2, 60, 50, 33)])
def test_global(
    operators: Operators, isa: str, method: str, shape: tuple[int, int, int, int]
) -> None:
    """Also over many pixels, where a plain sum in float32 loses digits; on several threads."""
    x = random_like(np.random.default_rng(5), shape, 0) + np.float32(10)
    exact = {
        "maximum": x.max(axis=(1, 2)),
        "average": x.astype(np.float64).mean(axis=(1, 2)),
        "l2": np.sqrt((x.astype(np.float64) ** 2).mean(axis=(1, 2))),
    }[method]
    out = laid_out((shape[0], 1, 1, shape[3]), 0)
    operators.run(
        "pooling",
        isa,
        Pooling(
            input=tensor(x),
            output=tensor(out),
            method=METHODS[method],
            kernel_y=shape[1],
            kernel_x=shape[2],
            stride_y=1,
            stride_x=1,
            dilation_y=1,
            dilation_x=1,
            epilogue=epilogue(),
        ),
    )
    np.testing.assert_allclose(out[:, 0, 0], exact, rtol=1e-6)
