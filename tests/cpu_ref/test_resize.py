# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""RESIZE against exact fractions, and against onnxruntime where both define the same thing."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest

from armnn_py._native import abi
from armnn_py.testing import assert_close
from armnn_py.types import LayerType

from .harness import Layers, descriptor
from .reference import LAYOUTS, onnx_node, random, to_layout

LAYER = abi.ARMNN_LAYER_RESIZE
BILINEAR, NEAREST = abi.ARMNN_RESIZE_BILINEAR, abi.ARMNN_RESIZE_NEAREST_NEIGHBOR
MODES = {
    "asymmetric": {},
    "corners": {"align_corners": 1},
    "half": {"half_pixel_centers": 1},
    "corners and half": {"align_corners": 1, "half_pixel_centers": 1},
}
F = np.float32


def resize(
    size: tuple[int, int], method: int, layout: str = "nchw", **values: Any
) -> abi.armnn_resize_descriptor_t:
    return descriptor(
        abi.armnn_resize_descriptor_t,
        LAYER,
        target_height=size[0],
        target_width=size[1],
        method=method,
        **({"data_layout": LAYOUTS[layout]} | values),
    )


def weights(inputs: int, outputs: int, method: int, mode: str) -> np.ndarray:
    """The matrix [outputs, inputs] of one axis, from the formulas in exact arithmetic."""
    scale = Fraction(inputs, outputs)
    if "corners" in mode and outputs > 1:
        scale = Fraction(inputs - 1, outputs - 1)
    matrix = np.zeros((outputs, inputs))
    for o in range(outputs):
        if method == NEAREST:
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


SIZES = [
    ((1, 1), (1, 1)),
    ((4, 5), (4, 5)),
    ((3, 4), (6, 8)),
    ((5, 7), (13, 9)),
    ((9, 12), (4, 5)),
    ((1, 5), (3, 1)),
    ((2, 3), (70, 131)),
    ((49, 30), (30, 49)),
    ((10, 10), (1, 1)),
    ((3, 3), (0, 4)),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", [BILINEAR, NEAREST])
@pytest.mark.parametrize(("size", "target"), SIZES)
def test_matches_the_formulas(
    cpu_ref: Layers,
    size: tuple[int, int],
    target: tuple[int, int],
    method: int,
    mode: str,
    layout: str,
) -> None:
    x = random((2, 3, *size), 1)
    rows = weights(size[0], target[0], method, mode) if target[0] else np.zeros((0, size[0]))
    columns = weights(size[1], target[1], method, mode)
    expected = to_layout(np.einsum("ncyx,hy,wx->nchw", x.astype(np.float64), rows, columns), layout)
    layer = resize(target, method, layout, **MODES[mode])
    (y,) = cpu_ref.run(LAYER, layer, [to_layout(x, layout)], [(expected.shape, F)])
    if method == NEAREST:
        np.testing.assert_array_equal(y, expected.astype(F))
    else:
        assert_close(y, expected, LayerType.RESIZE)


@pytest.mark.parametrize(
    ("method", "mode", "attributes"),
    [
        (BILINEAR, "half", {"coordinate_transformation_mode": "half_pixel"}),
        (BILINEAR, "corners", {"coordinate_transformation_mode": "align_corners"}),
        (BILINEAR, "asymmetric", {"coordinate_transformation_mode": "asymmetric"}),
        (
            NEAREST,
            "asymmetric",
            {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
        ),
        (
            NEAREST,
            "corners",
            {
                "coordinate_transformation_mode": "align_corners",
                "nearest_mode": "round_prefer_ceil",
            },
        ),
    ],
)
@pytest.mark.parametrize(
    ("size", "target"), [((3, 4), (6, 8)), ((8, 6), (4, 3)), ((5, 5), (9, 17))]
)
def test_matches_onnx_resize(
    cpu_ref: Layers,
    size: tuple[int, int],
    target: tuple[int, int],
    method: int,
    mode: str,
    attributes: dict[str, str],
) -> None:
    x = random((1, 2, *size), 1)
    sizes = np.array([1, 2, *target], np.int64)
    expected = onnx_node(
        "Resize",
        [x, None, None, sizes],
        {"mode": "linear" if method == BILINEAR else "nearest", **attributes},
        constant=(3,),
    )
    layer = resize(target, method, **MODES[mode])
    (y,) = cpu_ref.run(LAYER, layer, [x], [(expected.shape, F)])
    assert_close(y, expected, LayerType.RESIZE)


@pytest.mark.parametrize(
    ("values", "shape", "output", "reason"),
    [
        ({}, (1, 2, 3, 4), (1, 2, 7, 8), "output 0 stated as 1x2x7x8, but it is 1x2x6x8"),
        ({}, (1, 2, 3, 4), (1, 3, 6, 8), "output 0 stated as 1x3x6x8, but it is 1x2x6x8"),
        ({"method": 2}, (1, 2, 3, 4), (1, 2, 6, 8), "the descriptor: method is 2"),
        ({}, (1, 2, 0, 4), (1, 2, 6, 8), "the input has no pixels to resize"),
    ],
)
def test_refusals_say_why(
    cpu_ref: Layers,
    values: dict[str, int],
    shape: tuple[int, ...],
    output: tuple[int, ...],
    reason: str,
) -> None:
    layer = resize((6, 8), values.pop("method", BILINEAR), **values)
    answer = cpu_ref.refusal(LAYER, layer, [(shape, F)], [(output, F)])
    assert answer is not None
    assert reason in answer
