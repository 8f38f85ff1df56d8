# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""State of workloads: kept from run to run, one for each sequence, reset when the user says so."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

Build = Callable[..., None]
ONES = np.ones(4, np.float32)
FILE = "Test_State_backend.so"


@pytest.fixture
def load(tmp_path: Path, build_backend: Build) -> Iterator[Callable[..., ann.LoadedNetwork]]:
    """A network of two layers that each add up their inputs: 1, then 1 + 2, then 1 + 2 + 3, ..."""
    runtimes = []

    def make(*defines: str) -> ann.LoadedNetwork:
        build_backend("state_backend.c", tmp_path / FILE, *defines)
        runtimes.append(ann.Runtime(tmp_path))
        network = ann.Network("sums")
        x = network.add_input("x", ann.TensorInfo((4,)))
        for _ in range(2):
            x = network.add_elementwise_unary(x, ann.UnaryOperation.ABS)
        network.add_output("y", x)
        return ann.load(network, ["State"], runtime=runtimes[-1])

    yield make
    for runtime in runtimes:
        runtime.close()


def live_states(folder: Path) -> int:
    return int(ctypes.CDLL(str(folder / FILE)).live_states())


def sums(run: Callable[[], float], count: int) -> list[float]:
    return [run() for _ in range(count)]


def test_runs_go_on_where_the_last_one_ended(
    load: Callable[..., ann.LoadedNetwork], tmp_path: Path
) -> None:
    with load() as net:
        run = lambda: float(net.run(ONES)["y"][0])  # noqa: E731
        assert sums(run, 4) == [1, 3, 6, 10]
        net.reset_state()
        assert sums(run, 3) == [1, 3, 6]
        assert live_states(tmp_path) == 2
    assert live_states(tmp_path) == 0


def test_bound_arrays_have_a_state_of_their_own(
    load: Callable[..., ann.LoadedNetwork], tmp_path: Path
) -> None:
    with load() as net:
        assert sums(lambda: float(net.run(ONES)["y"][0]), 2) == [1, 3]
        one, two = net.bind({"x": ONES.copy()}), net.bind({"x": ONES.copy()})
        assert sums(lambda: float(one.run()["y"][0]), 3) == [1, 3, 6]
        assert sums(lambda: float(two.run()["y"][0]), 2) == [1, 3]
        one.reset_state()
        assert sums(lambda: float(one.run()["y"][0]), 2) == [1, 3]
        assert sums(lambda: float(two.run()["y"][0]), 1) == [6]
        two.close()
        with pytest.raises(ann.InvalidArgumentError, match="closed"):
            two.reset_state()
        with net.bind({"x": ONES.copy()}) as fresh:
            assert sums(lambda: float(fresh.run()["y"][0]), 1) == [1]
        assert sums(lambda: float(net.run(ONES)["y"][0]), 2) == [6, 10]
    assert live_states(tmp_path) == 0


def test_threads_do_not_mix_their_states(load: Callable[..., ann.LoadedNetwork]) -> None:
    found: dict[int, list[float]] = {}
    with load() as net:

        def work(number: int) -> None:
            with net.bind({"x": ONES * number}) as bound:
                found[number] = sums(lambda: float(bound.run()["y"][0]), 50)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for number, values in found.items():
        np.testing.assert_array_equal(values, number * np.cumsum(np.cumsum(np.ones(50))))


def test_a_state_that_cannot_be_made(
    load: Callable[..., ann.LoadedNetwork], tmp_path: Path
) -> None:
    net = load("-DFAIL_FROM=3")
    assert net.run(ONES)["y"][0] == 1
    with pytest.raises(ann.ArmnnError, match="no room for another state"):
        net.bind({"x": ONES.copy()})
    assert live_states(tmp_path) == 2
    assert net.run(ONES)["y"][0] == 3
    net.close()
    assert live_states(tmp_path) == 0


def test_a_state_that_cannot_be_reset(load: Callable[..., ann.LoadedNetwork]) -> None:
    with load("-DFAIL_RESET") as net:
        net.run(ONES)
        with pytest.raises(ann.ArmnnError, match="the device forgot how to forget"):
            net.reset_state()
