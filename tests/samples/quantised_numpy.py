# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers of 8 bits in numpy: sums in int64, then one rounding of the real result.

Written from "Numbers" in ``descriptors.h`` alone, so it is a second opinion on libraries and on
our own kernels. Images are NHWC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import armnn_py as ann

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

S8, U8, SYMMETRIC = ann.DataType.QASYMM_S8, ann.DataType.QASYMM_U8, ann.DataType.QSYMM_S8


@dataclass(frozen=True)
class Quantised:
    """Integers and what they stand for: ``scales * (values - zero)``, scales along ``axis``."""

    values: NDArray[Any]
    kind: ann.DataType
    scales: tuple[float, ...]
    zero: int = 0
    axis: int | None = None

    @property
    def info(self) -> ann.TensorInfo:
        return info(self.values.shape, self.kind, self.scales, self.zero, self.axis)

    @property
    def steps(self) -> NDArray[np.int64]:
        """Values less the zero point."""
        return self.values.astype(np.int64) - self.zero

    @property
    def real(self) -> NDArray[np.float64]:
        scales = np.asarray(self.scales, np.float32).astype(np.float64)
        if self.axis is not None:
            scales = scales.reshape(-1, *[1] * (self.values.ndim - self.axis - 1))
        return scales * self.steps


def info(
    shape: Sequence[int],
    kind: ann.DataType,
    scales: tuple[float, ...],
    zero: int = 0,
    axis: int | None = None,
) -> ann.TensorInfo:
    points = (zero,) * len(scales)
    return ann.TensorInfo(shape, kind, ann.QuantizationInfo(scales, points, axis))


def drawn(
    shape: Sequence[int],
    kind: ann.DataType,
    scales: tuple[float, ...],
    zero: int = 0,
    axis: int | None = None,
    seed: int = 0,
) -> Quantised:
    """Values over the whole range of the type, both ends among them."""
    least, most = ends(kind)
    generator = np.random.default_rng(seed)
    values = generator.integers(least, most + 1, shape).astype(kind.numpy)
    values.reshape(-1)[:2] = [least, most][: values.size]
    return Quantised(values, kind, scales, zero, axis)


def ends(kind: ann.DataType) -> tuple[int, int]:
    limits = np.iinfo(kind.numpy)
    return int(limits.min), int(limits.max)


def quantise(real: NDArray[np.float64], out: ann.TensorInfo) -> NDArray[Any]:
    """Round to the nearest, halves to even, and saturate."""
    assert out.quantization is not None
    scale = float(np.float32(out.quantization.scales[0]))
    least, most = ends(out.data_type)
    steps = np.rint(real / scale) + out.quantization.zero_points[0]
    return np.asarray(np.clip(steps, least, most).astype(out.data_type.numpy))


def windows(
    x: NDArray[np.int64],
    size: tuple[int, int],
    stride: tuple[int, int],
    pads: tuple[int, int, int, int],
    dilation: tuple[int, int] = (1, 1),
    fill: int = 0,
) -> NDArray[np.int64]:
    """[N, H, W, C] to [N, height, width, taps, C]; ``pads``: top, bottom, left, right."""
    top, bottom, left, right = pads
    padded = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)), constant_values=fill)
    reach = [(k - 1) * d for k, d in zip(size, dilation, strict=True)]
    height, width = (
        (extent - r - 1) // s + 1
        for extent, r, s in zip(padded.shape[1:3], reach, stride, strict=True)
    )
    taps = []
    for i in range(size[0]):
        for j in range(size[1]):
            rows = slice(i * dilation[0], i * dilation[0] + (height - 1) * stride[0] + 1, stride[0])
            columns = slice(
                j * dilation[1], j * dilation[1] + (width - 1) * stride[1] + 1, stride[1]
            )
            taps.append(padded[:, rows, columns])
    return np.stack(taps, axis=3)


def _with_bias(
    sums: NDArray[np.int64], x: Quantised, w: Quantised, bias: NDArray[Any] | None
) -> NDArray[np.float64]:
    scales = np.float64(np.float32(x.scales[0])) * np.asarray(w.scales, np.float32)
    return np.asarray((sums if bias is None else sums + bias.astype(np.int64)) * scales)


def convolution(
    x: Quantised,
    w: Quantised,
    bias: NDArray[np.int32] | None,
    stride: tuple[int, int],
    pads: tuple[int, int, int, int],
    dilation: tuple[int, int] = (1, 1),
    groups: int = 1,
) -> NDArray[np.float64]:
    """Weights [O, H, W, I / groups]."""
    o, h, k, i = w.values.shape
    taps = windows(x.steps, (h, k), stride, pads, dilation)
    parts = []
    for g in range(groups):
        part = w.steps[g * (o // groups) : (g + 1) * (o // groups)].reshape(o // groups, h * k, i)
        parts.append(np.einsum("nhwti,oti->nhwo", taps[..., g * i : (g + 1) * i], part))
    return _with_bias(np.concatenate(parts, axis=3), x, w, bias)


def depthwise(
    x: Quantised,
    w: Quantised,
    bias: NDArray[np.int32] | None,
    stride: tuple[int, int],
    pads: tuple[int, int, int, int],
) -> NDArray[np.float64]:
    """Weights [1, H, W, I * M]."""
    _, h, k, o = w.values.shape
    taps = windows(x.steps, (h, k), stride, pads)
    repeated = np.repeat(taps, o // taps.shape[4], axis=4)
    return _with_bias(np.einsum("nhwto,to->nhwo", repeated, w.steps.reshape(h * k, o)), x, w, bias)


def fully_connected(
    x: Quantised, w: Quantised, bias: NDArray[np.int32] | None, transposed: bool
) -> NDArray[np.float64]:
    """Weights [I, O], or [O, I] if ``transposed``."""
    matrix = w.steps.T if transposed else w.steps
    return _with_bias(x.steps.reshape(-1, matrix.shape[0]) @ matrix, x, w, bias)


def assert_close(found: NDArray[Any], wanted: NDArray[Any], steps: int = 1) -> None:
    """No element is more than ``steps`` off; most of them are what is expected."""
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    off = np.abs(found.astype(np.int64) - wanted.astype(np.int64))
    assert off.max() <= steps
    assert np.mean(off > 0) < 0.05
    assert np.unique(wanted).size > 1  # not saturated all over
