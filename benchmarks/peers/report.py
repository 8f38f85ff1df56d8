# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Writes docs/benchmarks.md, its picture and the README's sentence from benchmarks/results/*.csv.

    python benchmarks/peers/report.py [--check]

``--check`` compares the texts and writes nothing; it needs no matplotlib.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from engines import ENGINES
from tables import COSTS, PEERS, Row, Table, geometric_mean, read

REPOSITORY = Path(__file__).resolve().parents[2]
RESULTS = REPOSITORY / "benchmarks" / "results"
PAGE = REPOSITORY / "docs" / "benchmarks.md"
PICTURE = PAGE.with_suffix(".svg")
README = REPOSITORY / "README.md"
#: Networks that compute next to nothing, and what they show.
CALLS = {"relu16": "one ReLU of 16 floats", "chain100": "100 small layers"}
TITLES = {"float32": "float32", "int8": "8 bits"}
_SENTENCE = re.compile(r"(?<=<!-- speed -->\n).*?(?=\n<!-- end -->)", re.DOTALL)

_INTRODUCTION = """\
# Speed beside other engines

Our latency over that of the fastest peer: geometric mean of the networks, and the worst.
Below 1, armnn_py is the fastest.
"""
_COSTS = """\
A peer's time for a process's first load, and its peak memory after two runs, over ours: geometric
means, float32, one thread.
"""
_METHOD = """\
Batch 1, one process for each engine, all loaded at once. They take turns of a few dozen
milliseconds in random order, so that all meet the same noise; a figure is the median of the turns.
Outputs are compared before anything is timed: float32 within 1e-4 of the largest value. For 8 bits
the bound is 0.15, because engines round differently between layers.

Networks come from published architectures with random weights, or are
[open models](networks.md). Peers run at their fastest settings that compute float32 in float32.
torch, ncnn and LiteRT get models that pnnx converts, MNN those of its own converter.

```console
$ pip install -r benchmarks/peers/requirements.txt && pip install --no-deps pnnx
$ python benchmarks/peers/compare.py --work FOLDER --open MODELS
$ python benchmarks/peers/tables.py build/benchmarks/peers.json benchmarks/results/KIND.csv
$ python benchmarks/peers/report.py
```
"""


