# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Do networks give the same results however their layers are spread over backends?

    python scripts/split_networks.py MODELS --backend-path DIR [--seeds 200] [--random 500]
        [--output FILE.json]

MODELS is a folder with the open networks (resnet50_thin, ocr_det, ocr_rec, yolox_tiny). Each is run
on CpuRef alone and as it is, then on each other loaded backend followed by CpuRef, then with every
layer sent to a backend drawn at random, for as many seeds. With ``--random``, so many networks that
are themselves drawn at random, of many layer types, are spread in the same ways. Outputs are
compared with CpuRef's: the largest difference must stay within 1e-4 of the largest value. Exit code
1 if one does not.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import armnn_py as ann
from armnn_py.optimizer import AS_IT_IS
from armnn_py.testing.random_networks import random_network
from armnn_py.testing.spreading import largest_difference, random_inputs, scatter

REFERENCE = "CpuRef"
TOLERANCE = 1e-4
#: Shapes of networks with free dimensions: small, so that many seeds are affordable.
SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "resnet50_thin": {"input_0": (1, 224, 224, 3)},
    "ocr_det": {"x": (1, 3, 96, 192)},
    "ocr_rec": {"x": (1, 3, 48, 160)},
    "yolox_tiny": {},
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way of spreading one network."""

    network: str
    way: str
    layers: dict[str, int]
    copies: int
    imports: int
    difference: float
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether the outputs are those of the reference."""
        return self.difference <= TOLERANCE


def ways(
    network: ann.Network, others: Sequence[str], seeds: Sequence[int]
) -> Iterator[tuple[str, ann.Network, list[str]]]:
    """Every way to spread a network: its name, the network, the preferences."""
    for backend in others:
        yield f"{backend}+{REFERENCE}", network, [backend, REFERENCE]
    everybody = [*others, REFERENCE]
    for seed in seeds:
        yield f"seed {seed}", scatter(network, everybody, seed), [REFERENCE]


def run_all(network: ann.Network, runtime: ann.Runtime, seeds: Sequence[int]) -> Iterator[Outcome]:
    """Run a network in every way and compare it with the reference."""
    inputs = random_inputs(network)
    others = [name for name in runtime.backends if name != REFERENCE]
    plain = ann.optimize(network, [REFERENCE], runtime=runtime, options=AS_IT_IS)
    with runtime.load_network(plain) as loaded:
        expected = loaded.run(inputs)
    for way, spread, preferences in ways(network, others, seeds):
        start = time.perf_counter()
        optimized = ann.optimize(spread, preferences, runtime=runtime)
        with runtime.load_network(optimized) as loaded:
            outputs = loaded.run(inputs)
            again = loaded.run(inputs)  # memory of a run must not depend on the run before
        types = [layer.type.label for layer in optimized.network.layers]
        yield Outcome(
            network.name,
            way,
            optimized.assignment.counts,
            types.count("MemCopy"),
            types.count("MemImport"),
            max(largest_difference(outputs, expected), largest_difference(again, expected)),
            time.perf_counter() - start,
        )


def run_random(runtime: ann.Runtime, seeds: Sequence[int]) -> Iterator[Outcome]:
    """Spread networks drawn at random, each in every way, with two assignments at random."""
    for seed in seeds:
        yield from run_all(random_network(seed), runtime, [2 * seed, 2 * seed + 1])


def summary(found: Sequence[Outcome]) -> dict[str, object]:
    """The results for one network, or for all random ones together."""
    copies, imports = [one.copies for one in found], [one.imports for one in found]
    result: dict[str, object] = {
        "ways": len(found),
        "wrong": sum(not one.ok for one in found),
        "worst_relative_difference": max(one.difference for one in found),
        "copies": [min(copies), max(copies)],
        "imports": [min(imports), max(imports)],
    }
    if len({one.network for one in found}) == 1:
        result["by_backend"] = {
            one.way: {
                "layers": one.layers,
                "copies": one.copies,
                "imports": one.imports,
                "difference": one.difference,
            }
            for one in found
            if not one.way.startswith("seed")
        }
    return result


def report(name: str, found: Sequence[Outcome]) -> None:
    """Print a line."""
    worst = max(found, key=lambda outcome: outcome.difference)
    copies = [outcome.copies for outcome in found]
    print(
        f"{name}: {len(found)} ways, {sum(not o.ok for o in found)} wrong, worst "
        f"{worst.difference:.1e} ({worst.network}, {worst.way}), {min(copies)} to {max(copies)} "
        "copies",
        flush=True,
    )


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", type=Path, help="folder with the .onnx files")
    parser.add_argument("--backend-path", type=Path, required=True, action="append")
    parser.add_argument("--seeds", type=int, default=200, help="random assignments a network")
    parser.add_argument("--random", type=int, default=0, help="networks drawn at random")
    parser.add_argument("--network", action="append", choices=list(SHAPES), help="only this one")
    parser.add_argument("--output", type=Path, help="write a summary as JSON")
    arguments = parser.parse_args()
    outcomes: dict[str, list[Outcome]] = {}
    folders = [folder.resolve() for folder in arguments.backend_path]
    with ann.Runtime(folders) as runtime:
        print(f"backends: {', '.join(runtime.backends)}")
        for name in arguments.network or SHAPES:
            network = ann.import_model(arguments.models / f"{name}.onnx").specialize(SHAPES[name])
            found = outcomes[name] = []
            for outcome in run_all(network, runtime, range(arguments.seeds)):
                found.append(outcome)
                if not outcome.ok or not outcome.way.startswith("seed"):
                    print(f"  {outcome}", flush=True)
            report(name, found)
        if arguments.random:
            found = outcomes["random"] = []
            for outcome in run_random(runtime, range(arguments.random)):
                found.append(outcome)
                if not outcome.ok:
                    print(f"  {outcome}", flush=True)
            report("random", found)
    if arguments.output:
        result = {
            "command": "python scripts/split_networks.py MODELS --backend-path SAMPLES "
            f"--seeds {arguments.seeds} --random {arguments.random}",
            "tolerance": TOLERANCE,
            "networks": {name: summary(found) for name, found in outcomes.items()},
        }
        arguments.output.write_text(json.dumps(result, indent=1) + "\n")
    return 0 if outcomes and all(one.ok for found in outcomes.values() for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
