# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Stages in what inspect and profiles show; turns are counted with numpy."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import armnn_py as ann
from armnn_py.cli.main import main
from armnn_py.network import Stage
from tests.cli.conftest import check_answer
from tests.frontends.test_onnx_apart import LARGE, data, looped
from tests.frontends.test_onnx_stages import SIZE, detector, image, places_of_rows

Answer = Callable[..., Any]


def turns_until(limit: float, state: np.ndarray) -> int:
    """How often "ends by its states" multiplies."""
    turns = 0
    while True:
        state = state * np.float32(1.7)
        turns += 1
        if not state.max() < limit:
            return turns


@pytest.fixture
def answer(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Call a command on a model; returns what it wrote, as JSON if it is."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(command: str, model: onnx.ModelProto, *options: str) -> Any:
        path = tmp_path / "model.onnx"
        path.write_bytes(model.SerializeToString())
        capsys.readouterr()
        code = main([command, str(path), *options])
        seen = capsys.readouterr()
        assert code == 0, seen.err
        if "--json" not in options:
            return seen.out
        document = json.loads(seen.out)
        check_answer(document)
        return document

    return call


def by_stage(profile: ann.Profile) -> dict[str, list[ann.LayerProfile]]:
    found: dict[str, list[ann.LayerProfile]] = {}
    for record in profile.layers:
        found.setdefault(record.stage, []).append(record)
    return found


# ---- inspect -------------------------------------------------------------------------------------


def test_stages_of_a_detector(answer: Answer) -> None:
    stages = answer("inspect", detector(), "--json")["stages"]
    assert [stage["stage"] for stage in stages] == ["1", "2", "3"]
    first, second, third = stages
    assert first["what"] == f"network of {first['networks'][0]['layer_count']} layers"
    assert first["networks"][0]["layer_count"] >= 5
    assert first["inputs"] == [{"name": "image", "dtype": "float32", "shape": [1, 3, SIZE, SIZE]}]
    shapes = {one["name"]: one["shape"] for one in first["outputs"]}
    assert shapes == {
        "boxes": [1, 1600, 4], "scores": [1, 3, 1600], "kept/rows": [4800, 3], "kept/valid": [4800],
    }  # fmt: skip
    assert second["what"] == "Compress nms/kept, between stages"
    assert (second["name"], second["operator"], second["networks"]) == (
        "nms/kept", "Compress", [],
    )  # fmt: skip
    assert [one["name"] for one in second["inputs"]] == ["kept/rows", "kept/valid"]
    assert second["outputs"] == [{"name": "kept", "dtype": "int64", "shape": [None, 3]}]
    assert third["what"] == "network with free dimensions"
    assert third["networks"] == [
        {"name": "", "layer_count": None, "free_dimensions": True, "stages": 0}
    ]
    assert {one["name"] for one in third["inputs"]} == {"boxes", "scores", "kept"}
    assert [one["name"] for one in third["outputs"]] == ["box", "score", "class"]


def test_stages_of_a_batch_that_is_assumed(answer: Answer) -> None:
    stages = answer("inspect", detector(("n", 3, SIZE, SIZE)), "--json")["stages"]
    assert [stage["what"] for stage in stages] == [
        "network with free dimensions",
        "Compress nms/kept, between stages",
        "network with free dimensions",
    ]
    assert stages[0]["inputs"][0]["shape"] == [1, 3, SIZE, SIZE]


def test_the_table_of_stages(answer: Answer) -> None:
    lines = answer("inspect", detector()).splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith("Runs in 3 stages"))
    rows = [line.split() for line in lines[head + 1 :] if line]
    assert rows[0] == ["stage", "what", "inputs", "outputs"]
    assert [row[0] for row in rows[1:]] == ["1", "2", "3"]
    assert "Compress nms/kept, between stages" in lines[-2]
    assert "kept/rows 4800 x 3, kept/valid 4800" in lines[-2]
    assert lines[-2].endswith("kept ? x 3")


def test_a_network_of_one_plan_has_no_stages(answer: Answer) -> None:
    model = detector()
    del model.graph.node[7:]
    del model.graph.output[:]
    model.graph.output.append(onnx.ValueInfoProto(name="boxes"))
    assert answer("inspect", model, "--json")["stages"] == []
    assert "stages" not in answer("inspect", model)


def test_a_loop_and_its_body(answer: Answer) -> None:
    stages = answer("inspect", looped("ends by its states", LARGE), "--json")["stages"]
    loop = stages[1]
    layers = loop["networks"][0]["layer_count"]
    assert layers >= 3
    assert loop["what"] == f"Loop {loop['name']}, turn by turn; body of {layers} layers"
    grows = answer("inspect", looped("a state that grows", (200, 100)), "--json")["stages"][1]
    assert grows["what"] == f"Loop {grows['name']}, turn by turn; body with free dimensions"
    assert grows["networks"][0]["layer_count"] is None


