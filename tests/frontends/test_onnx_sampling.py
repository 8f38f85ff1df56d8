# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that read between pixels, add patches up, or choose elements: beside onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import armnn_py as ann

R = np.random.default_rng(7)


def f(*shape: int) -> np.ndarray:
    return R.standard_normal(shape).astype(np.float32)


def i(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


IMAGE, CUBE = f(2, 3, 6, 7), f(2, 2, 4, 5, 3)
#: Some coordinates lie far outside.
GRID, BOX_GRID = f(2, 4, 5, 2) * 1.2, f(2, 3, 2, 4, 3) * 1.2


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_grid_sample(agree: Any, mode: str, padding: str, align: int) -> None:
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
    agree("GridSample", [IMAGE, GRID], {}, 16, attributes, 1)


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_grid_sample_of_volumes(agree: Any, mode: str, align: int) -> None:
    agree("GridSample", [CUBE, BOX_GRID], {}, 20, {"mode": mode, "align_corners": align}, 1)


REGIONS = np.array([[0, 0, 9, 8], [3, 2, 20, 14], [-4, 1, 2, 3], [5, 5, 5.2, 5.1]], np.float32)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize(
    ("opset", "attributes"),
    [(10, {}), (16, {}), (16, {"coordinate_transformation_mode": "output_half_pixel"})],
)
def test_roi_align(agree: Any, mode: str, opset: int, attributes: dict[str, Any]) -> None:
    options = {"output_height": 3, "output_width": 2, "sampling_ratio": 2, "spatial_scale": 0.5}
    operands = [f(2, 3, 8, 9), REGIONS, i(0, 1, 1, 0)]
    agree("RoiAlign", operands, {}, opset, {**options, **attributes, "mode": mode}, 1)


#: Far outside of the image; the last one, of negative size, onnxruntime takes as a pixel alone.
WIDE = np.array([[-50, -3, 60, 70], [30, 30, 40, 41], [2, 2, 2.1, 2.1], [7, 6, 1, 2]], np.float32)


@pytest.mark.parametrize("mode", ["avg", "max"])
@pytest.mark.parametrize(
    ("opset", "attributes"),
    [(10, {}), (16, {}), (16, {"coordinate_transformation_mode": "output_half_pixel"})],
)
@pytest.mark.parametrize("known", [False, True])
def test_roi_align_with_as_many_samples_as_pixels(
    agree: Any, mode: str, opset: int, attributes: dict[str, Any], known: bool
) -> None:
    half = opset == 16 and not attributes
    regions = np.concatenate([REGIONS, WIDE[:3] if half else WIDE, REGIONS * 0.7])
    images = np.arange(len(regions)) % 2
    for size, scale in (((3, 2), 0.5), ((2, 5), 1.0), ((1, 1), 0.25)):
        options = {"output_height": size[0], "output_width": size[1], "spatial_scale": scale}
        operands = [f(2, 3, 8, 9), regions, images]
        constants = {1: regions, 2: images} if known else {}
        agree("RoiAlign", operands, constants, opset, {**options, **attributes, "mode": mode}, 1)


def test_regions_without_an_end_are_refused() -> None:
    node = helper.make_node("RoiAlign", ["x", "r", "i"], ["y"])
    infos = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in (
        ("x", TensorProto.FLOAT, (1, 1, 4, 4)), ("r", TensorProto.FLOAT, (1, 4)),
        ("i", TensorProto.INT64, (1,)))]  # fmt: skip
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, (1, 1, 1, 1))
    graph = helper.make_graph([node], "graph", infos, [out])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 16)], ir_version=8)
    x = np.ones((1, 1, 4, 4), np.float32)
    with ann.load(model, ["CpuRef"]) as network:
        wide = network.run([x, np.float32([[-1e7, -1e7, 1e7, 1e7]]), i(0)])["y"]
        assert wide.ravel() == pytest.approx(0, abs=1e-6)
        for end in (1e30, np.inf, np.nan):
            with pytest.raises(ann.ModelError, match="a corner beyond 16777216 pixels"):
                network.run([x, np.float32([[0, 0, end, 1]]), i(0)])
        with pytest.raises(ann.ModelError, match="image 1"):
            network.run([x, np.float32([[0, 0, 1, 1]]), i(1)])


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"strides": [2, 1], "pads": [1, 0, 2, 1]},
        {"dilations": [1, 2], "strides": [1, 2], "pads": [0, 1, 0, 0]},
    ],
)
def test_col2im(agree: Any, attributes: dict[str, Any]) -> None:
    image, block = (6, 7), (2, 3)
    counts = 1
    for axis in (0, 1):
        pads = attributes.get("pads", [0] * 4)
        span = image[axis] + pads[axis] + pads[2 + axis]
        span -= attributes.get("dilations", [1, 1])[axis] * (block[axis] - 1) + 1
        counts *= span // attributes.get("strides", [1, 1])[axis] + 1
    operands = [f(2, 3 * 6, counts), i(*image), i(*block)]
    agree("Col2Im", operands, {1: operands[1], 2: operands[2]}, 18, attributes, 1)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0)])
