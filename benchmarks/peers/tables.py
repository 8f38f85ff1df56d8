# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The compact table of a machine kind: what is kept of the results of `compare`.

    python benchmarks/peers/tables.py build/benchmarks/peers.json benchmarks/results/KIND.csv

A file begins with ``# key: value`` lines. A row is a figure (``float32`` and the other groups of
`catalogue` are latencies in milliseconds), a network, a number of threads, our value, and our value
over each peer's. ``-``: not timed, for a reason above if the peer refused. ``?``: the benchmark
could not feed the peer.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engines import ENGINES

OURS = "armnn_py"
PEERS = tuple(engine for engine in ENGINES if engine != OURS)
#: Members of results that are kept beside latencies, of float32 with one thread.
COSTS = ("load_ms", "peak_mib")
_NONE, _UNFED = "-", "?"


@dataclass(frozen=True)
class Row:
    """One figure of one network."""

    figure: str
    network: str
    threads: int
    ours: float
    ratios: dict[str, float]
    """Ours over each peer's; only peers that were measured."""
    unfed: tuple[str, ...] = ()
    """Peers that an earlier benchmark could not feed: the fastest peer is not known."""

    def fastest(self, *, direct_only: bool = False) -> float | None:
        """Return ours over the fastest peer's, optionally of those without Winograd."""
        known = [
            ratio
            for engine, ratio in self.ratios.items()
            if not (direct_only and ENGINES[engine].uses_winograd)
        ]
        return max(known) if known and not self.unfed else None


@dataclass
class Table:
    """All that is kept of one machine kind."""

    about: dict[str, str]
    """kind, date, processors, clock, engines; and notes on what is not timed."""
    rows: list[Row] = field(default_factory=list)

    def of(self, figure: str, threads: int | None = None) -> list[Row]:
        """Return the rows of a figure."""
        return [r for r in self.rows if r.figure == figure and threads in (None, r.threads)]

    def threads(self, figure: str) -> list[int]:
        """Return the numbers of threads that a figure was measured with."""
        return sorted({row.threads for row in self.of(figure)})

    def not_timed(self) -> list[str]:
        """Return what peers could not do, as they say it."""
        return [text for key, text in self.about.items() if key.startswith("not timed")]


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean; not a number for none."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def read(path: Path) -> Table:
    """Read a table."""
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = [line[2:].split(": ", 1) for line in lines if line.startswith("# ")]
    table = Table(dict(heads))
    for cells in csv.DictReader(line for line in lines if not line.startswith("#")):
        table.rows.append(
            Row(
                cells["figure"],
                cells["network"],
                int(cells["threads"]),
                float(cells[OURS]),
                {e: float(cells[e]) for e in PEERS if cells[e] not in (_NONE, _UNFED)},
                tuple(e for e in PEERS if cells[e] == _UNFED),
            )
        )
    return table


def write(table: Table, path: Path) -> None:
    """Write a table."""
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {key}: {value}\n" for key, value in table.about.items())
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["figure", "network", "threads", OURS, *PEERS])
        for row in table.rows:
            ratios = (
                _UNFED if e in row.unfed else f"{row.ratios[e]:.3f}" if e in row.ratios else _NONE
                for e in PEERS
            )
            lines.writerow([row.figure, row.network, row.threads, f"{row.ours:.4g}", *ratios])


def from_results(document: dict[str, Any]) -> Table:
    """Return the table of what `compare` wrote."""
    machine = document["machine"]
    second = machine["second_cache_kib"]
    # Processors with the same instructions differ in how many they begin in a cycle.
    kind = [machine["processor"], machine["instruction_set"]]
    kind += [f"{second} KiB of second cache"] if second else []
    kind += [f"{document['peak_gflops_of_one_processor']:.0f} GFLOP/s each"]
    table = Table(
        {
            "kind": ", ".join(kind),
            "date": machine["date"],
            "processors": str(machine["usable_processors"]),
            "clock": document.get("clock", "wall time"),
            "engines": ", ".join(
                f"{ENGINES[e].title} {v}" for e, v in document["versions"].items() if e != OURS
            ),
        }
    )
    if "clock" in document:
        table.about["note"] = "a busy machine: the ratios of one run hold, not the milliseconds"
    for number, reason in enumerate(_reasons(document), 1):
        table.about[f"not timed {number}"] = reason
    for name, by_threads in document["networks"].items():
        for threads, figures in by_threads.items():
            table.rows += _rows(name, int(threads), figures, document)
    order = {figure: place for place, figure in enumerate(("float32", "int8", "calls", *COSTS))}
    table.rows.sort(key=lambda row: (order[row.figure], row.threads))
    return table


def _rows(name: str, threads: int, figures: dict[str, Any], document: dict[str, Any]) -> list[Row]:
    """Return the rows of one network with so many threads."""
    from catalogue import CATALOGUE

    timed = {e: f for e, f in figures.items() if "median_ms" in f}
    unfed = tuple(e for e, f in figures.items() if f.get("ours") and e != OURS)
    if OURS not in timed:
        return []
    group = CATALOGUE[name].group
    kept = {group: "median_ms"}
    if group == "float32" and threads == 1 and "clock" not in document:
        kept |= {cost: cost for cost in COSTS}  # a busy machine says nothing about loads
    return [
        Row(
            figure,
            name,
            threads,
            timed[OURS][member],
            {e: timed[OURS][member] / f[member] for e, f in timed.items() if e != OURS},
            unfed,
        )
        for figure, member in kept.items()
    ]


def _reasons(document: dict[str, Any]) -> list[str]:
    """Return why peers were not timed, each reason with its networks; none of our own faults."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, by_threads in document["networks"].items():
        for figures in by_threads.values():
            for engine, facts in figures.items():
                if "error" in facts and not facts.get("ours"):
                    names = found.setdefault((engine, facts["error"]), [])
                    names += [] if name in names else [name]
    together: dict[tuple[str, str], list[str]] = {}
    for (engine, reason), names in found.items():
        together.setdefault((", ".join(names), reason), []).append(ENGINES[engine].title)
    return [
        f"{', '.join(engines)} on {names}: {' '.join(reason.split())[-160:]}"
        for (names, reason), engines in together.items()
    ]


def main() -> None:
    """Write the table of a file of results."""
    results, target = map(Path, sys.argv[1:])
    write(from_results(json.loads(results.read_text(encoding="utf-8"))), target)


if __name__ == "__main__":
    main()
