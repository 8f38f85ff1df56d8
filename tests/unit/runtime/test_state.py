# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""State of workloads: one for all plain runs, one for each bind, reset when the user says so."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann

from .kinds import Load
from .sums import ONES, free_sums, live_states, sums_with_variable

Run = Callable[[], float]

#: What the two layers of `sums` give in run 1, 2, ...: sums of sums of ones.
EXPECTED = np.cumsum(np.cumsum(np.ones(300)))


@pytest.fixture(params=[(), ("-DPERSISTENT",)], ids=["data", "persistent bytes"])
def net(request: pytest.FixtureRequest, load_sums: Load) -> ann.LoadedNetwork:
    """The network `sums`, whose state the backend makes, or the host."""
    return load_sums(*request.param)


def first(outputs: object) -> float:
    return float(outputs["y"][0])  # type: ignore[index]


def values(run: Run, count: int) -> list[float]:
    return [run() for _ in range(count)]


def test_runs_go_on_where_the_last_one_ended(load_sums: Load, tmp_path: Path) -> None:
    with load_sums() as net:
        run = lambda: first(net.run(ONES))  # noqa: E731
        assert values(run, 4) == [1, 3, 6, 10]
        net.reset_state()
        assert values(run, 3) == [1, 3, 6]
        assert live_states(tmp_path) == 2
    assert live_states(tmp_path) == 0


def test_a_shared_output_does_not_take_the_state_away(net: ann.LoadedNetwork) -> None:
    kept = [net.run(ONES, share_outputs=True)["y"] for _ in range(5)]
    assert [view[0] for view in kept] == list(EXPECTED[:5])
    assert first(net.run(ONES)) == EXPECTED[5]
    kept.clear()
    gc.collect()
    assert first(net.run(ONES, share_outputs=True)) == EXPECTED[6]
    net.reset_state()
    assert first(net.run(ONES, share_outputs=True)) == 1


def test_a_run_into_arrays_of_the_caller(net: ann.LoadedNetwork) -> None:
    out = np.zeros(4, np.float32)
    for expected in EXPECTED[:4]:
        net.run(ONES, out={"y": out}, share_inputs=True)
        assert out[0] == expected


def test_runs_of_threads_follow_one_another(net: ann.LoadedNetwork) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: first(net.run(ONES)), range(200)))
    assert sorted(found) == list(EXPECTED[:200])
    assert first(net.run(ONES)) == EXPECTED[200]


def test_first_runs_of_threads_share_the_state(load_sums: Load) -> None:
    """That a network with free dimensions has state shows in the first run."""
    with load_sums(network=free_sums()) as net, ThreadPoolExecutor(4) as pool:
        rows = np.ones((2, 4), np.float32)
        found = list(pool.map(lambda _: float(net.run(rows)["y"][0, 0]), range(40)))
    assert sorted(found) == list(EXPECTED[:40])


def test_waiting_for_a_turn_can_be_stopped(net: ann.LoadedNetwork) -> None:
    lease = net._pool.start()
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(ann.ExecutionTimeoutError, match="its layers have state"):
            pool.submit(net.run, ONES, timeout=0.05).result(60)
        token = ann.CancelToken()
        token.cancel()
        with pytest.raises(ann.ExecutionCancelledError):
            pool.submit(net.run, ONES, cancel=token).result(60)
        with pytest.raises(ann.InvalidArgumentError, match="run in flight"):
            pool.submit(net.reset_state).result(60)
    net._pool.give_back(lease)
    assert first(net.run(ONES)) == 1


def test_bound_arrays_have_a_state_of_their_own(net: ann.LoadedNetwork) -> None:
    assert values(lambda: first(net.run(ONES)), 2) == [1, 3]
    one, two = net.bind({"x": ONES.copy()}), net.bind({"x": ONES.copy()})
    assert values(lambda: first(one.run()), 3) == [1, 3, 6]
    assert values(lambda: first(two.run()), 2) == [1, 3]
    one.reset_state()
    assert values(lambda: first(one.run()), 2) == [1, 3]
    assert values(lambda: first(two.run()), 1) == [6]
    two.close()
    with pytest.raises(ann.InvalidArgumentError, match="closed"):
        two.reset_state()
    with net.bind({"x": ONES.copy()}) as fresh:
        assert values(lambda: first(fresh.run()), 1) == [1]
    assert values(lambda: first(net.run(ONES)), 2) == [6, 10]


def test_bound_arrays_that_were_reset_leave_nothing_behind(net: ann.LoadedNetwork) -> None:
    with net.bind({"x": ONES.copy()}) as bound:
        bound.reset_state()
        bound.run()
    with net.bind({"x": ONES.copy()}) as bound:
        assert first(bound.run()) == 1
    assert first(net.run(ONES)) == 1


def test_binds_use_contexts_again(load_sums: Load, tmp_path: Path) -> None:
    with load_sums() as net:
        net.run(ONES)
        for _ in range(20):
            with net.bind({"x": ONES.copy()}) as bound:
                assert first(bound.run()) == 1
        for _ in range(5):
            assert first(net.bind({"x": ONES.copy()}).run()) == 1  # dropped, not closed
        assert live_states(tmp_path) == 2 * 2  # of plain runs, and of the binds one by one
        many = [net.bind({"x": ONES.copy()}) for _ in range(30)]
        for bound in many:
            bound.close()
        assert live_states(tmp_path) <= 2 * (1 + 8)  # a burst does not hold its memory
        assert first(net.run(ONES)) == 3
    assert live_states(tmp_path) == 0


