# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``run`` with raw and text files, with labels, and with every tensor written to a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

import armnn_py as ann
from armnn_py.cli.inputs.number_files import read_numbers

from .conftest import Command, save_model

VALUES = np.linspace(-2, 3, 60, dtype=np.float32).reshape(1, 3, 4, 5)


@pytest.mark.parametrize("suffix", [".raw", ".bin"])
def test_raw_bytes_are_an_input(
    command: Command, free_relu: Path, tmp_path: Path, suffix: str
) -> None:
    (tmp_path / f"x{suffix}").write_bytes(VALUES.tobytes())
    words = ("run", free_relu, "--shape", "h=4", "-i", tmp_path / f"x{suffix}", "-o", tmp_path)
    answer = command(*words)
    assert answer.code == 0, answer.err  # the free width follows from the number of elements
    assert np.array_equal(np.load(tmp_path / "out.npy"), np.maximum(VALUES, 0))


def test_a_text_is_an_input(command: Command, adder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1, 2, 3\n4 5\n6.5")
    (tmp_path / "b.txt").write_text("1 1 1 1 1 1")
    files = [f"left={tmp_path / 'a.txt'}", "-i", f"right={tmp_path / 'b.txt'}"]
    answer = command("run", adder, "-i", *files)
    assert answer.code == 0, answer.err
    assert "2 3 4 5 6 7.5" in answer.out


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("x.raw", b"\0" * 7, "no whole number of float32"),
        ("x.raw", b"\0" * 8, "has 2 numbers, which do not fit input 'left'"),
        ("x.txt", b"1 2 three", "could not convert string to float"),
        ("x.txt", b"\xff\xfe", "cannot be read as numbers"),
    ],
)
def test_numbers_that_do_not_fit(
    command: Command, adder: Path, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    answer = command("run", adder, "--random", "0", "-i", f"left={tmp_path / name}")
    assert answer.code == 2
    assert said in answer.err
    assert "--shape" not in answer.err  # none of it is free


@pytest.mark.parametrize(("dtype", "word"), [("uint8", "256"), ("int8", "-129"), ("uint64", "-1")])
def test_a_number_that_the_type_lacks_is_refused(tmp_path: Path, dtype: str, word: str) -> None:
    (tmp_path / "x.txt").write_text(f"1 {word}")
    info = ann.TensorInfo((2,), ann.DataType.from_numpy(np.dtype(dtype)))
    with pytest.raises(ann.InvalidArgumentError, match=f"{word} out of bounds for {dtype}"):
        read_numbers(tmp_path / "x.txt", "x", info)


def test_a_text_has_an_example_in_each_line(command: Command, tmp_path: Path) -> None:
    nodes = [helper.make_node("Softmax", ["x"], ["y"], "only")]
    model = save_model(tmp_path / "rows.onnx", nodes, {"x": ["batch", "length"]}, "y")
    for text, shape in (("1 2 3", (1, 3)), ("1 2\n\n3 4\n5 6\n", (3, 2))):
        (tmp_path / "x.txt").write_text(text)
        answer = command("run", model, "-i", tmp_path / "x.txt", "-o", tmp_path)
        assert answer.code == 0, answer.err
        assert np.load(tmp_path / "y.npy").shape == shape
    (tmp_path / "x.txt").write_text("1 2\n3")
    answer = command("run", model, "-i", tmp_path / "x.txt")
    assert answer.code == 2
    assert "--shape x=NxN" in answer.err


@pytest.mark.models
def test_the_best_of_quantised_numbers_are_shown_as_what_they_stand_for(
    command: Command, models_folder: Path
) -> None:
    network = models_folder / "open" / "efficientnet_lite0_int8.tflite"
    cat = models_folder / "images" / "chelsea.png"
    answer = command("run", network, "-i", cat, "-b", "CpuRef")
    assert "top 5 are [285] Egyptian cat 0.8" in answer.out, answer.err
    data: Any = json.loads(command("--json", "run", network, "-i", cat, "-b", "CpuRef").out)
    best = data["outputs"][0]["top"][0]
    assert (best["index"], best["real"]) == (285, best["value"] / 256)


@pytest.fixture
def classifier(tmp_path: Path) -> Path:
    nodes = [
        helper.make_node("Relu", ["x"], ["r"], "first"),
        helper.make_node("Softmax", ["r"], ["y"], "second"),
    ]
    return save_model(tmp_path / "classifier.onnx", nodes, {"x": [1, 4]}, "y")


def test_labels_of_another_count_are_reported(
    command: Command, classifier: Path, tmp_path: Path
) -> None:
    (tmp_path / "labels.txt").write_text("cat\ndog\ncup\n")
    answer = command(
        "run", classifier, "--random", "0", "--labels", tmp_path / "labels.txt"
    )  # fmt: skip
    assert answer.code == 0
    assert "3 names found, but no output has as many numbers in a row" in answer.err


def test_labels_name_the_best(command: Command, classifier: Path, tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_text("cat\ndog\ncup\ncar\n\n")
    (tmp_path / "x.txt").write_text("0 3 1 2")
    words = ("run", classifier, "-i", tmp_path / "x.txt", "--labels", tmp_path / "labels.txt")
    answer = command(*words)
    assert answer.code == 0, answer.err
    assert "top 5 are [1] dog" in answer.out or "[1] dog 0." in answer.out
    data: Any = json.loads(command("--json", *words).out)
    assert [top["label"] for top in data["outputs"][0]["top"]] == ["dog", "car", "cup", "cat"]


def test_names_of_a_model_make_no_lines_and_leave_no_folder(
    command: Command, tmp_path: Path
) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["../../y\n1 run: all is well\x1b[31m"], "../up")]
    model = save_model(tmp_path / "names.onnx", nodes, {"x": [2]}, nodes[0].output[0])
    folder = tmp_path / "a" / "b"
    answer = command("run", model, "--random", 0, "-o", folder / "out", "--dump", folder / "all")
    assert answer.code == 0, answer.err
    assert "\x1b" not in answer.out
    assert not any(line.startswith("1 run: all") for line in answer.out.splitlines())
    written = {path for path in tmp_path.rglob("*") if path.is_file()} - {model}
    assert len(written) == 3  # the output, and the tensors x and y
    assert {path.parent for path in written} == {folder / "out", folder / "all"}


def test_dump_writes_every_tensor(command: Command, classifier: Path, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("-1 3 1 2")
    folder = tmp_path / "tensors"
    answer = command("run", classifier, "-i", tmp_path / "x.txt", "--dump", folder)
    assert answer.code == 0, answer.err
    x = np.float32([[-1, 3, 1, 2]])
    relu = np.maximum(x, 0)
    assert {path.name for path in folder.iterdir()} == {"x.npy", "first.npy", "second.npy"}
    assert np.array_equal(np.load(folder / "x.npy"), x)
    assert np.array_equal(np.load(folder / "first.npy"), relu)
    softmax = np.exp(relu) / np.exp(relu).sum()
    np.testing.assert_allclose(np.load(folder / "second.npy"), softmax, rtol=1e-5)
    assert "3 tensors written to" in answer.out
