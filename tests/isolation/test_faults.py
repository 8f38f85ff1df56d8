# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Whatever an isolated backend does, the program goes on and the run is answered."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py import Isolation
from armnn_py.isolation import supervisor
from tests.isolation.conftest import absolute, soon

pytestmark = pytest.mark.exhaustive(kept=1)  # each case starts processes

MINUS = np.full(64, -2, np.float32)
ENDS = {
    "abort": ("SIGABRT", None),
    "segv": ("SIGSEGV", None),
    "divide": ("SIGFPE", None),
    "stack": ("SIGSEGV", None),
    "exit": (None, 0),
    "_exit": (None, 0),
    "double_free": ("SIGABRT", None),
    "kill_group": ("SIGKILL", None),
}


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("site", ["execute", "body"])
def test_an_end_in_a_run_is_answered_by_the_next_backend(
    deed_folder: Path, deed: Callable[[str, str], None], name: str, site: str
) -> None:
    deed(name, site)
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=0)}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        assert loaded.assignment.counts == {"Deed": 1}
        assert (loaded.run(MINUS)["y"] == 2).all()
        assert loaded.last_run.degraded
        assert loaded.last_run.lost == ("Deed",)
        assert soon(lambda: len(runtime.events) == 2)
        ended, abandoned = runtime.events
        assert (ended.kind, ended.backend) == ("ended", "Deed")
        assert (ended.signal, ended.exit_status) == ENDS[name]
        assert ended.file == str(deed_folder / "Test_Deed_backend.so")
        assert abandoned.kind == "abandoned"
        assert loaded.health.status == "degraded"
        assert (loaded.run(MINUS)["y"] == 2).all()


def test_the_event_has_call_layer_and_address(
    deed_folder: Path, deed: Callable[[str, str], None]
) -> None:
    deed("address", "execute")
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=0)}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        loaded.run(MINUS)
        assert soon(lambda: len(runtime.events) == 2)
        ended = next(iter(runtime.events))
    assert (ended.signal, ended.address) == ("SIGSEGV", 0x1040)
    assert ended.call is not None
    assert ended.call.startswith("execute of layer 'middle' ")
    assert "(SIGSEGV) at 0x1040, in execute of layer 'middle' " in str(ended)


def test_the_event_of_a_worker_that_lost_its_descriptors_says_how_it_ended(
    deed_folder: Path, deed: Callable[[str, str], None]
) -> None:
    deed("close", "create_workload")
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=0)}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        assert (loaded.run(MINUS)["y"] == 2).all()
        assert soon(lambda: len(runtime.events) == 2)
        ended = next(iter(runtime.events))
    assert (ended.signal, ended.exit_status) == (None, 1)


@pytest.mark.parametrize("name", ["kill_parent", "stop_parent"])
def test_a_backend_that_ends_or_stops_its_parent(
    deed_folder: Path, deed: Callable[[str, str], None], name: str
) -> None:
    deed(name, "execute")
    limits = Isolation(deadline=0.2, restarts=1)
    with (
        ann.Runtime(deed_folder, isolate={"Deed": limits}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        deed("", "")
        assert (loaded.run(MINUS)["y"] == 2).all()
        if name == "stop_parent":
            os.kill(runtime.isolated["Deed"].process_id, signal.SIGKILL)
        assert soon(lambda: len(runtime.events) == 2)
        assert [one.kind for one in runtime.events] == ["ended", "restarted"]
        assert (loaded.run(MINUS)["y"] == 2).all()
        assert not loaded.last_run.degraded


@pytest.mark.parametrize("name", ["hang", "spin"])
def test_a_run_that_passes_the_deadline_is_ended_and_answered(
    deed_folder: Path, deed: Callable[[str, str], None], name: str
) -> None:
    deed(name, "execute")
    limits = Isolation(deadline=0.2, restarts=0)
    with (
        ann.Runtime(deed_folder, isolate={"Deed": limits}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        assert (loaded.run(MINUS)["y"] == 2).all()
        assert "within 0.2 s" in loaded.last_run.reason
        assert soon(lambda: len(runtime.events) == 2)
        assert next(iter(runtime.events)).reason == "a run passed the deadline of the backend"


def test_the_timeout_of_a_run_ends_a_backend_that_does_not_look(
    deed_folder: Path, deed: Callable[[str, str], None]
) -> None:
    deed("hang", "execute")
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=0)}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        with pytest.raises(ann.ExecutionTimeoutError):
            loaded.run(MINUS, timeout=0.1)
        assert soon(lambda: loaded.health.status == "degraded")
        assert (loaded.run(MINUS, timeout=60)["y"] == 2).all()


@pytest.mark.parametrize(
    "site", ["constructor", "id", "version", "factory", "options", "create", "support"]
)
@pytest.mark.parametrize("name", ["segv", "exit"])
def test_an_end_before_any_run_is_a_verdict_or_a_refusal(
    deed_folder: Path, deed: Callable[[str, str], None], site: str, name: str
) -> None:
    deed(name, site)
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=0)}) as runtime,
        ann.load(absolute(), ["Deed?", "CpuRef"], runtime=runtime) as loaded,
    ):
        assert (loaded.run(MINUS)["y"] == 2).all()
        if "Deed" not in runtime.backends:
            (verdict,) = [one for one in runtime.load_report if one.id == "Deed" if one.reason][:1]
            assert "worker" in verdict.reason


