# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Several runtimes, any order of ends, many threads, and libraries closed with their last user."""

from __future__ import annotations

import ctypes
import gc
import itertools
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from armnn_py.backends import Backend, BackendRegistry, load_backends
from armnn_py.backends.loader.shared_library import mapped_libraries
from armnn_py.errors import InvalidArgumentError
from armnn_py.runtime import Runtime
from armnn_py.runtime import runtime as runtime_module

from .harness import Load, Workshop, mapped_files, run_child

Journal = Callable[[], list[str]]
PERMUTATIONS = [
    pytest.param(order, id=" ".join(map(str, order)))
    for count in (2, 3)
    for order in itertools.permutations(range(count))
]


def asked_id(backend: Backend) -> bytes:
    """What its code answers: it runs, and is the backend's own."""
    return ctypes.string_at(backend.api.get_id(None))


@pytest.mark.parametrize("order", PERMUTATIONS)
def test_any_order_of_destruction(
    load: Load, tmp_path: Path, workshop: Workshop, order: tuple[int, ...]
) -> None:
    path = workshop.put_id(tmp_path, "Shared")
    registries = [load(tmp_path) for _ in order]
    instances = {registry["Shared"].instance for registry in registries}
    assert len(instances) == len(order), "each runtime has an instance of its own"
    assert mapped_libraries()[str(path)] == len(order)
    for closed, index in enumerate(order, start=1):
        registries[index].close()
        for other in order[closed:]:
            backend = registries[other]["Shared"]
            assert backend.instance in instances
            assert asked_id(backend) == b"Shared"  # its code is still there
        assert (str(path) in mapped_files()) is (closed < len(order))
    assert str(path) not in mapped_libraries()


def test_two_runtimes_see_the_same(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "A")
    workshop.put_id(tmp_path, "B", "ID_NULL")
    first, second = load(tmp_path), load(tmp_path)
    assert list(first) == list(second) == ["A"]
    assert first.load_report == second.load_report


def test_life_of_a_backend(
    tmp_path: Path, workshop: Workshop, journal: Journal, load: Load
) -> None:
    workshop.put_id(tmp_path / "place", "A")
    workshop.put_id(tmp_path / "place", "B")
    registry = load(tmp_path / "place")
    assert journal() == ["map A", "create A", "map B", "create B"]
    registry.close()
    assert journal()[4:] == ["destroy B", "unmap B", "destroy A", "unmap A"]
    registry.close()
    assert len(journal()) == 8


def test_one_after_another(
    load: Load, tmp_path: Path, workshop: Workshop, journal: Journal
) -> None:
    workshop.put_id(tmp_path / "place", "A")
    for _ in range(3):
        load(tmp_path / "place").close()
    assert journal() == ["map A", "create A", "destroy A", "unmap A"] * 3


def test_a_library_that_does_not_declare_it_stays_mapped(
    load: Load, tmp_path: Path, workshop: Workshop, journal: Journal
) -> None:
    path = workshop.put_id(tmp_path / "place", "A", "FLAGS=0")
    load(tmp_path / "place").close()
    assert journal() == ["map A", "create A", "destroy A"]
    assert str(path) in mapped_files()
    assert mapped_libraries()[str(path)] == 0
    # It is used again, not opened anew.
    load(tmp_path / "place").close()
    assert journal()[3:] == ["create A", "destroy A"]