def test_threads_that_bind_do_not_mix_their_states(net: ann.LoadedNetwork) -> None:
    found: dict[int, list[float]] = {}

    def work(number: int) -> None:
        with net.bind({"x": ONES * number}) as bound:
            found[number] = values(lambda: first(bound.run()), 50)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, seen in found.items():
        np.testing.assert_array_equal(seen, number * EXPECTED[:50])


# ---- Shapes --------------------------------------------------------------------------------------


def run_rows(net: ann.LoadedNetwork, count: int) -> float:
    return float(net.run(np.ones((count, 4), np.float32))["y"][0, 0])


def test_state_does_not_go_to_other_shapes(load_sums: Load) -> None:
    with load_sums(network=free_sums()) as net:
        assert [run_rows(net, 1) for _ in range(2)] == [1, 3]
        with pytest.raises(ann.InvalidArgumentError) as caught:
            run_rows(net, 2)
        text = str(caught.value)
        assert "network 'rows': its layers have state from runs of other shapes" in text
        assert "input 'x': 1x4 before, 2x4 given" in text
        assert "layer 'sum0' on State" in text
        assert "hint: reset_state()" in text
        assert len(net._pool.plans) == 1  # no plan was made in vain
        assert run_rows(net, 1) == 6
        net.reset_state()
        assert [run_rows(net, 2) for _ in range(2)] == [1, 3]
        net.reset_state()
        assert run_rows(net, 1) == 1  # nothing of the first sequence is left
        with net.bind({"x": np.ones((2, 4), np.float32)}) as bound:
            assert float(bound.run()["y"][0, 0]) == 1
        assert run_rows(net, 1) == 3


def test_a_plan_with_state_is_not_evicted(load_sums: Load) -> None:
    with load_sums(network=free_sums(), plan_cache_size=1) as net:
        assert run_rows(net, 1) == 1
        for count in range(2, 6):
            with net.bind({"x": np.ones((count, 4), np.float32)}) as bound:
                assert float(bound.run()["y"][0, 0]) == 1
        assert run_rows(net, 1) == 3
        net.reset_state()
        assert run_rows(net, 5) == 1
        assert len(net._pool.plans) <= 2


# ---- Beside variables ----------------------------------------------------------------------------


def test_state_and_variables(load_sums: Load) -> None:
    with load_sums(network=sums_with_variable()) as net:
        for number, expected in enumerate(EXPECTED[:4]):
            found = net.run(ONES, share_outputs=number % 2 == 0)
            assert (found["y"][0], found["before"][0]) == (expected, min(number, 1))
        net.reset_state()
        assert net.state["last"][0] == 0
        found = net.run(ONES)
        assert (found["y"][0], found["before"][0]) == (1, 0)


# ---- States that cannot be made or reset, interrupts, forks --------------------------------------


def test_a_state_that_cannot_be_made(load_sums: Load, tmp_path: Path) -> None:
    net = load_sums("-DFAIL_FROM=3")
    assert first(net.run(ONES)) == 1
    with pytest.raises(ann.ArmnnError, match="no room for another state"):
        net.bind({"x": ONES.copy()})
    assert live_states(tmp_path) == 2
    assert first(net.run(ONES)) == 3
    net.close()
    assert live_states(tmp_path) == 0


def test_a_network_whose_state_cannot_be_made_is_not_loaded(
    load_sums: Load, tmp_path: Path
) -> None:
    with pytest.raises(ann.ArmnnError, match="no room for another state"):
        load_sums("-DFAIL_FROM=1")
    assert live_states(tmp_path) == 0


def test_a_state_that_cannot_be_reset(load_sums: Load) -> None:
    with load_sums("-DFAIL_RESET") as net:
        net.run(ONES)
        with pytest.raises(ann.ArmnnError, match="the device forgot how to forget"):
            net.reset_state()
        with pytest.raises(ann.ExecutionError, match="a backend did not reset it"):
            net.run(ONES)


@pytest.mark.parametrize("is_held", [False, True], ids=["dropped", "held by a traceback"])
def test_a_call_that_an_interrupt_ended_early(net: ann.LoadedNetwork, is_held: bool) -> None:
    """Its lease was never given back; the state is there all the same."""
    net.bind({"x": ONES.copy()}).close()  # leaves an idle context
    assert first(net.run(ONES)) == 1
    held = []
    for expected in EXPECTED[1:3]:
        lease = net._pool.start()
        net._pool.borrow(lease, ((4,),))
        held += [lease] if is_held else []
        del lease
        assert first(net.run(ONES)) == expected
    net.reset_state()
    assert first(net.run(ONES)) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_has_a_state_of_its_own(net: ann.LoadedNetwork) -> None:
    net.run(ONES)
    child = os.fork()
    if child == 0:
        os._exit(int(first(net.run(ONES))))
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 3
    assert first(net.run(ONES)) == 3
