# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Variables when a run fails, is stopped, runs in itself, or is forked."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import armnn_py as ann

from .counters import ONE, counter
from .sums import Tail


def tailed() -> ann.Network:
    """The sum is assigned before the layer that may fail."""
    network = counter("tailed")
    y = network.add_elementwise_unary(network.layer("sum"), ann.UnaryOperation.NEG, backend="Tail")
    network.add_output("y", y)
    return network


def fail() -> None:
    raise ValueError("tired")


@pytest.fixture
def fallible() -> Iterator[tuple[Tail, ann.LoadedNetwork]]:
    backend = Tail()
    with (
        ann.Runtime(python_backends=[backend]) as runtime,
        ann.load(tailed(), ["CpuRef"], runtime=runtime) as net,
    ):
        yield backend, net


def test_a_failed_run_changes_nothing(fallible: tuple[Tail, ann.LoadedNetwork]) -> None:
    backend, net = fallible
    assert net.run(ONE)["y"][0] == 1
    backend.before = fail
    for _ in range(3):
        with pytest.raises(ann.ExecutionError, match="tired"):
            net.run(ONE)
        assert net.state["total"][0] == 1
    backend.before = lambda: None
    assert [net.run(ONE)["y"][0] for _ in range(2)] == [2, 3]


def test_a_cancelled_run_changes_nothing(fallible: tuple[Tail, ann.LoadedNetwork]) -> None:
    tail, net = fallible
    net.run(ONE)
    token = ann.CancelToken()
    tail.before = token.cancel
    with pytest.raises(ann.ExecutionCancelledError):
        net.run(ONE, cancel=token)
    assert net.state["total"][0] == 1
    tail.before = lambda: None
    with pytest.raises(ann.ExecutionTimeoutError):
        net.run(ONE, timeout=0)
    assert net.state["total"][0] == 1
    assert net.run(ONE)["y"][0] == 2


def test_a_run_inside_a_run_of_one_thread(fallible: tuple[Tail, ann.LoadedNetwork]) -> None:
    tail, net = fallible
    errors: list[str] = []

    def run_again() -> None:
        for call in (lambda: net.run(ONE), lambda: net.state["total"]):
            try:
                call()
            except ann.InvalidArgumentError as error:
                errors.append(str(error))

    tail.before = run_again
    assert net.run(ONE)["y"][0] == 1
    assert len(errors) == 2
    assert all("'tailed' is running in this thread" in text for text in errors)
    tail.before = lambda: None
    assert net.run(ONE)["y"][0] == 2


def test_waiting_for_a_turn_can_be_stopped(fallible: tuple[Tail, ann.LoadedNetwork]) -> None:
    tail, net = fallible
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go_on.wait(60)

    tail.before = wait
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(net.run, ONE)
        assert begun.wait(60)
        with pytest.raises(ann.ExecutionTimeoutError, match=r"not done after 0\.05 s"):
            net.run(ONE, timeout=0.05)
        token = ann.CancelToken()
        token.cancel()
        with pytest.raises(ann.ExecutionCancelledError):
            net.run(ONE, cancel=token)
        with pytest.raises(ann.InvalidArgumentError, match="run in flight"):
            net.reset_state()
        go_on.set()
        assert first.result(60)["y"][0] == 1
    assert net.run(ONE)["y"][0] == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_has_variables_of_its_own() -> None:
    with ann.load(counter(), ["CpuRef"]) as net:
        net.run(ONE)
        child = os.fork()
        if child == 0:
            found = net.run(ONE)["after"][0]
            os._exit(int(found) if net.state["total"][0] == found else 99)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 2
        assert net.run(ONE)["after"][0] == 2
