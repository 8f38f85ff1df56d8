# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""run, inspect, check and demo."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper, numpy_helper
from PIL import Image

from .conftest import DEMO, Command, save_model


def test_run_adds_two_files_and_saves_the_sum(
    command: Command, adder: Path, tmp_path: Path
) -> None:
    left = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.save(tmp_path / "left.npy", left)
    np.savez(tmp_path / "right.npz", anything=left * 10)
    answer = command("run", adder, "-b", "CpuRef", "-i", f"left={tmp_path / 'left.npy'}",
                     "-i", f"right={tmp_path / 'right.npz'}", "-o", tmp_path / "out")  # fmt: skip
    assert answer.code == 0, answer.err
    saved = np.load(tmp_path / "out" / "sum_out.npy")
    np.testing.assert_array_equal(saved, left * 11)
    assert "sum/out" in answer.out
    assert "1 run in " in answer.out
    assert "on CpuRef (1 layer), loaded in " in answer.out
    assert f"saved {tmp_path / 'out' / 'sum_out.npy'}" in answer.out


def test_run_as_json_says_what_the_table_says(
    command: Command, adder: Path, tmp_path: Path
) -> None:
    np.savez(tmp_path / "both.npz", left=np.full((2, 3), 2, np.float32),
             right=np.full((2, 3), 0.5, np.float32))  # fmt: skip
    call = ("run", adder, "-b", "CpuRef", "-i", tmp_path / "both.npz", "--json", "--iterations", 3)
    document = command(*call).json
    assert document["outputs"] == [
        {"name": "sum/out", "dtype": "float32", "shape": [2, 3], "min": 2.5, "mean": 2.5,
         "max": 2.5, "values": [2.5] * 6, "real_values": None, "top": None, "file": None}
    ]  # fmt: skip
    assert len(document["seconds"]) == document["iterations"] == 3
    assert document["load_seconds"] > 0
    assert document["backends"] == {"CpuRef": 1}


def test_numbers_that_json_lacks_are_null(command: Command, adder: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "both.npz", left=np.full((2, 3), np.inf, np.float32),
             right=np.zeros((2, 3), np.float32))  # fmt: skip
    (output,) = command("run", adder, "-i", tmp_path / "both.npz", "--json").json["outputs"]
    assert output["max"] is None


def test_run_with_random_inputs_repeats(command: Command, free_relu: Path) -> None:
    arguments = ("run", free_relu, "--random", 5, "--shape", "image=1x3x4x5", "--json")
    first, second = command(*arguments).json, command(*arguments).json
    assert first["outputs"] == second["outputs"]
    assert first["outputs"][0]["shape"] == [1, 3, 4, 5]
    assert 0 < first["outputs"][0]["max"] < 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        pytest.param(["-i", "lfet=a.npy"], 2, "did you mean 'left'?", id="near input name"),
        pytest.param(["-i", "a.npy"], 2, "names no input", id="no name, two inputs"),
        pytest.param(["-i", "left=none.npy"], 2, "'none.npy' does not exist", id="no file"),
        pytest.param(["-i", "left=a.csv"], 2, "suffix '.csv' is unknown", id="suffix"),
        pytest.param(["-i", "left=a.npy"], 2, "no array for input 'right'", id="input missing"),
        pytest.param(["-i", "left=d.npy", "-i", "right=a.npy"], 2, "dtype float64 given",
                     id="dtype"),
        pytest.param(["-i", "left=s.npy", "-i", "right=a.npy"], 2, "'left'", id="shape"),
        pytest.param(["-i", "left=broken.npy"], 2, "cannot be read as .npy", id="damaged"),
        pytest.param(["--random", "1", "-b", "Nobody"], 4, "backend 'Nobody' is not loaded",
                     id="unknown backend"),
    ],
)  # fmt: skip
def test_wrong_inputs_are_reported(
    command: Command, adder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    arguments: list[str], code: int, said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.zeros((2, 3), np.float32))
    np.save("d.npy", np.zeros((2, 3), np.float64))
    np.save("s.npy", np.zeros((3, 2), np.float32))
    Path("a.csv").write_text("0")
    Path("broken.npy").write_bytes(b"\x93NUMPY")
    answer = command("run", adder, *arguments)
    assert answer.code == code
    assert answer.out == ""
    assert said in answer.err


def test_arrays_of_objects_are_not_unpickled(
    command: Command, free_relu: Path, tmp_path: Path
) -> None:
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    answer = command("run", free_relu, "-i", tmp_path / "objects.npy")
    assert answer.code == 2
    assert "cannot be read" in answer.err


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """2 rows, 3 columns; red holds 10, 20, ..., green 1 everywhere, blue 200."""
    pixels = np.zeros((2, 3, 3), np.uint8)
    pixels[:, :, 0] = np.arange(10, 70, 10).reshape(2, 3)
    pixels[:, :, 1] = 1
    pixels[:, :, 2] = 200
    Image.fromarray(pixels).save(tmp_path / "picture.png")
    return tmp_path / "picture.png"