def test_stages_inside_of_a_body(answer: Answer) -> None:
    stages = answer("inspect", looped("a loop inside of it", LARGE), "--json")["stages"]
    numbers = [stage["stage"] for stage in stages]
    assert numbers == ["1", "2", "2/body/1", "2/body/2", "2/body/3", "3"]
    assert "turn by turn; body in 3 stages" in stages[1]["what"]
    assert stages[3]["operator"] == "Loop"
    assert all(stage["inputs"] for stage in stages)


def test_facts_of_a_stage() -> None:
    first, second, _ = ann.import_model(detector()).stages
    assert (first.name, first.operator, first.manner) == ("", "", "")
    assert (second.name, second.operator, second.manner) == (
        "nms/kept", "Compress", "between stages",
    )  # fmt: skip
    loop = ann.import_model(looped("ends by its states", LARGE)).stages[1]
    assert (loop.operator, loop.manner) == ("Loop", "turn by turn")


# ---- Profiles ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 3, SIZE, SIZE), (1, 3, "h", "w")], ids=["known", "free"])
@pytest.mark.parametrize("backends", [["CpuRef"], ["CpuAcc", "CpuRef"]], ids="+".join)
def test_a_profile_of_a_detector(shape: Any, backends: list[str]) -> None:
    with ann.load(detector(shape), backends) as network, network.profile() as profile:
        for seed in (1, 2, 1, 3):  # different numbers of boxes
            network.run({"image": image(seed)})
    found = by_stage(profile)
    assert list(found) == ["1", "2", "3"]
    assert profile.runs == 4
    (suppression,) = found["2"]
    assert (suppression.layer, suppression.type, suppression.calls) == (
        "nms/kept", "Compress", 4,
    )  # fmt: skip
    assert suppression.backend == "host"
    assert any("Convolution2d" in record.type for record in found["1"])
    keys = [(r.stage, r.layer, r.type, r.kernel, r.memory, r.guids) for r in profile.layers]
    assert len(set(keys)) == len(keys)
    gathers = [record for record in found["3"] if "Gather" in record.type]
    assert gathers
    assert all(record.calls <= 4 for record in profile.layers)
    assert 0 < sum(record.total_ns for record in profile.layers) <= profile.run_ns


def test_a_profile_of_a_loop() -> None:
    x = data(0)
    turns = turns_until(40, x)
    with ann.load(looped("ends by its states", LARGE), ["CpuRef"]) as network:
        with network.profile() as profile:
            for _ in range(3):
                network.run(x)
        with network.profile() as again:
            pass
    found = by_stage(profile)
    assert sorted(found) == ["1", "2", "2/body", "3"][: len(found)]
    (loop,) = found["2"]
    assert (loop.type, loop.calls, loop.kernel) == ("Loop", 3, "turn by turn")
    assert turns > 2
    work = [record for record in found["2/body"] if record.backend == "CpuRef"]
    assert {record.calls for record in work} == {3 * turns}
    assert 0 < sum(record.total_ns for record in profile.layers) <= profile.run_ns
    whole = sum(e.duration_ns for e in profile.timeline if e.type == "Loop")
    inside = sum(e.duration_ns for e in profile.timeline if e.layer == "stage 2/body")
    assert loop.total_ns == whole - inside
    assert not again.layers
    assert again.runs == 0


def test_turns_of_growing_states_are_one_record() -> None:
    x = data(0, (200, 100))
    made = looped("a state that grows", (200, 100))
    with ann.load(made, ["CpuRef"]) as network, network.profile() as profile:
        found = network.run(x)
    turns = len(found["y"]) - 200
    assert turns > 2
    work = [record for record in by_stage(profile)["2/body"] if record.backend == "CpuRef"]
    assert len({(record.layer, record.type) for record in work}) == len(work)
    assert {record.calls for record in work} == {turns}


def test_a_profile_of_a_loop_in_a_loop() -> None:
    made = looped("a loop inside of it", LARGE)
    with ann.load(made, ["CpuRef"]) as network, network.profile() as profile:
        network.run(data(0))
    stages = list(by_stage(profile))
    wanted = ["1", "2", "2/body/1", "2/body/2", "2/body/2/body", "2/body/3", "3"]
    assert stages == [stage for stage in wanted if stage in stages]
    assert {"2", "2/body/2", "2/body/2/body"} <= set(stages)
    assert profile.runs == 1
    assert 0 < sum(record.total_ns for record in profile.layers) <= profile.run_ns


def test_stages_that_the_first_run_finds() -> None:
    """It has a plan for a few rows, where all is known, and stages for many."""
    with ann.load(places_of_rows(), ["CpuRef"]) as network, network.profile() as profile:
        network.run({"x": image(1).reshape(-1, 640)})
    assert profile.runs == 1
    assert "NonZero" in [record.type for record in profile.layers]


