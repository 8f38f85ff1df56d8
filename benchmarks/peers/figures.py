# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What the results of `compare` say: medians, the fastest peer, ratios to it.

A document of results is what `compare` writes: ``networks`` by name, by number of threads, by
engine.
"""

from __future__ import annotations

import math
from typing import Any

from catalogue import CATALOGUE
from engines import ENGINES

OURS = "armnn_py"

Figures = dict[str, dict[str, Any]]


def names_of(document: dict[str, Any], group: str, threads: str) -> list[str]:
    """Return the networks of a group that were timed with so many threads."""
    return [
        name
        for name, by_threads in document["networks"].items()
        if threads in by_threads and CATALOGUE[name].group == group
    ]


def thread_counts(document: dict[str, Any], group: str) -> list[str]:
    """Return the numbers of threads that networks of a group were timed with."""
    counts = {
        threads
        for name, by_threads in document["networks"].items()
        if CATALOGUE[name].group == group
        for threads in by_threads
    }
    return sorted(counts, key=int)


def median(figures: Figures, engine: str) -> float | None:
    """Return an engine's latency in milliseconds, if it was timed."""
    value = figures.get(engine, {}).get("median_ms")
    return float(value) if value is not None else None


def fastest(figures: Figures, *, direct_only: bool = False) -> tuple[str, float] | None:
    """Return the fastest peer, optionally among those without Winograd."""
    times = {
        engine: time
        for engine in figures
        if engine != OURS
        and not (direct_only and ENGINES[engine].uses_winograd)
        and (time := median(figures, engine)) is not None
    }
    return min(times.items(), key=lambda item: item[1]) if times else None


def ratios(
    document: dict[str, Any], group: str, threads: str, *, direct_only: bool = False
) -> dict[str, float]:
    """Return our latency over the fastest peer's, by network."""
    found = {}
    for name in names_of(document, group, threads):
        figures = document["networks"][name][threads]
        ours, peer = median(figures, OURS), fastest(figures, direct_only=direct_only)
        if ours is not None and peer is not None:
            found[name] = ours / peer[1]
    return found


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean; not a number for none."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan
