# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""CONVOLUTION2D against ONNX Conv in onnxruntime, and its refusals."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import LAYOUTS, onnx_node, random, to_layout

LAYER = abi.ARMNN_LAYER_CONVOLUTION2D

# batch, channels in, channels out, groups, (height, width), (kernel), (strides), (dilations),
# pads (top, left, bottom, right), bias
CASES = [
    (1, 1, 1, 1, (1, 1), (1, 1), (1, 1), (1, 1), (0, 0, 0, 0), False),
    (1, 3, 8, 1, (9, 7), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), True),
    (2, 3, 5, 1, (8, 11), (3, 2), (2, 1), (1, 1), (0, 1, 2, 0), True),
    (1, 4, 6, 2, (7, 7), (3, 3), (1, 2), (2, 2), (2, 2, 2, 2), True),
    (3, 6, 6, 6, (6, 5), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), True),
    (1, 4, 12, 4, (9, 9), (5, 3), (2, 3), (1, 2), (2, 3, 1, 0), False),
    (1, 70, 67, 1, (5, 6), (1, 1), (1, 1), (1, 1), (0, 0, 0, 0), True),
    (1, 66, 130, 2, (10, 9), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), True),
    (2, 5, 9, 1, (20, 21), (4, 4), (3, 3), (3, 2), (5, 6, 4, 3), True),
    (1, 2, 3, 1, (1, 40), (1, 9), (1, 4), (1, 1), (0, 4, 0, 4), True),
    (1, 2, 3, 1, (40, 1), (9, 1), (4, 1), (1, 1), (4, 0, 4, 0), True),
    (1, 3, 2, 1, (3, 3), (3, 3), (1, 1), (1, 1), (9, 9, 9, 9), True),
    (1, 8, 4, 1, (2, 2), (7, 7), (7, 7), (1, 1), (6, 6, 6, 6), True),
    (1, 5, 4, 1, (1, 1), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), True),
    (1, 6, 6, 6, (1, 1), (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), True),
    (1, 128, 128, 128, (6, 6), (3, 3), (2, 2), (1, 1), (1, 0, 1, 0), True),
    (1, 65, 130, 65, (4, 4), (3, 3), (3, 3), (1, 1), (1, 1, 1, 1), True),
]


def convolution(layout: str = "nchw", **values: Any) -> abi.armnn_convolution2d_descriptor_t:
    defaults: dict[str, Any] = {
        "stride_x": 1,
        "stride_y": 1,
        "dilation_x": 1,
        "dilation_y": 1,
        "groups": 1,
        "data_layout": LAYOUTS[layout],
    }
    return descriptor(abi.armnn_convolution2d_descriptor_t, LAYER, **(defaults | values))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", CASES)
