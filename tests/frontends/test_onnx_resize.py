# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Resize and Upsample in every mode against onnxruntime, and which of them a layer does."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from onnx import helper, numpy_helper

import armnn_py as ann
from armnn_py.frontends import import_model
from armnn_py.frontends.common.resampling import Axis, Method, nearest_indices
from armnn_py.types import LayerType
from tests.frontends.beside_onnxruntime import theirs

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


def of_integers(x: np.ndarray, sizes: tuple[int, ...], backend: str, **attributes: Any) -> Any:
    """What we make of a Resize of integers, and its model."""
    element = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], **attributes)],
        "graph",
        [helper.make_tensor_value_info("x", element, x.shape)],
        [helper.make_tensor_value_info("y", element, sizes)],
        [numpy_helper.from_array(np.int64(sizes), "sizes")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    with ann.load(model, [backend, "CpuRef"]) as network:
        return network.run(x)["y"], model


@pytest.mark.parametrize("backend", ["CpuRef", "CpuAcc"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
@pytest.mark.parametrize("transformation", TRANSFORMATIONS)
@pytest.mark.parametrize(
    ("shape", "sizes"),
    [((1, 2, 5, 6), (1, 2, 7, 4)), ((5, 6), (11, 17)), ((1, 5, 6, 3), (1, 13, 8, 3)),
     ((1, 2, 3, 5, 6), (1, 2, 4, 7, 5))],
)  # fmt: skip
def test_integers(
    shape: tuple[int, ...], sizes: tuple[int, ...], dtype: Any, transformation: str, backend: str
) -> None:
    """One less where a sum of onnxruntime in float32 misses the integer that it is."""
    numbers = np.random.default_rng(4)
    x = numbers.integers(-128 if dtype != np.uint8 else 0, 128, shape).astype(dtype)
    form = {"mode": "linear", "coordinate_transformation_mode": transformation}
    found, model = of_integers(x, sizes, backend, **form)
    wanted = theirs(model, {"x": x})["y"]
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    difference = found.astype(int) - wanted.astype(int)
    assert np.abs(difference).max() <= 1
    # Of 8 bits with channels last onnxruntime has weights of 10 bits.
    assert np.count_nonzero(difference) <= 0.1 * difference.size


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16, np.int32])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_one_integer_stays(dtype: Any, mode: str) -> None:
    for value in (-101, -1, 0, 3, 100):
        if np.dtype(dtype).kind == "i" or value >= 0:
            x = np.full((1, 1, 7, 9), value, dtype)
            for size in range(8, 24, 5):
                found, _ = of_integers(x, (1, 1, size, size + 3), "CpuRef", mode=mode)
                assert set(np.unique(found)) == {value}


@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize(("shape", "sizes"), [((1, 2, 14, 19), (1, 2, 6, 7)), ((7, 9), (13, 5))])
def test_antialiased_integers(
    shape: tuple[int, ...], sizes: tuple[int, ...], dtype: Any, mode: str
) -> None:
    x = np.random.default_rng(5).integers(0, 256, shape).astype(dtype)
    found, model = of_integers(x, sizes, "CpuRef", mode=mode, antialias=1)
    wanted = theirs(model, {"x": x})["y"]
    difference = np.abs(found.astype(int) - wanted.astype(int))
    assert difference.max() <= 1
    assert np.count_nonzero(difference) <= 0.06 * difference.size


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
