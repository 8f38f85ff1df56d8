# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What Ray Data adds to a batch of `armnn_py.ray.Predictor`, and what two actors do beside one.

    python benchmarks/ray_batches.py actors MODEL... [--batch 32] [--batches 24]
    python benchmarks/ray_batches.py tasks

``actors``: one process, then two, run batches with one thread in a loop; then one actor and two do
the same in a job. A batch's time in the actor is that of the call; the time between two calls of an
actor is Ray's. ``tasks``: processor time of the driver for a task, by the number of actors, and
what a MiB costs in the object store, between two nodes, and in a Parquet file.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import multiprocessing
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster
from serving import one_row

import armnn_py
from armnn_py.ray import Predictor

MIB = 1 << 20
PICTURE = 224 * 224 * 3


class Stamped(Predictor):
    """Gives one row for a batch: the actor, begin and end of the call, and its processor time."""

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Run a batch."""
        begin, used = time.monotonic(), time.process_time()
        super().__call__(batch)
        end, used = time.monotonic(), time.process_time() - used
        found = {"actor": os.getpid(), "begin": begin, "end": end, "cpu": used}
        return {name: np.array([number]) for name, number in found.items()}


def batch_of(model: Path, rows: int) -> dict[str, Any]:
    """Return a batch of equal rows."""
    return {name: np.repeat(value, rows, 0) for name, value in one_row(model).items()}


def bare(model: Path, rows: int, seconds: float, barrier: Any, found: Any) -> None:
    """Put wall and processor seconds of a batch in a loop with one thread into a queue."""
    armnn_py.set_num_threads(1)
    inputs = batch_of(model, rows)
    with armnn_py.load(model) as network:
        network.run(inputs)
        barrier.wait()
        runs, begin, used = 0, time.monotonic(), time.process_time()
        while time.monotonic() < begin + seconds:
            network.run(inputs)
            runs += 1
        found.put(((time.monotonic() - begin) / runs, (time.process_time() - used) / runs))


def loops(model: Path, rows: int, seconds: float, count: int) -> tuple[float, float]:
    """Return batches a second of so many processes together, and processor seconds of a batch."""
    context = multiprocessing.get_context("spawn")
    found, barrier = context.Queue(), context.Barrier(count)
    arguments = (model, rows, seconds, barrier, found)
    started = [context.Process(target=bare, args=arguments) for _ in range(count)]
    for process in started:
        process.start()
    walls, used = zip(*[found.get() for _ in started], strict=True)
    for process in started:
        process.join()
    return sum(1 / wall for wall in walls), sum(used) / count


def job(model: Path, rows: int, batches: int, actors: int) -> tuple[float, float, float]:
    """Return batches a second while all actors work, processor seconds of a call, and Ray's wall.

    Ray's part is the time between the end of a call and the begin of the next of the same actor.
    """
    inputs = batch_of(model, rows)
    blocks = ray.data.range(batches * rows, override_num_blocks=batches)
    filled = blocks.map_batches(lambda _: inputs, batch_size=None).materialize()
    stamps = filled.map_batches(
        Stamped,
        fn_constructor_kwargs={"model": str(model)},
        batch_size=rows,
        num_cpus=1,
        concurrency=actors,
    ).take_all()
    calls: dict[int, list[Any]] = {}
    for one in sorted(stamps, key=lambda one: one["begin"]):
        calls.setdefault(one["actor"], []).append(one)
    # The first call of an actor plans.
    later = [own[1:] for own in calls.values()]
    rate = sum(len(own) / (own[-1]["end"] - own[0]["begin"]) for own in later)
    used = [one["cpu"] for own in later for one in own]
    waits = [
        after["begin"] - before["end"] for own in later for before, after in itertools.pairwise(own)
    ]
    return rate, float(np.mean(used)), float(np.median(waits))


def measure_actors(models: list[Path], rows: int, batches: int) -> None:
    """Print a row for each network."""
    ray.init("local", num_cpus=6, include_dashboard=False, log_to_driver=False)
    print("| network | loop: ms, processor ms | two loops | actor: ms, processor ms | between, ms "
          "| two actors |\n|---|---|---|---|---|---|")  # fmt: skip
    for model in models:
        one, used = loops(model, rows, batches / 10, 1)
        two, _ = loops(model, rows, batches / 10, 2)
        rate, inner, wait = job(model, rows, batches, 1)
        both, _, _ = job(model, rows, 2 * batches, 2)
        print(
            f"| {model.stem} | {1e3 / one:.1f}, {1e3 * used:.1f} | {two / one:.2f} "
            f"| {1e3 / rate:.1f}, {1e3 * inner:.1f} | {1e3 * wait:.2f} "
            f"| {both / rate:.2f} |",
            flush=True,
        )


class Nothing:
    """An actor that gives its batch back."""

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Return the batch."""
        return batch


def seconds_of(work: Any, clock: Any = time.monotonic) -> float:
    """Return the least seconds of three calls."""

    def once() -> float:
        begin = clock()
        work()
        return float(clock() - begin)

    return min(once() for _ in range(3))


def measure_tasks() -> None:
    """Print the costs of tasks and of bytes."""
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 8, "include_dashboard": False})
    made.add_node(num_cpus=1, resources={"other": 1})
    ray.init(address=made.address, log_to_driver=False)
    data = np.random.default_rng(0).integers(0, 256, 128 * MIB, np.uint8)
    put = seconds_of(lambda: ray.put(data)) / 128
    print(f"object store: put {1e3 * put:.2f} ms a MiB")

    @ray.remote(num_cpus=0, resources={"other": 0.1})
    def fetch(boxed: list[Any]) -> float:
        begin = time.monotonic()
        ray.get(boxed[0])
        return time.monotonic() - begin

    moved = min(ray.get(fetch.remote([ray.put(data)])) for _ in range(3)) / 128
    print(f"to another node: {1e3 * moved:.2f} ms a MiB")
    import pyarrow as pa
    from pyarrow import parquet

    with tempfile.TemporaryDirectory() as folder:
        rows = [one.tobytes() for one in np.split(data[: 400 * PICTURE], 400)]
        parquet.write_table(pa.table({"x": rows}), f"{folder}/x.parquet")
        size = Path(folder, "x.parquet").stat().st_size / MIB
        read = seconds_of(lambda: parquet.read_table(f"{folder}/x.parquet", use_threads=False))
    print(f"Parquet: {1e3 * read / size:.2f} ms a MiB")
    for actors in (1, 6):
        times = []
        for tasks in (50, 250):
            blocks = ray.data.range(tasks, override_num_blocks=tasks).materialize()
            used, begin = time.process_time(), time.monotonic()
            blocks.map_batches(Nothing, batch_size=1, num_cpus=1, concurrency=actors).materialize()
            times.append((time.process_time() - used, time.monotonic() - begin))
        cpu, wall = (1e3 * (b - a) / 200 for a, b in zip(*times, strict=True))
        print(
            f"{actors} actors: driver {cpu:.2f} ms of processor time a task, {wall:.2f} ms wall",
            flush=True,
        )


def main() -> None:
    """Print a table or the lines of the costs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["actors", "tasks"])
    parser.add_argument("models", type=Path, nargs="*")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--batches", type=int, default=24)
    given = parser.parse_args()
    os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parent)
    ray.data.DataContext.get_current().enable_progress_bars = False
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    print(f"load {os.getloadavg()[0]:.1f}")
    if given.what == "actors":
        measure_actors([one.resolve() for one in given.models], given.batch, given.batches)
    else:
        measure_tasks()


if __name__ == "__main__":
    main()
