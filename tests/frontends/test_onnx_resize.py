# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layers of Resize, and neighbours that the last bit decides; see test_onnx_resize_exact.py."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from onnx import helper

from armnn_py.frontends import import_model
from armnn_py.frontends.common.resampling import Axis, Method, nearest_indices
from armnn_py.types import LayerType

R = np.random.default_rng(3)
IMAGE = R.standard_normal((1, 2, 5, 6)).astype(np.float32)
SIZES = {"up": (10, 12), "same": (5, 6)}
TRANSFORMATIONS = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")


@pytest.mark.parametrize("scale", [0.1, 0.6, 0.7, 3.7])
@pytest.mark.parametrize("transformation", ["half_pixel", "asymmetric"])
@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_neighbours_that_the_last_bit_decides(
    agree: Any, rounding: str, transformation: str, scale: float
) -> None:
    """No model can have the number 7 / 10: 3.5 / 0.7 may be 5, or next to it."""
    scales = np.float32([1, 1, scale, scale])
    image = np.arange(40 * 35, dtype=np.float32).reshape(1, 1, 40, 35)
    attributes = {"coordinate_transformation_mode": transformation, "nearest_mode": rounding}
    agree("Resize", [image, None, scales], {2: scales}, 13, {"mode": "nearest", **attributes})


@pytest.mark.parametrize(
    ("attributes", "size", "expected"),
    [
        ({"nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}, "up", "RESIZE"),
        ({"nearest_mode": "ceil", "coordinate_transformation_mode": "asymmetric"}, "up", "GATHER"),
        ({"mode": "linear"}, "up", "RESIZE"),
        ({"mode": "linear", "coordinate_transformation_mode": "align_corners"}, "up", "RESIZE"),
        ({"mode": "cubic"}, "up", "BATCH_MAT_MUL"),
        ({"mode": "nearest"}, "same", None),
    ],
    ids=["floor", "ceil", "bilinear", "align corners", "cubic", "nothing to do"],
)
def test_layers(models: Any, attributes: dict[str, Any], size: str, expected: str | None) -> None:
    sizes = np.int64([1, 2, *SIZES[size]])
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], name="resize", **attributes)
    model = models.build([node], {"x": IMAGE}, ["y"], {"sizes": sizes}, opset=13)
    network = import_model(models.save(model))
    skipped = (LayerType.INPUT, LayerType.OUTPUT, LayerType.CONSTANT, LayerType.RESHAPE)
    found = {layer.type.name for layer in network.layers if layer.type not in skipped}
    assert found == ({expected} if expected else set())
    assert network.outputs["y"].shape == (1, 2, *SIZES[size])


def exact_position(x: int, size: int, target: int, transformation: str) -> Fraction:
    """The text of Resize with the quotient of the sizes as its scale."""
    scale, half = Fraction(target, size), Fraction(1, 2)
    match transformation:
        case "align_corners":
            return Fraction(x * (size - 1), max(target - 1, 1))
        case "asymmetric":
            return x / scale
        case "tf_half_pixel_for_nn":
            return (x + half) / scale
        case "pytorch_half_pixel" if target == 1:
            return Fraction(0)
    return (x + half) / scale - half


EXACT_ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "round_prefer_floor": lambda p: math.ceil(p - Fraction(1, 2)),
    "round_prefer_ceil": lambda p: math.floor(p + Fraction(1, 2)),
    "floor": math.floor,
    "ceil": math.ceil,
}


@pytest.mark.parametrize("rounding", EXACT_ROUNDINGS)
@pytest.mark.parametrize(
    "transformation", [*TRANSFORMATIONS, "half_pixel_symmetric", "tf_half_pixel_for_nn"]
)
def test_nearest_is_exact_for_all_small_sizes(transformation: str, rounding: str) -> None:
    method = Method("nearest", transformation, rounding)
    for size, target in itertools.product(range(1, 25), repeat=2):
        axis = Axis(0, size, target, Fraction(target, size))
        places = [
            EXACT_ROUNDINGS[rounding](exact_position(x, size, target, transformation))
            for x in range(target)
        ]
        found = nearest_indices(axis, method)
        np.testing.assert_array_equal(found, np.clip(places, 0, size - 1))


@pytest.mark.parametrize("by", ["sizes", "scales"])
def test_halves_are_exact(agree: Any, by: str) -> None:
    """3 / 10 has no exact float; 14.5 is rounded up nevertheless."""
    x = np.arange(20, dtype=np.float32).reshape(1, 1, 20)
    attributes = {"mode": "nearest", "nearest_mode": "round_prefer_ceil"}
    if by == "sizes":
        wanted = np.int64([1, 1, 6])
        agree("Resize", [x, None, None, wanted], {3: wanted}, 13, attributes)
    else:
        scales = np.float32([1, 1, 0.3])
        agree("Resize", [x, None, scales], {2: scales}, 13, attributes)


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_aspect_ratio_of_all_small_sizes(models: Any, policy: str) -> None:
    """The smaller or larger quotient is the scale of both; halves of sizes are rounded up."""
    for sizes in itertools.product(range(1, 9), repeat=2):
        choose = min if policy == "not_larger" else max
        scale = choose(Fraction(t, n) for t, n in zip(sizes, (5, 6), strict=True))
        node = helper.make_node(
            "Resize", ["x", "", "", "s"], ["y"], axes=[2, 3], keep_aspect_ratio_policy=policy
        )
        model = models.build([node], {"x": IMAGE}, ["y"], {"s": np.int64(sizes)}, opset=18)
        expected = tuple(math.floor(scale * n + Fraction(1, 2)) for n in (5, 6))
        if min(expected) >= 1:
            assert import_model(model).outputs["y"].shape == (1, 2, *expected)
