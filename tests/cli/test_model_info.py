# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a model says about itself, and which operators it may have."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import onnx
from onnx import helper

from armnn_py.frontends.onnx.table import operator_names

from .conftest import Command


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
