# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Dense windows that move over images: shapes to test, and their results in double precision."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .operators import Convolution, address, tensor

if TYPE_CHECKING:
    from collections.abc import Iterator

# How W[o][y][x][i] may lie: the order of its dimensions in memory.
WEIGHT_ORDERS = {"OIHW": (0, 3, 1, 2), "OHWI": (0, 1, 2, 3), "HWIO": (1, 2, 3, 0)}


@dataclass(frozen=True)
class Case:
    """One convolution, or the convolution that a transposed one transposes."""

    image: tuple[int, int]
    channels: int
    outputs: int
    size: tuple[int, int] = (1, 1)
    strides: tuple[int, int] = (1, 1)
    dilations: tuple[int, int] = (1, 1)
    before: tuple[int, int] = (0, 0)
    after: tuple[int, int] = (0, 0)
    groups: int = 1
    batch: int = 1

    @property
    def reach(self) -> tuple[int, int]:
        (ky, kx), (dy, dx) = self.size, self.dilations
        return (ky - 1) * dy + 1, (kx - 1) * dx + 1

    @property
    def out_image(self) -> tuple[int, int]:
        """Of the convolution."""
        height, width = (
            (side + b + a - r) // s + 1
            for side, b, a, r, s in zip(
                self.image, self.before, self.after, self.reach, self.strides, strict=True
            )
        )
        return height, width

    @property
    def transposed_image(self) -> tuple[int, int]:
        """Of the transposed convolution of the same numbers."""
        height, width = (
            (side - 1) * s + r - b - a
            for side, b, a, r, s in zip(
                self.image, self.before, self.after, self.reach, self.strides, strict=True
            )
        )
        return height, width

    def __str__(self) -> str:
        def pair(name: str, value: tuple[int, int]) -> str:
            return "" if value in {(1, 1), (0, 0)} else f"-{name}{value[0]}x{value[1]}"

        parts = f"{self.channels}-{self.outputs}-{self.image[0]}x{self.image[1]}"
        parts += pair("k", self.size) + pair("s", self.strides) + pair("d", self.dilations)
        parts += pair("b", self.before) + pair("a", self.after)
        return parts + f"-g{self.groups}-n{self.batch}"


def same(size: int) -> dict[str, tuple[int, int]]:
    """The padding that keeps an image's size."""
    half = (size - 1) // 2
    return {"size": (size, size), "before": (half, half), "after": (half, half)}


def random_cases(seed: int, count: int) -> Iterator[Case]:
    """Sizes around those of vectors and tiles, and every member at random."""
    rng = np.random.default_rng(seed)

    def pair(*values: int) -> tuple[int, int]:
        return int(rng.choice(values)), int(rng.choice(values))

    made = 0
    while made < count:
        groups = int(rng.choice((1, 1, 1, 2, 3)))
        case = Case(
            image=(int(rng.integers(1, 16)), int(rng.integers(1, 40))),
            channels=int(rng.choice((2, 3, 4, 5, 8, 16, 17, 24, 33))),
            outputs=int(rng.choice((1, 3, 7, 8, 9, 16, 17, 24, 31, 32, 40, 48, 56, 64, 80, 97))),
            size=pair(1, 1, 2, 3, 3, 5, 7),
            strides=pair(1, 1, 2, 3),
            dilations=pair(1, 1, 1, 2, 3),
            before=pair(0, 0, 1, 2, 3),
            after=pair(0, 0, 1, 2, 3),
            batch=int(rng.choice((1, 1, 2, 3))),
        )
        case = replace(
            case, groups=groups, channels=case.channels * groups, outputs=case.outputs * groups
        )
        if min(case.out_image) > 0 and min(case.transposed_image) > 0:
            made += 1
            yield case


def weights_of(case: Case, rng: np.random.Generator, order: str) -> np.ndarray:
    """W[o][y][x][i], lying in memory as ``order`` says."""
    shape = (case.outputs, *case.size, case.channels // case.groups)
    axes = WEIGHT_ORDERS[order]
    values = rng.standard_normal(shape).astype(np.float32)
    return np.ascontiguousarray(values.transpose(axes)).transpose(np.argsort(axes))


def convolved(case: Case, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Of ``x`` [n, h, w, c]."""
    (height, width), (oh, ow) = case.image, case.out_image
    (sy, sx), (dy, dx), (top, left) = case.strides, case.dilations, case.before
    sides = [side + b + a for side, b, a in zip(case.image, case.before, case.after, strict=True)]
    padded = np.zeros((case.batch, *sides, case.channels))
    padded[:, top : top + height, left : left + width] = x
    columns = case.outputs // case.groups
    y = np.zeros((case.batch, oh, ow, case.outputs))
    for i in range(case.size[0]):
        for j in range(case.size[1]):
            rows = padded[:, i * dy : i * dy + (oh - 1) * sy + 1 : sy]
            taps = rows[:, :, j * dx : j * dx + (ow - 1) * sx + 1 : sx]
            if case.groups == case.channels == case.outputs:
                y += taps * weights[:, i, j, 0]
                continue
            for group, inputs in enumerate(np.split(taps, case.groups, axis=3)):
                outputs = slice(group * columns, (group + 1) * columns)
                y[..., outputs] += inputs @ weights[outputs, i, j].T.astype(np.float64)
    return y


def transposed(case: Case, x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Each input pixel times the window, added to where it belongs."""
    (height, width), (oh, ow) = case.image, case.transposed_image
    (sy, sx), (dy, dx), (top, left) = case.strides, case.dilations, case.before
    columns = case.outputs // case.groups
    y = np.zeros((case.batch, top + oh + 99, left + ow + 99, case.outputs))
    for group, inputs in enumerate(np.split(x.astype(np.float64), case.groups, axis=3)):
        outputs = slice(group * columns, (group + 1) * columns)
        for i in range(case.size[0]):
            for j in range(case.size[1]):
                rows = slice(i * dy, i * dy + (height - 1) * sy + 1, sy)
                taps = slice(j * dx, j * dx + (width - 1) * sx + 1, sx)
                y[:, rows, taps, outputs] += inputs @ weights[outputs, i, j].T
    return y[:, top : top + oh, left : left + ow]


def convolution(
    case: Case, x: np.ndarray, out: np.ndarray, weights: np.ndarray, bias: Any, epilogue: Any
) -> Convolution:
    return Convolution(
        input=tensor(x),
        output=tensor(out),
        weights=tensor(weights),
        bias=address(bias),
        kernel_y=case.size[0],
        kernel_x=case.size[1],
        stride_y=case.strides[0],
        stride_x=case.strides[1],
        dilation_y=case.dilations[0],
        dilation_x=case.dilations[1],
        pad_top=case.before[0],
        pad_left=case.before[1],
        groups=case.groups,
        epilogue=epilogue,
    )
