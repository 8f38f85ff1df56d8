# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""TRANSPOSE_CONVOLUTION2D against ONNX ConvTranspose in onnxruntime, and its refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import LAYOUTS, onnx_node, random, to_layout

LAYER = abi.ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D
F = np.float32


def transposed(
    layout: str = "nchw", **values: Any
) -> abi.armnn_transpose_convolution2d_descriptor_t:
    defaults: dict[str, Any] = {"stride_x": 1, "stride_y": 1, "data_layout": LAYOUTS[layout]}
    return descriptor(abi.armnn_transpose_convolution2d_descriptor_t, LAYER, **(defaults | values))


def from_onnx_weights(weights: np.ndarray, groups: int) -> np.ndarray:
    """[I, O / groups, H, W] as ONNX has it, to [O, I / groups, H, W]."""
    parts = np.split(weights, groups, axis=0)
    return np.concatenate([part.transpose(1, 0, 2, 3) for part in parts], axis=0)


CASES = [
    # channels in, channels out, groups, size, kernel, strides, dilations, pads, output padding
    (1, 1, 1, (1, 1), (1, 1), (1, 1), (1, 1), (0, 0, 0, 0), (0, 0)),
    (3, 5, 1, (4, 5), (3, 3), (1, 1), (1, 1), (0, 0, 0, 0), (0, 0)),
    (3, 5, 1, (4, 5), (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), (0, 0)),
    (3, 5, 1, (4, 5), (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), (1, 1)),
    (4, 6, 2, (5, 3), (4, 2), (3, 2), (1, 1), (1, 0, 2, 1), (2, 0)),
    (6, 6, 6, (4, 4), (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), (0, 0)),
    (2, 3, 1, (4, 4), (3, 2), (2, 3), (2, 3), (1, 2, 0, 1), (0, 0)),
    (2, 3, 1, (3, 3), (1, 1), (3, 4), (1, 1), (0, 0, 0, 0), (0, 0)),
    (2, 3, 1, (3, 3), (2, 2), (5, 4), (1, 1), (0, 0, 0, 0), (0, 0)),
    (70, 66, 1, (9, 9), (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), (0, 0)),
    (5, 4, 1, (1, 1), (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), (0, 0)),
    (3, 2, 1, (17, 13), (5, 5), (1, 2), (1, 1), (2, 2, 2, 2), (0, 1)),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", CASES)
def test_matches_onnx_conv_transpose(cpu_ref: Layers, case: tuple[Any, ...], layout: str) -> None:
    channels, outputs, groups, size, kernel, strides, dilations, pads, extra = case
    x = random((2, channels, *size), 1)
    weights = random((channels, outputs // groups, *kernel), 2)
    bias = random((outputs,), 3)
    expected = onnx_node(
        "ConvTranspose",
        [x, weights, bias],
        {
            "group": groups,
            "strides": strides,
            "dilations": dilations,
            "pads": pads,
            "output_padding": extra,
        },
    )
    expected = to_layout(expected, layout)
    top, left, bottom, right = pads
    layer = transposed(
        layout,
        pad_top=top,
        pad_left=left,
        pad_bottom=bottom,
        pad_right=right,
        stride_y=strides[0],
        stride_x=strides[1],
        dilation_y=dilations[0] if dilations[0] > 1 else 0,
        dilation_x=dilations[1],
        groups=groups,
        bias_enabled=1,
        output_shape_enabled=int(any(extra)),
    )
    inputs = [to_layout(x, layout), to_layout(from_onnx_weights(weights, groups), layout), bias]
    (y,) = cpu_ref.run(LAYER, layer, inputs, [(expected.shape, F)])
    assert_close(y, expected, LayerType.TRANSPOSE_CONVOLUTION2D)


@pytest.mark.parametrize("size", [(1, 1), (2, 9), (9, 2), (14, 14), (0, 3)])
def test_output_shape_rules_over_the_formula(cpu_ref: Layers, size: tuple[int, int]) -> None:
    """Any output size: what lies beyond the full result is bias, what is cut is cut at the end."""
    x, weights, bias = random((1, 2, 3, 3), 1), random((2, 3, 3, 3), 2), random((3,), 3)
    full = onnx_node("ConvTranspose", [x, weights, bias], {"strides": (2, 2)})
    expected = np.broadcast_to(bias[:, None, None], (1, 3, *size)).copy()
    height, width = min(size[0], 7), min(size[1], 7)
    expected[:, :, :height, :width] = full[:, :, :height, :width]
    layer = transposed(stride_x=2, stride_y=2, bias_enabled=1, output_shape_enabled=1)
    inputs = [x, from_onnx_weights(weights, 1), bias]
    (y,) = cpu_ref.run(LAYER, layer, inputs, [(expected.shape, F)])
    assert_close(y, expected, LayerType.TRANSPOSE_CONVOLUTION2D)


@pytest.mark.parametrize(
    ("values", "inputs", "output", "reason"),
    [
        (
            {},
            [(1, 4, 3, 3), (6, 4, 3, 3)],
            (1, 6, 6, 5),
            "the descriptor: TransposeConvolution2dDescriptor: dilation_x 0 given,",
        ),
        (
            {"stride_x": 0},
            [(1, 4, 3, 3), (6, 4, 3, 3)],
            (1, 6, 5, 5),
            "the descriptor: TransposeConvolution2dDescriptor: stride_x 0 given, at",
        ),
        (
            {"groups": 2},
            [(1, 4, 3, 3), (6, 4, 3, 3)],
            (1, 6, 5, 5),
            "the descriptor: TransposeConvolution2dDescriptor: dilation_x 0 given,",
        ),
        (
            {"pad_top": 9},
            [(1, 4, 3, 3), (6, 4, 3, 3)],
            (1, 6, 0, 5),
            "the descriptor: TransposeConvolution2dDescriptor: dilation_x 0 given,",
        ),
        (
            {"dilation_y": 2**32 - 1, "output_shape_enabled": 1},
            [(1, 4, 3, 3), (1, 4, 2**20, 1)],
            (1, 1, 5, 5),
            "the descriptor: TransposeConvolution2dDescriptor: dilation_x 0 given,",
        ),
        (
            {"output_shape_enabled": 1},
            [(1, 4, 3, 3), (6, 4, 3, 3)],
            (1, 5, 6, 5),
            "the descriptor: TransposeConvolution2dDescriptor: dilation_x 0 given,",
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
        LAYER, transposed(**values), [(shape, F) for shape in inputs], [(output, F)]
    )
    assert answer is not None
    assert reason in answer
