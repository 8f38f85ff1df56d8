# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Loading an ONNX file next to onnxruntime: time, time with the import, peak memory.

    python benchmarks/loading.py MODEL.onnx ... [--backends CpuRef] [--output FILE.json]

Each sample is a fresh process, in random order; the files are warm in the page cache. Time of the
processor, over all threads, is given beside that of the clock: it holds also on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from common import publish, spread, with_bytecode

PROGRAM = """
import json, sys, time

def now():
    return time.perf_counter(), time.process_time()

path, backends = sys.argv[1], sys.argv[2:]
moments = [now()]
if backends:
    import armnn_py
    from armnn_py import DataType, Runtime, TensorInfo  # names come when they are asked for
    moments.append(now())
    loaded = armnn_py.load(path, backends)
else:
    import onnxruntime
    moments.append(now())
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
moments.append(now())
with open("/proc/self/status", encoding="ascii") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(json.dumps({"moments": moments, "peak": peak}))
"""


def sample(path: Path, backends: list[str], bytecode: str) -> dict[str, Any]:
    """Load once in a fresh process; without backends by onnxruntime."""
    command = [sys.executable, "-c", PROGRAM, str(path), *backends]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=with_bytecode(bytecode)
    )
    return dict(json.loads(done.stdout))


def figures(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the samples of one engine say."""
    begin, imported, end = zip(*(one["moments"] for one in samples), strict=True)

    def times(first: Any, last: Any, clock: int) -> dict[str, float]:
        pairs = zip(first, last, strict=True)
        return spread([after[clock] - before[clock] for before, after in pairs], 1e-3)

    return {
        "load_ms": times(imported, end, 0),
        "load_processor_ms": times(imported, end, 1),
        "with_import_ms": times(begin, end, 0),
        "with_import_processor_ms": times(begin, end, 1),
        "peak_mib": spread([one["peak"] for one in samples], 1024),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time and memory of loading.")
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--backends", nargs="+", default=["CpuRef"])
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    engines = {"armnn_py": arguments.backends, "onnxruntime": []}
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as bytecode:
        for model in arguments.models:
            for backends in engines.values():
                sample(model, backends, bytecode)  # page cache, compiled Python files
            turns = [name for name in engines for _ in range(arguments.samples)]
            random.shuffle(turns)
            samples: dict[str, list[dict[str, Any]]] = {name: [] for name in engines}
            for name in turns:
                samples[name].append(sample(model, engines[name], bytecode))
            results[model.stem] = {name: figures(found) for name, found in samples.items()}
    publish(
        "loading",
        {
            "backends": arguments.backends,
            "models": results,
            "wanted": "at most 1.5 times the time of onnxruntime, and no more memory",
        },
        arguments.output,
    )


if __name__ == "__main__":
    main()
