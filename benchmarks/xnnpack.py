# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The cost of the border for a vendor's library: lone layers, and the preference for a layout.

    python benchmarks/xnnpack.py --backend-path XNNPACK [--cpu-time] [--output FILE.json]

XNNPACK holds the example backend over that library. One thread.

The border: one convolution as a network, and the same called from a plain C program on the same
library, in turns. The time is that of ``BoundNetwork.run``, Python included.

The preference for NHWC: a chain of convolutions in NCHW, which the optimiser converts with one
change of layout at each border, beside the same with a change in each layer and one that is NHWC
throughout.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from common import publish

import armnn_py as ann

HERE = Path(__file__).resolve().parent
#: Side of the image, channels, side of the kernel.
CONVOLUTIONS = ((56, 64, 3), (28, 128, 3), (14, 256, 1), (7, 64, 1))
LAYOUTS = {"NHWC": ann.DataLayout.NHWC, "NCHW": ann.DataLayout.NCHW}


def now_ns() -> int:
    """Return a clock on the wall, or with --cpu-time what this process used."""
    return time.process_time_ns() if "CPU_TIME" in os.environ else time.perf_counter_ns()


def median_ns(function: Callable[[], object], runs: int) -> float:
    """Return the median time of one call, in nanoseconds."""
    function()
    times = []
    for _ in range(runs):
        start = now_ns()
        function()
        times.append(now_ns() - start)
    return statistics.median(times)


def one_convolution(size: int, channels: int, kernel: int, layout: ann.DataLayout) -> ann.Network:
    """Return a network of one layer, padded so that the output has the input's size."""
    is_nhwc = layout is ann.DataLayout.NHWC
    random = np.random.default_rng(0)
    shape = (1, size, size, channels) if is_nhwc else (1, channels, size, size)
    window = (kernel, kernel, channels) if is_nhwc else (channels, kernel, kernel)
    weights = random.normal(size=(channels, *window)).astype(np.float32)
    network = ann.Network()
    x = network.add_input("x", ann.TensorInfo(shape))
    bias = random.normal(size=channels).astype(np.float32)
    y = network.add_convolution2d(x, weights, bias, padding="same", data_layout=layout)
    network.add_output("y", y)
    return network


def border(runtime: ann.Runtime, turns: int) -> list[dict[str, Any]]:
    """Return for each convolution the time in C and what a network of it takes more."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "plain"
        source = HERE / "kernels" / "xnnpack_convolution.c"
        command = ["cc", "-O2", source, "-lXNNPACK", "-lpthreadpool", "-lm", "-o", program]
        subprocess.run([str(part) for part in command], check=True)
        for size, channels, kernel in CONVOLUTIONS:
            results.append(one_border(runtime, program, (size, channels, kernel), turns))
    return results


def one_border(
    runtime: ann.Runtime, program: Path, shape: tuple[int, int, int], turns: int
) -> dict[str, Any]:
    """Measure one convolution in turns of about 20 ms.

    How two tensors and the weights lie to each other makes some percent, so each turn has memory of
    its own: the program is started anew, and the network is loaded anew.
    """
    times: dict[str, list[float]] = {"C": [], **{name: [] for name in LAYOUTS}}
    command = [str(program), *map(str, shape)]
    runs = 20
    for turn in range(turns + 1):
        plain = subprocess.run(command, input=str(runs), capture_output=True, text=True, check=True)
        medians = {"C": float(plain.stdout)}
        for name, layout in LAYOUTS.items():
            network = one_convolution(*shape, layout)
            with ann.load(network, ["Xnnpack"], runtime=runtime) as net, net.bind() as bound:
                bound.inputs["x"][...] = 0.5
                medians[name] = median_ns(bound.run, runs)
        if turn == 0:
            runs = max(20, int(2e7 / medians["NHWC"]))
            continue
        for name, value in medians.items():
            times[name].append(value)
    result: dict[str, Any] = {"size": shape[0], "channels": shape[1], "kernel": shape[2]}
    for name, samples in times.items():
        result[f"{name}_us"] = round(statistics.median(samples) / 1e3, 2)
    for name in LAYOUTS:
        ratios = [ours / plain_c for ours, plain_c in zip(times[name], times["C"], strict=True)]
        result[f"{name}_percent_more"] = round(100 * (statistics.median(ratios) - 1), 2)
    return result


def chain(length: int, layout: ann.DataLayout, *, turns: bool) -> ann.Network:
    """Return convolutions of 28 x 28 x 64; |turns|: each between two Transposes of its own."""
    random = np.random.default_rng(0)
    is_nhwc = layout is ann.DataLayout.NHWC
    network = ann.Network()
    outside_nchw = turns or not is_nhwc
    shape = (1, 64, 28, 28) if outside_nchw else (1, 28, 28, 64)
    y: Any = network.add_input("x", ann.TensorInfo(shape))
    for _ in range(length):
        window = (64, 3, 3, 64) if is_nhwc else (64, 64, 3, 3)
        weights = random.normal(size=window).astype(np.float32) / 24
        y = network.add_transpose(y, (0, 2, 3, 1)) if turns else y
        y = network.add_convolution2d(y, weights, padding="same", data_layout=layout)
        y = network.add_transpose(y, (0, 3, 1, 2)) if turns else y
    network.add_output("y", y)
    return network


def layout_preference(runtime: ann.Runtime, turns: int, length: int = 8) -> dict[str, Any]:
    """Measure a chain in NCHW, converted to NHWC once, and with a change of layout a layer."""
    nchw, nhwc = ann.DataLayout.NCHW, ann.DataLayout.NHWC
    plain = ann.OptimizerOptions(simplify=False)
    ways = {
        "NHWC": ann.load(chain(length, nhwc, turns=False), ["Xnnpack"], runtime=runtime),
        "preference": ann.load(chain(length, nchw, turns=False), ["Xnnpack"], runtime=runtime),
        "each_layer": ann.load(
            chain(length, nhwc, turns=True), ["Xnnpack"], runtime=runtime, options=plain
        ),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, loaded in ways.items():
            x = {key: np.ones(info.shape, np.float32) for key, info in loaded.inputs.items()}
            times[name].append(median_ns(lambda net=loaded, x=x: net.run(x), 10))
    result: dict[str, Any] = {"convolutions": length}
    for name, samples in times.items():
        result[f"{name}_us"] = round(statistics.median(samples) / 1e3, 1)
        ratios = [a / b for a, b in zip(samples, times["NHWC"], strict=True)]
        result[f"{name}_percent_more"] = round(100 * (statistics.median(ratios) - 1), 2)
    return result


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cpu-time", action="store_true", help="for a machine that is not quiet")
    parser.add_argument("--backend-path", type=Path, action="append", required=True)
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    if arguments.cpu_time:
        os.environ["CPU_TIME"] = "1"  # the program in C reads it, too
    paths = [path.resolve() for path in arguments.backend_path]
    with ann.Runtime(dynamic_backends_path=paths) as runtime:
        ann.set_num_threads(1)
        result: dict[str, Any] = {"border_of_one_convolution": border(runtime, arguments.turns)}
        result["layout_preference"] = layout_preference(runtime, arguments.turns)
        result["clock"] = "CPU time" if arguments.cpu_time else "wall"
    publish("xnnpack", result, arguments.output)


if __name__ == "__main__":
    main()
