# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``threads=``: how much of the process's pool one network takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import armnn_py as ann

X = np.zeros((1, 3), np.float32)


@pytest.fixture(scope="module")
def runtime(
    tmp_path_factory: pytest.TempPathFactory, build_backend: Callable[..., None]
) -> Iterator[ann.Runtime]:
    folder = tmp_path_factory.mktemp("thread_count")
    build_backend("thread_count_backend.c", folder / "Test_ThreadCount_backend.so")
    before = ann.get_num_threads()
    ann.set_num_threads(4)
    with ann.Runtime(folder) as made:
        yield made
    ann.set_num_threads(before)


def network(rows: int | None = 1) -> ann.Network:
    def build(infos: Any) -> ann.Network:
        made = ann.Network()
        x = made.add_input("x", infos["x"])
        made.add_output("y", made.add_elementwise_unary(x, ann.UnaryOperation.NEG))
        return made

    info = ann.TensorInfo((rows, 3))
    if rows is not None:
        return build({"x": info})
    return ann.Network.from_builder("free", {"x": info}, build, {"y": info})


def told(loaded: ann.LoadedNetwork, x: Any = X) -> list[float]:
    found: list[float] = loaded.run({"x": x})["y"][0].tolist()
    return found


def test_networks_beside_each_other(runtime: ann.Runtime) -> None:
    backends = ["ThreadCount"]
    with (
        ann.load(network(), backends, runtime=runtime, threads=1) as one,
        ann.load(network(), backends, runtime=runtime) as all_of_them,
        ann.load(network(), backends, runtime=runtime, threads=2) as two,
    ):
        for _ in range(3):
            assert told(one) == [1, 1, 1]
            assert told(all_of_them)[:2] == [4, 4]
            assert told(two)[:2] == [2, 2]
            assert told(two)[2] <= 2


def test_a_limit_above_the_pool(runtime: ann.Runtime) -> None:
    with ann.load(network(), ["ThreadCount"], runtime=runtime, threads=9) as loaded:
        assert told(loaded)[:2] == [4, 4]


def test_shapes_that_come_later(runtime: ann.Runtime) -> None:
    with ann.load(network(None), ["ThreadCount"], runtime=runtime, threads=2) as loaded:
        for rows in (1, 2, 5):
            assert told(loaded, np.zeros((rows, 3), np.float32))[:2] == [2, 2]


def test_load_network_and_bind(runtime: ann.Runtime) -> None:
    optimized = ann.optimize(network(), ["ThreadCount"], runtime=runtime)
    with runtime.load_network(optimized, threads=1) as loaded:
        out = np.zeros_like(X)
        with loaded.bind({"x": X}, {"y": out}) as bound:
            bound.run()
        assert out[0].tolist() == [1, 1, 1]


@pytest.mark.parametrize("threads", [0, -1, 1025, True, 1.5, "2"])
def test_numbers_of_no_sense(runtime: ann.Runtime, threads: Any) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="an int from 1 to 1024 expected"):
        ann.load(network(), ["ThreadCount"], runtime=runtime, threads=threads)
