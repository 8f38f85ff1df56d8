# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""NON_MAX_SUPPRESSION: the boxes that are kept, and their order, are those of onnxruntime."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

from armnn_py._native import abi

from .harness import Layers, descriptor
from .tensors import IS_SAMPLE

LAYER = abi.ARMNN_LAYER_NON_MAX_SUPPRESSION
F, I = np.float32, np.int32  # noqa: E741
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
HUGE = np.iinfo(np.int64).max
NAN, INF = float("nan"), float("inf")
NAMES = ("boxes", "scores", "most", "overlap", "least")
TYPES = (FLOAT, FLOAT, INT64, FLOAT, FLOAT)

Arrays = dict[str, np.ndarray]


def model(center: int, inputs: tuple[str, ...], constants: Arrays | None = None) -> onnx.ModelProto:
    """The operator; what is neither an input nor a constant is absent."""
    constants = constants or {}
    given = [name if name in inputs or name in constants else "" for name in NAMES]
    while not given[-1]:
        given.pop()
    graph = helper.make_graph(
        [helper.make_node("NonMaxSuppression", given, ["y"], center_point_box=center)],
        "suppression",
        [
            helper.make_tensor_value_info(name, kind, [None] * (3 if kind == FLOAT else 1))
            if name in NAMES[:2]
            else helper.make_tensor_value_info(name, kind, [1])
            for name, kind in zip(NAMES, TYPES, strict=True)
            if name in inputs
        ],
        [helper.make_tensor_value_info("y", INT64, [None, 3])],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@functools.cache
def session(center: int, inputs: tuple[str, ...]) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(
        model(center, inputs).SerializeToString(), providers=["CPUExecutionProvider"]
    )


def theirs(center: int, arrays: Arrays) -> np.ndarray:
    return session(center, tuple(arrays)).run(None, arrays)[0]


def operands(
    boxes: Any, scores: Any, most: int | None, overlap: float | None, least: float | None
) -> Arrays:
    """What is None is absent."""
    arrays = {"boxes": np.asarray(boxes, np.float32), "scores": np.asarray(scores, np.float32)}
    for name, value, dtype in (
        ("most", most, np.int64), ("overlap", overlap, np.float32), ("least", least, np.float32)
    ):  # fmt: skip
        if value is not None:
            arrays[name] = np.array([value], dtype)
    return arrays


def parameters(center: int, arrays: Arrays) -> dict[str, Any]:
    """Those of the layer for the operands of the operator."""
    number = {name: array.item() for name, array in arrays.items() if array.size == 1}
    return {
        "max_output_boxes": min(max(number.get("most", 0), 0), 2**32 - 1),
        "iou_threshold": number.get("overlap", 0.0),
        "score_threshold": number.get("least", 0.0),
        "has_score_threshold": "least" in number,
        "center_point_box": bool(center),
    }


def found(cpu_ref: Layers, boxes: np.ndarray, scores: np.ndarray, **values: Any) -> list[Any]:
    """All three outputs."""
    rows = scores.shape[0] * scores.shape[1] * min(values["max_output_boxes"], boxes.shape[1])
    kind = abi.armnn_non_max_suppression_descriptor_t
    outputs = [((rows, 3), I), ((rows,), F), ((1,), I)]
    return cpu_ref.run(LAYER, descriptor(kind, LAYER, **values), [boxes, scores], outputs)


def ours(cpu_ref: Layers, center: int, arrays: Arrays) -> np.ndarray:
    """The rows that there are; the others are 0."""
    boxes, scores = arrays["boxes"], arrays["scores"]
    rows, best, (count,) = found(cpu_ref, boxes, scores, **parameters(center, arrays))
    assert not rows[count:].any()
    assert not best[count:].any()
    np.testing.assert_array_equal(best[:count], scores[tuple(rows[:count].T)])
    return rows[:count]


def drawn(seed: int) -> tuple[int, Arrays]:
    """Boxes and scores, some of which often meet: shares and scores are exactly equal then."""
    random = np.random.default_rng(seed)
    batches, classes = random.integers(1, 4, 2)
    count = int(random.choice([1, 2, 9, 40, 200, 1500]))
    boxes = random.normal(0, 10, (batches, count, 4))
    scores = random.random((batches, classes, count))
    if seed % 2:
        boxes = np.round(boxes)
    if seed % 3 == 0:
        boxes[..., 2:] = np.abs(boxes[..., 2:]) + (0 if seed % 4 else boxes[..., :2])
    if seed % 5 == 0:
        scores = np.round(scores * 4) / 4 - 0.25
    if seed % 7 == 0:
        chosen = random.random(boxes.shape) < 0.03
        boxes[chosen] = random.choice([NAN, INF, -INF, 3e38, -3e38, 1e-42], chosen.sum())
    if seed % 11 == 0:
        chosen = random.random(scores.shape) < 0.1
        scores[chosen] = random.choice([INF, -INF, -0.0, 0.0, 1e-42, -3e38], chosen.sum())
    arrays = operands(
        boxes,
        scores,
        random.choice([0, 1, 2, 7, 16, 17, 100, HUGE, -3], p=[0.05, *[0.13] * 7, 0.04]),
        random.choice([0, 0.1, 0.3, 0.45, 0.5, 0.7, 0.9, 1]),
        random.choice([None, -INF, 0.0, 0.25, 0.5, 0.99, INF], p=[0.3, *[0.13] * 5, 0.05]),
    )
    return int(random.integers(2)), arrays


@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_many_random_boxes(cpu_ref: Layers, first: int) -> None:
    for seed in range(first, first + 100):
        center, arrays = drawn(seed)
        np.testing.assert_array_equal(
            ours(cpu_ref, center, arrays), theirs(center, arrays), f"{seed}"
        )


BOXES = [[[0, 0, 10, 10], [10, 10, 0, 0], [0, 3, 10, 13], [20, 20, 20, 30], [0, 0, 3, 10]]]
SCORES = [[[0.5, 0.5, 0.9, 0.7, 0.2], [0.1, 0.2, 0.3, 0.2, 0.1]]]

SEVEN_TENTHS = [[[0, 0, 10, 10], [0, 0, 10, 7]]]
ALIKE = np.ones((1, 1, 3))
NO_NUMBERS = [[[NAN] * 4, [0, 0, NAN, 1], [0, 0, 1, 1]]]
NO_ENDS = [[[-INF, -INF, INF, INF], [0, 0, 1, 1], [0, 0, INF, 1]]]

EDGES: dict[str, Arrays] = {
    "a limit of 0": operands(BOXES, SCORES, 0, 0.5, 0.0),
    "no limit": operands(BOXES, SCORES, None, 0.5, 0.0),
    "a limit below 0": operands(BOXES, SCORES, -7, 0.5, 0.0),
    "a huge limit": operands(BOXES, SCORES, HUGE, 0.5, 0.0),
    "no overlap is stated": operands(BOXES, SCORES, 4, None, 0.0),
    "an overlap of 0": operands(BOXES, SCORES, 4, 0.0, 0.0),
    "an overlap of 1": operands(BOXES, SCORES, 4, 1.0, 0.0),
    "an overlap of exactly the limit": operands(BOXES, SCORES, 4, 0.3, 0.0),
    "an overlap that is rounded to the limit": operands(SEVEN_TENTHS, ALIKE[..., :2], 4, 0.7, 0.0),
    "no threshold": operands(BOXES, SCORES, 4, 0.5, None),
    "a threshold that a score has": operands(BOXES, SCORES, 4, 0.5, 0.2),
    "a threshold above all": operands(BOXES, SCORES, 4, 0.5, INF),
    "a threshold below all": operands(BOXES, [[[-INF, 0, INF, -1, -0.0]]], 4, 0.5, -INF),
    "a threshold of NaN": operands(BOXES, SCORES, 4, 0.5, NAN),
    "a score of NaN": operands(BOXES, [[[NAN, 0.3, NAN, 0.2, -1]]], 4, 0.5, -2.0),
    "zeros of both signs": operands(BOXES, [[[0.0, -0.0, 0.0, -0.0, 0.0]]], 4, 1.0, None),
    "boxes without a number": operands(NO_NUMBERS, ALIKE, 3, 0.0, None),
    "boxes without end": operands(NO_ENDS, ALIKE, 3, 0.0, None),
    "areas beyond float32": operands([[[0, 0, 3e38, 3e38]] * 3], ALIKE, 3, 0.0, None),
    "areas below float32": operands([[[0, 0, 1e-30, 1e-30]] * 3], ALIKE, 3, 0.0, None),
    "no boxes": operands(np.zeros((2, 0, 4)), np.zeros((2, 3, 0)), 3, 0.5, None),
    "no classes": operands(np.zeros((2, 5, 4)), np.zeros((2, 0, 5)), 3, 0.5, None),
    "no batches": operands(np.zeros((0, 5, 4)), np.zeros((0, 3, 5)), 3, 0.5, None),
}  # fmt: skip


def test_scores_without_a_number_come_last(cpu_ref: Layers) -> None:
    """Onnxruntime has no order for them; numpy sorts NaN to the end."""
    random = np.random.default_rng(3)
    scores = np.round(random.random((1, 1, 300)) * 20).astype(np.float32)
    scores[random.random(scores.shape) < 0.2] = NAN
    scores[random.random(scores.shape) < 0.1] = -INF
    scores[0, 0, 5] = np.array(0xFFC00000, np.uint32).view(np.float32)  # a NaN with a sign
    arrays = operands(np.zeros((1, 300, 4)), scores, HUGE, 0.5, None)
    np.testing.assert_array_equal(
        ours(cpu_ref, 0, arrays)[:, 2], np.argsort(-arrays["scores"][0, 0], kind="stable")
    )


def test_many_rows_of_one_class(cpu_ref: Layers) -> None:
    count = 10_000 if IS_SAMPLE else 40_000  # each row is compared with those before it
    places = np.arange(count, dtype=np.float32)[:, None] * [0, 1, 0, 1] + [0, 0, 1, 1]
    scores = np.random.default_rng(5).random((1, 2, count))
    scores[0, 1, 100:] = -1
    rows = ours(cpu_ref, 0, operands(places[None], scores, HUGE, 0.0, 0.0))
    assert len(rows) == count + 100
    best = np.argsort(-scores[0].astype(np.float32), axis=-1, kind="stable")
    np.testing.assert_array_equal(rows[:count, 2], best[0])
    np.testing.assert_array_equal(rows[count:, 2], best[1, :100])
