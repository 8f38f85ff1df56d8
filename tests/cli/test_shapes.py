# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``--shape`` in every command, and the batch that is taken without it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from .conftest import DEMO, Command, save_model

#: Commands that take a model, with what else they need.
COMMANDS = {
    "inspect": [],
    "check": [],
    "run": ["--random", "0"],
    "bench": ["--seconds", "0", "--warmup", "1"],
    "profile": ["--iterations", "1", "--warmup", "1"],
    "graph": ["--format", "dot", "-o", "-"],
}


@pytest.fixture
def picture_array(tmp_path: Path) -> Path:
    np.save(tmp_path / "image.npy", np.zeros((1, 3, 4, 5), np.float32))
    return tmp_path / "image.npy"


@pytest.mark.parametrize("name", ["run", "bench", "profile"])
@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ("imgae=1x3x4x5", "did you mean 'image'?"),
        ("image=1x4x4x5", "dimension 1 is 4, 3 expected"),
        ("image=3x4x5", "3 dimensions given, 4 expected"),
        ("image=1x3xfour", "is not understood"),
        ("image=1x3x8x5", "1x3x4x5"),
    ],
)
def test_a_shape_is_checked_beside_a_file(
    command: Command, free_relu: Path, picture_array: Path, name: str, shape: str, said: str
) -> None:
    answer = command(name, free_relu, "-i", picture_array, "--shape", shape)
    assert answer.code == 2
    assert answer.out == ""
    assert said in answer.err


def test_a_shape_beside_a_file_that_has_it(
    command: Command, free_relu: Path, picture_array: Path
) -> None:
    answer = command("run", free_relu, "-i", picture_array, "--shape", "image=1x3x4x5")
    assert answer.code == 0, answer.err


@pytest.fixture
def output_without_shape(tmp_path: Path) -> Path:
    """Two Relus whose output states no shape: its rank is that of the input."""
    nodes = [helper.make_node("Relu", ["x"], ["m"]), helper.make_node("Relu", ["m"], ["r3"])]
    shape = ["n", 64, "h", "w"]
    graph = helper.make_graph(
        nodes,
        "noshape",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("r3", TensorProto.FLOAT, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, tmp_path / "noshape.onnx")
    return tmp_path / "noshape.onnx"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_shape_is_bound_when_the_model_is_imported(
    command: Command, output_without_shape: Path, name: str
) -> None:
    more = COMMANDS[name]
    answer = command(name, output_without_shape, *more, "--shape", "x=1x64x5x6")
    assert answer.code == 0, answer.err
    unbound = command(name, output_without_shape, *more)
    assert unbound.code == (0 if name == "inspect" else 2)
    assert "--shape n=1 --shape h=224 --shape w=224" in unbound.err + unbound.out


@pytest.fixture
def batches(tmp_path: Path) -> Path:
    """A model of which only the batch is free."""
    node = helper.make_node("Relu", ["image"], ["out"], "relu")
    return save_model(tmp_path / "batches.onnx", [node], {"image": ["batch", 3, 4, 5]}, "out")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_free_batch_is_one_and_the_answer_says_so(
    command: Command, batches: Path, name: str
) -> None:
    said = "batch of 1 assumed; --shape batch=8 gives another"
    answer = command(name, batches, *COMMANDS[name])
    assert answer.code == 0, answer.err
    if name != "graph":
        assert answer.out.splitlines()[-1] == said
        assert command(name, batches, *COMMANDS[name], "--json").json["assumed_shapes"] == {
            "image": [1, 3, 4, 5]
        }
    given = command(name, batches, *COMMANDS[name], "--shape", "image=2x3x4x5")
    assert given.code == 0, given.err
    assert "assumed" not in given.out


def test_graph_says_which_batch_it_draws(command: Command, batches: Path, tmp_path: Path) -> None:
    answer = command("graph", batches, "-o", tmp_path / "g.dot")
    assert answer.out.endswith("batch of 1 assumed; --shape batch=8 gives another\n")
    assert "float32 1x3x4x5" in (tmp_path / "g.dot").read_text(encoding="utf-8")


def test_inspect_shows_the_free_batch_and_counts_for_one(command: Command, batches: Path) -> None:
    document = command("inspect", batches, "--json").json
    assert document["tensors"][0]["shape"] == [None, 3, 4, 5]
    assert (document["layer_count"], document["free_dimensions"]) == (1, False)
    assert "batch x 3 x 4 x 5" in command("inspect", batches).out


def test_a_file_says_the_batch(command: Command, batches: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "four.npy", np.zeros((4, 3, 4, 5), np.float32))
    document = command("run", batches, "-i", tmp_path / "four.npy", "--json").json
    assert document["outputs"][0]["shape"] == [4, 3, 4, 5]
    assert document["assumed_shapes"] == {}


def test_no_assumption_with_several_free_sizes(command: Command, free_relu: Path) -> None:
    assert command("check", free_relu).code == 2
    assert command("inspect", free_relu, "--json").json["free_dimensions"] is True


def test_a_model_without_free_dimensions_assumes_nothing(command: Command) -> None:
    assert command("check", DEMO, "--json").json["assumed_shapes"] == {}
    assert "assumed" not in command("check", DEMO).out


def test_a_file_binds_the_dimensions_of_random_inputs(command: Command, tmp_path: Path) -> None:
    """One name, one size: what a file says of ``n`` holds for the other input."""
    node = helper.make_node("Add", ["left", "right"], ["y"], "add")
    inputs = {"left": ["m", "n"], "right": ["m", "n"]}
    model = save_model(tmp_path / "free_add.onnx", [node], inputs, "y")
    np.save(tmp_path / "left.npy", np.zeros((2, 3), np.float32))
    answer = command("run", model, "-i", f"left={tmp_path / 'left.npy'}", "--random", 3)
    assert answer.code == 0, answer.err


def test_an_assumed_dimension_has_its_own_name(command: Command, tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], "relu")
    model = save_model(tmp_path / "m.onnx", [node], {"x": ["steps", 3]}, "y")
    out = command("inspect", model).out
    assert out.endswith("steps of 1 assumed; --shape steps=8 gives another\n")
    unnamed = save_model(tmp_path / "u.onnx", [node], {"x": [None, 3]}, "y")
    out = command("inspect", unnamed).out
    assert out.endswith("batch of 1 assumed; --shape x=8x3 gives another\n")


def test_a_picture_that_does_not_fit_gets_a_size(command: Command, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (50, 33)).save(tmp_path / "picture.png")
    nodes = [
        helper.make_node("MaxPool", ["x"], ["half"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Upsample", ["half"], ["whole"], scales=[1.0, 1.0, 2.0, 2.0]),
        helper.make_node("Add", ["x", "whole"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "halves",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, "h", "w"])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3, "h", "w"])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 7)], ir_version=8)
    onnx.save(model, tmp_path / "halves.onnx")
    answer = command("run", tmp_path / "halves.onnx", "-i", tmp_path / "picture.png")
    assert answer.code != 0
    assert "hint: --size 64x64 stretches the picture" in answer.err
    sized = ("-i", tmp_path / "picture.png", "--size", "64x64")
    assert command("run", tmp_path / "halves.onnx", *sized).code == 0
