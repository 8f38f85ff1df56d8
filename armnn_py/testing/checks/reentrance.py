# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Re-entrance: many threads at once, another number of them later, work cut in any way; and the
process is left as it was.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from armnn_py.guard.one_run import Layout
from armnn_py.guard.outcome import CheckFailedError, nearly_equal
from armnn_py.guard.process import UnchangedProcess, check_left_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from armnn_py._native.kit_host import Cutting, KitHost
    from armnn_py.testing.cases import Case
    from armnn_py.testing.prepared import Prepared
    from armnn_py.testing.subject import Subject

Arrays = list["NDArray[Any]"]
_CUTTINGS: tuple[Cutting, ...] = ("serial", "backwards", "odd")
_THREADS, _ROUNDS = 4, 4
_LATER_THREADS = 7
_MUCH, _MOST_ROUNDS = 4096, 12  # elements that keep threads busy; how often they get the chance
_PATIENCE = 2.0  # seconds; two runs may well wait for each other


def check_reentrance(
    subject: Subject, case: Case, prepare: Callable[[], Prepared], on_step: Callable[[str], None]
) -> None:
    """Prepare with one thread, then run with more, in pieces, side by side.

    A layer with much work is prepared for many threads as well, and its pieces run at once.

    Raises
    ------
    CheckFailedError
        An output depends on any of it, or the process is not as it was.
    """
    host = subject.host
    values, others = case.values(), case.values("other")
    host.threads, host.cutting = 1, "serial"
    with UnchangedProcess("create_workload"):
        first = prepare()
    with _closing(first) as prepared:
        on_step("execute, the process as it was")
        with UnchangedProcess():
            expected = prepared.run(values)
        on_step("execute, the open files as they were")
        check_left_files(lambda: prepared.run(values))
        expected_others = prepared.run(others)
        host.threads = _LATER_THREADS
        run = prepared.runner(Layout("end"), own_data=False)
        for cutting in _CUTTINGS:
            on_step(
                f"execute, {_LATER_THREADS} threads where 1 was at load, parallel_for {cutting}"
            )
            host.cutting = cutting
            _same(run(values), expected, f"parallel_for cuts {cutting}")
        if subject.in_host_memory and not prepared.is_serial:
            on_step("execute, another run while parallel_for of the first is under way")
            _interleaved(subject, prepared, (values, expected), (others, expected_others))
        host.cutting, host.threads = "core", None
        on_step(f"execute, {_THREADS} threads at once")
        with host.bypassed():
            _side_by_side(prepared, (values, expected), (others, expected_others))

    if case.most_elements >= _MUCH:
        on_step(f"create_workload for {_LATER_THREADS} threads")
        host.cutting, host.threads = "together", _LATER_THREADS
        with _closing(prepare()) as prepared:
            on_step("execute, pieces of parallel_for at once")
            run = prepared.runner(own_data=False)
            with _unchanged_threads(host):
                for _ in range(_MOST_ROUNDS):
                    _same(run(values), expected, "pieces of its work run at once")
        host.cutting, host.threads = "core", None


@contextlib.contextmanager
def _unchanged_threads(host: KitHost) -> Iterator[None]:
    """Want each thread of ``parallel_for`` as it was before its piece."""
    changes: list[CheckFailedError] = []

    @contextlib.contextmanager
    def piece() -> Iterator[None]:
        try:
            with UnchangedProcess():
                yield
        except CheckFailedError as error:  # no exception may pass the backend
            changes.append(error)

    host.around = piece
    try:
        yield
    finally:
        host.around = contextlib.nullcontext
    if changes:
        raise CheckFailedError(f"a thread of parallel_for: {changes[0]}")


class _closing:  # noqa: N801 (as contextlib's)
    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared

    def __enter__(self) -> Prepared:
        return self._prepared

    def __exit__(self, *_: object) -> None:
        self._prepared.close()


def _same(found: Arrays, expected: Arrays, what: str) -> None:
    for index, (got, wanted) in enumerate(zip(found, expected, strict=True)):
        if got.tobytes() != wanted.tobytes() and not nearly_equal(got, wanted):
            raise CheckFailedError(
                f"output {index} is another where {what}", found=got, expected=wanted
            )


_Job = tuple["Sequence[NDArray[Any] | None]", Arrays]


#: Kept from case to case: to start a thread takes longer than most cases.
_POOL = ThreadPoolExecutor(_THREADS)


def run_apart(run: Callable[[], Arrays], expected: Arrays, rounds: int, what: str) -> Future[None]:
    """Run and compare in another thread; a failure says ``what`` went on."""

    def work() -> None:
        for _ in range(rounds):
            _same(run(), expected, what)

    return _POOL.submit(work)


def check_all(runs: Sequence[Future[None]]) -> None:
    """Wait for runs in other threads.

    Raises
    ------
    CheckFailedError
        An output of one is another than expected.
    """
    wait(runs)
    for run in runs:
        run.result()


def _runs(prepared: Prepared, job: _Job, rounds: int, what: str) -> Future[None]:
    values, expected = job
    make = functools.cache(lambda: prepared.runner(own_data=True))  # in the thread
    return run_apart(lambda: make()(values), expected, rounds, what)


def _interleaved(subject: Subject, prepared: Prepared, first: _Job, second: _Job) -> None:
    what = "two runs overlap"
    others: list[Future[None]] = []

    def between() -> None:
        others.append(_runs(prepared, second, 1, what))
        wait(others, _PATIENCE)

    subject.host.between = between
    found = prepared.run(first[0])
    subject.host.between = None
    check_all(others)  # none if the layer does not use parallel_for
    _same(found, first[1], what)


def _side_by_side(prepared: Prepared, first: _Job, second: _Job) -> None:
    jobs = [(first, second)[number % 2] for number in range(_THREADS)]
    check_all([_runs(prepared, job, _ROUNDS, "threads run at once") for job in jobs])
