# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process that tries a backend: it forks processes that load it."""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import selectors
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import structs

from armnn_py.testing.batches import Suspicion, batches_of
from armnn_py.testing.cases import all_cases, unvaried_cases
from armnn_py.testing.child import (
    Tell,
    answer_all,
    needed_modules,
    run_cases,
    run_feature,
    run_model,
    run_network,
    write_model,
)
from armnn_py.testing.forked import ForkedProcess, Job
from armnn_py.testing.models.layers import read_layers
from armnn_py.testing.models.user_model import UserModel
from armnn_py.testing.outcome import GROUPS, Group, Result
from armnn_py.testing.target import Target
from armnn_py.types import DataType, LayerType

if TYPE_CHECKING:
    from armnn_py.testing.cases import Case, Level

_START_SECONDS = 60.0  # the least for what is not the backend's time


class _Server:
    def __init__(self, order: dict[str, Any], say: Tell) -> None:
        self.say = say
        self.target = Target(**order["target"])
        self.timeout: float = order["timeout"]
        self.jobs: int = order["jobs"]
        self.folder: str = order["folder"]
        self.networks: list[str] = order["networks"]
        self.features: list[str] = order["features"]
        self.seed: int = order["seed"]
        self.with_networks = "subgraphs" in order["groups"]
        self.groups: tuple[Group, ...] = tuple(
            group for group in GROUPS if group in order["groups"]
        )
        layers = [LayerType(number) for number in order["layers"]]
        types = [DataType(number) for number in order["types"]]
        number, count = order["part"]
        self.cases: Sequence[Case] = []
        self.is_whole = not layers and not types
        self.model = None if order["model"] is None else UserModel(**order["model"])
        if self.model is not None:
            found = self._cases_of(self.model, order["level"])
            cases: Sequence[Case] = [one for one in found if (not layers or one.layer in layers)
                     and (not types or one.type in types)]  # fmt: skip
        elif self.groups:
            cases = _cases_for(order)
        else:
            return
        self.cases = cases[number - 1 :: count]

    def _cases_of(self, model: UserModel, level: Level) -> list[Case]:
        """Read a user's model where the backend's code runs; what goes wrong is told."""
        path = os.path.join(self.folder, "model.pickle")  # noqa: PTH118

        def work(tell: Tell) -> None:
            write_model(path, model, self.target, level, self.seed, tell)

        process = ForkedProcess(Job("model", work), self.timeout)
        results = [one for one in process.all_messages() if "done" in one]
        words, outcome = process.ending()
        if not process.is_over:
            words += under_way(process.bulletin.read().step, None)
            results = [{"outcome": outcome, "message": words}]
        for one in results:
            if one["outcome"] != "passed":
                result = Result("model", "", "", "load", one["outcome"], one["message"])
                self.say(result=structs.asdict(result))
                return []
        layers = read_layers(path)
        for case, why in layers.left_out:
            self.say(result=structs.asdict(result_of(case, "numbers", "untried", why)))
        different = len(layers.cases) + len(layers.left_out)
        self.say(model={"layers": layers.count, "different": different, "tried": len(layers.cases)})
        return layers.cases

    def run(self) -> None:
        """Ask about all cases, then try those that are taken."""
        if self.model is not None and not self.cases:
            return
        taken = self._ask(self.cases)
        if taken is None:
            return
        fit = self._fit(taken) if self.networks or self.features else []
        if fit is None:
            return
        trials = Trials(self.target, self.folder, self.timeout, self.say)
        if self.groups:
            trials.add_cases(taken, self.groups)
        trials.add_networks(self.networks, fit)
        if self.model is not None and self.with_networks and self.is_whole:
            trials.add_model(self.model, self.seed)
        trials.add_features(self.features, fit, self.seed)
        trials.run(self.jobs)
        if trials.compiled == 0 and not trials.has_wrong_networks:
            nothing = _NOTHING_COMPILED if self.model is None else _NOTHING_OF_MODEL
            self.say(result=structs.asdict(nothing))

    # ---- Support -------------------------------------------------------------------------------

    def _fit(self, taken: Sequence[Case]) -> list[Case] | None:
        """Return the layers for networks and features: the same ones whatever else is tried."""
        cases = unvaried_cases(self.seed)
        if not self.groups:
            return self._ask(cases, with_refused=False)
        signatures = {case.signature for case in taken}
        return [case for case in cases if case.signature in signatures]

    def _ask(self, cases: Sequence[Case], *, with_refused: bool = True) -> list[Case] | None:
        """Return the cases that are taken; None if the backend cannot be loaded."""
        found: dict[int, Case] = {}
        first = 0
        while first < len(cases) or not cases:
            work = _answering(self.target, cases, first)
            process = ForkedProcess(Job("support", work), self.timeout)
            is_loaded = is_asked = False
            for message in process.all_messages():
                is_loaded = is_loaded or "loaded" in message
                is_asked = is_asked or "asked" in message
                if "done" in message:
                    number = message["done"]
                    case = cases[number]
                    if message["outcome"] == "taken":
                        found[number] = case
                    elif with_refused or message["outcome"] != "refused":
                        result = result_of(case, "truth", message["outcome"], message["message"])
                        self.say(result=structs.asdict(result))
            words, outcome = process.ending()
            if not is_loaded:
                result = Result("load", "", "", "load", outcome, words, "create")
                self.say(result=structs.asdict(result))
                return None
            if process.is_over:
                break
            last = process.bulletin.read().start
            if is_asked or not isinstance(last, int) or last < 0:
                step = "destroying the instance" if is_asked else "making the instance"
                result = Result("load", "", "", "load", outcome, words, step)
                self.say(result=structs.asdict(result))
                break
            case = cases[last]
            words += under_way("is_layer_supported", case)
            result = result_of(case, "truth", outcome, words, "is_layer_supported")
            self.say(result=structs.asdict(result))
            first = last + 1
        return list(found.values())