def test_matches_onnx_conv(cpu_ref: Layers, case: tuple[Any, ...], layout: str) -> None:
    batch, channels, outputs, groups, size, kernel, strides, dilations, pads, has_bias = case
    x = random((batch, channels, *size), 1)
    weights = random((outputs, channels // groups, *kernel), 2)
    bias = random((outputs,), 3) if has_bias else None
    expected = onnx_node(
        "Conv",
        [x, weights, *([bias] if has_bias else [])],
        {"group": groups, "strides": strides, "dilations": dilations, "pads": pads},
    )
    top, left, bottom, right = pads
    layer = convolution(
        layout,
        pad_top=top,
        pad_left=left,
        pad_bottom=bottom,
        pad_right=right,
        stride_y=strides[0],
        stride_x=strides[1],
        dilation_y=dilations[0],
        dilation_x=dilations[1],
        groups=groups,
        bias_enabled=int(has_bias),
    )
    inputs = [to_layout(x, layout), to_layout(weights, layout), bias]
    shape = to_layout(expected, layout).shape
    (y,) = cpu_ref.run(LAYER, layer, inputs, [(shape, np.float32)], constants=(1, 2))
    assert_close(y, to_layout(expected, layout), LayerType.CONVOLUTION2D)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_geometry_against_onnx_conv(cpu_ref: Layers, layout: str) -> None:
    rng = np.random.default_rng(5)
    for index, groups in itertools.product(range(25), (1, 2, 3)):
        batch, per_in, per_out = rng.integers(1, 3), rng.integers(1, 4), rng.integers(1, 4)
        kernel, strides, dilations = (rng.integers(1, 4, 2).tolist() for _ in range(3))
        pads = rng.integers(0, 4, 4).tolist()
        size = [
            int(rng.integers(max(1, (k - 1) * d + 1 - a - b), 14))
            for k, d, a, b in zip(kernel, dilations, pads[:2], pads[2:], strict=True)
        ]
        x = random((batch, groups * per_in, *size), index)
        weights = random((groups * per_out, per_in, *kernel), index + 1)
        expected = onnx_node(
            "Conv",
            [x, weights],
            {"group": groups, "strides": strides, "dilations": dilations, "pads": pads},
        )
        layer = convolution(
            layout,
            pad_top=pads[0],
            pad_left=pads[1],
            pad_bottom=pads[2],
            pad_right=pads[3],
            stride_y=strides[0],
            stride_x=strides[1],
            dilation_y=dilations[0],
            dilation_x=dilations[1],
            groups=groups,
        )
        expected = to_layout(expected, layout)
        (y,) = cpu_ref.run(
            LAYER,
            layer,
            [to_layout(x, layout), to_layout(weights, layout)],
            [(expected.shape, np.float32)],
        )
        assert_close(y, expected, LayerType.CONVOLUTION2D)


def test_empty_batch(cpu_ref: Layers) -> None:
    x, weights = np.zeros((0, 3, 5, 5), np.float32), random((4, 3, 3, 3))
    (y,) = cpu_ref.run(LAYER, convolution(), [x, weights], [((0, 4, 3, 3), np.float32)])
    assert y.shape == (0, 4, 3, 3)


F = np.float32


@pytest.mark.parametrize(
    ("values", "inputs", "output", "reason"),
    [
        (
            {"stride_x": 0},
            [(1, 4, 8, 8), (6, 4, 3, 3)],
            (1, 6, 6, 6),
            "the descriptor: Convolution2dDescriptor: stride_x 0 given, at least 1",
        ),
        (
            {"dilation_y": 0},
            [(1, 4, 8, 8), (6, 4, 3, 3)],
            (1, 6, 6, 6),
            "the descriptor: Convolution2dDescriptor: dilation_y 0 given, at least 1",
        ),
        (
            {"groups": 0},
            [(1, 4, 8, 8), (6, 4, 3, 3)],
            (1, 6, 6, 6),
            "the descriptor: Convolution2dDescriptor: groups 0 given, at least 1",
        ),
        (
            {"groups": 3},
            [(1, 4, 8, 8), (6, 2, 3, 3)],
            (1, 6, 6, 6),
            "input has 4 channels, 6 expected by the weights in 3 groups",
        ),
        (
            {"groups": 2},
            [(1, 4, 8, 8), (6, 3, 3, 3)],
            (1, 6, 6, 6),
            "input has 4 channels, 6 expected by the weights in 2 groups",
        ),
        (
            {},
            [(1, 4, 8, 8), (6, 4, 3, 3)],
            (1, 6, 5, 6),
            "output 0 stated as 1x6x5x6, but it is 1x6x6x6",
        ),
        (
            {},
            [(1, 4, 8, 8), (6, 4, 3, 3)],
            (1, 5, 6, 6),
            "output 0 stated as 1x5x6x6, but it is 1x6x6x6",
        ),
        (
            {},
            [(2, 4, 8, 8), (6, 4, 3, 3)],
            (1, 6, 6, 6),
            "output 0 stated as 1x6x6x6, but it is 2x6x6x6",
        ),
        (
            {},
            [(1, 4, 2, 8), (6, 4, 3, 3)],
            (1, 6, 1, 6),
            "the window covers 3 along height, more than the 2 there are with padding",
        ),
        ({}, [(1, 4, 8, 8), (6, 4, 0, 3)], (1, 6, 9, 6), "the window has height 0"),
        ({}, [(4, 8, 8), (6, 4, 3, 3)], (1, 6, 6, 6), "input has 3 dimensions, 4 expected"),
        ({}, [(1, 4, 8, 8)], (1, 6, 6, 6), "operand 'weights' is missing"),
        (
            {"data_layout": 3},
            [(1, 4, 8, 8), (6, 4, 3, 3)],
            (1, 6, 6, 6),
            "the descriptor: Convolution2dDescriptor: data_layout NDHWC given, NCHW",
        ),
        (
            {},
            [(1, 4, 8, 8), (6, 4, 3, 3), (6,)],
            (1, 6, 6, 6),
            "bias_enabled is False, but a bias is given",
        ),
        (
            {"bias_enabled": 1},
            [(1, 4, 8, 8), (6, 4, 3, 3)],
            (1, 6, 6, 6),
            "bias_enabled is True, but a bias is not given",
        ),
        (
            {"bias_enabled": 1},
            [(1, 4, 8, 8), (6, 4, 3, 3), (5,)],
            (1, 6, 6, 6),
            "bias has shape 5, 6 expected: a value for each output channel",
        ),
        (
            {"dilation_x": 2**32 - 1},
            [(1, 4, 8, 8), (6, 4, 3, 3)],
            (1, 6, 6, 6),
            "the window covers 8589934591 along width, more than the 8 there are",
        ),
        (
            {},
            [(2**31, 4, 2**31, 8), (6, 4, 3, 3)],
            (1, 6, 6, 6),
            "input 0: tensor 2147483648x4x2147483648x8 of float32 has 2**63 bytes or",
        ),
        (
            {},
            [(0, 2**40, 2**40, 8), (6, 4, 3, 3)],
            (0, 6, 6, 6),
            "input 0: tensor 0x1099511627776x1099511627776x8 of float32 has 2**63",
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
        LAYER, convolution(**values), [(shape, F) for shape in inputs], [(output, F)]
    )
    assert answer is not None
    assert reason in answer


def test_data_types_of_every_operand(cpu_ref: Layers) -> None:
    shapes = [(1, 4, 8, 8), (6, 4, 3, 3), (6,), (1, 6, 6, 6)]
    layer = convolution(bias_enabled=1)
    for wrong in range(4):
        types = [np.int32 if i == wrong else F for i in range(4)]
        tensors = list(zip(shapes, types, strict=True))
        assert "int32" in str(cpu_ref.refusal(LAYER, layer, tensors[:3], tensors[3:]))
