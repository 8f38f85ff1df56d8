# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The commands on a TensorFlow Lite model."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def model(builder: Any, tmp_path: Path) -> Path:
    for name, op in (("main", "RELU"), ("second", "TANH")):
        if name != "main":
            builder.begin(name)
        x, y = (builder.tensor(f"{name}_{k}", (1, 4), signature=(-1, 4)) for k in "xy")
        builder.op(op, [x], [y])
        builder.ends([x], [y])
        builder.signature(f"serve_{name}", {"image": x}, {"score": y})
    path = tmp_path / "net.tflite"
    path.write_bytes(builder.data())
    return path


def answer(*arguments: object) -> Any:
    command = [sys.executable, "-m", "armnn_py", *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def test_inspect(model: Path) -> None:
    document = answer("inspect", model)
    assert [tensor["name"] for tensor in document["tensors"]] == ["main_x", "main_y"]
    assert document["metadata"]["format"] == "TensorFlow Lite"
    document = answer("inspect", model, "--signature", "serve_second")
    assert [tensor["name"] for tensor in document["tensors"]] == ["image", "score"]
    document = answer("inspect", model, "--subgraph", "1", "--shape", "3x4")
    assert [tensor["shape"] for tensor in document["tensors"]] == [[3, 4], [3, 4]]


def test_run_and_check(model: Path, tmp_path: Path) -> None:
    x = np.float32([[-1, 0, 1, 2]])
    np.save(tmp_path / "x.npy", x)
    document = answer(
        "run", model, "--signature", "serve_second", "-i", f"image={tmp_path / 'x.npy'}",
        "-o", tmp_path / "out", "-b", "CpuRef",
    )  # fmt: skip
    assert document["ok"], document
    found = np.load(tmp_path / "out" / "score.npy")
    np.testing.assert_allclose(found, np.tanh(x), rtol=1e-6)
    assert answer("check", model, "--subgraph", "second")["ok"]


def test_a_compiled_model_has_no_parts(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "net.armnnpy"
    assert answer("save", model, "--signature", "serve_second", "-o", file)["ok"]
    assert [t["name"] for t in answer("inspect", file)["tensors"]] == ["image", "score"]
    refused = answer("inspect", file, "--signature", "serve_second")
    assert "--signature given with a compiled model" in json.dumps(refused)


def test_a_part_that_is_not_there(model: Path) -> None:
    refused = answer("run", model, "--signature", "serve", "--random", "1")
    assert "has no signature 'serve'" in json.dumps(refused)
