# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py report``: what the page says, and that it works in a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from onnx import helper

from .conftest import DEMO, Command, save_model

pytest.importorskip("jinja2", reason="the package jinja2 is not installed here")

BROWSER = shutil.which("chromium") or shutil.which("chromium-headless-shell")
HOSTILE = "a</script><img src=x onerror=alert(1)>\"'&"


def write(command: Command, model: Path, target: Path, *more: Any) -> str:
    answer = command("report", model, "-o", target, *more)
    assert answer.code == 0, answer.err
    return target.read_text(encoding="utf-8")


def rows_of(text: str) -> list[dict[str, Any]]:
    (found,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text)
    rows: list[dict[str, Any]] = json.loads(found)
    return rows


class Tags(HTMLParser):
    """Counts tags, and collects what they load from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.loaded += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href")]


def test_the_page_has_each_kernel_with_time_and_errors(command: Command, tmp_path: Path) -> None:
    text = write(command, DEMO, tmp_path / "r.html", "-b", "CpuAcc", "--with", "CpuRef")
    graph = command("graph", DEMO, "-b", "CpuAcc", "--format", "json", "-o", "-").json
    rows = {row["name"]: row for row in rows_of(text)}
    assert list(rows) == [node["name"] for node in graph["nodes"]]
    kernels = [node["name"] for node in graph["nodes"] if node["kind"] == "layer"]
    assert all(rows[name]["ms"] is not None for name in kernels)
    assert 0 < sum(row["share"] for row in rows.values()) <= 100
    assert {side for name in kernels for side in rows[name]["errors"]} == {"own", "accumulated"}
    assert "within the tolerance of CpuRef: 1 output" in text
    assert Tags(text).loaded == []


def test_tensors_that_live_together_do_not_overlap(command: Command, tmp_path: Path) -> None:
    text = write(command, DEMO, tmp_path / "r.html", "-b", "CpuRef", "--no-run")
    picture = text[text.index("Memory: tensors") :]
    pattern = r'<rect data-id="\d+" x="(\d+)" width="(\d+)"\s+y="([\d.]+)"\s+height="([\d.]+)"'
    found = [tuple(map(float, one)) for one in re.findall(pattern, picture)]
    assert len(found) == 11  # one tensor of each kernel
    for n, (x, width, y, height) in enumerate(found):
        for left, more, top, tall in found[:n]:
            apart = x + width <= left or left + more <= x
            assert apart or y + height <= top + 1e-2 or top + tall <= y + 1e-2


def test_a_difference_is_marked(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.npz"
    assert command("compare", DEMO, "-b", "CpuRef", "--save", kept, "--layers").code == 0
    import numpy as np

    arrays = dict(np.load(kept))
    (name,) = (name for name in arrays if name.endswith("c2"))
    arrays[name] = arrays[name] + np.float32(1)
    np.savez(kept, **arrays)
    text = write(command, DEMO, tmp_path / "r.html", "-b", "CpuRef", "--with", kept)
    rows = {row["name"]: row for row in rows_of(text)}
    assert rows["conv2"]["errors"]["own"]["worst"]
    assert not rows["conv1"]["errors"]["own"]["worst"]
    assert '<p class="wrong">' in text


def test_without_jinja_the_package_is_named(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    answer = command("report", DEMO, "-b", "CpuRef", "--no-run", "-o", tmp_path / "r.html")
    assert answer.code == 2
    assert "a report needs the package jinja2" in answer.err
    assert "pip install jinja2" in answer.err


def test_hostile_names_stay_text(command: Command, tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], HOSTILE)
    model = save_model(tmp_path / "m.onnx", [node], {"x": [2]}, "y")
    text = write(command, model, tmp_path / "r.html", "-b", "CpuRef")
    assert rows_of(text)[1]["name"] == HOSTILE
    tags = Tags(text)
    assert tags.names.count("script") == 2
    assert "img" not in tags.names


def test_the_answer_as_json(command: Command, tmp_path: Path) -> None:
    document = command("report", DEMO, "-b", "CpuRef", "-o", tmp_path / "r.html", "--json").json
    assert document["kernels"] == 11
    assert document["bytes"] == (tmp_path / "r.html").stat().st_size


def long_model(path: Path) -> Path:
    """300 layers in 20 scopes."""
    nodes, names = [], ["x"]
    for number in range(300):
        scope = f"/encoder/block{number // 15}"
        names.append(f"t{number}" if number < 299 else "y")
        operator = ("Relu", "Sigmoid", "Abs")[number % 3]
        nodes.append(helper.make_node(operator, names[-2:-1], names[-1:], f"{scope}/n{number}"))
    return save_model(path, nodes, {"x": [4]}, "y")


#: What a reader does, and what the page then shows.
CLICKS = """
const shown = {};
(async () => {
const find = (pattern) => [...document.querySelectorAll(pattern)];
const text = (pattern) => document.querySelector(pattern).innerText;
const rows = () => find("tbody.rows tr").filter((row) => row.offsetParent !== null);
const search = (words) => {
  const field = document.querySelector("#search");
  field.value = words;
  field.dispatchEvent(new Event("input", {bubbles: true}));
};
const click = (one) => one.dispatchEvent(new MouseEvent("click", {bubbles: true}));
shown.all = text("#count");
shown.width = rows()[0].getBoundingClientRect().width;
search("block7 sigmoid");
shown.found = text("#count");
click(rows()[0]);
shown.layer = text("#details");
search("");
const moved = new Promise((done) => addEventListener("hashchange", () => setTimeout(done)));
find("#details a").find((one) => one.innerText.includes("n107")).click();
await moved;
shown.reader = [text("#details"), text("tr.picked")];
click(find("svg rect").find((one) => one.textContent.includes("block3")));
shown.drawn = text("tr.picked");
click(find("#kernels th").find((one) => one.innerText.includes("ms")));
shown.head = text("#kernels thead");
shown.times = rows().map((row) => row.children[3].innerText).filter((one) => one).map(Number);
})().catch((error) => problems.push(String(error))).finally(() => {
  document.body.dataset.shown = JSON.stringify({...shown, errors: problems});
});
"""


@pytest.mark.skipif(BROWSER is None, reason="chromium is not installed here")
def test_the_page_works_in_a_browser(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "r.html"
    text = write(command, long_model(tmp_path / "m.onnx"), target, "-b", "CpuRef")
    catches = "<script>const problems = []; onerror = (text) => { problems.push(text); };</script>"
    target.write_text(text.replace("<head>", f"<head>{catches}", 1) + f"<script>{CLICKS}</script>")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"]
    options += ["--virtual-time-budget=9000", f"--user-data-dir={tmp_path / 'profile'}"]
    dumped = subprocess.run(
        [str(BROWSER), *options, "--dump-dom", target.as_uri()],
        capture_output=True, text=True, check=True, timeout=120,
    ).stdout  # fmt: skip
    (found,) = re.findall(r'<body data-shown="([^"]*)"', dumped)
    shown = json.loads(unescape(found))

    assert shown["errors"] == []
    assert shown["all"] == "302 of 302"
    assert shown["width"] <= 1400 - 340  # the details hide nothing
    assert shown["found"] == "5 of 302"
    assert "Sigmoid" in shown["layer"]
    assert "/encoder/block7/n106" in shown["layer"]
    details, row = shown["reader"]  # of the layer that reads it
    assert "n108" in details
    assert "/encoder/block7/n107" in row
    assert "/encoder/block3/n45" in shown["drawn"]
    assert "why here" not in shown["head"]  # no layer has reasons
    assert shown["times"] == sorted(shown["times"], reverse=True)
