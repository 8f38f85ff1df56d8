# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``bench --concurrency``: runs from several threads at once."""

from __future__ import annotations

import math
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import click

__all__ = ["measure_callers", "percentiles", "read_callers"]

_MOST_CALLERS = 256


def read_callers(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> tuple[int, ...]:
    """Read ``4``, or ``1:8`` as 1, 2, 4 and 8 callers."""
    if value is None:
        return ()
    first, _, last = value.partition(":")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise click.BadParameter(f"'{value}' given, a number or FIRST:LAST expected")
    least, most = int(first), int(last or first)
    if not 1 <= least <= most <= _MOST_CALLERS:
        raise click.BadParameter(f"'{value}' given, 1 to {_MOST_CALLERS} callers expected")
    counts = [least]
    while counts[-1] * 2 < most:
        counts.append(counts[-1] * 2)
    return tuple(dict.fromkeys([*counts, most]))


def measure_callers(
    run: Callable[[], float], counts: Sequence[int], seconds: float, least_runs: int
) -> list[dict[str, Any]]:
    """Run from so many threads at once, one count after the other.

    Parameters
    ----------
    run
        Runs once and returns its seconds; called by several threads.
    counts
        Numbers of threads.
    seconds
        How long each number of threads runs.
    least_runs
        Runs of each thread at least.

    Returns
    -------
    list of dict
        For each count: its runs, throughput and percentiles.
    """
    rows = []
    for count in counts:
        ready = threading.Barrier(count + 1)

        def call(ready: threading.Barrier = ready) -> list[float]:
            times: list[float] = []
            ready.wait()
            end = time.perf_counter() + seconds
            while len(times) < least_runs or time.perf_counter() < end:
                times.append(run())
            return times

        with ThreadPoolExecutor(count) as pool:
            calls = [pool.submit(call) for _ in range(count)]
            ready.wait()
            start = time.perf_counter()
            times = [taken for one in calls for taken in one.result()]
            elapsed = time.perf_counter() - start
        rows.append(
            {
                "callers": count,
                "runs": len(times),
                "runs_per_second": len(times) / elapsed,
                **percentiles(times),
            }
        )
    return rows


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """Return the median, and the times that 90 % and 99 % of the runs do not exceed."""
    ordered = sorted(times)

    def percentile(share: float) -> float:
        return ordered[math.ceil(share * len(ordered)) - 1]

    return {
        "p50_seconds": statistics.median(ordered),
        "p90_seconds": percentile(0.90),
        "p99_seconds": percentile(0.99),
    }
