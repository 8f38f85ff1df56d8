# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A profile as tables and as JSON-able values."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Protocol

from armnn_py.text import counted, html_table, printable, text_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.runtime.profile.profile_records import BackendEvent, LayerProfile

__all__ = ["summary", "to_html", "to_json", "to_text"]

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
