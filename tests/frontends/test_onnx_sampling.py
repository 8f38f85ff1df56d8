# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""RoiAlign beside onnxruntime, and what it refuses; NonZero of a scalar.

The ONNX project's test data has the values of other operators on pixels, see test_onnx_suite.py.
"""

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


REGIONS = np.array([[0, 0, 9, 8], [3, 2, 20, 14], [-4, 1, 2, 3], [5, 5, 5.2, 5.1]], np.float32)
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


def test_places_of_a_scalar_that_is_not_zero(models: Any) -> None:
    """The operator's text: of a scalar the output has the shape (0, N); onnxruntime has (1, N)."""
    node = helper.make_node("NonZero", ["x"], ["y"])
    for value in (np.float32(0), np.float32(3)):
        model = models.build([node], {}, ["y"], {"x": np.asarray(value)}, opset=13)
        assert models.ours(model, {})["y"].shape == (0, int(value != 0))
