# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Time per layer, from the native trace."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from armnn_py._native import trace
from armnn_py.errors import ArmnnError
from armnn_py.later import public_class
from armnn_py.network.stages import sub_stage
from armnn_py.ownership import Owner
from armnn_py.runtime.plan.step_info import StepInfo
from armnn_py.runtime.profile.open_profiles import LOCK, flush_profiles, open_profiles
from armnn_py.runtime.profile.profile_records import BackendEvent, LayerProfile, TimelineEvent
from armnn_py.runtime.profile.profile_stages import StageBook, describe_run
from armnn_py.runtime.profile.profile_sums import (
    COMPILED,
    Counting,
    InnerLayer,
    LayerSums,
    find_inner_layers,
    group_by_kernel,
    names_of,
    summary,
    to_html,
    to_json,
    to_text,
)
from armnn_py.text import counted, printable

if TYPE_CHECKING:
    from types import TracebackType

    from armnn_py.backends.backend import Backend
    from armnn_py.optimizer.reports.report_layer import LayerAssignment
    from armnn_py.runtime.plan.network_plan import NetworkPlan
    from armnn_py.runtime.profile.profile_stages import Profiled, StagedRun

_log = logging.getLogger("armnn_py.runtime")

_PHASES: dict[int, Literal["begin", "end", "instant"]] = dict(
    zip(trace.PHASES, ("begin", "end", "instant"), strict=True)
)


def _describe(inner: InnerLayer, part: StepInfo, known: Mapping[int, LayerAssignment]) -> StepInfo:
    names, types = names_of(inner.guids, known)
    return StepInfo(names, types, part.backend, inner.kernel)


