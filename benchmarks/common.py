# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Shared by the benchmarks: the machine in one line, samples in numbers, backends for a folder."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
INCLUDE = REPOSITORY / "native" / "include"
EXAMPLE = REPOSITORY / "examples" / "out_of_tree_backend" / "backend.c"


def machine() -> dict[str, Any]:
    """Return what a figure depends on."""
    about = {
        field.strip(): value.strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        for field, _, value in [line.partition(":")]
    }
    flags = about.get("flags", "").split()
    kinds = {"avx512f": "AVX-512", "avx2": "AVX2", "sse2": "SSE2"}
    return {
        "processor": about.get("model name", platform.machine()),
        "instruction_set": next((kinds[f] for f in kinds if f in flags), platform.machine()),
        "second_cache_kib": _second_cache_kib(),
        "usable_processors": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "date": time.strftime("%Y-%m-%d"),
        "load_before": round(os.getloadavg()[0], 2),
    }


def _second_cache_kib() -> int:
    """Return the size of a processor's second-level cache as Linux tells it; 0 if it does not."""
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        if (folder / "level").read_text().strip() == "2":
            return int((folder / "size").read_text().strip().removesuffix("K"))
    return 0


def with_bytecode(folder: str) -> dict[str, str]:
    """Return the environment of a program whose Python files are compiled once, to ``folder``.

    An installed package is compiled; a source tree may be read by a Python that keeps nothing
    (``PYTHONDONTWRITEBYTECODE``), where compiling is most of a first load.
    """
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": folder}


def seconds_a_call(function: Callable[[], object], *, batch: int, batches: int) -> list[float]:
    """Return the time of one call, averaged over each of several batches."""
    function()
    samples = []
    for _ in range(batches):
        start = time.perf_counter()
        for _ in range(batch):
            function()
        samples.append((time.perf_counter() - start) / batch)
    return samples


def spread(samples: Sequence[float], unit: float) -> dict[str, float]:
    """Return median, smallest and largest in units (1e-6: microseconds)."""
    return {
        "median": round(statistics.median(samples) / unit, 3),
        "min": round(min(samples) / unit, 3),
        "max": round(max(samples) / unit, 3),
    }


def onnxruntime_session(model: Path | bytes, threads: int) -> Any:
    """Return a session of ONNX Runtime on the processor."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def turn(run: Callable[[], Any], milliseconds: float) -> float:
    """Return the processor time of a run in microseconds."""
    count, begin = 0, time.process_time()
    while (spent := time.process_time() - begin) < milliseconds / 1000 or count == 0:
        run()
        count += 1
    return spent / count * 1e6


def compile_backend(source: Path, target: Path, *flags: str) -> Path:
    """Compile one file into a backend, without CMake."""
    command = ["cc", "-std=c11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{INCLUDE}"]
    subprocess.run([*command, *flags, str(source), "-o", str(target)], check=True)
    return target


def publish(name: str, result: dict[str, Any], target: Path | None) -> None:
    """Print the result and write it, by default to build/benchmarks/NAME.json."""
    document = json.dumps({"benchmark": name, "machine": machine(), **result}, indent=1)
    print(document)
    target = target or REPOSITORY / "build" / "benchmarks" / f"{name}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(document + "\n", encoding="utf-8")
