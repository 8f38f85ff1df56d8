# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A profile as a timeline in the Trace Event Format, which Perfetto and chrome://tracing open.

Runs, layers, and spans of backends from ``begin`` to ``end`` are slices, which nest on their
thread; so are the stages of a network that runs in stages, and the turns of a loop. Single events
of backends are marks. Kernels inside a compiled sub-graph are layers of the profile: they are shown
as layers only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armnn_py import BackendEvent, Profile, TimelineEvent

__all__ = ["chrome_trace"]

_PROCESS = 1


def chrome_trace(recorded: Profile) -> dict[str, Any]:
    """Return a profile in the Trace Event Format; times in microseconds from the first event."""
    start = min((event.time_ns for event in recorded.timeline), default=0)
    slices = [_slice_of(event, start) for event in recorded.timeline]
    told = [event for event in recorded.events if event.time_ns >= start]
    pairs, marks = _slices_and_marks(told, recorded)
    slices += [_slice_between(begin, end, start) for begin, end in pairs]
    slices.sort(key=lambda event: (event["ts"], -event["dur"]))
    events = slices + [_mark_of(event, start) for event in marks]
    labels: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": _PROCESS, "args": {"name": "armnn_py"}}
    ]
    for thread in sorted({event["tid"] for event in events}):
        label = {"name": f"thread {thread}"}
        labels.append(
            {"name": "thread_name", "ph": "M", "pid": _PROCESS, "tid": thread, "args": label}
        )
    return {"traceEvents": labels + events, "displayTimeUnit": "ms"}


def _slices_and_marks(
    told: list[BackendEvent], recorded: Profile
) -> tuple[list[tuple[BackendEvent, BackendEvent]], list[BackendEvent]]:
    """Pair begins and ends on each thread; return the pairs, and all other events."""
    shown = {(event.thread, event.time_ns, event.kernel) for event in recorded.timeline}
    inner = {guid for layer in recorded.layers for guid in layer.guids}
    opened: dict[int, list[BackendEvent]] = {}
    pairs: list[tuple[BackendEvent, BackendEvent]] = []
    marks: list[BackendEvent] = []

    def is_shown(begin: BackendEvent) -> bool:
        return (begin.thread, begin.time_ns, begin.name) in shown

    for event in told:
        stack = opened.setdefault(event.thread, [])
        if event.phase == "begin":
            stack.append(event)
        elif event.phase == "instant":
            if not (stack and is_shown(stack[-1]) and event.id in inner):
                marks.append(event)
        else:
            begun = [(one.name, one.id) for one in stack]
            if (event.name, event.id) not in begun:
                marks.append(event)
                continue
            while (begin := stack.pop()) and (begin.name, begin.id) != (event.name, event.id):
                marks.append(begin)
            if not is_shown(begin):
                pairs.append((begin, event))
    marks += [begin for stack in opened.values() for begin in stack]
    return pairs, sorted(marks, key=lambda event: event.time_ns)


def _slice_of(event: TimelineEvent, start: int) -> dict[str, Any]:
    return {
        "name": event.layer,
        "cat": event.type,
        "ph": "X",
        "ts": (event.time_ns - start) / 1e3,
        "dur": event.duration_ns / 1e3,
        "pid": _PROCESS,
        "tid": event.thread,
        "args": {
            "type": event.type,
            "backend": event.backend,
            "kernel": event.kernel,
            **({"stage": event.stage} if event.stage else {}),
        },
    }


def _slice_between(begin: BackendEvent, end: BackendEvent, start: int) -> dict[str, Any]:
    return {
        "name": begin.name,
        "cat": "backend",
        "ph": "X",
        "ts": (begin.time_ns - start) / 1e3,
        "dur": (end.time_ns - begin.time_ns) / 1e3,
        "pid": _PROCESS,
        "tid": begin.thread,
        "args": {"id": begin.id, "layer": begin.layer, "backend": begin.backend},
    }


def _mark_of(event: BackendEvent, start: int) -> dict[str, Any]:
    return {
        "name": event.name,
        "cat": "backend",
        "ph": "i",
        "s": "t",
        "ts": (event.time_ns - start) / 1e3,
        "pid": _PROCESS,
        "tid": event.thread,
        "args": {"phase": event.phase, "id": event.id, "layer": event.layer},
    }
