# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The price of a worker: CpuAcc in the process and isolated, in turns in one run.

    python benchmarks/isolation.py [MODEL ...] [--output FILE.json]

Times a tiny run, 100 tiny layers in one sub-graph, the models given and the start of a worker.
Figures are the least of several medians, in microseconds of wall time. Memory is that of a program
with one network after three runs, and of its worker; pages of several processes count in parts.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import publish

import armnn_py as ann
from armnn_py._native.memory.process_memory import proportional_bytes

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


def backends_of(model: Any) -> list[str] | None:
    """Return the backends to name; a saved network has its own."""
    return None if Path(getattr(model, "name", "")).suffix == ".armnnpy" else ["CpuAcc"]


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
    backends = backends_of(model)
    with ann.load(model, backends) as here, ann.load(model, backends, runtime=runtime) as away:
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


def memory_mib(model: str, *, isolated: bool) -> float:
    """Return the memory of this process and of its worker with a network, in MiB."""
    network: Any = Path(model) if model else tiny(1)
    with (
        ann.Runtime(isolate=["CpuAcc"] if isolated else None) as runtime,
        ann.load(network, backends_of(network), runtime=runtime) as loaded,
    ):
        given = arrays(loaded)
        for _ in range(3):
            loaded.run(given)
        gc.collect()
        processes = [os.getpid(), *(one.process_id for one in runtime.isolated.values())]
        return round(sum(map(proportional_bytes, processes)) / 2**20, 1)


def compare_memory(model: str) -> dict[str, float]:
    """Measure the memory of programs of their own, in the process and isolated."""
    figures = []
    for mode in ("here", "away"):
        command = [sys.executable, __file__, "--memory", mode, *([model] if model else [])]
        figures.append(float(subprocess.run(command, check=True, capture_output=True).stdout))
    here, away = figures
    return {"in_process_mib": here, "isolated_mib": away, "more_mib": round(away - here, 1)}


def main() -> None:
    """Print and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--memory", choices=["here", "away"], help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory is not None:
        model = str(given.models[0]) if given.models else ""
        print(memory_mib(model, isolated=given.memory == "away"))
        return
    begin = time.perf_counter()
    ann.Runtime(backends=["CpuAcc"]).close()
    plain = time.perf_counter() - begin
    begin = time.perf_counter()
    with ann.Runtime(backends=["CpuAcc"], isolate=["CpuAcc"]) as runtime:
        start = time.perf_counter() - begin
        result: dict[str, Any] = {
            "start_ms": {"in_process": round(plain * 1e3, 1), "isolated": round(start * 1e3, 1)},
        }
        networks: list[Any] = [tiny(1), tiny(50), *given.models]
        for model in networks:
            name = model.name if isinstance(model, ann.Network) else Path(model).name
            result[name] = compare(model, runtime)
    for path in ("", *map(str, given.models)):
        result[f"memory, {Path(path).name or 'one tiny layer'}"] = compare_memory(path)
    publish("isolation", result, given.output)


if __name__ == "__main__":
    main()
