# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Is a measured placement faster than each backend preferred everywhere, and as right?

    python benchmarks/measured_placement.py MODELS --backend-path DIR [--output FILE.json]

MODELS is a folder with the open networks, DIR one with built backends (repeatable). Each network is
placed on CpuRef alone, on each other backend wherever that takes a layer (CpuRef has the rest), and
by measured time over all of them. All are loaded together and run in turn, so that what disturbs
the machine disturbs all alike. Outputs are compared with CpuRef's: the largest difference must stay
within 1e-4 of the largest value; exit code 1 if one does not.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from common import publish

import armnn_py as ann

REFERENCE = "CpuRef"
MEASURED = "measured"
TOLERANCE = 1e-4
SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "resnet50_thin": {"input_0": (1, 224, 224, 3)},
    "ocr_det": {"x": (1, 3, 96, 192)},
    "ocr_rec": {"x": (1, 3, 48, 160)},
    "yolox_tiny": {},
}


def difference(outputs: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> float:
    """Return the largest difference, relative to the largest absolute value of each output."""
    return max(
        float(np.abs(outputs[name].astype(np.float64) - value).max())
        / (float(np.abs(value).max()) or 1.0)
        for name, value in expected.items()
    )


def placed(
    network: ann.Network, others: list[str], runtime: ann.Runtime, cache: Path
) -> tuple[dict[str, ann.OptimizedNetwork], list[float]]:
    """Return the network in each way, and what measuring took the first and a second time."""
    ways = {
        f"{name}+{REFERENCE}": ann.optimize(network, [name, REFERENCE], runtime=runtime)
        for name in others
    }
    ways[REFERENCE] = ann.optimize(network, [REFERENCE], runtime=runtime)
    seconds = []
    for _ in range(2):
        start = time.perf_counter()
        ways[MEASURED] = ann.optimize(
            network,
            [*others, REFERENCE],
            runtime=runtime,
            strategy="measure",
            measure_cache=cache,
        )
        seconds.append(round(time.perf_counter() - start, 3))
    return ways, seconds


def compare(
    network: ann.Network, others: list[str], runtime: ann.Runtime, rounds: int
) -> dict[str, Any]:
    """Return times, differences and placements of one network."""
    with tempfile.TemporaryDirectory() as cache:
        ways, seconds = placed(network, others, runtime, Path(cache))
    rng = np.random.default_rng(0)
    inputs = {
        name: rng.uniform(-1, 1, info.static_shape).astype(info.dtype)
        for name, info in network.inputs.items()
    }
    loaded = {way: runtime.load_network(optimized) for way, optimized in ways.items()}
    times: dict[str, list[float]] = {way: [] for way in ways}
    try:
        outputs = {way: one.run(inputs) for way, one in loaded.items()}
        for _ in range(rounds):
            for way, one in loaded.items():
                start = time.perf_counter()
                one.run(inputs)
                times[way].append(time.perf_counter() - start)
    finally:
        for one in loaded.values():
            one.close()
    least = {way: min(own) * 1e3 for way, own in times.items()}
    best = min(taken for way, taken in least.items() if way != MEASURED)
    return {
        "measuring_s": seconds[0],
        "from_the_cache_s": seconds[1],
        "measured_to_best_single": round(least[MEASURED] / best, 3),
        "ways": {
            way: {
                "min_ms": round(least[way], 3),
                "median_ms": round(statistics.median(times[way]) * 1e3, 3),
                "difference": difference(outputs[way], outputs[REFERENCE]),
                "layers": ways[way].assignment.counts,
                "copies": ways[way].assignment.copies,
                "imports": ways[way].assignment.imports,
            }
            for way in ways
        },
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measured placement against single backends.")
    parser.add_argument("models", type=Path)
    parser.add_argument("--backend-path", action="append", required=True)
    parser.add_argument("--backend", action="append", help="default: Sample_Npu and Sample_Zero")
    parser.add_argument("--model", action="append", help="one of the networks; repeatable")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    others = arguments.backend or ["Sample_Npu", "Sample_Zero"]
    networks = {}
    with ann.Runtime(arguments.backend_path) as runtime:
        for name in arguments.model or SHAPES:
            shapes = SHAPES.get(name, {})
            network = ann.import_model(arguments.models / f"{name}.onnx")
            if shapes:
                network = network.specialize(shapes)
            networks[name] = compare(network, others, runtime, arguments.rounds)
            print(name, networks[name]["measured_to_best_single"], file=sys.stderr)
    publish(
        "measured_placement",
        {"tolerance": TOLERANCE, "rounds": arguments.rounds, "networks": networks},
        arguments.output,
    )
    ways = [way for network in networks.values() for way in network["ways"].values()]
    return int(any(way["difference"] > TOLERANCE for way in ways))


if __name__ == "__main__":
    sys.exit(main())
