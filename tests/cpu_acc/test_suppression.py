# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layer NonMaxSuppression in CpuAcc keeps the boxes of onnxruntime; soft ones CpuRef's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from tests.cpu_ref.test_non_max_suppression import drawn, parameters, theirs

from .saving import check_saved


def run(runtime: ann.Runtime, backend: str, fed: dict[str, Any], **values: Any) -> dict[str, Any]:
    """All three outputs, of boxes and scores that lie transposed before the layer."""
    network, operands = ann.Network(), []
    for name in ("boxes", "scores"):
        x = network.add_input(name, ann.TensorInfo(fed[name].swapaxes(1, 2).shape))
        operands.append(network.add_transpose(x, (0, 2, 1)))
    most = values.pop("max_output_boxes")
    layer = network.add_non_max_suppression(*operands, most, **values)
    for name, slot in zip(("rows", "best", "count"), layer.outputs, strict=True):
        network.add_output(name, slot)
    given = {name: np.ascontiguousarray(array.swapaxes(1, 2)) for name, array in fed.items()}
    optimized = ann.optimize(network, [backend], runtime=runtime)
    with runtime.load_network(optimized) as net:
        outputs = {name: np.array(array) for name, array in net.run(given).items()}
    if backend == "CpuAcc":
        check_saved(runtime, optimized, given, outputs)
    return outputs


@pytest.mark.parametrize("seed", range(1, 30, 3))
def test_random_boxes(runtime: ann.Runtime, seed: int) -> None:
    center, arrays = drawn(seed)
    arrays["most"] = np.maximum(arrays["most"], 1)  # outputs without elements are CpuRef's
    fed = {name: arrays[name] for name in ("boxes", "scores")}
    found = run(runtime, "CpuAcc", fed, **parameters(center, arrays))
    (count,) = found["count"]
    np.testing.assert_array_equal(found["rows"][:count], theirs(center, arrays))
    assert not found["rows"][count:].any()


def test_soft_suppression(runtime: ann.Runtime) -> None:
    random = np.random.default_rng(3)
    fed = {"boxes": random.random((2, 70, 4), np.float32),
           "scores": random.random((2, 3, 70), np.float32)}  # fmt: skip
    values = {"max_output_boxes": 50, "iou_threshold": 0.7, "soft_nms_sigma": 0.5}
    found, expected = (run(runtime, name, fed, **values) for name in ("CpuAcc", "CpuRef"))
    assert found["best"].any()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, name)