def grid(heads: list[str], rows: list[list[str]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]


def ratios(table: Table, figure: str, threads: int, *, direct: bool = False) -> dict[str, float]:
    """Return ours over the fastest peer's, by network."""
    rows = {row.network: row.fastest(direct_only=direct) for row in table.of(figure, threads)}
    return {name: ratio for name, ratio in rows.items() if ratio is not None}


def _mean_and_worst(table: Table, figure: str, threads: int) -> str:
    found = ratios(table, figure, threads)
    if not found:
        return "-"
    worst = max(found, key=found.__getitem__)
    return f"{geometric_mean(list(found.values())):.2f}, {found[worst]:.2f} ({worst})"


def _name(table: Table) -> str:
    """Return a machine in words, and the clock if it is not that on the wall."""
    clock = table.about["clock"]
    return table.about["kind"] + ("" if clock == "wall time" else f"; {clock}")


def summary(tables: dict[str, Table]) -> list[str]:
    """Return the table that the page begins with."""
    columns = [(figure, threads) for figure in TITLES for threads in (1, 2)]
    heads = [f"{TITLES[f]}, {t} thread{'s' if t > 1 else ''}" for f, t in columns]
    return grid(
        ["machine", "date", *heads],
        [
            [
                f"[{_name(table)}](../benchmarks/results/{stem}.csv)",
                table.about["date"],
                *(_mean_and_worst(table, *column) for column in columns),
            ]
            for stem, table in tables.items()
        ],
    )


def latencies(table: Table, figure: str) -> list[str]:
    """Return each peer's time over ours, in words of a table; one thread."""
    rows = table.of(figure, 1)
    peers = [e for e in PEERS if any(e in row.ratios or e in row.unfed for row in rows)]

    def cell(row: Row, engine: str) -> str:
        unknown = "?" if engine in row.unfed else "-"
        return f"{1 / row.ratios[engine]:.2f}" if engine in row.ratios else unknown

    return grid(
        ["network", "armnn_py, ms", *(ENGINES[e].title for e in peers)],
        [[r.network, f"{r.ours:.2f}", *(cell(r, e) for e in peers)] for r in rows],
    )


def costs(table: Table) -> list[str]:
    """Return the geometric mean of each peer's load time and peak memory over ours."""
    words = {"load_ms": "load", "peak_mib": "memory"}
    rows = []
    for cost in COSTS:
        of = table.of(cost)
        means = (geometric_mean([1 / r.ratios[e] for r in of if e in r.ratios]) for e in PEERS)
        rows.append([words[cost], *(f"{mean:.2f}" for mean in means)])
    return grid(["", *(ENGINES[e].title for e in PEERS)], rows)


def calls(table: Table) -> list[str]:
    """Return what a call costs when there is next to nothing to compute, in microseconds."""
    rows = []
    for row in table.of("calls", 1):
        peers = (f"{1e3 * row.ours / row.ratios[e]:.1f}" if e in row.ratios else "-" for e in PEERS)
        rows.append([CALLS[row.network], f"{1e3 * row.ours:.1f}", *peers])
    return grid(["", "armnn_py", *(ENGINES[e].title for e in PEERS)], rows)


def page(tables: dict[str, Table]) -> str:
    """Return the text of the page."""
    shown = next(iter(tables.values()))
    lines = [_INTRODUCTION, *summary(tables), ""]
    lines += [f"![Latency of peers, one thread; armnn_py is 1]({PICTURE.name})", ""]
    lines += [f"The picture: {shown.about['kind']}, one thread, {shown.about['date']}.", ""]
    notes = [f"{_name(t)}: {t.about['note']}." for t in tables.values() if "note" in t.about]
    lines += [line for note in notes for line in (note, "")]
    if any(row.unfed for table in tables.values() for row in table.rows):
        lines += [
            "Older tables have `?` where an earlier benchmark could not feed a peer: texts,",
            "recurrent networks and some of 8 bits. Those rows are in no mean.",
            "",
        ]
    lines += ["## How it is measured", "", _METHOD]
    lines += ["## Networks", "", f"{shown.about['kind']}, {shown.about['date']}, one thread,"]
    lines += [f"{shown.about['clock']}. {shown.about['engines']}.", ""]
    lines += ["Columns of peers have their time over ours: above 1, armnn_py is faster.", ""]
    for figure in (figure for figure in TITLES if shown.of(figure, 1)):
        lines += [f"{TITLES[figure]}:", "", *latencies(shown, figure), ""]
    if reasons := shown.not_timed():
        lines += ["Not timed, with the peer's own reason:", "", *(f"- {r}" for r in reasons), ""]
    quiet = next(table for table in tables.values() if table.of("calls") and table.of(COSTS[0]))
    lines += ["## Load, memory, cost of a call", ""]
    lines += [f"{quiet.about['kind']}, {quiet.about['date']}.", "", _COSTS]
    lines += [*costs(quiet), "", "Microseconds of a call, one thread:", "", *calls(quiet), ""]
    return "\n".join(lines).rstrip() + "\n"


def sentence(tables: dict[str, Table]) -> str:
    """Return what the README says of speed."""
    means, worst = {}, 0.0
    quiet = [table for table in tables.values() if "note" not in table.about]
    for figure in TITLES:
        found = [ratios(table, figure, threads) for table in quiet for threads in (1, 2)]
        means[figure] = sorted(geometric_mean(list(one.values())) for one in found if one)
        if figure == "float32":
            worst = max(max(one.values()) for one in found if one)
    return (
        "On [published networks](docs/benchmarks.md) its fast backend, [CpuAcc](docs/cpu_acc.md),\n"
        f"takes {means['float32'][0]:.2f} to {means['float32'][-1]:.2f} of the time of the fastest "
        "of six other engines\n(float32, geometric mean on each quiet machine; at worst "
        f"{worst:.2f}). With 8 bits it takes\n{means['int8'][0]:.2f} to {means['int8'][-1]:.2f}."
    )


def main() -> None:
    """Write the page, the picture and the sentence, or compare the texts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    found = [(path.stem, read(path)) for path in sorted(RESULTS.glob("*.csv"))]
    tables = dict(sorted(found, key=lambda one: one[1].about["date"], reverse=True))
    readme = README.read_text(encoding="utf-8")
    texts = {PAGE: page(tables), README: _SENTENCE.sub(lambda _: sentence(tables), readme)}
    if arguments.check:
        old = [p.name for p, text in texts.items() if p.read_text(encoding="utf-8") != text]
        sys.exit(f"not as benchmarks/results says: {', '.join(old)}" if old else 0)
    from drawing import draw

    draw(next(iter(tables.values())), PICTURE)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
