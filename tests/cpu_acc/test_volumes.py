# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""3-d convolution and pooling, and local response normalisation, as in onnxruntime and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.types import NormalizationAlgorithmChannel
from tests.cpu_ref.reference import onnx_node

from .networks import values_of
from .one_layer import run

LAYOUTS = [ann.DataLayout.NCDHW, ann.DataLayout.NDHWC]
IMAGES = [ann.DataLayout.NCHW, ann.DataLayout.NHWC]


def laid(x: np.ndarray, layout: ann.DataLayout) -> np.ndarray:
    """Channels second as in ONNX, or last."""
    last = layout in (ann.DataLayout.NDHWC, ann.DataLayout.NHWC)
    return np.ascontiguousarray(np.moveaxis(x, 1, -1)) if last else x


def sides(pads: Any) -> list[int]:
    """Front, back, top, and so on of ONNX's beginnings and ends."""
    half = len(pads) // 2
    return [side for both in zip(pads[:half], pads[half:], strict=True) for side in both]


def close(out: np.ndarray, expected: np.ndarray) -> None:
    atol = 2e-6 * float(np.abs(expected).max())
    np.testing.assert_allclose(out, expected, rtol=2e-5, atol=atol)


# batch, channels in, channels out, volume, kernel, strides, dilations, pads as ONNX has them, bias
CONVOLUTIONS = [
    (1, 1, 1, (1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1), (0,) * 6, False),
    (2, 3, 5, (5, 6, 7), (3, 3, 3), (1, 1, 1), (1, 1, 1), (1,) * 6, True),
    (1, 2, 4, (8, 7, 6), (2, 3, 1), (2, 1, 3), (1, 1, 1), (1, 0, 2, 0, 2, 1), True),
    (2, 3, 2, (7, 9, 8), (3, 2, 3), (1, 2, 1), (2, 3, 1), (2, 1, 0, 2, 2, 1), False),
    (1, 66, 67, (3, 4, 5), (2, 2, 2), (1, 1, 1), (1, 1, 1), (0,) * 6, True),
    (1, 2, 3, (2, 2, 2), (3, 3, 3), (2, 1, 1), (1, 1, 1), (3,) * 6, True),
    (2, 8, 8, (6, 5, 5), (1, 3, 3), (1, 1, 1), (1, 1, 1), (0, 1, 1, 0, 1, 1), True),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolution(runtime: ann.Runtime, case: Any, layout: Any) -> None:
    batch, channels, outputs, volume, kernel, strides, dilations, pads, has_bias = case
    x, weights = values_of(1, batch, channels, *volume), values_of(2, outputs, channels, *kernel)
    bias = [values_of(3, outputs)] if has_bias else []
    attributes = {"strides": strides, "dilations": dilations, "pads": pads}
    expected = onnx_node("Conv", [x, weights, *bias], attributes)
    ours = np.ascontiguousarray(weights.transpose(2, 3, 4, 1, 0))

    def make(n: Any, s: Any) -> Any:
        options = {"stride": strides, "dilation": dilations, "padding": sides(pads)}
        return n.add_convolution3d(s, ours, *bias, data_layout=layout, **options)

    close(run(runtime, [laid(x, layout)], make), laid(expected, layout))


POOLS = [
    (1, (1, 1, 1), (1, 1, 1), (1, 1, 1), (0,) * 6),
    (3, (5, 6, 7), (2, 2, 2), (2, 2, 2), (0,) * 6),
    (20, (4, 5, 6), (3, 3, 3), (2, 1, 2), (1,) * 6),
    (2, (4, 5, 9), (2, 3, 2), (1, 1, 1), (1, 0, 1, 0, 2, 1)),
    (2, (7, 4, 5), (7, 4, 5), (1, 1, 1), (0,) * 6),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ceil", [False, True])
@pytest.mark.parametrize("kind", ["max", "average", "average with padding", "l2"])
@pytest.mark.parametrize("case", POOLS)
def test_pooling(runtime: ann.Runtime, case: Any, kind: str, ceil: bool, layout: Any) -> None:
    channels, volume, size, strides, pads = case
    x = values_of(4, 2, channels, *volume) - 3  # a zero from padding would win
    attributes = {"kernel_shape": size, "strides": strides, "pads": pads, "ceil_mode": int(ceil)}
    counted = kind == "average with padding"
    if kind == "max":
        expected = onnx_node("MaxPool", [x], attributes)
    else:
        if ceil and counted:
            pytest.skip("onnxruntime divides by elements behind the padding as well")
        squares = x**2 if kind == "l2" else x
        attributes |= {"count_include_pad": int(counted)}
        expected = onnx_node("AveragePool", [squares], attributes)
        expected = np.sqrt(expected) if kind == "l2" else expected
    pool = {"max": ann.PoolingAlgorithm.MAX, "l2": ann.PoolingAlgorithm.L2}

    def make(n: Any, s: Any) -> Any:
        return n.add_pooling3d(
            s,
            pool.get(kind, ann.PoolingAlgorithm.AVERAGE),
            size,
            stride=strides,
            padding=sides(pads),
            rounding=ann.OutputShapeRounding.CEILING if ceil else ann.OutputShapeRounding.FLOOR,
            padding_method=ann.PaddingMethod.IGNORE_VALUE if counted else ann.PaddingMethod.EXCLUDE,
            data_layout=layout,
        )

    close(run(runtime, [laid(x, layout)], make), laid(expected, layout))


@pytest.mark.parametrize("layout", IMAGES)
@pytest.mark.parametrize("size", [1, 2, 5, 9])
@pytest.mark.parametrize("beta", [0.75, 0.5])
def test_normalization_across_channels(
    runtime: ann.Runtime, size: int, beta: float, layout: Any
) -> None:
    x = 5 * values_of(5, 2, 7, 5, 6)
    fields = {"alpha": 0.3, "beta": beta}
    before, after = (size - 1) // 2, size // 2
    padded = np.pad(x.astype(np.float64) ** 2, [(0, 0), (before, after), (0, 0), (0, 0)])
    sums = sum(padded[:, i : i + 7] for i in range(size))
    expected = x / (1.5 + 0.3 * sums) ** beta
    if size % 2 == 1:  # onnxruntime refuses others; its alpha is divided by the size
        attributes = {"size": size, "alpha": 0.3 * size, "beta": beta, "bias": 1.5}
        np.testing.assert_allclose(onnx_node("LRN", [x], attributes), expected, rtol=1e-4)

    def make(n: Any, s: Any) -> Any:
        return n.add_normalization(s, size, k=1.5, data_layout=layout, **fields)

    close(run(runtime, [laid(x, layout)], make), laid(expected, layout))


@pytest.mark.parametrize("layout", IMAGES)
@pytest.mark.parametrize("size", [2, 3])
def test_normalization_within_channels(runtime: ann.Runtime, size: int, layout: Any) -> None:
    x = 5 * values_of(6, 2, 3, 5, 6)
    around = ((size - 1) // 2, size // 2)
    padded = np.pad(x.astype(np.float64) ** 2, [(0, 0), (0, 0), around, around])
    views = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(2, 3))
    expected = x / (2.0 + 0.1 * views.sum((4, 5))) ** 0.75
    within = NormalizationAlgorithmChannel.WITHIN

    def make(n: Any, s: Any) -> Any:
        options = {"alpha": 0.1, "beta": 0.75, "k": 2.0, "data_layout": layout}
        return n.add_normalization(s, size, channel=within, **options)

    close(run(runtime, [laid(x, layout)], make), laid(expected, layout))
