# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py compare``: its options, exit codes and answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from .conftest import DEMO, Command


def test_equal_sides_exit_0(command: Command) -> None:
    answer = command("compare", DEMO, "-b", "CpuRef", "--with", "CpuRef")
    assert answer.code == 0
    assert "within the tolerance of CpuRef: 1 output" in answer.out
    answer = command("--json", "compare", DEMO, "-b", "CpuRef", "--with", "CpuRef", "--layers")
    comparison = answer.json["comparison"]
    assert comparison["passed"]
    assert comparison["finding"] is None
    assert "c2" in {row["tensor"] for row in comparison["layers"]}


@pytest.fixture
def wrong(command: Command, tmp_path: Path) -> Path:
    """Kept results in which conv2 has other numbers."""
    kept = tmp_path / "wrong.npz"
    assert command("compare", DEMO, "-b", "CpuRef", "--save", kept, "--layers").code == 0
    with np.load(kept) as arrays:
        changed = {name: arrays[name] for name in arrays.files}
    changed["c2"] = changed["c2"] * np.float32(1.01)
    np.savez(kept, **changed)
    return kept


def test_a_layer_beyond_the_tolerance_is_reduced_and_exits_1(
    command: Command, tmp_path: Path, wrong: Path
) -> None:
    arguments = ("-b", "CpuRef", "--with", wrong)
    answer = command("compare", DEMO, *arguments, "--reduce", tmp_path / "out")
    assert answer.code == 1
    assert "first layer beyond tolerance: 'conv2' (Convolution2d) on CpuRef" in answer.err
    scripts = list((tmp_path / "out").glob("*.py"))
    assert [path.name for path in scripts] == ["conv2.py"]
    ended = subprocess.run(
        [sys.executable, scripts[0]], check=False, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1
    assert "first layer beyond tolerance: 'conv2'" in ended.stdout
    document = command("--json", "compare", DEMO, *arguments, "--layers").json
    assert document["comparison"]["finding"]["layer"] == "conv2"
    assert document["error"]["message"] == document["comparison"]["verdict"]


def test_results_are_kept_and_compared(command: Command, tmp_path: Path) -> None:
    kept = tmp_path / "kept.npz"
    assert command("compare", DEMO, "-b", "CpuRef", "--save", kept, "--layers").code == 0
    with np.load(kept) as arrays:
        assert {"image", "probabilities", "c1"} <= set(arrays.files)
        changed = {name: arrays[name] for name in arrays.files}
    against = ("compare", DEMO, "-b", "CpuRef", "--against", kept)
    assert command(*against, "--layers", "--tolerance", "0").code == 0
    changed["probabilities"] = changed["probabilities"] + 1
    np.savez(kept, **changed)
    answer = command(*against)
    assert answer.code == 1
    assert "1 of 1 output" in answer.err


def test_a_folder_of_inputs(command: Command, tmp_path: Path) -> None:
    for number in range(2):
        image = np.random.default_rng(number).random((1, 1, 8, 8), np.float32)
        np.savez(tmp_path / f"{number}.npz", image=image)
    call = ("--json", "compare", DEMO, "-b", "CpuRef", "--with", "CpuRef", "--inputs")
    assert command(*call, tmp_path).json["comparison"]["inputs"] == 2
    (tmp_path / "empty").mkdir()
    answer = command("compare", DEMO, "--with", "CpuRef", "--inputs", tmp_path / "empty")
    assert answer.code == 2
    assert "has no files" in answer.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "--with ID is missing"),
        (("--with", "Nowhere"), 4, "'Nowhere' is not loaded"),
        (("--with", "absent.npz"), 2, "cannot be read as .npz"),
        (("--with", "litert"), 2, "LiteRT does not run the model"),
        (("--save", "/nowhere/x.npz"), 2, "cannot be written: no such file or directory"),
    ],
)
def test_wrong_arguments(
    command: Command, arguments: tuple[str, ...], code: int, words: str
) -> None:
    answer = command("compare", DEMO, *arguments)
    assert answer.code == code
    assert words in answer.err
