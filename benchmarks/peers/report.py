# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The page and the pictures of the documentation, from the results of `compare`.

    python benchmarks/peers/report.py benchmarks/results/peers*.json docs

Each file of results is another kind of machine, and gets a section and a picture of its own.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from engines import ENGINES

OURS = "armnn_py"
#: Networks that compute next to nothing, and what they show.
CALLS = {"relu16": "one ReLU of 16 floats", "chain100": "100 small nodes"}
#: Of a bar in the picture; a longer one is cut and says its figure.
LONGEST = 3.0

Figures = dict[str, dict[str, Any]]


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


def ratios(document: dict[str, Any], threads: str, *, direct_only: bool) -> dict[str, float]:
    """Return our latency over the fastest peer's, by network."""
    found = {}
    for name, by_threads in document["networks"].items():
        figures = by_threads.get(threads, {}) if name not in CALLS else {}
        ours, peer = median(figures, OURS), fastest(figures, direct_only=direct_only)
        if ours is not None and peer is not None:
            found[name] = ours / peer[1]
    return found


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean; not a number for none."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def table(document: dict[str, Any], threads: str) -> list[str]:
    """Return the lines of a Markdown table, the fastest of a row in bold."""
    names = [n for n, t in document["networks"].items() if threads in t and n not in CALLS]
    engines = [
        e for e in ENGINES if any(median(document["networks"][n][threads], e) for n in names)
    ]
    titles = " | ".join(ENGINES[engine].title for engine in engines)
    lines = [
        f"| network | {titles} | ours / fastest peer | ours / fastest without Winograd |",
        f"|{'---|' * (len(engines) + 3)}",
    ]
    best = ratios(document, threads, direct_only=False)
    direct = ratios(document, threads, direct_only=True)
    for name in names:
        figures = document["networks"][name][threads]
        times = [median(figures, engine) for engine in engines]
        least = min(time for time in times if time is not None)
        cells = [
            "-"
            if time is None
            else (f"**{time:.2f}**" if time == least else f"{time:.2f}")
            + (" (e)" if figures[engine].get("exact_settings") else "")
            for engine, time in zip(engines, times, strict=True)
        ]
        tail = [f"{r[name]:.2f}" if name in r else "-" for r in (best, direct)]
        lines.append(f"| {name} | {' | '.join(cells + tail)} |")
    means = [f"{geometric_mean(list(r.values())):.2f}" for r in (best, direct)]
    lines.append(f"| geometric mean | {' | '.join([''] * len(engines) + means)} |")
    return lines


def _grid(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def calls(document: dict[str, Any]) -> list[str]:
    """Return a table of what a call costs when there is next to nothing to compute."""
    rows = []
    for name, what in CALLS.items():
        figures = document["networks"].get(name, {}).get("1", {})
        times = [median(figures, engine) for engine in ENGINES]
        rows.append([what, *("-" if t is None else f"{t * 1e3:.1f}" for t in times)])
    return _grid(["", *(engine.title for engine in ENGINES.values())], rows)


def beside_others(document: dict[str, Any], busy: dict[str, Any]) -> list[str]:
    """Return a table of latencies with two threads while another process computes."""
    rows = []
    for name, by_threads in busy.items():
        row = [name]
        for engine in ENGINES:
            time = median(by_threads.get("2", {}), engine)
            alone = median(document["networks"].get(name, {}).get("2", {}), engine)
            known = time is not None and alone is not None
            row.append(f"{time:.2f} ({time / alone:.1f})" if known else "-")
        rows.append(row)
    return _grid(["network", *(engine.title for engine in ENGINES.values())], rows)


def left_out(document: dict[str, Any]) -> list[str]:
    """Return a list of what was not timed and why; nothing if all was."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name, by_threads in document["networks"].items():
        for figures in by_threads.values():
            for engine, result in figures.items():
                if "error" in result:
                    names = reasons.setdefault((engine, result["error"]), [])
                    names += [] if name in names else [name]
    return [
        f"- {ENGINES[engine].title}, {', '.join(names)}: {' '.join(reason.split())[-200:]}"
        for (engine, reason), names in reasons.items()
    ]


def uses_exact_settings(document: dict[str, Any]) -> bool:
    """Return whether an engine was timed at settings that are not its fastest."""
    return any(
        result.get("exact_settings", False)
        for by_threads in document["networks"].values()
        for figures in by_threads.values()
        for result in figures.values()
    )


def draw(document: dict[str, Any], target: Path) -> None:
    """Draw each engine's latency over the fastest peer's, one group of bars a network.

    A bar that is longer than the picture ends in its figure.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "armnn_py"  # the same figures give the same file
    mpl.rcParams["svg.fonttype"] = "none"  # text stays text: small, and to be searched
    from matplotlib import pyplot as plt

    counts = thread_counts(document)
    figure, axes = plt.subplots(
        len(counts), 1, figsize=(12, 3.6 * len(counts)), squeeze=False, layout="constrained"
    )
    engines = list(ENGINES)
    width = 0.84 / len(engines)
    for axis, threads in zip(axes[:, 0], counts, strict=True):
        names = [
            n
            for n, t in document["networks"].items()
            if threads in t and n not in CALLS and fastest(t[threads])
        ]
        for index, engine in enumerate(engines):
            places, heights = [], []
            for position, name in enumerate(names):
                figures = document["networks"][name][threads]
                time, peer = median(figures, engine), fastest(figures)
                if time is not None and peer is not None:
                    places.append(position + (index - len(engines) / 2 + 0.5) * width)
                    heights.append(time / peer[1])
            colour = "black" if engine == OURS else f"C{index}"
            axis.bar(
                places, [min(h, LONGEST) for h in heights], width,
                label=ENGINES[engine].title, color=colour, zorder=2,
            )  # fmt: skip
            for place, height in zip(places, heights, strict=True):
                if height > LONGEST:
                    axis.text(
                        place, LONGEST + 0.06, f"{height:.1f}", fontsize="small",
                        ha="center", va="bottom", rotation=90,
                    )  # fmt: skip
        axis.axhline(1, color="black", linewidth=0.8, zorder=3)
        axis.grid(axis="y", linewidth=0.4, zorder=0)
        axis.set_ylim(0, LONGEST + 0.5)
        axis.set_yticks([0, 0.5, 1, 1.5, 2, 2.5, 3])
        axis.set_xlim(-0.6, len(names) - 0.4)
        axis.set_xticks(range(len(names)), names, rotation=20, ha="right", rotation_mode="anchor")
        axis.set_ylabel("latency / fastest peer")
        axis.set_title(f"{threads} thread{'s' if threads != '1' else ''} (lower is better)")
    handles, titles = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, titles, ncols=len(ENGINES), loc="outside upper center", frameon=False)
    figure.savefig(target, metadata={"Date": None})


