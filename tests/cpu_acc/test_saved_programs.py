# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Programs of CpuAcc in saved networks: the same numbers, mapped and not copied, nothing believed."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import random
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.optimizer.saved.archive import write_archive

from .networks import run, values_of
from .quantized import random_network
from .vision import Vision

if TYPE_CHECKING:
    from collections.abc import Iterator

BOTH = ["CpuAcc", "CpuRef"]


def members_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "mimetype"}


def write(path: Path, members: dict[str, bytes]) -> None:
    """Write a file whose sums agree, as anybody can."""
    document = json.loads(members["network.json"])
    for layer in document["layers"]:
        compiled = layer.get("compiled", {})
        if "bytes" in compiled:
            blob = members[f"blobs/{compiled['bytes']}.bin"]
            compiled["sha256"] = hashlib.sha256(blob).hexdigest()
    members = {**members, "network.json": json.dumps(document).encode()}
    write_archive(str(path), {name: (data,) for name, data in members.items()})


def inputs_of(network: Any) -> dict[str, Any]:
    return {
        name: values_of(number, *info.static_shape)
        for number, (name, info) in enumerate(network.inputs.items())
    }


def perceptron() -> ann.Network:
    """Two products of 4 MB of weights each."""
    network = ann.Network("perceptron")
    x = network.add_input("x", ann.TensorInfo((1, 1024))).output
    for number in range(2):
        weights = values_of(number, 1024, 1024) / 32
        x = network.add_fully_connected(x, weights, values_of(9, 1024))
        x = network.add_activation(x, ann.ActivationFunction.TANH, a=1.0, b=1.0)
    network.add_output("y", x)
    return network


@pytest.fixture
def fresh() -> Iterator[ann.Runtime]:
    """Another runtime: another instance of the backend, as in another process."""
    with ann.Runtime() as runtime:
        yield runtime


@pytest.mark.parametrize("seed", range(12))
def test_saved_programs_compute_the_same(
    runtime: ann.Runtime, fresh: ann.Runtime, tmp_path: Path, seed: int, recwarn: Any
) -> None:
    network, path = Vision(seed).make(24), tmp_path / "x.armnn"
    expected, _, optimized = run(runtime, network, BOTH)
    reference, _, _ = run(runtime, network, ["CpuRef"])
    optimized.save(path, keep_subgraphs=False)
    assert any(name.startswith("blobs/") for name in members_of(path))
    with ann.load(path, runtime=fresh) as loaded:
        outputs = loaded.run(inputs_of(loaded))
        for name, value in expected.items():
            assert outputs[name].tobytes() == value.tobytes()
            largest = max(float(np.abs(reference[name]).max()), 1e-3)
            np.testing.assert_allclose(outputs[name], reference[name], 1e-4, 2e-6 * largest)
    assert not recwarn.list
