# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``armnn-py extract``: a part of a model as a model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import armnn_py as ann
from armnn_py.comparing.networks import saved_layers

from .conftest import DEMO, Command


def of_the_whole(image: np.ndarray) -> dict[str, np.ndarray]:
    with ann.load(DEMO, ["CpuRef"], extra_outputs=["c1", "scores"]) as network:
        return network.run({"image": image})


@pytest.mark.parametrize("suffix", [".onnx", ".armnnpy"])
def test_a_part_computes_what_it_does_in_the_whole(
    command: Command, tmp_path: Path, suffix: str
) -> None:
    path = tmp_path / f"part{suffix}"
    answer = command("extract", DEMO, "--from", "c1", "--to", "scores", "-o", path)
    assert answer.code == 0, answer.err
    expected = of_the_whole(np.random.default_rng(2).random((1, 1, 8, 8), np.float32))
    with ann.load(path) as part:
        assert list(part.inputs) == ["c1"]
        found = part.run({"c1": expected["c1"]})
    np.testing.assert_allclose(found["scores"], expected["scores"], rtol=1e-5, atol=1e-5)
    assert command("compare", path, "-b", "CpuRef", "--with", "CpuRef").code == 0


@pytest.mark.parametrize("suffix", [".onnx", ".armnnpy"])
def test_stripped_weights_are_others(command: Command, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"part{suffix}"
    assert command("extract", DEMO, "-o", path, "--strip-weights").code == 0
    whole = {layer.name: layer for layer in ann.import_model(DEMO).layers}
    part = ann.import_model(path) if suffix == ".onnx" else saved_layers(str(path))
    kernels = [one.value for one in part.layers if hasattr(one, "value") and one.value.ndim == 4]
    secret = [one.value for one in whole.values() if hasattr(one, "value") and one.value.ndim == 4]
    large = [one for one in kernels if one.size >= 64]
    assert len(large) == len([one for one in secret if one.size >= 64]) > 0
    for one in large:
        assert not any(np.array_equal(one, other) for other in secret)
        assert any(
            one.shape == other.shape and one.std() == pytest.approx(other.std(), rel=0.5)
            for other in secret
        )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--to", "nowhere", "-o", "{}/x.armnnpy"), "no tensor and no layer 'nowhere'"),
        (("--from", "scores", "--to", "c1", "-o", "{}/x.armnnpy"), "not before the last tensors"),
        (("--to", "nowhere", "-o", "{}/x.onnx"), "no part of"),
        (("-o", "/nowhere/x.armnnpy"), "cannot be saved"),
        (("-o", "/nowhere/x.onnx"), "no such file"),
    ],
)
def test_wrong_arguments(
    command: Command, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    answer = command("extract", DEMO, *(one.format(tmp_path) for one in arguments))
    assert answer.code == 2
    assert words in answer.err.lower()


def test_an_onnx_part_is_valid(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "part.onnx"
    assert command("extract", DEMO, "--to", "r1", "-o", path).code == 0
    onnx.checker.check_model(path, full_check=True)
