# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sparse initializers and constants: the array that the standard says they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

VALUES = np.float32([2, 3, 5])
FORMS: dict[str, np.ndarray] = {
    "places": np.int64([1, 2, 7]),
    "rows": np.int64([[0, 1], [0, 2], [1, 3]]),
}
DENSE = np.float32([[0, 2, 3, 0], [0, 0, 0, 5]])


def sparse(places: np.ndarray, shape: Any = (2, 4), name: str = "w") -> onnx.SparseTensorProto:
    return helper.make_sparse_tensor(
        numpy_helper.from_array(VALUES, name), numpy_helper.from_array(places, "places"), shape
    )


def model(weights: onnx.SparseTensorProto, *, is_constant: bool = False) -> bytes:
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    if is_constant:
        nodes.insert(0, helper.make_node("Constant", [], ["w"], sparse_value=weights))
    graph = helper.make_graph(
        nodes,
        "sparse",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        sparse_initializer=[] if is_constant else [weights],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


@pytest.mark.parametrize("is_constant", [False, True], ids=["initializer", "constant"])
@pytest.mark.parametrize("places", FORMS.values(), ids=FORMS)
def test_sparse_weights(places: np.ndarray, is_constant: bool) -> None:
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    with ann.load(model(sparse(places), is_constant=is_constant), ["CpuRef"]) as net:
        np.testing.assert_array_equal(net.run({"x": x})["y"], x + DENSE)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (sparse(np.int64([1, 2, 8])), "has an index outside of shape"),
        (sparse(np.int64([-1, 2, 3])), "has an index outside of shape"),
        (sparse(np.int64([[0, 1], [0, 2], [1, 4]])), "has an index outside of shape"),
        (sparse(np.int64([1, 2])), r"indices of shape \(2,\) do not fit 3 values"),
        (sparse(np.int64([[1], [2], [3]])), "do not fit 3 values"),
        (sparse(np.int64([1, 2, 3]), (2**20, 2**20)), "would take 4096.0 GiB, at most"),
        (sparse(np.int64([1, 2, 3]), (-2, -4)), "expected 1 to .* sizes"),
        (sparse(np.int64([1, 2, 3]), name=""), "a sparse initializer has no name"),
    ],
)
def test_damaged_sparse_weights(weights: onnx.SparseTensorProto, message: str) -> None:
    with pytest.raises(ann.ParseError, match=message):
        ann.import_model(model(weights))
