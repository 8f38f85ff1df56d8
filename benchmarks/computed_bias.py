# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Weights and bias values that the network computes, on CpuAcc beside constant ones and CpuRef.

    python benchmarks/computed_bias.py [--isa auto] [--turns 9] [--turn-ms 60] [--output FILE.json]

One thread. Engines take turns; a figure is the least, and the median, of the turns' processor time
for a run. Filters over time (SVDF) of int8 compute the bias of their last layers; LiteRT runs them,
too.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from common import publish
from words import new_builder, theirs, turn

import armnn_py as ann

if TYPE_CHECKING:
    from collections.abc import Callable

NUMBERS = np.random.default_rng(5)
SIDE, CHANNELS = 28, 64
FILTERS = ((8, 40, 128, 1), (10, 64, 256, 2))
"""Steps, inputs, units and rank."""


def convolution(data_type: ann.DataType, computed: str) -> tuple[ann.Network, dict[str, Any]]:
    """Return a window of 3 x 3 whose ``computed`` operand is an input, and its inputs."""
    is_float = data_type == ann.DataType.FLOAT32
    shape, sides = (1, SIDE, SIDE, CHANNELS), (CHANNELS, 3, 3, CHANNELS)

    def info(dims: tuple[int, ...], scale: float) -> ann.TensorInfo:
        return ann.TensorInfo(
            dims, data_type, None if is_float else ann.QuantizationInfo((scale,), (0,))
        )

    def values(dims: tuple[int, ...]) -> np.ndarray:
        if is_float:
            return NUMBERS.standard_normal(dims).astype(np.float32)
        return NUMBERS.integers(-127, 128, dims).astype(np.int8)

    network = ann.Network()
    of_bias = ann.TensorInfo((CHANNELS,), data_type if is_float else ann.DataType.SIGNED32)
    bias = NUMBERS.integers(-2000, 2000, CHANNELS).astype(of_bias.dtype)
    given = {"x": values(shape)}
    slots = [network.add_input("x", info(shape, 0.02)).output]
    for name, array, about in (
        ("weights", values(sides), info(sides, 0.01)),
        ("bias", bias, of_bias),
    ):
        if name == computed:
            given[name] = array
            slots.append(network.add_input(name, about).output)
        else:
            slots.append(network.add_constant(array, info=about).output)
    layer = network.add_convolution2d(*slots, padding="same", output_info=info(shape, 0.2))
    network.add_output("y", layer.output)
    return network, given


def filters(steps: int, size: int, units: int, rank: int) -> tuple[bytes, dict[str, Any]]:
    """Return an SVDF model of int8, and an input for it."""
    builder, count = new_builder(), rank * units
    x = builder.tensor("x", (1, size), np.int8, 0.021, -3)
    y = builder.tensor("y", (1, units), np.int8, 0.004, -128)
    bias = NUMBERS.integers(-30000000, 30000000, units).astype(np.int32)
    operands = [
        x,
        builder.constant("w", NUMBERS.integers(-127, 128, (count, size)).astype(np.int8), 0.0115),
        builder.constant("t", NUMBERS.integers(-9000, 9000, (count, steps)).astype(np.int16), 3e-5),
        builder.constant("b", bias, 0.0007 * 3e-5),
        builder.tensor("h", (1, count * steps), np.int16, 0.0007, variable=True),
    ]
    builder.op("SVDF", operands, [y], ("SVDFOptions", {"rank": rank, "fusedActivationFunction": 1}))
    builder.ends([x], [y])
    return builder.data(), {"x": NUMBERS.integers(-128, 128, (1, size)).astype(np.int8)}


def ours(
    model: Any, given: dict[str, Any], runtime: ann.Runtime, backends: list[str]
) -> Callable[[], Any]:
    """Return a run of a model or network on these backends."""
    if isinstance(model, bytes):
        network = ann.load(model, backends, runtime=runtime)
    else:
        network = runtime.load_network(ann.optimize(model, backends, runtime=runtime))
    return lambda: network.run(given)


def measured(
    runs: dict[str, Callable[[], Any]], turns: int, milliseconds: float
) -> dict[str, list[float]]:
    """Return the least and the median of each engine."""
    for run in runs.values():
        run()
    found: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(turns):
        for name, run in runs.items():
            found[name].append(turn(run, milliseconds))
    return {
        name: [round(min(one), 1), round(statistics.median(one), 1)] for name, one in found.items()
    }


def main() -> None:
    """Measure layers, then filters."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--isa", default="auto")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--turn-ms", type=float, default=60)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    rows = []
    with ann.Runtime(backend_options={"CpuAcc": {"isa": given.isa, "threads": 1}}) as runtime:
        engines = {"CpuAcc": ["CpuAcc", "CpuRef"], "CpuRef": ["CpuRef"]}
        for data_type in (ann.DataType.FLOAT32, ann.DataType.QASYMM_S8):
            for computed in ("nothing", "bias", "weights"):
                network, inputs = convolution(data_type, computed)
                runs = {name: ours(network, inputs, runtime, b) for name, b in engines.items()}
                title = (
                    f"3x3, {SIDE} x {SIDE} x {CHANNELS}, {data_type.label}, computed: {computed}"
                )
                rows.append({"layer": title, **measured(runs, given.turns, given.turn_ms)})
        for shape in FILTERS:
            data, inputs = filters(*shape)
            runs = {name: ours(data, inputs, runtime, b) for name, b in engines.items()}
            runs["LiteRT"] = theirs(data, inputs)
            steps, size, units, rank = shape
            title = f"SVDF, {size} inputs, {units} units of rank {rank}, {steps} steps"
            rows.append({"layer": title, **measured(runs, given.turns, given.turn_ms)})
    unit = "us of processor time: least and median of the turns"
    publish("computed_bias", {"isa": given.isa, "unit": unit, "rows": rows}, given.output)


if __name__ == "__main__":
    main()
