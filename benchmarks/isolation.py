# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The price of a worker: CpuAcc in the process and isolated, in turns in one run.

    python benchmarks/isolation.py [MODEL ...] [--output FILE.json]

Times a tiny run, 100 tiny layers in one sub-graph, the models given, the start of a worker and the
memory that it takes. Figures are the least of several medians, in microseconds of wall time.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import publish

import armnn_py as ann

ROUNDS = 5


def tiny(layers: int) -> ann.Network:
    """Return a network of small layers in a row, which one sub-graph holds."""
    network = ann.Network(f"{layers} tiny layers")
    value: Any = network.add_input("x", ann.TensorInfo((1, 16)))
    other = network.add_input("y", ann.TensorInfo((1, 16)))
    for _ in range(layers):
        value = network.add_maximum(network.add_subtraction(value, other), other)
    network.add_output("z", value)
    return network


def arrays(loaded: ann.LoadedNetwork) -> dict[str, np.ndarray[Any, Any]]:
    """Return inputs of ones; free sizes are 1 at the front and 64 elsewhere."""
    return {
        name: np.ones(
            [size or (64 if axis else 1) for axis, size in enumerate(info.shape)], info.dtype
        )
        for name, info in loaded.inputs.items()
    }


def median_us(run: Callable[[], object], seconds: float = 0.4) -> float:
    """Return the median time of a call."""
    run()
    times = []
    end = time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end or len(times) < 3:
        run()
        times.append(time.perf_counter() - begin)
    return float(np.median(times)) * 1e6


def compare(model: Any, runtime: ann.Runtime) -> dict[str, float]:
    """Time a network on CpuAcc in the process and isolated, in turns."""
    with ann.load(model, ["CpuAcc"]) as here, ann.load(model, ["CpuAcc"], runtime=runtime) as away:
        given = arrays(here)
        expected, made = here.run(given), away.run(given)
        assert all((made[name] == array).all() for name, array in expected.items())
        pairs = [
            (median_us(lambda: here.run(given)), median_us(lambda: away.run(given)))
            for _ in range(ROUNDS)
        ]
    least, isolated = (min(column) for column in zip(*pairs, strict=True))
    ratio = float(np.median([two / one for one, two in pairs]))
    return {
        "in_process_us": round(least, 2),
        "isolated_us": round(isolated, 2),
        "more_us": round(isolated - least, 2),
        "median_ratio": round(ratio, 4),
    }


def resident_mib(process: int) -> float:
    """Return the memory of a process that it shares with no other."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    private = [line.split()[1] for line in text.splitlines() if line.startswith("Private_")]
    return round(sum(map(int, private)) / 1024, 1)


def main() -> None:
    """Print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    begin = time.perf_counter()
    ann.Runtime(backends=["CpuAcc"]).close()
    plain = time.perf_counter() - begin
    begin = time.perf_counter()
    with ann.Runtime(backends=["CpuAcc"], isolate=["CpuAcc"]) as runtime:
        start = time.perf_counter() - begin
        result: dict[str, Any] = {
            "start_ms": {"in_process": round(plain * 1e3, 1), "isolated": round(start * 1e3, 1)},
            "worker_mib": resident_mib(runtime.isolated["CpuAcc"].process_id),
        }
        networks: list[Any] = [tiny(1), tiny(50), *given.models]
        for model in networks:
            name = model.name if isinstance(model, ann.Network) else Path(model).name
            result[name] = compare(model, runtime)
    publish("isolation", result, given.output)


if __name__ == "__main__":
    main()
