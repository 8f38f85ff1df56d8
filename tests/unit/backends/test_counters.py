# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Profiling contexts: counters of backends in profiles, and their events in the trace."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path

import numpy as np
import pytest

import armnn_py as ann
from armnn_py.backends import Backend

Journal = Callable[[], list[str]]
X = np.arange(4, dtype=np.float32)

COUNTERS = (
    ann.Counter("layers", "Layers that were executed", "layers", "delta", 1.0),
    ann.Counter("temperature", "Of the chip", "degrees", "absolute", 0.5),
)


def test_life(services_folder: Path, journal: Journal) -> None:
    """It is made after the instance and gone before it."""
    with ann.Runtime(services_folder) as runtime:
        assert runtime.backends["Services"].counters == COUNTERS
        assert journal() == ["create", "profiling"]
    assert journal() == ["profiling gone", "destroy"]


def test_read(services: Backend, journal: Journal) -> None:
    """Profiling is on for as long as it takes; 42 raw units of temperature are 21 degrees."""
    values = services.read_counters()
    assert values.keys() == {"layers", "temperature"}
    assert values["temperature"] == 21.0
    assert journal() == [
        "profiling on 1",
        "host enabled 1",
        "activate 2",
        "profiling on 0",
        "host enabled 0",
        "activate 0",
    ]


def test_profile(
    runtime: ann.Runtime, services: Backend, network: ann.Network, journal: Journal
) -> None:
    """A delta counter says by how much it grew; the kernels report from many threads."""
    with ann.load(network, ["Services"], runtime=runtime) as net:
        net.run(X)
        before = services.read_counters()["layers"]
        journal()
        with net.profile() as profile:
            with net.profile() as inner:
                net.run(X)
            np.testing.assert_array_equal(net.run(X)["y"], -2 * X)
            net.run(X)
        lines = journal()
        net.run(X)
    assert [line for line in lines if line.startswith("profiling")] == [
        "profiling on 1",
        "profiling on 0",
    ]
    assert inner.counters == {"Services": {"layers": 2.0, "temperature": 21.0}}
    assert profile.counters == {"Services": {"layers": 6.0, "temperature": 21.0}}
    assert services.read_counters()["layers"] == before + 8

    assert json.loads(json.dumps(profile.to_json()))["counters"] == profile.counters
    assert str(profile).splitlines()[-3:] == [
        "backend    counter       value   unit",
        "Services   layers            6   layers",
        "Services   temperature      21   degrees",
    ]
    assert "<td>temperature</td><td>21</td><td>degrees</td>" in profile._repr_html_()


def test_events(runtime: ann.Runtime, network: ann.Network) -> None:
    """Phases in order on one thread, with the layer's guid as their id."""
    with ann.load(network, ["Services"], runtime=runtime) as net, net.profile() as profile:
        net.run(X)
    events = [event for event in profile.events if event.in_run]
    assert [(event.name, event.phase) for event in events] == [
        ("kernel", "begin"),
        ("half way", "instant"),
        ("kernel", "end"),
    ] * 2
    first, second = {event.id for event in events[:3]}, {event.id for event in events[3:]}
    assert len(first) == len(second) == 1
    assert first != second
    assert len({event.thread for event in events}) == 1
    assert {event.backend for event in events} == {"Services"}
    assert [event.layer for event in events] == ["add"] * 3 + ["neg"] * 3
    times = [event.time_ns for event in events]
    assert times == sorted(times)
    assert times[-1] - times[0] <= profile.run_ns
    told = json.loads(json.dumps(profile.to_json()))["events"]
    assert [event["phase"] for event in told] == ["begin", "instant", "end"] * 2
    assert (told[0]["layer"], told[0]["backend"]) == ("add", "Services")
    assert told[0]["time_us"] == times[0] / 1e3


def test_events_of_another_network_are_not_ours(runtime: ann.Runtime, network: ann.Network) -> None:
    with (
        ann.load(network, ["Services"], runtime=runtime) as net,
        ann.load(network, ["Services"], runtime=runtime) as other,
    ):
        with net.profile() as profile:
            other.run(X)
        assert profile.events == ()
        assert str(profile) == "nothing was run"


@pytest.mark.parametrize(
    "function", ["enable_profiling", "activate_counters", "report_counter_values"]
)
def test_failures(
    runtime: ann.Runtime,
    services: Backend,
    network: ann.Network,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    function: str,
) -> None:
    """A backend whose counters fail is profiled without them."""
    monkeypatch.setenv("SERVICES_REFUSES", function)
    words = f"backend 'Services': {function} failed: {function} says no"
    with pytest.raises(ann.BackendError) as caught:
        services.read_counters()
    assert str(caught.value) == words
    with ann.load(network, ["Services"], runtime=runtime) as net:
        caplog.clear()
        with net.profile() as profile:
            net.run(X)
        assert profile.counters == {}
        assert profile.runs == 1
        assert f"the profile lacks counters: {words}" in caplog.text
    assert profile.notes == (f"the profile lacks counters: {words}",)
    assert str(profile).splitlines()[-1] == f"note: the profile lacks counters: {words}"
    assert f"<p>note: the profile lacks counters: {escape(words)}</p>" in profile._repr_html_()
    monkeypatch.delenv("SERVICES_REFUSES")
    assert services.read_counters()["temperature"] == 21.0


def test_values_of_an_unknown_counter(services: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", "bad-counter-id")
    with pytest.raises(ann.BackendError, match="the host takes no values") as caught:
        services.read_counters()
    assert "(refused before: report: there is no counter with id 77)" in str(caught.value)


def test_delta_counter_that_goes_back(
    runtime: ann.Runtime, network: ann.Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", "counter-back")
    with ann.load(network, ["Services"], runtime=runtime) as net, net.profile() as profile:
        net.run(X)
    assert profile.counters["Services"]["layers"] == -2.0
    words = "backend 'Services': counter 'layers' is a delta counter, but its value went back"
    assert profile.notes == (words,)


def test_no_profiling_context(
    services_folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", "bad-no-profiling")
    with ann.Runtime(services_folder) as runtime:
        assert runtime.backends["Services"].counters == ()
        assert runtime.backends["Services"].read_counters() == {}


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        (
            "create_profiling_context",
            "context-failed",
            "create_profiling_context failed with internal: create_profiling_context says no",
        ),
        (
            "bad-counter-name",
            "context-failed",
            "create_profiling_context failed with invalid argument: counter 1 was not taken "
            "(refused before: register_counter: there is a counter 'layers' already)",
        ),
    ],
)
def test_refused(
    services_folder: Path,
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    code: str,
    words: str,
) -> None:
    monkeypatch.setenv("SERVICES_REFUSES", fault)
    with pytest.warns(ann.BackendSkippedWarning):
        runtime = ann.Runtime(services_folder)
    with runtime:
        verdict = runtime.load_report.about("Services")[0]
        assert (verdict.status, verdict.stage, verdict.code) == ("refused", "create", code)
        assert words in verdict.reason
    assert journal() == ["create", "profiling", "destroy"]
