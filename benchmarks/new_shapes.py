# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The cost of a new input shape, next to onnxruntime.

    python benchmarks/new_shapes.py NAME=MODEL.onnx:8-128 NAME=MODEL.onnx:64-320/32,batch=1 ...

Behind the file stand the sizes, from the least to the largest and in steps, which all free
dimensions get that are not named there. Integer inputs are ones; one that is named has that value.
Both engines run the same sizes in turns, each several times: the first run of a size plans it. The
first two sizes are not counted, in which much is done once. ``whole_ratio`` compares the first runs
of all sizes together. Time of the processor is given beside that of the clock: it holds also on a
busy machine.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import onnxruntime_session, publish, spread

import armnn_py

Feeds = dict[str, np.ndarray[Any, Any]]
Run = Callable[[Feeds], object]


def resident() -> int:
    """Return the bytes of memory that the process has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def timed(run: Run, feeds: Feeds) -> tuple[float, float]:
    """Return seconds of the clock and of the processor for one run."""
    clock, processor = time.perf_counter(), time.process_time()
    run(feeds)
    return time.perf_counter() - clock, time.process_time() - processor


def sizes_of(words: str, count: int) -> list[int]:
    """Return sizes of ``8-128`` or ``64-320/32``, in an order that neither grows nor shrinks."""
    spread_of, _, step = words.partition("/")
    least, _, most = spread_of.partition("-")
    all_of_them = np.arange(int(least), int(most) + 1, int(step or 1))
    return [int(size) for size in np.random.default_rng(0).permutation(all_of_them)[:count]]


def feeds_of(inputs: list[Any], size: int, fixed: dict[str, int]) -> Feeds:
    """Return arrays for all inputs, whose free dimensions have one size."""
    rng, feeds = np.random.default_rng(size), {}
    for one in inputs:
        shape = [
            dim if isinstance(dim, int) else fixed.get(dim, 1 if dim is None else size)
            for dim in one.shape
        ]
        if one.type == "tensor(float)":
            feeds[one.name] = rng.standard_normal(shape).astype(np.float32)
        else:
            kind = np.int32 if one.type == "tensor(int32)" else np.int64
            feeds[one.name] = np.full(shape, fixed.get(one.name, 1), kind)
    return feeds


def measure(path: Path, words: str, options: Any) -> dict[str, Any]:
    """Measure one model."""
    spread_of, *named = words.split(",")
    fixed = {name: int(number) for name, _, number in (word.partition("=") for word in named)}
    network = armnn_py.load(path, options.backends)
    session = onnxruntime_session(path, options.threads)
    engines: dict[str, Run] = {
        "armnn_py": network.run,
        "onnxruntime": lambda feeds: session.run(None, feeds),
    }
    found: dict[str, dict[str, list[float]]] = {name: {} for name in engines}
    grown = []
    for number, size in enumerate(sizes_of(spread_of, options.sizes + 2)):
        feeds = feeds_of(session.get_inputs(), size, fixed)
        for name in sorted(engines, reverse=bool(number % 2)):
            gc.collect()
            before = resident()
            first = timed(engines[name], feeds)
            after = resident()
            again = [timed(engines[name], feeds) for _ in range(3)]
            if number < 2:
                continue
            if name == "armnn_py":
                grown.append(after - before)
            best = [min(times) for times in zip(*again, strict=True)]
            for kind, one, other in zip(("", "_processor"), first, best, strict=True):
                found[name].setdefault(f"first{kind}_ms", []).append(one)
                found[name].setdefault(f"repeated{kind}_ms", []).append(other)
                found[name].setdefault(f"more{kind}_ms", []).append(one - other)
    firsts = {name: kinds["first_processor_ms"] for name, kinds in found.items()}
    ratios = [a / b for a, b in zip(firsts["armnn_py"], firsts["onnxruntime"], strict=True)]
    network.close()
    return {
        **{
            name: {kind: spread(values, 1e-3) for kind, values in kinds.items()}
            for name, kinds in found.items()
        },
        "first_run_ratio": spread(ratios, 1),
        "whole_ratio": round(sum(firsts["armnn_py"]) / sum(firsts["onnxruntime"]), 3),
        "memory_of_a_plan_mib": spread(grown, 2**20),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The cost of a new input shape.")
    parser.add_argument("models", nargs="+", metavar="NAME=MODEL.onnx:8-128")
    parser.add_argument("--backends", nargs="+", default=["CpuAcc", "CpuRef"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sizes", type=int, default=24)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    armnn_py.set_num_threads(options.threads)
    results = {}
    for model in options.models:
        name, _, rest = model.partition("=")
        path, _, words = rest.rpartition(":")
        results[name] = measure(Path(path), words, options)
    publish(
        "new_shapes",
        {
            "backends": options.backends,
            "threads": options.threads,
            "models": results,
            "wanted": "whole_ratio at most 1.0 in the mean, 2.0 at worst",
        },
        options.output,
    )


if __name__ == "__main__":
    main()
