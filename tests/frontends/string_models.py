# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models with strings, attributes of classifiers for them, and outputs beside onnxruntime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import armnn_py as ann

from .beside_onnxruntime import theirs

STRING = TensorProto.STRING
ML = "ai.onnx.ml"

TREES = {
    "nodes_treeids": [0] * 3, "nodes_nodeids": [0, 1, 2], "nodes_featureids": [0] * 3,
    "nodes_values": [0.5, 0.0, 0.0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0], "nodes_falsenodeids": [2, 0, 0],
    "class_treeids": [0] * 3, "class_nodeids": [1, 2, 2], "class_ids": [0, 1, 2],
    "class_weights": [1.0, 0.25, 0.75],
}  # fmt: skip
CLASSIFIERS: dict[str, dict[str, Any]] = {
    "LinearClassifier": {"coefficients": [1.0, -1, -1, 1, 0, 0.5], "intercepts": [0.0, 1, 0.5]},
    "SVMClassifier": {
        "kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0], "vectors_per_class": [1, 1, 1],
        "support_vectors": [0.0, 1, 1, -1, -3, 2], "coefficients": [1.0, -1, -1, 1, -1, -1],
        "rho": [0.0, 0.0, 0.0],
    },
    "TreeEnsembleClassifier": TREES,
}  # fmt: skip


def t(*texts: Any) -> np.ndarray:
    """An array of strings, of the shape of nested tuples."""
    return np.array(texts, object)


def node(op: str, inputs: Sequence[str], outputs: Sequence[str], **given: Any) -> onnx.NodeProto:
    return helper.make_node(op, list(inputs), list(outputs), **given)


def built(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, np.ndarray],
    outputs: Sequence[str],
    constants: Mapping[str, np.ndarray] | None = None,
    *,
    free: bool | str = False,
    opset: int = 20,
) -> onnx.ModelProto:
    """A model for inputs like these; ``free``: of any size, or of any number of ``"rows"``."""
    infos = [
        helper.make_tensor_value_info(
            name,
            helper.np_dtype_to_tensor_dtype(array.dtype),
            [
                size if not free or (free == "rows" and axis) else f"{name}{axis}"
                for axis, size in enumerate(array.shape)
            ],
        )
        for name, array in inputs.items()
    ]
    graph = helper.make_graph(
        list(nodes), "graph", infos,
        [helper.make_empty_tensor_value_info(name) for name in outputs],
        [numpy_helper.from_array(array, name) for name, array in (constants or {}).items()],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid(ML, 4)]
    opsets.append(helper.make_opsetid("com.microsoft", 1))
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def same(model: onnx.ModelProto, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Run a model twice, compare with onnxruntime, and return the outputs."""
    wanted = theirs(model, inputs)
    with ann.load(model, ["CpuRef"]) as network:
        network.run(inputs)
        found = network.run(inputs)
        for name, info in network.outputs.items():
            assert (info.data_type.label == "string") == (found[name].dtype == object)
    assert list(found) == list(wanted)
    for name, array in wanted.items():
        assert found[name].dtype == array.dtype
        assert found[name].shape == array.shape
        if array.dtype == object:
            np.testing.assert_array_equal(found[name], array)
            assert {type(item) for item in found[name].flat} <= {str}
        else:
            np.testing.assert_allclose(found[name], array, rtol=1e-6)
    return found
