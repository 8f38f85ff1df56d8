# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Copies between tensors of any strides, padding and resizing."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi

from .guarded import laid_out, random_like
from .operators import Copy, Operators, Pad, Resize, tensor


def copy(operators: Operators, isa: str, x: np.ndarray, out: np.ndarray, order: Any) -> str:
    return operators.run("copy", isa, Copy(tensor(x), tensor(out), tuple(order)))


def check_copy(operators: Operators, isa: str, x: np.ndarray, order: Any, how: int) -> str:
    expected = x.transpose(order)
    out = laid_out(expected.shape, how)
    kernel = copy(operators, isa, x, out, order)
    np.testing.assert_array_equal(out, expected)
    if how and out.base is not None and out.size:
        out[...] = 5.0
        assert (out.base == 5.0).all(), "the operator wrote beside its output"
    return kernel


TO_NHWC, TO_NCHW = (0, 2, 3, 1), (0, 3, 1, 2)


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 8, 15, 16, 17, 40, 64, 130])
@pytest.mark.parametrize("image", [(1, 1), (2, 3), (7, 7), (14, 14), (61, 57)])
def test_layouts(operators: Operators, isa: str, channels: int, image: tuple[int, int]) -> None:
    rng = np.random.default_rng(channels)
    for how in range(3):
        nchw = random_like(rng, (2, channels, *image), how)
        check_copy(operators, isa, nchw, TO_NHWC, 0)
        check_copy(operators, isa, random_like(rng, (2, *image, channels), how), TO_NCHW, how)


def test_layout_changes_are_transposes(operators: Operators, isa: str) -> None:
    x = random_like(np.random.default_rng(0), (1, 64, 20, 20), 0)
    assert "transpose" in check_copy(operators, isa, x, TO_NHWC, 0)
    assert "copy" in check_copy(operators, isa, x, (0, 1, 2, 3), 1)