@pytest.mark.parametrize("site", ["is_supported", "optimize", "create_workload"])
def test_an_end_while_layers_are_placed_puts_them_elsewhere(
    deed_folder: Path, deed: Callable[[str, str], None], site: str
) -> None:
    deed("segv", site)
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=0)}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        assert (loaded.run(MINUS)["y"] == 2).all()


def test_a_worker_that_ended_is_started_again_and_used(runtime: ann.Runtime) -> None:
    with ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded:
        assert (loaded.run(MINUS)["y"] == 2).all()
        assert not loaded.last_run.degraded
        for _ in range(2):
            os.kill(runtime.isolated["Deed"].process_id, signal.SIGKILL)
            assert (loaded.run(MINUS)["y"] == 2).all()

            def is_back() -> bool:
                assert (loaded.run(MINUS)["y"] == 2).all()
                return not loaded.last_run.degraded and loaded.health.status == "ready"

            assert soon(is_back)
        assert [one.kind for one in runtime.events] == ["ended", "restarted"] * 2


_PROGRAM = """
import os, signal, sys
import numpy as np
import armnn_py as ann
from tests.isolation.conftest import absolute

runtime = ann.Runtime(sys.argv[1], isolate=["Deed"])
loaded = ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime)
loaded.run(np.zeros(64, np.float32))
print(runtime.isolated["Deed"].process_id, flush=True)
if sys.argv[2] == "close":
    runtime.close()
if sys.argv[2] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("end", ["close", "exit", "kill"])
def test_forked_processes_end_with_the_program(
    deed_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    deed: Callable[[str, str], None],
    end: str,
) -> None:
    noted = tmp_path / "noted"
    monkeypatch.setenv("ARMNN_TEST_PROCESSES", str(noted))
    deed("daemon", "execute")
    command = [sys.executable, "-c", _PROGRAM, str(deed_folder), end]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=root)
    assert done.returncode == (-signal.SIGKILL if end == "kill" else 0), done.stderr
    numbers = [int(done.stdout), int(noted.read_text().split()[1])]
    assert soon(lambda: not any(map(is_there, numbers)), 10.0)


def test_forked_processes_end_with_the_worker(
    deed_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    deed: Callable[[str, str], None],
) -> None:
    noted = tmp_path / "noted"
    monkeypatch.setenv("ARMNN_TEST_PROCESSES", str(noted))
    deed("daemon", "execute")
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=0)}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        loaded.run(MINUS)
        number = int(noted.read_text().split()[1])
        assert is_there(number)
        os.kill(runtime.isolated["Deed"].process_id, signal.SIGKILL)
        assert soon(lambda: not is_there(number), 10.0)


def is_there(number: int) -> bool:
    """Whether a process has not ended; a zombie has."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_ends_before_a_steady_time_count_no_more(
    deed_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "STEADY_SECONDS", 0.0)
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=1)}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):
        for count in range(2, 8, 2):
            os.kill(runtime.isolated["Deed"].process_id, signal.SIGKILL)
            assert soon(lambda count=count: len(runtime.events) == count)
            assert soon(lambda: loaded.health.status == "ready")
        assert {one.kind for one in runtime.events} == {"ended", "restarted"}


@pytest.mark.alone
def test_no_answer_is_wrong_when_workers_are_killed_under_four_threads(
    deed_folder: Path,
) -> None:
    limits = Isolation(restarts=100)
    wrong: list[object] = []
    stop = threading.Event()
    with (
        ann.Runtime(deed_folder, isolate={"Deed": limits}) as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
    ):

        def work(number: int) -> None:
            given = np.full(64, -number, np.float32)
            while not stop.is_set():
                made = loaded.run(given)["y"]
                if not (made == number).all():
                    wrong.append(made)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
        for thread in threads:
            thread.start()
        for kind in (signal.SIGKILL, signal.SIGSEGV, signal.SIGKILL, signal.SIGABRT):
            count = len(runtime.events)
            os.kill(runtime.isolated["Deed"].process_id, kind)
            assert soon(lambda count=count: len(runtime.events) >= count + 2)
        stop.set()
        for thread in threads:
            thread.join()
    assert not wrong


def test_without_another_backend_the_error_says_what_happened(
    deed_folder: Path, deed: Callable[[str, str], None]
) -> None:
    deed("segv", "execute")
    with (
        ann.Runtime(deed_folder, isolate={"Deed": Isolation(restarts=0)}) as runtime,
        ann.load(absolute(), ["Deed"], runtime=runtime) as loaded,
        pytest.raises(ann.ExecutionError, match="'Deed'") as caught,
    ):
        loaded.run(MINUS)
    assert "its process ended" in str(caught.value)


def test_on_failure_raise_hands_the_error_to_the_caller(
    deed_folder: Path, deed: Callable[[str, str], None]
) -> None:
    deed("segv", "execute")
    isolate = {"Deed": Isolation(restarts=0)}
    with (
        ann.Runtime(deed_folder, isolate=isolate, on_failure="raise") as runtime,
        ann.load(absolute(), ["Deed", "CpuRef"], runtime=runtime) as loaded,
        pytest.raises(ann.ExecutionError, match="'Deed'"),
    ):
        loaded.run(MINUS)
