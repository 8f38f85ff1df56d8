# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""armnn-py bench and armnn-py profile."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path

import numpy as np
import pytest
from onnx import helper

import armnn_py
from armnn_py.cli.commands.bench import measure_callers
from armnn_py.cli.commands.profile import _by_type, _short_names, _speeds
from armnn_py.cli.timed import EnergyMeter

from .conftest import DEMO, Command, save_model

_HOST_LAYERS = (
    armnn_py.LayerType.INPUT,
    armnn_py.LayerType.OUTPUT,
    armnn_py.LayerType.CONSTANT,
)


def test_bench_counts_its_runs(command: Command) -> None:
    answer = command("--json", "bench", DEMO, "-b", "CpuRef", "--seconds", "0", "--warmup", "2")
    data = answer.json
    assert (data["runs"], data["warmup"]) == (3, 2)
    inner = [x for x in armnn_py.import_model(DEMO).layers if x.type not in _HOST_LAYERS]
    assert data["backends"] == {"CpuRef": len(inner)}
    assert 0 < data["p50_seconds"] <= data["p90_seconds"] <= data["p99_seconds"]
    assert data["p90_seconds"] == data["p99_seconds"]  # of three runs
    assert data["mean_seconds"] * data["runs_per_second"] == pytest.approx(1)
    assert data["arena_bytes"] > 0
    assert data["compared"] is None


def test_bench_from_several_threads(command: Command) -> None:
    arguments = ("bench", DEMO, "-b", "CpuRef", "--seconds", "0", "--concurrency", "1:6")
    data = command("--json", *arguments).json
    assert [row["callers"] for row in data["concurrency"]] == [1, 2, 4, 6]
    assert [row["runs"] for row in data["concurrency"]] == [3, 6, 12, 18]
    for row in data["concurrency"]:
        assert row["p50_seconds"] <= row["p99_seconds"]
        assert row["runs_per_second"] > 0
    assert data["peak_bytes"] > data["arena_bytes"]
    assert "callers" in command(*arguments).out


def test_bench_of_several_models(command: Command, tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], "relu")
    relu = save_model(tmp_path / "relu.onnx", [node], {"x": [2, 3]}, "y")
    options = ("-b", "CpuRef", "--seconds", "0", "--warmup", "1", "--concurrency", "2")
    arguments = ("bench", DEMO, relu, *options)
    first, second = command("--json", *arguments).json["models"]
    assert (first["model"], second["model"]) == (str(DEMO), str(relu))
    assert second["backends"] == {"CpuRef": 1}
    assert [row["callers"] for row in second["concurrency"]] == [2]
    head, *rows = command(*arguments).out.splitlines()
    assert head.startswith("model")
    assert "peak memory" in head
    assert [row.split()[:2] for row in (rows[0], rows[2])] == [
        ["digits.onnx", "1"],
        ["relu.onnx", "1"],
    ]


def test_bench_compares_one_model(command: Command, tmp_path: Path) -> None:
    (tmp_path / "before.json").write_text("{}")
    answer = command("bench", DEMO, DEMO, "--compare", tmp_path / "before.json")
    assert answer.code == 2
    assert "--compare given with several models, one expected" in answer.err


