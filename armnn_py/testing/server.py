# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A process that has everything imported and no backend loaded, and forks one for each case.

It is started as a program of its own, so that it has one thread alone when it forks, whatever the
program has that wants the tests.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import selectors
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from armnn_py._native.descendants import adopt_orphans
from armnn_py._native.library import core
from armnn_py._native.parent_process import end_with_parent
from armnn_py.records import compile_constructors
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
from armnn_py.testing.forked import ForkedProcess, Job
from armnn_py.testing.outcome import GROUPS, Group, Result
from armnn_py.testing.target import Target
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case

__all__ = ["serve"]

_START_SECONDS = 60.0  # the least for what is not the backend's time


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
        number, count = order["part"]
        cases = all_cases(order["level"], seed=order["seed"], layers=layers, types=types)
        self.cases = cases[number - 1 :: count]

    def warm_up(self) -> None:
        """Import here what every process would import for itself."""
        (case, *_) = all_cases("quick", layers=[LayerType.SOFTMAX], types=[DataType.FLOAT32])
        process = ForkedProcess(
            Job("warm", lambda tell: needed_modules(case, tell)), _START_SECONDS
        )
        for message in process.all_messages():
            for name in message.get("modules", ()):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
        process.ending()
        compile_constructors()
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
            process = ForkedProcess(Job("support", work), self.timeout)
            is_loaded = is_asked = False
            for message in process.all_messages():
                is_loaded = is_loaded or "loaded" in message
                is_asked = is_asked or "asked" in message
                if "done" in message:
                    number = message["done"]
                    case = self.cases[number]
                    if message["outcome"] == "taken":
                        found[number] = case
                    else:
                        self._tell(case, "truth", message["outcome"], message["message"])
            words, outcome = process.ending()
            if not is_loaded:
                result = Result("load", "", "", "load", outcome, words, "create")
                self.say(result=result.as_dict())
                return None
            if process.is_over:
                break
            last = process.bulletin.read().start
            if is_asked or not isinstance(last, int) or last < 0:
                step = "destroying the instance" if is_asked else "making the instance"
                result = Result("load", "", "", "load", outcome, words, step)
                self.say(result=result.as_dict())
                break
            case = self.cases[last]
            words += _under_way("is_layer_supported", case)
            self._tell(case, "truth", outcome, words, step="is_layer_supported")
            first = last + 1
        return list(found.values())

    # ---- Cases ---------------------------------------------------------------------------------

    def _job(self, case: Case, groups: tuple[Group, ...]) -> Job:
        target, folder = self.target, self.folder
        return Job(
            case.name, lambda tell: run_case(target, case, groups, folder, tell), case, groups
        )

    def _network(self, seed: int) -> Job:
        target, folder = self.target, self.folder
        return Job(
            f"network {seed}",
            lambda tell: run_network(target, seed, folder, tell),
            groups=("subgraphs",),
        )

    def _feature(self, name: str) -> Job:
        target, folder, seed = self.target, self.folder, self.seed
        return Job(
            name, lambda tell: run_feature(target, name, seed, folder, tell), groups=("features",)
        )

    def _work(self, queue: deque[Job]) -> None:
        running: dict[int, ForkedProcess] = {}
        done = 0
        with selectors.DefaultSelector() as selector:
            while queue or running:
                while queue and len(running) < self.jobs:
                    process = ForkedProcess(queue.popleft(), self.timeout)
                    running[process.pipe] = process
                    selector.register(process.pipe, selectors.EVENT_READ)
                nearest = min(process.deadline for process in running.values())
                ready = selector.select(max(nearest - time.monotonic(), 0))
                for process in running.values():
                    if not process.is_late and process.is_stuck:
                        process.kill()
                for key, _ in ready:
                    process = running[key.fd]
                    messages = process.messages()
                    if messages is not None:
                        self._heed(process, messages)
                        if not process.is_over:
                            continue
                    selector.unregister(key.fd)
                    del running[key.fd]
                    rest = self._finish(process)
                    if rest is not None:
                        queue.appendleft(rest)
                    else:
                        done += 1
                        self.say(done=done)

    def _heed(self, process: ForkedProcess, messages: list[dict[str, Any]]) -> None:
        for message in messages:
            if "done" in message:
                files = tuple(message.get("files", ()))
                words = message["message"]
                step = message.get("step", "")
                self._report(process.job, message["done"], message["outcome"], words, step, files)

    def _finish(self, process: ForkedProcess) -> Job | None:
        """Tell of a process that ended too soon; returns the job of the checks that are left."""
        words, outcome = process.ending()
        if process.is_over:
            return None
        job, last = process.job, process.bulletin.read()
        words += _under_way(last.step, job.case)
        group: Group = next((one for one in job.groups if one == last.start), job.groups[0])
        self._report(job, group, outcome, words, last.step, ())
        if job.case is None or last.start != group:
            return None
        rest = job.groups[job.groups.index(group) + 1 :]
        return self._job(job.case, rest) if rest and last.step != "destroy" else None

    def _report(
        self,
        job: Job,
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
    adopt_orphans()
    os.set_inheritable(sender, False)
    order = json.load(sys.stdin)
    core()  # every process needs it
    _Server(order, writer(sender)).run()
