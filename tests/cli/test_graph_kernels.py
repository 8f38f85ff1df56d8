# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py graph``: compiled parts drawn by kernel, operators, windows, shapes and times."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.cli import drawn as command_module
from armnn_py.errors import ExecutionError
from armnn_py.pictures import Box, Drawing, RunKernel, Wire, drawing_of, to_dot
from armnn_py.pictures.boxes import operator_of, window_of
from armnn_py.pictures.palette import heat_of

from .conftest import DEMO, Command


def data(command: Command, *arguments: Any) -> dict[str, Any]:
    return command("graph", DEMO, *arguments, "--format", "json", "-o", "-").json


def inner(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [node for node in document["nodes"] if node["kind"] == "layer"]


def test_a_compiled_network_is_drawn_by_its_kernels(command: Command) -> None:
    document = data(command, "-b", "CpuAcc")
    boxes = {node["name"]: node for node in inner(document)}
    assert "PreCompiled" not in {node["type"] for node in document["nodes"]}
    assert boxes["conv1"]["operators"] == ["Convolution2d", "Relu"]
    assert boxes["conv1"]["window"] == "3x3"
    assert boxes["pool2"]["operators"] == ["MaxPooling2d"]
    assert boxes["pool2"]["window"] == "2x2 /2"
    rows = command("check", DEMO, "-b", "CpuAcc", "--json").json["layers"]
    drawn = [name for node in inner(document) for name in node["layers"]]
    assert sorted(drawn) == sorted(row["layer"] for row in rows if row["backend"])


def test_kernels_are_joined_as_their_layers_are(command: Command) -> None:
    document = data(command, "-b", "CpuAcc")
    names = {node["id"]: node["name"] for node in document["nodes"]}
    chain = ["image", "conv1", "conv2", "pool2", "conv3", "pool3", "flatten", "dense", "softmax",
             "probabilities"]  # fmt: skip
    edges = [(names[edge["from"]], names[edge["to"]]) for edge in document["edges"]]
    assert edges == list(pairwise(chain))
    shapes = {names[edge["from"]]: edge["tensor"] for edge in document["edges"]}
    assert shapes["conv1"] == "float32 1x16x8x8"
    assert shapes["dense"] == "float32 1x10"


def test_without_a_run_a_compiled_part_is_drawn_by_layer(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_module, "_run", lambda *_: pytest.fail("it was run"))
    document = data(command, "-b", "CpuAcc", "--no-run")
    assert {len(node["operators"]) for node in inner(document)} == {1}
    assert [n["operators"][0] for n in inner(document)][:3] == ["Convolution2d", "Relu",
                                                                "Convolution2d"]  # fmt: skip


def test_a_network_that_cannot_run_is_drawn_by_layer(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ExecutionError("the device is on fire")

    monkeypatch.setattr(command_module, "_run", fail)
    answer = command("graph", DEMO, "-b", "CpuAcc", "--format", "json", "-o", "-")
    assert answer.code == 0
    assert "the device is on fire" in answer.err
    assert {len(node["operators"]) for node in inner(answer.json)} == {1}


def test_graph_command_does_not_run_the_network(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_module, "_run", lambda *_: pytest.fail("it was run"))
    assert {node["seconds"] for node in inner(data(command, "-b", "CpuRef"))} == {None}


@pytest.mark.parametrize("backend", ["CpuAcc", "CpuRef"])
def test_times_add_up_to_less_than_a_run(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    monkeypatch.setattr(command_module, "_RUNS", 3)
    document = data(command, "-b", backend, "--profile")
    times = {node["name"]: node["seconds"] for node in inner(document)}
    assert times["conv2"] > 0
    assert 0 < sum(times.values()) <= document["run_seconds"]
    answer = command("graph", DEMO, "-b", backend, "--profile", "-o", tmp_path / "p.dot")
    assert answer.code == 0, answer.err
    dot = (tmp_path / "p.dot").read_text(encoding="utf-8")
    assert " ms a run" in dot.splitlines()[1]
    fills = set(re.findall('fillcolor="(#[0-9a-f]+)"', dot))
    # One box took the longest; how the others differ is a matter of the machine.
    assert heat_of(1.0) in fills
    assert fills - {heat_of(1.0)}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--colour", "time"], "--colour time needs --profile"),
        (["--profile", "--no-run"], "exclude each other"),
    ],
)
def test_options_that_contradict_each_other(
    command: Command, options: list[str], said: str
) -> None:
    answer = command("graph", DEMO, *options)
    assert answer.code == 2
    assert said in answer.err


@pytest.fixture
def chain() -> ann.Network:
    """x -> exp -> abs -> sqrt -> y."""
    network = ann.Network("chain")
    x = network.add_input("x", ann.TensorInfo((2, 4)))
    for operation in (ann.UnaryOperation.EXP, ann.UnaryOperation.ABS, ann.UnaryOperation.SQRT):
        x = network.add_elementwise_unary(x, operation, name=operation.name.lower()).outputs[0]
    network.add_output("y", x)
    return network


Drawn = Callable[..., Drawing]


@pytest.fixture
def drawn(chain: ann.Network) -> Drawn:
    """Draw the chain, compiled, as if a run had told of some kernels."""

    def draw(*groups: tuple[str, ...], seconds: float | None = None) -> Drawing:
        guids = {layer.name: layer.guid for layer in chain.layers}
        with ann.Runtime() as runtime:
            compiled, apart = (
                ann.optimize(
                    chain,
                    ["CpuAcc"],
                    runtime=runtime,
                    options=ann.OptimizerOptions(compile_parts=compile_parts),
                ).placed
                for compile_parts in (True, False)
            )
            kernels = [
                RunKernel(" + ".join(names), tuple(guids[name] for name in names), 0.25)
                for names in groups
            ]
            return drawing_of(compiled, apart, kernels=kernels, run_seconds=seconds)

    return draw


def layers_of(drawing: Drawing) -> list[tuple[str, ...]]:
    return [box.layers for box in drawing.boxes if box.kind == "layer"]


def test_the_layers_of_a_kernel_are_one_box(drawn: Drawn) -> None:
    drawing = drawn(("exp", "abs"))
    assert layers_of(drawing) == [("exp", "abs"), ("sqrt",)]
    first = drawing.boxes[1]
    assert (first.title, first.fused, first.seconds) == ("Exp", "+ Abs", None)
    assert [(wire.source, wire.target) for wire in drawing.wires] == [
        (drawing.boxes[n].id, drawing.boxes[n + 1].id) for n in range(3)
    ]


def test_kernels_in_a_circle_are_taken_apart(drawn: Drawn) -> None:
    assert layers_of(drawn(("exp", "sqrt"))) == [("exp",), ("abs",), ("sqrt",)]


def test_a_layer_counts_for_the_kernel_of_most_layers_which_has_all_its_time(
    drawn: Drawn,
) -> None:
    drawing = drawn(("abs",), ("exp", "abs"), ("exp",), seconds=1.0)
    assert layers_of(drawing) == [("exp", "abs"), ("sqrt",)]
    assert [box.seconds for box in drawing.boxes] == [None, 0.75, 0.0, None]
    assert drawing.share(drawing.boxes[1]) == 0.75


def test_a_placement_of_another_kind_is_not_mixed_in(chain: ann.Network) -> None:
    with ann.Runtime() as runtime:
        compiled = ann.optimize(chain, ["CpuAcc"], runtime=runtime).placed
        other = ann.optimize(chain, ["CpuRef"], runtime=runtime).placed
        drawing = drawing_of(compiled, other)
    assert [box.type for box in drawing.boxes] == ["Input", "PreCompiled", "Output"]
    assert layers_of(drawing) == [("exp", "abs", "sqrt")]


def test_operators_and_windows_have_their_usual_names() -> None:
    network = ann.Network("names")
    x = network.add_input("x", ann.TensorInfo((1, 4, 9, 9)))
    nchw = ann.DataLayout.NCHW
    weights = np.zeros((8, 4, 3, 5), np.float32)
    strips = np.zeros((1, 3, 3, 4), np.float32)
    layers = {
        "Convolution2d 3x5 /2x1": network.add_convolution2d(
            x, weights, stride=(2, 1), data_layout=nchw),
        "DepthwiseConvolution2d 3x3": network.add_depthwise_convolution2d(
            x, strips, data_layout=nchw),
        "AveragePooling2d 3x3 /3": network.add_pooling2d(
            x, ann.PoolingAlgorithm.AVERAGE, 3, data_layout=nchw),
        "Sigmoid": network.add_activation(x, ann.ActivationFunction.SIGMOID),
        "Mul": network.add_elementwise_binary(x, x, ann.BinaryOperation.MUL),
        "ReduceMax": network.add_reduce(x, ann.ReduceOperation.MAX, [1]),
        "ArgMin": network.add_arg_min_max(x, ann.ArgMinMaxFunction.MIN),
        "Softmax": network.add_softmax(x),
    }  # fmt: skip
    for words, layer in layers.items():
        assert f"{operator_of(layer)} {window_of(layer)}".rstrip() == words


def box(number: int, part: int | None, **more: Any) -> Box:
    return Box(number, f"n{number}", "Activation", "layer", "Acme", part, (), ("float32 1x8",),
               operators=("Sigmoid", "Mul"), **more)  # fmt: skip


def test_one_part_has_neither_a_frame_nor_its_number() -> None:
    wires = (Wire(0, 0, 1, 0, "float32 1x8"),)
    whole = Drawing("t", "s", (box(0, 7), box(1, 7)), wires, {"Acme": 2})
    assert "cluster" not in to_dot(whole)
    split = Drawing("t", "s", (box(0, 7), box(1, 7), box(2, 8)), wires, {"Acme": 3})
    assert "cluster_part7" in to_dot(split)


def test_a_box_says_what_it_does_and_a_wire_its_shape() -> None:
    wires = (Wire(0, 0, 1, 0, "float32 1x8"), Wire(1, 0, 2, 0, "int64 4"))
    picture = Drawing("t", "s", (box(0, 0), box(1, 0), box(2, 0)), wires, {"Acme": 3})
    assert 'label="Sigmoid\\n+ Mul\\nn0"' in to_dot(picture)
    assert 'label="1x8"' in to_dot(picture)
    assert 'label="int64 4"' in to_dot(picture)


def test_colours_of_time_grow_darker() -> None:
    def lightness(colour: str) -> float:
        red, green, blue = (int(colour[n : n + 2], 16) for n in (1, 3, 5))
        return 0.3 * red + 0.59 * green + 0.11 * blue

    steps = [lightness(heat_of(n / 10)) for n in range(11)]
    assert steps == sorted(steps, reverse=True)
    assert heat_of(-1) == heat_of(0)
    assert heat_of(2) == heat_of(1)