def test_the_energy_of_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages, of which one begins again at its end; a part of a package is not added."""
    monkeypatch.setattr("armnn_py.cli.timed._ROOT", tmp_path)
    assert EnergyMeter().joules() is None

    def count(package: str, microjoules: int) -> None:
        (tmp_path / package).mkdir(exist_ok=True)
        (tmp_path / package / "max_energy_range_uj").write_text("10000000\n")
        (tmp_path / package / "energy_uj").write_text(f"{microjoules}\n")

    count("intel-rapl:0", 9_000_000)
    count("intel-rapl:0:0", 0)
    count("intel-rapl:1", 100)
    meter = EnergyMeter()
    count("intel-rapl:0", 500_000)
    count("intel-rapl:0:0", 400_000)
    count("intel-rapl:1", 250_100)
    assert meter.joules() == pytest.approx(1.75)


def test_callers_meet_in_the_network() -> None:
    """Each of four callers waits for the others: the test ends only if they run at once."""
    meeting = threading.Barrier(4)

    def run() -> float:
        meeting.wait(60)
        return 0.5

    (row,) = measure_callers(run, [4], 0.0, 3)
    assert (row["runs"], row["p90_seconds"]) == (12, 0.5)


@pytest.mark.parametrize("value", ["0", "2:1", "x", "1:1000", ":3"])
def test_numbers_of_callers_that_are_refused(command: Command, value: str) -> None:
    answer = command("bench", DEMO, "--concurrency", value)
    assert answer.code == 2
    assert f"'{value}' given" in answer.err


def test_bench_beside_an_earlier_answer(command: Command, tmp_path: Path) -> None:
    arguments = ("bench", DEMO, "-b", "CpuRef", "--seconds", "0")
    before = tmp_path / "before.json"
    first = command("--json", *arguments)
    before.write_text(first.out)
    answer = command("--json", *arguments, "--compare", before)
    assert answer.json["compared"]["p50_seconds"] == first.json["p50_seconds"]
    text = command(*arguments, "--compare", before)
    head, *rows = text.out.splitlines()
    assert head.split() == ["metric", "value", "before", "ratio"]
    assert any(row.startswith("peak arena") and row.endswith("1.00") for row in rows)
    layers = first.json["backends"]["CpuRef"]
    threads = "1 thread" if first.json["threads"] == 1 else f"{first.json['threads']} threads"
    before_it = f"before: {Path(DEMO).name}, {threads}, on CpuRef ({layers} layers)"
    assert before_it in rows
    assert answer.json["compared"]["model"] == first.json["model"]


def test_bench_refuses_foreign_answers(command: Command, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    for text in ("", "[]", '{"schema": "armnn-py/run/1"}', '{"schema": "armnn-py/bench/1"}'):
        other.write_text(text)
        answer = command("bench", DEMO, "--compare", other)
        assert answer.code == 2
        assert str(other) in answer.err
        assert "hint:" in answer.err


def test_profile_has_every_layer(command: Command) -> None:
    data = command("--json", "profile", DEMO, "-b", "CpuRef", "--iterations", "3").json
    assert data["runs"] == 3
    assert {row["calls"] for row in data["layers"]} == {3}
    assert abs(sum(row["share"] for row in data["layers"]) - 1) < 1e-6
    convolutions = [row for row in data["layers"] if row["type"] == "Convolution2d"]
    assert convolutions
    assert all(row["gflops"] > 0 for row in convolutions)
    assert data["trace"] is None


def test_a_layer_counts_for_one_of_its_kernels() -> None:
    network = armnn_py.Network("small")
    image = network.add_input("image", armnn_py.TensorInfo((1, 1, 4, 4)))
    weights = np.ones((1, 1, 3, 3), np.float32)
    layout = armnn_py.DataLayout.NCHW
    output = network.add_convolution2d(image, weights, data_layout=layout, name="conv")
    network.add_output("y", network.add_activation(output, armnn_py.ActivationFunction.RELU))
    conv, relu = (x.guid for x in network.layers if x.type not in _HOST_LAYERS)

    def record(kernel: str, ns: int, *guids: int) -> armnn_py.LayerProfile:
        return armnn_py.LayerProfile("conv", "Convolution2d", "Npu", kernel, 2, ns, "", guids)

    product = record("product", 1000, conv, relu)
    assert _speeds(network, [record("to nhwc", 5000, conv), product, record("back", 9, relu)]) == [
        None,
        2 * 2 * 9 * 4 / 1000,
        None,
    ]
    assert _speeds(network, [record("to nhwc", 5, conv), record("product", 10, conv)])[0] is None
    assert _speeds(network, [record("product", 144)]) == [1.0]


def test_profile_shows_the_slowest_first(command: Command) -> None:
    answer = command("--json", "profile", DEMO, "-b", "CpuRef", "--iterations", "2", "--top", "2")
    first, second = answer.json["layers"]
    assert first["seconds"] >= second["seconds"]
    text = command("profile", DEMO, "-b", "CpuRef", "--iterations", "2", "--top", "2").out
    rows = text.split("\n\n")[0].splitlines()
    assert len(rows) == 3
    assert "slowest 2 of 10 rows (--all shows the rest)" in text


def test_profile_shows_fifteen_rows_and_all_on_demand(command: Command, tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", [f"x{n}"], [f"x{n + 1}"], f"relu{n}") for n in range(20)]
    for node in nodes[1::2]:
        node.op_type = "Exp"
    model = save_model(tmp_path / "long.onnx", nodes, {"x0": [2, 3]}, "x20")
    arguments = ("profile", model, "-b", "CpuRef", "--iterations", "2")
    assert len(command(*arguments, "--json").json["layers"]) == 15
    document = command(*arguments, "--all", "--json").json
    assert len(document["layers"]) == document["layer_count"] == 20
    assert "20 rows, on CpuRef\n" in command(*arguments, "--all").out


def test_profile_adds_up_by_type_and_shows_the_time_of_one_run(command: Command) -> None:
    arguments = ("profile", DEMO, "-b", "CpuRef", "--iterations", "4", "--all")
    document = command(*arguments, "--json").json
    for row in document["types"]:
        members = [layer for layer in document["layers"] if layer["type"] == row["type"]]
        assert row["rows"] == len(members)
        assert row["seconds"] == pytest.approx(sum(layer["seconds"] for layer in members))
    assert sum(row["share"] for row in document["types"]) == pytest.approx(1)
    seconds = [row["seconds"] for row in document["types"]]
    assert seconds == sorted(seconds, reverse=True)
    text = command(*arguments).out
    assert re.search(r"\nConvolution2d +3 +[0-9.]+ +[0-9.]+ %\n", text)
    assert re.search(r"\n4 runs of [0-9.]+ m?s with ", text)


def test_a_fused_kernel_counts_for_the_layer_that_multiplies() -> None:
    network = armnn_py.Network("small")
    image = network.add_input("image", armnn_py.TensorInfo((1, 1, 4, 4)))
    pad = network.add_pad(image, [(0, 0), (0, 0), (1, 1), (1, 1)], name="pad")
    weights = np.ones((1, 1, 3, 3), np.float32)
    layout = armnn_py.DataLayout.NCHW
    output = network.add_convolution2d(pad, weights, data_layout=layout, name="conv")
    network.add_output("y", output)
    padding, conv = (x.guid for x in network.layers if x.type not in _HOST_LAYERS)
    fused = armnn_py.LayerProfile(
        "pad + conv", "Pad + Convolution2d", "Npu", "k", 1, 30, "", (padding, conv)
    )
    other = armnn_py.LayerProfile("pad", "Pad", "Npu", "k", 1, 10, "", (padding,))
    first, second = _by_type(network, [other, fused], 40)
    assert (first["type"], first["rows"], first["share"]) == ("Convolution2d", 1, 0.75)
    assert (second["type"], second["rows"], second["share"]) == ("Pad", 1, 0.25)
    assert first["seconds"] == pytest.approx(30e-9)


def test_timeline_nests_layers_in_runs(command: Command, tmp_path: Path) -> None:
    target = tmp_path / "trace.json"
    answer = command("profile", DEMO, "-b", "CpuRef", "--iterations", "2", "--trace", target)
    assert str(target) in answer.out
    events = [e for e in json.loads(target.read_text())["traceEvents"] if e["ph"] == "X"]
    runs = [e for e in events if e["cat"] == "Run"]
    layers = [e for e in events if e["cat"] != "Run"]
    assert len(runs) == 2
    assert layers
    for layer in layers:
        inside = [
            run
            for run in runs
            if run["ts"] <= layer["ts"] <= layer["ts"] + layer["dur"] <= run["ts"] + run["dur"]
        ]
        assert len(inside) == 1
        assert layer["args"]["backend"] == "CpuRef"


def test_a_timeline_that_cannot_be_written(command: Command, tmp_path: Path) -> None:
    answer = command("profile", DEMO, "--iterations", "1", "--trace", tmp_path / "no" / "t.json")
    assert answer.code == 2
    assert "cannot be written" in answer.err
    assert "hint:" in answer.err


def test_a_timeline_without_a_place_is_refused_before_the_model_is_read(
    command: Command, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    answer = command("profile", broken, "--trace", tmp_path / "no" / "t.json")
    assert "cannot be written" in answer.err


def test_the_backend_is_a_column_where_there_are_several(command: Command) -> None:
    text = command("profile", DEMO, "-b", "CpuRef", "--iterations", "1").out.splitlines()
    assert text[0].split() == ["ms/run", "share", "GFLOP/s", "layer", "kernel"]
    assert text[-1].endswith("rows, on CpuRef")


def test_profile_shows_names_without_what_they_share() -> None:
    names = ["/model/layer.0/query/MatMul", "/model/layer.0/dense/MatMul + /model/layer.0/Erf",
             "CpuAcc: /model/layer.0/Split"]  # fmt: skip
    assert _short_names(names) == (
        "/model/layer.0/",
        ["query/MatMul", "dense/MatMul + 1 more", "CpuAcc: Split"],
    )
    assert _short_names(["conv_1", "conv_2 + relu"]) == ("", ["conv_1", "conv_2 + 1 more"])


def test_bench_names_incomparable_answers_first(command: Command, tmp_path: Path) -> None:
    arguments = ("bench", DEMO, "-b", "CpuRef", "--seconds", "0", "--warmup", "1")
    earlier = command("--json", *arguments, "--threads", "1").json
    before = tmp_path / "before.json"
    before.write_text(json.dumps(earlier | {"model": "other.onnx", "threads": 7}))
    first = command(*arguments, "--threads", "1", "--compare", before).out.splitlines()[0]
    assert first == (
        "not comparable: before was another model, other.onnx and had 7 threads, not 1"
    )
    before.write_text(json.dumps(earlier | {"model": "digits.armnnpy"}))
    assert "not comparable" not in command(*arguments, "--threads", "1", "--compare", before).out
