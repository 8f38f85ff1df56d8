# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py graph``: what is in the picture, in each format, also of hostile names."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import sys
import types
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec import structs
from onnx import helper

from armnn_py.pictures import Box, Drawing, Wire, to_dot, to_explorer, to_overlays, to_svg

from .conftest import DEMO, Command, save_model

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = 'a</title><script>"x"&\\" \x00\n]]>'


def box(number: int, kind: str = "layer", name: str = "n", backend: str | None = "Acme") -> Box:
    label = {"copy": "MemCopy", "import": "MemImport"}.get(kind, "Activation")
    return Box(number, name, label, kind, backend, 3, ("float32 1",), ("float32 1",), (), "because")


def drawing(boxes: list[Box], edges: list[tuple[int, int]]) -> Drawing:
    wires = tuple(Wire(a, 0, b, 0, "float32 1") for a, b in edges)
    return Drawing(boxes[0].name, "all placed", tuple(boxes), wires, {"Acme": len(boxes)})


def shown(dot: str) -> list[str]:
    """The boxes and legends of a drawing for Graphviz, without its edges."""
    return [line for line in dot.splitlines() if re.match(r"  (n|key)\d+ \[", line)]


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz' dot is not installed here")
def test_every_layer_is_drawn_once_and_the_file_is_named(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "p.svg"
    answer = command("graph", DEMO, "-b", "CpuRef", "-o", target)
    assert answer.code == 0, answer.err
    assert str(target) in answer.out
    checked = command("check", DEMO, "-b", "CpuRef", "--json").json
    root = ET.fromstring(target.read_text(encoding="utf-8"))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    for row in checked["layers"]:
        if row["backend"] and not row["note"].startswith("fused into"):
            assert texts.count(row["layer"]) == 1
    assert texts.count(f"CpuRef: {checked['backends']['CpuRef']} layers") == 1


def test_without_graphviz_there_is_no_svg_and_no_file(
    command: Command, adder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = command("graph", adder, "-b", "CpuRef", "-o", tmp_path / "p.svg")
    assert answer.code == 2
    assert "no program 'dot' here" in answer.err
    assert "hint: apt install graphviz" in answer.err
    assert not (tmp_path / "p.svg").exists()


def test_default_name_and_colour_by_type(
    command: Command, adder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = command("graph", adder, "-b", "CpuRef", "--colour", "type", "--format", "dot")
    assert answer.out.startswith("adder.graph.dot: 1 of 1 layers assigned")
    text = Path("adder.graph.dot").read_text(encoding="utf-8")
    assert 'key0 [label="Add: 1 kernel"' in text


def test_data_says_what_is_joined_to_what(command: Command, adder: Path) -> None:
    data = command("graph", adder, "-b", "CpuRef", "--format", "json", "-o", "-").json
    names = {node["id"]: node["name"] for node in data["nodes"]}
    edges = {(names[e["from"]], names[e["to"]], e["input"]) for e in data["edges"]}
    assert edges == {("left", "the_add", 0), ("right", "the_add", 1), ("the_add", "sum/out", 0)}
    assert [n["backend"] for n in data["nodes"] if n["kind"] == "layer"] == ["CpuRef"]
    assert {e["tensor"] for e in data["edges"]} == {"float32 2x3"}


def test_answer_as_json_names_the_file(command: Command, adder: Path, tmp_path: Path) -> None:
    target = tmp_path / "g.json"
    answer = command("graph", adder, "-b", "CpuRef", "--format", "json", "-o", target, "--json")
    assert answer.json["file"] == str(target)
    written = json.loads(target.read_text(encoding="utf-8"))
    assert written == {**answer.json, "file": None}


def test_dot_on_standard_output(command: Command, adder: Path) -> None:
    answer = command("graph", adder, "-b", "CpuRef", "--format", "dot", "-o", "-")
    assert answer.code == 0
    assert answer.out.startswith("digraph ")
    assert answer.out.count(" -> ") == 3


def test_exit_codes(
    command: Command, adder: Path, free_relu: Path, unsupported: Path, tmp_path: Path
) -> None:
    assert command("graph", adder, "-o", "-", "--json").code == 2
    assert command("graph", free_relu, "-o", tmp_path / "x.dot").code == 2
    assert command("graph", unsupported, "-o", tmp_path / "x.dot").code == 3
    assert command("graph", adder, "-o", tmp_path / "none" / "x.dot").code == 1
    assert not (tmp_path / "x.dot").exists()


def test_hostile_names_stay_text(command: Command, tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], HOSTILE.replace("\x00", "\x01"))
    model = save_model(tmp_path / "m.onnx", [node], {"x": [2]}, "y")
    answer = command("graph", model, "-b", "CpuRef", "--format", "dot", "-o", "-")
    assert answer.code == 0, answer.err
    picture = drawing([box(0, name=HOSTILE)], [])
    for line in to_dot(picture).splitlines()[1:-1]:
        # Taken out of its quotes, nothing of a name is left.
        assert "script" not in re.sub(r'"(?:[^"\\]|\\.)*"', "", line)


def test_parts_are_framed_and_reasons_are_in_the_heading() -> None:
    refused = [box(0), box(1)]
    other = Box(2, "n2", "Resize", "layer", "Ref", 4, (), ("float32 1",), ("a", "b"), "too <wide>")
    dot = to_dot(drawing([*refused, other], [(0, 1), (1, 2)]))
    assert 'subgraph cluster_part3 { style="rounded,dashed"; label="part 3: Acme"; n0; n1; }' in dot
    assert "cluster_part4" not in dot
    (heading,) = (line for line in dot.splitlines() if line.startswith("  label="))
    assert heading == '  label="n\\nall placed\\n2 kernels: because\\n1 kernel: too <wide>";'
    assert len(shown(dot)) == 3 + 2  # and the legend


def test_model_explorer_folds_by_scope_and_has_the_edges() -> None:
    boxes = [box(4, name="/encoder/0/attention/q"), box(7, name="head")]
    (graph,) = to_explorer(drawing(boxes, [(4, 7)]))["graphs"]
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert nodes["4"]["namespace"] == "encoder/0/attention"
    assert nodes["7"]["namespace"] == ""
    edge = {"sourceNodeId": "4", "sourceNodeOutputId": "0", "targetNodeInputId": "0"}
    assert nodes["7"]["incomingEdges"] == [edge]
    facts = {fact["key"]: fact["value"] for fact in nodes["4"]["attrs"]}
    assert facts["backend"] == "Acme"
    assert facts["why here"] == "because"


def test_overlays_have_figures_and_texts_of_boxes() -> None:
    timed = structs.replace(box(1), seconds=0.002, sizes=(4, 8), quantization=("0.5, 3",))
    overlays = to_overlays(drawing([box(0), timed], [(0, 1)]), {1: 0.25})
    values = {
        title: {node: one["value"] for node, one in data["armnn_py"]["results"].items()}
        for title, data in overlays.items()
    }
    assert values == {
        "backend": {"0": "Acme", "1": "Acme"},
        "not on an earlier choice": {"0": "because", "1": "because"},
        "scale, zero point": {"1": "0.5, 3"},
        "ms a run": {"1": 2.0},
        "bytes of outputs": {"1": 12},
        "relative error": {"1": 0.25},
    }


def test_model_explorer_reads_the_forms() -> None:
    """Its own classes take the file and the overlays, and know each field."""
    builder = pytest.importorskip("model_explorer.graph_builder")
    data = pytest.importorskip("model_explorer.node_data_builder")
    picture = drawing([box(0), box(1)], [(0, 1)])
    (graph,) = to_explorer(picture)["graphs"]
    node = builder.GraphNode(**graph["nodes"][1])
    assert builder.IncomingEdge(**node.incomingEdges[0]).sourceNodeId == "0"
    assert set(graph) <= {field.name for field in dataclasses.fields(builder.Graph)}
    for overlay in to_overlays(picture, {0: 1.0}).values():
        for one in overlay.values():
            read = data.GraphNodeData(**one)
            assert all(data.NodeDataResult(**result) for result in read.results.values())


@pytest.mark.parametrize(("name", "begin"), [("g.gv", "digraph"), ("g.dot", "digraph"),
                                             ("g.json", "{")])  # fmt: skip
def test_the_suffix_names_the_format(
    command: Command, tmp_path: Path, name: str, begin: str
) -> None:
    target = tmp_path / name
    answer = command("graph", DEMO, "-b", "CpuRef", "--no-run", "-o", target)
    assert answer.code == 0, answer.err
    assert target.read_text(encoding="utf-8").startswith(begin)


def test_a_suffix_of_no_format(command: Command, tmp_path: Path) -> None:
    answer = command("graph", DEMO, "-o", tmp_path / "g.png")
    assert answer.code == 2
    assert "suffix '.png' given, .svg, .dot, .gv, .json expected" in answer.err
    assert "hint: 'dot -Tpng FILE.dot'" in answer.err


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz' dot is not installed here")
def test_graphviz_draws_hostile_names_as_text() -> None:
    root = ET.fromstring(to_svg(drawing([box(0, name=HOSTILE)], [])))
    assert not list(root.iter(f"{SVG}script"))


def test_drawing_of_nothing() -> None:
    assert shown(to_dot(Drawing("empty", "no layers", (), ()))) == []


def test_explore_gives_model_explorer_the_graph_and_node_data(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The package itself takes a graph and JSON texts; here a stand-in keeps them."""
    served: dict[str, Any] = {}

    class Config:
        def add_model_from_path(self, path: str) -> None:
            served["graph"] = json.loads(Path(path).read_text(encoding="utf-8"))

        def add_node_data(self, name: str, data: str) -> None:
            served[name] = json.loads(data)["armnn_py"]["results"]

    def visualize(_config: Config, **options: Any) -> None:
        served["options"] = options

    package = types.SimpleNamespace(config=Config, visualize_from_config=visualize)
    monkeypatch.setitem(sys.modules, "model_explorer", package)
    answer = command("explore", DEMO, "-b", "CpuRef", "--with", "CpuRef", "--no-open")
    assert answer.code == 0, answer.err
    (graph,) = served["graph"]["graphs"]
    kernels = {n["id"] for n in graph["nodes"] if n["label"] not in ("Input", "Output")}
    assert served["relative error"].keys() == served["ms a run"].keys() == kernels
    assert served["options"]["host"] == "localhost"


def test_explore_names_the_package_that_it_lacks(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "model_explorer", None)
    answer = command("explore", DEMO, "-b", "CpuRef")
    assert answer.code == 2
    assert "explore needs the package ai-edge-model-explorer" in answer.err
    document = command("explore", DEMO, "--json").json
    assert document["error"]["exit_code"] == 2
