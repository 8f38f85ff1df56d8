# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The picture of the page of benchmarks: each peer's latency over ours, a line for each network."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from engines import ENGINES
from tables import PEERS, Table

mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "armnn_py"  # the same figures give the same file
mpl.rcParams["svg.fonttype"] = "none"  # text stays text: small, and to be searched
from matplotlib import pyplot as plt  # noqa: E402


def draw(table: Table, target: Path) -> None:
    """Draw the networks of a machine with one thread; a mark right of 1 is a slower peer."""
    rows = [*table.of("float32", 1), *table.of("int8", 1)][::-1]
    figure, axis = plt.subplots(figsize=(8, 0.6 + 0.26 * len(rows)), layout="constrained")
    for peer in PEERS:
        marks = [(1 / r.ratios[peer], y) for y, r in enumerate(rows) if peer in r.ratios]
        if marks:
            axis.scatter(*zip(*marks, strict=True), s=24, label=ENGINES[peer].title, zorder=2)
    axis.axvline(1, color="black", linewidth=1, zorder=1)
    axis.grid(linewidth=0.3, zorder=0)
    axis.set_xscale("log")
    axis.set_xticks([0.5, 1, 2, 4, 8], ["0.5", "armnn_py", "2 times", "4 times", "8 times"])
    axis.set_xticks([], minor=True)
    axis.set_yticks(range(len(rows)), [row.network for row in rows])
    figure.legend(ncols=len(PEERS), loc="outside upper center", frameon=False)
    figure.savefig(target, metadata={"Date": None})
    plt.close(figure)
