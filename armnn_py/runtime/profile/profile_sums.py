# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Sums of a profile: times of layers, also inside compiled sub-graphs, and counters; its tables.

A backend that runs several layers in one workload reports them by events: ``begin`` with the name
of a kernel and the guid of a layer, ``instant`` with the guid of each further layer that the kernel
computes, and ``end``. Other events have guids of no layer, or come from other code.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from armnn_py.runtime.profile.profile_records import LayerProfile
from armnn_py.runtime.profile.profile_stages import order_of_stage
from armnn_py.text import counted, html_table, printable, text_table
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py._native.table.profiling_context import ProfilingContext
    from armnn_py.backends.backend import Backend
    from armnn_py.optimizer.reports.report_layer import LayerAssignment
    from armnn_py.runtime.plan.step_info import StepInfo
    from armnn_py.runtime.profile.profile_records import BackendEvent


class Sum(Struct):
    """The sums for a step, or for layers inside it."""

    info: StepInfo
    stage: str = ""
    calls: int = 0
    total_ns: int = 0
    whole_ns: int = 0
    copied_bytes: int = 0
    reason: str = ""
    operations: int = 0
    expected_ns: int = 0


class LayerSums:
    """The sums of one profile, in the order in which their layers were met first."""

    __slots__ = ("_functions", "_sums")

    def __init__(self) -> None:
        # By plan (of stages: by what is shown), step, kernel and guids of layers inside it.
        self._sums: dict[tuple[Hashable, int, str, tuple[int, ...]], Sum] = {}
        # The sums of functions between stages, by stage.
        self._functions: dict[str, Sum] = {}

    def count(
        self,
        shown_by: Hashable,
        stage: str,
        step: int,
        guids: tuple[int, ...],
        info: StepInfo,
        time_ns: int,
    ) -> Sum:
        """Add one execution of a step, or of layers inside it; return the sums so far."""
        entry = self._sums.setdefault((shown_by, step, info.kernel, guids), Sum(info, stage))
        entry.calls += 1
        entry.total_ns += time_ns
        entry.operations += info.operations
        entry.expected_ns += info.expected_ns
        return entry

    def count_function(self, stage: str, info: StepInfo, duration_ns: int) -> None:
        """Add one execution of a function between stages."""
        entry = self.count(stage, stage, 0, (), info, duration_ns)
        entry.whole_ns += duration_ns
        self._functions[stage] = entry

    def records(self, time_inside: Callable[[str], int]) -> tuple[LayerProfile, ...]:
        """Return the sums by stage, and forget them.

        ``time_inside`` tells the time of all runs of the bodies of a stage, which is not that of
        its function.
        """
        for stage, function in self._functions.items():
            function.total_ns = max(0, function.total_ns - time_inside(stage))
        sums = sorted(self._sums.items(), key=lambda item: order_of_stage(item[1].stage))
        made = tuple(
            LayerProfile(
                entry.info.layer,
                entry.info.type,
                entry.info.backend,
                entry.info.kernel,
                entry.calls,
                entry.total_ns,
                entry.info.memory,
                guids,
                entry.copied_bytes,
                entry.reason,
                entry.operations // entry.calls,
                entry.expected_ns // entry.calls,
                entry.whole_ns,
                entry.stage,
            )
            for (*_, guids), entry in sums
        )
        self._sums.clear()
        return made


class Counting:
    """Counters of a backend while a profile is open."""

    __slots__ = ("_backend", "_before", "_context")

    def __init__(self, backend: Backend, context: ProfilingContext) -> None:
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

    @property
    def units(self) -> dict[str, str]:
        """The unit of each counter by its name; empty for a plain number."""
        return {counter.name: counter.unit for counter in self._context.counters}

    @property
    def delta_names(self) -> frozenset[str]:
        """Names of the counters that should only count up."""
        return frozenset(c.name for c in self._context.counters if c.counter_class == "delta")

    def finish(self) -> dict[str, float]:
        """Turn the counters off and return their values."""
        try:
            return self._context.scaled(self._context.read(), self._before)
        finally:
            self._context.stop()
            self._backend.release()


#: The type of a compiled sub-graph in a profile.
COMPILED = LayerType.PRE_COMPILED.label


class InnerLayer(Struct):
    """One kernel that ran inside a compiled sub-graph; times in nanoseconds."""

    kernel: str
    start_ns: int
    guids: list[int] = field(default_factory=list)
    duration_ns: int = 0


def find_inner_layers(
    events: Iterable[BackendEvent], known: Mapping[int, object]
) -> list[InnerLayer]:
    """Pair begins and ends of one step on one thread; ``known`` has the guids of layers.

    Of nested pairs the outermost counts. A begin whose end was lost is ignored.
    """
    closed: list[InnerLayer] = []
    opened: list[InnerLayer] = []
    for event in events:
        if event.id not in known:
            continue
        if event.phase == "begin":
            opened.append(InnerLayer(event.name, event.time_ns, [event.id]))
        elif event.phase == "instant":
            if opened:
                opened[-1].guids.append(event.id)
        else:
            depth = _matching(opened, event)
            if depth is None:
                continue
            current = opened[depth]
            del opened[depth:]
            current.duration_ns = event.time_ns - current.start_ns
            while closed and closed[-1].start_ns >= current.start_ns:
                closed.pop()
            closed.append(current)
    return closed


def _matching(opened: list[InnerLayer], end: BackendEvent) -> int | None:
    """Return which open begin an end belongs to: the last of its name and layer."""
    for depth in reversed(range(len(opened))):
        if opened[depth].kernel == end.name and opened[depth].guids[0] == end.id:
            return depth
    return None


