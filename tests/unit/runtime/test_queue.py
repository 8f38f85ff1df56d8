# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A backend whose ``execute`` only queues: its work is awaited before anybody looks."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

from .kinds import Journal, MakeRuntime

X = np.arange(-6, 6, dtype=np.float32).reshape(3, 4)


def aligned_zeros() -> np.ndarray:
    """Like X, at an address that needs no copy: a failed run copies nothing to the caller."""
    base = np.zeros(X.size + 16, np.float32)
    start = -base.ctypes.data % 64 // 4
    return base[start : start + X.size].reshape(X.shape)


def works_off(lines: list[str]) -> list[int]:
    """How many layers each wait of the journal worked off."""
    return [int(line.rpartition(" ")[2]) for line in lines if "works off" in line]


def mixed() -> ann.Network:
    """Rows of "Queue" of 2, 1 and 3 layers between layers of CpuRef; two outputs in the middle."""
    network = ann.Network("mixed")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_addition(x, x, backend="Queue")
    y = network.add_elementwise_unary(y, ann.UnaryOperation.NEG, backend="Queue")
    network.add_output("a", y)
    z = network.add_multiplication(y, x, backend="CpuRef")
    z = network.add_addition(z, y, backend="Queue")
    w = network.add_multiplication(z, z, backend="CpuRef")
    v = network.add_elementwise_unary(w, ann.UnaryOperation.NEG, backend="Queue")
    v = network.add_elementwise_unary(v, ann.UnaryOperation.NEG, backend="Queue")
    v = network.add_addition(v, z, backend="Queue")
    network.add_output("b", v)
    network.add_output("b again", v)
    network.add_output("x", x)
    return network


def expected(x: np.ndarray) -> dict[str, np.ndarray]:
    a = -(x + x)
    z = a * x + a
    b = z * z + z
    return {"a": a, "b": b, "b again": b, "x": x}


def test_rows_between_other_layers(queue_runtime: ann.Runtime, journal: Journal) -> None:
    with ann.load(mixed(), ["Queue", "CpuRef"], runtime=queue_runtime) as net:
        assert net.assignment.counts == {"Queue": 6, "CpuRef": 2}
        for factor in (1, 3):
            journal()
            outputs = net.run(X * factor)
            for name, value in expected(X * factor).items():
                np.testing.assert_array_equal(outputs[name], value, err_msg=name)
            assert works_off(journal()) == [2, 1, 3]


def test_odd_addresses(queue_runtime: ann.Runtime) -> None:
    """Outputs that are staged are copied after the last wait."""
    with ann.load(mixed(), ["Queue", "CpuRef"], runtime=queue_runtime) as net:
        base = np.empty(64, np.float32)
        for start in range(4):
            out = base[start : start + 12].reshape(3, 4)
            outputs = net.run(X, out={"b": out})
            np.testing.assert_array_equal(out, expected(X)["b"])
            assert outputs["b"] is out


def test_threads_have_queues_of_their_own(queue_runtime: ann.Runtime) -> None:
    with (
        ann.load(mixed(), ["Queue", "CpuRef"], runtime=queue_runtime) as net,
        ThreadPoolExecutor(4) as pool,
    ):
        for factor, outputs in enumerate(pool.map(lambda f: net.run(X * f), range(100))):
            np.testing.assert_array_equal(outputs["b"], expected(X * factor)["b"])


def test_free_dimensions(queue_runtime: ann.Runtime) -> None:
    def build(infos: dict[str, ann.TensorInfo]) -> ann.Network:
        network = ann.Network("free")
        x = network.add_input("x", infos["x"])
        y = network.add_addition(x, x, backend="Queue")
        network.add_output("y", network.add_multiplication(y, y, backend="CpuRef"))
        return network

    free = ann.TensorInfo((None, 4))
    network = ann.Network.from_builder("free", {"x": free}, build, {"y": free})
    with ann.load(network, ["Queue", "CpuRef"], runtime=queue_runtime) as net:
        for rows in (1, 3):
            np.testing.assert_array_equal(net.run(X[:rows])["y"], 4 * X[:rows] ** 2)


def test_without_waits(make_runtime: MakeRuntime, journal: Journal) -> None:
    """A context that has no after_enqueue_workload: execute does all."""
    with (
        make_runtime("queue", "-DWORKS_AT_ONCE") as runtime,
        ann.load(mixed(), ["Queue", "CpuRef"], runtime=runtime) as net,
    ):
        np.testing.assert_array_equal(net.run(X)["b"], expected(X)["b"])
        assert works_off(journal()) == []


