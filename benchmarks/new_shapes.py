# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a new input shape costs, next to onnxruntime.

    python benchmarks/new_shapes.py NAME=MODEL.onnx:1x3x48x? ... [--threads 1] [--output FILE.json]

Both engines run the same widths ('?') of the first input in turns, each width twice: the first run
of a width plans it, the second does not. Other inputs, as the state of a cell, are zeros. The first
two widths are not counted, in which much is done once. Time of the processor is given beside that
of the clock: it holds also on a busy machine.
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

Run = Callable[[np.ndarray[Any, Any]], object]


def resident() -> int:
    """Return the bytes of memory that the process has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096


def timed(run: Run, array: np.ndarray[Any, Any]) -> tuple[float, float]:
    """Return seconds of the clock and of the processor for one run."""
    clock, processor = time.perf_counter(), time.process_time()
    run(array)
    return time.perf_counter() - clock, time.process_time() - processor


def engines_of(path: Path, options: Any) -> tuple[armnn_py.LoadedNetwork, dict[str, Run]]:
    """Return our network, and functions that run a model by both engines."""
    network = armnn_py.load(path, options.backends)
    session = onnxruntime_session(path, options.threads)
    first, *rest = session.get_inputs()
    others = {one.name: np.zeros(one.shape, np.float32) for one in rest}
    return network, {
        "armnn_py": lambda array: network.run({first.name: array, **others}),
        "onnxruntime": lambda array: session.run(None, {first.name: array, **others}),
    }


def measure(path: Path, shape: list[str], widths: list[int], options: Any) -> dict[str, Any]:
    """Measure one model."""
    network, engines = engines_of(path, options)
    rng = np.random.default_rng(0)
    found: dict[str, dict[str, list[float]]] = {name: {} for name in engines}
    grown = []
    for number, width in enumerate(widths):
        dims = [width if dim == "?" else int(dim) for dim in shape]
        array = rng.standard_normal(dims).astype(np.float32)
        for name in sorted(engines, reverse=bool(number % 2)):
            gc.collect()
            before = resident()
            first = timed(engines[name], array)
            after = resident()
            again = [timed(engines[name], array) for _ in range(3)]
            if number < 2:
                continue
            if name == "armnn_py":
                grown.append(after - before)
            best = [min(times) for times in zip(*again, strict=True)]
            for kind, one, other in zip(("", "_processor"), first, best, strict=True):
                found[name].setdefault(f"first{kind}_ms", []).append(one)
                found[name].setdefault(f"repeated{kind}_ms", []).append(other)
                found[name].setdefault(f"more{kind}_ms", []).append(one - other)
    ratios = [
        ours / others
        for ours, others in zip(
            found["armnn_py"]["first_processor_ms"],
            found["onnxruntime"]["first_processor_ms"],
            strict=True,
        )
    ]
    network.close()
    return {
        **{
            name: {kind: spread(values, 1e-3) for kind, values in kinds.items()}
            for name, kinds in found.items()
        },
        "first_run_ratio": spread(ratios, 1),
        "memory_of_a_plan_mib": spread(grown, 2**20),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The cost of a new input shape.")
    parser.add_argument("models", nargs="+", metavar="NAME=MODEL.onnx:1x3x48x?")
    parser.add_argument("--backends", nargs="+", default=["CpuAcc", "CpuRef"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--widths", type=int, default=24)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    armnn_py.set_num_threads(options.threads)
    widths = [int(width) for width in np.linspace(64, 320, options.widths + 2)]
    results = {}
    for model in options.models:
        name, _, rest = model.partition("=")
        path, _, shape = rest.rpartition(":")
        results[name] = measure(Path(path), shape.split("x"), widths, options)
    publish(
        "new_shapes",
        {
            "backends": options.backends,
            "threads": options.threads,
            "models": results,
            "wanted": "ocr_cls 15 ms, ocr_rec 25 ms more than a repeated shape",
        },
        options.output,
    )


if __name__ == "__main__":
    main()
