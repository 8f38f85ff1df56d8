# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Time per layer, from the native trace."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from armnn_py._native import trace
from armnn_py.errors import ArmnnError
from armnn_py.ownership import Owner
from armnn_py.runtime.inner_layers import COMPILED, find_inner_layers, names_of
from armnn_py.runtime.network_plan import StepInfo
from armnn_py.text import counted, html_table, printable, text_table

if TYPE_CHECKING:
    from types import TracebackType

    from armnn_py._native.plan import NativeContext
    from armnn_py._native.profiling_context import NativeProfilingContext
    from armnn_py.backends.backend import Backend
    from armnn_py.optimizer.report import LayerAssignment
    from armnn_py.runtime.loaded_network import LoadedNetwork
    from armnn_py.runtime.network_plan import NetworkPlan

__all__ = [
    "BackendEvent",
    "LayerProfile",
    "Profile",
    "TimelineEvent",
    "flush_profiles",
    "note_copies",
    "open_profiles",
]

_log = logging.getLogger("armnn_py.runtime")

_HEAD = ("layer", "type", "backend", "kernel", "calls", "mean ms", "total ms", "%")
_NUMBERS = range(4, 8)

# The native buffer is one for the process and reading empties it, so all open profiles are served
# by whoever reads.
_lock = threading.RLock()
open_profiles: list[Profile] = []


def flush_profiles() -> None:
    """Hand what was recorded to the open profiles; before a plan's address can be used again."""
    with _lock:
        if not open_profiles:
            return
        events = trace.read()
        dropped = trace.dropped()
        for profile in open_profiles:
            profile._take(events, dropped)


def note_copies(plan: NetworkPlan, native: NativeContext) -> None:
    """Tell the open profiles what the last run of a context copied."""
    copies, copied_bytes = native.copies
    with _lock:
        for profile in open_profiles:
            if plan in profile._network._plans():
                profile.copies += copies
                profile.copied_bytes += copied_bytes


@dataclass(frozen=True, slots=True)
class LayerProfile:
    """All executions of one layer while the profile was open; times in nanoseconds.

    ``memory`` tells of a copy or import between which memories it goes, as ids of tensor handle
    factories or the host, e.g. ``host -> Acme/AcmeNpu/Device``; of other layers it is empty.
    """

    layer: str
    type: str
    backend: str
    kernel: str
    calls: int
    total_ns: int
    memory: str = ""

    @property
    def mean_ns(self) -> float:
        """Time of one execution."""
        return self.total_ns / self.calls


@dataclass(frozen=True, slots=True)
class BackendEvent:
    """Something that a backend told the trace.

    Attributes
    ----------
    name
        What it is, in the backend's words.
    phase
        ``"begin"``, ``"end"`` or ``"instant"``; begin and end nest on one thread.
    id
        What the backend numbers its events with, usually a layer's guid.
    thread
        A small number, the same for one thread.
    time_ns
        When it was, on the monotonic clock.
    in_run
        Whether it came from a thread that worked for a run of the profiled network; otherwise from
        a thread of a backend, and perhaps for another network.
    layer, backend
        What was executed at that moment, as in `LayerProfile`; None for what came from a thread of
        a backend or from between two layers.
    """

    name: str
    phase: Literal["begin", "end", "instant"]
    id: int
    thread: int
    time_ns: int
    in_run: bool
    layer: str | None = None
    backend: str | None = None


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """One execution of a layer, or a whole run (whose ``type`` is ``"Run"``).

    Attributes
    ----------
    layer, type, backend, kernel
        As in `LayerProfile`.
    thread
        A small number, the same for one thread.
    time_ns, duration_ns
        When it began, on the monotonic clock, and how long it took.
    """

    layer: str
    type: str
    backend: str
    kernel: str
    thread: int
    time_ns: int
    duration_ns: int


_PHASES: dict[int, Literal["begin", "end", "instant"]] = dict(
    zip(trace.PHASES, ("begin", "end", "instant"), strict=True)
)


@dataclass(slots=True)
class _Sum:
    """What is known of a step, or of layers inside it."""

    info: StepInfo
    calls: int = 0
    total_ns: int = 0


_RUN = StepInfo("run", "Run", "host", "")


class _Counting:
    """Counters of a backend while a profile is open."""

    __slots__ = ("_backend", "_before", "_context")

    def __init__(self, backend: Backend, context: NativeProfilingContext) -> None:
        self._backend = backend
        self._context = context
        backend.retain()
        try:
            context.start()
            try:
                self._before = context.read()
            except BaseException:
                context.stop()
                raise
        except BaseException:
            backend.release()
            raise

    def finish(self) -> dict[str, float]:
        """Turn the counters off and return what they have come to."""
        try:
            return self._context.scaled(self._context.read(), self._before)
        finally:
            self._context.stop()
            self._backend.release()


