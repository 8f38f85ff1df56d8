# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""One network in many threads, many networks, free dimensions, closing while running."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.errors import InvalidArgumentError


def affine_network(shape: tuple[int, ...]) -> ann.Network:
    """y = 3 x + 1 through enough layers that arenas of two threads would clash if shared."""
    network = ann.Network("affine")
    x = network.add_input("x", ann.TensorInfo(shape))
    y = network.add_multiplication(x, np.full((1,) * len(shape), 3, np.float32))
    for _ in range(10):
        y = network.add_addition(y, np.full((1,) * len(shape), 0.1, np.float32))
    network.add_output("y", y)
    return network


def dynamic_network() -> ann.Network:
    """The same for any number of rows."""

    def build(infos: Mapping[str, ann.TensorInfo]) -> ann.Network:
        shape = infos["x"].shape
        assert all(d is not None for d in shape)
        return affine_network(tuple(int(d or 0) for d in shape))

    return ann.Network.from_builder(
        "affine",
        {"x": ann.TensorInfo((None, 4))},
        build,
        {"y": ann.TensorInfo((None, 4))},
    )


def test_one_network_in_eight_threads(runtime: ann.Runtime) -> None:
    with ann.load(affine_network((50, 40)), runtime=runtime) as net:

        def work(seed: int) -> None:
            x = np.random.default_rng(seed).standard_normal((50, 40)).astype(np.float32)
            for _ in range(50):
                np.testing.assert_allclose(net.run({"x": x})["y"], 3 * x + 1, atol=1e-5)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))


def test_many_networks_in_many_threads(runtime: ann.Runtime) -> None:
    def work(rows: int) -> None:
        for _ in range(5):
            with ann.load(affine_network((rows, 3)), runtime=runtime) as net:
                x = np.full((rows, 3), rows, np.float32)
                np.testing.assert_allclose(net.run({"x": x})["y"], 3 * x + 1, rtol=1e-6)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(1, 17)))
    assert runtime.networks == ()


def test_free_dimensions_one_plan_per_shape(runtime: ann.Runtime) -> None:
    with ann.load(dynamic_network(), runtime=runtime, plan_cache_size=2) as net:
        assert net.inputs["x"].shape == (None, 4)
        assert len(net.assignment) == 0
        for rows in (1, 5, 3, 5, 1, 200, 1):
            x = np.full((rows, 4), rows, np.float32)
            np.testing.assert_allclose(net.run({"x": x})["y"], 3 * x + 1, rtol=1e-6)
            assert len(net.assignment) == 11
        out = np.empty((7, 4), np.float32)
        net.run({"x": np.ones((7, 4), np.float32)}, out={"y": out})
        np.testing.assert_allclose(out, 4, rtol=1e-6)
        with pytest.raises(InvalidArgumentError, match="dimension 1 is 5, 4 expected"):
            net.run({"x": np.ones((7, 5), np.float32)})


def test_free_dimensions_in_threads(runtime: ann.Runtime) -> None:
    with ann.load(dynamic_network(), runtime=runtime, plan_cache_size=3) as net:

        def work(seed: int) -> None:
            for rows in np.random.default_rng(seed).integers(1, 9, 30):
                x = np.full((rows, 4), seed, np.float32)
                np.testing.assert_allclose(net.run({"x": x})["y"], 3 * x + 1, rtol=1e-6)

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(work, range(6)))


def test_close_waits_for_running_calls(runtime: ann.Runtime) -> None:
    net = ann.load(affine_network((400, 400)), runtime=runtime)
    x = np.ones((400, 400), np.float32)
    started = threading.Barrier(5)
    wrong: list[str] = []

    def work() -> None:
        started.wait()
        while True:
            try:
                y = net.run({"x": x})["y"]
            except InvalidArgumentError as error:
                if "closed" not in str(error):
                    wrong.append(str(error))
                return
            if not np.allclose(y, 4):
                wrong.append("a wrong result")
                return

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    net.close()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert not wrong


def test_runtime_close_closes_its_networks() -> None:
    runtime = ann.Runtime(enable_dynamic_backends=False)
    net = ann.load(affine_network((2, 2)), runtime=runtime)
    assert runtime.networks == (net,)
    runtime.close()
    assert net.closed
    with pytest.raises(InvalidArgumentError, match="the runtime is closed"):
        ann.load(affine_network((2, 2)), runtime=runtime)


def test_a_dropped_network_is_freed(runtime: ann.Runtime) -> None:
    ann.load(affine_network((2, 2)), runtime=runtime)
    assert runtime.networks == ()


@pytest.mark.parametrize("count", [1, 2, 5])
def test_results_do_not_depend_on_the_number_of_threads(runtime: ann.Runtime, count: int) -> None:
    rng = np.random.default_rng(0)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo((1, 3, 33, 31)))
    weights = rng.standard_normal((8, 3, 3, 3)).astype(np.float32)
    network.add_output("y", network.add_convolution2d(x, weights, data_layout=ann.DataLayout.NCHW))
    image = rng.standard_normal((1, 3, 33, 31)).astype(np.float32)
    before = ann.get_num_threads()
    with ann.load(network, runtime=runtime) as net:
        try:
            ann.set_num_threads(1)
            expected = net.run(image)["y"]
            ann.set_num_threads(count)
            assert ann.get_num_threads() == count
            np.testing.assert_array_equal(net.run(image)["y"], expected)
        finally:
            ann.set_num_threads(before)


@pytest.mark.parametrize("count", [-1, 1.5, "2", True, None, 1025, 2**40])
def test_wrong_thread_counts(count: object) -> None:
    with pytest.raises(InvalidArgumentError, match="number of threads"):
        ann.set_num_threads(count)  # type: ignore[arg-type]


def test_the_environment_does_not_overrule_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ann.get_num_threads()
    monkeypatch.setenv("ARMNN_PY_NUM_THREADS", "3")
    try:
        ann.set_num_threads(2)
        ann.Runtime(enable_dynamic_backends=False).close()
        assert ann.get_num_threads() == 2
    finally:
        ann.set_num_threads(before)
