# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Resize and Upsample in every mode against onnxruntime, and which of them a layer does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

from armnn_py.frontends import import_model
from armnn_py.types import LayerType

R = np.random.default_rng(3)
IMAGE = R.standard_normal((1, 2, 5, 6)).astype(np.float32)
SIZES = {"up": (10, 12), "down": (3, 2), "uneven": (7, 4), "one": (1, 9), "same": (5, 6)}
TRANSFORMATIONS = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")


def resize(sizes: tuple[int, ...]) -> tuple[list[Any], dict[int, np.ndarray]]:
    wanted = np.array([1, 2, *sizes], np.int64)
    return [IMAGE, None, None, wanted], {3: wanted}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_nearest(agree: Any, size: str, transformation: str, rounding: str) -> None:
    attributes = {"coordinate_transformation_mode": transformation, "nearest_mode": rounding}
    inputs, constants = resize(SIZES[size])
    agree("Resize", inputs, constants, 13, {"mode": "nearest", **attributes})


@pytest.mark.parametrize("scale", [0.1, 0.6, 0.7, 3.7])
@pytest.mark.parametrize("transformation", ["half_pixel", "asymmetric"])
@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_neighbours_that_the_last_bit_decides(
    agree: Any, rounding: str, transformation: str, scale: float
) -> None:
    """7 / 10 is none of the numbers that a model can have: 3.5 / 0.7 may be 5, or next to it."""
    scales = np.float32([1, 1, scale, scale])
    image = np.arange(40 * 35, dtype=np.float32).reshape(1, 1, 40, 35)
    attributes = {"coordinate_transformation_mode": transformation, "nearest_mode": rounding}
    agree("Resize", [image, None, scales], {2: scales}, 13, {"mode": "nearest", **attributes})


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_interpolation(agree: Any, mode: str, transformation: str, size: str) -> None:
    attributes = {"mode": mode, "coordinate_transformation_mode": transformation}
    inputs, constants = resize(SIZES[size])
    agree("Resize", inputs, constants, 13, attributes)


@pytest.mark.parametrize("size", ["down", "uneven"])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_antialias(agree: Any, mode: str, size: str) -> None:
    inputs, constants = resize(SIZES[size])
    agree("Resize", inputs, constants, 18, {"mode": mode, "antialias": 1})


def test_cubic_without_what_lies_outside(agree: Any) -> None:
    inputs, constants = resize(SIZES["up"])
    attributes = {"mode": "cubic", "exclude_outside": 1, "cubic_coeff_a": -0.5}
    agree("Resize", inputs, constants, 13, attributes)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("scales", [(1, 1, 2, 3), (1, 1, 0.6, 0.5), (1, 1, 1.3, 2.7)])
def test_scales(agree: Any, mode: str, scales: tuple[float, ...]) -> None:
    given = np.array(scales, np.float32)
    attributes = {"mode": mode, "coordinate_transformation_mode": "asymmetric"}
    agree("Resize", [IMAGE, None, given], {2: given}, 13, attributes)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("op", ["Upsample", "Resize"])
def test_old_versions(agree: Any, op: str, mode: str) -> None:
    given = np.array([1, 1, 2, 3], np.float32)
    agree(op, [IMAGE, given], {1: given}, 9 if op == "Upsample" else 10, {"mode": mode})


def test_crop(agree: Any) -> None:
    region = np.array([0, 0, 0.2, -0.3, 1, 1, 0.7, 1.4], np.float32)
    sizes = np.array([1, 2, 4, 5], np.int64)
    attributes = {
        "mode": "linear",
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 10.0,
    }
    agree("Resize", [IMAGE, region, None, sizes], {1: region, 3: sizes}, 13, attributes)


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller"])
def test_aspect_ratio(agree: Any, policy: str) -> None:
    sizes = np.array([9, 8], np.int64)
    attributes = {"mode": "nearest", "axes": [2, 3], "keep_aspect_ratio_policy": policy}
    agree("Resize", [IMAGE, None, None, sizes], {3: sizes}, 18, attributes)


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
    inputs, constants = resize(SIZES[size])
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], name="resize", **attributes)
    model = models.build([node], {"x": inputs[0]}, ["y"], {"sizes": constants[3]}, opset=13)
    network = import_model(models.save(model))
    skipped = (LayerType.INPUT, LayerType.OUTPUT, LayerType.CONSTANT, LayerType.RESHAPE)
    found = {layer.type.name for layer in network.layers if layer.type not in skipped}
    assert found == ({expected} if expected else set())
    assert network.outputs["y"].shape == (1, 2, *SIZES[size])
