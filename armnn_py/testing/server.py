# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A process that has everything imported and no backend loaded, and forks one for each case.

It is started as a program of its own, so that it has one thread alone when it forks, whatever the
program has that wants the tests.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import importlib
import json
import os
import resource
import selectors
import signal
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from armnn_py._native.library import core
from armnn_py._native.parent_process import end_with_parent
from armnn_py.records import record
from armnn_py.testing.cases import all_cases
from armnn_py.testing.child import (
    Tell,
    answer_all,
    needed_modules,
    run_case,
    run_feature,
    run_network,
    writer,
)
from armnn_py.testing.outcome import GROUPS, Group, Result
from armnn_py.testing.target import Target
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case

__all__ = ["serve"]

_LAST_WORDS = 2000  # bytes kept of what a process wrote
_START_SECONDS = 60.0  # the least for what is not the backend's time
_OUR_FAULT = 70  # exit code of a process in which the kit itself failed


@record
class _Job:
    """What a process is for."""

    title: str
    work: Callable[[Tell], None]
    case: Case | None = None
    groups: tuple[Group, ...] = ()
    """Of a case: all that are left; else the only one."""


def _error_in(said: str) -> str:
    """The message of an error of ours that ended a process, without its details and hints."""
    lines = said.splitlines()
    ours = [line for line in lines if line.startswith("armnn_py.") and ": " in line]
    return ours[-1].partition(": ")[2] if ours else "".join(lines[-1:])


class _Process:
    """A forked process: what it told so far, and how it ended."""

    def __init__(self, job: _Job, timeout: float) -> None:
        self.job, self.timeout = job, timeout
        self.output = os.memfd_create("output")
        receiver, sender = os.pipe()
        server = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(receiver)
            _live(server, job, self.output, sender)
        os.close(sender)
        self.pipe = receiver
        self.pending = b""
        self.start: Any = None
        self.step = ""
        self.deadline = time.monotonic() + timeout
        self.is_late = False

    def messages(self) -> list[dict[str, Any]] | None:
        """Return what came, or None when the process is at its end."""
        data = os.read(self.pipe, 1 << 16)
        if not data:
            return None
        self.deadline = time.monotonic() + self.timeout
        *lines, self.pending = (self.pending + data).split(b"\n")
        return [json.loads(line) for line in lines]

    def note(self, message: dict[str, Any]) -> None:
        """Remember what is under way."""
        self.start = message.get("start", self.start)
        self.step = message.get("step", self.step)

    def kill(self) -> None:
        """End it, because its time is over."""
        self.is_late = True
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """Wait for the end; returns the exit code, or the negative number of a signal."""
        os.close(self.pipe)
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def last_words(self) -> str:
        """Return the end of what it wrote to standard output and error, and forget it."""
        size = os.fstat(self.output).st_size
        text = os.pread(self.output, _LAST_WORDS, max(size - _LAST_WORDS, 0))
        os.close(self.output)
        return text.decode("utf-8", "replace").strip()


def _live(server: int, job: _Job, output: int, sender: int) -> None:
    """Do the work of a job, then end; never returns."""
    code = _OUR_FAULT
    try:
        end_with_parent(server)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        faulthandler.disable()
        tell = writer(sender)
        job.work(tell)
        tell(end=True)
        code = 0
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(code)


