# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Convolutions whose weights or bias values come from the network, as in onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from tests.cpu_ref.reference import onnx_node

from .networks import values_of
from .one_layer import run

LAYOUTS = [ann.DataLayout.NCHW, ann.DataLayout.NHWC]

# batch, channels in, channels out, groups, image, kernel, strides, dilations, pads as ONNX has them
CASES = [
    (1, 3, 5, 1, (6, 7), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1)),
    (2, 4, 6, 1, (9, 8), (1, 1), (1, 1), (1, 1), (0, 0, 0, 0)),
    (2, 4, 6, 2, (9, 8), (3, 2), (2, 1), (1, 2), (2, 0, 1, 3)),
    (1, 6, 6, 6, (7, 7), (3, 3), (1, 2), (1, 1), (1, 1, 1, 1)),
    (1, 20, 33, 1, (12, 5), (5, 1), (1, 1), (2, 1), (4, 0, 4, 0)),
    (1, 2, 3, 1, (8, 9), (2, 2), (3, 3), (1, 1), (0, 0, 0, 0)),
]


def laid(x: np.ndarray, layout: ann.DataLayout) -> np.ndarray:
    is_last = layout == ann.DataLayout.NHWC
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if is_last else x


def close(out: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(out, expected, rtol=2e-5, atol=2e-6 * np.abs(expected).max())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("computed", ["weights", "bias", "both", "weights alone"])
@pytest.mark.parametrize("case", CASES)
def test_convolution(runtime: ann.Runtime, case: Any, computed: str, layout: Any) -> None:
    batch, channels, outputs, groups, image, kernel, strides, dilations, pads = case
    x, bias = values_of(1, batch, channels, *image), values_of(3, outputs)
    weights = values_of(2, outputs, channels // groups, *kernel)
    given = [x, weights] if computed == "weights alone" else [x, weights, bias]
    fields = {"strides": strides, "dilations": dilations, "pads": pads, "group": groups}
    expected = onnx_node("Conv", given, fields)
    ours = laid(weights, layout)
    late = {"weights": [ours], "bias": [bias], "both": [ours, bias], "weights alone": [ours]}

    def make(n: Any, s: Any, *slots: Any) -> Any:
        left = list(slots)
        w = ours if computed == "bias" else left.pop(0)
        b = left.pop(0) if left else bias
        return n.add_convolution2d(
            s,
            w,
            None if computed == "weights alone" else b,
            stride=strides,
            dilation=dilations,
            padding=[pads[0], pads[2], pads[1], pads[3]],
            groups=groups,
            data_layout=layout,
        )

    out = run(runtime, [laid(x, layout), *late[computed]], make)
    close(out, laid(expected, layout))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("multiplier", [1, 3])
def test_depthwise(runtime: ann.Runtime, multiplier: int, layout: Any) -> None:
    x, weights = values_of(4, 2, 5, 8, 7), values_of(5, 5 * multiplier, 1, 3, 3)
    expected = onnx_node("Conv", [x, weights], {"pads": (1, 0, 0, 1), "group": 5})
    ours = np.ascontiguousarray(weights.transpose(1, 2, 3, 0))

    def make(n: Any, s: Any, w: Any) -> Any:
        padding = [1, 0, 0, 1]
        return n.add_depthwise_convolution2d(s, w, padding=padding, data_layout=layout)

    close(run(runtime, [laid(x, layout), ours], make), laid(expected, layout))


def test_functions_behind_computed_products_are_kept(runtime: ann.Runtime) -> None:
    """Functions, sums and scales are fused behind products of computed matrices as well."""
    x, weights, scale = values_of(6, 1, 3, 6, 6), values_of(7, 4, 3, 3, 3), values_of(8, 1, 4, 1, 1)
    y = onnx_node("Conv", [x, weights], {"pads": (1, 1, 1, 1)})
    expected = np.maximum(y * scale, 0) + y

    def make(n: Any, s: Any, w: Any) -> Any:
        conv = n.add_convolution2d(s, w, padding="same", data_layout=ann.DataLayout.NCHW)
        scaled = n.add_multiplication(conv, scale)
        return n.add_addition(n.add_activation(scaled, ann.ActivationFunction.RELU), conv)

    close(run(runtime, [x, weights], make), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("groups", [1, 2])
def test_bias_of_a_transposed_convolution(runtime: ann.Runtime, layout: Any, groups: int) -> None:
    x, bias = values_of(9, 2, 4, 5, 6), values_of(11, 3 * groups)
    weights = values_of(10, 4, 3, 3, 2)
    fields = {"strides": (2, 3), "group": groups}
    expected = onnx_node("ConvTranspose", [x, weights, bias], fields)
    parts = np.split(weights, groups)
    ours = laid(np.concatenate([part.transpose(1, 0, 2, 3) for part in parts]), layout)

    def make(n: Any, s: Any, b: Any) -> Any:
        return n.add_transpose_convolution2d(
            s, np.ascontiguousarray(ours), b, stride=(2, 3), padding="valid", groups=groups,
            data_layout=layout,
        )  # fmt: skip

    close(run(runtime, [laid(x, layout), bias], make), laid(expected, layout))


@pytest.mark.parametrize("layout", [ann.DataLayout.NCDHW, ann.DataLayout.NDHWC])
def test_bias_of_volumes(runtime: ann.Runtime, layout: Any) -> None:
    x, weights, bias = values_of(12, 2, 3, 5, 6, 7), values_of(13, 4, 3, 2, 3, 3), values_of(14, 4)
    expected = onnx_node("Conv", [x, weights, bias], {"pads": (1, 1, 1, 0, 1, 1)})
    is_last = layout == ann.DataLayout.NDHWC
    ours = np.ascontiguousarray(weights.transpose(2, 3, 4, 1, 0))

    def placed(values: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(np.moveaxis(values, 1, -1)) if is_last else values

    def make(n: Any, s: Any, b: Any) -> Any:
        padding = [1, 0, 1, 1, 1, 1]
        return n.add_convolution3d(s, ours, b, padding=padding, data_layout=layout)

    close(run(runtime, [placed(x), bias], make), placed(expected))


@pytest.mark.parametrize("computed", ["weights", "bias", "both"])
def test_matrix(runtime: ann.Runtime, computed: str) -> None:
    x, weights, bias = values_of(15, 6, 20), values_of(16, 33, 20), values_of(17, 33)
    late = {"weights": [weights], "bias": [bias], "both": [weights, bias]}[computed]

    def make(n: Any, s: Any, *slots: Any) -> Any:
        w = weights if computed == "bias" else slots[0]
        b = bias if computed == "weights" else slots[-1]
        return n.add_fully_connected(s, w, b, transpose_weight_matrix=True)

    close(run(runtime, [x, *late], make), x @ weights.T + bias)
