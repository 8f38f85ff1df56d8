# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DETECTION_POST_PROCESS beside LiteRT's TFLite_Detection_PostProcess."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flatbuffers import flexbuffers

from armnn_py._native import abi
from tests.frontends.tflite.conftest import Builder, run_litert

from .harness import Layers, Tensor, descriptor

DETECTION = abi.ARMNN_LAYER_DETECTION_POST_PROCESS
F = np.float32


def form(**values: Any) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "max_detections": 6, "max_classes_per_detection": 1, "detections_per_class": 4,
        "nms_score_threshold": 0.25, "nms_iou_threshold": 0.4, "num_classes": 3,
        "use_regular_nms": False, "scale_x": 8.0, "scale_y": 9.0, "scale_w": 4.0, "scale_h": 5.0,
    }  # fmt: skip
    return defaults | values


def found(
    cpu_ref: Layers, values: dict[str, Any], tensors: list[Tensor]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """What the kernel finds, and what LiteRT finds in the operands as float32."""
    places = values["max_detections"] * values["max_classes_per_detection"]
    shapes = [(1, places, 4), (1, places), (1, places), (1,)]
    ours = cpu_ref.run(
        DETECTION,
        descriptor(abi.armnn_detection_post_process_descriptor_t, DETECTION, **values),
        tensors,
        [(shape, F) for shape in shapes],
    )
    builder, options = Builder(), dict(values)
    for side in "xywh":
        options[f"{side}_scale"] = options.pop(f"scale_{side}")
    options["nms_iou_threshold"] = max(options["nms_iou_threshold"], 1e-30)  # LiteRT wants > 0
    arrays = [one.real.astype(F) if one.scales else one.array.astype(F) for one in tensors]
    boxes, scores = (builder.tensor(f"x{i}", arrays[i].shape) for i in range(2))
    anchors = builder.constant("x2", arrays[2])
    made = [builder.tensor(f"y{i}") for i in range(4)]
    custom = bytes(flexbuffers.Dumps(options))
    builder.op("TFLite_Detection_PostProcess", [boxes, scores, anchors], made, custom=custom)
    builder.ends([boxes, scores], made)
    named = run_litert(builder.data(), {"x0": arrays[0], "x1": arrays[1]})
    theirs = [named[f"y{i}"] for i in range(4)]
    # LiteRT leaves places without a detection as they were; here they are 0.
    columns = 1 if values["use_regular_nms"] else values["max_classes_per_detection"]
    place, column = np.divmod(np.arange(places), columns)
    unused = (place >= theirs[3][0]) | (column >= values["num_classes"])
    for one in theirs[:3]:
        one[:, unused] = 0
    return ours, theirs


def drawn(boxes: int, columns: int, seed: int = 0) -> list[np.ndarray]:
    """Boxes on anchors that lie close together, so that many overlap."""
    rng = np.random.default_rng(seed)
    anchors = np.concatenate([rng.random((boxes, 2)), rng.random((boxes, 2)) / 2 + 0.2], 1)
    return [
        rng.standard_normal((1, boxes, 4)).astype(F),
        rng.random((1, boxes, columns)).astype(F),
        anchors.astype(F),
    ]


CASES = [
    {},
    {"max_classes_per_detection": 2},
    {"max_classes_per_detection": 5},
    {"nms_iou_threshold": 1.0, "max_detections": 40},
    {"nms_iou_threshold": 0.0},
    {"nms_score_threshold": 2.0},
    {"max_detections": 1},
    {"detections_per_class": 1, "max_detections": 40},
    {"detections_per_class": 100, "max_detections": 10},
]


@pytest.mark.parametrize("regular", [False, True])
@pytest.mark.parametrize("background", [0, 1])
@pytest.mark.parametrize("values", CASES)
def test_detections(
    cpu_ref: Layers, values: dict[str, Any], background: int, regular: bool
) -> None:
    tensors = [Tensor(one) for one in drawn(30, 3 + background)]
    ours, theirs = found(cpu_ref, form(use_regular_nms=regular, **values), tensors)
    np.testing.assert_array_equal(ours[3], theirs[3])
    np.testing.assert_array_equal(ours[1], theirs[1])
    np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-6)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("regular", [False, True])
@pytest.mark.parametrize(
    ("dtype", "data_type", "point"),
    [
        (np.uint8, abi.ARMNN_DATA_TYPE_QASYMM_U8, 128),
        (np.int8, abi.ARMNN_DATA_TYPE_QASYMM_S8, -3),
        (np.int16, abi.ARMNN_DATA_TYPE_QSYMM_S16, 0),
    ],
)
def test_quantised_operands(
    cpu_ref: Layers, dtype: Any, data_type: int, point: int, regular: bool
) -> None:
    """Scores of few steps tie: the lower class, then the lower box comes first."""
    boxes, scores, anchors = drawn(30, 4, 1)
    limits = np.iinfo(dtype)

    def steps(x: np.ndarray, scale: float) -> Tensor:
        q = np.clip(np.rint(x / scale) + point, limits.min, limits.max).astype(dtype)
        return Tensor(q, (scale,), (point,), data_type=data_type)

    tensors = [steps(boxes, 0.05), steps(scores, 0.125), steps(anchors, 0.02)]
    ours, theirs = found(cpu_ref, form(use_regular_nms=regular), tensors)
    assert theirs[3][0] > 2
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_float16(cpu_ref: Layers) -> None:
    tensors = [Tensor(one.astype(np.float16)) for one in drawn(30, 4, 2)]
    ours, theirs = found(cpu_ref, form(), tensors)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_scores_that_are_no_numbers_find_nothing(cpu_ref: Layers) -> None:
    boxes, scores, anchors = drawn(5, 3)
    scores[0, :4] = np.nan
    tensors = [Tensor(boxes), Tensor(scores), Tensor(anchors)]
    for regular in (False, True):
        values = form(use_regular_nms=regular, nms_score_threshold=-1.0, num_classes=3)
        ours, _ = found(cpu_ref, values, tensors)
        assert ours[3][0] == (3 if regular else 1)


def test_no_boxes(cpu_ref: Layers) -> None:
    shapes = [(1, 6, 4), (1, 6), (1, 6), (1,)]
    empty = [np.zeros((1, 0, 4), F), np.zeros((1, 0, 3), F), np.zeros((0, 4), F)]
    layer = descriptor(abi.armnn_detection_post_process_descriptor_t, DETECTION, **form())
    for one in cpu_ref.run(DETECTION, layer, empty, [(shape, F) for shape in shapes]):
        assert not one.any()