class _Server:
    def __init__(self, order: dict[str, Any], say: Tell) -> None:
        self.say = say
        self.target = Target(**order["target"])
        self.timeout: float = order["timeout"]
        self.jobs: int = order["jobs"]
        self.folder: str = order["folder"]
        self.networks: list[int] = order["networks"]
        self.features: list[str] = order["features"]
        self.seed: int = order["seed"]
        self.groups: tuple[Group, ...] = tuple(
            group for group in GROUPS if group in order["groups"]
        )
        layers = [LayerType(number) for number in order["layers"]]
        types = [DataType(number) for number in order["types"]]
        self.cases = all_cases(order["level"], seed=order["seed"], layers=layers, types=types)

    def warm_up(self) -> None:
        """Import here what every process would import for itself."""
        (case, *_) = all_cases("quick", layers=[LayerType.SOFTMAX], types=[DataType.FLOAT32])
        process = _Process(_Job("warm", lambda tell: needed_modules(case, tell)), _START_SECONDS)
        for message in self._all_of(process):
            for name in message.get("modules", ()):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
        process.end()
        process.last_words()
        gc.freeze()

    def run(self) -> None:
        """Ask about all cases, then try those that are taken."""
        self.warm_up()
        taken = self._ask()
        if taken is None:
            return
        queue = deque(self._job(case, self.groups) for case in taken if self.groups)
        for seed in self.networks:
            queue.append(self._network(seed))
        queue.extend(self._feature(name) for name in self.features)
        self.say(total=len(queue))
        self._work(queue)

    # ---- Support -------------------------------------------------------------------------------

    def _ask(self) -> list[Case] | None:
        """Return the cases that are taken; None if the backend cannot be loaded."""
        found: dict[int, Case] = {}
        first = 0
        while first < len(self.cases) or not self.cases:
            work = _answering(self.target, self.cases, first)
            process = _Process(_Job("support", work), self.timeout)
            is_loaded = is_asked = is_over = False
            for message in self._all_of(process):
                is_loaded = is_loaded or "loaded" in message
                is_asked = is_asked or "asked" in message
                is_over = is_over or "end" in message
                if "done" in message:
                    number = message["done"]
                    case = self.cases[number]
                    if message["outcome"] == "taken":
                        found[number] = case
                    else:
                        self._tell(case, "truth", message["outcome"], message["message"])
            words, outcome = self._ending(process)
            if not is_loaded:
                result = Result("load", "", "", "load", outcome, words, "create")
                self.say(result=result.as_dict())
                return None
            if is_over:
                break
            if is_asked or process.start is None or process.start < 0:
                step = "destroying the instance" if is_asked else "making the instance"
                result = Result("load", "", "", "load", outcome, words, step)
                self.say(result=result.as_dict())
                break
            case = self.cases[process.start]
            words += _under_way("is_layer_supported", case)
            self._tell(case, "truth", outcome, words, step="is_layer_supported")
            first = process.start + 1
        return list(found.values())

    def _all_of(self, process: _Process) -> Iterator[dict[str, Any]]:
        with selectors.DefaultSelector() as selector:
            selector.register(process.pipe, selectors.EVENT_READ)
            while True:
                if not selector.select(max(process.deadline - time.monotonic(), 0)):
                    process.kill()
                    return
                messages = process.messages()
                if messages is None:
                    return
                for message in messages:
                    process.note(message)
                    yield message

    def _ending(self, process: _Process) -> tuple[str, Any]:
        """Return how a process ended, in words, and the outcome that it stands for."""
        code = process.end()
        said = process.last_words()
        if process.is_late:
            return f"did not return within {self.timeout:g} s", "hung"
        if code == _OUR_FAULT:
            return _error_in(said) or "no reason given", "failed"
        if code < 0:
            words = f"signal {-code} ({signal.Signals(-code).name})"
        else:
            words = f"the process ended with exit code {code}"
        return f"{words}; it said: {said.splitlines()[-1]}" if said else words, "crashed"

    # ---- Cases ---------------------------------------------------------------------------------

    def _job(self, case: Case, groups: tuple[Group, ...]) -> _Job:
        target, folder = self.target, self.folder
        return _Job(
            case.name, lambda tell: run_case(target, case, groups, folder, tell), case, groups
        )

    def _network(self, seed: int) -> _Job:
        target, folder = self.target, self.folder
        return _Job(
            f"network {seed}",
            lambda tell: run_network(target, seed, folder, tell),
            groups=("subgraphs",),
        )

    def _feature(self, name: str) -> _Job:
        target, folder, seed = self.target, self.folder, self.seed
        return _Job(
            name, lambda tell: run_feature(target, name, seed, folder, tell), groups=("features",)
        )

    def _work(self, queue: deque[_Job]) -> None:
        running: dict[int, _Process] = {}
        done = 0
        with selectors.DefaultSelector() as selector:
            while queue or running:
                while queue and len(running) < self.jobs:
                    process = _Process(queue.popleft(), self.timeout)
                    running[process.pipe] = process
                    selector.register(process.pipe, selectors.EVENT_READ)
                nearest = min(process.deadline for process in running.values())
                ready = selector.select(max(nearest - time.monotonic(), 0))
                now = time.monotonic()
                for process in running.values():
                    if process.deadline <= now and not process.is_late:
                        process.kill()
                for key, _ in ready:
                    process = running[key.fd]
                    messages = process.messages()
                    if messages is not None:
                        self._heed(process, messages)
                        continue
                    selector.unregister(key.fd)
                    del running[key.fd]
                    rest = self._finish(process)
                    if rest is not None:
                        queue.appendleft(rest)
                    else:
                        done += 1
                        self.say(done=done)

    def _heed(self, process: _Process, messages: list[dict[str, Any]]) -> None:
        for message in messages:
            process.note(message)
            if "end" in message:
                process.start = "end"
            elif "done" in message:
                files = tuple(message.get("files", ()))
                words = message["message"]
                step = process.step if message["outcome"] != "passed" else ""
                self._report(process.job, message["done"], message["outcome"], words, step, files)

    def _finish(self, process: _Process) -> _Job | None:
        """Tell of a process that ended too soon; returns the job of the checks that are left."""
        words, outcome = self._ending(process)
        if process.start == "end":
            return None
        job = process.job
        words += _under_way(process.step, job.case)
        group: Group = job.groups[0]
        if process.start in job.groups:
            group = process.start
        self._report(job, group, outcome, words, process.step, ())
        if job.case is None or process.start not in job.groups:
            return None
        rest = job.groups[job.groups.index(group) + 1 :]
        return self._job(job.case, rest) if rest and process.step != "destroy" else None

    def _report(
        self,
        job: _Job,
        group: Group,
        outcome: Any,
        words: str,
        step: str,
        files: tuple[str, ...],
    ) -> None:
        if job.case is not None:
            self._tell(job.case, group, outcome, words, step=step, files=files)
            return
        result = Result(job.title, "", "", group, outcome, words, step, files)
        self.say(result=result.as_dict())

    def _tell(
        self,
        case: Case,
        group: Group,
        outcome: Any,
        words: str,
        *,
        step: str = "",
        files: tuple[str, ...] = (),
    ) -> None:
        layer, data_type = case.layer.label, case.type.label
        result = Result(case.name, layer, data_type, group, outcome, words, step, files)
        self.say(result=result.as_dict())


def _under_way(step: str, case: Case | None) -> str:
    """Return what a message about the end of a process says of where it was."""
    of_step = f"; under way: {step}" if step else ""
    return f"{of_step}; {case.in_words}" if case is not None else of_step


def _answering(target: Target, cases: list[Case], first: int) -> Callable[[Tell], None]:
    return lambda tell: answer_all(target, cases, first, tell)


def serve(parent: int, sender: int) -> None:
    """Do what the order on standard input says; results are lines of JSON."""
    end_with_parent(parent)
    os.set_inheritable(sender, False)
    order = json.load(sys.stdin)
    core()  # every process needs it
    _Server(order, writer(sender)).run()
