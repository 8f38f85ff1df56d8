# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""How much of a run lies around the operators of a library, by the profile."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    import armnn_py as ann


def is_change_of_layout(step: str) -> bool:
    """Return whether a step, as the example over XNNPACK names it, changes a layout."""
    return step == "change of layout"


class Shares(NamedTuple):
    """Parts of a run, all of which is 1."""

    border: float
    """In no operator: this package, the backend around its library, the trace that tells it."""
    changes_of_layout: float
    reference: float
    """Layers that CpuRef computes."""


def border_shares(loaded: ann.LoadedNetwork, inputs: dict[str, np.ndarray], runs: int) -> Shares:
    """Return where the time of a run goes, but for the library's operators; medians."""
    samples = []
    for _ in range(runs):
        with loaded.profile() as profile:
            loaded.run(inputs)
        reference = sum(row.total_ns for row in profile.layers if row.backend == "CpuRef")
        operators = changes = 0
        for name, took in _steps(profile):
            if is_change_of_layout(name):
                changes += took
            else:
                operators += took
        border = profile.run_ns - operators - changes - reference
        samples.append([part / profile.run_ns for part in (border, changes, reference)])
    return Shares(*map(statistics.median, zip(*samples, strict=True)))


def _steps(profile: ann.Profile) -> list[tuple[str, int]]:
    """Return name and nanoseconds of what backends ran inside of their parts."""
    begun: dict[int, list[ann.BackendEvent]] = {}
    steps = []
    for event in profile.events:
        if event.phase == "begin":
            begun.setdefault(event.thread, []).append(event)
        elif event.phase == "end":
            start = begun[event.thread].pop()
            steps.append((start.name, event.time_ns - start.time_ns))
    return steps
