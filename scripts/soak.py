# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Does anything grow? Runtimes made, networks loaded, run and closed, many times in one process.

    python scripts/soak.py [--cycles 2000] [--output FILE.json]

Each cycle dlopens a backend from a folder, splits a network between it and the reference, runs it
on two threads and closes everything. Every hundredth cycle prints resident memory, open files,
threads and mapped libraries. Exit code 1 if the second half of the series is not level.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np

import armnn_py as ann

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from common import EXAMPLE, compile_backend, publish

PAGE = os.sysconf("SC_PAGE_SIZE")
# Memory may still vary by this much: allocators keep what they got in ways of their own.
ALLOWED_BYTES = 512 * 1024


def measure() -> dict[str, int]:
    """Return what the system says about this process."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    maps = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    libraries = {line.split(maxsplit=5)[5] for line in maps if ".so" in line}
    return {
        "resident_bytes": pages * PAGE,
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "threads": len(list(Path("/proc/self/task").iterdir())),
        "mappings": len(maps),
        "libraries": len(libraries),
    }


def make_network() -> ann.Network:
    """Return a network whose layers alternate between the two backends."""
    network = ann.Network("soak")
    x = network.add_input("x", ann.TensorInfo((1, 16, 16, 8)))
    weights = np.full((8, 3, 3, 8), 0.01, np.float32)
    y = network.add_convolution2d(x, weights, padding="same", name="conv")
    y = network.add_addition(y, x, name="add1")
    y = network.add_activation(y, ann.ActivationFunction.RELU, name="relu")
    network.add_output("y", network.add_addition(y, x, name="add2"))
    return network


def cycle(folder: str, network: ann.Network, x: np.ndarray) -> float:
    """One life of a runtime; returns a number that depends on the result."""
    results: list[float] = []
    with ann.Runtime(folder) as runtime:
        optimized = ann.optimize(network, ["AcmeNpu", "CpuRef"], runtime=runtime)
        with runtime.load_network(optimized) as loaded:

            def work() -> None:
                results.append(float(loaded.run({"x": x})["y"].sum()))

            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert len(results) == 2
    assert results[0] == results[1]
    return results[0]


def main() -> int:
    """Run the cycles, print the series, judge it."""
    parser = argparse.ArgumentParser(description="Does anything grow?")
    parser.add_argument("--cycles", type=int, default=2000)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    step = max(arguments.cycles // 20, 1)
    x = np.ones((1, 16, 16, 8), np.float32)
    network = make_network()
    series: list[dict[str, int]] = []
    print(
        f"{'cycle':>7} {'resident':>12} {'files':>6} {'threads':>8} {'maps':>6} {'libraries':>10}"
    )
    with tempfile.TemporaryDirectory() as folder:
        compile_backend(EXAMPLE, Path(folder) / "Acme_AcmeNpu_backend.so")
        expected = cycle(folder, network, x)
        for number in range(1, arguments.cycles + 1):
            assert cycle(folder, network, x) == expected
            if number % step == 0:
                gc.collect()
                row = {"cycle": number, **measure()}
                series.append(row)
                print("{cycle:7} {resident_bytes:12} {files:6} {threads:8} {mappings:6} "
                      "{libraries:10}".format(**row), flush=True)  # fmt: skip
    first, last = series[len(series) // 2], series[-1]
    growth = {key: last[key] - first[key] for key in first if key != "cycle"}
    level = growth["resident_bytes"] <= ALLOWED_BYTES and not any(
        growth[key] > 0 for key in ("files", "threads", "libraries")
    )
    print(f"from cycle {first['cycle']} to {last['cycle']}: {growth}: "
          f"{'level' if level else 'NOT LEVEL'}")  # fmt: skip
    if arguments.output is not None:
        publish("soak", {"series": series, "level": level}, arguments.output)
    return 0 if level else 1


if __name__ == "__main__":
    sys.exit(main())
