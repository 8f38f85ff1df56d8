# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Scratch for each thread, when the number of threads changes after the network was loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann


@pytest.fixture
def threads() -> Iterator[None]:
    before = ann.get_num_threads()
    yield
    ann.set_num_threads(before)


def run(folder: Path, build: Callable[..., None], *defines: str) -> None:
    build("thread_scratch_backend.c", folder / "Test_ThreadScratch_backend.so", *defines)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1 << 20,)))
    network.add_output("y", network.add_elementwise_unary(x, ann.UnaryOperation.NEG))
    values = np.random.default_rng(0).normal(size=1 << 20).astype(np.float32)
    ann.set_num_threads(1)
    with (
        ann.Runtime(folder) as runtime,
        ann.load(network, ["ThreadScratch"], runtime=runtime) as loaded,
    ):
        ann.set_num_threads(8)
        for _ in range(50):
            np.testing.assert_array_equal(loaded.run(values)["y"], -values)


@pytest.mark.usefixtures("threads")
def test_the_number_that_sized_the_scratch_is_kept(
    tmp_path: Path, build_backend: Callable[..., None]
) -> None:
    run(tmp_path, build_backend)


@pytest.mark.usefixtures("threads")
def test_a_body_that_fails_is_the_runs_failure(
    tmp_path: Path, build_backend: Callable[..., None]
) -> None:
    with pytest.raises(ann.ExecutionError, match="a thread has no scratch"):
        run(tmp_path, build_backend, "-DMAX_THREADS=0")
