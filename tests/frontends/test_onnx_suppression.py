# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""NonMaxSuppression of ONNX, as a layer and a cut of its rows: by onnxruntime."""

from __future__ import annotations

import numpy as np
import pytest

import armnn_py as ann
from tests.cpu_ref.test_non_max_suppression import (
    BOXES,
    EDGES,
    NAN,
    SCORES,
    Arrays,
    model,
    operands,
    theirs,
)

GIVEN = ("boxes", "scores")


@pytest.mark.parametrize("center", [0, 1])
@pytest.mark.parametrize("what", EDGES)
def test_edges(what: str, center: int) -> None:
    """Boxes and scores are known, or inputs."""
    arrays = EDGES[what]
    wanted = theirs(center, arrays)
    inputs = {name: arrays[name] for name in GIVEN}
    rest = {name: array for name, array in arrays.items() if name not in GIVEN}
    cases: list[tuple[list[str], Arrays, Arrays]] = [
        (["CpuRef"], {}, arrays), (["CpuRef"], inputs, rest), (["CpuAcc", "CpuRef"], inputs, rest),
    ]  # fmt: skip
    for backends, fed, known in cases:
        with ann.load(model(center, tuple(fed), known), backends) as network:
            found = network.run(fed)["y"]
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_array_equal(found, wanted)


def test_all_operands_are_inputs() -> None:
    arrays = EDGES["an overlap of exactly the limit"]
    with ann.load(model(0, tuple(arrays)), ["CpuRef"]) as network:
        for least in (0.0, 0.4, 0.1):
            fed = arrays | {"least": np.float32([least])}
            np.testing.assert_array_equal(network.run(fed)["y"], theirs(0, fed))


def test_refusals() -> None:
    good = operands(BOXES, SCORES, 4, 0.5, 0.0)
    refused = {
        "boxes is float64, float32 expected": {"boxes": np.float64(BOXES)},
        "scores is int64, float32 expected": {"scores": np.ones((1, 2, 5), np.int64)},
        "scores of 1x2x4 given, BxNx4 and BxCxN expected": {
            "scores": np.ones((1, 2, 4), np.float32)
        },
        "a number of boxes must be of an integer type, not float32": {"most": np.float32([3])},
        "iou_threshold 1.5 given, 0 to 1 expected": {"overlap": np.float32([1.5])},
        "iou_threshold -0.5 given, 0 to 1 expected": {"overlap": np.float32([-0.5])},
        "iou_threshold nan given, 0 to 1 expected": {"overlap": np.float32([NAN])},
        "cannot be converted": {"most": np.int64([])},
    }
    for message, wrong in refused.items():
        with pytest.raises(ann.ParseError) as caught:
            ann.import_model(model(0, (), good | wrong))
        assert message in str(caught.value)
    with pytest.raises(ann.ParseError, match="'center_point_box' is 2, 0 or 1 expected"):
        ann.import_model(model(2, (), good))
