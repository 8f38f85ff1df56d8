# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a token costs whose keys and values lie in one array that stays, next to onnxruntime.

    python benchmarks/peers/decoders.py FOLDER fixed_1024
    python benchmarks/decoding_step.py FOLDER/decoder_fixed_1024.onnx [--output FILE.json]

The caches go into the network and come out of it with one row replaced. `shared`: bound arrays,
each cache one array for both; `apart`: bound arrays of their own, so that each cache is copied;
`onnxruntime`: an IOBinding with one array for both. All run in turns, by the processor's time of
one thread. `read_gb_s` is how fast a loop reads 256 MiB of floats, `gb_s` how fast a step reads its
weights and caches.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import onnxruntime_session, publish, spread

import armnn_py

Values = dict[str, Any]
SKIPPED = 3


def arrays_of(network: armnn_py.LoadedNetwork) -> Values:
    """Inputs of the last token that fits."""
    generator = np.random.default_rng(5)
    arrays: Values = {}
    for name, info in network.inputs.items():
        if name.startswith("past_"):
            arrays[name] = generator.standard_normal(info.static_shape).astype(np.float32)
        else:
            arrays[name] = np.ones(info.static_shape, info.dtype)
    arrays["position"][...] = arrays["seen"].size - 1
    return arrays


def present_of(name: str) -> str:
    """Name the output that a cache comes out by."""
    return name.removeprefix("past_")


def bound_by_onnxruntime(path: Path, threads: int, inputs: Values) -> Callable[[], Any]:
    """Bind each cache to one array."""
    import onnxruntime

    session = onnxruntime_session(path, threads)
    binding = session.io_binding()
    for name, array in inputs.items():
        value = onnxruntime.OrtValue.ortvalue_from_numpy(array)
        binding.bind_ortvalue_input(name, value)
        if name.startswith("past_"):
            binding.bind_ortvalue_output(present_of(name), value)
    binding.bind_output("logits")
    return lambda: session.run_with_iobinding(binding)


def reading(size: int = 2**28) -> Callable[[], Any]:
    """Read an array much larger than the caches: numpy's maximum only loads."""
    array = np.ones(size // 4, np.float32)
    return array.max


def measure(options: Any) -> Values:
    """Time all of them in turns."""
    network = armnn_py.load(options.model, options.backends)
    inputs = arrays_of(network)
    caches = {name: array for name, array in inputs.items() if name.startswith("past_")}
    shared = network.bind(inputs, {present_of(name): array for name, array in caches.items()})
    copies = {name: array.copy() for name, array in inputs.items()}
    apart = network.bind(copies)
    runs: dict[str, Callable[[], Any]] = {"shared": shared.run, "apart": apart.run}
    if not options.alone:
        theirs = {name: array.copy() for name, array in inputs.items()}
        runs["onnxruntime"] = bound_by_onnxruntime(options.model, options.threads, theirs)
    runs["read"] = reading()
    found: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(options.turns + SKIPPED):
        for name in sorted(runs, reverse=bool(turn % 2)):
            begin = time.process_time()
            runs[name]()
            seconds = time.process_time() - begin
            if turn >= SKIPPED:
                found[name].append(seconds)
    np.testing.assert_array_equal(shared.outputs["logits"], apart.outputs["logits"])
    weights = options.model.stat().st_size - options.unread * 2**20
    size = weights + sum(array.nbytes for array in caches.values())
    return {
        "bytes": size,
        "read_gb_s": round(2**28 / min(found["read"]) / 1e9, 1),
        "gb_s": {name: round(size / min(found[name]) / 1e9, 1) for name in runs if name != "read"},
        **{f"{name}_ms": spread(times, 1e-3) for name, times in found.items() if name != "read"},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Tokens whose caches stay in place.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--backends", nargs="+", default=["CpuAcc", "CpuRef"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--alone", action="store_true", help="without onnxruntime")
    unread = "MiB of the model's file that a step does not read: tables"
    parser.add_argument("--unread", type=int, default=17, help=unread)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    armnn_py.set_num_threads(options.threads)
    about = {"threads": options.threads, "model": options.model.name, "step": measure(options)}
    publish("decoding_step", about, options.output)


if __name__ == "__main__":
    main()
