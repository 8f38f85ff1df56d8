# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What CpuAcc's Winograd convolutions give to whole networks, next to onnxruntime.

    python benchmarks/winograd.py MODEL.onnx ... [--threads 1] [--rounds 15] [--output FILE.json]

CpuAcc with each value of its option ``winograd`` and onnxruntime take turns in one process. Time
of the processor is given beside that of the clock: with one thread it holds also on a busy machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from common import onnxruntime_session, publish, spread

import armnn_py as ann

OPTIONS = ("off", "auto", "always")
Arrays = dict[str, np.ndarray[Any, Any]]


def theirs(path: Path, threads: int) -> tuple[Arrays, Callable[[Arrays], Arrays]]:
    """Return random inputs of a model, and a function that runs it in onnxruntime."""
    session = onnxruntime_session(path, threads)
    rng = np.random.default_rng(0)
    inputs = {
        one.name: rng.standard_normal([d if isinstance(d, int) else 1 for d in one.shape]).astype(
            np.float32
        )
        for one in session.get_inputs()
    }
    names = [one.name for one in session.get_outputs()]
    return inputs, lambda arrays: dict(zip(names, session.run(None, arrays), strict=True))


def largest_difference(outputs: Any, expected: Arrays) -> float:
    """Return the largest difference of any output, as a part of its largest element."""
    parts = [
        float(np.abs(np.asarray(outputs[name]) - array).max() / max(np.abs(array).max(), 1e-30))
        for name, array in expected.items()
    ]
    return float(f"{max(parts):.1e}")


def measure(path: Path, threads: int, rounds: int) -> dict[str, Any]:
    """Measure one model."""
    inputs, run = theirs(path, threads)
    expected = run(inputs)
    engines: dict[str, Callable[[Arrays], Any]] = {"onnxruntime": run}
    result: dict[str, Any] = {}
    with ExitStack() as stack:
        for option in OPTIONS:
            runtime = ann.Runtime(backend_options={"CpuAcc": {"winograd": option}})
            stack.enter_context(runtime)
            net = stack.enter_context(ann.load(path, ["CpuAcc", "CpuRef"], runtime=runtime))
            engines[option] = net.run
            with net.profile() as profile:
                outputs = net.run(inputs)
            result[option] = {
                "layers": sum("winograd" in (layer.kernel or "") for layer in profile.layers),
                "difference": largest_difference(outputs, expected),
            }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in engines}
        for number in range(rounds):
            for name in sorted(engines, reverse=bool(number % 2)):
                engines[name](inputs)  # its weights are in cache again
                clock, processor = time.perf_counter(), time.process_time()
                engines[name](inputs)
                times[name].append((time.perf_counter() - clock, time.process_time() - processor))
    for name, pairs in times.items():
        clocks, processors = zip(*pairs, strict=True)
        figures = {"clock_ms": spread(clocks, 1e-3), "processor_ms": spread(processors, 1e-3)}
        result[name] = result.get(name, {}) | figures
    return result


def main() -> None:
    """Measure all models and publish the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    ann.set_num_threads(options.threads)
    found = {path.stem: measure(path, options.threads, options.rounds) for path in options.models}
    publish("winograd", {"threads": options.threads, "networks": found}, options.output)


if __name__ == "__main__":
    main()
