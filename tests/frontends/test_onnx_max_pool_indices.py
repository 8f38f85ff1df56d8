# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""MaxPool with the places of its largest elements: CpuRef against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

import armnn_py as ann

CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "line": ((2, 3, 7), {"kernel_shape": [3], "pads": [1, 1], "strides": [2]}),
    "pads": ((2, 3, 7, 8), {"kernel_shape": [3, 2], "pads": [1, 0, 1, 1], "strides": [2, 1]}),
    "by columns": ((2, 3, 7, 8), {"kernel_shape": [3, 2], "storage_order": 1}),
    "rounded up": ((1, 2, 7, 8), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
    "volume": ((1, 2, 5, 6, 4), {"kernel_shape": [2, 2, 2], "dilations": [1, 2, 1]}),
    "same": ((2, 2, 7, 8), {"kernel_shape": [3, 3], "auto_pad": "SAME_UPPER"}),
}


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("lowest", [False, True])
def test_places_are_those_of_onnxruntime(case: str, dtype: Any, lowest: bool) -> None:
    """Also where every element is the least that there is, as padding may be."""
    shape, attributes = CASES[case]
    x = np.random.default_rng(5).integers(-4 if dtype is np.float32 else 0, 9, shape).astype(dtype)
    if lowest:
        x[:] = -np.inf if dtype is np.float32 else 0
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node("MaxPool", ["x"], ["y", "places"], **attributes)],
        "graph",
        [helper.make_tensor_value_info("x", kind, shape)],
        [onnx.ValueInfoProto(name="y"), onnx.ValueInfoProto(name="places")],
    )
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    model = onnx.shape_inference.infer_shapes(model)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    expected = session.run(None, {"x": x})
    with ann.load(model, ["CpuRef"]) as network:
        found = list(network.run({"x": x}).values())
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