def _answering(target: Target, cases: Sequence[Case], first: int) -> Callable[[Tell], None]:
    return lambda tell: answer_all(target, cases, first, tell)


def prepare(order: dict[str, Any]) -> None:
    """Do here what every process would do for itself: imports, and the cases of orders alike."""
    _import_all()
    if order["model"] is None and not {*GROUPS}.isdisjoint(order["groups"]):
        _cases_for(order)
    if order["networks"] or order["features"]:
        unvaried_cases(order["seed"])
    gc.freeze()


@functools.cache
def _import_all() -> None:
    (case, *_) = all_cases("quick", layers=[LayerType.SOFTMAX], types=[DataType.FLOAT32])
    process = ForkedProcess(Job("warm", lambda tell: needed_modules(case, tell)), _START_SECONDS)
    for message in process.all_messages():
        for name in message.get("modules", ()):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
    process.ending()


def _cases_for(order: dict[str, Any]) -> tuple[Case, ...]:
    layers, types = tuple(order["layers"]), tuple(order["types"])
    return _drawn_cases(order["level"], order["seed"], layers, types)


@functools.lru_cache(maxsize=1)
def _drawn_cases(
    level: Level, seed: int, layers: tuple[int, ...], types: tuple[int, ...]
) -> tuple[Case, ...]:
    return tuple(
        all_cases(
            level,
            seed=seed,
            layers=[LayerType(number) for number in layers],
            types=[DataType(number) for number in types],
        )
    )


def serve(order: dict[str, Any], say: Tell) -> None:
    """Do what an order says."""
    _Server(order, say).run()


_FINE = ("passed", "refused", "untried")
_NOTHING_COMPILED = Result(
    "compiled sub-graphs", "", "", "subgraphs", "failed",
    "the table has optimize_subgraph_view, which compiled nothing of two layers and more: "
    "no network of the kit fits it, and its compiled sub-graphs are untested",
)  # fmt: skip
_NOTHING_OF_MODEL = Result(
    "compiled sub-graphs", "", "", "subgraphs", "untried",
    "it compiles no two layers of the model",
)  # fmt: skip


