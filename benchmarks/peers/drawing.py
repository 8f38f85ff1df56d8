# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The pictures of the page of benchmarks: bars of latency, and latency against load and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
from engines import ENGINES
from figures import OURS, fastest, geometric_mean, median, names_of, thread_counts

mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "armnn_py"  # the same figures give the same file
mpl.rcParams["svg.fonttype"] = "none"  # text stays text: small, and to be searched
from matplotlib import pyplot as plt  # noqa: E402

#: Of a bar in the picture; a longer one is cut and says its figure.
LONGEST = 3.0
#: What latency is drawn against: name in the results, and on the axis.
COSTS = {"load_ms": "time to load", "peak_mib": "peak memory"}


def colour(engine: str) -> str:
    """Return an engine's colour in all pictures."""
    return "black" if engine == OURS else f"C{list(ENGINES).index(engine)}"


def _bars(axis: Any, document: dict[str, Any], group: str, threads: str) -> None:
    """Draw each engine's latency over the fastest peer's, one group of bars a network."""
    by_name = {n: document["networks"][n][threads] for n in names_of(document, group, threads)}
    peers = {name: peer[1] for name, f in by_name.items() if (peer := fastest(f)) is not None}
    width = 0.84 / len(ENGINES)
    for index, engine in enumerate(ENGINES):
        bars = [
            (position + (index - len(ENGINES) / 2 + 0.5) * width, time / peer)
            for position, (name, peer) in enumerate(peers.items())
            if (time := median(by_name[name], engine)) is not None
        ]
        if not bars:
            continue  # it runs none of them, and is not in the legend
        axis.bar(
            [place for place, _ in bars], [min(height, LONGEST) for _, height in bars], width,
            label=ENGINES[engine].title, color=colour(engine), zorder=2,
        )  # fmt: skip
        for place, height in bars:
            if height > LONGEST:
                axis.text(
                    place, LONGEST + 0.06, f"{height:.1f}", fontsize="small",
                    ha="center", va="bottom", rotation=90,
                )  # fmt: skip
    axis.axhline(1, color="black", linewidth=0.8, zorder=3)
    axis.grid(axis="y", linewidth=0.4, zorder=0)
    axis.set_ylim(0, LONGEST + 0.5)
    axis.set_yticks([0, 0.5, 1, 1.5, 2, 2.5, 3])
    axis.set_xlim(-0.6, len(peers) - 0.4)
    axis.set_xticks(range(len(peers)), list(peers), rotation=20, ha="right", rotation_mode="anchor")
    axis.set_ylabel("latency / fastest peer")
    axis.set_title(f"{threads} thread{'s' if threads != '1' else ''} (lower is better)")


def draw_bars(document: dict[str, Any], group: str, target: Path) -> None:
    """Draw latencies, one row of bars for each number of threads.

    A bar that is longer than the picture ends in its figure.
    """
    counts = thread_counts(document, group)
    figure, axes = plt.subplots(
        len(counts), 1, figsize=(12, 3.6 * len(counts)), squeeze=False, layout="constrained"
    )
    for axis, threads in zip(axes[:, 0], counts, strict=True):
        _bars(axis, document, group, threads)
    _save(figure, axes[0, 0], target)


def relative(document: dict[str, Any], cost: str) -> dict[str, list[tuple[float, float]]]:
    """Return (cost, latency) of each engine on the float networks, 1 being the best engine's.

    With one thread, on the networks that the engine ran.
    """
    points: dict[str, list[tuple[float, float]]] = {}
    for name in names_of(document, "float32", "1"):
        figures = document["networks"][name]["1"]
        timed = {e: f for e, f in figures.items() if e in ENGINES and "median_ms" in f}
        least_cost = min(f[cost] for f in timed.values())
        least_time = min(f["median_ms"] for f in timed.values())
        for engine, f in timed.items():
            point = (f[cost] / least_cost, f["median_ms"] / least_time)
            points.setdefault(engine, []).append(point)
    return points


def draw_costs(document: dict[str, Any], target: Path) -> None:
    """Draw latency against the time to load and the peak memory, each over the best engine's.

    A large mark is the geometric mean of an engine's small ones; no other engine is better in both
    than those on the line.
    """
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.6), squeeze=False, layout="constrained")
    for axis, (cost, words) in zip(axes[0], COSTS.items(), strict=True):
        means = {}
        for engine, points in relative(document, cost).items():
            xs, ys = zip(*points, strict=True)
            means[engine] = geometric_mean(list(xs)), geometric_mean(list(ys))
            axis.scatter(xs, ys, s=9, alpha=0.45, color=colour(engine), linewidths=0, zorder=2)
            axis.scatter(
                *means[engine], s=90, color=colour(engine), edgecolors="white", zorder=4,
                label=ENGINES[engine].title,
            )  # fmt: skip
        front = sorted(
            point
            for point in means.values()
            if not any(x < point[0] and y < point[1] for x, y in means.values())
        )
        axis.plot(*zip(*front, strict=True), color="black", linewidth=0.8, zorder=3)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.grid(linewidth=0.3, zorder=0)
        for side, points in ((axis.xaxis, (1, 2, 5, 10, 20)), (axis.yaxis, (1, 1.5, 2, 3, 5))):
            side.set_ticks(points, [f"{point:g}" for point in points])
            side.set_ticks([], minor=True)
        axis.set_xlabel(f"{words} / that of the best engine")
        axis.set_ylabel("latency / that of the best engine")
    _save(figure, axes[0, 0], target)


def _save(figure: Any, labelled: Any, target: Path) -> None:
    """Write a picture whose legend stands above it."""
    handles, titles = labelled.get_legend_handles_labels()
    figure.legend(handles, titles, ncols=len(ENGINES), loc="outside upper center", frameon=False)
    figure.savefig(target, metadata={"Date": None})
    plt.close(figure)