RED = np.arange(10, 70, 10, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param([], [RED, RED * 0 + 1, RED * 0 + 200], id="as it is"),
        pytest.param(["--channel-order", "bgr"], [RED * 0 + 200, RED * 0 + 1, RED], id="bgr"),
        pytest.param(["--mean", "10,1,200", "--scale", "0.1,1,1"],
                     [(RED - 10) * 0.1, RED * 0, RED * 0], id="mean and scale a channel"),
        pytest.param(["--mean", "1", "--scale", "2"],
                     [(RED - 1) * 2, RED * 0, RED * 0 + 398], id="mean and scale for all"),
    ],
)  # fmt: skip
def test_picture_becomes_nchw_tensor(
    command: Command, free_relu: Path, picture: Path, tmp_path: Path,
    options: list[str], expected: list[np.ndarray],
) -> None:  # fmt: skip
    answer = command("run", free_relu, "-i", picture, "-o", tmp_path / "o", *options)
    assert answer.code == 0, answer.err
    np.testing.assert_allclose(np.load(tmp_path / "o" / "out.npy"), [expected], rtol=1e-6)


def test_picture_becomes_nhwc_tensor(command: Command, picture: Path, tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["image"], ["out"], "relu")
    model = save_model(tmp_path / "nhwc.onnx", [node], {"image": [1, 2, 3, 3]}, "out")
    assert command("run", model, "-i", picture, "-o", tmp_path, "--layout", "nhwc").code == 0
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy")[0, :, :, 0], RED)


@pytest.mark.parametrize(("resize", "filled"), [("stretch", False), ("fit", True)])
def test_picture_gets_the_size_of_the_input(
    command: Command, picture: Path, tmp_path: Path, resize: str, filled: bool
) -> None:
    node = helper.make_node("Relu", ["image"], ["out"], "relu")
    model = save_model(tmp_path / "fixed.onnx", [node], {"image": [1, 3, 6, 6]}, "out")
    assert command("run", model, "-i", picture, "-o", tmp_path, "--resize", resize).code == 0
    result = np.load(tmp_path / "out.npy")
    assert result.shape == (1, 3, 6, 6)
    assert (result[0, 2] == 0).any() == filled  # blue is 200 wherever there is picture


def test_file_that_is_not_a_picture_is_reported(
    command: Command, free_relu: Path, tmp_path: Path
) -> None:
    (tmp_path / "fake.png").write_bytes(b"not a picture")
    answer = command("run", free_relu, "-i", tmp_path / "fake.png")
    assert answer.code == 2
    assert "cannot be read" in answer.err


def test_inspect_shows_the_demo_network(command: Command) -> None:
    document = command("inspect", DEMO, "--layers", "--weights", "--json").json
    assert document["tensors"] == [
        {"kind": "input", "name": "image", "dtype": "float32", "shape": [1, 1, 8, 8]},
        {"kind": "output", "name": "probabilities", "dtype": "float32", "shape": [1, 10]},
    ]
    assert document["layer_types"]["Convolution2d"] == 3
    # 3x3 convolutions 1->16 and 16->32 on 8x8, 32->32 on 4x4, dense 128->10
    assert document["multiply_adds"] == 64 * 16 * 9 + 64 * 32 * 144 + 16 * 32 * 288 + 1280
    assert document["weight_bytes"] >= 4 * 15338
    assert len(document["layers"]) == document["layer_count"]
    text = command("inspect", DEMO).out
    assert "1 x 1 x 8 x 8" in text
    assert "3 Convolution2d" in text


def test_inspect_shows_memory(command: Command) -> None:
    arguments = ("inspect", DEMO, "--memory", "-b", "CpuAcc")
    memory = command(*arguments, "--json").json["memory"]
    sizes = {(one["holder"], one["content"]): one["size"] for one in memory["shares"]}
    assert sizes["CpuAcc", "packed weights"] > 0
    assert sizes["host", "arena, of 1 context"] > 0
    assert memory["attributed"] + memory["unattributed"] == memory["growth"]
    assert abs(memory["unattributed"]) <= 0.05 * memory["process"]
    assert "growth of the process by the load" in command(*arguments).out


