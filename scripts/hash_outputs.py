# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Hashes of the outputs of networks on CpuAcc with ``reproducible=true``, and what it costs.

    python scripts/hash_outputs.py MODEL.onnx MODEL.tflite --isa avx2 --isa portable --time 5

Each network runs with each instruction set, with one thread and with three, on the same inputs. A
row of the table has the hash of all its outputs; the script fails if two of them differ. ``--time``
adds the time of the thread with the option divided by that without it, the best of so many turns.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

import armnn_py as ann

THREADS = (1, 3)
RUNS = 5
FREE = 64  # of a dimension that the model leaves free, the first one apart


def inputs_of(network: Any) -> dict[str, np.ndarray]:
    """Return the same numbers on every machine: by a generator of integers, exact in float32."""
    found = {}
    for name, info in network.inputs.items():
        shape = [
            (1 if index == 0 else FREE) if size is None or size < 0 else size
            for index, size in enumerate(info.shape)
        ]
        levels = np.random.RandomState(7).randint(0, 256, shape)
        dtype = np.dtype(info.dtype)
        found[name] = levels.astype(dtype) / 256 if dtype.kind == "f" else levels % 2
        found[name] = found[name].astype(dtype)
    return found


def digest(outputs: dict[str, Any]) -> str:
    """Return a hash of all outputs, with every NaN as one."""
    found = hashlib.sha256()
    for name in sorted(outputs):
        array = np.array(outputs[name])
        if array.dtype.kind == "f":
            array[np.isnan(array)] = np.nan
        found.update(array.tobytes())
    return found.hexdigest()[:12]


def load(stack: ExitStack, model: Path, options: dict[str, Any]) -> Any:
    """Load a network with options of CpuAcc."""
    runtime = stack.enter_context(ann.Runtime(backend_options={"CpuAcc": options}))
    return stack.enter_context(ann.load(model, ["CpuAcc"], runtime=runtime))


def hash_of(model: Path, isa: str, threads: int) -> str:
    """Return the hash of the outputs of a network with one instruction set."""
    with ExitStack() as stack:
        options = {"isa": isa, "threads": threads, "reproducible": True}
        network = load(stack, model, options)
        return digest(network.run(inputs_of(network)))


def cost_of(model: Path, turns: int) -> float:
    """Return the time of a run with the option divided by that of a run without it."""
    best = [float("inf")] * 2
    with ExitStack() as stack:
        networks = [load(stack, model, {"threads": 1, "reproducible": on}) for on in (False, True)]
        inputs = inputs_of(networks[0])
        for _ in range(turns):
            for index, network in enumerate(networks):
                for _ in range(RUNS):
                    start = time.thread_time()
                    network.run(inputs)
                    best[index] = min(best[index], time.thread_time() - start)
    return best[1] / best[0]


def main() -> int:
    """Print one row for each network."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--isa", action="append")
    parser.add_argument("--time", type=int, default=0, metavar="TURNS")
    arguments = parser.parse_args()
    ann.set_num_threads(max(THREADS))
    failed = 0
    for model in arguments.models:
        hashes = {
            (isa, threads): hash_of(model, isa, threads)
            for isa in arguments.isa or ["auto", "portable"]
            for threads in THREADS
        }
        same = len(set(hashes.values())) == 1
        failed += not same
        cost = f" {cost_of(model, arguments.time):.2f} |" if arguments.time else ""
        shown = next(iter(hashes.values())) if same else f"different: {hashes}"
        print(f"| {model.name} | {shown} |{cost}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
