# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py graph``: what is in the picture, in each format, also of hostile names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from onnx import helper

from armnn_py.pictures import Box, Drawing, Wire, to_dot, to_svg
from armnn_py.pictures.layout import ROW, frames_of, lay_out

from .conftest import DEMO, Command, save_model

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = 'a</title><script>"x"&\\" \x00\n]]>'


def box(number: int, kind: str = "layer", name: str = "n", backend: str | None = "Acme") -> Box:
    label = {"copy": "MemCopy", "import": "MemImport"}.get(kind, "Activation")
    return Box(number, name, label, kind, backend, 3, ("float32 1",), ("float32 1",), (), "because")


def drawing(boxes: list[Box], edges: list[tuple[int, int]]) -> Drawing:
    wires = tuple(Wire(a, 0, b, 0, "float32 1") for a, b in edges)
    return Drawing(boxes[0].name, "all placed", tuple(boxes), wires, {"Acme": len(boxes)})


def test_every_layer_is_drawn_once_and_the_file_is_named(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "p.svg"
    answer = command("graph", DEMO, "-b", "CpuRef", "-o", target)
    assert answer.code == 0, answer.err
    assert str(target) in answer.out
    checked = command("check", DEMO, "-b", "CpuRef", "--json").json
    root = ET.fromstring(target.read_text(encoding="utf-8"))
    drawn = [group for group in root.iter(f"{SVG}g") if group.get("class") == "layer"]
    titles = [group.findtext(f"{SVG}title", "") for group in drawn]
    for row in checked["layers"]:
        if row["backend"] and not row["note"].startswith("fused into"):
            assert sum(f"'{row['layer']}'" in title for title in titles) == 1
    assert len({group.get("id") for group in drawn}) == len(drawn)
    keys = [g.findtext(f"{SVG}text") for g in root.iter(f"{SVG}g") if g.get("class") == "key"]
    assert keys == [f"CpuRef: {checked['backends']['CpuRef']} layers"]


def test_default_name_and_colour_by_type(
    command: Command, adder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = command("graph", adder, "-b", "CpuRef", "--colour", "type")
    assert answer.out.startswith("adder.graph.svg: 1 of 1 layers assigned")
    assert "Add: 1 box<" in Path("adder.graph.svg").read_text(encoding="utf-8")


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
    assert command("graph", free_relu, "-o", tmp_path / "x").code == 2
    assert command("graph", unsupported, "-o", tmp_path / "x").code == 3
    assert command("graph", adder, "-o", tmp_path / "none" / "x.svg").code == 1
    assert not (tmp_path / "x").exists()


def test_hostile_names_stay_text(command: Command, tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], HOSTILE.replace("\x00", "\x01"))
    model = save_model(tmp_path / "m.onnx", [node], {"x": [2]}, "y")
    answer = command("graph", model, "-b", "CpuRef", "-o", "-")
    assert answer.code == 0, answer.err
    root = ET.fromstring(answer.out)
    assert not list(root.iter(f"{SVG}script"))
    picture = drawing([box(0, name=HOSTILE)], [])
    ET.fromstring(to_svg(picture))
    for line in to_dot(picture).splitlines()[1:-1]:
        # Taken out of its quotes, nothing of a name is left.
        assert "script" not in re.sub(r'"(?:[^"\\]|\\.)*"', "", line)


def test_copies_are_marks_with_a_key() -> None:
    boxes = [box(0), box(1, "copy"), box(2, "import"), box(3)]
    text = to_svg(drawing(boxes, [(0, 1), (1, 2), (2, 3)]))
    assert "1 copy between backends" in text
    assert "1 import between backends" in text
    assert "notes and refusals: because" in text


def test_long_networks_go_on_in_the_next_column_and_nothing_overlaps() -> None:
    nodes = dict.fromkeys(range(400), 100.0)
    edges = [(n, n + 1) for n in range(399)] + [(n, n + 3) for n in range(0, 390, 5)]
    layout = lay_out(nodes, edges)
    assert len(layout.columns) > 1
    assert layout.height < 400 * ROW
    assert len(set(layout.places.values())) == 400
    for (source, target), route in zip(edges, layout.routes, strict=True):
        assert (route[0], route[-1]) == (layout.places[source], layout.places[target])
        passed = set(route[1:-1])
        assert not passed & set(layout.places.values())


def parted(number: int, part: int | None, kind: str = "layer") -> Box:
    label = "MemCopy" if kind == "copy" else "Activation"
    return Box(number, f"n{number}", label, kind, "Acme", part, (), ("float32 1",))


def test_a_part_of_several_boxes_has_a_frame_and_nobody_else_is_in_it() -> None:
    boxes = [parted(0, 0), parted(1, 0), parted(2, None, "copy"), parted(3, 1), parted(4, 0)]
    places = {0: (50.0, 10.0), 1: (50.0, 30.0), 2: (50.0, 50.0), 3: (50.0, 70.0), 4: (50.0, 90.0)}
    (frame,) = frames_of(boxes, places, [0.0], (40.0, 16.0))
    assert (frame.part, frame.boxes) == (0, (0, 1))
    assert (frame.left, frame.top, frame.right, frame.bottom) == (30.0, 2.0, 70.0, 38.0)
    # In two columns each has its own frame; a part of one box there has none.
    beside = {**places, 1: (250.0, 30.0), 4: (250.0, 50.0)}
    assert [one.boxes for one in frames_of(boxes, beside, [0.0, 200.0], (40.0, 16.0))] == [(1, 4)]


def test_parts_are_framed_and_reasons_have_letters() -> None:
    refused = [box(0), box(1)]
    other = Box(2, "n2", "Resize", "layer", "Ref", 4, (), ("float32 1",), ("a", "b"), "too <wide>")
    picture = drawing([*refused, other], [(0, 1), (1, 2)])
    root = ET.fromstring(to_svg(picture))
    (frame,) = (rect for rect in root.iter(f"{SVG}rect") if rect.get("class") == "f")
    assert frame.findtext(f"{SVG}title") == "part 3"
    lines = ["".join(t.itertext()) for t in root.iter(f"{SVG}text") if t.get("class") == "r"]
    assert lines == ["a  2 boxes: becausebecause", "b  1 box: too <wide>too <wide>"]
    small = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "p"]
    assert small == ["part 3, a", "part 3, a", "part 4, b", "2 layers"]
    dot = to_dot(picture)
    assert 'subgraph cluster_part3 { style="rounded,dashed"; label="part 3: Acme"; n0; n1; }' in dot
    assert "cluster_part4" not in dot


def test_a_long_summary_goes_on_in_the_next_line() -> None:
    picture = Drawing("t", "; ".join(["some forty characters of a summary here"] * 4), (), ())
    root = ET.fromstring(to_svg(picture))
    lines = [text.text or "" for text in root.iter(f"{SVG}text") if text.get("class") == "s"]
    assert len(lines) > 1
    assert "; ".join(lines) == picture.summary


@pytest.mark.parametrize(("name", "begin"), [("g.svg", "<svg"), ("g.dot", "digraph"),
                                             ("g.json", "{"), ("g", "<svg")])  # fmt: skip
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


def test_outlines_are_texts_before_their_labels() -> None:
    """Few renderers know paint-order: a stroke of the text itself would cover it there."""
    text = to_svg(drawing([box(0), box(1)], [(0, 1)]))
    assert "paint-order" not in text
    texts = list(ET.fromstring(text).iter(f"{SVG}text"))
    classes = [one.get("class") for one in texts]
    place = classes.index("l")
    assert classes[place - 1] == "o"
    assert texts[place - 1].text == texts[place].text


def test_layout_of_nothing() -> None:
    ET.fromstring(to_svg(Drawing("empty", "no layers", (), ())))
