# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""What it gives that depthwise convolutions are one operator with the 1x1 around them.

    python benchmarks/separable.py [MODEL.onnx ...] [--blocks WORDS] [--threads 1] [--rounds 15]

Each block of MobileNetV2 and EfficientNet-Lite0 by itself, and whole models: CpuAcc with each value
of its option ``separable`` takes turns in one process. Time of the processor is given beside that
of the clock: with one thread it holds also on a busy machine.
"""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from common import publish, spread

import armnn_py as ann

OPTIONS = ("off", "auto", "always")
NHWC = ann.DataLayout.NHWC


class Block(NamedTuple):
    """``wide`` channels between ``inputs`` and ``outputs``; without expansion if they are equal."""

    network: str
    inputs: int
    wide: int
    outputs: int
    side: int
    size: int = 3
    stride: int = 1

    @property
    def operations(self) -> int:
        """Multiplications and additions."""
        out = self.side // self.stride
        products = out * out * self.wide * (self.size**2 + self.outputs)
        if self.inputs != self.wide:
            products += self.side**2 * self.inputs * self.wide
        return 2 * products

    def __str__(self) -> str:
        channels = f"{self.inputs}-{self.wide}-{self.outputs}"
        window = f"{self.size}x{self.size} s{self.stride}"
        return f"{self.network} {channels} {window} {self.side}"


V2, LITE = "mobilenet_v2", "efficientnet_lite0"
BLOCKS = (
    Block(V2, 32, 32, 16, 112),
    Block(V2, 16, 96, 24, 112, stride=2),
    Block(V2, 24, 144, 24, 56),
    Block(V2, 24, 144, 32, 56, stride=2),
    Block(V2, 32, 192, 32, 28),
    Block(V2, 32, 192, 64, 28, stride=2),
    Block(V2, 64, 384, 64, 14),
    Block(V2, 64, 384, 96, 14),
    Block(V2, 96, 576, 96, 14),
    Block(V2, 96, 576, 160, 14, stride=2),
    Block(V2, 160, 960, 160, 7),
    Block(V2, 160, 960, 320, 7),
    Block(LITE, 24, 144, 40, 56, 5, 2),
    Block(LITE, 40, 240, 40, 28, 5),
    Block(LITE, 40, 240, 80, 28, stride=2),
    Block(LITE, 80, 480, 80, 14),
    Block(LITE, 80, 480, 112, 14, 5),
    Block(LITE, 112, 672, 112, 14, 5),
    Block(LITE, 192, 1152, 192, 7, 5),
)


def make(block: Block) -> ann.Network:
    """Build the block with ReLU6 and, where the shapes allow it, a sum with its input."""
    rng = np.random.default_rng(0)

    def values(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(np.float32) / 8

    def relu6(x: Any) -> Any:
        return network.add_activation(x, ann.ActivationFunction.BOUNDED_RELU, 6, 0).output

    network = ann.Network(str(block))
    x = network.add_input("x", ann.TensorInfo((1, block.side, block.side, block.inputs))).output
    y, wide = x, block.wide
    if block.inputs != wide:
        weights = values(wide, 1, 1, block.inputs)
        y = relu6(network.add_convolution2d(y, weights, values(wide), data_layout=NHWC).output)
    y = network.add_depthwise_convolution2d(
        y,
        values(1, block.size, block.size, wide),
        values(wide),
        stride=(block.stride, block.stride),
        padding="same",
        data_layout=NHWC,
    ).output
    weights = values(block.outputs, 1, 1, wide)
    y = network.add_convolution2d(relu6(y), weights, values(block.outputs), data_layout=NHWC).output
    if y.info.static_shape == x.info.static_shape:
        y = network.add_addition(x, y).output
    network.add_output("y", y)
    return network


def measure(model: ann.Network | Path, rounds: int, least: float) -> dict[str, Any]:
    """Run a model with each option in turns, each turn for ``least`` seconds."""
    result: dict[str, Any] = {}
    with ExitStack() as stack:
        runs = {}
        for option in OPTIONS:
            options = {"CpuAcc": {"separable": option}}
            runtime = stack.enter_context(ann.Runtime(backend_options=options))
            net = stack.enter_context(ann.load(model, ["CpuAcc", "CpuRef"], runtime=runtime))
            inputs = {
                name: np.random.default_rng(0).random(info.static_shape, np.float32)
                for name, info in net.inputs.items()
            }
            with net.profile() as profile:
                net.run(inputs)
            joined = sum("separable" in (layer.kernel or "") for layer in profile.layers)
            result[option] = {"joined": joined}
            runs[option] = (net.run, inputs)
        run, inputs = runs["off"]
        begin = time.perf_counter()
        run(inputs)
        count = max(1, round(least / (time.perf_counter() - begin)))
        times: dict[str, list[tuple[float, float]]] = {option: [] for option in OPTIONS}
        for number in range(rounds):
            for option in sorted(OPTIONS, reverse=bool(number % 2)):
                run, inputs = runs[option]
                run(inputs)  # its weights are in cache again
                clock, processor = time.perf_counter(), time.process_time()
                for _ in range(count):
                    run(inputs)
                clock, processor = time.perf_counter() - clock, time.process_time() - processor
                times[option].append((clock / count, processor / count))
    for option, pairs in times.items():
        clocks, processors = zip(*pairs, strict=True)
        result[option] |= {
            "clock_ms": spread(clocks, 1e-3),
            "processor_ms": spread(processors, 1e-3),
        }
    return result


def main() -> None:
    """Measure all models, and the blocks whose names have all words; publish the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--blocks", default="", metavar="WORDS")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    ann.set_num_threads(options.threads)
    found = {}
    for block in BLOCKS if options.blocks or not options.models else ():
        if all(word in str(block) for word in options.blocks.split()):
            found[str(block)] = {
                "operations": block.operations,
                **measure(make(block), options.rounds, 0.01),
            }
    for path in options.models:
        found[path.stem] = measure(path, options.rounds, 0.0)
    publish("separable", {"threads": options.threads, "networks": found}, options.output)


if __name__ == "__main__":
    main()
