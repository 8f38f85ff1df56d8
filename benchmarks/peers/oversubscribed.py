# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Latency where processors are taken away: by busy neighbours, or by a quota as containers have.

    python benchmarks/peers/oversubscribed.py --work FOLDER --open MODELS --network mobilenet_v2

Engines take turns beside each number of neighbours, and under each quota. An engine with a quota is
in a control group of its own from its start (version 1, as root). A row has medians in
milliseconds, and ours divided by that of the fastest peer.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from catalogue import CATALOGUE, TOLERANCE
from compare import start, start_equal
from convert import NotConvertibleError
from turns import BusyNeighbours, NoGauge, Worker, WorkerError, take_turns

PERIOD_US = 100_000  # of a quota, as container runtimes have it
GROUPS = Path("/sys/fs/cgroup/cpu")


def own_group() -> Path:
    """Return the folder of the control group that this process is in."""
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        if "cpu" in controllers.split(","):
            return GROUPS / path.lstrip("/")
    return GROUPS


@contextlib.contextmanager
def limited(processors: float, stack: ExitStack) -> Iterator[None]:
    """Give what is started inside so much of the processors; its group ends with ``stack``.

    Raises
    ------
    OSError
        Control groups cannot be made here.
    """
    if not processors:
        yield
        return
    own = own_group()
    folder = Path(tempfile.mkdtemp(prefix="armnn_py_", dir=own))
    stack.callback(folder.rmdir)
    (folder / "cpu.cfs_period_us").write_text(str(PERIOD_US))
    (folder / "cpu.cfs_quota_us").write_text(str(round(processors * PERIOD_US)))
    (folder / "cgroup.procs").write_text(str(os.getpid()))
    try:
        yield
    finally:
        (own / "cgroup.procs").write_text(str(os.getpid()))


def load(
    arguments: argparse.Namespace, name: str, threads: int, quota: float, stack: ExitStack
) -> list[Worker]:
    """Return the engines that run a network, the reference first; they end with ``stack``."""
    network = CATALOGUE[name]
    model = network.make(arguments.work, arguments.open)
    scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    np.savez(scratch / "inputs.npz", **network.inputs(model))
    with limited(quota, stack):
        first, outputs = start(network.reference, model, scratch, threads)
    stack.callback(first.close)
    workers = [first]
    for engine in arguments.engine:
        if engine == network.reference:
            continue
        try:
            with limited(quota, stack):
                worker, _ = start_equal(
                    engine, model, scratch, threads, outputs, TOLERANCE[network.group]
                )
        except (NotConvertibleError, WorkerError) as error:
            print(f"{name}: {engine}: {error}")
            continue
        stack.callback(worker.close)
        workers.append(worker)
    return workers


def measure(name: str, words: str, threads: int, workers: list[Worker], turns: int) -> None:
    """Print a row of figures taken now."""
    for worker in workers:
        worker.turns.clear()
    take_turns(workers, NoGauge(), turns=turns, turn_ms=80, patience=0)
    found = {worker.engine: float(worker.figures()["median_ms"]) for worker in workers}
    best = min(time for engine, time in found.items() if engine != "armnn_py")
    shown = ", ".join(f"{engine} {time:.2f}" for engine, time in found.items())
    ratio = f"{found['armnn_py'] / best:.2f}"
    print(f"| {name} | {threads} | {words} | {shown} | {ratio} |", flush=True)


def main() -> None:
    """Measure each network beside neighbours, then under quotas."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--work", type=Path, required=True, help="folder for models")
    parser.add_argument("--open", type=Path, help="folder with the real networks")
    parser.add_argument("--network", nargs="+", required=True, choices=sorted(CATALOGUE))
    parser.add_argument("--engine", nargs="+", default=["armnn_py", "litert", "onnxruntime"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--busy", type=int, nargs="*", default=[0, 1, 2, 4, 8])
    parser.add_argument("--quota", type=float, nargs="*", default=[0.5, 1, 1.5])
    parser.add_argument("--turns", type=int, default=8)
    arguments = parser.parse_args()
    for name, threads in itertools.product(arguments.network, arguments.threads):
        with ExitStack() as stack:
            workers = load(arguments, name, threads, 0, stack)
            for count in arguments.busy:
                neighbours = BusyNeighbours(count)
                stack.callback(neighbours.close)
                measure(name, f"{count} busy", threads, workers, arguments.turns)
                neighbours.close()
        for quota in arguments.quota:
            with ExitStack() as stack:
                workers = load(arguments, name, threads, quota, stack)
                measure(name, f"quota {quota}", threads, workers, arguments.turns)


if __name__ == "__main__":
    main()
