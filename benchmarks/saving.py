# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Importing a large model, and loading its saved form: time, peak memory, memory that is shared.

A model of 100 MB is made for it: a chain of fully connected layers with an embedding table, as text
encoders have. Each figure is from processes of their own; the saved form is one whose sums were
checked before. Memory of a step is how far the peak (VmHWM of /proc/self/status) is above what the
process had before it; the share of one of two processes is its proportional set size (Pss of
/proc/self/smaps_rollup), less that without the network.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import publish, spread

PROGRAM = """
import json, sys, tempfile, time
from pathlib import Path

def field(file, name):
    for line in open(file, encoding="ascii"):
        if line.startswith(name + ":"):
            return int(line.split()[1]) << 10

step, path, backends = sys.argv[1], sys.argv[2], sys.argv[3:]
import armnn_py as ann
import onnx, numpy
from armnn_py.optimizer import OptimizedNetwork
import armnn_py.optimizer.pipeline, armnn_py.frontends.onnx, armnn_py.optimizer.saved.restore
small = Path(ann.__file__).parent / "demo" / "digits.onnx"
runtime = ann.Runtime()
ann.load(small, backends, runtime=runtime).close()  # both ways once: modules, first calls
with tempfile.TemporaryDirectory() as folder:
    ann.optimize(ann.import_model(small), backends, runtime=runtime).save(folder + "/small")
    ann.load(folder + "/small", runtime=runtime).close()
before = field("/proc/self/status", "VmRSS")
own = field("/proc/self/smaps_rollup", "Pss")
begin = time.perf_counter(), time.process_time()
if step == "import":
    kept = ann.import_model(path)
elif step == "import and optimise":
    kept = ann.optimize(ann.import_model(path), backends, runtime=runtime)
elif step == "saved network":
    kept = OptimizedNetwork.load(path, runtime=runtime)
else:
    kept = ann.load(path, None if path.endswith(".armnnpy") else backends, runtime=runtime)
end = time.perf_counter(), time.process_time()
peak = field("/proc/self/status", "VmHWM") - before
if step == "pair":
    kept.run({"ids": numpy.zeros((1, 16), numpy.int32)})
    print("ready", flush=True)
    sys.stdin.readline()
pss = field("/proc/self/smaps_rollup", "Pss") - own
print(json.dumps([end[0] - begin[0], end[1] - begin[1], peak, pss]), flush=True)
if step == "pair":
    sys.stdin.readline()
"""


def make_model(path: Path, megabytes: int) -> None:
    """An ONNX model of about so many MB."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    width, vocabulary = 512, 8192
    random_ = np.random.default_rng(0)
    table = random_.standard_normal((vocabulary, width)).astype(np.float32)
    weights = [numpy_helper.from_array(table, "table")]
    nodes = [helper.make_node("Gather", ["table", "ids"], ["h0"])]
    count = (megabytes * 1_000_000 - table.nbytes) // (width * width * 4)
    for n in range(count):
        value = (random_.standard_normal((width, width)) / width**0.5).astype(np.float32)
        weights.append(numpy_helper.from_array(value, f"w{n}"))
        nodes.append(helper.make_node("MatMul", [f"h{n}", f"w{n}"], [f"m{n}"]))
        nodes.append(helper.make_node("Tanh", [f"m{n}"], [f"h{n + 1}"]))
    ids = helper.make_tensor_value_info("ids", TensorProto.INT32, [1, 16])
    out = helper.make_tensor_value_info(f"h{count}", TensorProto.FLOAT, [1, 16, width])
    graph = helper.make_graph(nodes, "large", [ids], [out], weights)
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)


def sample(step: str, path: Path, backends: list[str]) -> list[float]:
    """Seconds, seconds of the processor, peak and Pss in bytes, of one step in a new process."""
    command = [sys.executable, "-c", PROGRAM, step, str(path), *backends]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout.splitlines()[-1]))


def pair(path: Path, backends: list[str], count: int) -> float:
    """Pss in bytes of each of so many processes that have the same network loaded."""
    command = [sys.executable, "-c", PROGRAM, "pair", str(path), *backends]
    started = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(count)
    ]

    def line(process: Any) -> str:
        return str(process.stdout.readline())

    def go(process: Any) -> None:
        process.stdin.write("\n")
        process.stdin.flush()

    for process in started:
        line(process)
    for process in started:
        go(process)
    found = [json.loads(line(process))[3] for process in started]
    for process in started:
        go(process)
        process.wait()
    return float(statistics.median(found))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time and memory of importing and of saved forms.")
    parser.add_argument("--model", type=Path, help="a model instead of the one that is made")
    parser.add_argument("--backends", nargs="+", default=["CpuRef"])
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    backends = arguments.backends
    with tempfile.TemporaryDirectory() as folder:
        model, saved = Path(folder) / "model.onnx", Path(folder) / "model.armnnpy"
        if arguments.model:
            model = arguments.model
        else:
            make_model(model, arguments.megabytes)
        import armnn_py as ann

        with ann.Runtime() as runtime:
            ann.optimize(ann.import_model(model), backends, runtime=runtime).save(saved)
        time.sleep(3)  # a file that was just written is checked each time, and then once
        sample("saved network", saved, backends)
        steps = {
            "import": model,
            "import and optimise": model,
            "import, optimise and load": model,
            "saved network": saved,
            "saved network, loaded": saved,
        }
        turns = [step for step in steps for _ in range(arguments.samples)]
        random.shuffle(turns)
        found: dict[str, list[list[float]]] = {step: [] for step in steps}
        for step in turns:
            found[step].append(sample(step, steps[step], backends))
        size = model.stat().st_size
        results: dict[str, Any] = {"model_bytes": size, "saved_bytes": saved.stat().st_size}
        for step, samples in found.items():
            seconds, processor, peak, _ = zip(*samples, strict=True)
            results[step] = {
                "ms": spread(list(seconds), 1e-3),
                "processor_ms": spread(list(processor), 1e-3),
                "peak_times_the_model": round(statistics.median(peak) / size, 3),
            }
        if not arguments.model:
            results["pss_times_the_model"] = {
                "saved, one process": round(pair(saved, backends, 1) / size, 3),
                "saved, each of two": round(pair(saved, backends, 2) / size, 3),
                "imported, each of two": round(pair(model, backends, 2) / size, 3),
            }
    publish(
        "saving",
        {
            "backends": backends,
            "results": results,
            "wanted": "peak of importing below 2.2 times the model; the saved form in a tenth of "
            "the time of import and optimise; its weights in memory once for all processes",
        },
        arguments.output,
    )


if __name__ == "__main__":
    main()
