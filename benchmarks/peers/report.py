# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The page and the pictures of the documentation, from the results of `compare`.

    python benchmarks/peers/report.py benchmarks/results/peers*.json docs

Each file of results is another kind of machine, and gets a section and pictures of its own.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from catalogue import GROUPS
from drawing import LONGEST, draw_bars, draw_costs
from engines import ENGINES
from figures import OURS, geometric_mean, median, names_of, ratios, thread_counts

#: Networks that compute next to nothing, and what they show.
CALLS = {"relu16": "one ReLU of 16 floats", "chain100": "100 small nodes"}
#: Groups that have pictures and tables of latencies.
TIMED = ("float32", "int8")


def grid(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def latencies(document: dict[str, Any], group: str, threads: str) -> list[str]:
    """Return a table of medians, the fastest of a row in bold, and of what we take of a peer's."""
    names = names_of(document, group, threads)
    networks = {name: document["networks"][name][threads] for name in names}
    engines = [e for e in ENGINES if any(median(networks[name], e) for name in names)]
    heads = ["network", *(ENGINES[engine].title for engine in engines), "ours / fastest peer"]
    columns = [ratios(document, group, threads)]
    if any(ENGINES[engine].uses_winograd for engine in engines):
        heads.append("ours / fastest without Winograd")
        columns.append(ratios(document, group, threads, direct_only=True))
    rows = []
    for name, figures in networks.items():
        times = {engine: median(figures, engine) for engine in engines}
        least = min(time for time in times.values() if time is not None)
        cells = [
            "-"
            if time is None
            else (f"**{time:.2f}**" if time == least else f"{time:.2f}")
            + (" (e)" if figures[engine].get("exact_settings") else "")
            for engine, time in times.items()
        ]
        rows.append([name, *cells, *(f"{r[name]:.2f}" if name in r else "-" for r in columns)])
    means = [f"{geometric_mean(list(r.values())):.2f}" for r in columns]
    rows.append(["geometric mean", *([""] * len(engines)), *means])
    return grid(heads, rows)


def loads(document: dict[str, Any], group: str) -> list[str]:
    """Return a table of load times and peak memory with one thread."""
    names = names_of(document, group, "1")
    engines = [e for e in ENGINES if any(median(document["networks"][n]["1"], e) for n in names)]
    rows = []
    for name in names:
        row = [name]
        for engine in engines:
            figures = document["networks"][name]["1"].get(engine, {})
            known = "median_ms" in figures
            row.append(f"{figures['load_ms']:.0f}, {figures['peak_mib']:.0f}" if known else "-")
        rows.append(row)
    return grid(["network", *(ENGINES[engine].title for engine in engines)], rows)


def calls(document: dict[str, Any]) -> list[str]:
    """Return a table of what a call costs when there is next to nothing to compute."""
    rows = []
    for name, words in CALLS.items():
        figures = document["networks"].get(name, {}).get("1", {})
        times = [median(figures, engine) for engine in ENGINES]
        rows.append([words, *("-" if t is None else f"{t * 1e3:.1f}" for t in times)])
    return grid(["", *(engine.title for engine in ENGINES.values())], rows)


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
    return grid(["network", *(engine.title for engine in ENGINES.values())], rows)


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


def kind(document: dict[str, Any]) -> str:
    """Return in words what kind of machine results are from."""
    machine = document["machine"]
    second = machine["second_cache_kib"]
    words = [machine["processor"], machine["instruction_set"]]
    words += [f"{second} KiB of second cache"] if second else []
    # Processors with the same instructions differ in how many they begin in a cycle.
    return ", ".join([*words, f"{document['peak_gflops_of_one_processor']:.0f} GFLOP/s each"])


def summary(document: dict[str, Any], group: str, threads: str) -> str:
    """Return in words how we stand with so many threads; nothing if no peer was timed."""
    best = ratios(document, group, threads)
    if not best:
        return ""
    worst = max(best, key=best.__getitem__)
    mean = geometric_mean(list(best.values()))
    plural = "s" if threads != "1" else ""
    return f"{group}, {threads} thread{plural} {mean:.2f}, at worst {best[worst]:.2f} ({worst})"


def pictures(stem: str, document: dict[str, Any]) -> dict[str, str]:
    """Return the files of a machine's pictures, by what they show."""
    shown = {group: stem if group == "float32" else f"{stem}_{group}" for group in TIMED}
    found = {
        group: f"{name}.svg" for group, name in shown.items() if thread_counts(document, group)
    }
    return {**found, "costs": f"{stem}_costs.svg"}


def section(document: dict[str, Any], files: dict[str, str]) -> list[str]:
    """Return what was measured on one machine."""
    versions = ", ".join(
        f"{ENGINES[e].title} {v}" for e, v in document["versions"].items() if e != OURS
    )
    machine = document["machine"]
    lines = [
        f"## {kind(document)}",
        "",
        f"{machine['usable_processors']} processors, whose peak was measured; {machine['date']}.",
        f"Engines: {versions}.",
    ]
    for group in (group for group in TIMED if group in files):
        lines += ["", f"### {GROUPS[group]}", "", f"![Latency beside peers]({files[group]})"]
        lines += ["", f"Bars of more than {LONGEST:g} are cut and say their figure."]
        for threads in thread_counts(document, group):
            plural = "s" if threads != "1" else ""
            lines += ["", f"{threads} thread{plural}:", "", *latencies(document, group, threads)]
    if uses_exact_settings(document):
        lines += [
            "",
            "(e): with small Winograd tiles, as outputs at the fastest settings differ by more",
            "than 1e-4 of the largest.",
        ]
    missing = left_out(document)
    if missing:
        lines += ["", "Not timed:", "", *missing]
    lines += [
        "",
        "### Time to load, and memory",
        "",
        f"![Latency against time to load and memory]({files['costs']})",
        "",
        "Each small mark is a network of float32, one thread; a large one is an engine's geometric",
        "mean. No engine is better in both than those on the line. In the table the milliseconds",
        "of a process's first load, and the peak of its memory in MiB after two runs.",
        "",
        *loads(document, "float32"),
    ]
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
    """Return the text of the page; keys are the stems of the pictures' names."""
    lines = ["# Speed beside other engines", ""]
    lines += ["Our latency over that of the fastest peer, geometric mean of the networks:", ""]
    for document in documents.values():
        means = [
            words
            for group in TIMED
            for threads in thread_counts(document, group)
            if (words := summary(document, group, threads))
        ]
        lines.append(f"- {kind(document)} ({document['machine']['date']}): {'; '.join(means)}.")
    lines += [
        "",
        "Tables have the median latency in milliseconds of one inference, batch 1. The engines",
        "take turns in random order, one process each, on a machine that a gauge says is quiet.",
        "Outputs are compared before anything is timed: those of float32 within 1e-4 of the",
        "largest; those of 8 bits only so far that it is the same network, because each engine",
        "rounds in its own way between the layers (ours as the operators' texts say).",
        "`benchmarks/peers/compare.py` repeats it.",
    ]
    for stem, document in documents.items():
        lines += ["", *section(document, pictures(stem, document))]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the page and the pictures."""
    parser = argparse.ArgumentParser(description="Documentation from benchmark results.")
    parser.add_argument("results", type=Path, nargs="+")
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    documents = {}
    for results in arguments.results:
        stem = results.stem.replace("peers", "benchmarks")
        documents[stem] = document = json.loads(results.read_text(encoding="utf-8"))
        for shown, name in pictures(stem, document).items():
            if shown == "costs":
                draw_costs(document, arguments.folder / name)
            else:
                draw_bars(document, shown, arguments.folder / name)
    (arguments.folder / "benchmarks.md").write_text(page(documents), encoding="utf-8")


if __name__ == "__main__":
    main()
