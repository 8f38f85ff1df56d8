# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What `optimize` takes for networks of 1,000 to 10,000 layers, and its passes alone.

    python benchmarks/optimize.py [--output FILE.json]

A network has blocks of fifteen layers with something in them for most passes: a convolution with
its batch normalisation and a padding in front of it, activations in another layout between two
transposes, equal siblings, reshapes in a row, an operand of less rank, layers that do nothing.
Time for one layer that stays the same over the series is time linear in the layers.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from common import publish, spread

import armnn_py as ann
from armnn_py.optimizer.graph import Graph
from armnn_py.optimizer.passes import SIMPLIFYING
from armnn_py.optimizer.run_passes import run_passes

SERIES = (1000, 2000, 4000, 6000, 8000, 10000)
CHANNELS = 4
RELU = ann.ActivationFunction.RELU


def network_of(layers: int) -> ann.Network:
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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Time of optimize().")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    series = []
    with ann.Runtime(enable_dynamic_backends=False) as runtime:
        for layers in SERIES:
            network = network_of(layers)
            whole, passes = [], []
            for _ in range(arguments.repeats):
                start = time.perf_counter()
                ann.optimize(network, ["CpuRef"], runtime=runtime)
                whole.append(time.perf_counter() - start)
                graph = Graph.from_network(network)
                start = time.perf_counter()
                run_passes(graph, SIMPLIFYING)
                passes.append(time.perf_counter() - start)
            series.append(
                {
                    "layers": layers,
                    "optimize_s": spread(whole, 1),
                    "optimize_us_a_layer": round(min(whole) / layers * 1e6, 2),
                    "passes_us_a_layer": round(min(passes) / layers * 1e6, 2),
                    "layers_left": sum(not node.is_host for node in graph),
                }
            )
    publish(
        "optimize",
        {"series": series, "wanted": "1,000 layers under 1 s; time linear up to 10,000 layers"},
        arguments.output,
    )


if __name__ == "__main__":
    main()
