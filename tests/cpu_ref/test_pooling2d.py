# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""POOLING2D against ONNX pooling in onnxruntime and against windows spelt out in numpy."""

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

LAYER = abi.ARMNN_LAYER_POOLING2D
MAX, AVERAGE, L2 = abi.ARMNN_POOLING_MAX, abi.ARMNN_POOLING_AVERAGE, abi.ARMNN_POOLING_L2
IGNORE, EXCLUDE = abi.ARMNN_PADDING_IGNORE_VALUE, abi.ARMNN_PADDING_EXCLUDE
F = np.float32


def pooling(layout: str = "nchw", **values: Any) -> abi.armnn_pooling2d_descriptor_t:
    defaults: dict[str, Any] = {
        "pool_width": 2,
        "pool_height": 2,
        "stride_x": 1,
        "stride_y": 1,
        "data_layout": LAYOUTS[layout],
    }
    return descriptor(abi.armnn_pooling2d_descriptor_t, LAYER, **(defaults | values))


def windows(
    size: tuple[int, int],
    strides: tuple[int, int],
    dilations: tuple[int, int],
    pads: tuple[int, int, int, int],
    **values: int,
) -> dict[str, int]:
    return {
        "pool_height": size[0],
        "pool_width": size[1],
        "stride_y": strides[0],
        "stride_x": strides[1],
        "dilation_y": dilations[0],
        "dilation_x": dilations[1],
        "pad_top": pads[0],
        "pad_left": pads[1],
        "pad_bottom": pads[2],
        "pad_right": pads[3],
        **values,
    }


