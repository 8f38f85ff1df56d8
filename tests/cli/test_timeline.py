# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The timeline that armnn-py profile --trace writes, from profiles made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import armnn_py as ann
from armnn_py.cli.commands.profile import chrome_trace

_RUN = ann.TimelineEvent("run", "Run", "host", "", 1, 1000, 9000)
_PART = ann.TimelineEvent("Npu: conv", "PreCompiled", "Npu", "program", 1, 1500, 8000)
_CONV = ann.TimelineEvent(
    "conv + relu", "Convolution2d + Activation", "Npu", "conv2d", 1, 2000, 3000
)


def event(name: str, phase: Any, number: int, time_ns: int, thread: int = 1) -> ann.BackendEvent:
    return ann.BackendEvent(name, phase, number, thread, time_ns, True, "Npu: conv", "Npu")


def trace_of(*told: ann.BackendEvent) -> list[dict[str, Any]]:
    """The events but names of process and threads."""
    profile = SimpleNamespace(
        timeline=(_CONV, _PART, _RUN), events=told, layers=(SimpleNamespace(guids=(7, 8)),)
    )
    document = chrome_trace(cast("ann.Profile", profile))
    assert set(document) == {"traceEvents", "displayTimeUnit"}
    events = cast("list[dict[str, Any]]", document["traceEvents"])
    for one in events:
        assert {"name", "ph", "pid", "args"} <= set(one)
    labelled = {one["tid"] for one in events if one["name"] == "thread_name"}
    rest = [one for one in events if one["ph"] != "M"]
    assert {one["tid"] for one in rest} == labelled
    return rest


def test_kernels_of_a_compiled_part_are_seen_once() -> None:
    rest = trace_of(
        event("conv2d", "begin", 7, 2000),
        event("fused", "instant", 8, 2010),
        event("conv2d", "end", 7, 5000),
    )
    assert [(e["name"], e["ph"], e["ts"], e["dur"]) for e in rest] == [
        ("run", "X", 0.0, 9.0),
        ("Npu: conv", "X", 0.5, 8.0),
        ("conv + relu", "X", 1.0, 3.0),
    ]
    assert rest[2]["args"]["kernel"] == "conv2d"


def test_backend_events_are_slices_and_marks() -> None:
    rest = trace_of(
        event("conv2d", "begin", 7, 2000),
        event("load", "begin", 99, 2100),
        event("half", "instant", 99, 2500),
        event("load", "end", 99, 2900),
        event("fetched", "instant", 100, 3000),
        event("conv2d", "end", 7, 5000),
        event("queue", "begin", 1, 2000, thread=2),
        event("queue", "end", 1, 2700, thread=2),
    )
    added = [e for e in rest if e["cat"] == "backend"]
    assert [(e["name"], e["ph"], e["tid"], e["ts"], e.get("dur")) for e in added] == [
        ("queue", "X", 2, 1.0, 0.7),
        ("load", "X", 1, 1.1, 0.8),
        ("half", "i", 1, 1.5, None),
        ("fetched", "i", 1, 2.0, None),
    ]


def test_begins_and_ends_without_each_other_are_marks() -> None:
    rest = trace_of(
        event("ended", "end", 1, 1600),
        event("outer", "begin", 2, 1700),
        event("lost", "begin", 3, 1800),
        event("outer", "end", 2, 1900),
        event("open", "begin", 4, 6000),
    )
    added = [(e["name"], e["ph"], e["args"].get("phase")) for e in rest if e["cat"] == "backend"]
    assert added == [
        ("outer", "X", None),
        ("ended", "i", "end"),
        ("lost", "i", "begin"),
        ("open", "i", "begin"),
    ]
