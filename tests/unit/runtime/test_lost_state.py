# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Runs that end in the middle: what workloads keep is not known then, until it is reset."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import armnn_py as ann

from .kinds import Load
from .sums import ONES, Tail, sums_and_tail, sums_with_variable

MINUS = -5 * ONES
Tailed = tuple[Tail, ann.LoadedNetwork]


@pytest.fixture
def tailed(load_sums: Load) -> Iterator[Tailed]:
    """The sums with the layer on "Tail" behind them."""
    tail = Tail()
    with load_sums(network=sums_and_tail(), python_backends=(tail,)) as net:
        yield tail, net


def first(outputs: object) -> float:
    return float(outputs["y"][0])  # type: ignore[index]


def fail() -> None:
    raise ValueError("tired")


def test_a_run_that_failed_in_the_state(load_sums: Load) -> None:
    with load_sums() as net:
        net.run(ONES)
        with pytest.raises(ann.ExecutionError, match="the sum is negative") as failed:
            net.run(MINUS)
        assert "the state of layers is not known any more" in failed.value.details
        for _ in range(2):
            with pytest.raises(ann.ExecutionError) as caught:
                net.run(ONES)
            text = str(caught.value)
            assert "network 'sums': the state of its layers is not known: a run failed" in text
            assert "state: layer 'sum1' on State" in text
            assert "hint: reset_state() begins a new sequence" in text
        net.reset_state()
        assert first(net.run(ONES)) == 1


def test_a_run_that_failed_behind_the_state(tailed: Tailed) -> None:
    tail, net = tailed
    assert first(net.run(ONES)) == 1
    tail.before = fail
    with pytest.raises(ann.ExecutionError, match="tired"):
        net.run(ONES)
    tail.before = lambda: None
    with pytest.raises(ann.ExecutionError, match="is not known: a run failed"):
        net.run(ONES)
    net.reset_state()
    assert first(net.run(ONES)) == 1


def test_a_run_that_failed_before_the_state(load_sums: Load) -> None:
    """No layer with state was called: it is what it was."""
    tail = Tail()
    with load_sums(network=sums_and_tail(sums_first=False), python_backends=(tail,)) as net:
        assert first(net.run(ONES)) == 1
        tail.before = fail
        with pytest.raises(ann.ExecutionError, match="tired") as failed:
            net.run(ONES)
        assert not failed.value.hints
        tail.before = lambda: None
        assert first(net.run(ONES)) == 3


def test_a_run_that_was_cancelled_in_its_middle(tailed: Tailed) -> None:
    tail, net = tailed
    net.run(ONES)
    token = ann.CancelToken()
    tail.before = token.cancel
    with pytest.raises(ann.ExecutionCancelledError):
        net.run(ONES, cancel=token)
    tail.before = lambda: None
    with pytest.raises(ann.ExecutionError, match="not known: a run was stopped in its middle"):
        net.run(ONES)
    net.reset_state()
    assert first(net.run(ONES)) == 1


def test_a_run_that_ctrl_c_ended(tailed: Tailed) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    tail, net = tailed
    net.run(ONES)
    tail.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        net.run(ONES)
    tail.before = lambda: None
    with pytest.raises(ann.ExecutionError, match="is not known"):
        net.run(ONES)


def test_a_run_that_was_stopped_before_it_began(tailed: Tailed) -> None:
    _, net = tailed
    net.run(ONES)
    token = ann.CancelToken()
    token.cancel()
    with pytest.raises(ann.ExecutionCancelledError):
        net.run(ONES, cancel=token)
    with pytest.raises(ann.ExecutionTimeoutError):
        net.run(ONES, timeout=0)
    with pytest.raises(ann.InvalidArgumentError):
        net.run(np.ones(5, np.float32))
    assert first(net.run(ONES)) == 3


def test_bound_arrays(tailed: Tailed) -> None:
    tail, net = tailed
    with net.bind({"x": ONES.copy()}) as bound:
        bound.run()
        tail.before = fail
        with pytest.raises(ann.ExecutionError, match="tired"):
            bound.run()
        tail.before = lambda: None
        with pytest.raises(ann.ExecutionError, match="is not known"):
            bound.run()
        assert first(net.run(ONES)) == 1  # which has a state of its own
        bound.reset_state()
        assert first(bound.run()) == 1
        tail.before = fail
        with pytest.raises(ann.ExecutionError, match="tired"):
            bound.run()
    tail.before = lambda: None
    with net.bind({"x": ONES.copy()}) as bound:  # over the same context
        assert first(bound.run()) == 1


def test_variables_keep_the_values_of_before(load_sums: Load) -> None:
    with load_sums(network=sums_with_variable()) as net:
        net.run(3 * ONES)
        with pytest.raises(ann.ExecutionError, match="the sum is negative"):
            net.run(MINUS)
        with pytest.raises(ann.ExecutionError, match="is not known"):
            net.run(ONES)
        saved = dict(net.state)
        assert saved["last"][0] == 3
        net.reset_state()
        net.state.update(saved)
        found = net.run(ONES)
        assert (found["y"][0], found["before"][0]) == (1, 3)


def test_close_after_a_failure(load_sums: Load) -> None:
    net = load_sums()
    with pytest.raises(ann.ExecutionError, match="the sum is negative"):
        net.run(MINUS, share_outputs=True)
    net.close()
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        net.reset_state()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_in_the_middle_of_a_run(tailed: Tailed) -> None:
    """The child has only the thread that forked: no other one ends the run there."""
    tail, net = tailed
    net.run(ONES)
    begun, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        go_on.wait(60)

    def answer() -> int:
        try:
            net.run(ONES)
        except ann.ExecutionError as error:
            if "forked while a run was in flight" not in str(error):
                return 2
        else:
            return 1
        net.reset_state()
        return 10 + int(first(net.run(ONES)))

    tail.before = wait
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(net.run, ONES)
        assert begun.wait(60)
        child = os.fork()
        if child == 0:
            tail.before = lambda: None
            code = 99
            try:
                code = answer()
            finally:
                os._exit(code)
        go_on.set()
        assert first(run.result(60)) == 3
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 11


def test_the_next_run_of_another_thread_is_refused_too(tailed: Tailed) -> None:
    tail, net = tailed
    tail.before = fail
    with pytest.raises(ann.ExecutionError, match="tired"):
        net.run(ONES)
    tail.before = lambda: None
    calls: list[Callable[[], object]] = [lambda: net.run(ONES)] * 3
    with ThreadPoolExecutor(3) as pool:
        for future in [pool.submit(call) for call in calls]:
            with pytest.raises(ann.ExecutionError, match="is not known"):
                future.result(60)
