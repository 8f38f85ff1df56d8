# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Stopping a run: Ctrl-C, signal handlers, tokens, deadlines; and what works afterwards."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import armnn_py as ann

SIDE = 512
LAYERS = 4000


def long_network(layers: int = LAYERS) -> ann.Network:
    """Takes many seconds: thousands of matrix products of 0.27 GFLOP each."""
    network = ann.Network("long")
    x = network.add_input("x", ann.TensorInfo((SIDE, SIDE)))
    weights = network.add_constant(np.eye(SIDE, dtype=np.float32))
    for index in range(layers):
        x = network.add_batch_mat_mul(x, weights, name=f"product {index}")
    network.add_output("y", x)
    return network


INPUT = np.ones((SIDE, SIDE), np.float32)


@pytest.fixture(scope="module")
def loaded() -> ann.LoadedNetwork:
    return ann.load(long_network(), backends=["CpuRef"])


def test_timeout(loaded: ann.LoadedNetwork) -> None:
    with pytest.raises(ann.ExecutionTimeoutError, match=r"not done after 0\.05 s") as caught:
        loaded.run({"x": INPUT}, timeout=0.05)
    assert isinstance(caught.value, TimeoutError)


def test_token_stops_from_another_thread(loaded: ann.LoadedNetwork) -> None:
    token = ann.CancelToken()
    timer = threading.Timer(0.05, token.cancel)
    timer.start()
    with pytest.raises(ann.ExecutionCancelledError):
        loaded.run({"x": INPUT}, cancel=token)
    timer.join()
    assert token.cancelled


def test_cancelled_token_stops_before_the_start(loaded: ann.LoadedNetwork) -> None:
    token = ann.CancelToken()
    token.cancel()
    with pytest.raises(ann.ExecutionCancelledError, match="before it started"):
        loaded.run({"x": INPUT}, cancel=token)


def test_token_in_a_thread_of_its_own(loaded: ann.LoadedNetwork) -> None:
    token = ann.CancelToken()
    caught: list[BaseException] = []

    def work() -> None:
        try:
            loaded.run({"x": INPUT}, cancel=token)
        except ann.ArmnnError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    token.cancel()
    thread.join(timeout=60)
    assert not thread.is_alive()
    assert [type(error) for error in caught] == [ann.ExecutionCancelledError]


def test_exception_in_a_signal_handler_propagates(loaded: ann.LoadedNetwork) -> None:
    class AlarmError(Exception):
        pass

    def handler(number: int, frame: object) -> None:
        raise AlarmError("time is up")

    previous = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(AlarmError, match="time is up"):
            loaded.run({"x": INPUT})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_a_signal_handler_that_returns_stops_nothing() -> None:
    calls = []
    previous = signal.signal(signal.SIGALRM, lambda *_: calls.append(1))
    try:
        with ann.load(long_network(60), backends=["CpuRef"]) as net:
            signal.setitimer(signal.ITIMER_REAL, 0.03)
            np.testing.assert_allclose(net.run({"x": INPUT})["y"], INPUT)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert calls


def test_the_network_works_after_it_was_stopped() -> None:
    with ann.load(long_network(40), backends=["CpuRef"]) as net:
        for _ in range(3):
            with pytest.raises(ann.ExecutionTimeoutError):
                net.run({"x": INPUT}, timeout=1e-6)
            np.testing.assert_allclose(net.run({"x": INPUT})["y"], INPUT)


def test_ctrl_c_in_a_program() -> None:
    """A real SIGINT to a real process in the middle of a run: it ends with KeyboardInterrupt."""
    program = textwrap.dedent(
        f"""
        import os, signal, threading
        import numpy as np
        import armnn_py as ann
        network = ann.Network()
        x = network.add_input("x", ann.TensorInfo(({SIDE}, {SIDE})))
        eye = network.add_constant(np.eye({SIDE}, dtype=np.float32))
        for _ in range({LAYERS}):
            x = network.add_batch_mat_mul(x, eye)
        network.add_output("y", x)
        ones = np.ones(({SIDE}, {SIDE}), np.float32)
        with ann.load(network, backends=["CpuRef"]) as net:
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            try:
                net.run(ones)
            except KeyboardInterrupt:
                print("interrupted")
            try:
                net.run(ones, timeout=0.01)
            except TimeoutError:
                print("still usable")
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("interrupted\nstill usable\n", "")
    assert done.returncode == 0