def queued_then(operation: ann.UnaryOperation) -> ann.Network:
    """y = -x is queued, then a layer of the same backend does not go well."""
    network = ann.Network("broken")
    x = network.add_input("x", ann.TensorInfo(X.shape))
    y = network.add_elementwise_unary(x, ann.UnaryOperation.NEG)
    network.add_output("y", y)
    network.add_output("z", network.add_elementwise_unary(y, operation, name="bad"))
    return network


def test_queued_work_is_awaited_when_a_layer_fails(
    queue_runtime: ann.Runtime, journal: Journal
) -> None:
    out = aligned_zeros()
    network = queued_then(ann.UnaryOperation.ABS)
    with ann.load(network, ["Queue"], runtime=queue_runtime) as net:
        with pytest.raises(ann.ExecutionError, match="layer 'bad'") as caught:
            net.run(X, out={"y": out})
        assert "the queue is closed" in str(caught.value)
        assert works_off(journal()) == [1]
        np.testing.assert_array_equal(out, -X)


def test_queued_work_is_awaited_when_the_run_is_cancelled(
    queue_runtime: ann.Runtime, journal: Journal
) -> None:
    out = aligned_zeros()
    network = queued_then(ann.UnaryOperation.SQRT)
    with ann.load(network, ["Queue"], runtime=queue_runtime) as net:
        token = ann.CancelToken()
        timer = threading.Timer(0.05, token.cancel)
        timer.start()
        with pytest.raises(ann.ExecutionCancelledError):
            net.run(X, out={"y": out}, cancel=token)
        timer.join()
        assert works_off(journal()) == [1]
        np.testing.assert_array_equal(out, -X)
        with pytest.raises(ann.ExecutionTimeoutError):
            net.run(2 * X, out={"y": out}, timeout=0.05)
        np.testing.assert_array_equal(out, -2 * X)


def test_a_wait_that_fails_names_the_backend(queue_runtime: ann.Runtime) -> None:
    network = queued_then(ann.UnaryOperation.LOG)
    with ann.load(network, ["Queue"], runtime=queue_runtime) as net:
        for _ in range(2):
            with pytest.raises(ann.ExecutionError) as caught:
                net.run(X)
            assert caught.value.backend == "Queue"
            assert str(caught.value).splitlines()[:2] == [
                "backend 'Queue' did not finish its layers: device lost",
                "  job 1 burnt",
            ]


def test_waits_have_a_line_of_their_own_in_profiles(queue_runtime: ann.Runtime) -> None:
    with ann.load(mixed(), ["Queue", "CpuRef"], runtime=queue_runtime) as net:
        with net.profile() as profile:
            net.run(X)
        waits = [layer for layer in profile.layers if layer.type == "Sync"]
        assert [(w.layer, w.backend, w.calls) for w in waits] == [
            ("wait for Queue", "Queue", 1)
        ] * 3


@pytest.mark.parametrize("how", ["SIGINT", "SIGALRM"])
def test_signals_reach_a_layer_that_polls(queue_folder: Path, tmp_path: Path, how: str) -> None:
    """One layer that would never end by itself: what a handler raises comes out of the run."""
    program = textwrap.dedent(
        f"""
        import os, signal, threading, time
        import numpy as np
        import armnn_py as ann
        class AlarmError(Exception): pass
        def handler(*_): raise AlarmError
        signal.signal(signal.SIGALRM, handler)
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo((4,)))
        y = network.add_elementwise_unary(x, ann.UnaryOperation.SQRT, backend="Queue")
        network.add_output("y", y)
        ones = np.ones(4, np.float32)
        journal = os.environ["ARMNN_TEST_JOURNAL"]
        def send():
            while "polls" not in open(journal).read():
                time.sleep(0.01)
            os.kill(os.getpid(), signal.{how})
        open(journal, "w").close()
        with ann.Runtime({str(queue_folder)!r}) as runtime:
            with ann.load(network, ["Queue"], runtime=runtime) as net:
                threading.Thread(target=send).start()
                try:
                    net.run(ones)
                except KeyboardInterrupt:
                    print("SIGINT")
                except AlarmError:
                    print("SIGALRM")
                try:
                    net.run(ones, timeout=0.01)
                except TimeoutError:
                    print("still usable")
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"ARMNN_TEST_JOURNAL": str(tmp_path / "journal.txt")},
    )
    assert (done.stdout, done.stderr) == (f"{how}\nstill usable\n", "")
    assert done.returncode == 0
