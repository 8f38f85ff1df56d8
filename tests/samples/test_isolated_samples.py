# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The sample backends compute the same in a worker as in the process, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from tests.conftest import SANITIZE


@pytest.fixture(params=["sample_npu", "sample_scale", "sample_zero", "xnnpack"])
def folder(request: pytest.FixtureRequest, sample_backend: Callable[[str], Path]) -> Path:
    """The folder with the shared object of a sample."""
    if request.param == "xnnpack":
        if "address" in SANITIZE:
            pytest.skip("XNNPACK reads behind its inputs, which bind() refuses with the sanitizer")
        library: Path = request.getfixturevalue("xnnpack_library")
        return library.parent
    return sample_backend(request.param).parent


def layers() -> ann.Network:
    """Layers of which each sample takes some."""
    random = np.random.default_rng(1)
    network = ann.Network("layers")
    x = network.add_input("x", ann.TensorInfo((1, 12, 12, 4)))
    weights = random.standard_normal((8, 3, 3, 4), np.float32)
    made = network.add_convolution2d(x, weights, padding=(1, 1, 1, 1))
    made = network.add_activation(made, ann.ActivationFunction.RELU)
    network.add_output("inner", made)
    made = network.add_activation(made, ann.ActivationFunction.LINEAR, a=2.0, b=1.0)
    made = network.add_addition(made, made)
    made = network.add_multiplication(made, network.add_constant(np.full((1,), 3, np.float32)))
    network.add_output("y", network.add_reshape(made, (1, -1)))
    return network


def test_a_worker_answers_bit_for_bit(folder: Path) -> None:
    image = np.random.default_rng(2).standard_normal((1, 12, 12, 4), np.float32)
    with ann.Runtime(folder) as plain, ann.Runtime(folder, isolate="all") as apart:
        (name,) = apart.isolated
        answers = []
        for runtime in (plain, apart):
            with ann.load(layers(), [name, "CpuRef"], runtime=runtime) as loaded:
                assert name in loaded.assignment.counts
                made = [loaded.run(image) for _ in range(2)]
                assert not loaded.last_run.degraded
                answers.append((loaded.assignment.counts, made))
    (here_counts, here), (away_counts, away) = answers
    assert away_counts == here_counts
    for expected, found in zip(here, away, strict=True):
        for output, array in expected.items():
            np.testing.assert_array_equal(found[output], array)