def test_reverse_sequence(agree: Any, axes: tuple[int, int]) -> None:
    time, batch = axes
    shape = (5, 4, 3)
    x = f(*shape)
    lengths = R.integers(1, shape[time] + 1, shape[batch])
    options = {"time_axis": time, "batch_axis": batch}
    agree("ReverseSequence", [x, lengths], {}, 10, options, 1)


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
def test_compress(agree: Any, axis: int | None) -> None:
    condition = np.array([False, True, True])
    attributes = {} if axis is None else {"axis": axis}
    agree("Compress", [f(3, 4, 5), condition], {1: condition}, 11, attributes, 1)


@pytest.mark.parametrize("ordered", [0, 1])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_unique_of_known_values(agree: Any, axis: int | None, ordered: int) -> None:
    x = R.integers(0, 3, (4, 3)).astype(np.float32)
    attributes = {"sorted": ordered, **({} if axis is None else {"axis": axis})}
    agree("Unique", [x], {0: x}, 11, attributes, 4)


@pytest.mark.parametrize("shape", [(7,), (3, 4), (2, 0, 3)])
def test_places_that_are_not_zero(agree: Any, shape: tuple[int, ...]) -> None:
    x = R.integers(0, 2, shape).astype(np.float32)
    agree("NonZero", [x], {0: x}, 13, {}, 1)


def test_places_of_a_scalar_that_is_not_zero(models: Any) -> None:
    """The operator's text: of a scalar the output has the shape (0, N); onnxruntime has (1, N)."""
    node = helper.make_node("NonZero", ["x"], ["y"])
    for value in (np.float32(0), np.float32(3)):
        model = models.build([node], {}, ["y"], {"x": np.asarray(value)}, opset=13)
        assert models.ours(model, {})["y"].shape == (0, int(value != 0))


@pytest.mark.parametrize("center", [0, 1])
def test_non_max_suppression_of_known_boxes(agree: Any, center: int) -> None:
    boxes, scores = R.random((2, 30, 4)).astype(np.float32), R.random((2, 3, 30)).astype(np.float32)
    operands = [boxes, scores, i(6), np.float32([0.3]), np.float32([0.2])]
    constants = dict(enumerate(operands))
    agree("NonMaxSuppression", operands, constants, 11, {"center_point_box": center}, 1)


@pytest.mark.parametrize("mode", ["linear", "circular"])
def test_tensor_scatter(models: Any, mode: str) -> None:
    cache, update, start = f(2, 3, 6, 4), f(2, 3, 2, 4), i(1, 5 if mode == "circular" else 4)
    node = helper.make_node("TensorScatter", ["c", "u", "s"], ["y"], mode=mode)
    inputs = {
        "c": (list(cache.shape), TensorProto.FLOAT),
        "u": (list(update.shape), TensorProto.FLOAT),
        "s": ([2], TensorProto.INT64),
    }
    outputs = {"y": (list(cache.shape), TensorProto.FLOAT)}
    model = models.build([node], inputs, outputs, {}, opset=24)
    expected = cache.copy()
    for batch in range(2):
        for step in range(2):
            expected[batch, :, (start[batch] + step) % 6] = update[batch, :, step]
    with ann.load(models.save(model), ["CpuRef"]) as net:
        found = net.run({"c": cache, "u": update, "s": start})["y"]
    np.testing.assert_array_equal(found, expected)
