# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""`load` and `optimize` stop at their time limit, at a cancel and at Ctrl-C, also in a worker."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import Isolation
from armnn_py.python_backend import KernelCall, PythonBackend, kernel
from tests.isolation.conftest import absolute, soon

MINUS = np.full(64, -1, np.float32)


@pytest.fixture
def runtime(deed_folder: Path) -> Iterator[ann.Runtime]:
    """Ends of its worker that count would leave it without one."""
    limits = {"Deed": Isolation(restarts=0)}
    with ann.Runtime(deed_folder, isolate=limits, record=False) as made:
        yield made


def test_limits_that_have_passed() -> None:
    token = ann.CancelToken()
    token.cancel()
    with ann.Runtime() as runtime:
        with pytest.raises(ann.ExecutionTimeoutError, match="load took more than 0 s"):
            ann.load(absolute(), ["CpuRef"], runtime=runtime, timeout=0)
        with pytest.raises(ann.ExecutionTimeoutError, match="optimize took more than 0 s"):
            ann.optimize(absolute(), ["CpuRef"], runtime=runtime, timeout=0)
        with pytest.raises(ann.ExecutionCancelledError, match="load was cancelled"):
            ann.load(absolute(), ["CpuRef"], runtime=runtime, cancel=token)
        with ann.load(absolute(), ["CpuRef"], runtime=runtime, timeout=60) as loaded:
            np.testing.assert_array_equal(loaded.run(MINUS)["y"], -MINUS)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"timeout": -1}, "timeout: -1 given, seconds >= 0 expected"),
        ({"timeout": True}, "timeout: True given"),
        ({"cancel": 3}, "cancel: int given, CancelToken expected"),
    ],
    ids=["negative", "bool", "no token"],
)
def test_invalid_limits(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ann.InvalidArgumentError, match=words):
        ann.load(absolute(), ["CpuRef"], **given)


def test_a_cancel_holds_from_the_next_step_on() -> None:
    token = ann.CancelToken()
    asked = []

    class Mine(PythonBackend):
        """Cancels while it is asked."""

        id = "Mine"

        @kernel(ann.LayerType.ELEMENTWISE_UNARY)
        def absolute(self, call: KernelCall) -> Any:
            return np.abs(call.inputs[0])

        def supports(self, layer: object) -> bool:
            asked.append(layer)
            token.cancel()
            return True

    with (
        ann.Runtime(python_backends=[Mine()]) as runtime,
        pytest.raises(ann.ExecutionCancelledError),
    ):
        ann.load(absolute(), ["Mine"], runtime=runtime, cancel=token)
    assert asked


@pytest.fixture(params=[1, 2], ids=["optimize_subgraph_view", "create_workload"])
def slow(
    request: pytest.FixtureRequest, build_backend: Callable[..., None], tmp_path: Path
) -> Iterator[ann.Runtime]:
    """A runtime of this process whose backend asks for a minute whether it should stop."""
    defines = ("-DFLAGS=0", f"-DSLOW={request.param}")
    build_backend("hooks_backend.c", tmp_path / "Test_Hooks_backend.so", *defines)
    with ann.Runtime(tmp_path) as runtime:
        yield runtime


def test_a_backend_gives_up_long_work_that_is_stopped(slow: ann.Runtime) -> None:
    with pytest.raises(ann.ExecutionTimeoutError, match=r"load took more than 0\.1 s"):
        ann.load(absolute(), ["Hooks", "CpuRef"], runtime=slow, timeout=0.1)
    token = ann.CancelToken()
    timer = threading.Timer(0.1, token.cancel)
    timer.start()
    with pytest.raises(ann.ExecutionCancelledError, match="load was cancelled"):
        ann.load(absolute(), ["Hooks", "CpuRef"], runtime=slow, cancel=token)
    timer.join()
    kept = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            ann.load(absolute(), ["Hooks", "CpuRef"], runtime=slow)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, kept)


@pytest.mark.parametrize("site", ["is_supported", "optimize", "create_workload"])
def test_a_hanging_worker_is_given_up_and_replaced(
    runtime: ann.Runtime, deed: Callable[[str, str], None], site: str
) -> None:
    _replaced(runtime)
    deed("hang", site)
    _replaced(runtime)  # the next one hangs
    with pytest.raises(ann.ExecutionTimeoutError, match=r"load took more than 0\.5 s"):
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime, timeout=0.5)
    _answers_again(runtime, deed)


def test_a_cancel_ends_the_work_of_a_hanging_worker(
    runtime: ann.Runtime, deed: Callable[[str, str], None]
) -> None:
    deed("hang", "optimize")
    _replaced(runtime)
    token = ann.CancelToken()
    timer = threading.Timer(0.3, token.cancel)
    timer.start()
    with pytest.raises(ann.ExecutionCancelledError, match="load was cancelled"):
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime, cancel=token)
    timer.join()
    _answers_again(runtime, deed)


@pytest.mark.parametrize("site", ["is_supported", "optimize"])
def test_an_answer_that_ctrl_c_left_is_not_taken_for_another(
    runtime: ann.Runtime, deed: Callable[[str, str], None], site: str
) -> None:
    deed("hang", site)
    _replaced(runtime)
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.main_thread().ident
    assert main is not None
    process, receive = runtime.isolated["Deed"]._worker.running(), threading.Event()
    waits_for = process._answer_to

    def answer_to(request: Any) -> dict[str, Any]:
        receive.set()
        return waits_for(request)

    def interrupt() -> None:
        receive.wait(60)
        time.sleep(0.2)  # the host waits for the answer now
        signal.pthread_kill(main, signal.SIGINT)

    process._answer_to = answer_to  # type: ignore[method-assign]
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, kept)
    assert process.was_stopped
    _answers_again(runtime, deed)


def _replaced(runtime: ann.Runtime) -> None:
    """Have another worker in the place of the one that runs, without a count."""
    backend = runtime.isolated["Deed"]
    worker, before = backend._worker, backend.process_id
    process = worker.running()
    process.was_stopped = True
    process.kill("the test wants another one")
    assert soon(lambda: worker.is_running and worker.process.pid != before)


def _answers_again(runtime: ann.Runtime, deed: Callable[[str, str], None]) -> None:
    deed("", "")
    assert soon(lambda: not runtime.isolated["Deed"].why_not_running)
    _replaced(runtime)
    with ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded:
        assert loaded.assignment.counts == {"Deed": 1}
        np.testing.assert_array_equal(loaded.run(MINUS)["y"], -MINUS)
        assert not loaded.last_run.degraded
    assert not [event for event in runtime.events if event.kind == "abandoned"]
