# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Hints of the Python API, as the commands print them."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, helper

from armnn_py.cli.hints import for_commands

from .conftest import Command


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        ("import_model(..., shapes={'x': (1, 3, 224, 224)})", "--shape NAME=1x3x224x224"),
        ("bind all inputs: import_model(..., shapes={...})",
         "bind all inputs: --shape NAME=1x3x224x224"),
        ("shapes={'image': (1, 3, 224, 224)}", "--shape NAME=1x3x224x224"),
        ("specialize(shapes) gives the optimised network of one set of shapes",
         "--shape NAME=1x3x224x224 binds the free dimensions of an input"),
        ("specialize(shapes, values={'axes': array})",
         "'armnn-py run' takes the values: -i NAME=FILE"),
        ("backends=['CpuRef'] takes sizes up to bounds", "-b CpuRef takes sizes up to bounds"),
        ("make a new Runtime(backend_options={'Npu': {'streams': ...}})",
         "--backend-option Npu.streams=VALUE"),
        ("optimize() the model anew and save it again",
         "'armnn-py save MODEL -o FILE' writes it anew"),
        ("dimensions of one name have one size", "dimensions of one name have one size"),
    ],
)  # fmt: skip
def test_messages_of_commands(hint: str, words: str) -> None:
    assert for_commands(hint) == words


def test_a_command_prints_them(command: Command, tmp_path: Path) -> None:
    """Of a network whose layers depend on the values of an input."""
    graph = helper.make_graph(
        [helper.make_node("ReduceSum", ["x", "axes"], ["y"])],
        "graph",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3]),
            helper.make_tensor_value_info("axes", TensorProto.INT64, [1]),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, None])],
    )
    path = tmp_path / "sums.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    answer = command("save", path, "-o", tmp_path / "sums.armnnpy")
    assert answer.code == 2
    assert "hint: 'armnn-py run' takes the values: -i NAME=FILE" in answer.err
