# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DEPTHWISE_CONVOLUTION2D against grouped ONNX Conv in onnxruntime, and its refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import LAYOUTS, onnx_node, random, to_layout

LAYER = abi.ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D
F = np.float32


def depthwise(
    layout: str = "nhwc", **values: Any
) -> abi.armnn_depthwise_convolution2d_descriptor_t:
    defaults: dict[str, Any] = {
        "stride_x": 1,
        "stride_y": 1,
        "dilation_x": 1,
        "dilation_y": 1,
        "data_layout": LAYOUTS[layout],
    }
    return descriptor(abi.armnn_depthwise_convolution2d_descriptor_t, LAYER, **(defaults | values))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("channels", "multiplier", "size", "kernel", "strides", "dilations", "pads", "has_bias"),
    [
        (1, 1, (4, 4), (1, 1), (1, 1), (1, 1), (0, 0, 0, 0), False),
        (5, 1, (9, 8), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), True),
        (3, 4, (9, 8), (3, 5), (2, 1), (1, 1), (1, 0, 0, 2), True),
        (70, 1, (7, 7), (3, 3), (2, 2), (1, 1), (0, 0, 1, 1), True),
        (33, 3, (6, 9), (2, 3), (1, 3), (2, 2), (2, 3, 1, 0), True),
        (2, 70, (5, 5), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), True),
        (4, 2, (3, 3), (5, 5), (1, 1), (1, 1), (7, 7, 7, 7), True),
        (6, 1, (7, 7), (7, 7), (1, 1), (1, 1), (0, 0, 0, 0), False),
    ],
)
def test_matches_grouped_conv(
    cpu_ref: Layers,
    channels: int,
    multiplier: int,
    size: tuple[int, int],
    kernel: tuple[int, int],
    strides: tuple[int, int],
    dilations: tuple[int, int],
    pads: tuple[int, int, int, int],
    has_bias: bool,
    layout: str,
) -> None:
    x = random((2, channels, *size), 1)
    weights = random((channels * multiplier, 1, *kernel), 2)
    bias = random((channels * multiplier,), 3) if has_bias else None
    expected = onnx_node(
        "Conv",
        [x, weights, *([bias] if has_bias else [])],
        {"group": channels, "strides": strides, "dilations": dilations, "pads": pads},
    )
    expected = to_layout(expected, layout)
    layer = depthwise(
        layout,
        pad_top=pads[0],
        pad_left=pads[1],
        pad_bottom=pads[2],
        pad_right=pads[3],
        stride_y=strides[0],
        stride_x=strides[1],
        dilation_y=dilations[0],
        dilation_x=dilations[1],
        bias_enabled=int(has_bias),
    )
    inputs = [to_layout(x, layout), weights.transpose(1, 2, 3, 0), bias]
    (y,) = cpu_ref.run(LAYER, layer, inputs, [(expected.shape, F)])
    assert_close(y, expected, LayerType.DEPTHWISE_CONVOLUTION2D)


@pytest.mark.parametrize(
    ("values", "inputs", "output", "reason"),
    [
        (
            {},
            [(1, 8, 8, 4), (2, 3, 3, 4)],
            (1, 6, 6, 4),
            "weights 2x3x3x4 do not fit 4 input channels",
        ),
        (
            {},
            [(1, 8, 8, 4), (1, 3, 3, 6)],
            (1, 6, 6, 6),
            "weights 1x3x3x6 do not fit 4 input channels",
        ),
        (
            {},
            [(1, 8, 8, 0), (1, 3, 3, 6)],
            (1, 6, 6, 6),
            "weights 1x3x3x6 do not fit 0 input channels",
        ),
        (
            {},
            [(1, 8, 8, 4), (1, 3, 3, 8)],
            (1, 6, 6, 4),
            "output 0 stated as 1x6x6x4, but it is 1x6x6x8",
        ),
        (
            {"stride_y": 0},
            [(1, 8, 8, 4), (1, 3, 3, 8)],
            (1, 6, 6, 8),
            "the descriptor: DepthwiseConvolution2dDescriptor: stride_y 0 given, at",
        ),
        (
            {},
            [(1, 8, 8, 4), (1, 3, 3, 8)],
            (1, 6, 7, 8),
            "output 0 stated as 1x6x7x8, but it is 1x6x6x8",
        ),
        (
            {"bias_enabled": 1},
            [(1, 8, 8, 4), (1, 3, 3, 8)],
            (1, 6, 6, 8),
            "bias_enabled is True, but a bias is not given",
        ),
    ],
)
def test_refusals_say_why(
    cpu_ref: Layers,
    values: dict[str, int],
    inputs: list[tuple[int, ...]],
    output: tuple[int, ...],
    reason: str,
) -> None:
    answer = cpu_ref.refusal(
        LAYER, depthwise(**values), [(shape, F) for shape in inputs], [(output, F)]
    )
    assert answer is not None
    assert reason in answer