def kind(document: dict[str, Any]) -> str:
    """Return in words what kind of machine results are from."""
    machine = document["machine"]
    second = machine["second_cache_kib"]
    words = [machine["processor"], machine["instruction_set"]]
    words += [f"{second} KiB of second cache"] if second else []
    return ", ".join(words)


def summary(document: dict[str, Any], threads: str) -> str:
    """Return in words how we stand with so many threads."""
    best = ratios(document, threads, direct_only=False)
    worst = max(best, key=best.__getitem__)
    mean = geometric_mean(list(best.values()))
    plural = "s" if threads != "1" else ""
    return f"{threads} thread{plural} {mean:.2f}, at worst {best[worst]:.2f} ({worst})"


def thread_counts(document: dict[str, Any]) -> list[str]:
    """Return the numbers of threads that networks were timed with."""
    return sorted({t for by_threads in document["networks"].values() for t in by_threads}, key=int)


def section(document: dict[str, Any], picture: str) -> list[str]:
    """Return what was measured on one machine."""
    versions = ", ".join(
        f"{ENGINES[e].title} {v}" for e, v in document["versions"].items() if e != OURS
    )
    machine = document["machine"]
    lines = [
        f"## {kind(document)}",
        "",
        f"{machine['usable_processors']} processors of "
        f"{document['peak_gflops_of_one_processor']:.0f} GFLOP/s each (measured); "
        f"{machine['date']}.",
        f"Engines: {versions}.",
        "",
        f"![Latency over that of the fastest peer]({picture})",
        "",
        f"Bars of more than {LONGEST:g} are cut and say their figure.",
    ]
    for threads in thread_counts(document):
        plural = "s" if threads != "1" else ""
        lines += ["", f"### {threads} thread{plural}", "", *table(document, threads)]
    if uses_exact_settings(document):
        lines += [
            "",
            "(e): with small Winograd tiles, as outputs at the fastest settings differ by more",
            "than 1e-4 of the largest.",
        ]
    missing = left_out(document)
    if missing:
        lines += ["", "Not timed:", "", *missing]
    if any(name in document["networks"] for name in CALLS):
        lines += ["", "### Cost of a call, microseconds", "", *calls(document)]
    busy = document.get("beside_1_busy", {})
    if busy:
        lines += [
            "",
            "### Two threads beside another busy process",
            "",
            "In brackets: how many times the latency on the quiet machine.",
            "",
            *beside_others(document, busy),
        ]
    return lines


def page(documents: dict[str, dict[str, Any]]) -> str:
    """Return the text of the page; keys are the pictures' names."""
    lines = ["# Speed beside other engines", ""]
    lines += ["Our latency over that of the fastest peer, geometric mean of the networks:", ""]
    for document in documents.values():
        means = "; ".join(summary(document, threads) for threads in thread_counts(document))
        lines.append(f"- {kind(document)} ({document['machine']['date']}): {means}.")
    lines += [
        "",
        "Tables have the median latency in milliseconds of one inference, batch 1, float32",
        "everywhere. The engines take turns in random order, one process each, on a machine that a",
        "gauge says is quiet; outputs are compared before anything is timed.",
        "`benchmarks/peers/compare.py` repeats it.",
    ]
    for picture, document in documents.items():
        lines += ["", *section(document, picture)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page and the pictures."""
    parser = argparse.ArgumentParser(description="Documentation from benchmark results.")
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    documents = {}
    for results in arguments.results:
        picture = f"{results.stem.replace('peers', 'benchmarks')}.svg"
        documents[picture] = json.loads(results.read_text(encoding="utf-8"))
        draw(documents[picture], arguments.folder / picture)
    (arguments.folder / "benchmarks.md").write_text(page(documents), encoding="utf-8")


if __name__ == "__main__":
    main()