@pytest.mark.parametrize("seed", range(60))
def test_any_order_and_strides(operators: Operators, isa: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 6))
    shape = [int(rng.choice([1, 2, 3, 4, 5, 8, 16, 17, 33, 40])) for _ in range(rank)]
    x = random_like(rng, shape, seed % 3)
    if seed % 4 == 1:
        x = x[..., ::2]
    if seed % 5 == 1:
        x = x[::-1]
    if seed % 7 == 1:
        x = np.broadcast_to(x[:1], x.shape)
    check_copy(operators, isa, x, rng.permutation(rank).tolist(), seed // 3 % 3)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
@pytest.mark.parametrize("seed", range(12))
def test_elements_of_any_size(operators: Operators, isa: str, seed: int, dtype: Any) -> None:
    rng = np.random.default_rng(seed)
    shape = rng.choice([1, 2, 3, 5, 16, 17, 33, 70], size=int(rng.integers(1, 5)))
    x = rng.integers(-128, 128, shape).astype(dtype)
    if seed % 3 == 1:
        x = x[..., ::2]
    if seed % 4 == 1:
        x = x[::-1]
    order = rng.permutation(x.ndim).tolist()
    whole = np.full((*x.transpose(order).shape[:-1], x.shape[order[-1]] + seed % 3), 77, dtype)
    out = whole[..., : x.shape[order[-1]]]
    copy(operators, isa, x, out, order)
    np.testing.assert_array_equal(out, x.transpose(order))
    assert (whole[..., out.shape[-1] :] == 77).all(), "the operator wrote beside its output"


@pytest.mark.parametrize("width", [3, 4])
@pytest.mark.parametrize("image", [(1, 1), (3, 5), (4, 4), (1, 17), (9, 31), (14, 14)])
def test_planes_of_bytes_to_pixels(
    operators: Operators, isa: str, image: tuple[int, int], width: int
) -> None:
    """Images as networks have them: three planes; pixels that lie apart are left alone between."""
    x = np.random.default_rng(3).integers(-128, 128, (2, 3, *image)).astype(np.int8)
    whole = np.full((2, *image, width), 77, np.int8)
    copy(operators, isa, x, whole[..., :3], TO_NHWC)
    np.testing.assert_array_equal(whole[..., :3], x.transpose(TO_NHWC))
    assert (whole[..., 3:] == 77).all(), "the operator wrote beside its output"


def test_repeats_along_every_dimension(operators: Operators, isa: str) -> None:
    rng = np.random.default_rng(1)
    for shape in ((1, 3, 17), (5, 1, 17), (5, 3, 1), (1, 1, 1)):
        x, out = random_like(rng, shape, 0), laid_out((5, 3, 17), 0)
        copy(operators, isa, x, out, (0, 1, 2))
        np.testing.assert_array_equal(out, np.broadcast_to(x, out.shape))


def test_parts_of_a_concatenation(operators: Operators, isa: str) -> None:
    rng = np.random.default_rng(2)
    whole = laid_out((1, 30, 30, 57), 0)
    parts = [random_like(rng, (1, 30, 30, channels), 0) for channels in (24, 3, 30)]
    begin = 0
    for part in parts:
        copy(operators, isa, part, whole[..., begin : begin + part.shape[3]], (0, 1, 2, 3))
        begin += part.shape[3]
    np.testing.assert_array_equal(whole, np.concatenate(parts, axis=3))


PADS = [
    ((9,), [(2, 3)]),
    ((2, 5, 6, 3), [(0, 0), (1, 1), (1, 1), (0, 0)]),
    ((2, 5, 6, 3), [(0, 0), (0, 2), (3, 0), (0, 0)]),
    ((2, 5, 6, 3), [(0, 0), (0, 0), (0, 0), (1, 2)]),
    ((2, 5, 6, 3), [(1, 1), (0, 0), (2, 1), (1, 0)]),
    ((4, 1, 17), [(0, 0), (0, 0), (0, 0)]),
    ((3, 33), [(2, 0), (0, 0)]),
    ((1, 130, 140, 4), [(0, 0), (1, 1), (1, 1), (0, 0)]),
]


@pytest.mark.parametrize("mode", ["constant", "reflect", "symmetric"])
@pytest.mark.parametrize(("shape", "pads"), PADS)
def test_pad(
    operators: Operators, isa: str, mode: str, shape: tuple[int, ...], pads: list[tuple[int, int]]
) -> None:
    rng = np.random.default_rng(3)
    modes = {
        "constant": abi.ARMNN_PAD_CONSTANT,
        "reflect": abi.ARMNN_PAD_REFLECT,
        "symmetric": abi.ARMNN_PAD_SYMMETRIC,
    }
    if mode == "reflect":
        pads = [(min(a, n - 1), min(b, n - 1)) for (a, b), n in zip(pads, shape, strict=True)]
    values = {"constant_values": 1.5} if mode == "constant" else {}
    for how in range(3):
        x = random_like(rng, shape, how)
        expected = np.pad(x, pads, mode, **values)  # type: ignore[call-overload]
        out = laid_out(expected.shape, (how + 1) % 3)
        what = Pad(input=tensor(x), output=tensor(out), mode=modes[mode], value=1.5)
        for index, (before, _) in enumerate(pads):
            what.before[index] = before
        operators.run("pad", isa, what)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("mode", ["constant", "reflect"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_pad_of_quantised_numbers(operators: Operators, isa: str, dtype: Any, mode: str) -> None:
    modes = {"constant": abi.ARMNN_PAD_CONSTANT, "reflect": abi.ARMNN_PAD_REFLECT}
    value = np.iinfo(dtype).min + 3
    values = {"constant_values": value} if mode == "constant" else {}
    for shape, pads in PADS:
        x = np.random.default_rng(4).integers(0, 127, shape).astype(dtype)
        if mode == "reflect":
            pads = [(min(a, n - 1), min(b, n - 1)) for (a, b), n in zip(pads, shape, strict=True)]
        expected = np.pad(x, pads, mode, **values)  # type: ignore[call-overload]
        out = np.zeros_like(expected)
        what = Pad(input=tensor(x), output=tensor(out), mode=modes[mode], value=value)
        for index, (before, _) in enumerate(pads):
            what.before[index] = before
        operators.run("pad", isa, what)
        np.testing.assert_array_equal(out, expected)


def axis_weights(inputs: int, outputs: int, method: int, mode: str) -> np.ndarray:
    """The matrix [outputs, inputs] of one axis, from the formulas in exact arithmetic."""
    corners = mode == "corners" and outputs > 1
    scale = Fraction(inputs - 1, outputs - 1) if corners else Fraction(inputs, outputs)
    matrix = np.zeros((outputs, inputs))
    for o in range(outputs):
        if method == abi.ARMNN_RESIZE_NEAREST_NEIGHBOR:
            place = (o + Fraction(1, 2)) * scale if "half" in mode else o * scale
            index = floor(place + Fraction(1, 2)) if mode == "corners" else floor(place)
            matrix[o, min(index, inputs - 1)] = 1
            continue
        place = (o + Fraction(1, 2)) * scale - Fraction(1, 2) if "half" in mode else o * scale
        place = min(max(place, Fraction(0)), Fraction(inputs - 1))
        low = floor(place)
        matrix[o, low] += 1 - float(place - low)
        matrix[o, min(low + 1, inputs - 1)] += float(place - low)
    return matrix


@pytest.mark.parametrize("method", [abi.ARMNN_RESIZE_BILINEAR, abi.ARMNN_RESIZE_NEAREST_NEIGHBOR])
@pytest.mark.parametrize("mode", ["asymmetric", "corners", "half"])
@pytest.mark.parametrize(
    ("size", "target"),
    [
        ((1, 1), (1, 1)),
        ((3, 4), (6, 8)),
        ((5, 7), (13, 9)),
        ((9, 12), (4, 5)),
        ((1, 5), (3, 1)),
        ((10, 10), (1, 1)),
        ((49, 30), (60, 61)),
    ],
)
@pytest.mark.parametrize("channels", [1, 3, 20, 64])
def test_resize(
    operators: Operators,
    isa: str,
    method: int,
    mode: str,
    size: tuple[int, int],
    target: tuple[int, int],
    channels: int,
) -> None:
    """Against the formulas in exact arithmetic."""
    rng = np.random.default_rng(4)
    rows = axis_weights(size[0], target[0], method, mode)
    columns = axis_weights(size[1], target[1], method, mode)
    for how in range(3):
        x = random_like(rng, (2, *size, channels), how)
        wide = np.einsum("nyxc,wx->nywc", x.astype(np.float64), columns)
        expected = np.einsum("nywc,hy->nhwc", wide, rows)
        out = laid_out(expected.shape, how)
        operators.run(
            "resize",
            isa,
            Resize(
                input=tensor(x),
                output=tensor(out),
                method=method,
                align_corners=mode == "corners",
                half_pixel_centers=mode == "half",
            ),
        )
        np.testing.assert_allclose(out, expected, rtol=1e-5, atol=2e-6)
