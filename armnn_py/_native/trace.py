# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The native trace buffer: start, stop, read."""

from __future__ import annotations

from msgspec import Struct

from armnn_py._native import abi
from armnn_py._native.calls import raise_status
from armnn_py._native.library import core

STEP = abi.ARMNN_TRACE_EVENT_STEP
RUN = abi.ARMNN_TRACE_EVENT_RUN
#: Bytes that the next step of its run copied, and why it did not import.
COPY = abi.ARMNN_TRACE_EVENT_COPY
#: Kinds of a backend's own events.
PHASES = (abi.ARMNN_TRACE_BEGIN, abi.ARMNN_TRACE_END, abi.ARMNN_TRACE_INSTANT)


class TraceEvent(Struct, frozen=True):
    """One event; times in nanoseconds on the monotonic clock."""

    time_ns: int
    duration_ns: int
    id: int
    plan: int
    run_id: int
    thread: int
    kind: int
    name: str


def start(capacity: int) -> None:
    """Record the next ``capacity`` events of the process."""
    status = core().armnn_core_trace_start(capacity)
    if status != abi.ARMNN_STATUS_OK:
        raise_status(status, "the trace cannot be started")


def stop() -> None:
    """Stop recording; what was recorded can still be read."""
    core().armnn_core_trace_stop()


def dropped() -> int:
    """How many events did not fit."""
    count: int = core().armnn_core_trace_dropped()
    return count


def read() -> list[TraceEvent]:
    """Take all recorded events, oldest first."""
    events: list[TraceEvent] = []
    size = 4096
    array = (abi.armnn_trace_event_t * size)()
    while True:
        count = core().armnn_core_trace_read(array, size)
        events += [
            TraceEvent(
                e.time_ns,
                e.duration_ns,
                e.id,
                e.plan,
                e.run_id,
                e.thread,
                e.kind,
                e.name.decode("utf-8", "replace"),
            )
            for e in array[:count]
        ]
        if count < size:
            return events