class Trials:
    """Jobs on a backend, each in a process of its own."""

    def __init__(self, target: Target, folder: str, timeout: float, say: Tell) -> None:
        self._target, self._folder, self._timeout, self._say = target, folder, timeout, say
        self._queue: deque[Job] = deque()
        self._running: dict[int, ForkedProcess] = {}
        self.compiled: int | None = None
        """How many sub-graphs the backend compiled; None: it has no compiler, or none was seen."""
        self.has_wrong_networks = False

    def add_cases(self, cases: Sequence[Case], groups: tuple[Group, ...]) -> None:
        """Try layers that the backend takes."""
        self._queue.extend(self._job(batch, groups) for batch in batches_of(cases))

    def add_networks(self, names: Iterable[str], cases: Sequence[Case]) -> None:
        """Try networks; some grow from layers of ``cases``."""
        target, folder = self._target, self._folder
        for name in names:

            def work(tell: Tell, name: str = name) -> None:
                run_network(target, name, cases, folder, tell)

            self._queue.append(Job(name, work, groups=("subgraphs",)))

    def add_model(self, model: UserModel, seed: int) -> None:
        """Try a user's network as a whole."""
        target, folder = self._target, self._folder

        def work(tell: Tell) -> None:
            run_model(target, model, seed, folder, tell)

        self._queue.append(Job("model", work, groups=("subgraphs",)))

    def add_features(self, names: Iterable[str], taken: Sequence[Case], seed: int) -> None:
        """Try what the backend may have beyond layers."""
        target, folder = self._target, self._folder
        for name in names:

            def work(tell: Tell, name: str = name) -> None:
                run_feature(target, name, seed, taken, folder, tell)

            self._queue.append(Job(name, work, groups=("features",)))

    def _job(
        self,
        cases: tuple[Case, ...],
        groups: tuple[Group, ...],
        suspicion: Suspicion | None = None,
    ) -> Job:
        target, folder = self._target, self._folder

        def work(tell: Tell) -> None:
            run_cases(target, cases, groups, folder, tell)

        return Job(cases[0].name, work, cases, groups, suspicion)

    # ---- Processes -----------------------------------------------------------------------------

    def run(self, jobs: int) -> None:
        """Do it all, with so many processes at a time."""
        self._say(total=self._left())
        total, running = self._left(), self._running
        with selectors.DefaultSelector() as selector:
            while self._queue or running:
                while self._queue and len(running) < jobs:
                    process = ForkedProcess(self._queue.popleft(), self._timeout)
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
                    self._queue.extendleft(reversed(self._finish(process)))
                    self._say(done=total - self._left())

    def _left(self) -> int:
        """Return how many cases, networks and features are not done."""
        jobs = [*self._queue, *(process.job for process in self._running.values())]
        return sum(len(job.cases) or 1 for job in jobs)

    def _heed(self, process: ForkedProcess, messages: list[dict[str, Any]]) -> None:
        for message in messages:
            if "done" in message:
                process.told.append({"case": 0, **message})
            process.stopped = message.get("stopped", process.stopped)

    # ---- What comes of a process ---------------------------------------------------------------

    def _finish(self, process: ForkedProcess) -> list[Job]:
        """Tell what came of a process; returns what is left of its job."""
        words, outcome = process.ending()
        job, last = process.job, process.bulletin.read()
        if process.is_over:
            left = [] if process.stopped is None else self._after_case(process, process.stopped)
            if process.stopped is None:
                self._tell(job, process.told)
        else:
            case = job.cases[last.case] if job.cases else None
            words += under_way(last.step, case)
            group: Group = next((one for one in job.groups if one == last.start), job.groups[0])
            ended = {"case": last.case, "done": group, "outcome": outcome, "message": words}
            left = self._after_end(process, {**ended, "step": last.step}, last.start)
        if job.suspicion is not None and not any(one.suspicion for one in left):
            result = job.suspicion.settle()
            if result is not None:
                self._say(result=structs.asdict(result))
        return left

    def _after_end(
        self, process: ForkedProcess, ended: dict[str, Any], start: int | str | None
    ) -> list[Job]:
        """Go on after a process that ended too soon, in the group ``start`` or around all."""
        job, number = process.job, ended["case"]
        at_end = ended["step"] == "destroy"
        if len(job.cases) > 1 and (at_end or start == "reference"):
            # It may be the fault of any.
            together = f"; only after {len(job.cases)} cases in one process, none alone"
            suspicion = Suspicion(_result(job, {**ended, "message": ended["message"] + together}),
                                  len(job.cases))  # fmt: skip
            return [self._job((case,), job.groups, suspicion) for case in job.cases]
        process.told.append(ended)
        rest = job.groups[job.groups.index(ended["done"]) + 1 :]
        if number or not job.cases or not rest or at_end or start != ended["done"]:
            return self._after_case(process, number)
        return [
            self._job(job.cases[:1], rest, job.suspicion),
            *self._after_case(process, number),
        ]

    def _after_case(self, process: ForkedProcess, number: int) -> list[Job]:
        """Report the cases of a process up to one that did not pass, then go on after it."""
        job, left = process.job, []
        of_case = [one for one in process.told if one["case"] == number]
        self._tell(job, [one for one in process.told if one["case"] < number])
        if number == 0:
            self._tell(job, of_case)
        else:
            bad = next(one for one in of_case if one["outcome"] not in _FINE)
            words = f"{bad['message']}; only after {number} other cases in one process, not alone"
            suspicion = Suspicion(_result(job, {**bad, "message": words}))
            left.append(self._job((job.cases[number],), job.groups, suspicion))
        if job.cases[number + 1 :]:
            left.append(self._job(job.cases[number + 1 :], job.groups))
        return left

    def _tell(self, job: Job, told: Iterable[dict[str, Any]]) -> None:
        for one in told:
            if job.suspicion is not None and one["outcome"] not in _FINE:
                job.suspicion.confirm()
            if one.get("compiled") is not None:
                self.compiled = (self.compiled or 0) + one["compiled"]
            if one["done"] == "subgraphs" and one["outcome"] not in _FINE:
                self.has_wrong_networks = True
            self._say(result=structs.asdict(_result(job, one)))


def _result(job: Job, told: dict[str, Any]) -> Result:
    """Return what a process told of a check."""
    step, files = told.get("step", ""), tuple(told.get("files", ()))
    group, outcome, words = told["done"], told["outcome"], told["message"]
    if job.cases:
        found = result_of(job.cases[told["case"]], group, outcome, words, step, files)
        return structs.replace(found, speed=told.get("speed"))
    return Result(job.title, "", "", group, outcome, words, step, files, told.get("compiled"))


def result_of(
    case: Case,
    group: Group,
    outcome: Any,
    words: str,
    step: str = "",
    files: tuple[str, ...] = (),
) -> Result:
    """Return the result of a check of a case."""
    return Result(case.name, case.layer.label, case.type.label, group, outcome, words, step, files)


def under_way(step: str, case: Case | None) -> str:
    """Return what a message about the end of a process says of where it was."""
    of_step = f"; under way: {step}" if step else ""
    return f"{of_step}; {case.in_words}" if case is not None else of_step
