# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rows a second of a Ray Data job on 1 to 1,000 nodes, by the costs in results/ray.toml.

    python benchmarks/ray_plan.py [docs/scale.svg]

A task of Ray reads a block of rows, a second one runs it in an actor, a third one writes what came
out. Each waits for the driver. Blocks wait for a free actor, and cross the network unless the actor
happens to be on their node. The table has the simulated rate beside what the tightest limit allows.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import simpy

mpl.use("Agg")
mpl.rcParams["svg.hashsalt"] = "armnn_py"  # the same figures give the same file
mpl.rcParams["svg.fonttype"] = "none"
from matplotlib import pyplot as plt  # noqa: E402

COSTS = tomllib.loads(Path(__file__).with_name("results").joinpath("ray.toml").read_text("utf-8"))
NODES = (1, 3, 10, 30, 100, 300, 1000)
#: Of a node with 16 processors: actors with one thread, and tasks that read.
ACTORS, READERS = 14, 2
#: MiB a second of a node's network, and of the two kinds of storage.
NETWORK, SERVER, STORE = 1200.0, 1200.0, 100_000.0
ROWS = 32  # of a batch
DRIVER = COSTS["task"]["driver"]
DECODE = COSTS["mib"]["parquet"] + COSTS["mib"]["put"]


@dataclass(frozen=True)
class Job:
    """What is run, in which blocks, and where its files are."""

    title: str
    network: str
    batches: int
    storage: float

    @property
    def run(self) -> float:
        """Seconds of an actor for a block."""
        run = self.batches * COSTS["batch"][self.network]["run"]
        return float(run + COSTS["task"]["actor"] + self.size * COSTS["mib"]["copy"])

    @property
    def size(self) -> float:
        """MiB of a block."""
        return float(self.batches * COSTS["batch"][self.network]["mib"])

    def limits(self, nodes: int) -> dict[str, float]:
        """Return the rows a second that each part allows; the driver starts three tasks a block."""
        arrival = 1 / NETWORK + 1 / self.storage
        seconds = {
            "actors": self.run / (ACTORS * nodes),
            "driver": 3 * DRIVER,
            "readers": self.size * (DECODE + arrival) / (READERS * nodes),
            "files": self.size / self.storage,
            "network": self.size * (2 - 1 / nodes) / (NETWORK * nodes),
        }
        return {part: self.batches * ROWS / one for part, one in seconds.items()}


JOBS = (
    Job("text, 1 batch a block", "minilm_l3", 1, STORE),
    Job("text, 32 batches a block", "minilm_l3", 32, STORE),
    Job("text, 1,024 batches a block", "minilm_l3", 1024, STORE),
    Job("pictures, 32 batches, one file server", "mobilenet_v3_small", 32, SERVER),
    Job("pictures, 32 batches, object storage", "mobilenet_v3_small", 32, STORE),
)


class Line:
    """A resource that serves one task after another, such as the driver."""

    free = 0.0  # when it is free again


class Cluster:
    """Nodes, a driver and a storage that work on a job."""

    def __init__(self, job: Job, nodes: int) -> None:
        self._job = job
        self._env = env = simpy.Environment()
        self._driver, self._storage = Line(), Line()
        self._blocks = simpy.Store(env, ACTORS * nodes)  # Ray holds reading tasks back
        self._ends: list[float] = []
        self._actors = ACTORS * nodes
        for node in range(nodes):
            link = Line()
            for _ in range(READERS):
                env.process(self._reader(node, link))
            for _ in range(ACTORS):
                env.process(self._actor(node, link))

    def _use(self, line: Line, seconds: float) -> Any:
        line.free = max(line.free, self._env.now) + seconds
        return self._env.timeout(line.free - self._env.now)

    def _reader(self, node: int, link: Line) -> Iterator[Any]:
        job = self._job
        while True:
            yield self._use(self._driver, DRIVER)
            yield self._use(self._storage, job.size / job.storage)
            yield self._use(link, job.size / NETWORK)
            yield self._env.timeout(job.size * DECODE)
            yield self._blocks.put(node)

    def _actor(self, node: int, link: Line) -> Iterator[Any]:
        job = self._job
        while True:
            source = yield self._blocks.get()
            yield self._use(self._driver, 2 * DRIVER)  # run and write
            if source != node:
                yield self._use(link, job.size / NETWORK)
            yield self._env.timeout(job.run)
            self._ends.append(self._env.now)

    def rows_a_second(self) -> float:
        """Run until each actor had some five blocks, of which the first two do not count."""
        actors = self._actors
        while len(self._ends) < 5 * actors:
            self._env.step()
        seconds = self._ends[-1] - self._ends[2 * actors - 1]
        return 3 * actors * self._job.batches * ROWS / seconds


def main() -> None:
    """Print a table, and draw it."""
    figure, axis = plt.subplots(figsize=(8, 4.5), layout="constrained")
    print("| job | nodes | rows a second | of the limit | limit |\n|---|---|---|---|---|")
    for number, job in enumerate(JOBS):
        rates = []
        for nodes in NODES:
            limits = job.limits(nodes)
            part = min(limits, key=lambda name: limits[name])
            rates.append(Cluster(job, nodes).rows_a_second())
            share = rates[-1] / limits[part]
            print(f"| {job.title} | {nodes} | {rates[-1]:,.0f} | {share:.2f} | {part} |")
        axis.plot(NODES, rates, marker="o", markersize=3, color=f"C{number}", label=job.title)
        ideal = [job.limits(nodes)["actors"] for nodes in NODES]
        axis.plot(NODES, ideal, linewidth=0.7, linestyle=":", color=f"C{number}")
    axis.set(xscale="log", yscale="log", xlabel="nodes of 16 processors", ylabel="rows a second")
    axis.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    axis.grid(linewidth=0.3)
    axis.legend(frameon=False)
    if sys.argv[1:]:
        figure.savefig(sys.argv[1], metadata={"Date": None})


if __name__ == "__main__":
    main()