def test_the_timeline_nests() -> None:
    with ann.load(looped("ends by its states", LARGE), ["CpuRef"]) as network:
        network.run(data(0))
        with network.profile() as profile:
            network.run(data(0))
    ends = [event.time_ns + event.duration_ns for event in profile.timeline]
    assert ends == sorted(ends)
    assert len({event.thread for event in profile.timeline}) == 1
    assert profile.timeline[0].thread > 0
    (run,) = [event for event in profile.timeline if event.type == "Run"]
    (loop,) = [event for event in profile.timeline if event.type == "Loop"]
    turns = [event for event in profile.timeline if event.layer == "stage 2/body"]
    assert {turn.type for turn in turns} == {"Stage"}
    assert run == profile.timeline[-1]
    for outer, inner in [(run, loop), *((loop, turn) for turn in turns)]:
        assert outer.time_ns <= inner.time_ns
        assert inner.time_ns + inner.duration_ns <= outer.time_ns + outer.duration_ns


def test_events_of_many_runs_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The buffer holds the events of a run, but not of all runs."""
    monkeypatch.setattr(ann.Profile, "CAPACITY", 100)
    made = looped("ends by its states", LARGE)
    with ann.load(made, ["CpuRef"]) as network, network.profile() as profile:
        for _ in range(5):
            network.run(data(0))
    assert profile.dropped == 0
    assert profile.runs == 5
    assert len(profile.timeline) == 100
    assert profile.notes == ("the timeline has the first 100 events only",)


def test_threads_and_their_own_lines() -> None:
    with ann.load(detector(), ["CpuRef"]) as network, network.profile() as profile:
        both = [
            threading.Thread(target=lambda: [network.run(image(1)) for _ in range(4)])
            for _ in range(2)
        ]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
    assert profile.runs == 8
    lanes: dict[int, list[ann.TimelineEvent]] = {}
    for event in profile.timeline:
        lanes.setdefault(event.thread, []).append(event)
    assert len(lanes) == 2
    for lane in lanes.values():
        runs = [event for event in lane if event.type == "Run"]
        assert len(runs) == 4
        assert all(one.time_ns + one.duration_ns <= two.time_ns for one, two in pairwise(runs))


def test_other_networks_are_not_counted() -> None:
    with (
        ann.load(detector(), ["CpuRef"]) as one,
        ann.load(looped("ends by its states", LARGE), ["CpuRef"]) as other,
        one.profile() as profile,
    ):
        other.run(data(0))
    assert profile.runs == 0
    assert not profile.layers


def test_a_run_that_fails_is_counted_as_others_are() -> None:
    made = looped("ends by its states", LARGE)
    stopped = pytest.raises(ann.ExecutionTimeoutError)
    with ann.load(made, ["CpuRef"]) as network, network.profile() as profile, stopped:
        network.run(data(0), timeout=1e-6)
    assert profile.runs == 1


def test_functions_without_a_name() -> None:
    """Stages that no importer made."""
    info = ann.TensorInfo((2,))

    def double(arrays: Any, _: Any) -> dict[str, Any]:
        return {"y": arrays["x"] * 2}

    stages = [Stage(("x",), {"y": info}, compute=double)]
    made = ann.Network.from_builder("made", {"x": info}, lambda _: None, {"y": info}, stages=stages)  # type: ignore[arg-type, return-value]
    with ann.load(made, ["CpuRef"]) as network, network.profile() as profile:
        np.testing.assert_array_equal(network.run(np.float32([1, 2]))["y"], [2, 4])
    (record,) = profile.layers
    assert (record.layer, record.type, record.stage) == ("stage 1", "Function", "1")


def test_profile_table() -> None:
    with ann.load(detector(), ["CpuRef"]) as network, network.profile() as profile:
        network.run(image(1))
    head, *rows, last = str(profile).splitlines()
    assert head.split()[:2] == ["stage", "layer"]
    assert any(row.split()[:3] == ["2", "nms/kept", "Compress"] for row in rows)
    assert last.startswith("1 run in ")
    document = profile.to_json()
    assert {layer["stage"] for layer in document["layers"]} == {"1", "2", "3"}
    assert "<th>stage</th>" in profile._repr_html_()


def test_the_command(answer: Answer, tmp_path: Path) -> None:
    options = ["-b", "CpuRef", "--iterations", "3", "--warmup", "1", "--all"]
    target = tmp_path / "trace.json"
    document = answer("profile", detector(), *options, "--json", "--trace", str(target))
    assert document["runs"] == 3
    assert {layer["stage"] for layer in document["layers"]} == {"1", "2", "3"}
    rows = {(layer["stage"], layer["type"]): layer for layer in document["layers"]}
    assert rows["1", "Convolution2d"]["gflops"] > 0
    assert rows["2", "Compress"]["calls"] == 3
    assert sum(layer["share"] for layer in document["layers"]) == pytest.approx(1)
    seconds = sum(layer["seconds"] for layer in document["layers"])
    assert seconds <= document["run_seconds"]
    slices = [e for e in json.loads(target.read_text())["traceEvents"] if e["ph"] == "X"]
    names = [event["name"] for event in slices]
    assert names.count("run") == names.count("nms/kept") == names.count("stage 3") == 3
    assert {event["args"]["stage"] for event in slices if event["name"] == "nms/kept"} == {"2"}
    text = answer("profile", detector(), *options)
    assert text.split()[3:5] == ["stage", "layer"]