GEOMETRIES = [
    # channels, image, window, strides, dilations, pads
    (1, (1, 1), (1, 1), (1, 1), (1, 1), (0, 0, 0, 0)),
    (3, (8, 9), (2, 2), (2, 2), (1, 1), (0, 0, 0, 0)),
    (70, (7, 7), (3, 3), (2, 2), (1, 1), (1, 1, 1, 1)),
    (2, (11, 70), (3, 2), (1, 1), (1, 1), (1, 0, 2, 1)),
    (2, (12, 200), (2, 3), (3, 2), (1, 1), (1, 2, 0, 1)),
    (2, (9, 10), (3, 3), (1, 3), (2, 3), (2, 2, 2, 2)),
    (130, (7, 7), (7, 7), (1, 1), (1, 1), (0, 0, 0, 0)),
    (3, (5, 6), (5, 1), (5, 1), (1, 1), (0, 0, 0, 0)),
    (4, (14, 14), (5, 5), (3, 3), (1, 1), (2, 2, 2, 2)),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_maximum(cpu_ref: Layers, geometry: tuple[Any, ...], layout: str) -> None:
    channels, image, size, strides, dilations, pads = geometry
    x = random((2, channels, *image), 1) - 3  # a zero from padding would win
    attributes = {
        "kernel_shape": size,
        "strides": strides,
        "dilations": dilations,
        "pads": pads,
    }
    expected = to_layout(onnx_node("MaxPool", [x], attributes), layout)
    layer = pooling(layout, **windows(size, strides, dilations, pads, pool_type=MAX))
    (y,) = cpu_ref.run(LAYER, layer, [to_layout(x, layout)], [(expected.shape, F)])
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", [IGNORE, EXCLUDE])
@pytest.mark.parametrize("geometry", GEOMETRIES)
def test_average(cpu_ref: Layers, geometry: tuple[Any, ...], method: int, layout: str) -> None:
    channels, image, size, strides, dilations, pads = geometry
    x = random((2, channels, *image), 1)
    attributes = {
        "kernel_shape": size,
        "strides": strides,
        "dilations": dilations,
        "pads": pads,
        "count_include_pad": int(method == IGNORE),
    }
    expected = to_layout(onnx_node("AveragePool", [x], attributes, opset=19), layout)
    values = windows(size, strides, dilations, pads, pool_type=AVERAGE, padding_method=method)
    (y,) = cpu_ref.run(
        LAYER, pooling(layout, **values), [to_layout(x, layout)], [(expected.shape, F)]
    )
    assert_close(y, expected, LayerType.POOLING2D)


def spelt_out(x: np.ndarray, values: dict[str, int], shape: tuple[int, ...]) -> np.ndarray:
    """The definition, element by element, on an NCHW image."""
    result = np.zeros(shape)
    dilation_y, dilation_x = max(values["dilation_y"], 1), max(values["dilation_x"], 1)
    for n, c, oy, ox in itertools.product(*map(range, shape)):
        seen, counted = [], 0
        for ky, kx in itertools.product(range(values["pool_height"]), range(values["pool_width"])):
            y = oy * values["stride_y"] + ky * dilation_y - values["pad_top"]
            z = ox * values["stride_x"] + kx * dilation_x - values["pad_left"]
            if y < x.shape[2] + values["pad_bottom"] and z < x.shape[3] + values["pad_right"]:
                counted += 1
            if 0 <= y < x.shape[2] and 0 <= z < x.shape[3]:
                seen.append(float(x[n, c, y, z]))
        if not seen:
            continue
        divisor = counted if values["padding_method"] == IGNORE else len(seen)
        if values["pool_type"] == MAX:
            result[n, c, oy, ox] = max(seen)
        elif values["pool_type"] == AVERAGE:
            result[n, c, oy, ox] = sum(seen) / divisor
        else:
            result[n, c, oy, ox] = (sum(v * v for v in seen) / divisor) ** 0.5
    return result


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("method", [IGNORE, EXCLUDE])
@pytest.mark.parametrize("algorithm", [MAX, AVERAGE, L2])
@pytest.mark.parametrize(
    ("image", "size", "strides", "dilations", "pads", "out"),
    [
        ((6, 6), (3, 3), (2, 2), (1, 1), (0, 0, 0, 0), (3, 3)),
        ((5, 7), (2, 2), (2, 3), (0, 0), (1, 0, 0, 1), (3, 3)),
        ((4, 4), (2, 2), (3, 3), (1, 1), (0, 0, 2, 2), (3, 3)),  # last window sees padding only
        ((4, 4), (2, 2), (3, 3), (1, 1), (0, 0, 2, 2), (2, 3)),  # and may be left out
        ((2, 2), (3, 3), (2, 2), (1, 1), (0, 0, 0, 0), (1, 1)),  # window larger than the image
        ((2, 2), (2, 2), (2, 2), (1, 1), (3, 3, 3, 3), (4, 4)),  # padding larger than the window
        ((9, 3), (2, 3), (4, 2), (3, 1), (1, 1, 0, 1), (3, 2)),
    ],
)
def test_rounded_up(
    cpu_ref: Layers,
    image: tuple[int, int],
    size: tuple[int, int],
    strides: tuple[int, int],
    dilations: tuple[int, int],
    pads: tuple[int, int, int, int],
    out: tuple[int, int],
    algorithm: int,
    method: int,
    layout: str,
) -> None:
    x = random((2, 3, *image), 1) - (3 if algorithm == MAX else 0)
    values = windows(
        size,
        strides,
        dilations,
        pads,
        pool_type=algorithm,
        padding_method=method,
        output_shape_rounding=abi.ARMNN_ROUNDING_CEILING,
    )
    expected = to_layout(spelt_out(x, values, (2, 3, *out)), layout)
    (y,) = cpu_ref.run(
        LAYER, pooling(layout, **values), [to_layout(x, layout)], [(expected.shape, F)]
    )
    np.testing.assert_allclose(y, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_maximum_keeps_infinities_and_nan(cpu_ref: Layers, layout: str) -> None:
    x = np.array([-np.inf, -np.inf, np.nan, 1, np.inf, 2], F).reshape(1, 1, 1, 6)
    layer = pooling(layout, pool_height=1, stride_x=2)
    expected = to_layout(np.array([-np.inf, np.nan, np.inf], F).reshape(1, 1, 1, 3), layout)
    (y,) = cpu_ref.run(LAYER, layer, [to_layout(x, layout)], [(expected.shape, F)])
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    ("values", "output", "reason"),
    [
        (
            {"stride_x": 0},
            (1, 4, 7, 7),
            "the descriptor: Pooling2dDescriptor: stride_x 0 given, at least 1",
        ),
        (
            {"pool_height": 0},
            (1, 4, 7, 7),
            "the descriptor: Pooling2dDescriptor: pool_height 0 given, at least 1",
        ),
        ({"pool_type": 3}, (1, 4, 7, 7), "the descriptor: pool_type is 3"),
        ({"padding_method": 2}, (1, 4, 7, 7), "the descriptor: padding_method is 2"),
        ({"output_shape_rounding": 2}, (1, 4, 7, 7), "the descriptor: output_shape_rounding is 2"),
        ({"data_layout": 0}, (1, 4, 7, 7), "the descriptor: data_layout is 0"),
        (
            {"pool_width": 9},
            (1, 4, 7, 1),
            "the descriptor: Pooling2dDescriptor: dilation_x 0 given, at least 1",
        ),
        ({}, (1, 4, 8, 7), "the descriptor: Pooling2dDescriptor: dilation_x 0 given, at least 1"),
        ({}, (1, 5, 7, 7), "the descriptor: Pooling2dDescriptor: dilation_x 0 given, at least 1"),
        (
            {"output_shape_rounding": 1, "stride_x": 2},
            (1, 4, 7, 3),
            "the descriptor: Pooling2dDescriptor: dilation_x 0 given, at least 1",
        ),
    ],
)
def test_refusals_say_why(
    cpu_ref: Layers, values: dict[str, int], output: tuple[int, ...], reason: str
) -> None:
    answer = cpu_ref.refusal(LAYER, pooling(**values), [((1, 4, 8, 8), F)], [(output, F)])
    assert answer is not None
    assert reason in answer
