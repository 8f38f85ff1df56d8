# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What `optimize` and `load_network` take for networks of 1,000 to 100,000 layers.

    python benchmarks/optimize.py [--backends CpuRef CpuAcc] [--output FILE.json]

Time for one layer that stays the same over a series is time linear in the layers. The networks:

- *blocks* of fifteen layers with something in them for most passes: a convolution with its batch
  normalisation and a padding in front of it, activations in another layout between two transposes,
  equal siblings, reshapes in a row, an operand of less rank, layers that do nothing;
- a *chain* of layers that work in place, one behind the other;
- as many *inputs*, and as many *outputs*, as layers.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import publish

import armnn_py as ann
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.passes import SIMPLIFYING
from armnn_py.optimizer.run_passes import run_passes

SERIES = (1000, 2000, 5000, 10000, 20000, 50000, 100000)
CHANNELS = 4
RELU = ann.ActivationFunction.RELU
BOUNDED = ann.ActivationFunction.BOUNDED_RELU
SMALL = ann.TensorInfo((16,))


def blocks(layers: int) -> ann.Network:
    """Return a network of at least so many layers besides its constants."""
    network = ann.Network(f"{layers} layers")
    weights = network.add_constant(np.full((CHANNELS, 3, 3, CHANNELS), 0.01, np.float32))
    ones = network.add_constant(np.ones(CHANNELS, np.float32))
    x = network.add_input("x", ann.TensorInfo((1, 6, 6, CHANNELS)))
    count = 0
    while count < layers:
        y = network.add_pad(x, [(0, 0), (1, 1), (1, 1), (0, 0)])
        y = network.add_convolution2d(y, weights)
        y = network.add_batch_normalization(y, ones, ones, ones, ones)
        y = network.add_transpose(y, (0, 3, 1, 2))
        y = network.add_activation(y, RELU)
        y = network.add_addition(y, y)
        y = network.add_transpose(y, (0, 2, 3, 1))
        first, second = (network.add_reshape(y, (36, CHANNELS)) for _ in range(2))
        y = network.add_maximum(first, second)
        y = network.add_reshape(network.add_reshape(y, (12, 12)), (1, 6, 6, CHANNELS))
        y = network.add_multiplication(y, ones)
        y = network.add_cast(y, ann.DataType.FLOAT32)
        x = network.add_addition(y, x)
        count += 15
    network.add_output("y", x)
    return network


def chain(layers: int) -> ann.Network:
    """Return a network of layers that are told apart by a bound."""
    network = ann.Network(f"chain of {layers}")
    x = network.add_input("x", SMALL)
    for n in range(layers):
        x = network.add_activation(x, BOUNDED, a=n + 1.0)
    network.add_output("y", x)
    return network


def inputs(layers: int) -> ann.Network:
    """Return a network with an input for each layer; they are joined in thousands."""
    network = ann.Network(f"{layers} inputs")
    made = [network.add_activation(network.add_input(f"x{n}", SMALL), RELU) for n in range(layers)]
    joined = [network.add_concat(made[n : n + 1000], 0) for n in range(0, layers, 1000)]
    network.add_output("y", network.add_concat(joined, 0) if len(joined) > 1 else joined[0])
    return network


def outputs(layers: int) -> ann.Network:
    """Return a network with an output for each layer."""
    network = ann.Network(f"{layers} outputs")
    x = network.add_input("x", SMALL)
    for n in range(layers):
        network.add_output(f"y{n}", network.add_activation(x, BOUNDED, a=n + 1.0))
    return network


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return how long a call takes, and what it returns."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def measure(runtime: ann.Runtime, network: ann.Network, backend: str) -> dict[str, float]:
    """Return seconds for the steps of one network."""
    optimizing, optimized = seconds(lambda: ann.optimize(network, [backend], runtime=runtime))
    loading, loaded = seconds(lambda: runtime.load_network(optimized))
    loaded.close()
    graph = Graph.from_network(network)
    passing, _ = seconds(lambda: run_passes(graph, SIMPLIFYING))
    return {"passes": passing, "optimize": optimizing, "load": loading}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time of optimize() and of load_network().")
    parser.add_argument("--backends", nargs="+", default=["CpuRef"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--most", type=int, default=SERIES[-1], help="layers of the largest")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    series = []
    with ann.Runtime() as runtime:
        for backend in arguments.backends:
            for network_of in (blocks, chain, inputs, outputs):
                for layers in (count for count in SERIES if count <= arguments.most):
                    network = network_of(layers)
                    try:
                        samples = [
                            measure(runtime, network, backend) for _ in range(arguments.repeats)
                        ]
                    except ann.NoBackendForLayerError as error:
                        # A backend may have a limit, e.g. of the inputs of a compiled layer.
                        print(f"{network.name} on {backend}: {error}", flush=True)
                        continue
                    best = {step: min(sample[step] for sample in samples) for step in samples[0]}
                    series.append(
                        {"network": network_of.__name__, "backend": backend, "layers": layers}
                        | {f"{step}_s": round(time, 3) for step, time in best.items()}
                        | {
                            f"{step}_us_a_layer": round(time / layers * 1e6, 1)
                            for step, time in best.items()
                        }
                    )
                    print(series[-1], flush=True)
    publish(
        "optimize",
        {
            "series": series,
            "note": "the best of the repeats",
            "wanted": "1,000 layers under 1 s; time linear up to 100,000 layers, load included",
        },
        arguments.output,
    )


if __name__ == "__main__":
    main()
