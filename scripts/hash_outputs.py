# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Hashes of the outputs of networks on CpuAcc with ``reproducible=true``, and what it costs.

    python scripts/hash_outputs.py MODEL.onnx MODEL.tflite --isa avx2 --isa portable --time 5
    python scripts/hash_outputs.py --layers --random 20

Each network runs with each instruction set, with one thread and with three, on the same inputs. A
row of the table has the hash of all its outputs; the script fails if two of them differ. ``--time``
adds the time of the thread with the option divided by that without it, the best of so many turns.
``--layers`` adds a row for each layer and data type of the conformance kit, ``--random`` rows of
random networks. Machines are compared by the tables that they print: scripts/test_neon.sh does it.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import sys
import time
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import armnn_py as ann
from armnn_py.testing.cases import TRIED_TYPES, all_cases
from armnn_py.testing.random_networks import random_inputs, random_network
from armnn_py.testing.subject import Together, layers_taken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from armnn_py.testing.cases import Case

    Hash = Callable[[ann.Runtime], str]

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


def digest(runs: list[dict[str, Any]]) -> str:
    """Return a hash of the outputs of some runs, with every NaN as one."""
    found = hashlib.sha256()
    for outputs in runs:
        for name in sorted(outputs):
            array = np.array(outputs[name])
            if array.dtype.kind == "f":
                array[np.isnan(array)] = np.nan
            found.update(array.tobytes())
    return found.hexdigest()[:12]


def hash_of_model(model: Path, runtime: ann.Runtime) -> str:
    """Return the hash of the outputs of a network."""
    with ann.load(model, ["CpuAcc"], runtime=runtime) as network:
        return digest([network.run(inputs_of(network))])


def hash_of_cases(cases: list[Case], runtime: ann.Runtime) -> str:
    """Return the hash of what layers make of ordinary values and of special ones."""
    values = [[case.values(kind) for case in cases] for kind in ("plain", "special")]
    together = Together(runtime, "CpuAcc", cases, values[0])
    with runtime.load_network(together.placed) as network:
        return digest([network.run(together.inputs(one)) for one in values])


def hash_of_random(seed: int, runtime: ann.Runtime) -> str:
    """Return the hash of the outputs of a random network."""
    network = random_network(seed)
    placed = ann.optimize(network, ["CpuAcc"], runtime=runtime)
    with runtime.load_network(placed) as loaded:
        return digest([loaded.run(random_inputs(network, seed))])


def subjects(types: list[str] | None, networks: int) -> Iterator[tuple[str, Hash]]:
    """Give names of layers and of random networks, and how their hashes are made."""
    if types is not None:
        with ann.Runtime() as runtime:
            labels = {one.label: one for one in TRIED_TYPES}
            drawn = all_cases("quick", types=[labels[one] for one in types])
            drawn = [case for case in drawn if case.layer is not ann.LayerType.MERGE]
            taken = layers_taken(runtime.backends["CpuAcc"], drawn)
        kept = [case for case, is_taken in zip(drawn, taken, strict=True) if is_taken]
        kept.sort(key=lambda case: (case.layer, case.type))
        for (layer, data_type), cases in groupby(kept, lambda case: (case.layer, case.type)):
            yield f"{layer.label} {data_type.label}", functools.partial(hash_of_cases, [*cases])
    for seed in range(networks):
        yield f"random network {seed}", functools.partial(hash_of_random, seed)


def runtime_with(stack: ExitStack, **options: Any) -> ann.Runtime:
    """Return a runtime with options of CpuAcc."""
    return stack.enter_context(ann.Runtime(backend_options={"CpuAcc": options}))


def cost_of(model: Path, turns: int) -> float:
    """Return the time of a run with the option divided by that of a run without it."""
    best = [float("inf")] * 2
    with ExitStack() as stack:
        runtimes = [runtime_with(stack, threads=1, reproducible=on) for on in (False, True)]
        networks = [
            stack.enter_context(ann.load(model, ["CpuAcc"], runtime=runtime))
            for runtime in runtimes
        ]
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
    parser.add_argument("models", nargs="*", type=Path)
    labels = [one.label for one in TRIED_TYPES]
    parser.add_argument("--layers", nargs="*", choices=labels, metavar="TYPE", help="default: all")
    parser.add_argument("--random", type=int, default=0, metavar="NETWORKS")
    parser.add_argument("--isa", action="append")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--time", type=int, default=0, metavar="TURNS")
    arguments = parser.parse_args()
    ann.set_num_threads(max(arguments.threads))
    failed = 0
    with ExitStack() as stack:
        runtimes = {
            (isa, threads): runtime_with(stack, isa=isa, threads=threads, reproducible=True)
            for isa in arguments.isa or ["auto", "portable"]
            for threads in arguments.threads
        }
        every: list[tuple[str, Hash, Path | None]] = [
            (model.name, functools.partial(hash_of_model, model), model)
            for model in arguments.models
        ]
        every += [(*one, None) for one in subjects(arguments.layers, arguments.random)]
        for name, hash_of, model in every:
            hashes = {key: hash_of(runtime) for key, runtime in runtimes.items()}
            same = len(set(hashes.values())) == 1
            failed += not same
            cost = f" {cost_of(model, arguments.time):.2f} |" if model and arguments.time else ""
            shown = next(iter(hashes.values())) if same else f"different: {hashes}"
            print(f"| {name} | {shown} |{cost}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
