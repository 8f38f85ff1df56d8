# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The metadata of a model, and the operators that it may have."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert.table import operator_names
from armnn_py.frontends.tflite.table import operator_names as tflite_operators
from armnn_py.pictures import drawing_of, to_dot

from .conftest import Command

if TYPE_CHECKING:
    import pytest


def test_inspect_shows_what_a_model_says_about_itself(command: Command, free_relu: Path) -> None:
    model = onnx.load(free_relu)
    model.producer_name, model.producer_version, model.model_version = "trainer", "2.1", 7
    model.graph.doc_string = "one\nRelu"
    helper.set_model_props(model, {"character": "a\nb" * 60})
    onnx.save(model, free_relu)
    document = command("inspect", free_relu, "--json").json["metadata"]
    assert document["producer"] == "trainer"
    assert document["opsets"] == {"ai.onnx": model.opset_import[0].version}
    assert document["properties"] == {"character": "a\nb" * 60}
    lines = command("inspect", free_relu).out.splitlines()
    assert f"ONNX: version {model.ir_version}, operator sets ai.onnx" in "\n".join(lines)
    assert "Producer: trainer 2.1" in lines
    assert "Version: 7" in lines
    assert r"About the graph: one\nRelu" in lines
    (row,) = [line for line in lines if line.startswith("Property character: ")]
    assert row.endswith("...")
    assert len(row) < 120


def test_operators_lists_what_is_imported(command: Command) -> None:
    document = command("operators", "--json").json
    assert "Conv" in document["families"]["convolution"]
    assert sorted(chain(*document["families"].values())) == list(operator_names())
    text = command("operators").out
    assert "BatchNormalization, GroupNormalization" in text
    assert f"{len(operator_names())} operators of standard ONNX" in text


def test_operators_lists_those_of_tflite(command: Command) -> None:
    document = command("operators", "--format", "tflite", "--json").json
    assert document["format"] == "TensorFlow Lite"
    assert "CONV_2D" in document["families"]["convolution"]
    assert sorted(chain(*document["families"].values())) == list(tflite_operators())
    count = len(tflite_operators())
    assert f"{count} operators of TensorFlow Lite" in command("operators", "--format", "tflite").out


def test_inspect_lists_variables(
    command: Command, free_relu: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a format with variables gives them; ONNX has none."""
    network = ann.Network("counter")
    x = network.add_input("x", ann.TensorInfo((4,)))
    total = network.add_variable("total", ann.TensorInfo((4,)))
    network.assign(total, network.add_addition(total, x))
    network.add_output("y", total)
    monkeypatch.setattr("armnn_py.cli.commands.inspect.read_network", lambda *_: network)
    document = command("inspect", free_relu, "--json").json
    assert [(tensor["kind"], tensor["name"]) for tensor in document["tensors"]] == [
        ("input", "x"),
        ("output", "y"),
        ("variable", "total"),
    ]
    assert document["layer_types"] == {"Addition": 1}
    lines = command("inspect", free_relu).out.splitlines()
    assert any(line.split() == ["variable", "total", "float32", "4"] for line in lines)


def test_variables_in_drawings() -> None:
    network = ann.Network("counter")
    total = network.add_variable("total", ann.TensorInfo((4,)))
    network.assign(total, network.add_addition(total, np.ones(4, np.float32)))
    network.add_output("y", total)
    with ann.Runtime(enable_dynamic_backends=False) as runtime:
        placed = ann.optimize(network, ["CpuRef"], runtime=runtime).placed
    drawing = drawing_of(placed, placed)
    kinds = {box.name: (box.type, box.kind) for box in drawing.boxes}
    assert kinds["total"] == ("Variable", "input")
    assert kinds["total.next"] == ("Assign", "output")
    assert "Variable" in to_dot(drawing)
    assert "Assign" in to_dot(drawing)


def test_inspect_speaks_of_types_as_numpy_does(command: Command, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"], "q"),
        helper.make_node("Cast", ["x"], ["i"], "cast", to=TensorProto.INT64),
    ]
    tensor = helper.make_tensor
    graph = helper.make_graph(
        nodes,
        "types",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2])],
        [
            helper.make_tensor_value_info("q", TensorProto.UINT8, [2]),
            helper.make_tensor_value_info("i", TensorProto.INT64, [2]),
        ],
        [
            tensor("scale", TensorProto.FLOAT, [], [0.5]),
            tensor("zero", TensorProto.UINT8, [], [3]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, tmp_path / "types.onnx")
    document = command("inspect", tmp_path / "types.onnx", "--json").json
    assert [one["dtype"] for one in document["tensors"]] == ["float32", "uint8", "int64"]
    found = document["tensors"][1].get("quantization")
    assert found == {"scales": [0.5], "zero_points": [3], "axis": None}
    lines = command("inspect", tmp_path / "types.onnx").out.splitlines()
    assert lines[0].split() == ["name", "dtype", "shape", "scale,", "zero", "point"]
    assert lines[2].split()[-2:] == ["0.5,", "3"]
