# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""All cases in processes of their own, which may crash and hang."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any

from armnn_py._native.process.parent_process import child_command
from armnn_py.errors import InvalidArgumentError
from armnn_py.optimizer.optimize import select_backends
from armnn_py.runtime import Runtime
from armnn_py.testing.onnx_suite.case import OnnxCase, find_cases
from armnn_py.testing.onnx_suite.result import CaseResult, OnnxScore, Outcome

_WORKER = "armnn_py.testing.onnx_suite.worker"

OnProgress = Callable[[int, int], None]


def score_onnx(
    *,
    data: str | os.PathLike[str] | None = None,
    backends: Sequence[str] = (),
    contains: str = "",
    expect: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    timeout: float = 120.0,
    folders: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    on_progress: OnProgress | None = None,
) -> OnnxScore:
    """Run the ONNX project's test data as a user would run its models.

    A case passes if its model loads, all recorded inputs run, and the outputs have the recorded
    dtypes, shapes and values, within a relative error of 1e-3 or an absolute one of 1e-7. A model
    that is refused is not applicable; all else fails.

    Parameters
    ----------
    data
        A folder with a folder for each family; the data of the installed ``onnx`` if not given.
    backends
        Preferences, best first; all by their score if empty.
    contains
        Only cases with this text in ``FAMILY/NAME``.
    expect
        A file with a title of a case in each line: those that do not pass are ``lost``.
    jobs
        Processes at a time; as many as there are processors if not given.
    timeout
        Seconds that one case may take.
    folders
        Where backends are looked for, instead of the usual places.
    options
        Of backends, by id and name, as texts or values.
    on_progress
        Called with how many cases are done, and how many there are.

    Raises
    ------
    InvalidArgumentError
        No case in the folder, or none with the text.
    BackendNotFoundError
        A backend is not there.
    ModelError
        The package ``onnx`` is not installed.
    """
    expected = read_expected(expect) if expect is not None else []
    with Runtime(folders or None, backend_options=options or None) as runtime:
        select_backends(list(backends) or None, runtime.backends)  # reports wrong ids once
    with tempfile.TemporaryDirectory(prefix="armnn_py_onnx_") as scratch:
        cases = find_cases(None if data is None else Path(data), Path(scratch))
        cases = [case for case in cases if contains in case.title]
        if not cases:
            raise InvalidArgumentError(
                f"no case has '{contains}' in its name",
                hints=["names are FAMILY/NAME, e.g. node/test_conv_with_strides_padding"],
            )
        results = _run_all(
            cases, [list(backends), list(folders), options or {}], jobs, timeout, on_progress
        )
    passed = {result.title for result in results if result.outcome is Outcome.PASSED}
    lost = [title for title in expected if contains in title and title not in passed]
    return OnnxScore(
        metadata.version("onnx"),
        None if data is None else str(data),
        tuple(backends),
        results,
        lost,
    )


def _run_all(
    cases: Sequence[OnnxCase],
    settings: Sequence[Any],
    jobs: int | None,
    timeout: float,
    on_progress: OnProgress | None,
) -> list[CaseResult]:
    lock = threading.Lock()
    waiting: Iterator[tuple[int, OnnxCase]] = iter(enumerate(cases))
    results: dict[int, CaseResult] = {}

    def next_case() -> tuple[int, OnnxCase] | None:
        with lock:
            return next(waiting, None)

    def serve() -> None:
        worker = _Worker(settings, timeout)
        try:
            while (item := next_case()) is not None:
                index, case = item
                found = worker.run(case)
                with lock:
                    results[index] = found
                    if on_progress is not None:
                        on_progress(len(results), len(cases))
        finally:
            worker.close()

    count = min(jobs or len(os.sched_getaffinity(0)), len(cases))
    with ThreadPoolExecutor(count) as pool:
        try:
            for task in [pool.submit(serve) for _ in range(count)]:
                task.result()
        finally:
            with lock:
                waiting = iter(())  # after an interrupt, the threads end with their case
    return [results[index] for index in range(len(cases))]


class _Worker:
    """A process for cases, which is replaced when one ends it."""

    def __init__(self, settings: Sequence[Any], timeout: float) -> None:
        self._settings = settings
        self._timeout = timeout
        self._process: subprocess.Popen[str] | None = None

    def run(self, case: OnnxCase) -> CaseResult:
        if self._process is None:
            self._process = subprocess.Popen(
                child_command(_WORKER, "work", os.getpid(), *self._settings),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(self._timeout, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps([case.family, str(case.folder)]) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            in_time = timer.is_alive()
            timer.cancel()
        if line:
            outcome, message, reason = json.loads(line)
            return CaseResult(case.family, case.name, Outcome[outcome], message, reason)
        code = self._end()
        words = _last_output(code) if in_time else f"no answer after {self._timeout:g} s"
        return CaseResult(case.family, case.name, Outcome.FAILED, words, words)

    def _end(self) -> int:
        assert self._process is not None
        with contextlib.suppress(BrokenPipeError), self._process as process:  # closes its pipes
            pass
        self._process = None
        return process.wait()

    def close(self) -> None:
        if self._process is not None:
            self._end()


def _last_output(code: int) -> str:
    if code < 0:
        return f"the process ended by {signal.Signals(-code).name}"
    return f"the process ended with code {code}"


def read_expected(path: str | os.PathLike[str]) -> list[str]:
    """Return the titles of cases in a file; what follows ``#`` is a comment.

    Raises
    ------
    InvalidArgumentError
        The file cannot be read.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgumentError(f"'{path}' cannot be read", details=[str(error)]) from error
    return [title for line in lines if (title := line.partition("#")[0].strip())]


def write_expected(path: str | os.PathLike[str], score: OnnxScore) -> None:
    """Write the titles of the cases that pass."""
    lines = [f"# Cases of the ONNX project's test data that pass, on {', '.join(score.backends)}"]
    lines += [result.title for result in _passed(score)]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _passed(score: OnnxScore) -> Iterator[Any]:
    return (result for result in score.results if result.outcome is Outcome.PASSED)
