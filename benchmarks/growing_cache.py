# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What a token costs whose cache is one longer than that of the token before, next to onnxruntime.

    python benchmarks/peers/decoders.py FOLDER
    python benchmarks/growing_cache.py FOLDER/decoder_past.onnx [--first 128] [--output FILE.json]

Each step is a new set of shapes: what is made for it serves once. Both engines get their own caches
back, as a program that generates text gives them. The processor's time counts; `fixed` is the same
step with a cache that has its length already, `more` what the new length adds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import publish, spread

import armnn_py

Values = dict[str, Any]
SKIPPED = 3  # steps in which much is done once


def engines_of(path: Path, options: Any) -> dict[str, Callable[[Values], Values]]:
    """Return functions that run a step by both engines, outputs by name."""
    import onnxruntime

    network = armnn_py.load(path, options.backends)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    return {
        "armnn_py": network.run,
        "onnxruntime": lambda feeds: dict(zip(names, session.run(None, feeds), strict=True)),
    }


def fed(caches: Values, position: int) -> Values:
    """Return the inputs of a step behind ``position`` tokens."""
    return {
        "token": np.int64([[position * 7 % 1000]]),
        "position": np.int64([[position]]),
        "seen": np.ones((1, 1, 1, position + 1), np.int64),
        **{f"past_{name}": cache for name, cache in caches.items()},
    }


def timed(run: Callable[[Values], Values], feeds: Values) -> tuple[float, Values]:
    """Return the processor's time of a step, and its outputs."""
    begin = time.process_time()
    outputs = run(feeds)
    return time.process_time() - begin, outputs


def measure(options: Any) -> Values:
    """Run all steps by both engines in turns."""
    from peers.decoders import HEAD, KEY_HEADS, LAYERS

    engines = engines_of(options.model, options)
    shape = (1, KEY_HEADS, options.first, HEAD)
    values = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
    start = {f"{what}_{i}": values for i in range(LAYERS) for what in ("key", "value")}
    caches = dict.fromkeys(engines, start)
    found: dict[str, dict[str, list[float]]] = {name: {} for name in engines}
    for step in range(options.steps + SKIPPED):
        for name in sorted(engines, reverse=bool(step % 2)):
            feeds = fed(caches[name], options.first + step)
            first, outputs = timed(engines[name], feeds)
            again = min(timed(engines[name], feeds)[0] for _ in range(3))
            caches[name] = {key: outputs[key] for key in start}
            if step >= SKIPPED:
                for kind, seconds in (("token", first), ("fixed", again), ("more", first - again)):
                    found[name].setdefault(f"{kind}_ms", []).append(seconds)
    ours, theirs = (caches[name]["key_0"] for name in ("armnn_py", "onnxruntime"))
    np.testing.assert_allclose(ours, theirs, atol=1e-3)
    return {
        name: {kind: spread(times, 1e-3) for kind, times in kinds.items()}
        for name, kinds in found.items()
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Tokens of a cache that grows.")
    parser.add_argument("model", type=Path)
    parser.add_argument("--backends", nargs="+", default=["CpuAcc", "CpuRef"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--first", type=int, default=128, help="tokens in the cache at first")
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    armnn_py.set_num_threads(options.threads)
    about = {"threads": options.threads, "first": options.first, "engines": measure(options)}
    publish("growing_cache", about, options.output)


if __name__ == "__main__":
    main()
