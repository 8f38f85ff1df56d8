# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models whose free dimensions have upper bounds: one plan; expected values from numpy."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

WEIGHTS = np.random.default_rng(5).standard_normal((8, 8)).astype(np.float32)


def heads_model() -> bytes:
    """Rows of every sequence in two heads, by shapes that the graph computes itself."""
    nodes = [
        helper.make_node("MatMul", ["x", "weights"], ["q"]),
        helper.make_node("Shape", ["x"], ["shape"]),
        helper.make_node("Gather", ["shape", "one"], ["length"]),
        helper.make_node("Concat", ["two", "length", "two", "four"], ["split"], axis=0),
        helper.make_node("Reshape", ["q", "by_copy"], ["heads"]),
        helper.make_node("Transpose", ["heads"], ["ordered"], perm=[0, 2, 1, 3]),
        helper.make_node("Softmax", ["ordered"], ["soft"], axis=-1),
        helper.make_node("Transpose", ["soft"], ["back"], perm=[0, 2, 1, 3]),
        helper.make_node("Slice", ["shape", "zero", "two"], ["outer"]),
        helper.make_node("Concat", ["outer", "eight"], ["whole"], axis=0),
        helper.make_node("Reshape", ["back", "whole"], ["joined"]),
        helper.make_node("Add", ["joined", "x"], ["y"]),
    ]
    constants = {
        "weights": WEIGHTS,
        "by_copy": np.int64([0, -1, 2, 4]),
        "zero": np.int64([0]),
        "one": np.int64([1]),
        "two": np.int64([2]),
        "four": np.int64([4]),
        "eight": np.int64([8]),
    }
    shape = ["batch", "sequence", 8]
    graph = helper.make_graph(
        [node for node in nodes if node.output[0] not in ("length", "split")],
        "heads",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return bytes(model.SerializeToString())


def expected(x: np.ndarray) -> np.ndarray:
    batch, length, _ = x.shape
    powers = np.exp((x @ WEIGHTS).reshape(batch, length, 2, 4))
    soft = powers / powers.sum(-1, keepdims=True)
    result: np.ndarray = soft.reshape(batch, length, 8) + x
    return result


def test_names_of_free_dimensions_are_bounded() -> None:
    bounds = {"batch": 2, "sequence": 12}
    with ann.load(heads_model(), ["CpuRef"], bounds=bounds) as loaded:
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        assert loaded.bounded_shapes.bounds == bounds
        for batch, length in [(1, 1), (1, 2), (2, 12), (2, 5), (1, 12)]:
            x = np.random.default_rng(length).standard_normal((batch, length, 8))
            made = loaded.run(x.astype(np.float32))["y"]
            np.testing.assert_allclose(made, expected(x.astype(np.float32)), rtol=1e-4, atol=1e-6)
        assert len(loaded._pool.plans) == 1


def test_some_are_fixed_and_some_are_bounded() -> None:
    shapes = {"x": (1, None, 8)}
    with ann.load(heads_model(), ["CpuRef"], shapes=shapes, bounds={"sequence": 6}) as loaded:  # type: ignore[dict-item]
        assert loaded.bounded_shapes, loaded.bounded_shapes.reasons
        x = np.ones((1, 4, 8), np.float32)
        np.testing.assert_allclose(loaded.run(x)["y"], expected(x), rtol=1e-4)
        with pytest.raises(ann.InvalidArgumentError, match="dimension 1 is 7, above its bound 6"):
            loaded.run(np.ones((1, 7, 8), np.float32))
