# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Models with large tensors: initializers, Constant nodes and branches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from armnn_py.frontends.common.source import open_source
from armnn_py.frontends.onnx.file.model import OnnxModel, load_model

R = np.random.default_rng(5)


def tensor(name: str, values: np.ndarray) -> TensorProto:
    return numpy_helper.from_array(values, name)


def constant(name: str, values: np.ndarray) -> onnx.NodeProto:
    return helper.make_node("Constant", [], [name], name=name, value=tensor("", values))


def model_of(
    *tensors: TensorProto, constants: dict[str, np.ndarray] | None = None
) -> onnx.ModelProto:
    """A Concat of tensors, and of Constant nodes, so that each is used."""
    constants = constants or {}
    reads = [one.name for one in tensors] + [*constants]
    graph = helper.make_graph(
        [
            *(constant(name, values) for name, values in constants.items()),
            helper.make_node("Concat", reads, ["all"], axis=0, name="concat"),
            helper.make_node("Add", ["all", "x"], ["y"], name="add"),
        ],
        "graph",
        [helper.make_tensor_value_info("x", tensors[0].data_type, (1,))],
        [helper.make_tensor_value_info("y", tensors[0].data_type, None)],
        initializer=list(tensors),
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def floats(count: int) -> np.ndarray:
    return R.standard_normal(count).astype(np.float32)


def branching(one: np.ndarray, other: np.ndarray) -> onnx.ModelProto:
    """One of two tensors of any length: an initializer of a branch, a constant of the other."""
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, (None,))
    nodes = [helper.make_node("Identity", ["a"], ["y"])]
    yes = helper.make_graph(nodes, "yes", [], [result], [tensor("a", one)])
    no = helper.make_graph([constant("y", other)], "no", [], [result])
    graph = helper.make_graph(
        [helper.make_node("If", ["c"], ["y"], then_branch=yes, else_branch=no, name="if")],
        "graph",
        [helper.make_tensor_value_info("c", TensorProto.BOOL, ())],
        [result],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def read(model: bytes | Path) -> OnnxModel:
    return load_model(open_source(model if isinstance(model, bytes) else str(model), None))
