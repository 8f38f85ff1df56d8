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
from armnn_py.text import counted, html_table, printable, text_table

if TYPE_CHECKING:
    from types import TracebackType

    from armnn_py._native.plan import NativeContext
    from armnn_py._native.profiling_context import NativeProfilingContext
    from armnn_py.backends.backend import Backend
    from armnn_py.runtime.loaded_network import LoadedNetwork
    from armnn_py.runtime.network_plan import NetworkPlan, StepInfo

__all__ = ["BackendEvent", "LayerProfile", "Profile", "flush_profiles", "note_copies"]

_log = logging.getLogger("armnn_py.runtime")

_HEAD = ("layer", "type", "backend", "kernel", "calls", "mean ms", "total ms", "%")
_NUMBERS = range(4, 8)

# The native buffer is one for the process and reading empties it, so all open profiles are served
# by whoever reads.
_lock = threading.RLock()
_open: list[Profile] = []


def flush_profiles() -> None:
    """Hand what was recorded to the open profiles; before a plan's address can be used again."""
    with _lock:
        if not _open:
            return
        events = trace.read()
        dropped = trace.dropped()
        for profile in _open:
            profile._take(events, dropped)


def note_copies(plan: NetworkPlan, native: NativeContext) -> None:
    """Tell the open profiles what the last run of a context copied."""
    if not _open:
        return
    copies, copied_bytes = native.copies
    with _lock:
        for profile in _open:
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


_PHASES: dict[int, Literal["begin", "end", "instant"]] = dict(
    zip(trace.PHASES, ("begin", "end", "instant"), strict=True)
)


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
        Time of each layer.
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
        "_network",
        "_sums",
        "_told",
        "copied_bytes",
        "copies",
        "counters",
        "dropped",
        "events",
        "layers",
        "run_ns",
        "runs",
    )

    CAPACITY = 1 << 18

    def __init__(self, network: LoadedNetwork) -> None:
        self._network = network
        self._sums: dict[tuple[NetworkPlan, int], list[int]] = {}
        self._dropped_before = 0
        self._told: list[BackendEvent] = []
        # Indices of told events by run: whose they are is known when the step has ended.
        self._in_step: dict[tuple[int, int], list[int]] = {}
        self._counting: dict[str, _Counting] = {}
        self.layers: tuple[LayerProfile, ...] = ()
        self.events: tuple[BackendEvent, ...] = ()
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
            _open.append(self)
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
            _open.remove(self)
            trace.stop()
        layers = []
        for (plan, step), (calls, total) in self._sums.items():
            info = plan.steps[step]
            layers.append(
                LayerProfile(
                    info.layer,
                    info.type,
                    info.backend,
                    info.kernel,
                    calls,
                    total,
                    info.memory,
                )
            )
        self.layers = tuple(layers)
        self.events = tuple(self._told)
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
            elif event.kind == trace.STEP:
                entry = self._sums.setdefault((plan, event.id), [0, 0])
                entry[0] += 1
                entry[1] += event.duration_ns
                self._attribute(event, plan.steps[event.id])

    def _tell(self, event: trace.TraceEvent, *, in_run: bool) -> None:
        if in_run:
            self._in_step.setdefault((event.plan, event.run_id), []).append(len(self._told))
        phase = _PHASES[event.kind]
        self._told.append(
            BackendEvent(event.name, phase, event.id, event.thread, event.time_ns, in_run)
        )

    def _attribute(self, step: trace.TraceEvent, info: StepInfo) -> None:
        """Say of what a run's backends told during a step that it belongs to it."""
        for index in self._in_step.pop((step.plan, step.run_id), ()):
            told = self._told[index]
            if step.time_ns <= told.time_ns <= step.time_ns + step.duration_ns:
                self._told[index] = replace(told, layer=info.layer, backend=info.backend)

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