def test_weights_are_in_memory_once_though_a_shape_was_chosen(
    command: Command, tmp_path: Path
) -> None:
    """CpuAcc has packed them; the model as it was imported, with its free batch, is gone."""
    weights = np.random.default_rng(0).normal(size=(2048, 2048)).astype(np.float32)
    nodes = [
        helper.make_node("Constant", [], ["w"], value=numpy_helper.from_array(weights)),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    path = save_model(tmp_path / "wide.onnx", nodes, {"x": ["n", 2048]}, "y")
    memory = command("inspect", path, "--memory", "-b", "CpuAcc", "--json").json["memory"]
    assert memory["unattributed"] < weights.nbytes // 2


def test_inspect_shows_free_dimensions(command: Command, free_relu: Path) -> None:
    assert "1 x 3 x h x w" in command("inspect", free_relu).out
    (tensor, _) = command("inspect", free_relu, "--json").json["tensors"]
    assert tensor["shape"] == [1, 3, None, None]
    assert tensor["dimension_names"] == [None, None, "h", "w"]
    bound = command("inspect", free_relu, "--shape", "image=1x3x4x5", "--json").json
    assert bound["tensors"][1]["shape"] == [1, 3, 4, 5]
    assert (bound["free_dimensions"], bound["layer_count"]) == (False, 1)


@pytest.mark.parametrize("name", ["inspect", "check", "run"])
def test_model_that_cannot_be_imported_is_code_3(
    command: Command, unsupported: Path, name: str
) -> None:
    answer = command(name, unsupported, "--json")
    assert answer.code == 3
    assert answer.json["error"]["type"] == "UnsupportedOperatorError"
    assert "ImageDecoder" in " ".join(answer.json["error"]["details"])


@pytest.mark.parametrize("name", ["inspect", "check", "run"])
def test_damaged_model_is_code_3(command: Command, tmp_path: Path, name: str) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"\xff" * 100)
    answer = command(name, tmp_path / "bad.onnx")
    assert answer.code == 3
    assert answer.err.startswith("error: ")


def test_check_places_every_layer(command: Command) -> None:
    document = command("check", DEMO, "-b", "CpuRef", "--json").json
    assert document["parts"] == 1
    assert set(document["backends"]) == {"CpuRef"}
    assert document["layers"][0]["layer"] == "scale"
    text = command("check", DEMO, "-b", "CpuRef", "--layers").out
    assert "conv1" in text
    assert "layers assigned: CpuRef " in text


def test_check_wants_free_dimensions_bound(command: Command, free_relu: Path) -> None:
    answer = command("check", free_relu)
    assert answer.code == 2
    assert "--shape h=224 --shape w=224" in answer.err
    assert command("check", free_relu, "--shape", "1x3x7x9").code == 0


def test_names_are_never_markup_nor_terminal_codes(command: Command, tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], "[red]boo[/red]\x1b[31m")
    model = save_model(tmp_path / "names.onnx", [node], {"x": [2]}, "y")
    out = command("check", model, "--layers", "--color", "always").out
    assert "[red]boo[/red]\\x1b[31m" in out


def test_demo_reads_the_digits(command: Command) -> None:
    document = command("demo", "--json", "--count", 355).json
    assert document["samples"] == len(document["readings"]) == 355
    assert document["accuracy"] >= 0.97
    right = sum(r["digit"] == r["read"] for r in document["readings"])
    assert document["right"] == right
    assert {layer["backend"] for layer in document["layers"]} <= {"CpuAcc", "CpuRef"}


def test_demo_draws_and_says_where_it_ran(command: Command) -> None:
    out = command("demo").out
    assert out.count("%)") == 8 + 1  # a caption each, and the accuracy
    assert "Convolution2d" in out
    assert ".so" in out


def test_check_follows_placement_rules_from_a_file(
    command: Command, dozen_folder: Path, adder: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('strict = true\n[[rule]]\ntype = "ElementwiseBinary"\nbackend = "Dozen"\n')
    call = ["--backend-path", dozen_folder, "check", adder, "-b", "CpuRef", "--placement", rules]
    document = command(*call, "--json").json
    assert document["backends"] == {"Dozen": 1}
    assert (document["parts"], document["copies"], document["removed"]) == (1, 0, 0)
    text = command(*call, "--layers").out
    assert "asked for by" in text
    assert "1 of 1 layers assigned: Dozen 1; 1 sub-graph, 0 copies between backends" in text
    options = ["--random", "0", "-b", "CpuRef", "--placement", rules]
    run = command("--backend-path", dozen_folder, "run", adder, *options)
    assert "on Dozen" in run.out
    rules.write_text('[[rule]]\nkind = "ElementwiseBinary"\nbackend = "Dozen"\n')
    answer = command(*call)
    assert answer.code == 2
    assert "rule 1: unknown key 'kind'" in answer.err