def group_by_kernel(inner: Iterable[InnerLayer]) -> list[tuple[InnerLayer, int]]:
    """Return the first run of each kernel on each set of layers, and the time of all its runs.

    A kernel may run several times for a layer, such as a product for each row of pixels: together
    that is one execution. Another kernel on the same layers, such as the conversion of their
    inputs, counts apart.
    """
    groups: dict[tuple[str, tuple[int, ...]], list[InnerLayer]] = {}
    for one in inner:
        groups.setdefault((one.kernel, tuple(one.guids)), []).append(one)
    return [(group[0], sum(one.duration_ns for one in group)) for group in groups.values()]


def names_of(guids: Iterable[int], known: Mapping[int, LayerAssignment]) -> tuple[str, str]:
    """Return the names and the types of layers, joined with plus signs."""
    layers = [known[guid] for guid in guids]
    return " + ".join(row.layer for row in layers), " + ".join(row.type for row in layers)


_HEAD = ("layer", "type", "backend", "kernel", "calls", "mean ms", "total ms", "%")
#: Columns of backends' own figures: shown if one backend states them.
_STATED = ("GFLOP/s", "expected ms")


class Recorded(Protocol):
    """A `Profile` that is closed."""

    layers: tuple[LayerProfile, ...]
    events: tuple[BackendEvent, ...]
    counters: dict[str, dict[str, float]]
    units: dict[str, dict[str, str]]
    notes: tuple[str, ...]
    runs: int
    run_ns: int
    copies: int
    copied_bytes: int
    dropped: int

    def slowest(self, count: int) -> Sequence[LayerProfile]:
        """The layers that took the most time in all."""


def to_json(profile: Recorded) -> dict[str, Any]:
    """Return JSON-able values; times in microseconds."""
    return {
        "runs": profile.runs,
        "run_us": profile.run_ns / 1e3,
        "copies": profile.copies,
        "copied_bytes": profile.copied_bytes,
        "dropped_events": profile.dropped,
        "layers": [
            {
                "layer": layer.layer,
                "type": layer.type,
                "backend": layer.backend,
                "kernel": layer.kernel,
                "memory": layer.memory,
                "guids": list(layer.guids),
                "copied_bytes": layer.copied_bytes,
                "reason": layer.reason,
                "calls": layer.calls,
                "total_us": layer.total_ns / 1e3,
                "operations": layer.operations,
                "gflops": layer.gflops,
                "expected_us": layer.expected_ns / 1e3 if layer.expected_ns else None,
                "stage": layer.stage,
            }
            for layer in profile.layers
        ],
        "counters": {backend: dict(values) for backend, values in profile.counters.items()},
        "units": {backend: dict(units) for backend, units in profile.units.items()},
        "notes": list(profile.notes),
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
                "stage": event.stage,
            }
            for event in profile.events
        ],
    }


def summary(profile: Recorded) -> str:
    """Return the number of runs with their time, copied bytes and lost events."""
    lost = f"; {counted(profile.dropped, 'event')} lost" if profile.dropped else ""
    copied = f"; {counted(profile.copied_bytes, 'byte')} copied" if profile.copies else ""
    return f"{counted(profile.runs, 'run')} in {profile.run_ns / 1e6:.3f} ms{copied}{lost}"


def to_text(profile: Recorded) -> str:
    """Return a table of layers, the slowest first, one of counters, and notes."""
    if not profile.layers:
        return "nothing was run"
    counters = _counter_rows(profile)
    more = f"\n\n{text_table(counters, right=range(2, 3))}" if counters else ""
    if profile.notes:
        more += "\n\n" + "\n".join(f"note: {printable(note)}" for note in profile.notes)
    rows = _rows(profile)
    numbers = range(rows[0].index("calls"), len(rows[0]))
    return f"{text_table(rows, right=numbers)}\n{summary(profile)}{more}"


def to_html(profile: Recorded, name: str) -> str:
    """Return tables and notes as HTML for a notebook."""
    table = html_table(_rows(profile), f"Profile of '{name}': {summary(profile)}")
    counters = _counter_rows(profile)
    if counters:
        table += html_table(counters, "Counters")
    notes = "".join(f"<p>note: {html.escape(printable(note))}</p>" for note in profile.notes)
    return table + notes


def _rows(profile: Recorded) -> list[tuple[str, ...]]:
    total = sum(layer.total_ns for layer in profile.layers) or 1
    is_stated = any(layer.operations or layer.expected_ns for layer in profile.layers)
    is_staged = any(layer.stage for layer in profile.layers)
    return [
        (*(["stage"] if is_staged else []), *_HEAD, *(_STATED if is_stated else ())),
        *(
            (
                *([layer.stage] if is_staged else []),
                layer.layer,
                layer.type,
                layer.backend,
                printable(layer.how),
                str(layer.calls),
                f"{layer.mean_ns / 1e6:.3f}",
                f"{layer.total_ns / 1e6:.3f}",
                f"{100 * layer.total_ns / total:.1f}",
                *(_stated(layer) if is_stated else ()),
            )
            for layer in profile.slowest(len(profile.layers))
        ),
    ]


def _stated(layer: LayerProfile) -> tuple[str, str]:
    speed = "-" if layer.gflops is None else f"{layer.gflops:.1f}"
    return speed, f"{layer.expected_ns / 1e6:.3f}" if layer.expected_ns else "-"


def _counter_rows(profile: Recorded) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        (backend, name, f"{value:g}", profile.units.get(backend, {}).get(name, ""))
        for backend, values in profile.counters.items()
        for name, value in values.items()
    ]
    return [("backend", "counter", "value", "unit"), *rows] if rows else []