def test_a_refused_one_does_not_take_it_from_others(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    """The same file wins in one runtime, and loses to another file in the next."""
    path = workshop.put_id(tmp_path / "a", "Same")
    workshop.put_id(tmp_path / "b", "Same")
    first = load(tmp_path / "a")
    second = load([tmp_path / "b", tmp_path / "a"])
    assert [verdict.status for verdict in second.load_report] == ["loaded", "duplicate"]
    second.close()
    assert str(path) in mapped_files()
    assert asked_id(first["Same"]) == b"Same"


def test_the_loser_is_closed(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "Same", name="A_A_backend.so")
    loser = workshop.put_id(tmp_path, "Same", name="B_B_backend.so")
    load(tmp_path)
    assert str(loser) not in mapped_files()


def test_a_callers_mistake_leaves_nothing_behind(
    tmp_path: Path, workshop: Workshop, journal: Journal
) -> None:
    workshop.put_id(tmp_path / "place", "A")
    workshop.put_id(tmp_path / "place", "B", "OPTIONS")
    with pytest.raises(InvalidArgumentError, match="nonsense"):
        load_backends(
            dynamic_backends_path=tmp_path / "place",
            bundled_backends=False,
            backend_options={"B": {"nonsense": 1}},
        )
    assert journal() == ["map A", "create A", "map B", "unmap B", "destroy A", "unmap A"]


def test_a_new_file_under_an_old_name(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    """An upgrade while an older runtime still runs: both versions live side by side."""
    path = workshop.put_id(tmp_path, "A", 'VENDOR_VERSION="1"')
    old = load(tmp_path)
    path.unlink()
    workshop.put_id(tmp_path, "A", 'VENDOR_VERSION="2"')
    new = load(tmp_path)
    assert (old["A"].vendor_version, new["A"].vendor_version) == ("1", "2")
    assert asked_id(old["A"]) == asked_id(new["A"]) == b"A"


def test_with_statement(tmp_path: Path, workshop: Workshop, journal: Journal) -> None:
    workshop.put_id(tmp_path / "place", "A")
    path = tmp_path / "place"
    with load_backends(dynamic_backends_path=path, bundled_backends=False) as registry:
        assert registry["A"].instance
    assert journal()[-1] == "unmap A"


def test_static_backends_open_and_close(load: Load) -> None:
    first = load([], bundled_backends=True)
    second = load([], bundled_backends=True)
    assert list(first) == list(second)
    assert {name for name, backend in first.items() if backend.is_static} == {"CpuRef"}
    first.close()
    assert all(backend.instance for backend in second.values())


@pytest.mark.filterwarnings("ignore::armnn_py.errors.BackendSkippedWarning")
def test_many_threads_at_once(tmp_path: Path, workshop: Workshop) -> None:
    names = [f"B{number}" for number in range(6)]
    paths = [workshop.put_id(tmp_path, name, "SILENT_LIBRARY") for name in names]
    workshop.put(tmp_path, "Bad", "FACTORY_NULL", "SILENT_LIBRARY")
    start = threading.Barrier(8)

    def work(number: int) -> list[list[str]]:
        start.wait()
        answers = []
        for turn in range(10):
            with load_backends(
                dynamic_backends_path=tmp_path,
                bundled_backends=bool((number + turn) % 2),
                use_environment=False,
            ) as registry:
                dynamic = [b for b in registry.values() if b.place == "argument"]
                answers.append([asked_id(backend).decode() for backend in dynamic])
        return answers

    with ThreadPoolExecutor(8) as pool:
        for answers in pool.map(work, range(8)):
            assert answers == [names] * 10
    mapped = mapped_files()
    assert not [path for path in paths if str(path) in mapped]
    assert not set(mapped_libraries()) & {str(path) for path in paths}


_FORKS = """
import os, signal, sys, threading
from armnn_py.backends import Backend, BackendRegistry, load_backends

def load():
    with load_backends(dynamic_backends_path=sys.argv[1], bundled_backends=False) as registry:
        return list(registry)

done = threading.Event()
def work():
    while not done.is_set():
        load()
worker = threading.Thread(target=work)
worker.start()
codes = []
for _ in range(50):
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # a child that waits for ever is ended, and seen
        os._exit(len(load()))
    codes.append(os.waitpid(child, 0)[1])
done.set()
worker.join()
print([os.waitstatus_to_exitcode(code) for code in set(codes)])
"""


def test_a_child_of_a_process_that_is_loading(tmp_path: Path, workshop: Workshop) -> None:
    for name in "ABC":
        workshop.put_id(tmp_path, name, "SILENT_LIBRARY")
    assert run_child(_FORKS, tmp_path) == [3]


_INTERRUPTED = """
import os, signal, sys
import armnn_py as ann

def descriptors():
    return sorted(os.listdir("/proc/self/fd"))

def load():
    with ann.Runtime(dynamic_backends_path=sys.argv[1]):
        pass

def interrupt(number, frame):
    raise KeyboardInterrupt

load()
before = descriptors()
signal.signal(signal.SIGALRM, interrupt)
interrupted = 0
for turn in range(600):
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, 1e-5 + turn * 5e-6)
            load()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
print([int(interrupted > 100), len(descriptors()) - len(before)])
"""


def test_interrupts_leave_no_descriptor_open(tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "One", "SILENT_LIBRARY")
    assert run_child(_INTERRUPTED, tmp_path) == [1, 0]


def test_an_interrupt_when_the_backends_are_loaded_closes_them(
    tmp_path: Path, workshop: Workshop, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    workshop.put_id(tmp_path / "place", "A")

    def load_and_interrupt(**arguments: Any) -> BackendRegistry:
        registry = load_backends(**arguments)
        signal.raise_signal(signal.SIGINT)
        return registry

    monkeypatch.setattr(runtime_module, "load_backends", load_and_interrupt)
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            Runtime(tmp_path / "place", bundled_backends=False)
    finally:
        signal.signal(signal.SIGINT, kept)
    gc.collect()
    assert journal() == ["map A", "create A", "destroy A", "unmap A"]


_HANDLER = """
import json, logging, sys
import armnn_py as ann

lines = []
class Keep(logging.Handler):
    def emit(self, record):
        lines.append(record.getMessage())
logging.getLogger("armnn_py.backends").addHandler(Keep(logging.WARNING))
logging.getLogger("armnn_py.backends").propagate = False
for _ in range(2):
    with ann.Runtime(sys.argv[1], bundled_backends=False) as runtime:
        assert list(runtime.backends) == ["Deed"], runtime.load_report
mapped = [line for line in open("/proc/self/maps") if "Test_Deed_backend.so" in line]
print(json.dumps([bool(mapped), len(lines), lines[0].partition(": ")[2] if lines else ""]))
"""


@pytest.mark.parametrize("site", ["constructor", "create", "destroy"])
def test_a_library_that_handles_a_signal_stays(
    tmp_path: Path, workshop: Workshop, site: str
) -> None:
    """Closed, it would take the code away that the next signal calls."""
    workshop.put(tmp_path, "Deed", source="deed_backend.c")
    setting = {"SITE_Deed": site, "ARMNN_PY_PROBE_SECONDS": "0"}
    words = "stays open: it handles a signal, though its backend is gone"
    is_mapped, count, line = run_child(_HANDLER, tmp_path, DEED_Deed="handler", **setting)
    assert (is_mapped, line) == (True, words)
    assert count == 1  # it is open already the second time, and never closed
    assert run_child(_HANDLER, tmp_path, DEED_Deed="", **setting) == [False, 0, ""]
