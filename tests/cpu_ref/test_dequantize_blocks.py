# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""DEQUANTIZE_BLOCKS against numpy; the packed types in networks, against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py._native import abi

from .harness import Layers, descriptor
from .reference import random

F = np.float32
BLOCKS = abi.ARMNN_LAYER_DEQUANTIZE_BLOCKS
R = np.random.default_rng(8)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("has_points", [False, True])
@pytest.mark.parametrize(
    ("shape", "axis", "block"),
    [((5, 70), 1, 32), ((5, 70), 0, 2), ((3, 7, 300), 1, 3), ((4, 600), -1, 16), ((9,), 0, 99)],
)
def test_matches_numpy(
    cpu_ref: Layers, dtype: Any, has_points: bool, shape: tuple[int, ...], axis: int, block: int
) -> None:
    ends = np.iinfo(dtype)
    x = R.integers(ends.min, ends.max + 1, shape).astype(dtype)
    blocks = list(shape)
    blocks[axis] = -(-shape[axis] // block)
    scales = random(blocks, 1)
    points = R.integers(ends.min, ends.max + 1, blocks).astype(dtype) if has_points else None
    places = np.arange(shape[axis]) // block
    wide = 0 if points is None else points.take(places, axis).astype(np.int32)
    expected = (x.astype(np.int32) - wide).astype(F) * scales.take(places, axis)
    how = descriptor(abi.armnn_dequantize_blocks_descriptor_t, BLOCKS, axis=axis, block_size=block)
    operands = [x, scales] if points is None else [x, scales, points]
    (y,) = cpu_ref.run(BLOCKS, how, operands, [(shape, F)])
    np.testing.assert_array_equal(y, expected)


def model_of(element: int, packed: np.ndarray, scales: np.ndarray, points: np.ndarray) -> bytes:
    """DequantizeLinear in blocks along the first axis, of weights of 4 bits."""
    known = [
        helper.make_tensor("w", element, packed.shape, packed.reshape(-1).tolist()),
        helper.make_tensor("s", TensorProto.FLOAT, scales.shape, scales.reshape(-1).tolist()),
        helper.make_tensor("p", element, points.shape, points.reshape(-1).tolist()),
    ]
    nodes = [
        helper.make_node("DequantizeLinear", ["w", "s", "p"], ["r"], axis=0, block_size=16),
        helper.make_node("MatMul", ["x", "r"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, (3, packed.shape[0]))
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, (3, packed.shape[1]))
    graph = helper.make_graph(nodes, "g", [x], [y], known)
    opset = [helper.make_opsetid("", 21)]
    result: bytes = helper.make_model(graph, opset_imports=opset, ir_version=10).SerializeToString()
    return result


@pytest.mark.parametrize("element", [TensorProto.UINT4, TensorProto.INT4])
@pytest.mark.parametrize("columns", [12, 7])
def test_networks_with_weights_of_4_bits(element: int, columns: int) -> None:
    low = 0 if element == TensorProto.UINT4 else -8
    weights = R.integers(low, low + 16, (64, columns))
    scales, points = (
        np.abs(random((4, columns), 3)) + F(0.1),
        R.integers(low, low + 16, (4, columns)),
    )
    model = model_of(element, weights, scales, points)
    x = random((3, 64), 4)
    options = onnxruntime.SessionOptions()  # as it is written: fused, x would have 8 bits
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    (expected,) = onnxruntime.InferenceSession(model, options).run(None, {"x": x})
    with ann.load(model, ["CpuRef"]) as network:
        np.testing.assert_allclose(network.run({"x": x})["y"], expected, rtol=1e-5, atol=1e-4)