@public_class
class Profile(Owner, instead="keep its .layers or to_json()"):
    """Records while its ``with`` block is open; holds the result afterwards.

    Only runs of its own network are counted, also when others run, or are profiled, at the same
    time. Use it once.

    Attributes
    ----------
    layers
        Time of each layer. Layers that a backend compiled into one sub-graph and runs together are
        shown by kernel, as ``conv1 + relu1``; the sub-graph itself has the rest of its time. So
        has a loop that runs turn by turn, of which the layers of the body are shown by themselves.
    timeline
        Each execution of a layer and each run, in the order of their ends. Of runs in stages only
        the first `CAPACITY` are kept.
    runs, run_ns
        Number of runs, and their total time.
    copies, copied_bytes
        How often the host copied a tensor, between memories or to align it, and the total bytes.
    dropped
        How many events did not fit into the buffer.
    events
        Events of backends: `BackendEvent`, oldest first, with layer and backend.
    counters
        By backend of the runtime: counter name to value, in the counter's unit. A delta counter's
        value is its increase, by all users of the backend; an absolute one's is its last.
    units
        By backend: counter name to the text of its unit.
    notes
        Missing or odd results, such as counters that a backend did not report, with the reason.
    """

    __slots__ = (
        "_backends",
        "_copied",
        "_counting",
        "_dropped_before",
        "_in_step",
        "_known",
        "_name",
        "_stages",
        "_sums",
        "_timeline",
        "_told",
        "copied_bytes",
        "copies",
        "counters",
        "dropped",
        "events",
        "layers",
        "notes",
        "run_ns",
        "runs",
        "timeline",
        "units",
    )

    CAPACITY = 1 << 18

    def __init__(self, name: str, network: Profiled, backends: Mapping[str, Backend]) -> None:
        self._name = name
        self._stages = StageBook(network)
        self._backends = backends
        self._sums = LayerSums()
        self._timeline: list[TimelineEvent] = []
        self._known: dict[NetworkPlan, dict[int, LayerAssignment]] = {}
        self._dropped_before = 0
        self._told: list[BackendEvent] = []
        # By run: bytes that the current step copied, and why.
        self._copied: dict[tuple[int, int], tuple[int, str]] = {}
        # Indices of events by run: their step is known when it has ended.
        self._in_step: dict[tuple[int, int], list[int]] = {}
        self._counting: dict[str, Counting] = {}
        self.layers: tuple[LayerProfile, ...] = ()
        self.events: tuple[BackendEvent, ...] = ()
        self.timeline: tuple[TimelineEvent, ...] = ()
        self.counters: dict[str, dict[str, float]] = {}
        self.units: dict[str, dict[str, str]] = {}
        self.notes: tuple[str, ...] = ()
        self.runs = 0
        self.run_ns = 0
        self.copies = 0
        self.copied_bytes = 0
        self.dropped = 0

    def __enter__(self) -> Profile:
        with ExitStack() as undo:
            with LOCK:
                flush_profiles()
                trace.start(self.CAPACITY)
                undo.callback(self._stop)
                self._dropped_before = trace.dropped()
                open_profiles.append(self)
            self._start_counters()
            undo.pop_all()
        return self

    def _stop(self) -> None:
        """Take the events recorded so far, and stop recording."""
        self._finish_counters()
        with LOCK:
            flush_profiles()
            if self in open_profiles:
                open_profiles.remove(self)
            trace.stop()

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()
        self.layers = self._sums.records(self._stages.time_inside)
        self.events = tuple(self._told)
        if self._stages.is_used:
            self._timeline.sort(key=lambda event: event.time_ns + event.duration_ns)
        self.timeline = tuple(self._timeline)
        self._stages.forget()
        self._timeline.clear()
        self._known.clear()
        self._told.clear()
        self._in_step.clear()
        self._copied.clear()

    def _start_counters(self) -> None:
        for backend in self._backends.values():
            context = backend.profiling
            if context is None:
                continue
            try:
                self._counting[backend.id] = Counting(backend, context)
            except ArmnnError as error:
                self._note(f"the profile lacks counters: {error}")

    def _finish_counters(self) -> None:
        for backend_id, counting in self._counting.items():
            try:
                values = counting.finish()
            except ArmnnError as error:
                self._note(f"the profile lacks counters: {error}")
                continue
            if not counting.units:
                continue
            self.counters[backend_id], self.units[backend_id] = values, counting.units
            for name in sorted(counting.delta_names & values.keys()):
                if values[name] < 0:
                    self._note(
                        f"backend '{backend_id}': counter '{name}' is a delta counter, "
                        "but its value went back"
                    )
        self._counting.clear()

    def _note(self, words: str) -> None:
        _log.warning("%s", words)
        self.notes += (words,)

    @property
    def plans(self) -> Collection[NetworkPlan]:
        """The plans of the network that it is about, and of its stages."""
        return self._stages.plans()

    def take(self, events: list[trace.TraceEvent], dropped: int) -> None:
        """Count the events of this profile's network; ``dropped`` is the process's count."""
        self.dropped = max(0, dropped - self._dropped_before)
        plans = {
            plan.native.address: (plan, called)
            for plan, called in self._stages.plans().items()
            if plan.native is not None
        }
        nothing = None, ""
        for event in events:
            plan, called = plans.get(event.plan, nothing)
            if event.kind in _PHASES and (plan is not None or not event.plan):
                self._tell(event, in_run=plan is not None)
            if plan is None:
                continue
            if event.kind == trace.RUN:
                self._in_step.pop((event.plan, event.run_id), None)
                self._copied.pop((event.plan, event.run_id), None)
                self._stages.hear(event)
                self._take_run(called, event.thread, event.time_ns, event.duration_ns)
            elif event.kind == trace.COPY:
                size, words = self._copied.get((event.plan, event.run_id), (0, ""))
                copied = size + event.id, words + event.name
                self._copied[event.plan, event.run_id] = copied
            elif event.kind == trace.STEP:
                self._take_step(event, plan, called)
        for called, run, thread in self._stages.take_runs():
            self._take_staged(called, run, thread)
            if not called:
                self._trim()

    def _take_run(self, stage: str, thread: int, time_ns: int, duration_ns: int) -> None:
        """Count one run of the network, or of a stage or body of it."""
        if stage:
            self._stages.count(stage, duration_ns)
        else:
            self.runs += 1
            self.run_ns += duration_ns
        self._add_to_timeline(describe_run(stage), stage, thread, time_ns, duration_ns)

    def _take_staged(self, called: str, run: StagedRun, thread: int) -> None:
        """Count one run in stages, and the functions between them."""
        for function in run.functions:
            stage = sub_stage(called, function.number)
            info = function.describe(stage)
            self._sums.count_function(stage, info, function.duration_ns)
            self._add_to_timeline(info, stage, thread, function.time_ns, function.duration_ns)
        self._take_run(called, thread, run.time_ns, run.duration_ns)

    def _trim(self) -> None:
        """Keep the first of very many events: turns of loops; sums have the others already."""
        self._known.clear()  # plans for sizes of single turns may be gone
        if len(self._timeline) <= self.CAPACITY and len(self._told) <= self.CAPACITY:
            return
        del self._timeline[self.CAPACITY :]
        if not self._in_step:  # no other thread is in the middle of a run
            del self._told[self.CAPACITY :]
        words = f"the timeline has the first {counted(self.CAPACITY, 'event')} only"
        if words not in self.notes:
            self._note(words)

    def _take_step(self, step: trace.TraceEvent, plan: NetworkPlan, stage: str) -> None:
        """Count one execution of a step, and of the layers inside it."""
        info = plan.steps[step.id]
        shown_by = (stage, info.layer, info.type, info.backend, info.memory) if stage else plan
        inside = self._attribute(step, info, stage)
        rest = step.duration_ns
        if info.type == COMPILED and inside:
            if plan not in self._known:
                self._known[plan] = {
                    row.guid: row for row in plan.assignment if row.guid is not None
                }
            known = self._known[plan]
            kernels = find_inner_layers(inside, known)
            for inner in kernels:
                shown = _describe(inner, info, known)
                self._add_to_timeline(shown, stage, step.thread, inner.start_ns, inner.duration_ns)
            for first, duration_ns in group_by_kernel(kernels):
                shown = _describe(first, info, known)
                guids = tuple(first.guids)
                self._sums.count(shown_by, stage, step.id, guids, shown, duration_ns)
                rest -= duration_ns
        entry = self._sums.count(shown_by, stage, step.id, (), info, max(rest, 0))
        if not info.is_queued:
            entry.whole_ns += step.duration_ns
        size, words = self._copied.pop((step.plan, step.run_id), (0, ""))
        entry.copied_bytes += size
        entry.reason = words or entry.reason
        self._add_to_timeline(info, stage, step.thread, step.time_ns, step.duration_ns)

    def _add_to_timeline(
        self, info: StepInfo, stage: str, thread: int, time_ns: int, duration_ns: int
    ) -> None:
        layer, kind, backend, kernel = info.layer, info.type, info.backend, info.kernel
        self._timeline.append(
            TimelineEvent(layer, kind, backend, kernel, thread, time_ns, duration_ns, stage)
        )

    def _tell(self, event: trace.TraceEvent, *, in_run: bool) -> None:
        if in_run:
            self._in_step.setdefault((event.plan, event.run_id), []).append(len(self._told))
        phase = _PHASES[event.kind]
        self._told.append(
            BackendEvent(event.name, phase, event.id, event.thread, event.time_ns, in_run)
        )

    def _attribute(self, step: trace.TraceEvent, info: StepInfo, stage: str) -> list[BackendEvent]:
        """Attribute events that backends reported during a step to that step.

        Returns the events of the step's own thread.
        """
        inside = []
        for index in self._in_step.pop((step.plan, step.run_id), ()):
            told = self._told[index]
            if step.time_ns <= told.time_ns <= step.time_ns + step.duration_ns:
                self._told[index] = replace(
                    told, layer=info.layer, backend=info.backend, stage=stage
                )
                if told.thread == step.thread:
                    inside.append(told)
        return inside

    def __iter__(self) -> Iterator[LayerProfile]:
        return iter(self.layers)

    def slowest(self, count: int = 10) -> tuple[LayerProfile, ...]:
        """The layers that took the most time in all."""
        return tuple(sorted(self.layers, key=lambda layer: -layer.total_ns)[:count])

    def to_json(self) -> dict[str, Any]:
        """The profile as JSON-able values; times in microseconds."""
        return to_json(self)

    def __str__(self) -> str:
        return to_text(self)

    def __repr__(self) -> str:
        return f"<Profile of '{printable(self._name)}': {summary(self)}>"

    def _repr_html_(self) -> str:
        return to_html(self, self._name)