class Profile(Owner, instead="keep its .layers or to_json()"):
    """Records while its ``with`` block is open; holds the result afterwards.

    Only runs of the network that it was asked from are counted, also when others run, or are
    profiled, beside it. Use it once.

    Attributes
    ----------
    layers
        Time of each layer. Layers that a backend compiled into one part and runs together are
        shown by kernel, as ``conv1 + relu1``; the part itself has what is left of its time.
    timeline
        Each execution of a layer and each run, in the order of their ends.
    runs, run_ns
        How many runs there were, and their time in all.
    copies, copied_bytes
        How often the host copied a tensor, between memories or to where it is aligned, and how
        many bytes in all.
    dropped
        How many events did not fit into the buffer.
    events
        What backends told the trace: `BackendEvent`, oldest first, with layer and backend.
    counters
        By backend of the runtime: counter name to value, in the counter's unit. A delta counter's
        value is by how much it grew, whoever used the backend; an absolute one's its last.
    """

    __slots__ = (
        "_counting",
        "_dropped_before",
        "_in_step",
        "_known",
        "_network",
        "_sums",
        "_timeline",
        "_told",
        "copied_bytes",
        "copies",
        "counters",
        "dropped",
        "events",
        "layers",
        "run_ns",
        "runs",
        "timeline",
    )

    CAPACITY = 1 << 18

    def __init__(self, network: LoadedNetwork) -> None:
        self._network = network
        # By plan, step and guids of layers inside it: what is shown, calls, nanoseconds.
        self._sums: dict[tuple[NetworkPlan, int, tuple[int, ...]], _Sum] = {}
        self._timeline: list[TimelineEvent] = []
        self._known: dict[NetworkPlan, dict[int, LayerAssignment]] = {}
        self._dropped_before = 0
        self._told: list[BackendEvent] = []
        # Indices of told events by run: whose they are is known when the step has ended.
        self._in_step: dict[tuple[int, int], list[int]] = {}
        self._counting: dict[str, _Counting] = {}
        self.layers: tuple[LayerProfile, ...] = ()
        self.events: tuple[BackendEvent, ...] = ()
        self.timeline: tuple[TimelineEvent, ...] = ()
        self.counters: dict[str, dict[str, float]] = {}
        self.runs = 0
        self.run_ns = 0
        self.copies = 0
        self.copied_bytes = 0
        self.dropped = 0

    def __enter__(self) -> Profile:
        with _lock:
            flush_profiles()
            trace.start(self.CAPACITY)
            self._dropped_before = trace.dropped()
            open_profiles.append(self)
        self._start_counters()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for backend_id, counting in self._counting.items():
            try:
                self.counters[backend_id] = counting.finish()
            except ArmnnError as error:
                _log.warning("the profile lacks counters: %s", error)
        self._counting.clear()
        with _lock:
            flush_profiles()
            open_profiles.remove(self)
            trace.stop()
        self.layers = tuple(
            LayerProfile(
                entry.info.layer,
                entry.info.type,
                entry.info.backend,
                entry.info.kernel,
                entry.calls,
                entry.total_ns,
                entry.info.memory,
            )
            for entry in self._sums.values()
        )
        self.events = tuple(self._told)
        self.timeline = tuple(self._timeline)
        self._timeline.clear()
        self._known.clear()
        self._sums.clear()
        self._told.clear()
        self._in_step.clear()

    def _start_counters(self) -> None:
        for backend in self._network.runtime.backends.values():
            context = backend.profiling
            if context is None:
                continue
            try:
                self._counting[backend.id] = _Counting(backend, context)
            except ArmnnError as error:
                _log.warning("the profile lacks counters: %s", error)

    def _take(self, events: list[trace.TraceEvent], dropped: int) -> None:
        """Count the events of this profile's network; ``dropped`` is the process's count."""
        self.dropped = max(0, dropped - self._dropped_before)
        plans = {
            plan.native.address: plan for plan in self._network._plans() if plan.native is not None
        }
        for event in events:
            plan = plans.get(event.plan)
            if event.kind in _PHASES and (plan is not None or not event.plan):
                self._tell(event, in_run=plan is not None)
            if plan is None:
                continue
            if event.kind == trace.RUN:
                self.runs += 1
                self.run_ns += event.duration_ns
                self._in_step.pop((event.plan, event.run_id), None)
                self._add_to_timeline(event, _RUN, event.time_ns, event.duration_ns)
            elif event.kind == trace.STEP:
                self._take_step(event, plan)

    def _take_step(self, step: trace.TraceEvent, plan: NetworkPlan) -> None:
        """Count one execution of a step, and of the layers inside it."""
        info = plan.steps[step.id]
        inside = self._attribute(step, info)
        rest = step.duration_ns
        if info.type == COMPILED and inside:
            if plan not in self._known:
                self._known[plan] = {
                    row.guid: row for row in plan.assignment if row.guid is not None
                }
            known = self._known[plan]
            for inner in find_inner_layers(inside, known):
                names, types = names_of(inner.guids, known)
                shown = StepInfo(names, types, info.backend, inner.kernel)
                self._count(plan, step.id, tuple(inner.guids), shown, inner.duration_ns)
                self._add_to_timeline(step, shown, inner.start_ns, inner.duration_ns)
                rest -= inner.duration_ns
        self._count(plan, step.id, (), info, max(rest, 0))
        self._add_to_timeline(step, info, step.time_ns, step.duration_ns)

    def _count(
        self, plan: NetworkPlan, step: int, guids: tuple[int, ...], info: StepInfo, time_ns: int
    ) -> None:
        entry = self._sums.setdefault((plan, step, guids), _Sum(info))
        entry.calls += 1
        entry.total_ns += time_ns

    def _add_to_timeline(
        self, event: trace.TraceEvent, info: StepInfo, time_ns: int, duration_ns: int
    ) -> None:
        layer, kind, backend, kernel = info.layer, info.type, info.backend, info.kernel
        self._timeline.append(
            TimelineEvent(layer, kind, backend, kernel, event.thread, time_ns, duration_ns)
        )

    def _tell(self, event: trace.TraceEvent, *, in_run: bool) -> None:
        if in_run:
            self._in_step.setdefault((event.plan, event.run_id), []).append(len(self._told))
        phase = _PHASES[event.kind]
        self._told.append(
            BackendEvent(event.name, phase, event.id, event.thread, event.time_ns, in_run)
        )

    def _attribute(self, step: trace.TraceEvent, info: StepInfo) -> list[BackendEvent]:
        """Say of what a run's backends told during a step that it belongs to it.

        Returns what they told on the step's own thread.
        """
        inside = []
        for index in self._in_step.pop((step.plan, step.run_id), ()):
            told = self._told[index]
            if step.time_ns <= told.time_ns <= step.time_ns + step.duration_ns:
                self._told[index] = replace(told, layer=info.layer, backend=info.backend)
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
        return {
            "runs": self.runs,
            "run_us": self.run_ns / 1e3,
            "copies": self.copies,
            "copied_bytes": self.copied_bytes,
            "dropped_events": self.dropped,
            "layers": [
                {
                    "layer": layer.layer,
                    "type": layer.type,
                    "backend": layer.backend,
                    "kernel": layer.kernel,
                    "memory": layer.memory,
                    "calls": layer.calls,
                    "total_us": layer.total_ns / 1e3,
                }
                for layer in self.layers
            ],
            "counters": {backend: dict(values) for backend, values in self.counters.items()},
            "events": [
                {
                    "name": event.name,
                    "phase": event.phase,
                    "id": event.id,
                    "thread": event.thread,
                    "time_us": event.time_ns / 1e3,
                    "in_run": event.in_run,
                    "layer": event.layer,
                    "backend": event.backend,
                }
                for event in self.events
            ],
        }

    def _rows(self) -> list[tuple[str, ...]]:
        total = sum(layer.total_ns for layer in self.layers) or 1
        return [
            _HEAD,
            *(
                (
                    layer.layer,
                    layer.type,
                    layer.backend,
                    f"{layer.kernel} {layer.memory}".rstrip(),
                    str(layer.calls),
                    f"{layer.mean_ns / 1e6:.3f}",
                    f"{layer.total_ns / 1e6:.3f}",
                    f"{100 * layer.total_ns / total:.1f}",
                )
                for layer in self.slowest(len(self.layers))
            ),
        ]

    @property
    def _total(self) -> str:
        lost = f"; {counted(self.dropped, 'event')} lost" if self.dropped else ""
        copied = f"; {counted(self.copied_bytes, 'byte')} copied" if self.copies else ""
        return f"{counted(self.runs, 'run')} in {self.run_ns / 1e6:.3f} ms{copied}{lost}"

    def _counter_rows(self) -> list[tuple[str, ...]]:
        rows: list[tuple[str, ...]] = [
            (backend, name, f"{value:g}")
            for backend, values in self.counters.items()
            for name, value in values.items()
        ]
        return [("backend", "counter", "value"), *rows] if rows else []

    def __str__(self) -> str:
        if not self.layers:
            return "nothing was run"
        counters = self._counter_rows()
        more = f"\n\n{text_table(counters, right=range(2, 3))}" if counters else ""
        return f"{text_table(self._rows(), right=_NUMBERS)}\n{self._total}{more}"

    def __repr__(self) -> str:
        return f"<Profile of '{printable(self._network.name)}': {self._total}>"

    def _repr_html_(self) -> str:
        table = html_table(self._rows(), f"Profile of '{self._network.name}': {self._total}")
        counters = self._counter_rows()
        return table + html_table(counters, "Counters") if counters else table
