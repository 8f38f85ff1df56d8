# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The fixed cost of a run: per layer outside the kernels, and per call.

    python benchmarks/overhead.py [--output FILE.json]

A chain of 200 layers that add 16 floats is compared with one of 100: the slope, what one more layer
costs, still has the kernel in it, so it is an upper bound of what happens outside the kernels. A
network of one layer gives the cost of a call: binding one small input, the native call, one fresh
output; with `out=` the output is the caller's, and after `bind()` nothing is looked at any more.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from common import publish, seconds_a_call, spread

import armnn_py as ann

ELEMENTS = 16


def chain(length: int) -> ann.Network:
    """Return a network of ``length`` additions."""
    network = ann.Network(f"chain of {length}")
    x = network.add_input("x", ann.TensorInfo((ELEMENTS,)))
    y = x
    for index in range(length):
        y = network.add_addition(y, x, name=f"add{index}")
    network.add_output("y", y)
    return network


def relu() -> ann.Network:
    """Return a network of one ReLU."""
    network = ann.Network("relu")
    x = network.add_input("x", ann.TensorInfo((ELEMENTS,)))
    y = network.add_activation(x, ann.ActivationFunction.RELU)
    network.add_output("y", y)
    return network


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Fixed cost of a run.")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    x = np.ones(ELEMENTS, np.float32)
    with ann.load(relu(), ["CpuRef"]) as loaded:
        inputs = {"x": x}
        assert np.array_equal(loaded.run(inputs)["y"], x)
        one_relu = seconds_a_call(lambda: loaded.run(inputs), batch=2000, batches=15)
    times: dict[int, list[float]] = {}
    with ann.Runtime() as runtime:
        for length in (1, 100, 200):
            with ann.load(chain(length), ["CpuRef"], runtime=runtime) as loaded:
                inputs, out = {"x": x}, {"y": np.empty_like(x)}
                assert np.array_equal(loaded.run(inputs)["y"], x * (length + 1))
                times[length] = seconds_a_call(
                    lambda loaded=loaded, inputs=inputs: loaded.run(inputs), batch=2000, batches=15
                )
                if length == 1:
                    with_out = seconds_a_call(
                        lambda loaded=loaded, inputs=inputs, out=out: loaded.run(inputs, out=out),
                        batch=2000,
                        batches=15,
                    )
                    with loaded.bind(inputs) as bound:
                        with_bind = seconds_a_call(bound.run, batch=2000, batches=15)
    slope = [(a - b) / 100 for a, b in zip(times[200], times[100], strict=True)]
    publish(
        "overhead",
        {
            "call_of_one_relu_us": spread(one_relu, 1e-6),
            "one_more_layer_kernel_included_us": spread(slope, 1e-6),
            "call_of_one_layer_us": spread(times[1], 1e-6),
            "call_of_one_layer_with_out_us": spread(with_out, 1e-6),
            "call_of_one_layer_bound_us": spread(with_bind, 1e-6),
            "run_of_100_layers_us": spread(times[100], 1e-6),
            "run_of_200_layers_us": spread(times[200], 1e-6),
            "wanted": "one more layer under 0.5 us outside its kernel; "
            "one ReLU of 16 floats at most 6 us, 100 small layers at most 15 us",
        },
        arguments.output,
    )


if __name__ == "__main__":
    main()
